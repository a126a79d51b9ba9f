/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs come, run, end and are forgotten. */
#include "sim/sim_hpc_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/codec.h"
#include "base/own.h"

enum {
	SAVE_MS = 5000,
};

const char *const hpc_words[HPC_STATES] = {
	[HPC_PENDING] = "PENDING",
	[HPC_HELD] = "PENDING",
	[HPC_RUNNING] = "RUNNING",
	[HPC_SUSPENDED] = "SUSPENDED",
	[HPC_COMPLETING] = "COMPLETING",
	[HPC_COMPLETED] = "COMPLETED",
	[HPC_FAILED] = "FAILED",
	[HPC_TIMEOUT] = "TIMEOUT",
	[HPC_OUT_OF_MEMORY] = "OUT_OF_MEMORY",
	[HPC_NODE_FAIL] = "NODE_FAIL",
	[HPC_CANCELLED] = "CANCELLED",
};

int64_t sim_hpc_now_s(const struct sim_hpc *h) { return sim_loop_server_ms(h->loop) / 1000; }

/* ---- the truth ---- */

bool hpc_task_ended(const struct hpc_task *t) { return t->state >= HPC_COMPLETED; }

bool hpc_job_lives(const struct hpc_job *j)
{
	bool lives = false;
	for (int i = 0; i < j->n_tasks && !j->lost; i++)
		lives |= !hpc_task_ended(&j->tasks[i]);
	return lives;
}

bool hpc_job_known(const struct hpc_job *j)
{
	bool known = false;
	for (int i = 0; i < j->n_tasks && !j->lost; i++)
		known |= !j->tasks[i].purged;
	return known;
}

const struct hpc_job *sim_hpc_of(const struct sim_hpc *h, const char *key)
{
	const struct hpc_job *newest = NULL;
	for (const struct hpc_job *j = h->jobs; j; j = j->next)
		if (!j->lost && strcmp(j->key, key) == 0)
			newest = j;
	return newest;
}

struct hpc_job *sim_hpc_job(const struct sim_hpc *h, int64_t id)
{
	for (struct hpc_job *j = h->jobs; j; j = j->next)
		for (int i = 0; i < j->n_tasks; i++)
			if ((j->id == id || j->tasks[i].id == id) && hpc_job_known(j))
				return j;
	return NULL;
}

struct hpc_job *sim_hpc_account(const struct sim_hpc *h, int64_t id)
{
	struct hpc_job *newest = NULL;
	for (struct hpc_job *j = h->jobs; j; j = j->next)
		if (j->accounted && j->id == id)
			newest = j;
	return newest;
}

/* ---- steps of a job ---- */

void hpc_end_as(struct sim_hpc *h, struct hpc_task *t, enum hpc_state end)
{
	t->end_s = sim_hpc_now_s(h);
	t->then = end;
	t->state = HPC_COMPLETING;
	t->due_ms = h->loop->now_ms + sim_rand_range(&h->rand, 0, 6000);
	if (end == HPC_COMPLETED || end == HPC_CANCELLED)
		t->exit_code = 0;
}

void hpc_step(struct sim_hpc *h, struct hpc_task *t)
{
	if (h->loop->now_ms < t->due_ms)
		return;
	if (t->state == HPC_PENDING && hpc_starts_jobs(h->debug)) {
		t->state = HPC_RUNNING;
		t->begun = true;
		t->start_s = sim_hpc_now_s(h);
		t->due_ms = h->loop->now_ms + t->run_ms;
	} else if (t->state == HPC_RUNNING) {
		hpc_end_as(h, t, t->effect);
	} else if (t->state == HPC_COMPLETING) {
		t->state = t->then;
	}
}

/* slurmctld's queue for slurmdbd outlives slurmctld; of what is lost nothing comes. */
void hpc_tell_accounts(struct sim_hpc *h)
{
	if (!h->accounts || !h->dbd_up)
		return;
	for (struct hpc_job *j = h->jobs; j; j = j->next) {
		if (j->lost)
			continue;
		j->accounted = true;
		memcpy(j->told, j->tasks, sizeof(j->told));
	}
}

void hpc_save(struct sim_hpc *h)
{
	h->saved_ms = h->loop->now_ms;
	h->saved_next_id = h->next_id;
	for (struct hpc_job *j = h->jobs; j; j = j->next) {
		j->saved = true;
		j->cancel_unsaved = false;
	}
}

/* A cancelled job has ended, and a slurmctld that is killed forgets that. */
static bool may_forget(const struct sim_hpc *h)
{
	for (const struct hpc_job *j = h->jobs; j; j = j->next)
		if (j->cancel_unsaved && !hpc_job_lives(j))
			return true;
	return false;
}

static void tick(void *ctx)
{
	struct sim_hpc *h = ctx;
	h->tick = timer_start(&h->loop->loop, sim_rand_range(&h->rand, 400, 1600), tick, h);
	if (!h->up)
		return;
	for (struct hpc_job *j = h->jobs; j; j = j->next) {
		if (j->lost)
			continue;
		hpc_step_all(h, j);
		hpc_forget_old(h, j);
	}
	if (sim_rand_chance(&h->rand, 600)) /* mostly within a moment */
		hpc_tell_accounts(h);
	if (h->loop->now_ms - h->saved_ms >= SAVE_MS)
		hpc_save(h);
	if (h->fragile && may_forget(h) && sim_rand_chance(&h->rand, 300))
		sim_hpc_kill(h, sim_rand_range(&h->rand, 500, 8000));
}

