/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to the controller: its state, and what its parts say to each other.
 *
 *     controller.c           what a change means, planning, life
 *     controller_subjects.c  the objects that are planned: how they are found and woken
 *     controller_left.c      pods that are held for an object that is not there
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
	bool woken;                           /* it waits in the queue, as metrics count */
	bool asks_nodes;                      /* its plan does */
	size_t n_waiting;                     /* actions of its plan that had to wait */
	char *refers_to, *uid;                /* NULL: nothing; not there yet */
	int64_t generation;                   /* of the object, as last seen */
	void *own;                            /* of the kind */
	char *own_uid;                        /* for whom that is; NULL: none */
	struct slurm_link *link;              /* NULL: its kind has none */
	struct member in_namespace, referrer; /* places in the groups of the controller */
	UT_hash_handle hh, hh_uid;
};

struct controller {
	struct controller_config config;
	struct store *store;
	struct executor *executor;
	struct events *events;
	struct sources *sources;
	struct node_list *nodes;              /* NULL: no kind asks for any */
	size_t n_ask_nodes;                   /* subjects */
	const struct kind *kinds[RES_COUNT];  /* NULL: not planned */
	const char *components[RES_COUNT];    /* who speaks about it */
	const struct kind *linked;            /* the one whose objects have links */
	bool anybodys[RES_COUNT];             /* some kind has it as such a child */
	struct subject *subjects[RES_COUNT];  /* by namespace and name */
	struct subject *by_uid;               /* a cluster has many pods that are not ours */
	struct group *namespaces, *referrers; /* of subjects; referrers: by what they name */
	struct timer *left_timer;             /* NULL: no pod is held */
	bool leading, stopped;
	timer_fn *plan;          /* of a subject, when its timer ran out */
	struct link_config link; /* of each link; ctx: this */
	struct budget memory;    /* for what Slurms say */
	int64_t acting_since_ms;
	int64_t acts_until_ms; /* by the loop's clock */
};

/* ---- controller_subjects.c ---- */

/* NULL: it is not there. */
struct subject *subject_find(const struct controller *c, enum resource r, const char *ns,
	const char *name);
/* The one that is there, or a new one that knows nothing but its name. */
struct subject *subject_make(struct controller *c, const struct kind *k, const char *ns,
	const char *name);
/* The one whose uid this is; NULL: it is not there. */
struct subject *subject_of_uid(const struct controller *c, const char *ns, const char *uid);
void subject_free(struct subject *s);
/* Plans the subject in so many ms, or earlier if that was due before. */
void subject_due(struct subject *s, int64_t in_ms);
/* Soon, but never so often that planning a large set crowds out everything else. */
void subject_wake(void *subject);
/* Plans the subject again in so many ms, because an action had to be put off. */
void subject_retry(struct subject *s, int64_t in_ms);
/* The subject is planned now, or freed: it waits in no queue any more. */
void subject_taken(struct subject *s);
/* Which object has the name now; NULL: none. */
void subject_set_uid(struct subject *s, const char *uid);
/* Which object it refers to; NULL: none. */
void subject_set_reference(struct subject *s, const char *name);
/*
 * The link that its plans ask: its own, or that of the object that it refers to; NULL:
 * there is none.
 */
struct slurm_link *subject_asks(const struct subject *s);
/* The link of the object of this name; NULL: there is none. For the executor. */
struct slurm_link *controller_link_of(void *controller, const char *ns, const char *name);
/*
 * Another object has its name: the facts about the Slurm of the former object are void.
 */
void subject_link_anew(struct subject *s);
/* Whether its plans wish to know Nodes. */
void subject_ask_nodes(struct subject *s, bool asks);
/* Keeps beside it what its kind wants for this object; NULL: nothing. */
void subject_set_own(struct subject *s, const struct record *rec);

/* ---- controller_left.c ---- */

/* A pod has changed: if it is held, its object is looked for now and then. */
void controller_note_held(struct controller *c, const char *ns, const char *name);

#endif
