/* SPDX-License-Identifier: Apache-2.0 */
/* Reads ended jobs from slurmrestd. */
#include "exporter/ended.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/log.h"
#include "base/own.h"
#include "base/str.h"
#include "slurm/rest/ask.h"
#include "slurm/rest/ended.h"

enum {
	LIST_BYTES = 32 << 20, /* a job takes 5 kB without its steps */
	SOME_BYTES = 32 << 20, /* 100 jobs; a step takes 5 kB */
	SOME_JOBS = 100,       /* per request: 2 kB of its path */
	JOBS_MOST = 100000,    /* per window */
};

struct job_id {
	int64_t id, array_id, task, start_s;
};

struct ended_reader {
	struct loop *loop;
	struct slurm *slurm;
	struct exporter_ended *sums;
	void (*done)(void *ctx, struct err err);
	void *ctx;

	struct slurm_op *op; /* NULL when no request is in flight */
	struct ended_window window;
	struct job_id *ids; /* jobs of the window, sorted */
	size_t n_ids, cap_ids;
	size_t at, some; /* index and number of the jobs in the current request */
	struct arena texts;
	struct exporter_ended_job *jobs; /* jobs received */
	size_t n, n_before, cap;         /* n_before: without those of the current request */
	struct err err;
};

static void ask_for_some(struct ended_reader *r);

/* ---- the end ---- */

static void forget(struct ended_reader *r)
{
	r->n_ids = r->at = r->n = r->n_before = 0;
	r->err = OK;
	arena_free(&r->texts);
}

static void finish(struct ended_reader *r, struct err err)
{
	if (!failed(err))
		exporter_ended_take(r->sums, &r->window, r->jobs, r->n);
	forget(r);
	r->done(r->ctx, err);
}

/* ---- numbers of the jobs in the window ---- */

static bool is_of_window(const struct ended_reader *r, const struct slurm_ended_job *j)
{
	return j->ended && j->cpus > 0 && j->end_s >= r->window.from_s &&
		j->end_s <= r->window.to_s;
}

static void begin_list(void *ctx) { forget(ctx); }

static void take_id(void *ctx, const struct json *item)
{
	struct ended_reader *r = ctx;
	struct slurm_ended_job j;
	if (!failed(r->err))
		r->err = slurm_read_ended(item, &j);
	if (failed(r->err) || !is_of_window(r, &j))
		return;
	if (r->n_ids == JOBS_MOST)
		r->err = err_new(ERR_TOO_LARGE, "more than %d jobs ended", (int)JOBS_MOST);
	if (failed(r->err))
		return;
	if (r->n_ids == r->cap_ids) {
		r->cap_ids = r->cap_ids ? 2 * r->cap_ids : 64;
		r->ids = own_realloc(r->ids, r->cap_ids * sizeof(*r->ids));
	}
	r->ids[r->n_ids++] = (struct job_id){ j.id, j.array_id, j.task, j.start_s };
}

static int by_id(const void *a, const void *b)
{
	const struct job_id *x = a, *y = b;
	return (x->id > y->id) - (x->id < y->id);
}

static int by_id_and_start(const void *a, const void *b)
{
	const struct job_id *x = a, *y = b;
	return x->id != y->id ? by_id(a, b) : (x->start_s > y->start_s) - (x->start_s < y->start_s);
}

/*
 * Sorts and removes duplicates: two runs of a requeued job may have ended in the window.
 */
static void sort_ids(struct ended_reader *r)
{
	size_t n = 0;
	if (r->n_ids)
		qsort(r->ids, r->n_ids, sizeof(*r->ids), by_id_and_start);
	for (size_t i = 0; i < r->n_ids; i++)
		if (!n || r->ids[n - 1].id != r->ids[i].id)
			r->ids[n++] = r->ids[i];
	r->n_ids = n;
}

static void list_came(void *ctx, struct err err, const struct json *root)
{
	struct ended_reader *r = ctx;
	(void)root;
	r->op = NULL;
	err = failed(err) ? err : r->err;
	if (err.kind == ERR_TOO_LARGE)
		exporter_ended_too_large(r->sums, &r->window);
	if (failed(err)) {
		finish(r, err);
		return;
	}
	sort_ids(r);
	r->some = SOME_JOBS;
	ask_for_some(r);
}

/* ---- jobs with their steps ---- */

static void begin_some(void *ctx)
{
	struct ended_reader *r = ctx;
	r->n = r->n_before;
}

/* A request for one task of an array may also return other tasks. */
static bool is_asked_for(const struct ended_reader *r, int64_t id)
{
	const struct job_id key = { .id = id };
	return bsearch(&key, &r->ids[r->at], r->some, sizeof(*r->ids), by_id);
}

/*
 * If the memory of a job was not measured (a short job, or no JobAcctGatherType), its
 * requested memory is not counted either. Otherwise the efficiency would look too low.
 */
