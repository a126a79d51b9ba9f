/* SPDX-License-Identifier: Apache-2.0 */
/*
 * P1 and P2 for the decision itself: whatever is known of a pod and its Slurm node, it
 * may go only for one of the reasons below. Holds for every value of every fact; there is
 * no loop and no bound.
 *
 * MUTATE_n: the same decision with one fact ignored. Each must be refuted.
 */
#include "engine/removal.h"

/* Mutations of the facts from Kubernetes. */
static struct removal_facts mutated_of_kubernetes(struct removal_facts f)
{
#if defined(MUTATE_25) /* a pod that Slurm has had is as good as one that never worked */
	f.registered = false;
#elif defined(MUTATE_26) /* what has not started yet never starts */
	f.needs_secret = true;
#elif defined(MUTATE_27) /* a pod of this second is as well known as one of a minute */
	f.seen_for_ms = UNSTARTED_MS;
#elif defined(MUTATE_28) /* what has ended, or failed to start, stays so */
	f.halted_for_ms = 0;
#elif defined(MUTATE_31) /* when a container ended is known by hearsay */
	f.ended_for_ms = 0;
#elif defined(MUTATE_24) /* what Kubernetes said long ago is still so */
	f.kube_age_ms = 0;
#elif defined(MUTATE_29) /* whether a container has started is not checked */
	f.unstarted = true;
#elif defined(MUTATE_30) /* nor whether one runs */
	f.halted = true;
#endif
	return f;
}

static enum removal decision_under_proof(struct removal_facts all)
{
	struct removal_facts f = mutated_of_kubernetes(all);
#if defined(MUTATE_1) /* Slurm unreachable is read as an answer */
	f.usable = true;
#elif defined(MUTATE_2)  /* an old answer is as good as a new one */
	f.age_ms = 0;
#elif defined(MUTATE_3)  /* unknown is read as absent */
	f.node = f.node == UNKNOWN ? NO : f.node;
#elif defined(MUTATE_4)  /* an epilog that still runs is overlooked */
	f.state &= ~(uint32_t)NODE_COMPLETING;
#elif defined(MUTATE_5)  /* a drain that is being lifted counts as a drain */
	f.state &= ~(uint32_t)NODE_UNDRAIN;
#elif defined(MUTATE_6)  /* a slurmd that is about to register is not waited for */
	f.absent_for_ms = START_GRACE_MS;
#elif defined(MUTATE_7)  /* an update on its way is overlooked */
	f.update_in_flight = false;
#elif defined(MUTATE_8)  /* a pod on a machine counts as never started */
	f.bound = false;
#elif defined(MUTATE_9)  /* an action on its way is overlooked */
	f.in_flight = false;
#elif defined(MUTATE_10) /* a pod that was never cordoned goes too */
	f.cordoned = true;
#elif defined(MUTATE_11) /* what was said of a predecessor is said of the pod */
	f.predates_pod = false;
#elif defined(MUTATE_12) /* a suspended job leaves its node idle, so it is no job */
	f.held = NO;
#elif defined(MUTATE_13) /* which jobs there are was asked before the node was drained */
	f.jobs_asked_ms = f.free_since_ms;
#elif defined(MUTATE_14) /* the nodes of a job are unknown, so it has none */
	f.held = f.held == UNKNOWN ? NO : f.held;
#elif defined(MUTATE_15) /* the name is enough, also when others have it */
	f.ambiguous = false;
#elif defined(MUTATE_16) /* what Slurm has forgotten has ended */
	f.lost_work = false;
#elif defined(MUTATE_17) /* an unknown state is no state */
	f.state &= ~(uint32_t)(NODE_OTHER | NODE_INVALID | NODE_UNKNOWN | NODE_EXTERNAL);
#elif defined(MUTATE_18) /* what a manager before this one has sent has arrived */
	f.lift_may_come = false;
#elif defined(MUTATE_20) /* the record of a predecessor is the node of the pod */
	f.at_its_address = true;
#elif defined(MUTATE_21) /* a list in which nothing had changed shows what has come */
	f.list_age_ms = 0;
#elif defined(MUTATE_22) /* a list from before shows that none has registered */
	f.list_waited_ms = f.node == NO ? f.absent_for_ms : f.in_phase_for_ms;
#elif defined(MUTATE_23) /* a slurmd at another address that answers has not taken the node over */
	f.state |= f.node == YES ? NODE_NOT_RESPONDING : 0;
#elif defined(MUTATE_19) /* an old answer about jobs is as good as a new one */
	f.jobs_age_ms = 0;
#endif
	return decide_removal(&f);
}

/* Written anew, without the functions under proof. */
static bool drained_and_idle(uint32_t state)
{
	uint32_t busy = NODE_ALLOCATED | NODE_MIXED | NODE_COMPLETING,
		 strange = NODE_OTHER | NODE_INVALID | NODE_UNKNOWN | NODE_EXTERNAL;
	uint32_t base = NODE_IDLE | NODE_DOWN | NODE_ERROR | NODE_FUTURE;
	return (state & NODE_DRAIN) && !(state & NODE_UNDRAIN) && !(state & busy) &&
		!(state & strange) && (state & base);
}

static bool no_job_has_it(const struct removal_facts *f)
{
	bool new_enough = f->jobs_age_ms >= 0 && f->jobs_age_ms <= 60000;
	return f->held == NO && f->free_since_ms != 0 && f->jobs_asked_ms >= f->free_since_ms &&
		new_enough;
}

/* The container may run by now, and the kubelet has not reported it. */
static bool may_have_started(const struct removal_facts *f)
{
	bool waits = f->stuck && f->halted && f->halted_for_ms >= 0 && f->halted_for_ms <= 5000;
	return f->phase == POD_PENDING && !waits;
}

