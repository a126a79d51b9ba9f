/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads of the jobs that hold nodes: the answers of the fake slurmrestd, and the records
 * that the reader gets, as "7 RUNNING n1 root, 8 SUSPENDED unknown, ". For one test
 * program, which includes this once.
 */
#ifndef TESTS_LIB_HELD_JOBS_H
#define TESTS_LIB_HELD_JOBS_H

#include "lib/slurm_reading.h"

#define STATES "GET /slurm/v0.0.42/jobs/state/"
#define JOB(n) "GET /slurm/v0.0.42/job/" #n

enum { MINUTE = 60 * 1000 };

static inline size_t each(void *ctx, const struct slurm_job *j)
{
	static const char *const words[] = { "RUNNING", "SUSPENDED", "COMPLETING", "CANCELLED" };
	struct seen *s = ctx;
	uint32_t left = j->state;
	str_addf(&s->text, "%lld", (long long)j->id);
	for (size_t i = 0; i < LENGTH(words); i++)
		if (j->state & job_state_bit(words[i])) {
			str_addf(&s->text, " %s", words[i]);
			left &= ~job_state_bit(words[i]);
		}
	assert_int_equal(left, 0);
	assert_true(job_state_holds(j->state));
	str_addf(&s->text, " %s", j->nodes ? j->nodes : "unknown");
	str_addf(&s->text, "%s%s, ", *j->user ? " " : "", j->user);
	return 0;
}

static inline void done(void *ctx, struct err err, int64_t asked_ms)
{
	seen_done(ctx, err, !failed(err), asked_ms);
}

static inline void start(struct setup *t) { slurm_held_jobs(t->s, each, done, &t->seen); }
static inline void begin(struct setup *t)
{
	begin_reading(t, start, "reading the jobs of Slurm: ");
	rest_grants_rights(t->f, "v0.0.42");
}

static inline void answer(struct setup *t, const char *line, const char *list)
{
	AUTO(str_free) struct str body = { 0 };
	str_addf(&body, "{\"jobs\":[%s],\"errors\":[],\"warnings\":[]}", list);
	rest_answers(t->f, line, 200, str_text(&body));
}

#define LISTED(id, ...) "{\"job_id\":\"" #id "\",\"state\":[" __VA_ARGS__ "]}"
#define RUNS(id) LISTED(id, "\"RUNNING\"")
#define STANDS(id) LISTED(id, "\"SUSPENDED\"")
#define ONE(id, state, nodes) \
	"{\"job_id\":" #id ",\"job_state\":[\"" state "\"],\"nodes\":\"" nodes "\"}"

static inline void given(struct setup *t, const char *states, const char *line, const char *job)
{
	begin(t);
	answer(t, STATES, states);
	answer(t, line, job);
}

/* The next read needs nothing but the states. */
static inline void is_remembered(struct setup *t, const char *states, const char *expected)
{
	read_again(t);
	answer(t, STATES, states);
	was_read(t, expected);
}

/* Adds n running jobs. */
static inline void listed(struct str *list, int n)
{
	for (int i = 1; i <= n; i++)
		str_addf(list, "%s{\"job_id\":%d,\"state\":\"RUNNING\"}", i > 1 ? "," : "", i);
}

static inline void read_running(struct setup *t, int first, int last)
{
	for (int i = first; i <= last; i++) {
		char line[64], job[80];
		snprintf(line, sizeof(line), "GET /slurm/v0.0.42/job/%d", i);
		snprintf(job, sizeof(job),
			"{\"job_id\":%d,\"job_state\":\"RUNNING\",\"nodes\":\"n\"}", i);
		answer(t, line, job);
	}
}

#endif
