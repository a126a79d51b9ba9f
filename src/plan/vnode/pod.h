/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The planner of one pod of a virtual node: its next step, and its status. Pure.
 * plan/vnode/rule.h decides the step; the planner says when, and with which body.
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
#include "wlm/plain.h"

enum {
	/*
	 * Interval of questions about a live job: red-box asks Slurm for all of them,
	 * once a second, and the end of a job is to be seen within five
	 */
	VPOD_POLL_MS = 2000,
	VPOD_OWNER_MS = 15000, /* the answer about an owner counts this long */
	/* An API server that says so long that it has no such kind is no starting one */
	VPOD_UNSERVED_MS = 300000,
	VPOD_AGAIN_MS = 30000, /* until a cancellation or a deletion without effect is repeated */
	/* slurmctld has an end on its disk by then: three times its five seconds */
	VPOD_KEPT_MS = 15000,
	VPOD_PAUSE_MOST_MS = 30000, /* between two attempts at what fails */
	/* Between two submissions that Slurm refuses for now, as over a limit */
	VPOD_REFUSED_MOST_MS = 180000,
	VPOD_WRITE_MS = 1000,  /* between equal writes, even if a client reverts them */
	VPOD_DELAY_MS = 30000, /* between two sentences about a submission that waits */
};

/*
 * The facts about a pod, in four parts. A file of src/virtual_node writes each part
 * (struct vpod in virtual_node/parts.h names it). Times are monotonic, 0: never.
 */

/* The object of the pod in Kubernetes, and our writes to it. */
struct vobject {
	const struct json *pod; /* NULL: it has gone */
	char *key;              /* of its submission, done or to be done; NULL: it is no job */
	enum vpod_way way;
	char *account;      /* of that way; "": that of the Slurm's own red-box */
	bool begun;         /* it has said so before, whatever it says now */
	bool ended;         /* of a pod that is gone: its last status said how it ended */
	bool taken;         /* of a pod that is gone: as in struct vpod_facts */
	int64_t known_ms;   /* this process first saw the pod */
	int64_t deleted_ms; /* this process first saw its deletion */
	int64_t written_ms; /* the last TELL or AWAIT was written */
	int64_t marked_ms;  /* the last MARK was written */
	int64_t let_go_ms;  /* the last LET_GO was accepted */
};

/* The owner of the pod, as it was read last. */
struct vowner {
	bool none; /* the pod was made without an owner that is a job */
	enum vpod_owner is;
	int64_t asked_ms;          /* the answer is as old as the question */
	bool told;                 /* its status has the end */
	bool copies;               /* it awaits results of the job, with the pod's help */
	bool orphans;              /* it was once seen deleted with "--cascade=orphan" */
	bool inputs;               /* it was once seen to wish inputs */
	bool pod_read;             /* the pod was read after the owner */
	const struct json *script; /* the part that is submitted; NULL: not kept */
	/* Since then each read was answered that there is no such kind; 0: there is */
	int64_t unserved_ms;
};

/* The answers of red-box about its job. */
struct vreport {
	enum vpod_job job;
	int64_t asked_ms; /* the answer is as old as the question */
	int64_t ended_ms; /* red-box first said VJOB_ENDED, and nothing else since */
	/* Without the texts that no status shows: NULL */
	struct slurm_job_shown *records;
	size_t n_records;
	int64_t begun_s;         /* the job began then, by the last records; 0: not known */
	char *std_out, *std_err; /* as Slurm said last; NULL: never */
	int64_t id;              /* the number that red-box gave to this process; 0: none */
	struct vmissing missing;
	int64_t submitted_ms; /* a submission was last under way */
	int64_t cancelled_ms; /* Slurm accepted a cancellation */
	int64_t closed_ms;    /* red-box closed the key, or is an older one */
	char *refused;        /* the error of a submission that is never accepted; NULL: none */
};

/* The steps that were begun: the last one, and the one that failed last. */
struct vattempt {
	enum vpod_step doing;
	int64_t sent_ms;
	enum vpod_step failed; /* VPOD_WAIT: none */
	char *failure;
	int failures; /* of that step, in a row */
	int64_t failed_ms;
};

struct vpod_view {
	const struct vobject *object;
	const struct vowner *owner;
	const struct vreport *report;
	const struct vattempt *attempt;
	const char *node;    /* the name of the virtual node, for sentences */
	bool in_flight;      /* a call of ours about it is under way */
	bool partition_gone; /* Slurm has no such partition now: nothing is submitted */
	bool red_box_away;   /* red-box does not answer: no step that needs it is begun */
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
	int64_t again_ms;  /* plan again after this time; -1: when a fact changes */
	bool drops_script; /* the kept script is not needed, or too old */
	struct vpod_event event;
};

/* now_ms: monotonic. Texts of the plan are in the arena. */
void vpod_plan(const struct vpod_view *view, struct arena *arena, int64_t now_ms,
	int64_t now_wall_ms, struct vpod_plan *out);

/* The uid of the owner, which is the key of its job; "": the pod is no job. */
const char *vpod_wanted_key(const struct json *pod);
/* The key under which it was submitted, or may have been; "": it was not. */
const char *vpod_begun_key(const struct json *pod);
/* The number that Slurm gave; 0: none is known. */
int64_t vpod_job_id(const struct json *pod);
/* The file of its standard output, or error, as it is noted there; "": it is not. */
const char *vpod_noted_path(const struct json *pod, bool standard_error);
/* Another virtual node before us has run it. */
bool vpod_is_of_others(const struct json *pod);
enum vjob_phase { VJOB_PENDING, VJOB_RUNNING, VJOB_SUCCEEDED, VJOB_FAILED };
/*
 * The phase by the words of Slurm. An unknown word counts as that of a running job: only
 * a known end is an end.
 */
enum vjob_phase vjob_phase_of(const char *state);
/* Every record of the job has ended. */
bool vjobs_ended(const struct slurm_job_shown *records, size_t n);
/* Kubernetes itself takes it away: an eviction, a preemption, a taint. */
bool vpod_is_disrupted(const struct json *pod);
/* The pod's status says how it ended. */
bool vpod_has_ended(const struct json *pod);
/* The pod has ended, and neither asks for a job nor says that one was begun. */
bool vpod_is_refused(const struct json *pod);

#endif
