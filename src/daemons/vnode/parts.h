/* SPDX-License-Identifier: Apache-2.0 */
/* Private to this folder: its state, and what its files say to each other. */
#ifndef DAEMONS_VNODE_PARTS_H
#define DAEMONS_VNODE_PARTS_H

#include "base/hash.h"
#include "daemons/vnode/vnode.h"
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
	int scripts;         /* of all's, for its pods */
	bool closes_nothing; /* it is an older one, and that was told */
};

/* One partition, and its virtual node. */
struct part {
	struct box *box;
	char *name, *node_name;
	int64_t listed_ms; /* when red-box last named it; 0: never */
	struct arena resources_of;
	struct vresources *resources; /* NULL: not known */
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
	bool lease_fails;
	/* Pods, by uid */
	struct watch *watch;
	bool listed, watch_fails;
	struct vpod *pods;
	UT_hash_handle hh; /* by node_name */
};

/* What the pods of a namespace have of the room for scripts. */
struct pod_space {
	char *ns;
	int pods, scripts;
	int64_t turned_away_ms; /* one of them was, then: there was no room */
	UT_hash_handle hh;
};

struct vpod {
	struct part *part;
	struct pod_space *space;
	char *uid, *ns, *name;
	char *key;                    /* of a submission, done or wished; NULL: none */
	enum resource owner_resource; /* of its SlurmJob or WlmJob; RES_NONE: it is no job */
	char *owner_name;             /* NULL then */
	enum vpod_way way;
	char *account;
	struct box *box, *asked; /* of that way; of the call under way */
	struct json_doc *doc;    /* NULL: its object has gone */
	bool seen;               /* by the list that is under way */
	bool gone, begun, ended; /* begun: it has said so; ended: when it went */
	struct timer *timer;
	/* The one call under way */
	struct http_call *call;
	struct wlm_call *ask;
	enum vpod_step doing;
	int64_t sent_ms;
	/* What is known: see struct vpod_view */
	enum vpod_owner owner;
	bool owner_told, owner_copies, owner_orphans, owner_prepares;
	int64_t owner_asked_ms;
	bool pod_read;              /* the pod was read after that */
	struct json_doc *owner_doc; /* with the script; NULL: not kept */
	int scripts;                /* its owner is read, or kept, or both */
	struct box *counted;        /* then: the one that they count for */
	enum vpod_job job;
	int64_t job_asked_ms, ended_ms, job_id;
	struct arena records_of;
	struct vjob *records;
	size_t n_records;
	char *std_out, *std_err; /* as Slurm said last; NULL: never */
	struct vmissing missing;
	int64_t known_ms, deleted_ms, submitted_ms, cancelled_ms, closed_ms, let_go_ms, written_ms,
		marked_ms;
	char *refused, *failure;
	enum vpod_step failed;
	int failures;
	int64_t failed_ms;
	char *told; /* reason and message of what was said last */
	UT_hash_handle hh;
};

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
	int scripts; /* owners that are read or kept */
	struct pod_space *spaces;
	struct str trouble;
};

/* ---- box.c ---- */

/* Asks it from now on. */
void box_start(struct box *b);
/* Whether that of an account answers; the others are asked all the time. */
void box_look(struct box *b);
/* Asks no more, and frees what it has. */
void box_stop(struct box *b);

/* ---- accounts.c ---- */

/* Those of the Slurm of this box; all boxes have their names. */
void boxes_know_accounts(struct vnode *v, const struct vnode_config *config, struct box *b);
/* Which red-box is asked about it. What the pod has said once counts for ever. */
void pod_note_account(struct vpod *p, const struct json *pod);
/* A call for a pod begins, and is over. */
void box_is_used(struct box *b);
void box_said(struct box *b, struct err e);

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

/* ---- lease.c ---- */

/* Renews it from now on. */
void part_lease_start(struct part *p);

/* ---- kept.c ---- */

/* What is read of a pod, by itself. */
struct json_doc *pod_kept(const struct json *pod);
/* What of a SlurmJob or a WlmJob is submitted. */
struct json_doc *owner_kept(const struct json *owner);

/* ---- pods.c ---- */

extern const struct watch_handler pods_handler; /* ctx: the partition */
/* A pod as the API server has it now, if that is news. */
void pods_put(struct part *p, const struct json *pod);
void pod_free(struct vpod *p);
void pods_wake(struct part *p);
/* Plans it in so long, whatever was said before. */
void pod_wake(struct vpod *p, int64_t ms);

/* ---- spaces.c ---- */

/* Made when it is new; its last pod takes it away. */
struct pod_space *pod_space_of(struct vnode *v, const char *ns);
void pod_space_leave(struct vnode *v, struct pod_space *s);
/* A pod of another one found no room a moment ago. */
bool pod_space_others_wait(const struct vnode *v, const struct pod_space *but);

/* ---- turn.c ---- */

/* A timer's: plans it, and does what is planned. */
void pod_turn(void *pod);
/* The call is over; one that failed is made again after a pause. */
void pod_done(struct vpod *p, struct err e);

/* ---- deeds.c ---- */

/* Each begins the one call, which ends with pod_done. */
void pod_ask_owner(struct vpod *p);
/* The pod itself: what it says after its owner was read. */
void pod_ask_pod(struct vpod *p);
/* body: a merge patch of its status. */
void pod_write(struct vpod *p, const char *body);
/* Deletes its object, at once. */
void pod_let_go(struct vpod *p);
/* An owner that was read, or kept, is so no more. */
void pod_script_over(struct vpod *p);
/* Of its owner nothing is kept any more. */
void pod_drop_script(struct vpod *p);

/* ---- jobs.c ---- */

/* The same, of red-box. It has its script. */
void pod_submit(struct vpod *p);
/* Of the job of its key, whatever its number. */
void pod_ask_job(struct vpod *p);
/* The same. */
void pod_cancel(struct vpod *p);
/* That nothing is submitted for its key any more. */
void pod_close(struct vpod *p);

#endif
