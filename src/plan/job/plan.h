/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The planner of SlurmJobs and WlmJobs: the pod that stands for the job, and the status
 * that reports its outcome. Pure. The decisions are those of plan/job/rule.h.
 */
#ifndef PLAN_JOB_PLAN_H
#define PLAN_JOB_PLAN_H

#include "api/job_results.h"
#include "engine/act/action.h"
#include "engine/act/failures.h"

/* Where a virtual node gives out results, as its Node says. */
struct job_server {
	bool known;            /* it was read a moment ago */
	const char *trouble;   /* why it cannot be read; NULL: it can */
	const char *url, *key; /* "": it does not say */
};

struct job_view {
	enum resource resource;
	const struct json *object;
	bool in_flight;  /* an action of ours on the object */
	bool in_short;   /* only a part of it, or of its namespace, is known */
	bool pods_known; /* false: not listed yet */
	/* Pods that have the names of its pod, and of the pods that copy data for it */
	const struct pod_fact *pod, *collector, *inputs_pod; /* NULL: there is none */
	const struct job_options *options;
	struct job_server server; /* of the virtual node that its pod is on */
	struct nodes_fact nodes;  /* the virtual nodes, when it has asked for them */
	bool may_come;            /* a creation that was sent before may still be done */
	/* The pod is being created, and another owner's pod has the name meanwhile */
	bool pod_overtaken;
	/* Operations for it that are refused again and again */
	const struct failing_action *failing;
	size_t n_failing;
};

/*
 * The Node that the plan wants to be read for view->server, lately; NULL: none. The plan
 * is made in any case.
 */
const char *job_wants_node(const struct job_view *view, int64_t now_wall_ms, struct arena *a);

/* now_wall_ms: since 1970. */
void job_plan(const struct job_view *view, int64_t now_wall_ms, struct plan *out);

/*
 * A pod that has the finalizer of its beginning and whose controlling object is not
 * there: for example, the pod was created after the object had gone. Without the object
 * no plan of the object removes the finalizer.
 */
struct job_left_view {
	const struct pod_fact *pod;
	int64_t seen_ms; /* monotonic: the objects are as they were then, or later */
};
/*
 * The pod loses its finalizer when the object has gone for certain: the objects are known
 * as of a time at which the pod was there already, whatever was sent for it has come, and
 * a last read says so. The garbage collector deletes the pod then, and its virtual node
 * cancels the job.
 */
void job_left_plan(const struct job_left_view *view, int64_t now_ms, struct plan *out);

#endif
