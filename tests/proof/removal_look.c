/* SPDX-License-Identifier: Apache-2.0 */
/*
 * P1 and P2 at the backend: a deletion that relies on Slurm is sent only when the newest
 * answer of Slurm says what the plan relied on. Holds for every value of every fact of
 * the plan and of the answer; there is no loop and no bound.
 *
 * MUTATE_n: the same decision with one thing overlooked. Each must be refuted.
 */
#include "engine/removal.h"

/* The answer with one mutation. */
static struct removal_answer mutated(struct removal_facts f, struct removal_answer a)
{
	(void)f;
#if defined(MUTATE_3) /* there is no look */
	a.looked = true;
#elif defined(MUTATE_4)  /* a Slurm that has gone since is read as an answer */
	a.usable = true;
#elif defined(MUTATE_5)  /* a node that has come since, or gone, is as it was */
	a.node = f.node;
#elif defined(MUTATE_6)  /* a drain that was lifted since is a drain */
	a.state = f.state;
#elif defined(MUTATE_7)  /* a job that has come since is no job */
	a.held = f.held;
#elif defined(MUTATE_8)  /* an update that was sent since is overlooked */
	a.update_in_flight = false;
#elif defined(MUTATE_9)  /* a node that has the pod's address since is overlooked */
	a.ambiguous = false;
#elif defined(MUTATE_10) /* a job that was resized since the list of jobs is overlooked */
	a.confirmed = true;
#elif defined(MUTATE_11) /* a drain that began anew since the list of jobs is the same one */
	a.free_since_ms = f.free_since_ms;
	a.jobs_asked_ms = f.jobs_asked_ms;
#elif defined(MUTATE_12) /* however long ago the answer was asked for */
	a.age_ms = f.age_ms;
#elif defined(MUTATE_13) /* a node that came and went since was absent all the time */
	a.absent_for_ms = f.absent_for_ms;
#elif defined(MUTATE_14) /* however long ago the jobs were asked for */
	a.jobs_age_ms = f.jobs_age_ms;
#elif defined(MUTATE_15) /* however long the deletion has waited for its look */
	a.kube_age_ms = f.kube_age_ms;
#elif defined(MUTATE_16) /* however old the list is that shows no slurmd of another name */
	a.list_age_ms = f.list_age_ms;
#elif defined(MUTATE_20) /* an image that failed to come has failed for good */
	a.halted_for_ms = f.halted_for_ms;
#elif defined(MUTATE_17) /* a list from before the node went shows that none has come */
	a.list_waited_ms = f.list_waited_ms;
#endif
	return a;
}

