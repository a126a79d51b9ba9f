/* SPDX-License-Identifier: Apache-2.0 */
/*
 * State that the decisions of one plan share. Private to this folder.
 *
 *     sheet.c    what every step reads, and its actions
 *     plan.c     the steps: finalizers, the pod, the end of the object
 *     cancel.c   the deletion of the pod
 *     held.c     the finalizer of the pod
 *     collector.c  the pods that copy its results and bring its inputs, by collect.h
 *     inputs.c   the annotations of the pod about its inputs
 *     status.c   the status, from the report of the pod
 *     words.c    the conditions
 *     source.c   whether the report of the pod may be old
 *     misses.c   which partition lacks which request of the pod
 *     collected.c  the conditions of results and inputs
 */
#ifndef PLAN_JOB_SHEET_H
#define PLAN_JOB_SHEET_H

#include "api/job_inputs.h"
#include "json/build.h"
#include "object/condition.h"
#include "plan/job/collect.h"
#include "plan/job/plan.h"
#include "plan/job/rule.h"

/* The copies for a job, each by a pod of its own. */
enum job_copy_what {
	JOB_INPUTS,  /* before the job, to the side of Slurm */
	JOB_RESULTS, /* after the job, from there */
	JOB_COPIES
};

struct job_copy {
	enum job_copy_what what;
	const struct pod_fact *pod; /* the pod of this name; NULL: there is none */
	const char *name;
	enum collect_step step;
	struct job_fault fault;  /* reason NULL: none */
	int64_t attempts;        /* number of attempts so far */
	int64_t next_attempt_ms; /* wall clock: no attempt before */
};

struct job_sheet {
	const struct job_view *view;
	struct job job;
	struct job_fault fault; /* reason NULL: none */
	struct job_facts facts;
	enum job_step step;
	const char *pod_name;
	struct job_copy copies[JOB_COPIES];
	int64_t now_wall_ms;
	struct plan *out;
	struct arena *arena;
	struct jdoc *d;
};

/* ---- sheet.c ---- */

/* An action on an object of its namespace. */
struct action *job_order(struct job_sheet *s, struct operation operation, const char *name,
	const char *why);
/* "SlurmJob" or "WlmJob". */
const char *job_kind(const struct job_sheet *s);
/* The pod of this object; NULL: there is none. */
const struct pod_fact *job_pod_of(const struct job_sheet *s);
/* Whether the status has the end of the job: Succeeded or Failed. */
bool job_ended(const struct job_sheet *s);

/* The scheduler has no node for its pod, so the status says what each node lacks. */
bool job_seeks_node(const struct job_sheet *s);
/* The plan needs the list of virtual nodes and their state. */
bool job_asks_nodes(const struct job_sheet *s);
/* The job is refused for a reason that neither time nor the end of other jobs removes. */
bool job_is_refused(const struct job_sheet *s);

/* The pod is being deleted, and was never assigned to a virtual node. */
bool job_is_unplaced(const struct job_sheet *s);
/* The lasting failure of this verb for this pod; NULL: none. */
const char *job_failure_of(const struct job_sheet *s, enum verb verb, const char *pod);

/* ---- source.c ---- */

/* Why the report of its pod may be old, by the Node of its virtual node. */
struct job_silence {
	const char *reason; /* NULL: the report is current, or the Node is unknown */
	const char *text;   /* "virtual node X does not answer (since ...)" */
};
struct job_silence job_silence_of(struct job_sheet *s);

/* ---- the others ---- */

/* Removes FINALIZER_UNREPORTED from this version of the pod. */
struct action *job_let_pod_go(struct plan *out, struct jdoc *d, const struct pod_fact *pod);

/* The only place where the deletion of such a pod is ordered (tools/check-layers). */
void order_job_pod_deletion(struct job_sheet *s);

/* Decides the next steps for results and inputs. */
void job_copies_fill(struct job_sheet *s);
/* The object requests this copy. */
bool job_copy_asked(const struct job_sheet *s, enum job_copy_what what);
/* The pod that copies the results runs or will run, so no TTL deletes the object. */
bool job_is_collecting(const struct job_sheet *s);
/* The copies need the Node of the job's pod. */
bool job_asks_server(const struct job_sheet *s);
/* Orders the actions of these steps. */
void job_copies_act(struct job_sheet *s);
/* The condition that reports this copy now; false: none. */
bool job_copy_condition(struct job_sheet *s, enum job_copy_what what, struct condition *out);
/* Why the pod failed: "exit code 2: the message". */
const char *job_copy_end(struct job_sheet *s, const struct job_copy *c);
/* Writes the number of attempts of each copy. */
void job_set_attempts(struct job_sheet *s, struct jval *status);

/* The job of the pod is not submitted yet, and waits for its inputs. */
bool job_awaits_inputs(const struct job_sheet *s);
/* Writes the outcome of the inputs into the pod. */
void job_tell_inputs(struct job_sheet *s);

/* Publishes the status if it has changed. */
void job_publish(struct job_sheet *s);

/*
 * The present conditions of the job. Any other condition stays as it was, except
 * Terminating, which is removed.
 */
enum { JOB_CONDITIONS = 7 };
#define JOB_COLLECTED "ResultsCollected"
#define JOB_INPUTS_PREPARED "InputsPrepared"
#define JOB_TERMINATING "Terminating"
#define JOB_NOWHERE "NoPartitionFits" /* reason of Ended */
#define JOB_POD_DELETED "PodDeleted"  /* reason of Ended */
/* As in batch/v1 Job, for "kubectl wait": a condition that does not hold is absent */
#define JOB_COMPLETE "Complete"
#define JOB_FAILED "Failed"
struct job_conditions {
	struct condition rows[JOB_CONDITIONS];
	size_t n;
};
struct job_conditions job_conditions_of(struct job_sheet *s);

#endif
