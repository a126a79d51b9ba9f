/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs come, run, end and are forgotten; slurmctld dies and comes back. */
#include "sim/sim_hpc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/codec.h"
#include "base/own.h"

enum {
	SAVE_MS = 5000,
	FIRST_ID = 100,
	ENDLESS_MS = 100 * 3600 * 1000, /* longer than any world lasts */
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

static void end_as(struct sim_hpc *h, struct hpc_task *t, enum hpc_state end)
{
	t->end_s = sim_hpc_now_s(h);
	t->then = end;
	t->state = HPC_COMPLETING;
	t->due_ms = h->loop->now_ms + sim_rand_range(&h->rand, 0, 6000);
	if (end == HPC_COMPLETED || end == HPC_CANCELLED)
		t->exit_code = 0;
}

static void step(struct sim_hpc *h, struct hpc_task *t)
{
	if (h->loop->now_ms < t->due_ms)
		return;
	if (t->state == HPC_PENDING) {
		t->state = HPC_RUNNING;
		t->begun = true;
		t->start_s = sim_hpc_now_s(h);
		t->due_ms = h->loop->now_ms + t->run_ms;
	} else if (t->state == HPC_RUNNING) {
		end_as(h, t, t->fate);
	} else if (t->state == HPC_COMPLETING) {
		t->state = t->then;
	}
}

static void forget_old(struct sim_hpc *h, struct hpc_task *t)
{
	if (hpc_task_ended(t) && sim_hpc_now_s(h) - t->end_s > h->min_job_age_s)
		t->purged = true;
}

/* slurmctld's queue for slurmdbd outlives slurmctld; of what is lost nothing comes. */
static void tell_accounts(struct sim_hpc *h)
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

static void save(struct sim_hpc *h)
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
	for (struct hpc_job *j = h->jobs; j; j = j->next)
		for (int i = 0; i < j->n_tasks && !j->lost; i++) {
			step(h, &j->tasks[i]);
			forget_old(h, &j->tasks[i]);
		}
	if (sim_rand_chance(&h->rand, 600)) /* mostly within a moment */
		tell_accounts(h);
	if (h->loop->now_ms - h->saved_ms >= SAVE_MS)
		save(h);
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
	t->id = h->next_id++;
	t->state = HPC_PENDING;
	t->fate = fates[sim_rand_range(r, 0, LENGTH(fates) - 1)];
	t->exit_code = t->fate == HPC_COMPLETED ? 0 : (int)sim_rand_range(r, 1, 99);
	t->due_ms = h->loop->now_ms + sim_rand_range(r, 0, is_short ? 3000 : 60000);
	t->run_ms = is_endless ? ENDLESS_MS : sim_rand_range(r, 1000, is_short ? 20000 : 600000);
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
	j->n_tasks = strstr(script, "--array") ? HPC_TASKS : 1;
	for (int i = 0; i < j->n_tasks; i++)
		plan(h, &j->tasks[i], &r, is_endless);
	*h->last = j;
	h->last = &j->next;
	h->note(h->ctx, "slurm: job %lld is accepted for %s", (long long)j->id, key);
	if (h->on_submit)
		h->on_submit(h->ctx, j);
	return j;
}

void sim_hpc_cancel(struct sim_hpc *h, struct hpc_job *j, bool is_kept)
{
	if (!is_kept && !j->cancel_unsaved)
		memcpy(j->uncancelled, j->tasks, sizeof(j->tasks));
	j->cancel_unsaved |= !is_kept;
	for (int i = 0; i < j->n_tasks; i++) {
		struct hpc_task *t = &j->tasks[i];
		if (t->state == HPC_PENDING || t->state == HPC_HELD) {
			t->state = HPC_CANCELLED;
			t->exit_code = 0;
			t->end_s = sim_hpc_now_s(h);
		} else if (t->state == HPC_RUNNING || t->state == HPC_SUSPENDED) {
			end_as(h, t, HPC_CANCELLED);
		}
	}
}

/* ---- troubles ---- */

static void begin(void *ctx)
{
	struct sim_hpc *h = ctx;
	h->start = NULL;
	h->up = true;
	h->boot_s = sim_hpc_now_s(h) > h->boot_s ? sim_hpc_now_s(h) : h->boot_s + 1;
	h->saved_ms = h->loop->now_ms;
	h->note(h->ctx, "slurm: slurmctld is up, the next job is %lld", (long long)h->next_id);
}

static void down(struct sim_hpc *h, int64_t down_ms)
{
	timer_stop(&h->loop->loop, h->start);
	h->up = false;
	h->start = timer_start(&h->loop->loop, down_ms, begin, h);
}

void sim_hpc_restart(struct sim_hpc *h, int64_t down_ms)
{
	if (!h->up)
		return;
	save(h);
	down(h, down_ms);
	h->note(h->ctx, "slurm: slurmctld ends for %lld ms", (long long)down_ms);
}

/* A user requeues an ended job after its fault was corrected. */
static void requeue(struct sim_hpc *h, struct hpc_task *t)
{
	t->exit_code = hpc_task_ended(t) ? 0 : t->exit_code;
	t->fate = hpc_task_ended(t) ? HPC_COMPLETED : t->fate;
	t->state = HPC_PENDING;
	t->restarts++;
	t->start_s = t->end_s = 0;
	t->due_ms = h->loop->now_ms + sim_rand_range(&h->rand, 1000, 120000);
}

