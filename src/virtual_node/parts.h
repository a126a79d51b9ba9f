/* SPDX-License-Identifier: Apache-2.0 */
/* Private to this folder: its state, and what its files say to each other. */
#ifndef VIRTUAL_NODE_PARTS_H
#define VIRTUAL_NODE_PARTS_H

#include "base/hash.h"
#include "virtual_node/virtual_node.h"
#include "kube/event.h"
#include "kube/watch.h"
#include "plan/vnode/account.h"
#include "plan/vnode/node.h"
#include "plan/vnode/pod.h"
#include "plan/vnode/room.h"

enum {
	RED_BOX_MS = 60000, /* of a call: sbatch takes its time on a busy Slurm */
	KUBE_MS = 30000,
	BINDS_MOST = 200, /* of a container: more are not submitted */
};

/* One red-box. */
struct box {
	struct vnode *all;
	char *cluster;
	char *account;             /* "": it tells of the partitions, too */
	struct box *of;            /* that one, of an account; else NULL */
	struct vaccounts accounts; /* of this Slurm; empty in the box of an account */
	struct grpc_client *client, *logs;
	struct timer *timer;
	struct wlm_call *call;
	struct part *asked;  /* whose resources are asked for */
	int64_t answered_ms; /* at first the beginning */
	bool away;           /* the last call failed: nothing else is asked of it */
	char *told;          /* why, in the log; NULL: nothing is said yet */
	char *version;       /* of its Slurm; NULL: not known */
	int under_way;       /* calls for pods */
	int slots;           /* of all's, for its pods */
	bool closes_nothing; /* it is an older one, and that was told */
};

