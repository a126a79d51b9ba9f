/*
 * The note on a pod which Slurm had its node since the pod started. It outlives the manager, and
 * tells a node that this Slurm has forgotten from one that it never had: a slurmd of another name,
 * or one that registered with the Slurm that answered here before.
 */
#include <string.h>

#include "base/str.h"
#include "plan/nodeset/world.h"

enum { NOTES_PER_PLAN = 100 }; /* one write each, beside creations and deletions that matter more */

static const char *noted(const struct pod *p) { return pod_annotation(p->fact, ANNOTATION_REGISTERED); }

bool pod_was_registered(const struct world *w, const struct pod *p)
{
	return !str_empty(w->view->slurm.cluster) && str_eq(noted(p), w->view->slurm.cluster);
}

/* A node at another address is the record of a predecessor, or of somebody else. Slurm may give a host name instead: that tells nothing. */
bool pod_at_its_address(const struct pod *p)
{
	const char *address = p->node->address ? p->node->address : "";
	bool is_ip = address[strspn(address, "0123456789.")] == '\0' || strchr(address, ':');
	return !is_ip || str_empty(address) || (!str_empty(p->fact->ip) && str_eq(address, p->fact->ip));
}

static bool has_registered(const struct world *w, const struct pod *p)
{
	bool answers = !(p->node->state & (NODE_DOWN | NODE_NOT_RESPONDING | NODE_FUTURE));
	return p->healthy && pod_node_known(w, p) == YES && answers && !p->node->shared &&
	       p->node->seen_ms >= p->fact->phase_seen_ms && pod_at_its_address(p);
}

static bool wants_note(const struct world *w, const struct pod *p)
{
	return !p->held && has_registered(w, p) && !str_eq(noted(p), w->view->slurm.cluster);
}

bool pod_registered_with_another(const struct world *w, const struct pod *p)
{
	return !str_empty(noted(p)) && !str_empty(w->view->slurm.cluster) && !str_eq(noted(p), w->view->slurm.cluster);
}

void step_registered(struct world *w)
{
	size_t n = 0;
	bool growing = (int64_t)w->n_pods < w->set.replicas;
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
