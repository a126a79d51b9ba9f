/* SPDX-License-Identifier: Apache-2.0 */
/* When a NodeSet is what was asked for. */
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "sim/sim_oracle.h"

struct question {
	const struct sim_oracle *o;
	char *out;
	size_t cap;
};

#define NO(q, ...) (snprintf((q)->out, (q)->cap, __VA_ARGS__), false)

/* The pod shows its node as Slurm has it. */
static bool shown_fits(struct question *q, const struct sim_version *pod, const struct sim_node *n)
{
	const char *base = n->down ? "Down"
		: n->job           ? "Allocated"
				   : "Idle",
		   *label = sim_label(pod, "nodeset.slinky.slurm.net/slurm-state"),
		   *reason = sim_annotation(pod, "nodeset.slinky.slurm.net/slurm-reason");
	static const char *const all[] = { "Down", "Allocated", "Idle" };
	char type[64];
	for (size_t i = 0; i < LENGTH(all); i++) {
		snprintf(type, sizeof(type), "SlurmNodeState%s", all[i]);
		if (sim_condition_true(pod, type) != (strcmp(all[i], base) == 0))
			return NO(q, "pod %s/%s shows %s, and its node is %s", pod->ns, pod->name,
				label, base);
	}
	if (sim_condition_true(pod, "SlurmNodeStateDrain") != n->drain)
		return NO(q, "pod %s/%s shows %s, and its node is %s", pod->ns, pod->name, label,
			n->drain ? "drained" : "not drained");
	if (strcmp(reason, n->drain || n->down ? n->reason : "") != 0)
		return NO(q, "pod %s/%s shows \"%s\", and Slurm's reason is \"%s\"", pod->ns,
			pod->name, reason, n->reason);
	return true;
}

static bool pod_fits(struct question *q, const struct sim_version *pod,
	const struct sim_version *nodeset)
{
	const struct sim_node *n = sim_oracle_node_named(q->o, pod);
	const char *strategy = sim_str(sim_at(nodeset->root, "spec", "updateStrategy"), "type");
	bool cordoned = strcmp(sim_annotation(pod, "nodeset.slinky.slurm.net/pod-cordon"),
				"true") == 0;
	if (!sim_pod_available(pod, sim_int(sim_get(nodeset->root, "spec"), "minReadySeconds", 0),
		    sim_loop_server_ms(q->o->kube->loop)))
		return NO(q, "pod %s/%s is not available", pod->ns, pod->name);
	if (strcmp(strategy, "OnDelete") != 0 && !sim_pod_current(pod, nodeset))
		return NO(q, "pod %s/%s is not of the newest template", pod->ns, pod->name);
	if (!n)
		return NO(q, "Slurm does not know node %s of pod %s/%s", sim_slurm_name(pod),
			pod->ns, pod->name);
	if (!cordoned && (n->down || n->not_responding))
		return NO(q, "node %s does not respond: %s%s", n->name, n->drain ? "DRAIN, " : "",
			n->reason);
	if (n->drain && n->drainer == DRAINED_BY_OPERATOR && !cordoned)
		return NO(q, "node %s of pod %s/%s is drained by the operator: %s", n->name,
			pod->ns, pod->name, n->reason);
	return shown_fits(q, pod, n);
}

static bool status_true(struct question *q, const struct sim_version *nodeset)
{
	yyjson_val *status = sim_get(nodeset->root, "status");
	int64_t replicas = sim_replicas(nodeset);
	if (sim_int(status, "observedGeneration", 0) != sim_int(sim_meta(nodeset), "generation", 0))
		return NO(q, "status.observedGeneration of NodeSet %s/%s is %lld", nodeset->ns,
			nodeset->name, (long long)sim_int(status, "observedGeneration", 0));
	if (sim_int(status, "replicas", 0) != replicas ||
		sim_int(status, "readyReplicas", 0) != replicas)
		return NO(q,
			"status of NodeSet %s/%s counts %lld pods, %lld ready; asked for: %lld",
			nodeset->ns, nodeset->name, (long long)sim_int(status, "replicas", 0),
			(long long)sim_int(status, "readyReplicas", 0), (long long)replicas);
	return true;
}

/*
 * For kubectl rollout undo: the revision with the highest number is that of the template.
 */
static bool history_true(struct question *q, const struct sim_version *nodeset, const char *hash)
{
	const struct sim_list *all = &q->o->kube->store.of[RES_REVISION];
	const struct sim_version *newest = NULL;
	for (size_t i = 0; i < all->n; i++)
		if (strcmp(sim_owner_uid(all->at[i]), nodeset->uid) == 0 &&
			(!newest ||
				sim_int(all->at[i]->root, "revision", 0) >
					sim_int(newest->root, "revision", 0)))
			newest = all->at[i];
	if (!newest || strcmp(sim_label(newest, "controller.kubernetes.io/hash"), hash) == 0)
		return true;
	return NO(q, "the newest revision of NodeSet %s/%s is %s, but its pods have hash %s",
		nodeset->ns, nodeset->name, newest->name, hash);
}

