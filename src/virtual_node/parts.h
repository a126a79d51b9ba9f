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
	 * Memory for the records of all jobs. A namespace may use half of what the others
	 * leave. If an answer needs more, VPOD_ASK_JOB fails with ERR_RETRY, and the job
	 * is unknown
	 */
	RECORDS_BYTES = 64 << 20,
	RECORDS_LEAST_BYTES = 2 << 20, /* guaranteed to each namespace */
	/* binds of a container that are submitted at most */
	BINDS_MOST = 200,
};

/* One red-box. */
struct box {
	struct vnode *all;
	char *cluster;
	char *account; /* "": the red-box that also reports the partitions */
	/* in the box of an account: the box of its Slurm with account ""; else NULL */
	struct box *of;
	/* accounts of this Slurm; empty in the box of an account */
	struct vaccounts accounts;
	struct grpc_client *client, *logs;
	struct timer *timer;
	struct wlm_call *call;
	struct part *asked;  /* the partition whose resources are requested by call */
	int64_t asked_ms;    /* when call was sent */
	int64_t answered_ms; /* when the last answer came; at first the start time */
	/* the last call failed, or none has ended yet: only call is sent */
	bool away;
	char *told;          /* the error that was logged last; NULL: none */
	char *version;       /* version of its Slurm; NULL: unknown */
	int under_way;       /* number of calls for pods */
	int slots;           /* its pods' part of all->slots */
	bool closes_nothing; /* an older red-box without CloseSubmission; logged once */
};

/* A partition, and its virtual node. */
struct part {
	struct box *box;
	char *name, *node_name;
	int64_t listed_ms; /* when red-box last listed it; 0: never */
	struct arena resources_of;
	struct wlm_resources *resources; /* NULL: unknown */
	int64_t resources_ms;            /* when resources was requested */
	/* The Node object */
	struct json_doc *node;
	bool known;
	struct http_call *call;
	struct timer *timer;
	enum vnode_step doing; /* step of call; VNODE_LEAVE: call reads the Node */
	int64_t reported_ms, written_ms;
	char *failure; /* the error that was logged last; NULL: none */
	/* The Lease */
	struct http_call *lease_call;
	struct timer *lease_timer;
	bool lease_fails, no_lease; /* no_lease: the Lease does not exist */
	/* Pods, by uid */
	struct watch *watch;
	bool listed, watch_fails;
	struct vpod *pods;
	UT_hash_handle hh; /* by node_name */
};

/* The resources that the pods of a namespace use. */
struct pod_space {
	char *ns;
	int pods, slots;
	int *calls; /* calls in flight, for each red-box */
	struct quota *records;
	/* For each kind: when one of its pods last found no room */
	int64_t turned_away_ms[VROOM_KINDS];
	UT_hash_handle hh;
};

/*
 * A pod. Its facts have four parts. For each part, the functions of one file write it,
 * and no other file does. The planner reads all parts (plan/vnode/pod.h).
 */
struct vpod {
	struct part *part;
	struct pod_space *space;
	char *uid, *ns, *name;
	struct timer *timer;
	char *told; /* reason and message of the last Event */
	/* Written by pods.c, but way, account and box by accounts.c */
	struct vobject object;
	struct json_doc *doc; /* owns object.pod */
	struct box *box;      /* the red-box for object.way */
	bool seen, gone;      /* seen: in the list that is being read */
	/* Written by owner.c */
	struct vowner owner;
	/* kind of its SlurmJob or WlmJob; RES_NONE: the owner is neither */
	enum resource owner_resource;
	char *owner_name;           /* NULL: there is no owner to read */
	struct json_doc *owner_doc; /* owns owner.script */
	/* 1 while the owner or the pod is read, and 1 for a kept script */
	int slots;
	struct box *counted; /* if slots > 0: the red-box that they count for */
	/* Written by report.c */
	struct vreport report;
	struct arena records_of;
	size_t records_bytes; /* bytes of the records, from the share of the namespace */
	/*
	 * Written by attempt.c; call by kube_calls.c, ask by red_box_calls.c. Only one of
	 * the two calls may be in flight
	 */
	struct vattempt attempt;
	struct http_call *call;
	struct wlm_call *ask;
	struct box *asked; /* red-box of the last ask */
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
	char **partitions; /* ended by NULL; NULL: all partitions */
	char *address;
	int kubelet_port;
	char *kubelet_key;   /* NULL: the kubelet API does not listen */
	struct watch *watch; /* watch of virtual nodes */
	bool listed, watch_fails;
	struct part *parts;
	int slots; /* see plan/vnode/room.h */
	struct budget records;
	int64_t turned_away_ms[VROOM_KINDS]; /* the last time, for any namespace */
	struct pod_space *spaces;
	/* a timer callback: plans a pod, and starts the call of the plan */
	void (*pod_turn)(void *pod);
	struct str trouble;
};

/*
 * The files, from the lowest to the highest. A file calls only the files above it in this
 * list. For a function of a later file, struct vnode has a pointer (pod_turn).
 *
 *     accounts.c spaces.c kept.c        helpers
 *     owner.c report.c                  facts: the owner, the job
 *     pods.c                            facts: the pod; the watch of pods
 *     attempt.c                         facts: the steps that were begun
 *     lease.c part.c box.c              partitions and their Nodes; red-boxes
 *     kube_calls.c red_box_calls.c      calls for a pod: facts, then attempt_over
 *     turn.c                            view, plan, one call
 *     virtual_node.c measure.c shown.c  all virtual nodes of the process
 */

/* ---- accounts.c ---- */

/* Sets the accounts of this box's Slurm. Call it after all boxes have their names. */
void boxes_know_accounts(struct vnode *v, const struct vnode_config *config, struct box *b);
/*
 * Chooses the red-box for the pod. An account that the pod's object has already noted
 * stays.
 */
