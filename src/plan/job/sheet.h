/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to this folder: what the decisions of one plan share.
 *
 *     plan.c     the steps: finalizers, the pod, the end of the object
 *     cancel.c   the deletion of the pod
 *     held.c     the finalizer of the pod
 *     collector.c  the pod that copies its results, by collect.h
 *     status.c   what the status says of the pod
 *     words.c    the conditions
 *     collected.c  that of the results
 */
#ifndef PLAN_JOB_SHEET_H
#define PLAN_JOB_SHEET_H

#include "object/condition.h"
#include "plan/job/collect.h"
#include "plan/job/plan.h"
#include "plan/job/rule.h"

struct job_sheet {
	const struct job_view *view;
	struct job job;
	struct job_fault fault; /* reason NULL: none */
	struct job_facts facts;
	enum job_step step;
	const char *pod_name;
	enum collect_step collect;
	struct job_fault results_fault; /* reason NULL: none */
	const char *collector_name;
	int64_t attempts;        /* at the results so far */
	int64_t next_attempt_ms; /* wall: not before */
	int64_t now_wall_ms;
	struct plan *out;
	struct arena *arena;
	struct jdoc *d;
};

/* An action on an object of its namespace. */
struct action *job_order(struct job_sheet *s, struct deed deed, const char *name, const char *why);
/* "SlurmJob" or "WlmJob". */
const char *job_kind(const struct job_sheet *s);
/* The pod is this object's; NULL: there is none. */
const struct pod_fact *job_pod_of(const struct job_sheet *s);
/* Its end, as the status says it: Succeeded or Failed. */
bool job_ended(const struct job_sheet *s);

/* What keeps failing of this verb, of this pod; NULL: nothing. */
const char *job_failure_of(const struct job_sheet *s, enum verb verb, const char *pod);

/* The pod of this version loses the finalizer of its beginning. */
struct action *job_let_pod_go(struct plan *out, struct jdoc *d, const struct pod_fact *pod);

/* The only place where the deletion of such a pod is ordered (tools/check-layers). */
void order_job_pod_deletion(struct job_sheet *s);

/* What is to be done for the results; it sets what the sheet has of them. */
enum collect_step job_collect_step(struct job_sheet *s);
/* Their pod runs, or will: the object is not deleted in time meanwhile. */
bool job_is_collecting(const struct job_sheet *s);
/* The Node of the job's pod is to be known for that. */
bool job_asks_server(const struct job_sheet *s);
/* Does that step. */
void job_collect(struct job_sheet *s);
/* What is said of it now; false: nothing. */
#define JOB_COLLECTED "ResultsCollected"
bool job_collected(struct job_sheet *s, struct condition *out);
/* How often it was tried. */
void job_set_collector(struct job_sheet *s, struct jval *status);

/* Publishes what is known, if that is news. */
void job_publish(struct job_sheet *s);

/*
 * What is said of it now. What is not said stays as it was, but for Terminating, which
 * goes.
 */
enum { JOB_CONDITIONS = 5 };
#define JOB_TERMINATING "Terminating"
struct job_conditions {
	struct condition rows[JOB_CONDITIONS];
	size_t n;
};
struct job_conditions job_conditions_of(struct job_sheet *s);

#endif
