/* SPDX-License-Identifier: Apache-2.0 */
/* Private to this folder: its state, and the functions that its files share. */
#ifndef VIRTUAL_NODE_PARTS_H
#define VIRTUAL_NODE_PARTS_H

#include "base/budget.h"
#include "base/hash.h"
#include "kube/event.h"
#include "kube/watch.h"
#include "plan/vnode/account.h"
#include "plan/vnode/node.h"
#include "plan/vnode/partition.h"
#include "plan/vnode/pod.h"
#include "plan/vnode/room.h"
#include "virtual_node/virtual_node.h"

enum {
	RED_BOX_MS = 60000, /* timeout of a call: sbatch is slow on a busy Slurm */
	KUBE_MS = 30000,
	/*
	 * Records of all jobs; a namespace may have half of what the others leave. An
	 * answer beyond that is a failed VPOD_ASK_JOB (ERR_RETRY), and the job is unknown
	 */
	RECORDS_BYTES = 64 << 20,
	RECORDS_LEAST_BYTES = 2 << 20, /* of it a namespace has in any case */
	BINDS_MOST = 200,              /* binds of a container: further ones are not submitted */
};

/* One red-box. */
struct box {
	struct vnode *all;
	char *cluster;
	char *account;  /* "": the red-box that also reports the partitions */
	struct box *of; /* of the box of an account: its Slurm's box with ""; else NULL */
	struct vaccounts accounts; /* of this Slurm; empty in the box of an account */
	struct grpc_client *client, *logs;
	struct timer *timer;
	struct wlm_call *call;
	struct part *asked;  /* the partition whose resources call asks for */
	int64_t asked_ms;    /* since then */
	int64_t answered_ms; /* the last answer; at first the start */
	bool away;           /* the last call failed, or none has ended: only call is sent */
	char *told;          /* the failure that was logged last; NULL: none */
	char *version;       /* of its Slurm; NULL: not known */
	int under_way;       /* calls for pods */
	int slots;           /* of all->slots, those of its pods */
	bool closes_nothing; /* an older red-box without CloseSubmission; that was logged */
};

/* A partition, and its virtual node. */
struct part {
	struct box *box;
	char *name, *node_name;
	int64_t listed_ms; /* when red-box last named it; 0: never */
	struct arena resources_of;
	struct wlm_resources *resources; /* NULL: not known */
	int64_t resources_ms;            /* as of then */
	/* The Node object */
	struct json_doc *node;
	bool known;
	struct http_call *call;
	struct timer *timer;
	enum vnode_step doing; /* of the call; VNODE_LEAVE: it reads */
	int64_t reported_ms, written_ms;
	char *failure; /* as logged last; NULL: none */
	/* The Lease */
	struct http_call *lease_call;
	struct timer *lease_timer;
	bool lease_fails, no_lease; /* no_lease: there is none to be renewed */
	/* Pods, by uid */
	struct watch *watch;
	bool listed, watch_fails;
	struct vpod *pods;
	UT_hash_handle hh; /* by node_name */
};

/* The shares of the pods of a namespace. */
struct pod_space {
	char *ns;
	int pods, slots;
	int *calls; /* of each red-box, that are under way */
	struct quota *records;
	/* By kind: one of its pods last found no room then */
	int64_t turned_away_ms[VROOM_KINDS];
	UT_hash_handle hh;
};

/*
 * A pod. The facts about it have four parts. The functions of one file write each part,
 * and no other file does; the planner reads them (plan/vnode/pod.h).
 */
