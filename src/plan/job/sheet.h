/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to this folder: what the decisions of one plan share.
 *
 *     plan.c     the steps: finalizers, the pod, the end of the object
 *     cancel.c   the deletion of the pod
 *     held.c     the finalizer of the pod
 *     status.c   what the status says of the pod
 *     words.c    the conditions
 */
#ifndef PLAN_JOB_SHEET_H
#define PLAN_JOB_SHEET_H

#include "object/condition.h"
#include "plan/job/plan.h"
#include "plan/job/rule.h"

struct job_sheet {
	const struct job_view *view;
	struct job job;
	struct job_fault fault; /* reason NULL: none */
	struct job_facts facts;
	enum job_step step;
	const char *pod_name;
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

/* The pod of this version loses the finalizer of its beginning. */
struct action *job_let_pod_go(struct plan *out, struct jdoc *d, const struct pod_fact *pod);

/* The only place where the deletion of such a pod is ordered (tools/check-layers). */
void order_job_pod_deletion(struct job_sheet *s);

/* Publishes what is known, if that is news. */
void job_publish(struct job_sheet *s);

/*
 * What is said of it now. What is not said stays as it was, but for Terminating, which
 * goes.
 */
enum { JOB_CONDITIONS = 4 };
#define JOB_TERMINATING "Terminating"
struct job_conditions {
	struct condition rows[JOB_CONDITIONS];
	size_t n;
};
struct job_conditions job_conditions_of(struct job_sheet *s);

#endif
