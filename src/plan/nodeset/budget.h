/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides which pods a rolling update deletes now. Independent of the rest of the planner
 * so that it can be proven (tests/proof/budget.c).
 *
 * A pod is in service if it is available and does not leave for another reason. Every
 * other pod that is missing from replicas counts as unavailable, whatever the cause: a
 * new pod that is not ready, a terminating pod, a crashed or a missing one. Broken pods
 * with an old template do not use the budget, because their deletion makes nothing
 * unavailable. Healthy pods are deleted as far as the budget permits.
 */
#ifndef PLAN_NODESET_BUDGET_H
#define PLAN_NODESET_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A pod that is not terminating and does not leave for another reason. The pods of an
 * array are in the order in which they are to be deleted.
 */
struct update_pod {
	bool old;       /* has an older template */
	bool healthy;   /* running and ready */
	bool available; /* healthy, and for minReadySeconds */
	bool chosen;    /* result */
};

static inline int64_t update_budget(int64_t replicas, int64_t max_unavailable, int64_t in_service)
{
	int64_t unavailable = replicas > in_service ? replicas - in_service : 0;
	int64_t budget = max_unavailable - unavailable;
	return budget > 0 ? budget : 0;
}

static inline void choose_for_update(struct update_pod *pods, size_t n, int64_t replicas,
	int64_t max_unavailable)
{
	int64_t in_service = 0;
	for (size_t i = 0; i < n; i++)
		in_service += pods[i].available;
	int64_t budget = update_budget(replicas, max_unavailable, in_service);
	for (size_t i = 0; i < n; i++) {
		pods[i].chosen = pods[i].old && (!pods[i].healthy || budget > 0);
		if (pods[i].chosen && pods[i].healthy)
			budget--;
	}
}

#endif
