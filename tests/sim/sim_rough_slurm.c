/* SPDX-License-Identifier: Apache-2.0 */
/* Rare behaviour of Slurm, and of its people. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/time.h"
#include "sim/sim_rough.h"
#include "sim/sim_slurm_jobs.h"
#include "sim/sim_world.h"

struct node_name {
	char text[32];
};

static struct node_name some_node(struct sim_rough_one *r)
{
	struct node_name n;
	snprintf(n.text, sizeof(n.text), "foo-%d", (int)sim_rand_range(&r->rand, 0, 5));
	return n;
}

/* A job that runs, or is suspended; any of them; NULL: none does. */
static struct sim_job *some_job(struct sim_rough_one *r, enum sim_job_state state)
{
	struct sim_job *found = NULL;
	int64_t n = 0;
	for (struct sim_job *j = r->w->slurm.jobs; j; j = j->next)
		if (j->state == state && sim_rand_range(&r->rand, 0, n++) == 0)
			found = j;
	return found;
}

/* ---- suspended jobs ---- */

void rough_suspend_act(struct sim_rough_one *r)
{
	bool resume = sim_rand_chance(&r->rand, 300);
	struct sim_job *j = some_job(r, resume ? JOB_SUSPENDED : JOB_RUNNING);
	if (j && resume)
		sim_slurm_resume(&r->w->slurm, j);
	else if (j)
		sim_slurm_suspend(&r->w->slurm, j);
}

void rough_suspend_repair(struct sim_rough_one *r)
{
	for (struct sim_job *j = r->w->slurm.jobs; j; j = j->next)
		sim_slurm_resume(&r->w->slurm, j);
}

/*
 * A job of more importance takes the nodes of another for a while (PreemptMode=SUSPEND).
 */
void rough_preempt_act(struct sim_rough_one *r)
{
	struct sim_job *j = some_job(r, JOB_RUNNING);
	if (!j)
		return;
	struct node_name first;
	snprintf(first.text, sizeof(first.text), "%.*s", (int)strcspn(j->hosts, ","), j->hosts);
	sim_slurm_suspend(&r->w->slurm, j);
	sim_slurm_submit(&r->w->slurm, 1, first.text, sim_rand_range(&r->rand, 2000, 40000));
	sim_slurm_resume(&r->w->slurm, j); /* as soon as its nodes are free again */
}

/* Unknown words for the state of a job or a node. */
void rough_odd_words_set_up(struct sim_rough_one *r) { r->w->slurm.odd_words = true; }

/* ---- ends of jobs ---- */

void rough_long_epilog_set_up(struct sim_rough_one *r)
{
	r->w->slurm.epilog_ms = sim_rand_range(&r->rand, 5000, 120000);
}

void rough_requeue_act(struct sim_rough_one *r)
{
	struct sim_job *j = some_job(r, JOB_RUNNING);
	if (j)
		sim_slurm_requeue(&r->w->slurm, j);
}

/* ---- reasons ---- */

/*
 * UNDRAIN keeps the reason that stands, or takes the one that it is given; the next job
 * clears it. 26.05 clears it itself.
 */
void rough_reasons_set_up(struct sim_rough_one *r) { r->w->slurm.keeps_reasons = true; }

/* A script that drains by REST and gives no reason; scontrol reboot does the same. */
void rough_reasons_act(struct sim_rough_one *r)
{
	if (sim_rand_chance(&r->rand, 600))
		world_admin_drain(r->w, some_node(r).text, NULL);
	else
		world_admin_undrain(r->w, some_node(r).text);
}

/*
 * ReturnToService=1: a node that was DOWN for another reason than that it did not respond
 * stays so.
 */
void rough_return_to_service_set_up(struct sim_rough_one *r)
{
	r->w->slurm.keeps_reasons = true;
	r->w->slurm.stays_down = true;
}

void rough_return_to_service_repair(struct sim_rough_one *r)
{
	for (struct sim_node *n = r->w->slurm.nodes; n; n = n->next)
		sim_slurm_admin_resume(&r->w->slurm, n->name);
}

/*
 * The text of an administrator keeps a node DOWN although its slurmd has registered. It
 * is theirs, so it is for them to resume the node, as the condition Degraded says; what
 * has a text of the program's own is for the program.
 */
