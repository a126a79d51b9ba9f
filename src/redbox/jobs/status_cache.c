/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Caches what Slurm shows of each job that clients ask for, and answers the calls that
 * wait for it.
 */
#include "redbox/jobs/status_cache.h"

#include <utlist.h>

#include "base/hash.h"
#include "base/own.h"

struct status_cache_wait {
	struct status_cache_wait *prev, *next;
	struct status_cache_job *job;
	struct status_cache_wait **list; /* the list that it is on */
	slurm_tools_done *done;
	void *ctx;
};

struct status_cache_job {
	UT_hash_handle hh;
	int64_t id;
	struct status_cache *status_cache;
	struct status_cache_wait *asking,
		*served;  /* callers whose query has begun after they came */
	int64_t asked_ms; /* time of the last request */
	bool in_round;    /* the running query for all jobs also serves this job */
	/* fingerprint in the newest squeue; 0: squeue does not show it */
	uint64_t seen;
	uint64_t mark;    /* fingerprint of the cached output; 0: nothing is cached */
	int64_t shown_ms; /* when the cached output was requested */
	struct arena a;
	struct slurm_tools_told told;
	struct slurm_tools_call *call;
};

struct status_cache {
	struct loop *loop;
	struct slurm_tools *tools;
	struct status_cache_job *jobs;
	struct slurm_tools_call *call; /* the query for all jobs */
	int64_t asked_ms;              /* start of the last query for all jobs */
	/* since then, one_by_one jobs were queried alone */
	int64_t second_ms;
	size_t one_by_one;
	struct timer *timer;
};

static void turn(void *ctx);

static int64_t now_ms(const struct status_cache *d) { return loop_now_ms(d->loop); }

static void turn_in(struct status_cache *d, int64_t ms)
{
	if (!d->timer)
		d->timer = timer_start(d->loop, ms, turn, d);
}

struct status_cache *status_cache_new(struct loop *l, struct slurm_tools *tools)
{
	struct status_cache *d = own_alloc(sizeof(*d));
	*d = (struct status_cache){ .loop = l, .tools = tools, .asked_ms = INT64_MIN / 2 };
	return d;
}

/* ---- callers that wait ---- */

static void move(struct status_cache_job *j)
{
	struct status_cache_wait *w, *next;
	DL_FOREACH_SAFE(j->asking, w, next)
	{
		DL_DELETE(j->asking, w);
		w->list = &j->served;
		DL_APPEND(j->served, w);
	}
}

/* Removes each caller before its done is called: done may stop another, or wait again. */
static void give(struct status_cache_job *j, struct err e, const struct slurm_tools_told *told)
{
	while (j->served) {
		struct status_cache_wait *w = j->served;
		DL_DELETE(j->served, w);
		w->done(w->ctx, e, told);
		free(w);
	}
	if (j->asking)
		turn_in(j->status_cache, 0);
}

void status_cache_wait_stop(struct status_cache_wait *w)
{
	if (!w)
		return;
	struct status_cache_job *j = w->job;
	DL_DELETE(*w->list, w);
	free(w);
	if (j->call && !j->served)
		slurm_tools_call_cancel(TAKE(j->call));
	if (j->asking)
		turn_in(j->status_cache, 0);
}

static void free_job(struct status_cache_job *j)
{
	move(j);
	while (j->served)
		status_cache_wait_stop(j->served);
	slurm_tools_call_cancel(j->call);
	HASH_DEL(j->status_cache->jobs, j);
	arena_free(&j->a);
	free(j);
}

void status_cache_free(struct status_cache *d)
{
	if (!d)
		return;
	while (d->jobs)
		free_job(d->jobs);
	slurm_tools_call_cancel(d->call);
	timer_stop(d->loop, d->timer);
	free(d);
}

/* ---- one job: scontrol ---- */

static void keep(struct status_cache_job *j, const struct slurm_tools_told *told)
{
	arena_free(&j->a);
	j->a = *told->arena;
	*told->arena = (struct arena){ 0 };
	j->told = (struct slurm_tools_told){ .jobs = told->jobs, .n = told->n };
	j->mark = j->seen;
}