void pod_note_account(struct vpod *p, const struct json *pod);

/* ---- spaces.c ---- */

/* Makes the space if it is new; the last pod of the namespace frees it. */
struct pod_space *pod_space_of(struct vnode *v, const char *ns);
void pod_space_leave(struct vnode *v, struct pod_space *s);
/* The number of its calls in flight of this red-box. */
int *pod_space_calls(struct pod_space *s, const struct box *b);
/* Notes that a pod of this namespace finds no room of this kind. */
void pod_space_turned_away(struct vnode *v, struct pod_space *s, enum vroom_kind kind);
/* True if a pod of another namespace recently found no room of this kind. */
bool pod_space_others_wait(const struct vnode *v, const struct pod_space *but,
	enum vroom_kind kind);

/* ---- kept.c ---- */

/*
 * A trimmed copy of a pod: the members that are read later. begun: the pod's job may have
 * been submitted, whatever the pod shows. A refused pod loses almost all members.
 */
struct json_doc *pod_kept(const struct json *pod, bool begun);
/* A trimmed copy of a SlurmJob or a WlmJob: the members that are submitted. */
struct json_doc *owner_kept(const struct json *owner);

/* ---- owner.c ---- */

/* Notes the owner of a new pod. */
void owner_new(struct vpod *p, const struct json *pod);
/* Call these when a read of the owner or of the pod starts, and when it ends. */
void owner_take_slot(struct vpod *p);
void owner_leave_slot(struct vpod *p);
/*
 * The API server returned the owner, or NULL: no object has its name. The fact is as old
 * as the start of the step.
 */
void owner_was_read(struct vpod *p, const struct json *owner);
/* The read failed; no_kind: the API server does not know the kind. */
void owner_was_not_read(struct vpod *p, bool no_kind);
void owner_pod_was_read(struct vpod *p);
/* Has the owner read again before a plan uses it. */
void owner_is_outdated(struct vpod *p);
void owner_drop_script(struct vpod *p);
void owner_free(struct vpod *p);

/* ---- report.c ---- */

/* The job id from red-box, or else from the pod; 0: unknown. */
int64_t report_number(const struct vpod *p);
void report_submitting(struct vpod *p);
struct err report_submitted(struct vpod *p, struct err e, const struct wlm_answer *answer);
struct err report_job(struct vpod *p, struct err e, const struct wlm_answer *answer);
struct err report_cancelled(struct vpod *p, struct err e);
struct err report_closed(struct vpod *p, struct err e);
/*
 * Drops the records of a job whose end is in the pod's status, so that nothing is known
 * of the job, as after a start.
 */
void report_rest(struct vpod *p);
void report_free(struct vpod *p);

/* ---- pods.c ---- */

extern const struct watch_handler pods_handler; /* ctx: the partition */
/* Stores a pod from the API server. Ignores a version older than the stored one. */
void pods_put(struct part *p, const struct json *pod);
/* The running step has written the status of the pod. */
void pod_was_written(struct vpod *p);
void pod_was_let_go(struct vpod *p);
void pod_free(struct vpod *p);
void pods_wake(struct part *p);
/* Plans the pod after ms. This replaces an earlier time. */
void pod_wake(struct vpod *p, int64_t ms);

/* ---- attempt.c ---- */

/* Call it before the call of the step. */
void attempt_begin(struct vpod *p, enum vpod_step step, const char *why);
/* The call has ended and its facts are written: plans the pod again. */
void attempt_over(struct vpod *p, struct err e);
/* Resets the count of failures. */
void attempt_forgive(struct vpod *p);

/* ---- lease.c ---- */

/* Starts to renew the Lease. */
void part_lease_start(struct part *p);

/*
 * ---- part.c ----
 */

/*
 * Returns the partition of this name, and makes it if it is new. NULL: another partition
 * has the name of its node.
 */
struct part *part_of(struct box *b, const char *partition);
void part_free(struct part *p);
/* Plans the partition's node at once. */
void part_wake(struct part *p);
/* Stores the Node from the API server; NULL: the Node does not exist. */
void part_node(struct part *p, const struct json *node);
/* Stores the resources from red-box, which were requested at asked_ms. */
void part_resources(struct part *p, const struct wlm_resources *r, int64_t asked_ms);

/* ---- box.c ---- */

/* Starts to ask this red-box for its partitions. */
void box_start(struct box *b);
/* Cancels its call and frees its members. Its pods must be freed before. */
void box_stop(struct box *b);
/* Call these when a call for a pod starts, and when it ends with e. */
void box_is_used(struct box *b);
void box_said(struct box *b, struct err e);

/* ---- kube_calls.c, red_box_calls.c ---- */

/*
 * Each starts the one call of the running step, to the API server or to red-box. When the
 * call ends, its facts are written, then attempt_over is called. No second call is made.
 */
void pod_ask_owner(struct vpod *p);
/* Reads the pod itself, after its owner. */
void pod_ask_pod(struct vpod *p);
/* body: a merge patch of its status. */
void pod_write(struct vpod *p, const char *body);
/* Deletes the pod's object at once. */
void pod_let_go(struct vpod *p);
/*
 * Submits the pod's job. The script was read before, and the pod has CONDITION_JOB_KEY.
 */
void pod_submit(struct vpod *p);
/* Queries the job of the pod's key, whatever its id is. */
void pod_ask_job(struct vpod *p);
void pod_cancel(struct vpod *p);
/* Closes the pod's key in red-box. */
void pod_close(struct vpod *p);

/* ---- turn.c ---- */

/* A timer callback: plans the pod, and starts the call of the plan. */
void pod_turn(void *pod);

#endif
