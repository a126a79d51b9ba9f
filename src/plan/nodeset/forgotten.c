/*
 * Slurm can forget a dynamic node: slurmctld killed before it saved its state does, and the slurmd never registers again by itself (Slurm 24.11 and
 * 26.05). Such a pod serves nobody and runs no job that Slurm knows of: it is replaced, one after the other, within maxUnavailable. Slowly, because a
 * template whose slurmd registers under another name looks the same.
 */
#include "plan/nodeset/budget.h"
#include "plan/nodeset/world.h"

enum { FORGOTTEN_MS = 60000 };

/* How long the pod has been ready and Slurm has not known its node; the smaller of both. */
static int64_t forgotten_for_ms(const struct world *w, const struct pod *p)
{
	int64_t absent_ms = w->now_ms - p->node->absent_since_ms, ready_ms = w->now_wall_ms - p->fact->ready_since_ms;
	if (!pod_live(p) || p->leave != STAY || !p->healthy || pod_node_known(w, p) != NO || !p->fact->ready_since_ms)
		return -1;
	return absent_ms < ready_ms ? absent_ms : ready_ms;
}

void step_forgotten(struct world *w)
{
	int64_t in_service = 0;
	struct pod *longest = NULL;
	for (size_t i = 0; i < w->n_pods; i++) {
		struct pod *p = &w->pods[i];
		int64_t ms = forgotten_for_ms(w, p);
		in_service += p->leave == STAY && p->available;
		if (ms >= 0 && ms < FORGOTTEN_MS)
			plan_again(w->out, FORGOTTEN_MS - ms + 1);
		else if (ms >= 0 && (!longest || ms > forgotten_for_ms(w, longest)))
			longest = p;
	}
	if (longest && !w->set.deleting && update_budget(w->set.replicas, w->set.max_unavailable, in_service) > 0)
		longest->leave = LEAVE_FORGOTTEN;
}
