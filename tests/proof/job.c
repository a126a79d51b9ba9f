/* SPDX-License-Identifier: Apache-2.0 */
/*
 * P5 for the decision itself: a SlurmJob or WlmJob has one pod ever, and with it one job.
 * The world is everything that may have happened before; the facts are what is known of
 * it, as the read right before a creation confirms it. Holds for every value of every
 * fact; there is no loop.
 *
 * MUTATE_n: the same decision with one fact ignored. Each must be refuted.
 */
#include "plan/job/rule.h"

struct world {
	bool made;   /* a pod was made some time, or its creation may be under way */
	bool coming; /* a creation was sent, and its outcome is unknown */
	bool there;  /* the pod is there */
	bool noted;  /* the status knows of it */
	bool held;   /* the pod has its finalizer */
};

static enum job_step decision_under_proof(struct job_facts f)
{
#if defined(MUTATE_1) /* pods that were not listed yet are taken for missing */
	f.known = true;
#elif defined(MUTATE_2)  /* a creation on its way is overlooked */
	f.in_flight = false;
#elif defined(MUTATE_3)  /* a pod that has gone is made again */
	f.noted = f.pod == JOB_POD_NONE ? false : f.noted;
#elif defined(MUTATE_4)  /* the pod may go before the status knows of it */
	f.noted = f.pod == JOB_POD_OURS ? true : f.noted;
#elif defined(MUTATE_5)  /* another owner's pod of the name is taken over */
	f.pod = f.pod == JOB_POD_OTHERS ? JOB_POD_OURS : f.pod;
#elif defined(MUTATE_6)  /* what is asked for cannot be, and is made all the same */
	f.faulty = false;
#elif defined(MUTATE_7)  /* a pod is made that is not cancelled with its object */
	f.kept = true;
#elif defined(MUTATE_8)  /* the object goes while its pod is there */
	f.pod = f.deleting ? JOB_POD_NONE : f.pod;
#elif defined(MUTATE_9)  /* another owner's pod is no pod, so the name is free */
	f.pod = f.pod == JOB_POD_OTHERS ? JOB_POD_NONE : f.pod;
#elif defined(MUTATE_10) /* a deletion that was not asked for */
	f.deleting = true;
#elif defined(MUTATE_11) /* the pod was to stay */
	f.orphaning = false;
#elif defined(MUTATE_12) /* the finalizer of a pod that is to stay is forgotten */
	f.pod = f.pod == JOB_POD_ORPHANED ? JOB_POD_OTHERS : f.pod;
#elif defined(MUTATE_13) /* a pod without a controller is taken for an own one */
	f.pod = f.pod == JOB_POD_ORPHANED ? JOB_POD_OURS : f.pod;
#endif
	return decide_job(&f);
}

static void assume_bools(const struct job_facts *f, const struct world *w)
{
	__CPROVER_assume((f->known == 0 || f->known == 1) &&
		(f->in_flight == 0 || f->in_flight == 1) &&
		(f->deleting == 0 || f->deleting == 1) && (f->kept == 0 || f->kept == 1));
	__CPROVER_assume((f->orphaning == 0 || f->orphaning == 1) &&
		(f->faulty == 0 || f->faulty == 1) && (f->noted == 0 || f->noted == 1) &&
		(f->pod_held == 0 || f->pod_held == 1) &&
		(f->pod_ending == 0 || f->pod_ending == 1));
	__CPROVER_assume((w->made == 0 || w->made == 1) && (w->coming == 0 || w->coming == 1) &&
		(w->there == 0 || w->there == 1) && (w->noted == 0 || w->noted == 1) &&
		(w->held == 0 || w->held == 1));
	__CPROVER_assume(f->pod >= JOB_POD_NONE && f->pod <= JOB_POD_OTHERS);
}

/* How what is known hangs together with what has happened. */
static void assume_knowledge(const struct job_facts *f, const struct world *w)
{
	__CPROVER_assume(!(w->there || w->coming || w->noted) || w->made);
	/*
	 * A pod is made with its finalizer, and goes or loses it when the status knows of
	 * it, or when its object is being deleted.
	 */
	__CPROVER_assume(!(w->made && !w->there && !w->coming) || w->noted || f->deleting);
	__CPROVER_assume(!w->there || w->held || w->noted || f->deleting);
	/* The object was read right before. */
	__CPROVER_assume(f->noted == w->noted);
	/*
	 * Which pods there are is known once they were listed, and while no action of
	 * ours is under way.
	 */
	__CPROVER_assume(!w->coming || f->in_flight);
	__CPROVER_assume(!f->known || f->in_flight || (f->pod == JOB_POD_OURS) == w->there);
	__CPROVER_assume(f->pod != JOB_POD_OURS || f->pod_held == w->held);
	__CPROVER_assume(f->pod != JOB_POD_ORPHANED || f->pod_held);
	__CPROVER_assume(f->known || f->pod == JOB_POD_NONE);
	__CPROVER_assume(!f->orphaning || f->deleting);
}

int main(void)
{
	struct job_facts f;
	struct world w;
	assume_bools(&f, &w);
	assume_knowledge(&f, &w);

	enum job_step s = decision_under_proof(f);
	if (s == JOB_CREATE) {
		__CPROVER_assert(!w.made, "never a second pod");
		__CPROVER_assert(f.pod == JOB_POD_NONE, "only where the name is free");
		__CPROVER_assert(f.kept, "none whose object could go without a word");
		__CPROVER_assert(!f.faulty && !f.deleting, "only what can be, and is wished");
	}
	if (s == JOB_LET_POD_GO)
		__CPROVER_assert(f.deleting || (w.noted && f.pod == JOB_POD_OURS),
			"no pod goes unseen");
	if (s == JOB_DELETE_POD)
		__CPROVER_assert(f.deleting && !f.orphaning && f.pod == JOB_POD_OURS,
			"a pod is deleted with its object only, and only an own one");
	if (s == JOB_LET_POD_GO)
		__CPROVER_assert(f.pod == JOB_POD_OURS || f.pod == JOB_POD_ORPHANED,
			"no pod of others is let go");
	if (s == JOB_MIRROR || s == JOB_NOTE)
		__CPROVER_assert(f.pod == JOB_POD_OURS, "no pod of others is believed");
	if (s == JOB_FINISH)
		__CPROVER_assert(f.deleting && !w.coming && (!w.there || f.orphaning),
			"the object outlives its pod");
	if (s == JOB_FINISH)
		__CPROVER_assert(f.pod != JOB_POD_ORPHANED, "no pod keeps its finalizer");
	__CPROVER_assert(!f.known || f.in_flight || f.deleting || w.made || f.faulty || !f.kept ||
			f.pod != JOB_POD_NONE || s == JOB_CREATE,
		"and then its pod is made");
	return 0;
}
