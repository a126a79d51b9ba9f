/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to the controller: its state, and the functions that its files share.
 *
 *     controller.c           changes, planning, creation and end
 *     controller_subjects.c  the planned objects: how they are found and woken
 *     controller_left.c      pods that are held for an object that no longer exists
 */
#ifndef ENGINE_CONTROLLER_PARTS_H
#define ENGINE_CONTROLLER_PARTS_H

#include "base/hash.h"
#include "engine/controller.h"
#include "engine/act/executor.h"
#include "engine/store/groups.h"
#include "engine/kind.h"
#include "engine/node_list.h"
#include "engine/store/sources.h"
#include "kube/event.h"

/* An object that is planned. */
struct subject {
	struct controller *c;
	const struct kind *kind;
	char *key, *ns, *name;
	struct timer *timer;
	int64_t due_ms, last_took_ms, woken_ms;
	bool woken;                           /* counted in the metrics of the queue */
	bool asks_nodes;                      /* its last plan needs the list of Nodes */
	size_t n_waiting;                     /* actions of its last plan that had to wait */
	char *refers_to, *uid;                /* NULL: no reference; no object yet */
	int64_t generation;                   /* of the object, last seen */
	void *own;                            /* from kind.begin */
	char *own_uid;                        /* the uid for which own was made; NULL: none */
	struct slurm_link *link;              /* NULL: its kind has no link */
	struct member in_namespace, referrer; /* places in the controller's groups */
	UT_hash_handle hh, hh_uid;
};

struct controller {
	struct controller_config config;
	struct store *store;
	struct executor *executor;
	struct events *events;
	struct sources *sources;
	struct node_list *nodes;              /* NULL: no kind needs Nodes */
	size_t n_ask_nodes;                   /* subjects with asks_nodes */
	const struct kind *kinds[RES_COUNT];  /* NULL: objects are not planned */
	const char *components[RES_COUNT];    /* kind.component */
	const struct kind *linked;            /* the kind whose objects have links */
	bool anybodys[RES_COUNT];             /* a kind has this child with anybodys */
	struct subject *subjects[RES_COUNT];  /* by namespace and name */
	struct subject *by_uid;               /* those that exist, by uid */
	struct group *namespaces, *referrers; /* of subjects; referrers: by referenced name */
	struct timer *left_timer;             /* NULL: no pod is held */
	bool leading, stopped;
	timer_fn *plan;          /* plans a subject when its timer fires */
	struct link_config link; /* for each link; ctx: this controller */
	struct budget memory;    /* for the answers of Slurms */
	int64_t acting_since_ms;
	int64_t acts_until_ms; /* by the loop's clock */
};

/* ---- controller_subjects.c ---- */

/* NULL: there is none of this name. */
struct subject *subject_find(const struct controller *c, enum resource r, const char *ns,
	const char *name);
/* Returns the subject of this name, or a new one that has only the name. */
struct subject *subject_make(struct controller *c, const struct kind *k, const char *ns,
	const char *name);
/* The subject with this uid; NULL: there is none. */
struct subject *subject_of_uid(const struct controller *c, const char *ns, const char *uid);
void subject_free(struct subject *s);
/* Plans the subject in in_ms, or earlier if it is due earlier already. */
void subject_due(struct subject *s, int64_t in_ms);
/* Plans it soon, but with pauses after long plans, so that other work has time. */
void subject_wake(void *subject);
/* Plans the subject again in in_ms, because an action was put off. */
void subject_retry(struct subject *s, int64_t in_ms);
/* The subject is planned now, or freed: removes it from the metrics of the queue. */
void subject_taken(struct subject *s);
/* Sets the uid of the object that has the name now; NULL: none. */
void subject_set_uid(struct subject *s, const char *uid);
/* Sets the name of the object that it refers to; NULL: none. */
void subject_set_reference(struct subject *s, const char *name);
/*
 * The link that its plans use: its own, or that of the object it refers to; NULL: there
 * is none.
 */
struct slurm_link *subject_asks(const struct subject *s);
/* The link of the object of this name; NULL: there is none. For the executor. */
struct slurm_link *controller_link_of(void *controller, const char *ns, const char *name);
/*
 * Replaces the link, because another object has the name now and the facts about the
 * former object's Slurm are void.
 */
void subject_link_anew(struct subject *s);
/* Notes whether its plans need the list of Nodes. */
void subject_ask_nodes(struct subject *s, bool asks);
/* Makes the state that its kind keeps for this object; NULL: frees it. */
void subject_set_own(struct subject *s, const struct record *rec);

/* ---- controller_left.c ---- */

/* A pod has changed. If it is held, a timer checks whether its object still exists. */
void controller_note_held(struct controller *c, const char *ns, const char *name);

#endif