void rough_return_to_service_after(struct sim_rough_one *r)
{
	for (struct sim_node *n = r->w->slurm.nodes; n; n = n->next)
		if (n->down && !strstr(n->reason, "slurm-operator"))
			sim_slurm_admin_resume(&r->w->slurm, n->name);
}

/* ---- slow lists ---- */

static void slow(struct sim_rough_one *r)
{
	struct sim_slurm *s = &r->w->slurm;
	s->list_ms = sim_rand_range(&r->rand, 1000, 10000);
	s->lists_begin_late = sim_rand_chance(&r->rand, 500);
	s->slow_unchanged = sim_rand_chance(&r->rand, 500);
}

void rough_slow_lists_set_up(struct sim_rough_one *r)
{
	r->lasts = sim_rand_chance(&r->rand, 500);
	r->w->slurm.busy = sim_rand_chance(&r->rand, 500);
	slow(r);
}

void rough_slow_lists_act(struct sim_rough_one *r)
{
	if (r->w->slurm.list_ms && !r->lasts)
		r->w->slurm.list_ms = 0;
	else
		slow(r);
}

void rough_slow_lists_repair(struct sim_rough_one *r)
{
	if (!r->lasts)
		r->w->slurm.list_ms = 0;
}

/* ---- another Slurm ---- */

/* Another cluster, with nodes of the same names and work of its own. */
void rough_stand_in_set_up(struct sim_rough_one *r)
{
	struct sim_slurm *s = r->w->other = own_alloc(sizeof(*s));
	sim_slurm_init(s, r->w->net, "http://other:6820", r->w->seed + 1);
	s->cluster = "basalt";
	s->stranger = true;
	s->on_note = r->w->slurm.on_note;
	s->ctx = r->w->slurm.ctx;
	for (int i = 0; i < 6; i++) {
		char name[20], uid[40], address[40];
		if (sim_rand_chance(&r->rand, 300))
			continue;
		snprintf(name, sizeof(name), "foo-%d", i);
		snprintf(uid, sizeof(uid), "of-another-%d", i);
		snprintf(address, sizeof(address), "10.99.0.%d", i + 1);
		sim_slurmd_started(s,
			&(struct sim_slurmd_id){
				.node = name,
				.uid = uid,
				.address = address,
				.hostname = name,
			});
	}
}

static bool remembers(const struct sim_rough_one *r, const struct world_object *cluster)
{
	const struct sim_version *v = world_object(r->w, RES_CLUSTER, cluster->ns, cluster->name);
	return v && strstr(v->text, r->w->slurm.cluster);
}

/*
 * The Cluster has remembered which Slurm it is, or had time to. A program that never
 * remembers is judged all the same. Another Cluster of the same Slurm may have seen
 * nothing of it yet.
 */
static bool may_change(const struct sim_rough_one *r)
{
	enum { TIME_TO_REMEMBER_MS = 40000 };
	const struct world_object *first = &r->w->objects[0];
	int64_t home_ms = sim_oracle_home_ms(&r->w->oracle, &r->w->slurm);
	for (size_t i = 1; i < r->w->n_objects; i++) {
		const struct world_object *o = &r->w->objects[i];
		if (o->resource == RES_CLUSTER && o->slurm == first->slurm && !remembers(r, o))
			return false;
	}
	return remembers(r, first) ||
		(home_ms && r->w->loop->now_ms - home_ms > TIME_TO_REMEMBER_MS);
}

void rough_stand_in_act(struct sim_rough_one *r)
{
	struct sim_slurm *s = &r->w->slurm, *other = r->w->other;
	if (s->stand_in) {
		s->stand_in = NULL;
		sim_slurm_note(s, "the first Slurm answers again");
		return;
	}
	if (!may_change(r))
		return;
	sim_slurm_note(s, "another Slurm answers in its place");
	for (struct sim_node *n = other->nodes; n; n = n->next)
		sim_slurm_set_drain(other, n, sim_rand_chance(&r->rand, 600),
			sim_rand_chance(&r->rand, 500) ? "slurm-operator: of the other one" : "fan",
			DRAINED_BY_ADMIN);
	sim_slurm_submit(other, 1, NULL, 60000);
	s->stand_in = other;
}

