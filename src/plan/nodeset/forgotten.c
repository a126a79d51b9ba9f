/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slurm can forget a dynamic node if slurmctld is killed before it saves its state, and
 * the slurmd never registers again by itself (Slurm 24.11 and 26.05). Such a pod gets no
 * jobs, so it is replaced.
 *
 * A pod is replaced only if this very Slurm had its node since the pod started
 * (registered.c), so never if its slurmd has another name or another Slurm. It is not
 * replaced if it had work when Slurm last had its node. Its deletion makes nothing
 * unavailable, so other unavailable pods do not count. At most maxUnavailable such pods
 * are replaced at a time, but at least one. Such pods that leave for another reason count
 * as well.
 */
#include <string.h>

#include "base/str.h"
#include "plan/nodeset/worksheet.h"

enum { FORGOTTEN_MS = 60000 };

bool pod_is_forgotten(const struct worksheet *w, const struct pod *p)
{
	if (pod_node_known(w, p) != NO || !pod_was_registered(w, p))
		return false;
	struct removal_facts f = removal_facts_of(w, p);
	return !f.ambiguous && !f.lost_work;
}

/*
 * Time for which the pod has been ready and Slurm has not had its node; -1: it is not
 * forgotten.
 */
static int64_t forgotten_for_ms(const struct worksheet *w, const struct pod *p)
{
	int64_t absent_ms = w->view->slurm.nodes_seen_ms - p->node->absent_since_ms;
	if (!pod_live(p) || p->leave != STAY || !p->healthy || !p->fact->ready_since_ms ||
		!pod_is_forgotten(w, p))
		return -1;
	int64_t ready_ms = pod_ready_for_ms(w, p);
	return absent_ms < ready_ms ? absent_ms : ready_ms;
}

/*
 * First the pod that was chosen before, then the one that was forgotten first, then by
 * name: each plan chooses the same pod.
 */
static bool goes_before(const struct worksheet *w, const struct pod *a, const struct pod *b)
{
	int64_t for_a = forgotten_for_ms(w, a), for_b = forgotten_for_ms(w, b);
	if (a->cordoned_by_us != b->cordoned_by_us)
		return a->cordoned_by_us;
	return for_a != for_b ? for_a > for_b : strcmp(a->fact->name, b->fact->name) < 0;
}

static struct pod *next(const struct worksheet *w)
{
	struct pod *first = NULL;
	for (size_t i = 0; i < w->n_pods; i++)
		if (forgotten_for_ms(w, &w->pods[i]) >= FORGOTTEN_MS &&
			(!first || goes_before(w, &w->pods[i], first)))
			first = &w->pods[i];
	return first;
}

void step_forgotten(struct worksheet *w)
{
	int64_t budget = w->set.max_unavailable > 0 ? w->set.max_unavailable : 1;
	for (size_t i = 0; i < w->n_pods; i++) {
		int64_t ms = forgotten_for_ms(w, &w->pods[i]);
		bool goes = !pod_live(&w->pods[i]) || w->pods[i].leave != STAY;
		budget -= goes && pod_is_forgotten(w, &w->pods[i]);
		if (ms >= 0 && ms < FORGOTTEN_MS)
			plan_again(w->out, FORGOTTEN_MS - ms + 1);
	}
	for (struct pod *p; !w->set.deleting && budget > 0 && (p = next(w)); budget--)
		p->leave = LEAVE_FORGOTTEN;
}
