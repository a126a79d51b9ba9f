/*
 * How many healthy pods a rolling update may take down now. Free of pointers so that it can be proven (tests/proof/budget.c).
 *
 * in_service: pods that are available, do not go, and would stay available if the update took none of them. Everything else that is missing from
 * replicas is unavailable already, whatever the cause: a new pod that is not ready, a pod that terminates, a crashed or a missing one.
 */
#ifndef PLAN_NODESET_BUDGET_H
#define PLAN_NODESET_BUDGET_H

#include <stdint.h>

static inline int64_t update_budget(int64_t replicas, int64_t max_unavailable, int64_t in_service)
{
	int64_t unavailable = replicas > in_service ? replicas - in_service : 0;
	int64_t budget = max_unavailable - unavailable;
	return budget > 0 ? budget : 0;
}

#endif