/* ---- submissions ---- */

/* The fate of a job depends on its key alone, and on how often it came. */
static struct sim_rand rand_of(const struct sim_hpc *h, const char *key)
{
	uint64_t times = 0;
	for (const struct hpc_job *j = h->jobs; j; j = j->next)
		times += strcmp(j->key, key) == 0;
	return sim_rand_new(h->seed + 7919 * times, fnv1_32(FNV1_START, key, strlen(key)));
}

static void plan(struct sim_hpc *h, struct hpc_task *t, struct sim_rand *r, bool is_endless)
{
	static const enum hpc_state fates[] = { HPC_COMPLETED, HPC_COMPLETED, HPC_COMPLETED,
		HPC_FAILED, HPC_FAILED, HPC_TIMEOUT, HPC_OUT_OF_MEMORY, HPC_NODE_FAIL };
	bool is_short = sim_rand_chance(r, 400);
	t->state = HPC_PENDING;
	t->effect = fates[sim_rand_range(r, 0, LENGTH(fates) - 1)];
	t->exit_code = t->effect == HPC_COMPLETED ? 0 : (int)sim_rand_range(r, 1, 99);
	t->due_ms = h->loop->now_ms + sim_rand_range(r, 0, is_short ? 3000 : 60000);
	t->run_ms = is_endless ? HPC_ENDLESS_MS
			       : sim_rand_range(r, 1000, is_short ? 20000 : 600000);
}

struct hpc_job *sim_hpc_submit(struct sim_hpc *h, const char *key, const char *script,
	int64_t begun_ms)
{
	struct hpc_job *j = own_alloc(sizeof(*j));
	struct sim_rand r = rand_of(h, key);
	bool is_endless = sim_rand_chance(&r, 200);
	snprintf(j->key, sizeof(j->key), "%s", key);
	j->id = h->next_id;
	j->submit_s = sim_hpc_now_s(h);
	j->begun_ms = begun_ms;
	j->submit_ms = h->loop->now_ms;
	j->kind = hpc_kind_of(script);
	j->n_tasks = j->kind == HPC_ARRAY ? HPC_TASKS : j->kind == HPC_HET ? 2 : 1;
	for (int i = 0; i < j->n_tasks; i++)
		plan(h, &j->tasks[i], &r, is_endless);
	hpc_number(h, j);
	*h->last = j;
	h->last = &j->next;
	h->note(h->ctx, "slurm: job %lld is accepted for %s", (long long)j->id, key);
	if (h->on_submit)
		h->on_submit(h->ctx, j);
	return j;
}

/* By its number all of the job, or by that of a task or component this one alone. */
void sim_hpc_cancel(struct sim_hpc *h, struct hpc_job *j, int64_t id, bool is_kept)
{
	if (!is_kept && !j->cancel_unsaved)
		memcpy(j->uncancelled, j->tasks, sizeof(j->tasks));
	j->cancel_unsaved |= !is_kept;
	for (int i = 0; i < j->n_tasks; i++) {
		struct hpc_task *t = &j->tasks[i];
		if (id != j->id && id != t->id)
			continue;
		if (t->state == HPC_PENDING || t->state == HPC_HELD) {
			t->state = HPC_CANCELLED;
			t->exit_code = 0;
			t->end_s = sim_hpc_now_s(h);
		} else if (t->state == HPC_RUNNING || t->state == HPC_SUSPENDED) {
			hpc_end_as(h, t, HPC_CANCELLED);
		}
	}
}

/* ---- its life ---- */

static void no_note(void *ctx, const char *format, ...) { (void)ctx, (void)format; }

void sim_hpc_init(struct sim_hpc *h, struct sim_loop *loop, struct sim_faults *faults,
	uint64_t seed)
{
	static const int64_t ages_s[] = { 300, 300, 120, 75 };
	*h = (struct sim_hpc){
		.loop = loop,
		.rand = sim_rand_new(seed, 31),
		.faults = faults,
		.seed = seed,
		.up = true,
		.dbd_up = true,
		.fragile = seed % 4 == 3,
		.next_id = HPC_FIRST_ID,
		.saved_next_id = HPC_FIRST_ID,
		.saved_ms = loop->now_ms,
		.note = no_note,
	};
	h->last = &h->jobs;
	h->debug = &h->own;
	h->changes = sim_rand_new(seed, 34);
	sim_hpc_open_partition(h);
	h->accounts = sim_rand_chance(&h->rand, 600);
	h->min_job_age_s = ages_s[sim_rand_range(&h->rand, 0, LENGTH(ages_s) - 1)];
	h->boot_s = sim_hpc_now_s(h) - 1000;
	h->tick = timer_start(&loop->loop, 1000, tick, h);
}

void sim_hpc_free(struct sim_hpc *h)
{
	sim_hpc_end_calls(h);
	timer_stop(&h->loop->loop, h->tick);
	timer_stop(&h->loop->loop, h->start);
	timer_stop(&h->loop->loop, h->dbd_back);
	while (h->jobs) {
		struct hpc_job *next = h->jobs->next;
		free(h->jobs);
		h->jobs = next;
	}
}
