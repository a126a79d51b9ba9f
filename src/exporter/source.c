/* SPDX-License-Identifier: Apache-2.0 */
/* Reads one source periodically. */
#include "exporter/source.h"

#include "base/log.h"
#include "base/own.h"
#include "plan/exporter/rows.h"
#include "plan/exporter/rule.h"

enum {
	NODES_BYTES = 256 << 20,     /* 65,536 nodes of 2.6 kB each */
	JOBS_BYTES = 1 << 30,        /* 50,000 jobs take 380 MB */
	PARTITIONS_BYTES = 64 << 20, /* a partition takes 3 kB and the names of its accounts */
	/* has a row for each user that sent requests to slurmctld */
	DIAG_BYTES = 8 << 20,
	LIST_MS = 120000,
	JOBS_MS = 300000, /* slurmrestd needs two minutes for 50,000 */
	/* a change of free memory is not reported as a change of nodes */
	WHOLE_MS = 10 * 60 * 1000,
};

static void read_now(void *ctx);

/* ---- the end of a read ---- */

static void count(struct source_reader *s, enum exporter_result result)
{
	s->reads[result]++;
	s->last_took_ms = loop_now_ms(s->loop) - s->began_ms;
	s->failures = result == READ_FAILED ? s->failures + 1 : 0;
	int64_t pause = exporter_pause_ms(s->cache_ms, s->last_took_ms, s->failures);
	if (result != READ_FAILED) {
		s->took_ms = s->last_took_ms;
		s->pause_ms = pause;
	}
	s->timer = timer_start(s->loop, pause, read_now, s);
}

static void fail(struct source_reader *s, struct err err)
{
	take_free(TAKE(s->next));
	if (!s->failures)
		log_warn("Slurm cannot be read: its last answer is shown for a limited time",
			"source", exporter_source_names[s->of], "why", err.text);
	count(s, READ_FAILED);
}

static void succeed(struct source_reader *s, bool changed, int64_t asked_ms)
{
	bool was_shown = source_says(s);
	if (s->failures)
		log_info("Slurm can be read again", "source", exporter_source_names[s->of]);
	s->asked_ms = asked_ms;
	if (changed) {
		take_free(s->now);
		s->now = TAKE(s->next);
	}
	take_free(TAKE(s->next));
	count(s, changed ? READ_CHANGED : READ_UNCHANGED);
	if (changed || !was_shown)
		s->changed(s->ctx);
}

static void list_came(void *ctx, struct err err, bool changed, int64_t asked_ms)
{
	struct source_reader *s = ctx;
	s->op = NULL;
	if (!failed(err) && changed) {
		err = take_end(s->next);
		if (failed(err))
			list_forget(&s->memory); /* the remembered list was not accepted */
	}
	if (failed(err))
		fail(s, err);
	else
		succeed(s, changed, asked_ms);
}

static void diag_came(void *ctx, struct err err, const struct json *root)
{
	struct source_reader *s = ctx;
	s->op = NULL;
	if (!failed(err)) {
		take_statistics(s->next, root);
		err = take_end(s->next);
	}
	if (failed(err))
		fail(s, err);
	else
		succeed(s, true, s->began_ms);
}

static void ended_came(void *ctx, struct err err)
{
	struct source_reader *s = ctx;
	if (failed(err))
		fail(s, err);
	else
		succeed(s, true, s->began_ms);
}

/* ---- start ---- */

static void begin(void *ctx)
{
	struct source_reader *s = ctx;
	take_free(s->next);
	s->next = take_new(s->of);
}

static void each_node(void *ctx, const struct json *item)
{
	take_node(((struct source_reader *)ctx)->next, item);
}
static void each_job(void *ctx, const struct json *item)
{
	take_job(((struct source_reader *)ctx)->next, item);
}
static void each_partition(void *ctx, const struct json *item)
{
	take_partition(((struct source_reader *)ctx)->next, item);
}

static const struct slurm_list lists[] = {
	[EXPORTER_NODES] = { "/nodes/", "nodes", begin, each_node, NODES_BYTES, LIST_MS, WHOLE_MS },
	[EXPORTER_JOBS] = { "/jobs/", "jobs", begin, each_job, JOBS_BYTES, JOBS_MS, WHOLE_MS },
	[EXPORTER_PARTITIONS] = { "/partitions/", "partitions", begin, each_partition,
		PARTITIONS_BYTES, LIST_MS, WHOLE_MS },
};

static void read_now(void *ctx)
{
	struct source_reader *s = ctx;
	s->timer = NULL;
	s->began_ms = loop_now_ms(s->loop);
	if (s->of == EXPORTER_ACCOUNTING) {
		begin(s);
		ended_reader_read(s->ended, ended_came, s);
	} else if (s->of == EXPORTER_DIAG) {
		begin(s);
		s->op = ask_begin(s->slurm,
			&(struct slurm_ask){ .path = "/diag/", .max_bytes = DIAG_BYTES }, diag_came,
			s);
	} else {
		s->op = list_begin(s->slurm, &s->memory, &lists[s->of], list_came, s);
	}
}

void source_begin(struct source_reader *s)
{
	s->last_took_ms = -1;
	if (s->of == EXPORTER_ACCOUNTING)
		s->ended = ended_reader_new(s->loop, s->slurm, s->sums);
	read_now(s);
}

void source_end(struct source_reader *s)
{
	ask_stop(s->op);
	ended_reader_free(s->ended);
	timer_stop(s->loop, s->timer);
	take_free(s->now);
	take_free(s->next);
}

const struct source_answer *source_says(const struct source_reader *s)
{
	int64_t age = loop_now_ms(s->loop) - s->asked_ms;
	return s->now && exporter_is_fresh(age, s->took_ms, s->pause_ms) ? s->now : NULL;
}
