/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slurm's tools for red-box, in place of src/slurm/tools/tools.c: the life of a call.
 * Each is a point at which a fault may happen. "500" and "error-inside" kill slurmctld
 * before or after it did what was asked, "429" ends a program at its limit, crashes are
 * those of red-box. sbatch and scancel run on without red-box.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/own.h"
#include "sim/sim_hpc_call.h"

static const struct {
	const char *name;
	bool writes;
} tools[] = {
	[SUBMIT] = { "sbatch", true },
	[FIND] = { "squeue and sacct", false },
	[CANCEL] = { "scancel", true },
	[JOB] = { "scontrol show job", false },
	[ACCOUNT] = { "sacct of a job", false },
	[STEPS] = { "sacct", false },
	[PARTITIONS] = { "scontrol show partition", false },
	[VERSION] = { "sinfo", false },
	[CONTROLLER] = { "scontrol show config", false },
	[MARKS] = { "squeue", false },
};

enum {
	WAY_MS = 300,
	LIMIT_MS = 30000, /* of a program; sbatch has twice that */
	LATE_MS = 110000, /* what sbatch sent has arrived by then, or never will */
	DOWN_MS = 90000,
};

static struct loop *loop_of(const struct slurm_tools_call *c) { return &c->h->loop->loop; }

static void call_free(struct slurm_tools_call *c)
{
	timer_stop(loop_of(c), c->timer);
	timer_stop(loop_of(c), c->limit);
	*c->self = c->next;
	if (c->next)
		c->next->self = c->self;
	arena_free(&c->a);
	free(c->script);
	free(c->key);
	free(c);
}

void slurm_tools_call_cancel(struct slurm_tools_call *c)
{
	if (!c)
		return;
	c->done = NULL;
	timer_stop(loop_of(c), TAKE(c->limit));
	if (!c->busy && (c->answered || !tools[c->tool].writes))
		call_free(c);
}

/* ---- the life of a call ---- */

static struct err unheard(const struct slurm_tools_call *c, const char *why)
{
	return err_new(tools[c->tool].writes ? ERR_LOST : ERR_RETRY, "%s: %s", tools[c->tool].name,
		why);
}

static void answer(void *call)
{
	static const struct slurm_tools_told nothing = { 0 };
	struct slurm_tools_call *c = call;
	c->timer = NULL;
	c->busy = true;
	if (c->done)
		c->done(c->ctx, c->err, failed(c->err) ? &nothing : &c->told);
	call_free(c);
}

static void give_up(void *call)
{
	static const struct slurm_tools_told nothing = { 0 };
	struct slurm_tools_call *c = call;
	slurm_tools_done *done = TAKE(c->done);
	c->limit = NULL;
	struct err e = unheard(c, "it was ended at its limit");
	if (done)
		done(c->ctx, e, &nothing);
	if (!tools[c->tool].writes)
		call_free(c); /* otherwise what it sent still arrives */
}

static void act(struct slurm_tools_call *c)
{
	struct sim_hpc *h = c->h;
	if (c->fault == FAULT_500)
		sim_hpc_kill(h, sim_rand_range(&c->rand, 500, DOWN_MS));
	if (c->fault == FAULT_LOST_BEFORE)
		c->err = unheard(c, "Socket timed out on send/recv operation");
	else
		c->err = hpc_tell(c);
	if (c->fault == FAULT_LOST_AFTER && !failed(c->err))
		c->err = unheard(c, "Zero Bytes were transmitted or received");
	if (c->fault == FAULT_INSIDE) {
		if (sim_rand_chance(&c->rand, 500) && !failed(c->err))
			c->err = unheard(c, "Zero Bytes were transmitted or received");
		sim_hpc_kill(h, sim_rand_range(&c->rand, 500, DOWN_MS));
	}
}

static void arrive(void *call)
{
	struct slurm_tools_call *c = call;
	c->timer = NULL;
	c->busy = true;
	act(c);
	if (c->fault == FAULT_CRASH_AFTER)
		c->h->crash_box(c->h->ctx);
	c->busy = false;
	c->answered = true;
	if (c->done)
		c->timer = timer_start(loop_of(c), sim_rand_range(&c->rand, 1, WAY_MS), answer, c);
	else
		call_free(c);
}

static void crash(void *call)
{
	struct slurm_tools_call *c = call;
	struct sim_hpc *h = c->h;
	c->timer = NULL;
	c->busy = true;
	h->crash_box(h->ctx);
	call_free(c); /* it was never started */
}

static void refused(void *call)
{
	struct slurm_tools_call *c = call;
	c->err = hpc_away();
	answer(c);
}

static int64_t way_ms(struct slurm_tools_call *c)
{
	int64_t way = sim_rand_range(&c->rand, 5, WAY_MS);
	bool late = c->fault == FAULT_429 || sim_rand_chance(&c->rand, 300);
	if (c->fault == FAULT_SLOW || c->fault == FAULT_429)
		way += sim_rand_range(&c->rand, 500, late ? LATE_MS : 8000);
	return way;
}

