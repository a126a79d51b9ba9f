/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to the executor: its state, and what its parts say to each other.
 *
 *     executor.c     what of a plan can be carried out now
 *     sent_action.c       an action on its way, from its start to what is told of its end
 *     sent_action_kube.c  a write of Kubernetes on its way
 *     backend_kube.c    what of Kubernetes may be written now
 *     backend_look.c    deletions that rely on Slurm: a look before them
 *     backend_once.c    what may happen once only: a read before it
 *     backend_slurm.c   updates of Slurm nodes
 *     backend_token.c   tokens in Secrets of others
 *     shows.c        how much may be written for people only
 */
#ifndef ENGINE_ACT_EXECUTOR_PARTS_H
#define ENGINE_ACT_EXECUTOR_PARTS_H

#include "base/budget.h"
#include "engine/act/executor.h"

enum { KEY_BYTES = 900 }; /* a namespace, two names and a word */
enum {
	/*
	 * Deletions that rely on Slurm, at a time: each is looked at right before it is
	 * sent, so none may wait in a queue. A namespace has half of what the others
	 * leave, because a Slurm of its own may answer each look late; it has a few in
	 * any case.
	 */
	MAX_GUARDED = 320,
	LEAST_GUARDED = 8,
	/*
	 * A deletion that has waited longer for its look, or for its turn, is decided
	 * anew
	 */
	GUARDED_WAIT_MS = 1000,
};

/* An action on its way through a backend. */
struct delivery {
	const struct action *action;
	const struct object_ref *about; /* the object that was planned */
	const char *cluster;            /* whose link it asks; NULL: none */
	const char *key; /* of the target, for waits, failures and what is reverted */
	uint32_t what;   /* reverted_what: a hash of the whole body */
};

/* An Event that goes with a status. */
struct news {
	bool warning;
	const char *reason, *text;
};

/* An action on its way. */
struct sent_action {
	struct executor *x;
	struct sent_action *prev, *next;
	struct arena own; /* the memory of the strings and lists below */
	struct http_call *call;
	struct operation operation;
	uint64_t ticket; /* of the store */
	const char *ns, *name, *key, *why;
	const char *event_done, *event_failed, *event_warned, *warned_of;
	uint32_t what;            /* reverted_what */
	const char *const *nodes; /* of an update of Slurm: each waits for itself */
	size_t n_nodes;
	struct news *news; /* of a status: its Events when it is written */
	size_t n_news;
	struct object_ref about;
	struct quota *quota; /* of its namespace, for bytes of its body */
	struct quota *place; /* the same, for a deletion that relies on Slurm; else NULL */
	size_t bytes;
	struct err err;      /* of the write, while the object is read again */
	struct timer *timer; /* until it is read once more */
	int reads;           /* in vain, as far as the pause grows */
	const char *body;    /* while it waits for a read (backend_once.c) */
	/* For a deletion that relies on Slurm, or an action that waits for a read. */
	struct guard guard;
	const char *cluster;
	int64_t began_ms;
};

struct show_space;

/* Writes of VERB_SHOW: how many began in this second, and how many are under way. */
struct shows {
	int64_t from_ms;
	int begun, under_way;
	struct show_space *spaces; /* the same, by namespace */
};

struct executor {
	struct executor_config config;
	struct sent_action *sent_actions;
	struct wait *waits;
	struct slow_start *starts;
	struct failures *failures;
	struct reverted *reverted;
	struct shows shows;
	struct budget bodies;  /* of what is on its way, by namespace */
	struct budget guarded; /* deletions that rely on Slurm, by namespace */
	int64_t swept_ms;      /* reverted, then */
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

/* A copy of what of the action is needed until its end; it counts as under way. */
struct sent_action *sent_action_new(struct executor *x, const struct delivery *d);
/* The Events of the plan that go with the status that this sent action writes. */
void sent_action_take_news(struct sent_action *e, const struct plan *plan);
/* Frees it without a report. */
void sent_action_free(struct sent_action *e);
/* Reports its outcome, and sets its wait; the object is to be planned again. Frees it. */
void sent_action_end(struct sent_action *e, struct err err);

/* ---- shows.c ---- */

/* A write of VERB_SHOW in this namespace begins, and is under way no more. */
void shows_begun(struct executor *x, const char *ns);
void shows_over(struct executor *x, const char *ns);
/* A write of VERB_SHOW has ended, with its failure. */
void shows_ended(struct executor *x, const char *ns, struct err err);
/* Forgets the namespaces that write nothing any more, or all of them. */
void shows_sweep(struct executor *x, bool all);

/* ---- what waits after a failure ---- */

/* An object of Kubernetes, or the nodes of a Slurm. */
const char *target_key(char buffer[static KEY_BYTES], struct operation d, const char *ns,
	const char *name);
/* Such operations to any object of a namespace: their keys begin so. */
const char *targets_key(char buffer[static KEY_BYTES], struct operation d, const char *ns);
/* All creations of an object. */
const char *starts_key(char buffer[static 128], const char *uid);
/* The target for one node of an update. */
const char *node_key(char buffer[static KEY_BYTES], const char *key, const char *node);
/* The target for reverted.h: a Slurm node, whatever is done to it, or its comment. */
const char *reverted_node(char buffer[static KEY_BYTES], struct operation d, const char *ns,
	const char *cluster, const char *node);

/* ---- sent_action_kube.c ---- */

/* From now on the object is in flight. */
struct sent_action *kube_begin(struct executor *x, const struct delivery *d);
/* Reports its outcome to the store (store_outcome), and ends it. */
void kube_end(struct sent_action *e, const struct json *answered, bool deletion_accepted,
	struct err err);
void kube_send_sent_action(struct sent_action *e, const char *body, const struct guard *guard);

/* ---- backends ---- */

/* 0: it is on its way, or need not go; otherwise it is tried again after so many ms. */
typedef int64_t backend_send(struct executor *x, const struct delivery *d);
backend_send backend_kube, backend_slurm, backend_token;
/* A deletion that relies on Slurm: after a look at its node (backend_look.c). */
backend_send backend_look;
/* An action that may happen once only: after a read (backend_once.c). */
backend_send backend_once;

/* The link to the Slurm of the planned object; NULL: there is none. */
static inline struct slurm_link *link_for(const struct executor *x, const char *ns,
	const char *cluster)
{
	return cluster ? x->config.link_of(x->config.ctx, ns, cluster) : NULL;
}

#endif
