/* SPDX-License-Identifier: Apache-2.0 */
/* slurmctld dies and comes back; slurmdbd is away; other users meddle with jobs. */
#include "sim/sim_hpc_parts.h"

#include <string.h>

#include "base/own.h"

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
	hpc_save(h);
	down(h, down_ms);
	h->note(h->ctx, "slurm: slurmctld ends for %lld ms", (long long)down_ms);
}

/* A user requeues an ended job after its fault was corrected. */
static void requeue(struct sim_hpc *h, struct hpc_task *t)
{
	t->exit_code = hpc_task_ended(t) ? 0 : t->exit_code;
	t->effect = hpc_task_ended(t) ? HPC_COMPLETED : t->effect;
	t->signal = 0;
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

/* A task that began later than the job has a later number. */
static void skip_numbers(struct sim_hpc *h, const struct hpc_job *j)
{
	for (int i = 0; i < j->n_tasks && !j->lost; i++)
		if (j->tasks[i].id >= h->next_id && !j->tasks[i].purged)
			h->next_id = j->tasks[i].id + 1;
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
	for (struct hpc_job *j = h->jobs; j; j = j->next)
		skip_numbers(h, j);
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
	hpc_tell_accounts(h);
	h->next_id = h->saved_next_id = HPC_FIRST_ID;
	down(h, down_ms);
}

static void dbd_back(void *ctx)
{
	struct sim_hpc *h = ctx;
	h->dbd_back = NULL;
	h->dbd_up = true;
	hpc_tell_accounts(h);
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

/* With the first task of an array, or with all components. */
static void meddle(struct sim_hpc *h, struct hpc_job *j, int64_t what)
{
	const struct hpc_task first = j->tasks[0];
	bool has_begun = first.state == HPC_RUNNING || hpc_task_ended(&first);
	int n = j->kind == HPC_HET ? j->n_tasks : 1;
	for (int i = 0; i < n; i++) {
		struct hpc_task *t = &j->tasks[i];
		if (what <= 3 && !first.purged && first.own && has_begun) {
			requeue(h, t);
			t->due_ms = j->tasks[0].due_ms;
			t->run_ms = i ? HPC_ENDLESS_MS : t->run_ms;
		} else if (what <= 5 && first.state == HPC_RUNNING) {
			t->state = t->state == HPC_RUNNING ? HPC_SUSPENDED : t->state;
		} else if (first.state == HPC_PENDING) {
			hpc_split(h, j, t);
			t->state = HPC_HELD;
		} else if (first.state == HPC_HELD || first.state == HPC_SUSPENDED) {
			let_go_on(h, t);
		}
	}
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
	h->note(h->ctx, "slurm: somebody meddles with job %lld", (long long)j->id);
	if (what == 0)
		sim_hpc_cancel(h, j, j->id, true);
	else
		meddle(h, j, what);
}
