/*
 * Rolling update: pods with an old template that are broken go first, outside of the budget, because their going takes nothing away; then healthy
 * ones, as many as maxUnavailable allows beside everything that is unavailable already. A pod chosen once stays chosen while the budget lasts.
 */
#include <stdlib.h>

#include "plan/nodeset/budget.h"
#include "plan/nodeset/world.h"

static int chosen_before_first(const void *a, const void *b)
{
	const struct pod *x = *(struct pod *const *)a, *y = *(struct pod *const *)b;
	if (x->cordoned_by_us != y->cordoned_by_us)
		return x->cordoned_by_us ? -1 : 1;
	return pod_order(x, y);
}

static bool is_old(const struct pod *p) { return pod_live(p) && p->leave == STAY && !p->updated; }

void step_update(struct world *w)
{
	size_t n = 0;
	int64_t in_service = 0;
	struct pod **healthy;
	if (w->set.deleting || !w->hash)
		return;
	healthy = arena_array(w->arena, struct pod *, w->n_pods + 1);
	for (size_t i = 0; i < w->n_pods; i++) {
		struct pod *p = &w->pods[i];
		in_service += p->leave == STAY && p->available;
		w->tally.old_left += is_old(p);
		if (w->set.update != UPDATE_ROLLING || !is_old(p))
			continue;
		if (p->healthy)
			healthy[n++] = p;
		else
			p->leave = LEAVE_UPDATE;
	}
	if (!n)
		return;
	qsort(healthy, n, sizeof(*healthy), chosen_before_first);
	int64_t budget = update_budget(w->set.replicas, w->set.max_unavailable, in_service);
	for (size_t i = 0; i < n && (int64_t)i < budget; i++)
		healthy[i]->leave = LEAVE_UPDATE;
}