void rough_stand_in_repair(struct sim_rough_one *r) { r->w->slurm.stand_in = NULL; }

void rough_restored_state_act(struct sim_rough_one *r)
{
	sim_slurmctld_restore(&r->w->slurm, sim_rand_range(&r->rand, 1000, 200000),
		sim_rand_range(&r->rand, 200, 5000));
}

/*
 * By its note on the pod and the program's clock, which may be behind, a job has this
 * node for longer than a test waits.
 */
static bool has_long_work(const struct sim_rough_one *r, const struct sim_version *pod)
{
	enum { LONG_MS = 30 * 60 * 1000 };
	int64_t end_ms = 0;
	const char *deadline = sim_annotation(pod, "nodeset.slinky.slurm.net/pod-deadline");
	return time_parse(deadline, &end_ms) && end_ms > loop_wall_ms(world_loop(r->w)) + LONG_MS;
}

/* Slurm forgot the registered pod before the program could note it: NotRegistered. */
static bool was_never_noted(const struct sim_version *pod)
{
	return *sim_annotation(pod, "nodeset.slinky.slurm.net/nodeset-uid") &&
		!*sim_annotation(pod, "nodeset.slinky.slurm.net/registered-in") &&
		sim_condition_true(pod, "Ready");
}

/*
 * A job that Slurm forgot holds its pod until its time limit, which may be none, or until
 * a user deletes the pod, after a look whether the job still runs (docs/nodeset.md): the
 * program cannot know. Nor does it know that a slurmd was there before it was noted.
 */
static const struct sim_version *helpless(const struct sim_rough_one *r)
{
	const struct sim_list *pods = &r->w->kube.store.of[RES_POD];
	for (size_t i = 0; i < pods->n; i++) {
		const struct sim_version *pod = pods->at[i];
		if ((has_long_work(r, pod) || was_never_noted(pod)) && !sim_terminating(pod) &&
			!sim_oracle_node_named(&r->w->oracle, pod))
			return pod;
	}
	return NULL;
}

/* Deletes all of them: a pod that is made again and again must not hide the others. */
void rough_restored_state_after(struct sim_rough_one *r)
{
	for (const struct sim_version *pod; (pod = helpless(r));)
		world_delete(r->w, RES_POD, pod->ns, pod->name);
}

/* ---- clocks ---- */

/* The clock of slurmctld is set, or a backup on a machine with another one takes over. */
void rough_ctld_clock_act(struct sim_rough_one *r)
{
	struct sim_slurm *s = &r->w->slurm;
	static const int64_t most_s[] = { 5, 60, 3600 };
	int64_t most = most_s[sim_rand_range(&r->rand, 0, LENGTH(most_s) - 1)];
	s->clock_ms = sim_rand_range(&r->rand, -most, most) * 1000;
	sim_slurm_note(s, "slurmctld's clock is %lld s off", (long long)s->clock_ms / 1000);
	if (sim_rand_chance(&r->rand, 300))
		sim_slurmctld_restart(s, false, sim_rand_range(&r->rand, 200, 5000));
}

void rough_deaf_act(struct sim_rough_one *r)
{
	r->w->slurm.deaf = !r->w->slurm.deaf;
	sim_slurm_note(&r->w->slurm,
		r->w->slurm.deaf ? "updates change nothing from now on" : "updates are done again");
}

void rough_deaf_repair(struct sim_rough_one *r) { r->w->slurm.deaf = false; }

/* A machine that has less memory than slurm.conf says: INVALID_REG and DRAIN. */
void rough_invalid_reg_set_up(struct sim_rough_one *r)
{
	r->w->slurm.keeps_reasons = true;
	r->w->slurm.invalid_per_mille = (int)sim_rand_range(&r->rand, 50, 400);
}

void rough_invalid_reg_repair(struct sim_rough_one *r)
{
	r->w->slurm.invalid_per_mille = 0;
	for (struct sim_node *n = r->w->slurm.nodes; n; n = n->next) {
		n->invalid_reg = false;
		sim_slurm_admin_resume(&r->w->slurm, n->name);
	}
}
