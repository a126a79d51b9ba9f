/* SPDX-License-Identifier: Apache-2.0 */
/*
 * P4 for the choice itself: after it, at least replicas - maxUnavailable pods are in
 * service, or no pod in service was taken. Bounds: at most PODS pods in any state and any
 * order; replicas and maxUnavailable are any of the values that a NodeSet may have (0 to
 * 65536, maxUnavailable also beyond).
 *
 * MUTATE_n: the same choice with one thing counted wrongly. Each must be refuted.
 */
#include "plan/nodeset/budget.h"

enum { PODS = 6 };

static void choice_under_proof(struct update_pod *pods, size_t n, int64_t replicas,
	int64_t max_unavailable)
{
#if defined(MUTATE_1) /* every pod that is there counts as in service */
	struct update_pod seen[PODS];
	for (size_t i = 0; i < n; i++) {
		seen[i] = pods[i];
		seen[i].available = true;
	}
	choose_for_update(seen, n, replicas, max_unavailable);
	for (size_t i = 0; i < n; i++)
		pods[i].chosen = seen[i].chosen;
/* New pods that are not available are overlooked: replicas are what is there */
#elif defined(MUTATE_2)
	choose_for_update(pods, n, (int64_t)n < replicas ? (int64_t)n : replicas, max_unavailable);
#elif defined(MUTATE_3) /* one more */
	choose_for_update(pods, n, replicas, max_unavailable + 1);
#elif defined(MUTATE_4) /* a healthy pod is taken for a broken one */
	if (n > 0)
		pods[0].healthy = false;
	choose_for_update(pods, n, replicas, max_unavailable);
#else
	choose_for_update(pods, n, replicas, max_unavailable);
#endif
}

int main(void)
{
	struct update_pod pods[PODS];
	size_t n;
	int64_t replicas, max_unavailable, before = 0, taken = 0, new_taken = 0, broken_left = 0;
	__CPROVER_assume(n <= PODS && replicas >= 0 && replicas <= 65536 && max_unavailable >= 0 &&
		max_unavailable <= INT32_MAX);
	for (size_t i = 0; i < n; i++) {
		__CPROVER_assume((pods[i].old == 0 || pods[i].old == 1) &&
			(pods[i].healthy == 0 || pods[i].healthy == 1));
		__CPROVER_assume((pods[i].available == 0 || pods[i].available == 1) &&
			(!pods[i].available || pods[i].healthy));
		before += pods[i].available;
	}

	choice_under_proof(pods, n, replicas, max_unavailable);

	for (size_t i = 0; i < n; i++) {
		taken += pods[i].available && pods[i].chosen;
		new_taken += !pods[i].old && pods[i].chosen;
		broken_left += pods[i].old && !pods[i].healthy && !pods[i].chosen;
	}
	__CPROVER_assert(taken == 0 || before - taken >= replicas - max_unavailable,
		"never more unavailable than maxUnavailable");
	__CPROVER_assert(taken <= max_unavailable, "never more at once than maxUnavailable");
	__CPROVER_assert(new_taken == 0, "never a pod that is up to date");
	__CPROVER_assert(broken_left == 0, "a broken old pod never blocks the update");
	return 0;
}
