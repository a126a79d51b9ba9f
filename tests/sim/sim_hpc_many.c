/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays and heterogeneous jobs. */
#include <string.h>

#include "sim/sim_hpc_parts.h"

enum hpc_kind hpc_kind_of(const char *script)
{
	return strstr(script, "--array")   ? HPC_ARRAY
		: strstr(script, "hetjob") ? HPC_HET
					   : HPC_SINGLE;
}

/* Some of the components reach a time limit of their own. */
static void plan_component(struct hpc_task *t, const struct hpc_task *first)
{
	bool alone = t->effect == HPC_TIMEOUT;
	t->due_ms = first->due_ms;
	t->run_ms = alone ? first->run_ms / 2 : HPC_ENDLESS_MS;
	t->exit_code = alone ? t->exit_code : 0;
}

/* Many arrays end well, so that a task that was cancelled makes a difference. */
void hpc_number(struct sim_hpc *h, struct hpc_job *j)
{
	bool well = j->kind == HPC_ARRAY && sim_rand_chance(&h->changes, 600);
	for (int i = 0; i < j->n_tasks; i++) {
		struct hpc_task *t = &j->tasks[i];
		t->effect = well ? HPC_COMPLETED : t->effect;
		t->index = i;
		t->own = j->kind != HPC_ARRAY;
		t->id = t->own ? j->id + i : j->id;
		if (j->kind == HPC_HET && i)
			plan_component(t, &j->tasks[0]);
	}
	h->next_id += j->kind == HPC_ARRAY ? 1 : j->n_tasks;
}

/* ---- arrays ---- */

static bool is_waiting(const struct hpc_task *t) { return !t->own && t->state == HPC_PENDING; }

static int count_waiting(const struct hpc_job *j)
{
	int n = 0;
	for (int i = 0; i < j->n_tasks; i++)
		n += is_waiting(&j->tasks[i]);
	return n;
}

/* A slurmctld that is killed does not give a number again that a task has. */
void hpc_split(struct sim_hpc *h, struct hpc_job *j, struct hpc_task *t)
{
	if (t->own)
		return;
	if (count_waiting(j) > 1) {
		t->id = h->next_id++;
		h->saved_next_id = h->next_id;
	}
	t->own = true;
}

static void step_task(struct sim_hpc *h, struct hpc_job *j, struct hpc_task *t)
{
	bool waited = is_waiting(t);
	hpc_step(h, t);
	if (!waited || t->state == HPC_PENDING)
		return;
	t->state = HPC_PENDING; /* it counts as one that waits */
	hpc_split(h, j, t);
	t->state = HPC_RUNNING;
}

static void vanish(struct sim_hpc *h, struct hpc_job *j, struct hpc_task *t)
{
	t->last = count_waiting(j) == 1;
	t->state = HPC_CANCELLED;
	t->exit_code = 0;
	t->end_s = sim_hpc_now_s(h);
	t->vanished = true;
	t->purged = !t->last;
}

/* ---- heterogeneous jobs ---- */

/* The script has ended: the others are ended, and by its time limit as failed. */
static void end_component(struct sim_hpc *h, struct hpc_task *t, const struct hpc_task *first)
{
	bool limit = first->then == HPC_TIMEOUT;
	if (t->state != HPC_RUNNING && t->state != HPC_SUSPENDED)
		return;
	hpc_end_as(h, t, limit ? HPC_FAILED : first->then);
	t->exit_code = limit ? 0 : first->exit_code;
	t->signal = limit ? 15 : 0;
}

static void step_components(struct sim_hpc *h, struct hpc_job *j)
{
	struct hpc_task *first = &j->tasks[0];
	enum hpc_state was = first->state;
	hpc_step(h, first);
	bool begins = was == HPC_PENDING && first->state == HPC_RUNNING;
	bool ends = was == HPC_RUNNING && first->state == HPC_COMPLETING;
	for (int i = 1; i < j->n_tasks; i++) {
		struct hpc_task *t = &j->tasks[i];
		if (begins)
			t->due_ms = 0;
		if (ends)
			end_component(h, t, first);
		else if (t->state != HPC_PENDING || begins)
			hpc_step(h, t);
	}
}

/* ---- all kinds ---- */

void hpc_step_all(struct sim_hpc *h, struct hpc_job *j)
{
	if (j->kind == HPC_HET)
		step_components(h, j);
	for (int i = 0; i < j->n_tasks && j->kind != HPC_HET; i++)
		step_task(h, j, &j->tasks[i]);
}

static bool is_old(const struct sim_hpc *h, const struct hpc_task *t)
{
	return hpc_task_ended(t) && sim_hpc_now_s(h) - t->end_s > h->min_job_age_s;
}

void hpc_forget_old(const struct sim_hpc *h, struct hpc_job *j)
{
	bool all = true;
	for (int i = 0; i < j->n_tasks; i++)
		all &= is_old(h, &j->tasks[i]);
	for (int i = 0; i < j->n_tasks; i++)
		if (all || (j->kind != HPC_HET && is_old(h, &j->tasks[i])))
			j->tasks[i].purged = true;
}

static bool has_part(const struct hpc_job *j)
{
	bool component = j->kind == HPC_HET && j->tasks[1].state == HPC_RUNNING;
	return !j->lost && (component || (j->kind == HPC_ARRAY && count_waiting(j)));
}

void sim_hpc_cancel_part(struct sim_hpc *h)
{
	int64_t n = 0;
	struct hpc_job *j = h->jobs;
	for (struct hpc_job *each = h->jobs; each; each = each->next)
		n += has_part(each);
	if (!n || !h->up)
		return;
	for (int64_t which = sim_rand_range(&h->changes, 0, n - 1); !has_part(j) || which--;)
		j = j->next;
	h->note(h->ctx, "slurm: a user cancels a part of job %lld", (long long)j->id);
	if (j->kind == HPC_HET)
		hpc_end_as(h, &j->tasks[1], HPC_CANCELLED);
	for (int i = 0; i < j->n_tasks && j->kind == HPC_ARRAY; i++)
		if (is_waiting(&j->tasks[i]) && sim_rand_chance(&h->changes, 600))
			vanish(h, j, &j->tasks[i]);
}
