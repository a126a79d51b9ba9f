/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rolling update: the pods that are taken down for the new template. A pod chosen once
 * stays chosen while the budget lasts.
 */
#include <stdlib.h>

#include "plan/nodeset/budget.h"
#include "plan/nodeset/worksheet.h"

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

/* The pods that stay so far; counts those with an old template. */
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
			/* It serves nobody */
			.available = list[i]->available && !pod_is_forgotten(w, list[i]),
		};
	choose_for_update(pods, n, w->set.replicas, w->set.max_unavailable);
	for (size_t i = 0; i < n; i++)
		if (pods[i].chosen)
			list[i]->leave = LEAVE_UPDATE;
}
