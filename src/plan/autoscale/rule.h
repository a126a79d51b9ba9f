/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many pods a NodeSet with spec.autoscaling is to have: free of pointers, so that it
 * can be proven (tests/proof/autoscale.c).
 *
 * Pods are added at once, and never beyond maxReplicas. A surplus is removed when it
 * has lasted for scaleDownDelay without a break. Pods whose nodes have a job are never
 * part of the surplus, so no removal waits for a job. The rule of removal.h removes a
 * surplus pod only without a job in any case.
 */
#ifndef PLAN_AUTOSCALE_RULE_H
#define PLAN_AUTOSCALE_RULE_H

#include <stdbool.h>
#include <stdint.h>

enum { AUTOSCALE_MOST = 65536, AUTOSCALE_JOBS_MOST = INT32_MAX };

struct autoscale_facts {
	bool known; /* Slurm's nodes and its queue are known; otherwise nothing changes */
	/*
	 * The nodes are known lately: as of after the last change of the queue, or of
	 * before it by less than the delay
	 */
	bool fresh;
	/*
	 * The queue is known as of after the last change of the nodes: no job is counted
	 * on its nodes and as waiting
	 */
	bool current;
	/*
	 * current never comes true: Slurm takes longer to list its jobs than its nodes
	 * take to change
	 */
	bool overtaken;
	int64_t replicas; /* spec.replicas as it is */
	/*
	 * The status announces so many, from a plan with a current queue; 0: it announces
	 * nothing
	 */
	int64_t announced;
	int64_t min, max, buffer;
	int64_t busy;     /* pods whose nodes have a job, or perhaps */
	int64_t begun;    /* of these: since the queue was asked for, in which it may wait */
	int64_t unusable; /* others on which no job can start */
	int64_t need;     /* nodes that the jobs that wait need beside those */
	int64_t keep;     /* pods without which Slurm takes no job; at most replicas */
	/* Wall: there has been a surplus since then, without a break; 0: there is none */
	int64_t since_ms;
	int64_t peak; /* the most that were wanted since then */
	int64_t delay_ms, now_ms;
};

struct autoscale_answer {
	int64_t wanted;         /* by the queue, within min and max */
	int64_t replicas;       /* spec.replicas as it should be */
	int64_t since_ms, peak; /* to be kept */
	int64_t again_in_ms;    /* 0: only news change the answer */
	bool held;              /* more would be removed, but for keep */
};

static inline int64_t autoscale_wanted(const struct autoscale_facts *f)
{
	int64_t beside = f->need + f->buffer;
	int64_t wanted = f->busy + beside + (beside ? f->unusable : 0);
	wanted = wanted < f->min ? f->min : wanted;
	return wanted > f->max ? f->max : wanted;
}

/* The pods that are wanted if each job counts once. */
static inline int64_t autoscale_sure(const struct autoscale_facts *f)
{
	struct autoscale_facts once = *f;
	if (!f->current && !f->overtaken)
		return f->min;
	if (!f->current)
		once.busy -= f->begun;
	return autoscale_wanted(&once);
}

/* Pods that are kept so that Slurm takes jobs stay a surplus; they go when not needed. */
static inline void autoscale_remove(const struct autoscale_facts *f, struct autoscale_answer *a)
{
	int64_t keep = f->keep < f->max ? f->keep : f->max;
	a->held = a->peak < keep;
	a->replicas = a->held ? keep : a->peak;
	if (!a->held)
		a->since_ms = a->peak = 0;
}

/*
 * The announced nodes are added as long as the queue may still need them: the queue is
 * rarely current for two plans in a row where nodes change all the time.
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
	/* A clock that was set back begins anew, as does a peak of other replicas */
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