/* Users do not scale it any more: no job waits that can run there. */
static bool queue_fits(struct question *q, const struct sim_version *nodeset)
{
	yyjson_val *block = sim_at(nodeset->root, "spec", "autoscaling");
	int64_t most = sim_int(block, "maxReplicas", -1), least = sim_int(block, "minReplicas", 0);
	const char *status = sim_str(sim_condition(nodeset, "Autoscaling"), "status");
	if (most < least || !q->o->n_slurms || strcmp(status, "False") == 0)
		return true; /* a user has scaled it: it says so, and waits */
	if (strcmp(status, "True") != 0)
		return NO(q, "NodeSet %s/%s does not know the queue", nodeset->ns, nodeset->name);
	if (sim_replicas(nodeset) && !sim_get(sim_get(nodeset->root, "spec"), "replicas"))
		return NO(q, "NodeSet %s/%s has pods and no spec.replicas", nodeset->ns,
			nodeset->name);
	if (sim_replicas(nodeset) > most || sim_replicas(nodeset) < least)
		return NO(q, "NodeSet %s/%s has %lld replicas, and may have %lld to %lld",
			nodeset->ns, nodeset->name, (long long)sim_replicas(nodeset),
			(long long)least, (long long)most);
	bool idle = !sim_int(block, "buffer", 0);
	for (const struct sim_job *j = q->o->slurms[0].slurm->jobs; j; j = j->next)
		idle &= j->state == JOB_COMPLETED;
	bool last = !least && sim_replicas(nodeset) == 1 && q->o->slurms[0].slurm->no_future;
	if (idle && !last && sim_replicas(nodeset) != least)
		return NO(q, "NodeSet %s/%s has %lld replicas, and there is no job", nodeset->ns,
			nodeset->name, (long long)sim_replicas(nodeset));
	for (const struct sim_job *j = q->o->slurms[0].slurm->jobs; j; j = j->next)
		if (sim_oracle_job_fits(q->o, nodeset, j))
			return NO(q, "job %lld of %d nodes waits, and NodeSet %s/%s may have %lld",
				(long long)j->id, j->want, nodeset->ns, nodeset->name,
				(long long)most);
	return true;
}

static bool nodeset_fits(struct question *q, const struct sim_version *nodeset)
{
	const struct sim_list *pods = &q->o->kube->store.of[RES_POD];
	const char *hash = NULL;
	bool updates = strcmp(sim_str(sim_at(nodeset->root, "spec", "updateStrategy"), "type"),
			       "OnDelete") != 0;
	int64_t n = 0;
	if (sim_terminating(nodeset))
		return NO(q, "NodeSet %s/%s is still being deleted", nodeset->ns, nodeset->name);
	for (size_t i = 0; i < pods->n; i++) {
		const struct sim_version *pod = pods->at[i];
		if (strcmp(sim_owner_uid(pod), nodeset->uid) != 0)
			continue;
		n++;
		if (!pod_fits(q, pod, nodeset))
			return false;
		const char *its = sim_label(pod, "controller.kubernetes.io/hash");
		if (hash && strcmp(hash, its) != 0 && updates)
			return NO(q, "pods of NodeSet %s/%s have hashes %s and %s", nodeset->ns,
				nodeset->name, hash, its);
		hash = its;
	}
	if (n != sim_replicas(nodeset))
		return NO(q, "NodeSet %s/%s has %lld pods of %lld", nodeset->ns, nodeset->name,
			(long long)n, (long long)sim_replicas(nodeset));
	if (hash && updates && !history_true(q, nodeset, hash))
		return false;
	if (!queue_fits(q, nodeset))
		return false;
	return status_true(q, nodeset);
}

/* A NodeSet with a fault that is not corrected: it has no pod, and says so. */
static bool has_no_pods(struct question *q, const struct sim_version *nodeset)
{
	const struct sim_list *pods = &q->o->kube->store.of[RES_POD];
	for (size_t i = 0; i < pods->n; i++)
		if (strcmp(sim_owner_uid(pods->at[i]), nodeset->uid) == 0)
			return NO(q, "NodeSet %s/%s, which is invalid, has pod %s", nodeset->ns,
				nodeset->name, pods->at[i]->name);
	return sim_condition_true(nodeset, "Degraded") ||
		NO(q, "NodeSet %s/%s is invalid and does not say so", nodeset->ns, nodeset->name);
}

bool sim_nodeset_fits(const struct sim_oracle *o, const struct sim_version *nodeset, char *out,
	size_t cap)
{
	struct question q = { .o = o, .out = out, .cap = cap };
	yyjson_val *template = sim_get(sim_at(nodeset->root, "spec", "template"), "metadata");
	return sim_selects(nodeset, sim_get(template, "labels")) ? nodeset_fits(&q, nodeset)
								 : has_no_pods(&q, nodeset);
}
