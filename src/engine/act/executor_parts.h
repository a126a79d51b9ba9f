/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to the executor: its state, and the functions that its files share.
 *
 *     executor.c          chooses the actions of a plan that can be carried out now
 *     sent_action.c       an action in flight, from its start to the report of its end
 *     sent_action_kube.c  a write to Kubernetes in flight
 *     backend_kube.c      decides which writes to Kubernetes may be sent now
 *     backend_look.c      reads the Slurm node before a deletion that relies on Slurm
 *     backend_once.c      reads an object before an action that may happen only once
 *     backend_slurm.c     updates of Slurm nodes
 *     backend_token.c     tokens in Secrets of other owners
 *     shows.c             limits the writes that are for people only
 */
#ifndef ENGINE_ACT_EXECUTOR_PARTS_H
#define ENGINE_ACT_EXECUTOR_PARTS_H

#include "base/budget.h"
#include "engine/act/executor.h"

enum { KEY_BYTES = 900 }; /* a namespace, two names and a word */
enum {
	/*
	 * Limit of deletions in flight that rely on Slurm. Each node is read right before
	 * the deletion is sent, so none may wait in a queue. A namespace may use half of
	 * what the others leave, because its Slurm may answer each read late; it may
	 * always use LEAST_GUARDED.
	 */
	MAX_GUARDED = 320,
	LEAST_GUARDED = 8,
	/*
	 * A deletion that waits longer for the read of its node, or to be sent, is
	 * decided again
	 */
	GUARDED_WAIT_MS = 1000,
};

/* An action that is handed to a backend. */
struct delivery {
	const struct action *action;
	const struct object_ref *about; /* the object that was planned */
	const char *cluster;            /* the Slurm whose link is used; NULL: none */
	const char *key;                /* of the target, for waits.h, failures.h and reverted.h */
	uint32_t what;                  /* reverted_what: a hash of the whole body */
};

/* An Event that is emitted when a status is written. */
struct news {
	bool warning;
	const char *reason, *text;
};

/* An action in flight. */
struct sent_action {
	struct executor *x;
	struct sent_action *prev, *next;
	struct arena own; /* the memory of the strings and lists below */
	struct http_call *call;
	struct operation operation;
	uint64_t ticket; /* of store_sent */
	const char *ns, *name, *key, *why;
	const char *event_done, *event_failed, *event_warned, *warned_of;
	uint32_t what;            /* reverted_what */
	const char *const *nodes; /* of an update of Slurm; each node waits by itself */
	size_t n_nodes;
	struct news *news; /* for a status: the Events to emit when it is written */
	size_t n_news;
	struct object_ref about;
	struct quota *quota; /* of the namespace, for the bytes of the body */
	struct quota *place; /* of the namespace, for a deletion that relies on Slurm; else NULL */
	size_t bytes;
	struct err err;      /* of the write, while the object is read again */
	struct timer *timer; /* until the object is read once more */
	int reads;           /* failed reads, counted while the pause grows */
	const char *body;    /* kept until the read is answered (backend_once.c) */
	/* For a deletion that relies on Slurm, or an action that waits for a read. */
	struct guard guard;
	const char *cluster;
	int64_t began_ms;
};

struct show_space;

/* Writes of VERB_SHOW: the number begun in this second, and the number in flight. */
struct shows {
	int64_t from_ms;
	int begun, under_way;
	struct show_space *spaces; /* the counts of each namespace */
};

struct executor {
	struct executor_config config;
	struct sent_action *sent_actions;
	struct wait *waits;
	struct slow_start *starts;
	struct failures *failures;
	struct reverted *reverted;
	struct shows shows;
	struct budget bodies;  /* of the bytes in flight, by namespace */
	struct budget guarded; /* deletions that rely on Slurm, by namespace */
	int64_t swept_ms;      /* last sweep of old rows */
	int in_flight;
	bool stopped;
};

static inline int64_t now_of(const struct executor *x) { return loop_now_ms(x->config.kube->loop); }

static inline bool executor_acts(const struct executor *x)
{
	const int64_t *until_ms = x->config.until_ms;
	return !x->stopped && (!until_ms || now_of(x) < *until_ms);
}

/* ---- sent_action.c ---- */

/* Copies what the action needs until its end. The action counts as in flight. */
struct sent_action *sent_action_new(struct executor *x, const struct delivery *d);
/* Copies the Events of the plan that are emitted when this status is written. */
void sent_action_take_news(struct sent_action *e, const struct plan *plan);
/* Frees the action without a report. */
void sent_action_free(struct sent_action *e);
/* Reports the outcome, sets the wait, wakes the object, and frees the action. */
void sent_action_end(struct sent_action *e, struct err err);

/* ---- shows.c ---- */

/* Count the start, and the end, of a write of VERB_SHOW in this namespace. */
void shows_begun(struct executor *x, const char *ns);
void shows_over(struct executor *x, const char *ns);
/* Notes the result of a write of VERB_SHOW: after a failure the namespace waits. */
void shows_ended(struct executor *x, const char *ns, struct err err);
/* Drops the rows of namespaces that write nothing any more, or of all of them. */
void shows_sweep(struct executor *x, bool all);

/* ---- keys of targets ---- */

/* The key of an object of Kubernetes, or of the nodes of a Slurm. */
const char *target_key(char buffer[static KEY_BYTES], struct operation d, const char *ns,
	const char *name);
/* The prefix of the keys of this operation on any object of a namespace. */
const char *targets_key(char buffer[static KEY_BYTES], struct operation d, const char *ns);
/* The key of all creations that an object orders. */
const char *starts_key(char buffer[static 128], const char *uid);
/* The key of one node of an update. */
const char *node_key(char buffer[static KEY_BYTES], const char *key, const char *node);
/* The target for reverted.h: the comment of a Slurm node, or else its state. */
const char *reverted_node(char buffer[static KEY_BYTES], struct operation d, const char *ns,
	const char *cluster, const char *node);

/* ---- sent_action_kube.c ---- */

/* Starts a write: from now on the object is in flight. */
struct sent_action *kube_begin(struct executor *x, const struct delivery *d);
/* Reports the outcome to the store (store_outcome) and ends the action. */
void kube_end(struct sent_action *e, const struct json *answered, bool deletion_accepted,
	struct err err);
void kube_send_sent_action(struct sent_action *e, const char *body, const struct guard *guard);

/* ---- backends ---- */

/* 0: the action was sent, or need not be; otherwise the time in ms until the next try. */
typedef int64_t backend_send(struct executor *x, const struct delivery *d);
backend_send backend_kube, backend_slurm, backend_token;
/* Sends a deletion that relies on Slurm, after a read of the node (backend_look.c). */
backend_send backend_look;
/* Sends an action that may happen only once, after a read (backend_once.c). */
backend_send backend_once;

/* The link to the Slurm of the planned object; NULL: there is none. */
static inline struct slurm_link *link_for(const struct executor *x, const char *ns,
	const char *cluster)
{
	return cluster ? x->config.link_of(x->config.ctx, ns, cluster) : NULL;
}

#endif