static void take_job_some(void *ctx, const struct json *item)
{
	struct ended_reader *r = ctx;
	struct slurm_ended_job j;
	if (!failed(r->err))
		r->err = slurm_read_ended(item, &j);
	if (failed(r->err) || !is_of_window(r, &j) || !is_asked_for(r, j.id))
		return;
	if (r->n == r->cap) {
		r->cap = r->cap ? 2 * r->cap : 64;
		r->jobs = own_realloc(r->jobs, r->cap * sizeof(*r->jobs));
	}
	struct exporter_ended_job *to = &r->jobs[r->n++];
	*to = (struct exporter_ended_job){
		.partition = arena_strdup(&r->texts, j.partition),
		.account = arena_strdup(&r->texts, j.account),
		.user = arena_strdup(&r->texts, j.user),
	};
	to->v[ENDED_JOBS] = 1;
	to->v[ENDED_CPU] = j.cpu_s;
	to->v[ENDED_CPU_ALLOCATED] = (double)j.elapsed_s * (double)j.cpus;
	to->v[ENDED_MEMORY_MAX] = (double)j.memory_used;
	to->v[ENDED_MEMORY_REQUESTED] = j.memory_used ? (double)j.memory : 0;
}

/* Halves the number of jobs per request. A single job that is too large is skipped. */
static void too_large(struct ended_reader *r, struct err err)
{
	r->n = r->n_before;
	if (r->some > 1) {
		r->some /= 2;
		return;
	}
	log_warn("a job that has ended is not counted", "job",
		arena_printf(&r->texts, "%" PRId64, r->ids[r->at].id), "why", err.text);
	r->sums->left_out++;
	r->at++;
}

static void some_came(void *ctx, struct err err, const struct json *root)
{
	struct ended_reader *r = ctx;
	(void)root;
	r->op = NULL;
	err = failed(err) ? err : r->err;
	if (failed(err) && err.kind != ERR_TOO_LARGE) {
		finish(r, err);
		return;
	}
	if (failed(err)) {
		too_large(r, err);
	} else {
		r->at += r->some;
		r->n_before = r->n;
	}
	ask_for_some(r);
}

/* ---- requests ---- */

static void ask(struct ended_reader *r, const struct str *path, int64_t from_s, bool some)
{
	r->op = ask_begin(r->slurm,
		&(struct slurm_ask){
			.path = str_text(path),
			.database = true,
			.from_s = from_s,
			.to_s = r->window.to_s,
			.list = "jobs",
			.begin = some ? begin_some : begin_list,
			.each = some ? take_job_some : take_id,
			.max_bytes = some ? SOME_BYTES : LIST_BYTES,
		},
		some ? some_came : list_came, r);
}

/* slurmrestd accepts only one value in each "state=" and each "step=". */
static void ask_for_list(struct ended_reader *r)
{
	static const char *const states[] = { "BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE",
		"FAILED", "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED", "TIMEOUT" };
	AUTO(str_free) struct str path = { 0 };
	str_add(&path,
		"/jobs/?skip_steps=true&show_duplicates=true&disable_truncate_usage_time=true");
	for (size_t i = 0; i < LENGTH(states); i++)
		str_addf(&path, "&state=%s", states[i]);
	ask(r, &path, r->window.from_s, false);
}

static void ask_for_some(struct ended_reader *r)
{
	AUTO(str_free) struct str path = { 0 };
	int64_t start_s = r->window.from_s;
	if (r->at == r->n_ids) {
		finish(r, OK);
		return;
	}
	if (r->some > r->n_ids - r->at)
		r->some = r->n_ids - r->at;
	const struct job_id *ids = &r->ids[r->at];
	for (size_t i = 0; i < r->some; i++)
		if (ids[i].start_s < start_s)
			start_s = ids[i].start_s;
	str_add(&path, "/jobs/?show_duplicates=true");
	for (size_t i = 0; i < r->some; i++)
		if (ids[i].array_id)
			str_addf(&path, "&step=%" PRId64 "_%" PRId64, ids[i].array_id, ids[i].task);
		else
			str_addf(&path, "&step=%" PRId64, ids[i].id);
	ask(r, &path, start_s, true);
}

void ended_reader_read(struct ended_reader *r, void (*done)(void *ctx, struct err err), void *ctx)
{
	r->done = done;
	r->ctx = ctx;
	forget(r);
	if (exporter_ended_window(r->sums, loop_wall_ms(r->loop) / 1000, &r->window))
		ask_for_list(r);
	else
		done(ctx, OK);
}

struct ended_reader *ended_reader_new(struct loop *loop, struct slurm *slurm,
	struct exporter_ended *sums)
{
	struct ended_reader *r = own_alloc(sizeof(*r));
	r->loop = loop;
	r->slurm = slurm;
	r->sums = sums;
	return r;
}

void ended_reader_free(struct ended_reader *r)
{
	if (!r)
		return;
	ask_stop(r->op);
	forget(r);
	free(r->ids);
	free(r->jobs);
	free(r);
}