/* One partition, and its virtual node. */
struct part {
	struct box *box;
	char *name, *node_name;
	int64_t listed_ms; /* when red-box last named it; 0: never */
	struct arena resources_of;
	struct wlm_resources *resources; /* NULL: not known */
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

/* What the pods of a namespace have of the slots. */
struct pod_space {
	char *ns;
	int pods, slots;
	int64_t turned_away_ms; /* one of them was, then: there was no room */
	UT_hash_handle hh;
};

/*
 * A pod. What is known of it has four parts: each is written by the functions of one file
 * alone, and read by the planner (plan/vnode/pod.h).
 */
struct vpod {
	struct part *part;
	struct pod_space *space;
	char *uid, *ns, *name;
	struct timer *timer;
	char *told; /* reason and message of the last Event */
	/* pods.c; accounts.c: way, account and box */
	struct vobject object;
	struct json_doc *doc; /* of object.pod */
	struct box *box;      /* of object.way */
	bool seen, gone;      /* seen: by the list that is under way */
	/* owner.c */
	struct vowner owner;
	enum resource owner_resource; /* of its SlurmJob or WlmJob; RES_NONE: it is no job */
	char *owner_name;             /* NULL: there is none to be read */
	struct json_doc *owner_doc;   /* of owner.script */
	int slots;           /* its owner or itself is read, or its script is kept, or both */
	struct box *counted; /* then: the one that they count for */
	/* report.c */
	struct vreport report;
	struct arena records_of;
	/* attempt.c; the call by who made it. At most one of the two is under way */
	struct vattempt attempt;
	struct http_call *call;
	struct wlm_call *ask;
	struct box *asked; /* by the last one */
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
	struct pod_space *spaces;
	void (*pod_turn)(void *pod); /* a timer's: plans a pod, and does what is planned */
	struct str trouble;
};

/*
 * The files, from the lowest to the highest. One uses those above it in this list, and no
 * other: what a lower one has to start is a pointer in struct vnode (pod_turn).
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

/* Those of the Slurm of this box; all boxes have their names. */
void boxes_know_accounts(struct vnode *v, const struct vnode_config *config, struct box *b);
/* Which red-box is asked about it. What the pod has said once counts for ever. */
void pod_note_account(struct vpod *p, const struct json *pod);

/* ---- spaces.c ---- */

/* Made when it is new; its last pod takes it away. */
struct pod_space *pod_space_of(struct vnode *v, const char *ns);
void pod_space_leave(struct vnode *v, struct pod_space *s);
/* A pod of another one found no room a moment ago. */
bool pod_space_others_wait(const struct vnode *v, const struct pod_space *but);

/* ---- kept.c ---- */

/* What is read of a pod, by itself. */
struct json_doc *pod_kept(const struct json *pod);
/* What of a SlurmJob or a WlmJob is submitted. */
struct json_doc *owner_kept(const struct json *owner);

/* ---- owner.c ---- */

/* Whom the pod has as an owner when it is seen first. */
void owner_new(struct vpod *p, const struct json *pod);
/* A read of the owner, or of the pod, begins, and is over. */
void owner_take_slot(struct vpod *p);
void owner_leave_slot(struct vpod *p);
/* Its answer; NULL: there is none of this name. It was asked for when the step began. */
void owner_was_read(struct vpod *p, const struct json *owner);
void owner_pod_was_read(struct vpod *p);
/* It is read again before it counts. */
void owner_is_outdated(struct vpod *p);
void owner_drop_script(struct vpod *p);
void owner_free(struct vpod *p);

/* ---- report.c ---- */

/* The number that Slurm gave for its key, as far as anybody has told it; 0: none. */
int64_t report_number(const struct vpod *p);
void report_submitting(struct vpod *p);
struct err report_submitted(struct vpod *p, struct err e, const struct wlm_answer *answer);
struct err report_job(struct vpod *p, struct err e, const struct wlm_answer *answer);
struct err report_cancelled(struct vpod *p, struct err e);
struct err report_closed(struct vpod *p, struct err e);
void report_free(struct vpod *p);

/* ---- pods.c ---- */

extern const struct watch_handler pods_handler; /* ctx: the partition */
/* A pod as the API server has it now, if that is news. */
void pods_put(struct part *p, const struct json *pod);
/* By the step that was begun. */
void pod_was_written(struct vpod *p);
void pod_was_let_go(struct vpod *p);
void pod_free(struct vpod *p);
void pods_wake(struct part *p);
/* Plans it in so long, whatever was said before. */
void pod_wake(struct vpod *p, int64_t ms);

/* ---- attempt.c ---- */

/* Before the call of the step. */
void attempt_begin(struct vpod *p, enum vpod_step step, const char *why);
/* The call is over, and what it brought is noted: the pod is planned again. */
void attempt_over(struct vpod *p, struct err e);
/* Failures in a row count no more. */
void attempt_forgive(struct vpod *p);

/* ---- lease.c ---- */

/* Renews it from now on. */
void part_lease_start(struct part *p);

/* ---- part.c ---- */

/*
 * The one of this name; made when it is new. NULL: another one has the name of its node.
 */
struct part *part_of(struct box *b, const char *partition);
void part_free(struct part *p);
/* Plans its node at once. */
void part_wake(struct part *p);
/* What the API server says of its node; NULL: there is none. */
void part_node(struct part *p, const struct json *node);
/* What red-box says of it. */
void part_resources(struct part *p, const struct wlm_resources *r);

/* ---- box.c ---- */

/* Asks it from now on. */
void box_start(struct box *b);
/* Asks no more, and frees what it has. */
void box_stop(struct box *b);
/* A call for a pod begins, and is over. */
void box_is_used(struct box *b);
void box_said(struct box *b, struct err e);

/* ---- kube_calls.c, red_box_calls.c ---- */

/*
 * Each begins the one call of a step that was begun: of the API server, and of red-box.
 * It ends with attempt_over, and none begins another one.
 */
void pod_ask_owner(struct vpod *p);
/* The pod itself: what it says after its owner was read. */
void pod_ask_pod(struct vpod *p);
/* body: a merge patch of its status. */
void pod_write(struct vpod *p, const char *body);
/* Deletes its object, at once. */
void pod_let_go(struct vpod *p);
/* Its script is there, and the pod says that it is submitted. */
void pod_submit(struct vpod *p);
/* Of the job of its key, whatever its number. */
void pod_ask_job(struct vpod *p);
void pod_cancel(struct vpod *p);
/* Nothing is to be submitted for its key any more. */
void pod_close(struct vpod *p);

/* ---- turn.c ---- */

/* A timer's: plans it, and does what is planned. */
void pod_turn(void *pod);

#endif