static bool decision_under_proof(struct removal_facts f, struct removal_answer answer)
{
	const struct removal_answer a = mutated(f, answer);
	const struct removal_facts now = removal_facts_now(f, &a);
	enum removal ordered = decide_removal(&f), r = decide_removal(&now);
	(void)ordered, (void)r;
#if defined(MUTATE_1) /* the new answer is not put in */
	return removal_relies_on_slurm(ordered) && a.looked && (f.node == NO || a.confirmed);
#elif defined(MUTATE_2)  /* a look is enough, whatever was seen */
	return removal_relies_on_slurm(ordered) && a.looked;
#elif defined(MUTATE_18) /* a drained node that has gone since may go as an absent one */
	return a.looked && removal_relies_on_slurm(r) && removal_relies_on_slurm(ordered) &&
		(r == REMOVAL_ABSENT || a.confirmed);
#elif defined(MUTATE_19) /* what Slurm says now makes up for what the plan did not know */
	return a.looked && removal_permits(r) && (a.node == NO || a.confirmed);
#endif
	return removal_holds(&f, &a);
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

/* The conditions that were checked before there was a rule; the rule refuses no less. */
static bool slurm_says_the_same(const struct removal_answer *a, bool absent)
{
	if (!a->usable || a->update_in_flight || a->ambiguous || !a->looked)
		return false;
	if (absent)
		return a->node == NO;
	return a->node == YES && drained_and_idle(a->state) && a->free_since_ms != 0 &&
		a->held == NO && a->jobs_asked_ms >= a->free_since_ms && a->confirmed;
}

static bool is_new_enough(const struct removal_facts *f, const struct removal_answer *a)
{
	bool waits = f->stuck && f->halted && a->halted_for_ms >= 0 && a->halted_for_ms <= 5000;
	bool young = f->phase == POD_PENDING && !waits;
	int64_t grace_ms = young ? 300000 : 10000;
	bool jobs = a->node == NO || (a->jobs_age_ms >= 0 && a->jobs_age_ms <= 60000);
	bool absent = a->node != NO || a->absent_for_ms >= grace_ms;
	bool list = !f->by_list ||
		(a->list_age_ms >= 0 && a->list_age_ms <= 5000 &&
			(a->node != NO || a->list_waited_ms >= grace_ms));
	return a->age_ms >= 0 && a->age_ms <= 5000 && a->kube_age_ms <= 180000 && jobs && absent &&
		list;
}

static bool is_as_planned(const struct removal_facts *f, const struct removal_answer *a)
{
	return a->kube_age_ms == f->kube_age_ms && a->halted_for_ms == f->halted_for_ms &&
		a->usable == f->usable && a->node == f->node && a->ambiguous == f->ambiguous &&
		a->update_in_flight == f->update_in_flight && a->age_ms == f->age_ms &&
		a->absent_for_ms == f->absent_for_ms && a->list_waited_ms == f->list_waited_ms &&
		a->list_age_ms == f->list_age_ms && a->state == f->state && a->held == f->held &&
		a->jobs_asked_ms == f->jobs_asked_ms && a->jobs_age_ms == f->jobs_age_ms &&
		a->free_since_ms == f->free_since_ms;
}

#define IS_BOOL(x) ((x) == 0 || (x) == 1)

static void assume_possible(const struct removal_facts *f)
{
	__CPROVER_assume(f->phase >= POD_EMPTY && f->phase <= POD_PHASE_UNKNOWN);
	__CPROVER_assume(f->node >= UNKNOWN && f->node <= YES && f->held >= UNKNOWN &&
		f->held <= YES);
	__CPROVER_assume(IS_BOOL(f->bound) && IS_BOOL(f->stuck) && IS_BOOL(f->cordoned) &&
		IS_BOOL(f->in_flight) && IS_BOOL(f->release_now) && IS_BOOL(f->registered) &&
		IS_BOOL(f->unstarted) && IS_BOOL(f->needs_secret) && IS_BOOL(f->halted));
	__CPROVER_assume(IS_BOOL(f->usable) && IS_BOOL(f->ambiguous) && IS_BOOL(f->lost_work) &&
		IS_BOOL(f->update_in_flight) && IS_BOOL(f->lift_may_come) &&
		IS_BOOL(f->predates_pod) && IS_BOOL(f->at_its_address) && IS_BOOL(f->by_list));
}

static void assume_possible_answer(const struct removal_answer *a)
{
	__CPROVER_assume(a->node >= UNKNOWN && a->node <= YES && a->held >= UNKNOWN &&
		a->held <= YES);
	__CPROVER_assume(IS_BOOL(a->looked) && IS_BOOL(a->usable) && IS_BOOL(a->ambiguous) &&
		IS_BOOL(a->update_in_flight) && IS_BOOL(a->confirmed));
}

int main(void)
{
	struct removal_facts f;
	struct removal_answer a;
	assume_possible(&f);
	assume_possible_answer(&a);

	bool holds = decision_under_proof(f, a);
	enum removal ordered = decide_removal(&f);

	__CPROVER_assert(!holds || removal_relies_on_slurm(ordered),
		"what the plan did not permit is not sent");
	__CPROVER_assert(!holds || slurm_says_the_same(&a, ordered == REMOVAL_ABSENT),
		"what is sent is what Slurm says by now");
	__CPROVER_assert(!holds || is_new_enough(&f, &a), "and has said a moment ago");
	__CPROVER_assert(holds || !removal_relies_on_slurm(ordered) || !is_as_planned(&f, &a) ||
			!a.looked || (a.node == YES && !a.confirmed),
		"and when it is as it was, it is sent");
	return 0;
}