static void shown(void *ctx, struct err e, const struct slurm_tools_told *told)
{
	struct status_cache_job *j = ctx;
	j->call = NULL;
	j->mark = 0;
	if (!failed(e) && j->seen && !told->from_accounts)
		keep(j, told);
	give(j, e, told);
}

static void show(struct status_cache_job *j)
{
	struct status_cache *d = j->status_cache;
	j->shown_ms = now_ms(d);
	j->call = slurm_tools_job(d->tools, j->id, shown, j);
}

/* ---- all jobs: squeue ---- */

static void answer(struct status_cache_job *j)
{
	bool kept = j->mark && j->mark == j->seen &&
		now_ms(j->status_cache) - j->shown_ms < STATUS_CACHE_KEEP_MS;
	if (kept)
		give(j, OK, &j->told);
	else if (j->served)
		show(j);
}

static void take_mark(struct status_cache *d, const struct slurm_job_mark *m)
{
	struct status_cache_job *j;
	HASH_FIND(hh, d->jobs, &m->id, sizeof(m->id), j);
	if (j && j->in_round)
		j->seen = ((j->seen ^ m->mark) * UINT64_C(0x100000001b3)) | 1;
}

static void marks_told(void *ctx, struct err e, const struct slurm_tools_told *told)
{
	static const struct slurm_tools_told nothing = { 0 };
	struct status_cache *d = ctx;
	struct status_cache_job *j, *next;
	d->call = NULL;
	for (size_t i = 0; !failed(e) && i < told->n; i++)
		take_mark(d, &told->marks[i]);
	HASH_ITER (hh, d->jobs, j, next) {
		if (!j->in_round)
			continue;
		j->in_round = false;
		if (failed(e))
			give(j, e, &nothing);
		else
			answer(j);
	}
	turn_in(d, 0);
}

/* Counts jobs that wait for a query, and frees those idle for STATUS_CACHE_FORGET_MS. */
static size_t count(struct status_cache *d)
{
	size_t n = 0;
	struct status_cache_job *j, *next;
	HASH_ITER (hh, d->jobs, j, next) {
		bool idle = !j->asking && !j->served && !j->call;
		if (j->asking && !j->call && !j->in_round)
			n++;
		else if (idle && now_ms(d) - j->asked_ms >= STATUS_CACHE_FORGET_MS)
			free_job(j);
	}
	return n;
}

static void serve(struct status_cache *d, bool in_round)
{
	for (struct status_cache_job *j = d->jobs; j; j = j->hh.next) {
		if (!j->asking || j->call || j->in_round)
			continue;
		move(j);
		j->in_round = in_round;
		j->seen = 0;
		if (!in_round)
			show(j);
	}
}

static void turn(void *ctx)
{
	struct status_cache *d = ctx;
	d->timer = NULL;
	size_t n = count(d);
	if (now_ms(d) - d->second_ms >= STATUS_CACHE_PAUSE_MS) {
		d->second_ms = now_ms(d);
		d->one_by_one = 0;
	}
	int64_t pause_ms = d->asked_ms + STATUS_CACHE_PAUSE_MS - now_ms(d);
	if (!n) {
		return;
	} else if (n + d->one_by_one <= STATUS_CACHE_FEW) {
		d->one_by_one += n;
		serve(d, false);
	} else if (d->call) {
		return; /* its end starts the next turn */
	} else if (pause_ms > 0) {
		turn_in(d, pause_ms);
	} else {
		d->asked_ms = now_ms(d);
		serve(d, true);
		d->call = slurm_tools_marks(d->tools, marks_told, d);
	}
}

struct status_cache_wait *status_cache_show(struct status_cache *d, int64_t job_id,
	slurm_tools_done *done, void *ctx)
{
	struct status_cache_wait *w = own_alloc(sizeof(*w));
	struct status_cache_job *j;
	HASH_FIND(hh, d->jobs, &job_id, sizeof(job_id), j);
	if (!j) {
		j = own_alloc(sizeof(*j));
		*j = (struct status_cache_job){ .id = job_id, .status_cache = d };
		HASH_ADD(hh, d->jobs, id, sizeof(j->id), j);
	}
	*w = (struct status_cache_wait){ .job = j, .list = &j->asking, .done = done, .ctx = ctx };
	j->asked_ms = now_ms(d);
	DL_APPEND(j->asking, w);
	turn_in(d, 0);
	return w;
}