struct vpod {
	struct part *part;
	struct pod_space *space;
	char *uid, *ns, *name;
	struct timer *timer;
	char *told; /* reason and message of the last Event */
	/* pods.c writes it, but accounts.c writes way, account and box */
	struct vobject object;
	struct json_doc *doc; /* of object.pod */
	struct box *box;      /* of object.way */
	bool seen, gone;      /* seen: by the list that is under way */
	/* owner.c writes it */
	struct vowner owner;
	enum resource owner_resource; /* of its SlurmJob or WlmJob; RES_NONE: it is no job */
	char *owner_name;             /* NULL: there is none to be read */
	struct json_doc *owner_doc;   /* of owner.script */
	int slots;           /* 1 for a read of the owner or the pod, 1 for a kept script */
	struct box *counted; /* if slots > 0: the red-box that they count for */
	/* report.c writes it */
	struct vreport report;
	struct arena records_of;
	size_t records_bytes; /* of them, from the share of the namespace */
	/*
	 * attempt.c writes it; kube_calls.c call, red_box_calls.c ask. At most one of the
	 * two calls is under way
	 */
	struct vattempt attempt;
	struct http_call *call;
	struct wlm_call *ask;
	struct box *asked; /* by the last ask */
	UT_hash_handle hh;
};

static inline bool pod_in_flight(const struct vpod *p) { return p->call || p->ask; }

struct vnode {
	struct kube *kube;
	struct loop *loop;
	struct events *events;
	const struct red_box_calls *calls;
	struct box *boxes;
	size_t n_boxes;
	struct arena accounts_of;
	char **partitions; /* ended by NULL; NULL: all */
	char *address;
	int kubelet_port;
	char *kubelet_key;   /* NULL: it does not listen */
	struct watch *watch; /* of our nodes */
	bool listed, watch_fails;
	struct part *parts;
	int slots; /* see plan/vnode/room.h */
	struct budget records;
	int64_t turned_away_ms[VROOM_KINDS]; /* of any namespace, the last time */
	struct pod_space *spaces;
	void (*pod_turn)(void *pod); /* a timer's: plans a pod, and begins the call of the plan */
	struct str trouble;
};

/*
 * The files, from the lowest to the highest. A file calls the files above it in this
 * list, and no other; struct vnode has a pointer to what a lower file starts (pod_turn).
 *
 *     accounts.c spaces.c kept.c        small parts
 *     owner.c report.c                  facts: the owner, the job
 *     pods.c                            facts: the pod; the watch of pods
 *     attempt.c                         facts: the steps that were begun
 *     lease.c part.c box.c              partitions and their Nodes; red-boxes
 *     kube_calls.c red_box_calls.c      calls for a pod: facts, then attempt_over
 *     turn.c                            view, plan, one call
 *     virtual_node.c measure.c shown.c  the whole
 */

/* ---- accounts.c ---- */

/* Sets the accounts of the Slurm of this box; each box has its name by then. */
void boxes_know_accounts(struct vnode *v, const struct vnode_config *config, struct box *b);
/*
 * Sets the red-box that is asked about the pod. The account that a pod had noted stays.
 */
void pod_note_account(struct vpod *p, const struct json *pod);

/* ---- spaces.c ---- */

/* Made when it is new; its last pod takes it away. */
struct pod_space *pod_space_of(struct vnode *v, const char *ns);
void pod_space_leave(struct vnode *v, struct pod_space *s);
/* The number of its calls of this red-box that are under way. */
int *pod_space_calls(struct pod_space *s, const struct box *b);
/* A pod of this namespace finds no room of this kind. */
void pod_space_turned_away(struct vnode *v, struct pod_space *s, enum vroom_kind kind);
/* A pod of another namespace found no room of this kind a moment ago. */
bool pod_space_others_wait(const struct vnode *v, const struct pod_space *but,
	enum vroom_kind kind);

/* ---- kept.c ---- */

/*
 * A trimmed copy of a pod: the members that are read later. begun: its job may have been
 * submitted, whatever the pod says. Almost nothing is kept of a refused pod.
 */
struct json_doc *pod_kept(const struct json *pod, bool begun);
/* A trimmed copy of a SlurmJob or a WlmJob: the members that are submitted. */
struct json_doc *owner_kept(const struct json *owner);

/* ---- owner.c ---- */

/* Notes the owner of a pod that is seen first. */
void owner_new(struct vpod *p, const struct json *pod);
/* A read of the owner, or of the pod, begins; and it is over. */
void owner_take_slot(struct vpod *p);
void owner_leave_slot(struct vpod *p);
/*
 * The owner as the API server has it; NULL: no object has its name. The question is as
 * old as the step.
 */
