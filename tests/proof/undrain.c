/* SPDX-License-Identifier: Apache-2.0 */
/*
 * P3 for the decision itself: a drain that the operator did not set is never removed, one
 * that it set is never forgotten. Holds for every value of every fact; there is no loop
 * and no bound.
 *
 * MUTATE_n: the same decision with one fact ignored. Each must be refuted.
 */
#include "plan/nodeset/undrain.h"

static enum undrain decision_under_proof(struct undrain_facts f)
{
#if defined(MUTATE_1) /* whose drain it is does not matter */
	f.reason = REASON_OURS;
#elif defined(MUTATE_2)  /* a drain without a reason is ours */
	f.reason = f.reason == REASON_EMPTY ? REASON_OURS : f.reason;
#elif defined(MUTATE_3)  /* a cordon does not matter */
	f.cordoned = false;
#elif defined(MUTATE_4)  /* a pod that is to go is brought back */
	f.leaving = false;
#elif defined(MUTATE_5)  /* a node that is down needs no more than an UNDRAIN */
	f.state &= ~(uint32_t)NODE_DOWN;
#elif defined(MUTATE_13) /* a node that is down is brought back before its slurmd is there */
	f.at_its_address = true;
#elif defined(MUTATE_6)  /* an old answer is as good as a new one */
	f.age_ms = 0;
#elif defined(MUTATE_7)  /* an update on its way is overlooked */
	f.update_in_flight = false;
#elif defined(MUTATE_8)  /* unknown is read as absent */
	f.usable = true;
	f.node = f.node == UNKNOWN ? NO : f.node;
#elif defined(MUTATE_9)  /* a deletion on its way is overlooked */
	f.in_flight = false;
#elif defined(MUTATE_10) /* a node that another pod names too is brought back */
	f.ambiguous = false;
#elif defined(MUTATE_11) /* a node that Slurm does not take as it is is brought back */
	f.state &= ~(uint32_t)NODE_INVALID_REG;
#elif defined(MUTATE_12) /* a node that is to be rebooted is brought back */
	f.state &= ~(uint32_t)NODE_REBOOT;
#endif
	return decide_undrain(&f);
}

int main(void)
{
	struct undrain_facts f;
	__CPROVER_assume(f.node >= UNKNOWN && f.node <= YES && f.reason >= REASON_EMPTY &&
		f.reason <= REASON_FOREIGN);
	__CPROVER_assume((f.leaving == 0 || f.leaving == 1) &&
		(f.cordoned == 0 || f.cordoned == 1));
	__CPROVER_assume(f.lost == 0 || f.lost == 1);
	__CPROVER_assume(f.at_its_address == 0 || f.at_its_address == 1);
	__CPROVER_assume((f.in_flight == 0 || f.in_flight == 1) &&
		(f.ambiguous == 0 || f.ambiguous == 1));
	__CPROVER_assume((f.pod_ready == 0 || f.pod_ready == 1) &&
		(f.usable == 0 || f.usable == 1) &&
		(f.update_in_flight == 0 || f.update_in_flight == 1));

	enum undrain u = decision_under_proof(f);
	bool drained = f.usable && f.node == YES && (f.state & NODE_DRAIN);
	bool ours = f.reason == REASON_OURS;
	bool lost = f.usable && f.node == YES && !(f.state & NODE_DRAIN) && (f.state & NODE_DOWN) &&
		f.lost && f.reason != REASON_FOREIGN;

	if (u == UNDRAIN_SEND || u == UNDRAIN_RESUME) {
		__CPROVER_assert(ours || lost, "never a foreign drain");
		__CPROVER_assert(!f.cordoned && !f.leaving, "never against a wish");
		__CPROVER_assert(!f.ambiguous, "never a node that may be somebody else's");
		__CPROVER_assert(!f.in_flight, "never while an action on the pod is under way");
		__CPROVER_assert((drained || lost) && f.age_ms >= 0 && f.age_ms <= 5000 &&
				!f.update_in_flight,
			"only on what Slurm says now");
		__CPROVER_assert(!(f.state & (NODE_UNDRAIN | NODE_NOT_RESPONDING)) && f.pod_ready,
			"only a node that can work, once");
		__CPROVER_assert(!(f.state & NODE_DOWN) == (u == UNDRAIN_SEND),
			"a node that is DOWN is resumed, and no other");
		__CPROVER_assert(f.at_its_address, "only for the slurmd of its pod");
		__CPROVER_assert(!(f.state & NODE_REBOOT), "never under an administrator's reboot");
		__CPROVER_assert(!(f.state & NODE_INVALID_REG),
			"never what Slurm refuses, and overwrites its own reason with");
	}
	/*
	 * The note that we had cordoned the pod is taken away after these two answers: no
	 * drain of ours may be left then, or be under way.
	 */
	if (!f.leaving && !f.cordoned && (u == UNDRAIN_NOTHING || u == UNDRAIN_KEEP)) {
		__CPROVER_assert(!(drained && ours) || f.ambiguous,
			"no drain of ours is forgotten");
		__CPROVER_assert(f.usable && f.node != UNKNOWN && !f.update_in_flight,
			"nothing is concluded from what is not known");
	}
	return 0;
}
