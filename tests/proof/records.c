/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A node is removed from Slurm only when no pod names it and no job has it, and Slurm
 * said so after it was drained; then it is. Holds for every value of every fact; there is
 * no loop and no bound.
 *
 * MUTATE_n: the same decision with one fact ignored. Each must be refuted.
 */
#include "plan/nodeset/records.h"

static enum record decision_under_proof(struct record_facts f)
{
#if defined(MUTATE_1) /* a pod of the name may live */
	f.has_pod = NO;
#elif defined(MUTATE_2)  /* drained by any user */
	f.going = true;
#elif defined(MUTATE_3)  /* a node of slurm.conf */
	f.state |= NODE_DYNAMIC;
#elif defined(MUTATE_4)  /* a suspended job is overlooked */
	f.held = NO;
#elif defined(MUTATE_5)  /* jobs that were asked for before it was drained */
	f.jobs_asked_ms = INT64_MAX;
#elif defined(MUTATE_6)  /* an old answer is as good as a new one */
	f.age_ms = 0;
#elif defined(MUTATE_7)  /* an update on its way is overlooked */
	f.update_in_flight = false;
#elif defined(MUTATE_8)  /* a pod that is about to come is not waited for */
	f.podless_ms = PODLESS_MS;
#elif defined(MUTATE_9)  /* Slurm unreachable is read as an answer */
	f.usable = true;
#elif defined(MUTATE_10) /* an epilog that still runs is overlooked */
	f.state &= ~(uint32_t)NODE_COMPLETING;
#elif defined(MUTATE_11) /* an unknown word is overlooked */
	f.state &= ~(uint32_t)NODE_OTHER;
#elif defined(MUTATE_13) /* an unknown pod is none */
	f.has_pod = f.has_pod == UNKNOWN ? NO : f.has_pod;
#elif defined(MUTATE_12) /* an answer about jobs of long ago */
	f.jobs_age_ms = 0;
#elif defined(MUTATE_14) /* a job that was suspended when the node was read, and runs again */
	f.confirmed = true;
#endif
	return decide_record(&f);
}

int main(void)
{
	struct record_facts f;
	__CPROVER_assume(f.node >= UNKNOWN && f.node <= YES && f.held >= UNKNOWN && f.held <= YES);
	__CPROVER_assume((f.going == 0 || f.going == 1) && f.has_pod >= UNKNOWN &&
		f.has_pod <= YES);
	__CPROVER_assume(f.confirmed == 0 || f.confirmed == 1);
	__CPROVER_assume((f.usable == 0 || f.usable == 1) &&
		(f.update_in_flight == 0 || f.update_in_flight == 1));

	bool ours = f.going && f.has_pod == NO && f.podless_ms >= 10000;
	bool said = f.usable && f.node == YES && !f.update_in_flight && f.age_ms >= 0 &&
		f.age_ms <= 5000;
	bool drained = (f.state & NODE_DRAIN) &&
		!(f.state & (NODE_UNDRAIN | NODE_ALLOCATED | NODE_MIXED | NODE_COMPLETING)) &&
		!node_state_strange(f.state);
	bool dynamic = f.state & NODE_DYNAMIC;
	bool free_of_jobs = f.held == NO && f.free_since_ms && f.jobs_asked_ms >= f.free_since_ms &&
		f.jobs_age_ms >= 0 && f.jobs_age_ms <= 60000 && f.confirmed;
	bool removed = decision_under_proof(f) == RECORD_REMOVE;

	__CPROVER_assert(!removed || ours, "only the node of a pod of ours that is gone");
	__CPROVER_assert(!removed || said, "only on what Slurm says now");
	__CPROVER_assert(!removed || (drained && free_of_jobs), "never one that has a job");
	__CPROVER_assert(!removed || dynamic, "never one of slurm.conf");
	__CPROVER_assert(removed || !(ours && said && drained && free_of_jobs && dynamic),
		"and then it is");
	return 0;
}
