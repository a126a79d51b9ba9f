/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The submitter with a journal of its own, under a fake clock, and a Slurm that is
 * played. For one test program, which includes this once.
 */
#ifndef TESTS_LIB_SUBMIT_WORLD_H
#define TESTS_LIB_SUBMIT_WORLD_H

#include "lib/fake_slurm_tools.h"
#include "lib/journal_steps.h"
#include "lib/redbox_folder.h"
#include "lib/sim_loop.h"

#include "redbox/submit/submit.h"

enum { CALLS = 12 };

struct call {
	struct submit_wait *wait;
	int told;
	struct err err;
	int64_t job_id;
	bool forgotten;
};

struct world {
	struct sim_loop loop;
	struct fake_tools tools;
	struct test_folder folder;
	struct journal *journal;
	struct submitter *submitter;
	struct call calls[CALLS];
	struct slurm_controller_shown slurmctld; /* boot_s 0: it is away */
	int64_t known_id;                        /* that clients have been told */
	int64_t since_ms;                        /* when they came */
	int64_t content;                         /* what they ask for; 0: unknown */
};

static const struct err down = { .kind = ERR_RETRY, .text = "slurmctld is away" };

/* Answers all clients that asked for its start. */
static inline void slurmctld_answers(struct world *w)
{
	const struct slurm_tools_told t = { .controller = w->slurmctld };
	sim_loop_pass(&w->loop, 0);
	for (struct slurm_tools_call *c = w->tools.calls, *next; c; c = next) {
		next = c->next;
		if (c->kind == FAKE_CONTROLLER)
			fake_says(c, w->slurmctld.boot_s ? OK : down, &t);
	}
	sim_loop_pass(&w->loop, 0);
}

static inline void begin(struct world *w)
{
	struct err e = journal_open(&w->loop.loop, w->folder.path, &w->journal);
	assert_false(failed(e));
	w->submitter = submitter_new(&w->loop.loop, (struct slurm_tools *)&w->tools, w->journal);
	slurmctld_answers(w);
}

static inline int given_a_young_journal(void **state)
{
	struct world *w = own_alloc(sizeof(*w));
	sim_loop_init(&w->loop, SIM_LOOP_WALL_MS);
	w->folder = folder_make();
	w->slurmctld = (struct slurm_controller_shown){ 1000, 100, 300 };
	begin(w);
	*state = w;
	return 0;
}

static inline int given_an_old_journal(void **state)
{
	given_a_young_journal(state);
	struct world *w = *state;
	sim_loop_pass(&w->loop, (int64_t)JOURNAL_KEEP_S * 1000);
	return 0;
}

static inline void end(struct world *w)
{
	submitter_free(w->submitter);
	journal_free(w->journal);
	assert_null(w->tools.calls);
}

static inline int free_world(void **state)
{
	struct world *w = *state;
	end(w);
	folder_remove(&w->folder);
	assert_int_equal(sim_loop_end(&w->loop), 0);
	free(w);
	return 0;
}

/* The next slurmctld has this next id, and MinJobAge is 300 s. */
static inline void slurmctld_is_killed(struct world *w, int64_t next_job_id)
{
	w->slurmctld.boot_s += 1000;
	w->slurmctld.next_job_id = next_job_id;
}

/* The process dies, and its calls with it. */
static inline void restarted(struct world *w)
{
	end(w);
	memset(w->calls, 0, sizeof(w->calls));
	begin(w);
}

static inline void told(void *ctx, struct err e, const struct submit_told *told)
{
	struct call *c = ctx;
	c->told++;
	c->wait = NULL;
	c->err = e;
	c->job_id = told->job_id;
	c->forgotten = told->forgotten;
}

static inline struct call *submit(struct world *w, size_t number, const char *key)
{
	struct call *c = &w->calls[number];
	const struct submit_ask ask = {
		.submission = { "#!/bin/sh\n", "debug", key },
		.content = w->content,
		.known_id = w->known_id,
		.since_ms = w->since_ms,
	};
	c->told = 0;
	c->wait = submitter_submit(w->submitter, &ask, told, c);
	assert_int_equal(c->told, 0);
	slurmctld_answers(w);
	return c;
}

static inline struct call *look(struct world *w, size_t number, const char *key)
{
	struct call *c = &w->calls[number];
	c->told = 0;
	c->wait = submitter_look(w->submitter, key, w->known_id, DOUBT_NONE, told, c);
	slurmctld_answers(w);
	return c;
}

static inline void slurm_says(struct world *w, enum fake_kind kind, struct err e, int64_t id)
{
	struct slurm_tools_call *c = fake_call(&w->tools, kind);
	AUTO(own_free) char *key = own_strdup(c->key);
	struct slurm_job_found job = { .id = id, .key = key };
	struct slurm_tools_told t = { .job_id = id, .found = &job, .n = id ? 1 : 0 };
	fake_says(c, e, &t);
	sim_loop_pass(&w->loop, 0);
}

/* As long as something is to be settled, slurmctld is asked. */
static inline void time_passes(struct world *w, int64_t ms)
{
	for (int64_t at = 0; at < ms; at += 1000) {
		sim_loop_pass(&w->loop, 1000);
		slurmctld_answers(w);
	}
}

static inline void got(const struct call *c, int64_t id)
{
	assert_int_equal(c->told, 1);
	if (failed(c->err))
		fail_msg("%s", c->err.text);
	assert_int_equal(c->job_id, id);
}

static inline void failed_with(const struct call *c, enum err_kind kind)
{
	assert_int_equal(c->told, 1);
	assert_string_equal(err_kind_name(c->err.kind), err_kind_name(kind));
}

/* Slurm has accepted job 53 of key k. */
static inline void accepted(struct world *w)
{
	struct call *c = submit(w, 0, "k");
	slurm_says(w, FAKE_SUBMIT, OK, 53);
	got(c, 53);
}

/* Asserts the state of the job of key k in the journal. */
static inline void is(const struct world *w, enum submission_noted noted)
{
	assert_int_equal(journal_find(w->journal, "k").noted, noted);
}

static inline int sbatches(const struct world *w) { return w->tools.seen[FAKE_SUBMIT]; }
static inline int questions(const struct world *w) { return w->tools.seen[FAKE_FIND]; }

static const struct err lost = { .kind = ERR_LOST, .text = "nobody knows" };
static const struct err wrong = { .kind = ERR_INVALID, .text = "no such partition" };

#define OLD(f) cmocka_unit_test_setup_teardown(f, given_an_old_journal, free_world)
#define YOUNG(f) cmocka_unit_test_setup_teardown(f, given_a_young_journal, free_world)

#endif
