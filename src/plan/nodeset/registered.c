/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The note on a pod that names the Slurm which had its node since the pod started. The
 * note outlives the manager. It distinguishes a node that this Slurm has forgotten from a
 * node that it never had because the slurmd has another name, or registered with the
 * Slurm that answered here before.
 */
#include <string.h>

#include "base/str.h"
#include "plan/nodeset/worksheet.h"

enum { NOTES_PER_PLAN = 100 }; /* one write each; creations and deletions matter more */

bool pod_was_registered(const struct worksheet *w, const struct pod *p)
{
	return p->noted_here && !str_empty(w->view->slurm.cluster);
}

/*
 * Until the pod's slurmd has registered, the node may be the record of an earlier pod. If
 * the node answers at another address for longer, or has the comment of another pod, it
 * belongs to another slurmd of that name: in a pod of another namespace or Kubernetes, or
 * on a host. The slurmd that registered last has the name, and both may run jobs.
 */
bool pod_is_displaced(struct worksheet *w, const struct pod *p)
{
	/*
	 * A slurmctld that was killed may restore the record of an earlier pod, which
	 * stops responding sooner or later.
	 */
	if (pod_node_known(w, p) != YES || p->at_its_address || !node_state_answers(p->node->state))
		return false;
	if (pod_was_registered(w, p))
		return true; /* the node was the pod's since the pod started */
	if (comment_names_another(w->arena, p->node->comment, w->set.ns, p->fact->name))
		return true;
	if (!p->healthy || !p->fact->ready_since_ms)
		return false;
	int64_t ready_ms = pod_ready_for_ms(w, p);
	if (ready_ms < REGISTER_GRACE_MS)
		plan_again(w->out, REGISTER_GRACE_MS - ready_ms + 1);
	return ready_ms >= REGISTER_GRACE_MS;
}

static bool has_registered(const struct worksheet *w, const struct pod *p)
{
	return p->healthy && pod_node_known(w, p) == YES && node_state_answers(p->node->state) &&
		!p->node->shared && p->node->seen_ms >= p->phase_seen_ms && p->at_its_address;
}

/* A leaving pod needs no note. */
static bool wants_note(const struct worksheet *w, const struct pod *p)
{
	return p->leave == STAY && !p->held && !p->noted_here && has_registered(w, p);
}

bool pod_registered_with_another(const struct worksheet *w, const struct pod *p)
{
	return !str_empty(p->noted_slurm) && !p->noted_here && !str_empty(w->view->slurm.cluster);
}

void step_registered(struct worksheet *w)
{
	size_t n = 0;
	/*
	 * A quota or a busy host name may prevent the creation of the last pod for weeks.
	 */
	bool growing = (int64_t)w->n_pods < w->set.replicas && !w->view->n_failing &&
		!w->tally.names_busy;
	for (size_t i = 0; i < w->n_pods; i++)
		growing |= str_empty(w->pods[i].fact->resource_version);
	if (growing || str_empty(w->view->slurm.cluster))
		return;
	for (size_t i = 0; i < w->n_pods && n < NOTES_PER_PLAN; i++) {
		w->pods[i].note_slurm = wants_note(w, &w->pods[i]);
		n += w->pods[i].note_slurm;
	}
	if (n == NOTES_PER_PLAN)
		plan_again(w->out, 100);
}
