/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which pods are to go, and how many: the NodeSet is being deleted, there are more than
 * replicas, or their containers have ended.
 */
#include "plan/nodeset/worksheet.h"

static size_t live_pods(struct worksheet *w, struct pod **live)
{
	size_t n = 0;
	for (size_t i = 0; i < w->n_pods; i++)
		if (pod_live(&w->pods[i]))
			live[n++] = &w->pods[i];
	return n;
}

/* Terminating pods are going already: only the rest of the excess has to be chosen. */
static void scale_in(struct worksheet *w, struct pod **live, size_t n)
{
	int64_t excess = (int64_t)n - w->set.replicas;
	if (excess <= 0)
		return;
	pod_sort_going_first(live, n);
	for (int64_t i = 0; i < excess; i++)
		live[i]->leave = LEAVE_SCALE_IN;
	w->tally.scaling_in = excess;
}

void step_leaving(struct worksheet *w)
{
	struct pod **live = arena_array(w->arena, struct pod *, w->n_pods + 1);
	size_t n = live_pods(w, live);
	if (!w->set.deleting)
		scale_in(w, live, n);
	for (size_t i = 0; i < n; i++) {
		if (w->set.deleting)
			live[i]->leave = LEAVE_DELETION;
		else if (pod_ended(live[i]) && live[i]->leave == STAY)
			live[i]->leave = LEAVE_ENDED;
	}
}
