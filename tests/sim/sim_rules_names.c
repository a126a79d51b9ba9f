/* SPDX-License-Identifier: Apache-2.0 */
/* Rules on host names: a second slurmd of one name ends the jobs of the first. */
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

/* No slurmd of it need run, or nobody need know whose it is. */
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
