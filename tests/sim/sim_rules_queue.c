/* SPDX-License-Identifier: Apache-2.0 */
/*
 * P6 of a NodeSet that follows the queue. While the queue and the nodes stay as they are,
 * spec.replicas is set a bounded number of times and does not go up and down; and when
 * faults and people have ended, a job that can run starts within a bounded time.
 *
 * Jobs begin and end, people act and faults happen: each begins a new count. Pods that
 * come and go because of the program's own writes do not.
 */
#include <stdio.h>
#include <string.h>

#include "base/codec.h"
#include "sim/sim_oracle.h"

enum {
	/*
	 * Down, by news that are older than the last change; up to what the queue needs;
	 * up once more, when the first node has shown its size, and for pods on which no
	 * job can start; down after the delay. In 26,000 such times one took 4.
	 */
	CHANGES_MOST = 6,
	TURNS_MOST = 2, /* of these, in the other direction than the last; 1 was seen */
	/* The longest was 191 s */
	WAITS_MOST_MS = 300000
};

static uint32_t jobs_now(const struct sim_oracle *o)
{
	uint32_t hash = FNV1_START;
	for (int i = 0; i < o->n_slurms; i++)
		for (const struct sim_job *j = o->slurms[i].slurm->jobs; j; j = j->next) {
			int64_t job[] = { i, j->id, j->state, j->requeues };
			hash = fnv1_32(hash, job, sizeof(job));
		}
	return hash;
}

/* ---- a bounded number of changes ---- */

void sim_oracle_on_act(struct sim_oracle *o) { o->queue.acts++; }

void sim_oracle_on_scaled(struct sim_oracle *o, const struct sim_write *w)
{
	int64_t was = sim_replicas(w->before), is = sim_replicas(w->after);
	struct oracle_scaled *s = &o->queue.scaled;
	uint32_t jobs = jobs_now(o);
	if (s->jobs != jobs || s->acts != o->queue.acts || strcmp(s->uid, w->after->uid) != 0) {
		*s = (struct oracle_scaled){ .jobs = jobs, .acts = o->queue.acts };
		snprintf(s->uid, sizeof(s->uid), "%s", w->after->uid);
	}
	s->turns += s->changes && s->up != (is > was);
	s->up = is > was;
	s->changes++;
	if (s->changes > CHANGES_MOST || s->turns > TURNS_MOST)
		sim_oracle_break(o, "P6", w->request,
			"spec.replicas of NodeSet %s/%s goes from %lld to %lld: change %d, %d of "
			"them back, while no job begins or ends and nothing else happens",
			w->after->ns, w->after->name, (long long)was, (long long)is, s->changes,
			s->turns);
}

static bool says_conflict(const struct sim_version *nodeset)
{
	return strcmp(sim_str(sim_condition(nodeset, "Autoscaling"), "status"), "False") == 0;
}

/* A NodeSet that stops because of another writer must have seen one. */
void sim_oracle_on_conflict(struct sim_oracle *o, const struct sim_write *w)
{
	if (!w->before || !w->after)
		return;
	if (sim_replicas(w->before) != sim_replicas(w->after))
		o->queue.foreign = w->actor != ACTOR_OPERATOR;
	if (!o->queue.foreign && says_conflict(w->after) && !says_conflict(w->before))
		sim_oracle_break(o, "P6", w->request,
			"NodeSet %s/%s says that somebody else has set spec.replicas, and the "
			"program itself was the last",
			w->after->ns, w->after->name);
}

/* ---- a bounded time ---- */

/* Pods that stay, and start no job, because Slurm has forgotten their nodes with jobs. */
static int64_t forgotten_pods(const struct sim_oracle *o, const struct sim_version *nodeset)
{
	const struct sim_list *pods = &o->kube->store.of[RES_POD];
	int64_t n = 0;
	for (size_t i = 0; i < pods->n; i++)
		n += strcmp(sim_owner_uid(pods->at[i]), nodeset->uid) == 0 &&
			*sim_annotation(pods->at[i], "nodeset.slinky.slurm.net/pod-deadline") &&
			!sim_oracle_node_of(o, pods->at[i]->uid);
	return n;
}

/* A NodeSet that is being deleted starts no job. */
bool sim_oracle_job_fits(const struct sim_oracle *o, const struct sim_version *nodeset,
	const struct sim_job *j)
{
	yyjson_val *block = sim_at(nodeset->root, "spec", "autoscaling");
	int64_t most = sim_int(block, "maxReplicas", -1), least = sim_int(block, "minReplicas", 0);
	const char *status = sim_str(sim_condition(nodeset, "Autoscaling"), "status");
	return !sim_terminating(nodeset) && most >= least && strcmp(status, "False") != 0 &&
		j->state == JOB_PENDING && !j->only && j->want <= most - forgotten_pods(o, nodeset);
}

static void check_waits(struct sim_oracle *o, const struct sim_version *nodeset, int64_t since_ms)
{
	int64_t waits_ms = o->kube->loop->now_ms - since_ms;
	for (const struct sim_job *j = o->slurms[0].slurm->jobs; j; j = j->next)
		if (sim_oracle_job_fits(o, nodeset, j) && waits_ms > WAITS_MOST_MS)
			sim_oracle_break(o, "P6", NULL,
				"job %lld of %d nodes could run on NodeSet %s/%s, which has %lld, "
				"and waits: for %lld s no job has begun or ended, and nothing is "
				"in its way",
				(long long)j->id, j->want, nodeset->ns, nodeset->name,
				(long long)sim_replicas(nodeset), (long long)waits_ms / 1000);
}

void sim_oracle_on_peace(struct sim_oracle *o)
{
	const struct sim_list *all = &o->kube->store.of[RES_NODESET];
	uint32_t jobs = jobs_now(o);
	for (size_t i = 0; i < all->n; i++) { /* a pod that is in the way no more */
		int64_t n = forgotten_pods(o, all->at[i]);
		jobs = fnv1_32(jobs, &n, sizeof(n));
	}
	if (!o->queue.still_ms || jobs != o->queue.jobs) {
		o->queue.jobs = jobs;
		o->queue.still_ms = o->kube->loop->now_ms;
	}
	for (size_t i = 0; o->n_slurms && i < all->n; i++)
		check_waits(o, all->at[i], o->queue.still_ms);
}