static enum sim_fault_kind draw(struct slurm_tools_call *c)
{
	char what[200];
	uint32_t id;
	snprintf(what, sizeof(what), "%s %s", tools[c->tool].name, c->key ? c->key : "");
	enum sim_fault_kind f = sim_faults_next(c->h->faults, POINT_REQUEST, what, &id);
	c->rand = sim_rand_new(c->h->seed, UINT64_C(0x200000000) + id);
	return f;
}

static struct slurm_tools_call *begin(struct slurm_tools *t, enum tool tool, const char *key,
	slurm_tools_done *done, void *ctx)
{
	struct sim_hpc *h = (struct sim_hpc *)t;
	struct slurm_tools_call *c = own_alloc(sizeof(*c));
	*c = (struct slurm_tools_call){
		.next = h->calls,
		.self = &h->calls,
		.h = h,
		.tool = tool,
		.key = own_strdup(key),
		.done = done,
		.ctx = ctx,
		.begun_ms = h->loop->now_ms,
		.boot_s = h->boot_s,
	};
	c->told.arena = &c->a;
	if (c->next)
		c->next->self = &c->next;
	h->calls = c;
	c->fault = draw(c);
	int64_t limit_ms = tool == SUBMIT ? 2 * LIMIT_MS : LIMIT_MS;
	if (c->fault == FAULT_CRASH_BEFORE) {
		c->timer = timer_start(loop_of(c), 0, crash, c);
		return c;
	}
	bool no = c->fault == FAULT_REFUSED || c->fault == FAULT_503;
	c->limit = timer_start(loop_of(c), limit_ms, give_up, c);
	c->timer = timer_start(loop_of(c), way_ms(c), no ? refused : arrive, c);
	return c;
}

struct slurm_tools_call *slurm_tools_submit(struct slurm_tools *t,
	const struct slurm_submission *submission, slurm_tools_done *done, void *ctx)
{
	struct slurm_tools_call *c = begin(t, SUBMIT, submission->key, done, ctx);
	c->script = own_strdup(submission->script);
	return c;
}

struct slurm_tools_call *slurm_tools_search(struct slurm_tools *t, const char *keys,
	int64_t accounts_since_s, slurm_tools_done *done, void *ctx)
{
	struct slurm_tools_call *c = begin(t, FIND, keys, done, ctx);
	c->number = accounts_since_s;
	return c;
}

uint64_t slurm_key_mark(const char *key)
{
	static const uint8_t any[16];
	return hash_siphash(any, key, strlen(key));
}

struct slurm_tools_call *slurm_tools_find(struct slurm_tools *t, const char *key,
	int64_t accounts_since_s, slurm_tools_done *done, void *ctx)
{
	return slurm_tools_search(t, key, accounts_since_s, done, ctx);
}

#define OF_JOB(name, tool)                                                      \
	struct slurm_tools_call *name(struct slurm_tools *t, int64_t job_id,    \
		slurm_tools_done *done, void *ctx)                              \
	{                                                                       \
		char number[24];                                                \
		snprintf(number, sizeof(number), "%" PRId64, job_id);           \
		struct slurm_tools_call *c = begin(t, tool, number, done, ctx); \
		c->number = job_id;                                             \
		return c;                                                       \
	}
OF_JOB(slurm_tools_cancel, CANCEL)
OF_JOB(slurm_tools_job, JOB)
OF_JOB(slurm_tools_steps, STEPS)

struct slurm_tools_call *slurm_tools_account(struct slurm_tools *t,
	const struct slurm_job_found *job, slurm_tools_done *done, void *ctx)
{
	struct slurm_tools_call *c = begin(t, ACCOUNT, job->key, done, ctx);
	c->number = job->id;
	c->first_s = job->first_s;
	c->last_s = job->submit_s;
	return c;
}

struct slurm_tools_call *slurm_tools_partitions(struct slurm_tools *t, const char *name,
	slurm_tools_done *done, void *ctx)
{
	return begin(t, PARTITIONS, name, done, ctx);
}

#define OF_NONE(name, tool)                                                                     \
	struct slurm_tools_call *name(struct slurm_tools *t, slurm_tools_done *done, void *ctx) \
	{                                                                                       \
		return begin(t, tool, NULL, done, ctx);                                         \
	}
OF_NONE(slurm_tools_version, VERSION)
OF_NONE(slurm_tools_controller, CONTROLLER)
OF_NONE(slurm_tools_marks, MARKS)

bool sim_hpc_submits(const struct sim_hpc *h)
{
	for (const struct slurm_tools_call *c = h->calls; c; c = c->next)
		if (c->tool == SUBMIT)
			return true;
	return false;
}

void sim_hpc_end_calls(struct sim_hpc *h)
{
	while (h->calls)
		call_free(h->calls);
}
