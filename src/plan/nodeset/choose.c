/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chooses the pods that leave: because the NodeSet is being deleted, there are more than
 * replicas, their containers have ended, or their template is old. A pod that was chosen
 * for the update stays chosen while the budget lasts.
 */
#include <assert.h>
#include <stdlib.h>

#include "plan/nodeset/budget.h"
#include "plan/nodeset/worksheet.h"

static size_t live_pods(struct worksheet *w, struct pod **live)
{
	size_t n = 0;
	for (size_t i = 0; i < w->n_pods; i++)
		if (pod_live(&w->pods[i]))
			live[n++] = &w->pods[i];
	return n;
}

/* Terminating pods leave anyway, so only the rest of the excess is chosen. */
static void scale_in(struct worksheet *w, struct pod **live, size_t n)
{
	int64_t excess = (int64_t)n - w->set.replicas;
	if (excess <= 0)
		return;
	assert(excess <= (int64_t)n);
	if (excess < (int64_t)n)
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

/* ---- for the rolling update ---- */

static int chosen_before_first(const void *a, const void *b)
{
	const struct pod *x = *(struct pod *const *)a, *y = *(struct pod *const *)b;
	int x_rank = pod_may_be_going(x) ? 0
		: x->cordoned_by_us      ? 1
					 : 2,
	    y_rank = pod_may_be_going(y) ? 0
		: y->cordoned_by_us      ? 1
					 : 2;
	if (x_rank != y_rank)
		return x_rank - y_rank;
	return pod_order(x, y);
}

/* The pods that do not leave so far; counts those with an old template. */
static size_t staying(struct worksheet *w, struct pod **list)
{
	size_t n = 0;
	for (size_t i = 0; i < w->n_pods; i++) {
		struct pod *p = &w->pods[i];
		if (!pod_live(p) || p->leave != STAY)
			continue;
		list[n++] = p;
		w->tally.old_left += !p->updated;
	}
	return n;
}

void step_update(struct worksheet *w)
{
	if (w->set.deleting || !w->hash)
		return;
	struct pod **list = arena_array(w->arena, struct pod *, w->n_pods + 1);
	size_t n = staying(w, list);
	if (!w->tally.old_left || w->set.update != UPDATE_ROLLING)
		return;
	qsort(list, n, sizeof(*list), chosen_before_first);
	struct update_pod *pods = arena_array(w->arena, struct update_pod, n);
	for (size_t i = 0; i < n; i++)
		pods[i] = (struct update_pod){
			.old = !list[i]->updated,
			.healthy = list[i]->healthy,
			/* A forgotten pod serves no job */
			.available = list[i]->available && !pod_is_forgotten(w, list[i]),
		};
	choose_for_update(pods, n, w->set.replicas, w->set.max_unavailable);
	for (size_t i = 0; i < n; i++)
		if (pods[i].chosen)
			list[i]->leave = LEAVE_UPDATE;
}
