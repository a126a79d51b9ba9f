/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The planner of SlurmJobs and WlmJobs: the pod that stands for the job, and the status
 * that reports its outcome. Pure. plan/job/rule.h has the decisions.
 */
#ifndef PLAN_JOB_PLAN_H
#define PLAN_JOB_PLAN_H

#include "api/job_results.h"
#include "engine/act/action.h"
#include "engine/act/failures.h"

/* Where a virtual node serves results, by its Node object. */
struct job_server {
	bool known;            /* it was read a moment ago */
	const char *trouble;   /* why the Node cannot be read; NULL: no error */
	const char *url, *key; /* "": the Node does not name it */
};

struct job_view {
	enum resource resource;
	const struct json *object;
	bool in_flight;  /* an action of ours on the object is in flight */
	bool in_short;   /* only a part of the object, or of its namespace, is known */
	bool pods_known; /* false: not listed yet */
	/* Pods with the names of its pod, and of the pods that copy data for it */
	const struct pod_fact *pod, *collector, *inputs_pod; /* NULL: there is none */
	const struct job_options *options;
	struct job_server server; /* of the virtual node of its pod */
	struct nodes_fact nodes;  /* the virtual nodes, if the plan has requested them */
	bool may_come;            /* a creation that was sent earlier may still arrive */
	/* The pod is being created while another owner's pod has its name */
	bool pod_overtaken;
	/* Operations for it that keep failing */
	const struct failing_action *failing;
	size_t n_failing;
};

/*
 * The Node that must be read for view->server; NULL: none. The plan is made in any case.
 */
const char *job_wants_node(const struct job_view *view, int64_t now_wall_ms, struct arena *a);

/* now_wall_ms: since 1970. */
void job_plan(const struct job_view *view, int64_t now_wall_ms, struct plan *out);

/*
 * A pod that has FINALIZER_UNREPORTED, but whose controlling object does not exist. For
 * example, the pod was created after the object was deleted. Then no plan of the object
 * removes the finalizer.
 */
struct job_left_view {
	const struct pod_fact *pod;
	int64_t seen_ms; /* monotonic: the objects are known as of then, or later */
};
/*
 * Removes the finalizer of the pod when its object is certainly gone: the list of objects
 * is newer than the pod, every request that was sent for the pod has arrived, and a last
 * read finds no object. Then the garbage collector deletes the pod, and its virtual node
 * cancels the job.
 */
void job_left_plan(const struct job_left_view *view, int64_t now_ms, struct plan *out);

#endif
