/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which pods a rolling update takes down now. Free of the rest of the planner so that it
 * can be proven (tests/proof/budget.c).
 *
 * In service is a pod that is available and does not go for another reason. Everything
 * else that is missing from replicas is unavailable already, whatever the cause: a new
 * pod that is not ready, a pod that terminates, a crashed or a missing one. Broken pods
 * with an old template go outside of the budget, because their going takes nothing away;
 * healthy ones as far as the budget reaches.
 */
#ifndef PLAN_NODESET_BUDGET_H
#define PLAN_NODESET_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A pod that is not terminating and goes for no other reason. An array has the pods in
 * the order in which they are to be taken.
 */
struct update_pod {
	bool old;       /* has an older template */
	bool healthy;   /* running and ready */
	bool available; /* healthy, and for minReadySeconds */
	bool chosen;    /* out */
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