void owner_was_read(struct vpod *p, const struct json *owner);
/* no_kind: the API server knows no such kind. */
void owner_was_not_read(struct vpod *p, bool no_kind);
void owner_pod_was_read(struct vpod *p);
/* The owner is read again before a plan uses it. */
void owner_is_outdated(struct vpod *p);
void owner_drop_script(struct vpod *p);
void owner_free(struct vpod *p);

/* ---- report.c ---- */

/* The number that Slurm gave, by red-box or else by the pod; 0: none is known. */
int64_t report_number(const struct vpod *p);
void report_submitting(struct vpod *p);
struct err report_submitted(struct vpod *p, struct err e, const struct wlm_answer *answer);
struct err report_job(struct vpod *p, struct err e, const struct wlm_answer *answer);
struct err report_cancelled(struct vpod *p, struct err e);
struct err report_closed(struct vpod *p, struct err e);
/* Drops the records of a job whose end the pod tells: as after a start, none is known. */
void report_rest(struct vpod *p);
void report_free(struct vpod *p);

/* ---- pods.c ---- */

extern const struct watch_handler pods_handler; /* ctx: the partition */
/* A pod as the API server has it. An older version than the known one changes nothing. */
void pods_put(struct part *p, const struct json *pod);
/* The step that was begun has written the status of the pod. */
void pod_was_written(struct vpod *p);
void pod_was_let_go(struct vpod *p);
void pod_free(struct vpod *p);
void pods_wake(struct part *p);
/* Plans the pod after ms, instead of any time that was set before. */
void pod_wake(struct vpod *p, int64_t ms);

/* ---- attempt.c ---- */

/* Before the call of the step. */
void attempt_begin(struct vpod *p, enum vpod_step step, const char *why);
/* The call is over, and its facts are written: the pod is planned again. */
void attempt_over(struct vpod *p, struct err e);
/* Ends the row of failures. */
void attempt_forgive(struct vpod *p);

/* ---- lease.c ---- */

/* Renews the Lease from now on. */
void part_lease_start(struct part *p);

/*
 * ---- part.c ----
 */

/*
 * The partition of this name; made when it is new. NULL: another partition has the name
 * of its node.
 */
struct part *part_of(struct box *b, const char *partition);
void part_free(struct part *p);
/* Plans its node at once. */
void part_wake(struct part *p);
/* The Node of the partition as the API server has it; NULL: there is none. */
void part_node(struct part *p, const struct json *node);
/* The resources that red-box reports, which was asked at asked_ms. */
void part_resources(struct part *p, const struct wlm_resources *r, int64_t asked_ms);

/* ---- box.c ---- */

/* Starts to ask this red-box for its partitions. */
void box_start(struct box *b);
/* Cancels its call and frees its members. Its pods have to be freed before. */
void box_stop(struct box *b);
/* Note that a call for a pod begins, and how it ended. */
void box_is_used(struct box *b);
void box_said(struct box *b, struct err e);

/* ---- kube_calls.c, red_box_calls.c ---- */

/*
 * Each begins the one call of a step that was begun: of the API server, or of red-box.
 * The end of the call writes its facts, then calls attempt_over; it begins no other call.
 */
void pod_ask_owner(struct vpod *p);
/* Reads the pod itself, after its owner was read. */
void pod_ask_pod(struct vpod *p);
/* body: a merge patch of its status. */
void pod_write(struct vpod *p, const char *body);
/* Deletes its object, at once. */
void pod_let_go(struct vpod *p);
/* Submits its job. Its script was read before, and the pod has CONDITION_JOB_KEY. */
void pod_submit(struct vpod *p);
/* Asks for the job of its key, whatever its number is. */
void pod_ask_job(struct vpod *p);
void pod_cancel(struct vpod *p);
/* Asks red-box to close its key. */
void pod_close(struct vpod *p);

/* ---- turn.c ---- */

/* A timer's: plans the pod, and begins the call of the plan. */
void pod_turn(void *pod);

#endif