/* A waiting job waits again. The processes of a running job are gone: it begins anew. */
static void forget_cancel(struct sim_hpc *h, struct hpc_job *j)
{
	if (!j->cancel_unsaved || j->lost)
		return;
	h->note(h->ctx, "slurm: the cancellation of job %lld is forgotten", (long long)j->id);
	memcpy(j->tasks, j->uncancelled, sizeof(j->tasks));
	j->cancel_unsaved = false;
	for (int i = 0; i < j->n_tasks; i++)
		if (j->tasks[i].state == HPC_RUNNING || j->tasks[i].state == HPC_SUSPENDED)
			requeue(h, &j->tasks[i]);
}

static void lose(struct sim_hpc *h, struct hpc_job *j)
{
	h->note(h->ctx, "slurm: job %lld of %s is lost", (long long)j->id, j->key);
	j->saved = j->lost = true;
}

void sim_hpc_kill(struct sim_hpc *h, int64_t down_ms)
{
	if (!h->up)
		return;
	h->note(h->ctx, "slurm: slurmctld is killed for %lld ms", (long long)down_ms);
	for (struct hpc_job *j = h->jobs; j; j = j->next)
		if (!j->saved)
			lose(h, j);
		else
			forget_cancel(h, j);
	h->next_id = h->saved_next_id;
	down(h, down_ms);
}

void sim_hpc_restore(struct sim_hpc *h, int64_t age_ms, int64_t down_ms)
{
	if (!h->up)
		return;
	h->note(h->ctx, "slurm: its state is taken from a backup, %lld ms old", (long long)age_ms);
	for (struct hpc_job *j = h->jobs; j; j = j->next) {
		if (j->lost || h->loop->now_ms - j->submit_ms > age_ms)
			continue;
		lose(h, j);
		j->by_backup = true;
		h->next_id = j->id < h->next_id ? j->id : h->next_id;
	}
	h->saved_next_id = h->next_id;
	down(h, down_ms);
}

static void drop(struct sim_hpc *h, struct hpc_task *t)
{
	if (!hpc_task_ended(t)) {
		t->state = HPC_CANCELLED;
		t->exit_code = 0;
		t->end_s = sim_hpc_now_s(h);
	}
	t->purged = true;
}

void sim_hpc_renew(struct sim_hpc *h, int64_t down_ms)
{
	if (!h->up || !h->accounts || !h->dbd_up)
		return;
	h->note(h->ctx, "slurm: its machine is made anew");
	for (struct hpc_job *j = h->jobs; j; j = j->next) {
		for (int i = 0; i < j->n_tasks && !j->lost; i++)
			drop(h, &j->tasks[i]);
		j->saved = true;
		j->cancel_unsaved = false;
	}
	tell_accounts(h);
	h->next_id = h->saved_next_id = FIRST_ID;
	down(h, down_ms);
}

static void dbd_back(void *ctx)
{
	struct sim_hpc *h = ctx;
	h->dbd_back = NULL;
	h->dbd_up = true;
	tell_accounts(h);
}

void sim_hpc_dbd_down(struct sim_hpc *h, int64_t for_ms)
{
	timer_stop(&h->loop->loop, h->dbd_back);
	h->dbd_up = false;
	h->dbd_back = timer_start(&h->loop->loop, for_ms, dbd_back, h);
}

static void let_go_on(struct sim_hpc *h, struct hpc_task *t)
{
	if (t->state == HPC_HELD)
		t->state = HPC_PENDING;
	if (t->state == HPC_SUSPENDED)
		t->state = HPC_RUNNING;
	if (!hpc_task_ended(t) && t->due_ms < h->loop->now_ms)
		t->due_ms = h->loop->now_ms + 1000;
}

void sim_hpc_calm(struct sim_hpc *h)
{
	if (!h->up) {
		timer_stop(&h->loop->loop, h->start);
		begin(h);
	}
	h->fragile = false;
	timer_stop(&h->loop->loop, h->dbd_back);
	dbd_back(h);
	for (struct hpc_job *j = h->jobs; j; j = j->next)
		for (int i = 0; i < j->n_tasks; i++)
			let_go_on(h, &j->tasks[i]);
}

void sim_hpc_meddle(struct sim_hpc *h)
{
	int64_t n = 0, what = sim_rand_range(&h->rand, 0, 9);
	uint64_t which = sim_rand_next(&h->rand);
	struct hpc_job *j = h->jobs;
	for (struct hpc_job *each = h->jobs; each; each = each->next)
		n += hpc_job_lives(each);
	if (!n || !h->up)
		return;
	for (which %= (uint64_t)n; !hpc_job_lives(j) || which--;)
		j = j->next;
	struct hpc_task *t = &j->tasks[0];
	h->note(h->ctx, "slurm: somebody meddles with job %lld", (long long)j->id);
	if (what == 0)
		sim_hpc_cancel(h, j, true);
	else if (what <= 3 && !t->purged && (t->state == HPC_RUNNING || hpc_task_ended(t)))
		requeue(h, t);
	else if (what <= 5 && t->state == HPC_RUNNING)
		t->state = HPC_SUSPENDED;
	else if (t->state == HPC_PENDING)
		t->state = HPC_HELD;
	else if (t->state == HPC_HELD || t->state == HPC_SUSPENDED)
		let_go_on(h, t);
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
		.next_id = FIRST_ID,
		.saved_next_id = FIRST_ID,
		.saved_ms = loop->now_ms,
		.note = no_note,
	};
	h->last = &h->jobs;
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
