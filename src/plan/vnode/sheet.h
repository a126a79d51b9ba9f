/* SPDX-License-Identifier: Apache-2.0 */
/*
 * State that the files for one plan of a pod share, and helpers for patches. Private to
 * this folder.
 *
 *     facts.c   the facts about the pod
 *     pod.c     the step, and the time of the next plan
 *     says.c    reads the pod; account.c: the account of its job
 *     status.c  the status of the pod
 *     state.c   the states of a job in Slurm
 *     sum.c     the sum of all records of an array; array.c: its tasks that have ended
 *     patch.c   whether a patch would change anything
 *     node.c    the Node object; labels.c: its labels; taints.c: its taints
 *     partition.c  the state of its partition, and refusals by it
 */
#ifndef PLAN_VNODE_SHEET_H
#define PLAN_VNODE_SHEET_H

#include "json/build.h"
#include "plan/vnode/node.h"
#include "plan/vnode/pod.h"

struct vpod_sheet {
	const struct vpod_view *view;
	const struct json *pod; /* of the view */
	struct vpod_facts facts;
	struct arena *arena;
	struct jdoc *d;
	int64_t now_ms, now_wall_ms;
};

/* ---- facts.c ---- */

/* Less than for_ms has passed since at_ms. at_ms 0: never. */
static inline bool vpod_is_recent(const struct vpod_sheet *s, int64_t at_ms, int64_t for_ms)
{
	return at_ms && s->now_ms - at_ms < for_ms;
}

/* This step failed last, and has not succeeded since. */
static inline bool vpod_fails(const struct vattempt *a, enum vpod_step step)
{
	return a->failures && a->failed == step;
}

/* The facts, from the view of the sheet. */
struct vpod_facts vpod_facts_of(const struct vpod_sheet *s);

/* ---- state.c ---- */

struct vjob_sum {
	enum vjob_phase phase;
	const struct slurm_job_shown *of; /* the record that stands for all */
	int64_t begun_s, ended_s;         /* 0: not known */
	/* Records of each enum vjob_phase; of an array its tasks */
	int64_t counts[4];
	bool array;
	/*
	 * Tasks of an array that Slurm has shown before, or that the script requests,
	 * and that Slurm does not show now, although no end was seen. A task that was
	 * cancelled while it waited leaves no record
	 */
	int64_t missing;
	const char *ended; /* for an array: the new value of ANNOTATION_JOB_ENDED */
};
/* The report about an array that the pod has already; "": none. */
struct vjob_before {
	const char *counts; /* ANNOTATION_JOB_ARRAY */
	const char *ended;  /* ANNOTATION_JOB_ENDED */
	int64_t tasks;      /* ANNOTATION_JOB_TASKS; 0: unknown */
};
/* n must be at least 1. */
struct vjob_sum vjob_sum_of(struct arena *a, const struct slurm_job_shown *records, size_t n,
	const struct vjob_before *before);
/* The word of each enum vjob_phase in ANNOTATION_JOB_ARRAY */
extern const char *const vjob_count_words[VJOB_FAILED + 1];
/* The number of a word in "pending=3,running=1"; 0: none. */
int64_t vjob_count_before(const char *text, const char *word);
/* "pending=3,running=1,succeeded=0,failed=0", and "missing=2" if some are */
const char *vjob_counts(struct arena *a, const struct vjob_sum *sum);
/* Reads "exit:signal": the exit code, or 128 plus the signal. */
int64_t vjob_exit_code(const char *text);

/* ---- array.c ---- */

/* ANNOTATION_JOB_ENDED of a pod whose submission is repeated. */
const char *varray_again(struct arena *a, const char *ended);
bool varray_is_again(const char *ended);
/* The annotation had no room for the ids of all tasks that have ended. */
bool varray_is_cut(const char *ended);
/* Sets the counts of ended tasks in sum; returns the new ANNOTATION_JOB_ENDED. */
const char *varray_remember(struct arena *a, struct vjob_sum *sum,
	const struct slurm_job_shown *records, size_t n, const struct vjob_before *before);

/*
 * The new ANNOTATION_JOB_FAILURE: how a task failed, because Slurm will forget the task.
 * "": no task that is shown has failed.
 */
const char *varray_failure(struct arena *a, const struct slurm_job_shown *records, size_t n);
/* The record of that task, as far as the text has it; without a text, exit code 1. */
struct slurm_job_shown varray_failed(struct arena *a, const char *failure);

/* A record for tasks that are missing from the array of this record. */
struct slurm_job_shown varray_never_ran(const struct slurm_job_shown *of);

/* ---- says.c ---- */

/* "": the pod has no such annotation. */
const char *vpod_annotation(const struct json *pod, const char *key);
/* The pod reports which tasks of an array have ended, or how many. */
bool vpod_tells_of_tasks(const struct json *pod);
/* Whether the condition of the pod has this account, which may be "". */
bool vpod_says_account(const struct json *pod, const char *account);

/* ---- status.c ---- */

/* A foreign text, as a part of a sentence. */
const char *vpod_foreign(struct vpod_sheet *s, const char *text, size_t most);
/* The patch that reports the job, as text; NULL: the pod reports it already. */
const char *vpod_status_patch(struct vpod_sheet *s);
/*
 * The patch that ends the pod without a job. reason: in CamelCase; message: a sentence.
 */
const char *vpod_end_patch(struct vpod_sheet *s, const char *reason, const char *message);
/* The patch that reports that inputs are being brought; NULL: it is reported already. */
const char *vpod_await_patch(struct vpod_sheet *s);
/*
 * The patch that reports why the submission waits, as the state of the container; NULL:
 * the pod reports it already.
 */
const char *vpod_delay_patch(struct vpod_sheet *s, const char *reason, const char *message);
/*
 * The patch that notes that a submission may have begun. submits: the pod was begun
 * before, and a submission follows.
 */
const char *vpod_mark_patch(struct vpod_sheet *s, bool submits);

/* ---- labels.c ---- */

struct vlabel {
	const char *key, *value;
};
struct vlabels {
	struct vlabel *rows;
	size_t n;
	size_t n_features; /* number of features; they are the last rows */
};
/* All labels of the node. A text that cannot be a label is left out. */
struct vlabels vnode_labels(struct arena *a, const struct vnode_view *v);

/* ---- patch.c ---- */

/*
 * Whether old contains everything of new. A member that is empty in new (null, "", {})
 * may be absent, and other members of old are ignored. Lists are equal item by item.
 */
bool vnode_says(const struct json *old, const struct json *new);

#endif
