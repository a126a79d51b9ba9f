/* SPDX-License-Identifier: Apache-2.0 */
/* Rules on new pods: never too many, and none under the host name of another. */
#include <string.h>

#include "sim/sim_oracle.h"

static const struct sim_version *controller_of(const struct sim_oracle *o,
	const struct sim_version *pod)
{
	const char *uid = sim_owner_uid(pod);
	const struct sim_version *v = *uid ? sim_store_by_uid(&o->kube->store, uid) : NULL;
	return v && v->resource == RES_NODESET ? v : NULL;
}

static const char *cluster_of(const struct sim_version *nodeset)
{
	return sim_str(sim_get(nodeset->root, "spec"), "clusterName");
}

/* No slurmd of it need run, or its owner need not be known. */
static bool has_no_slurmd(const struct sim_version *pod, const void *with)
{
	const char *phase = sim_str(sim_get(pod->root, "status"), "phase");
	const char *uid = with;
	return sim_terminating(pod) || strcmp(phase, "Running") != 0 ||
		strcmp(sim_owner_uid(pod), uid) != 0;
}

static bool is_namesake(const struct sim_oracle *o, const struct sim_version *made,
	const struct sim_version *pod)
{
	const struct sim_version *its = controller_of(o, pod), *set = controller_of(o, made);
	return its && set && pod != made && strcmp(pod->ns, made->ns) == 0 &&
		strcmp(cluster_of(its), cluster_of(set)) == 0 &&
		strcmp(sim_slurm_name(pod), sim_slurm_name(made)) == 0;
}

void sim_oracle_on_name(struct sim_oracle *o, const struct sim_write *w)
{
	const struct sim_list *pods = &o->kube->store.of[RES_POD];
	if (w->before || w->removed || w->request->sent_ms < o->life_ms)
		return;
	for (size_t i = 0; i < pods->n; i++) {
		const struct sim_version *pod = pods->at[i];
		if (!is_namesake(o, w->after, pod) ||
			sim_oracle_at_any_time(o, w->request, pod, has_no_slurmd,
				sim_owner_uid(pod)))
			continue;
		sim_oracle_break(o, "P1", w->request,
			"pod %s/%s was made although the slurmd of pod %s has its host name %s",
			w->after->ns, w->after->name, pod->name, sim_slurm_name(pod));
	}
}

/* ---- P6: never more pods than asked for ---- */

static bool wants(const struct sim_version *nodeset, const void *live)
{
	return *(const int64_t *)live <= sim_replicas(nodeset);
}

static bool is_not_of(const struct sim_version *pod, const void *uid)
{
	return strcmp(sim_owner_uid(pod), uid) != 0 || sim_terminating(pod);
}

/* A pod that became the NodeSet's after the request was decided does not count. */
static int64_t count_live(const struct sim_oracle *o, const struct sim_write *w,
	const struct sim_version *nodeset)
{
	const struct sim_list *pods = &o->kube->store.of[RES_POD];
	int64_t live = 0;
	for (size_t i = 0; i < pods->n; i++)
		live += pods->at[i] == w->after ||
			!sim_oracle_at_any_time(o, w->request, pods->at[i], is_not_of,
				nodeset->uid);
	return live;
}

void sim_oracle_on_create(struct sim_oracle *o, const struct sim_write *w)
{
	const struct sim_version *nodeset = controller_of(o, w->after);
	/*
	 * The program did not know when it sent this: a pod was adopted, or a life ended.
	 */
	int64_t seen = sim_oracle_view(o, RES_POD, w->request);
	bool overtaken = seen < o->stray_rv || w->request->sent_ms < o->life_ms;
	int64_t live = nodeset ? count_live(o, w, nodeset) : 0;
	if (nodeset && !overtaken && !sim_oracle_at_any_time(o, w->request, nodeset, wants, &live))
		sim_oracle_break(o, "P6", w->request,
			"pod %s/%s is number %lld of a NodeSet with %lld replicas", w->after->ns,
			w->after->name, (long long)live, (long long)sim_replicas(nodeset));
}
