/* SPDX-License-Identifier: Apache-2.0 */
/* Says which job is lost with a pod that another client deletes. */
#include "engine/loss.h"

#include "base/own.h"
#include "base/str.h"
#include "slurm/state.h"

/* True if Slurm reports work on the node, in an answer that is about this running pod. */
static bool is_busy(const struct pod_fact *pod, const struct slurm_node_fact *node)
{
	bool its_own = node->known == YES && !node->shared && node->seen_ms >= pod->phase_seen_ms;
	bool work = node->held == YES || (node->state & (NODE_ALLOCATED | NODE_MIXED));
	return pod->phase == POD_RUNNING && its_own && work;
}

const char *loss_text(struct arena *a, const struct pod_fact *pod,
	const struct slurm_node_fact *node)
{
	struct str job AUTO(str_free) = { 0 };
	if (!is_busy(pod, node))
		return NULL;
	if (node->held == YES && node->holder.id)
		str_addf(&job, "job %lld", (long long)node->holder.id);
	else
		str_add(&job, "a job");
	str_add(&job, node->held == YES && !str_empty(node->holder.user) ? " of " : "");
	str_add_foreign(&job, node->held == YES ? node->holder.user : "", 32);
	return arena_printf(a,
		"pod %s is deleted while %s runs on it, and the job ends with it; the operator deletes no such pod. To delete a pod after its jobs have ended: set the annotation pod-cordon to \"true\" and wait until its Slurm node is drained",
		pod->name, str_text(&job));
}
