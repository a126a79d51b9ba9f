/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rule of autoscaling, for all values that a NodeSet and a Slurm may have: it adds
 * nothing beyond maxReplicas, takes away no pod whose node may have a job, and none
 * before there were too many for the whole delay, and changes nothing while something is
 * unknown.
 *
 * MUTATE_n: the same rule with one thing wrong. Each must be refuted.
 */
#include "plan/autoscale/rule.h"

static struct autoscale_answer rule_under_proof(const struct autoscale_facts *facts)
{
	struct autoscale_facts f = *facts;
#if defined(MUTATE_1) /* what is unknown counts as an empty queue */
	f.known = true;
#elif defined(MUTATE_2)  /* nodes with jobs are overlooked */
	f.busy = 0;
#elif defined(MUTATE_3)  /* old facts about nodes are as good */
	f.fresh = true;
#elif defined(MUTATE_4)  /* no end of what is added */
	f.max = AUTOSCALE_MOST;
#elif defined(MUTATE_5)  /* the delay is forgotten */
	f.delay_ms = 0;
#elif defined(MUTATE_6)  /* too many are too many since ever */
	f.since_ms = 1;
#elif defined(MUTATE_7)  /* only the moment counts, not the peak */
	f.peak = 0;
#elif defined(MUTATE_8)  /* fewer than are wished */
	f.min = 0;
#elif defined(MUTATE_9)  /* a job that has just begun may wait as well */
	f.current = true;
#elif defined(MUTATE_10) /* the same, where the queue takes long */
	f.begun = 0;
#elif defined(MUTATE_11) /* the last pod goes, and Slurm takes no job any more */
	f.keep = 0;
#elif defined(MUTATE_12) /* what was announced is added whatever the queue says */
	f.need = f.announced;
#endif
	return decide_autoscale(&f);
}

static bool within(int64_t v, int64_t most) { return v >= 0 && v <= most; }

int main(void)
{
	struct autoscale_facts f;
	__CPROVER_assume((f.known == 0 || f.known == 1) && (f.fresh == 0 || f.fresh == 1) &&
		(f.current == 0 || f.current == 1) && (f.overtaken == 0 || f.overtaken == 1));
	__CPROVER_assume(within(f.replicas, AUTOSCALE_MOST) && within(f.max, AUTOSCALE_MOST) &&
		within(f.min, f.max) && within(f.buffer, AUTOSCALE_MOST));
	__CPROVER_assume(within(f.busy, AUTOSCALE_MOST) && within(f.begun, f.busy) &&
		within(f.announced, AUTOSCALE_MOST) && within(f.unusable, AUTOSCALE_MOST) &&
		within(f.need, AUTOSCALE_JOBS_MOST) && within(f.peak, AUTOSCALE_MOST) &&
		within(f.keep, f.replicas));
	__CPROVER_assume(within(f.since_ms, INT64_MAX / 4) && within(f.delay_ms, INT64_MAX / 4) &&
		within(f.now_ms, INT64_MAX / 4) && f.now_ms > 0);

	struct autoscale_answer a = rule_under_proof(&f);
	bool fewer = a.replicas<f.replicas, more = a.replicas> f.replicas;
	__CPROVER_assert(f.known || !(fewer || more), "what is unknown changes nothing");
	__CPROVER_assert(!more || a.replicas <= f.max, "never more than the maximum");
	__CPROVER_assert(!more || f.current || f.overtaken || a.replicas == f.min ||
			a.replicas <= f.announced,
		"never more by an older queue, while there can be a newer one");
	__CPROVER_assert(!more || f.current || a.replicas == f.min || a.replicas <= f.announced ||
			a.replicas <= f.busy - f.begun + f.unusable + f.need + f.buffer,
		"a job is not counted on its node and as waiting");
	__CPROVER_assert(!more || a.replicas == f.min ||
			a.replicas <= f.busy + f.unusable + f.need + f.buffer,
		"never more than the queue may need");
	__CPROVER_assert(!fewer || a.replicas >= f.busy, "never fewer than have a job");
	__CPROVER_assert(!fewer || a.replicas >= f.min, "never fewer than the minimum");
	__CPROVER_assert(!fewer || a.replicas >= f.keep || a.replicas >= f.max,
		"never fewer than Slurm takes jobs with");
	__CPROVER_assert(!fewer || f.fresh, "never fewer by old facts");
	__CPROVER_assert(!fewer || f.delay_ms == 0 ||
			(f.since_ms > 0 && f.since_ms + f.delay_ms <= f.now_ms),
		"never fewer before the delay is over");
	__CPROVER_assert(!fewer || f.delay_ms == 0 || a.replicas >= f.peak,
		"never fewer than were wanted meanwhile");
	__CPROVER_assert(!f.known || f.replicas >= f.min || a.replicas >= f.min,
		"at least the minimum");
	__CPROVER_assert(a.since_ms == 0 || a.since_ms <= f.now_ms,
		"too many since a time that was");
	return 0;
}