/* No slurmd of another name is the pod's. */
static bool is_nowhere_else(const struct removal_facts *f)
{
	int64_t least_ms = f->node == YES && f->at_its_address ? 0
		: may_have_started(f)                          ? 300000
							       : 10000;
	return !f->by_list ||
		(f->list_age_ms >= 0 && f->list_age_ms <= 5000 && f->list_waited_ms >= least_ms);
}

static bool no_job_can_run(const struct removal_facts *f)
{
	bool waited = f->in_phase_for_ms >= (may_have_started(f) ? 300000 : 10000);
	bool nobody_answers = f->phase == POD_PENDING ||
		(f->state & (NODE_DOWN | NODE_NOT_RESPONDING | NODE_FUTURE));
	if (f->node == YES)
		return drained_and_idle(f->state) && no_job_has_it(f) &&
			(f->at_its_address || (waited && nobody_answers && !f->lost_work));
	return f->node == NO && !f->lost_work &&
		f->absent_for_ms >= (may_have_started(f) ? 300000 : 10000);
}

/*
 * The Secret is read before the deletion: that there is none is not a fact of this rule.
 */
static bool never_worked(const struct removal_facts *f)
{
	bool silent = !f->usable || f->node == UNKNOWN;
	bool unstarted = f->phase == POD_PENDING && f->unstarted && f->needs_secret &&
		f->seen_for_ms >= 60000;
	bool ended = f->ended_for_ms >= -1000 && f->ended_for_ms <= 5000;
	bool halted = f->halted && f->halted_for_ms >= 0 && f->halted_for_ms <= 5000 &&
		(ended || (f->phase == POD_PENDING && f->unstarted)) &&
		(f->cordoned || f->phase == POD_PENDING);
	return silent && !f->ambiguous && !f->registered && (unstarted || halted);
}

/* No guard covers what is known beside the pod itself. */
static bool kubernetes_tells(const struct removal_facts *f) { return f->kube_age_ms <= 180000; }

static bool answer_counts(const struct removal_facts *f)
{
	return f->usable && !f->ambiguous && f->age_ms >= 0 && f->age_ms <= 5000 &&
		!f->predates_pod && !f->update_in_flight && !f->lift_may_come;
}

static void assume_possible(struct removal_facts f)
{
	__CPROVER_assume(f.phase >= POD_EMPTY && f.phase <= POD_PHASE_UNKNOWN &&
		f.node >= UNKNOWN && f.node <= YES);
	__CPROVER_assume(f.stuck == 0 || f.stuck == 1);
	__CPROVER_assume(f.cordoned == 0 || f.cordoned == 1);
	__CPROVER_assume((f.bound == 0 || f.bound == 1) && (f.in_flight == 0 || f.in_flight == 1) &&
		(f.release_now == 0 || f.release_now == 1));
	__CPROVER_assume(f.predates_pod == 0 || f.predates_pod == 1);
	__CPROVER_assume((f.ambiguous == 0 || f.ambiguous == 1) &&
		(f.lost_work == 0 || f.lost_work == 1));
	__CPROVER_assume(f.lift_may_come == 0 || f.lift_may_come == 1);
	__CPROVER_assume(f.at_its_address == 0 || f.at_its_address == 1);
	__CPROVER_assume(f.by_list == 0 || f.by_list == 1);
	__CPROVER_assume((f.registered == 0 || f.registered == 1) &&
		(f.unstarted == 0 || f.unstarted == 1) && (f.halted == 0 || f.halted == 1) &&
		(f.needs_secret == 0 || f.needs_secret == 1));
	__CPROVER_assume(f.held >= UNKNOWN && f.held <= YES);
	__CPROVER_assume((f.usable == 0 || f.usable == 1) &&
		(f.update_in_flight == 0 || f.update_in_flight == 1));
}

int main(void)
{
	struct removal_facts f;
	assume_possible(f);

	enum removal r = decision_under_proof(f);
	bool ended = f.phase == POD_SUCCEEDED || f.phase == POD_FAILED,
	     never_ran = f.phase == POD_PENDING && !f.bound;
	bool slurm_says_so = kubernetes_tells(&f) && answer_counts(&f) && no_job_can_run(&f) &&
		is_nowhere_else(&f);
	bool locked = f.cordoned || f.phase == POD_PENDING,
	     wished = f.release_now && kubernetes_tells(&f),
	     never = never_worked(&f) && kubernetes_tells(&f);

	__CPROVER_assert(!removal_permits(r) || !f.in_flight,
		"nothing goes while an action on it is under way");
	__CPROVER_assert(!removal_permits(r) || ended || never_ran || wished || never ||
			slurm_says_so,
		"a pod goes only when no job can be running in it");
	__CPROVER_assert(r != REMOVAL_RELEASED || wished, "only the user's wish overrides");
	__CPROVER_assert(!removal_relies_on_slurm(r) || slurm_says_so,
		"what relies on Slurm is what Slurm said");
	__CPROVER_assert(!removal_relies_on_slurm(r) || locked,
		"what relies on Slurm is for a version of the pod on which nothing is undrained");
	__CPROVER_assert((r != REMOVAL_UNSTARTED && r != REMOVAL_HALTED) || never,
		"without an answer of Slurm only what never worked goes");
	__CPROVER_assert(r != REMOVAL_UNSTARTED || (f.phase == POD_PENDING && f.needs_secret),
		"what is unstarted goes for its Secret");
	__CPROVER_assert(f.in_flight ||
			!(ended || never_ran || wished || never || (slurm_says_so && locked)) ||
			removal_permits(r),
		"and then it does go");
	return 0;
}
