/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides how many pods a NodeSet with spec.autoscaling has. Free of pointers so that it
 * can be proven (tests/proof/autoscale.c).
 *
 * Pods are added at once, and never beyond maxReplicas. A surplus is removed after it has
 * lasted for scaleDownDelay without a break. Pods whose nodes have a job are never part
 * of the surplus, so no removal waits for a job. In addition, the rule of removal.h
 * removes a surplus pod only if it has no job.
 */
#ifndef PLAN_AUTOSCALE_RULE_H
#define PLAN_AUTOSCALE_RULE_H

#include <stdbool.h>
#include <stdint.h>

enum { AUTOSCALE_MOST = 65536, AUTOSCALE_JOBS_MOST = INT32_MAX };

struct autoscale_facts {
	bool known; /* Slurm's nodes and its queue are known; otherwise nothing changes */
	/*
	 * The facts about the nodes are newer than the last change of the queue, or older
	 * by less than the delay
	 */
	bool fresh;
	/*
	 * The queue was read after the last change of the nodes, so no job counts both on
	 * its nodes and as a waiting job
	 */
	bool current;
	/*
	 * current never becomes true, because Slurm takes longer to list its jobs than
	 * its nodes take to change
	 */
	bool overtaken;
	int64_t replicas; /* present value of spec.replicas */
	/*
	 * Number of pods that the status announces, from a plan with a current queue; 0:
	 * none
	 */
	int64_t announced;
	int64_t min, max, buffer;
	int64_t busy; /* pods whose nodes have a job, or may have one */
	/*
	 * busy pods whose job began after the queue was requested: it may wait there, too
	 */
	int64_t begun;
	int64_t unusable; /* other pods on which no job can start */
	int64_t need;     /* additional nodes that the waiting jobs need */
	int64_t keep;     /* pods that Slurm needs to accept jobs; at most replicas */
	/* Wall clock: start of the present surplus; 0: there is no surplus */
	int64_t since_ms;
	int64_t peak; /* largest number of wanted pods since then */
	int64_t delay_ms, now_ms;
};

struct autoscale_answer {
	int64_t wanted;         /* for the queue, within min and max */
	int64_t replicas;       /* new value of spec.replicas */
	int64_t since_ms, peak; /* for the next plan */
	int64_t again_in_ms;    /* 0: only a changed fact changes the answer */
	bool held;              /* keep prevents the removal of more pods */
};

static inline int64_t autoscale_wanted(const struct autoscale_facts *f)
{
	int64_t beside = f->need + f->buffer;
	int64_t wanted = f->busy + beside + (beside ? f->unusable : 0);
	wanted = wanted < f->min ? f->min : wanted;
	return wanted > f->max ? f->max : wanted;
}

/* Number of wanted pods if each job counts once. */
static inline int64_t autoscale_sure(const struct autoscale_facts *f)
{
	struct autoscale_facts once = *f;
	if (!f->current && !f->overtaken)
		return f->min;
	if (!f->current)
		once.busy -= f->begun;
	return autoscale_wanted(&once);
}

/* Pods that keep requires are still a surplus, and are removed when keep is smaller. */
static inline void autoscale_remove(const struct autoscale_facts *f, struct autoscale_answer *a)
{
	int64_t keep = f->keep < f->max ? f->keep : f->max;
	a->held = a->peak < keep;
	a->replicas = a->held ? keep : a->peak;
	if (!a->held)
		a->since_ms = a->peak = 0;
}

/*
 * The announced nodes are added as long as the queue may still need them: where nodes
 * change all the time, the queue is rarely current in two plans in a row.
 */
static inline int64_t autoscale_add(const struct autoscale_facts *f, int64_t wanted)
{
	int64_t announced = f->announced < wanted ? f->announced : wanted;
	int64_t sure = autoscale_sure(f);
	int64_t more = announced > sure ? announced : sure;
	return more > f->replicas ? more : f->replicas;
}

static inline struct autoscale_answer decide_autoscale(const struct autoscale_facts *f)
{
	struct autoscale_answer a = { .wanted = f->replicas, .replicas = f->replicas };
	if (!f->known)
		return a;
	a.wanted = autoscale_wanted(f);
	if (a.wanted >= f->replicas) {
		a.replicas = autoscale_add(f, a.wanted);
		return a;
	}
	int64_t least = a.wanted > f->busy ? a.wanted : f->busy;
	if (least >= f->replicas)
		return a;
	/*
	 * The delay starts again if the clock was set back, or if peak is of other
	 * replicas
	 */
	bool goes_on = f->since_ms > 0 && f->since_ms <= f->now_ms && f->peak < f->replicas;
	a.since_ms = goes_on ? f->since_ms : f->now_ms;
	a.peak = goes_on && f->peak > least ? f->peak : least;
	int64_t left_ms = a.since_ms + f->delay_ms - f->now_ms;
	if (left_ms > 0) {
		a.again_in_ms = left_ms;
	} else if (f->fresh) {
		autoscale_remove(f, &a);
	}
	return a;
}

#endif
