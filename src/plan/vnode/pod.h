/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The planner of one pod of a virtual node: the one thing that is to be done next, and
 * the status of the pod. Pure. The decisions are those of plan/vnode/rule.h.
 *
 * All state is in the pod, so that a start loses nothing: the key of the submission
 * (ANNOTATION_JOB_KEY) before the first one, the number that Slurm gave behind it, and
 * the end. Everything else in the view may be forgotten at any time.
 */
#ifndef PLAN_VNODE_POD_H
#define PLAN_VNODE_POD_H

#include <stdint.h>

#include "base/arena.h"
#include "json/json.h"
#include "plan/vnode/missing.h"
#include "plan/vnode/rule.h"

enum {
	/*
	 * Interval of questions about a live job: red-box asks Slurm for all of them,
	 * once a second, and the end of a job is to be seen within five
	 */
	VPOD_POLL_MS = 2000,
	VPOD_OWNER_MS = 15000, /* the answer about an owner counts this long */
	VPOD_AGAIN_MS = 30000, /* until an order that did not take effect is repeated */
	/* slurmctld has written an end down by then: three times its five seconds */
	VPOD_KEPT_MS = 15000,
	VPOD_PAUSE_MOST_MS = 30000, /* between two attempts at what fails */
	VPOD_WRITE_MS = 1000,       /* between equal writes, even if a client reverts them */
};

/* A record of a job in Slurm. An array has several. */
struct vjob {
	int64_t id;
	const char *state;  /* Slurm's words: "RUNNING", "CANCELLED by 1000" */
	const char *reason; /* why it waits; "": not known */
	const char *array_id;
	const char *exit_code; /* "0:9": of the exit, and the signal */
	const char *nodes;     /* "" or "(null)": none yet */
	const char *restarts;  /* how often it was requeued; NULL or "": not known */
	int64_t submit_s, start_s, end_s, run_s; /* 0 or less: not known */
};

struct vpod_view {
	const struct json *pod; /* NULL: its object has gone */
	const char *key;        /* of its submission, wished or done; NULL: it is no job */
	enum vpod_way way;
	const char *account; /* of that way; "": that of the Slurm's own red-box */
	const char *node;    /* the name of the virtual node, for sentences */
	bool begun;          /* it has said so before, whatever it says now */
	bool ended;          /* before its object went its status said how it ended */
	bool in_flight;      /* a call of ours about it is under way */
	bool partition_gone; /* Slurm has none of this name now: nothing is submitted */
	bool red_box_away;   /* it does not answer at all: nothing is asked of it */
	/* Its owner as it was read last; asked_ms 0: it never was. Monotonic times. */
	enum vpod_owner owner;
	bool owner_told;
	bool owner_copies;   /* results of the job, with the pod's help */
	bool owner_orphans;  /* it was seen to be deleted so that the pod stays */
	bool owner_prepares; /* it wishes inputs, as far as it was ever read */
	int64_t owner_asked_ms;
	bool pod_read; /* the pod was read after that */
	bool script;   /* what it asks to submit, as it was read then, is here */
	/* The last answer of red-box; asked_ms: when it was asked, 0: never. */
	enum vpod_job job;
	int64_t job_asked_ms;
	const struct vjob *records;
	size_t n_records;
	int64_t ended_ms; /* when red-box first said VJOB_ENDED, and nothing else since */
	int64_t job_id;   /* that red-box gave to this process; 0: none */
	struct vmissing missing;
	int64_t known_ms;     /* since when this process knows the pod */
	int64_t deleted_ms;   /* since when it knows of its deletion; 0: there is none */
	int64_t submitted_ms; /* a submission was last under way; 0: none of this process */
	int64_t cancelled_ms, let_go_ms; /* Slurm and Kubernetes said yes; 0: not asked */
	int64_t closed_ms;   /* red-box said that it submits nothing for the key any more */
	int64_t written_ms;  /* its status was last written; 0: never */
	int64_t marked_ms;   /* it was last made to say so that one may have begun; 0: never */
	const char *refused; /* why it is never submitted; NULL: it is not */
	/* The step that failed last, how often in a row, and when; VPOD_WAIT: none. */
	enum vpod_step failed;
	const char *failure;
	int failures;
	int64_t failed_ms;
};

/* An Event to emit, once while it stays the same. reason NULL: none. */
struct vpod_event {
	const char *reason, *message;
	bool warning;
};

struct vpod_plan {
	enum vpod_step step;
	const char *why;   /* one sentence, without a full stop */
	const char *body;  /* of VPOD_REJECT, AWAIT, MARK and TELL: a patch of the status */
	int64_t again_ms;  /* plan again in so long; -1: when something has changed */
	bool drops_script; /* what was read to be submitted is not needed, or too old */
	struct vpod_event event;
};

/* now_ms: monotonic. Texts of the plan are in the arena. */
void vpod_plan(const struct vpod_view *view, struct arena *arena, int64_t now_ms,
	int64_t now_wall_ms, struct vpod_plan *out);

/* The uid of the owner that wishes the job, which is its key; "": it is no job. */
const char *vpod_wanted_key(const struct json *pod);
/* The key under which it was submitted, or may have been; "": it was not. */
const char *vpod_begun_key(const struct json *pod);
/* The number that Slurm gave; 0: none is known. */
int64_t vpod_job_id(const struct json *pod);
/* Another virtual node before us has run it. */
bool vpod_is_of_others(const struct json *pod);
enum vjob_phase { VJOB_PENDING, VJOB_RUNNING, VJOB_SUCCEEDED, VJOB_FAILED };
/*
 * The phase by the words of Slurm. An unknown word counts as that of a running job: only
 * a known end is an end.
 */
enum vjob_phase vjob_phase_of(const char *state);
/* Every record of the job has ended. */
bool vjobs_ended(const struct vjob *records, size_t n);
/* Its status says how it ended. */
bool vpod_has_ended(const struct json *pod);

#endif
