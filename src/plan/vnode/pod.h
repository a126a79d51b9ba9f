/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The planner of one pod of a virtual node: its next step, and its status. Pure.
 * plan/vnode/rule.h decides the step. The planner decides its time and its body.
 *
 * All state is in the pod, so that a restart loses nothing: the key of the submission
 * (ANNOTATION_JOB_KEY) before the first submission, the job id of Slurm after it, and the
 * end. Everything else in the view may be lost at any time.
 */
#ifndef PLAN_VNODE_POD_H
#define PLAN_VNODE_POD_H

#include <stdint.h>

#include "base/arena.h"
#include "json/json.h"
#include "plan/vnode/missing.h"
#include "plan/vnode/rule.h"
#include "wlm/plain.h"

enum {
	/*
	 * Interval of queries about a live job. red-box queries Slurm for all jobs once a
	 * second, and the end of a job must be seen within five seconds
	 */
	VPOD_POLL_MS = 2000,
	VPOD_OWNER_MS = 15000, /* an answer about an owner is valid for this time */
	/*
	 * An API server that reports for this time that it has no such kind is not just
	 * starting
	 */
	VPOD_UNSERVED_MS = 300000,
	VPOD_AGAIN_MS = 30000, /* until a cancellation or a deletion without effect is repeated */
	/*
	 * slurmctld has saved an end by then: this is three times its interval of five
	 * seconds
	 */
	VPOD_KEPT_MS = 15000,
	VPOD_PAUSE_MOST_MS = 30000, /* maximum pause between two attempts at a step that fails */
	/*
	 * Maximum pause between two submissions that Slurm refuses for now, as over a
	 * limit
	 */
	VPOD_REFUSED_MOST_MS = 180000,
	VPOD_WRITE_MS = 1000,  /* between equal writes, even if a client reverts them */
	VPOD_DELAY_MS = 30000, /* between two messages about a submission that waits */
};

/*
 * The facts about a pod, in four parts. One file of src/virtual_node writes each part
 * (struct vpod in virtual_node/parts.h names it). Times are monotonic, 0: never.
 */

/* The object of the pod in Kubernetes, and our writes to it. */
struct vobject {
	const struct json *pod; /* NULL: the pod is gone */
	char *key;              /* of its submission, before or after it; NULL: the pod is no job */
	enum vpod_way way;
	char *account;      /* the account of that way; "": that of the Slurm's own red-box */
	bool begun;         /* the pod was begun, even if its status no longer shows it */
	bool ended;         /* for a deleted pod: its last status had the end of the job */
	bool taken;         /* for a deleted pod: as in struct vpod_facts */
	int64_t known_ms;   /* time when this process first saw the pod */
	int64_t deleted_ms; /* time when this process first saw its deletion */
	int64_t written_ms; /* time of the last TELL or AWAIT */
	int64_t marked_ms;  /* time of the last MARK */
	int64_t let_go_ms;  /* time when Kubernetes accepted the last LET_GO */
};

/* The owner of the pod, as it was read last. */
struct vowner {
	bool none; /* the pod was created without an owner that is a job */
	enum vpod_owner is;
	int64_t asked_ms;          /* time of the request */
	bool told;                 /* its status reports the end of the job */
	bool copies;               /* it waits for results, which the pod must stay to serve */
	bool orphans;              /* it was seen being deleted with "--cascade=orphan" */
	bool inputs;               /* it was seen to request inputs */
	bool pod_read;             /* the pod was read after the owner */
	const struct json *script; /* the part that is submitted; NULL: not kept */
	/* Since this time the API server has not had its kind; 0: it has */
	int64_t unserved_ms;
};

/* The answers of red-box about its job. */
struct vreport {
	enum vpod_job job;
	int64_t asked_ms; /* time of the request */
	int64_t ended_ms; /* since this time red-box has reported only VJOB_ENDED */
	/* A text that no status shows is NULL */
	struct slurm_job_shown *records;
	size_t n_records;
	int64_t begun_s;         /* start of the job, by the last records; 0: unknown */
	char *std_out, *std_err; /* as Slurm reported last; NULL: never */
	int64_t id;              /* job id that red-box gave to this process; 0: none */
	struct vmissing missing;
	int64_t submitted_ms; /* time when a submission was last in flight */
	int64_t cancelled_ms; /* time when Slurm accepted a cancellation */
	/* Time when red-box closed the key, or was found to be too old for that */
	int64_t closed_ms;
	char *refused; /* the error of a submission that is refused for good; NULL: none */
};

/* The last step that was begun, and the step that failed last. */
struct vattempt {
	enum vpod_step doing;
	int64_t sent_ms;
	enum vpod_step failed; /* VPOD_WAIT: none */
	char *failure;
	int failures; /* number of failures of that step in a row */
	int64_t failed_ms;
};

struct vpod_view {
	const struct vobject *object;
	const struct vowner *owner;
	const struct vreport *report;
	const struct vattempt *attempt;
	const char *node;    /* the name of the virtual node, for messages */
	bool in_flight;      /* a call of ours for the pod is in flight */
	bool partition_gone; /* Slurm has no such partition now: nothing is submitted */
	bool red_box_away;   /* red-box does not answer: no step that needs it is begun */
};

/* An Event, which is emitted once while it stays the same. reason NULL: none. */
struct vpod_event {
	const char *reason, *message;
	bool warning;
};

struct vpod_plan {
	enum vpod_step step;
	const char *why;   /* one sentence, without a full stop */
	const char *body;  /* of VPOD_REJECT, AWAIT, MARK and TELL: a patch of the status */
	int64_t again_ms;  /* time until the next plan; -1: when a fact changes */
	bool drops_script; /* the kept script is not needed, or too old */
	struct vpod_event event;
};

/* now_ms: monotonic. Texts of the plan are in the arena. */
void vpod_plan(const struct vpod_view *view, struct arena *arena, int64_t now_ms,
	int64_t now_wall_ms, struct vpod_plan *out);

/* The uid of the owner, which is the key of its job; "": the pod is no job. */
const char *vpod_wanted_key(const struct json *pod);
/* The key with which it was submitted, or may have been; "": it was not. */
const char *vpod_begun_key(const struct json *pod);
/* The job id of Slurm; 0: unknown. */
int64_t vpod_job_id(const struct json *pod);
/* The noted path of its standard output or error; "": none is noted. */
const char *vpod_noted_path(const struct json *pod, bool standard_error);
/* Another virtual node has run the pod before. */
bool vpod_is_of_others(const struct json *pod);
enum vjob_phase { VJOB_PENDING, VJOB_RUNNING, VJOB_SUCCEEDED, VJOB_FAILED };
/*
 * The phase for a state of Slurm. An unknown state counts as running, because only a
 * known end is an end.
 */
enum vjob_phase vjob_phase_of(const char *state);
/* Every record of the job has ended. */
bool vjobs_ended(const struct slurm_job_shown *records, size_t n);
/* Kubernetes itself removes the pod: an eviction, a preemption, a taint. */
bool vpod_is_disrupted(const struct json *pod);
/* The pod's status says how it ended. */
bool vpod_has_ended(const struct json *pod);
/* The pod has ended, requests no job, and does not say that a job was begun. */
bool vpod_is_refused(const struct json *pod);

#endif
