/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A kind: the controller's knowledge about the objects of one resource, to plan them. A
 * file each in src/kind, and one row in kind/all.c; the controller names none.
 */
#ifndef ENGINE_KIND_H
#define ENGINE_KIND_H

#include "engine/act/action.h"
#include "engine/act/failures.h"
#include "engine/store/store.h"
#include "kube/client.h"
#include "link/link.h"

/*
 * A resource of children of the kind's objects: it is watched, and its events wake them.
 */
struct child {
	enum resource resource;
	/*
	 * A child that has no controller may be taken over, so that it wakes every object
	 * of its namespace
	 */
	bool adopted;
	/* Every child does so: its controller does not tell whose it is */
	bool anybodys;
};

/*
 * Where an object names another one of its namespace. Each wakes the other, and what the
 * plans of those that name it demand of Slurm is one demand.
 */
struct reference {
	const char *part, *member; /* "spec", "clusterName" */
	enum resource to;
};

/* A right that the manager needs, as in a role of Kubernetes. */
struct rule {
	const char *group, *resources, *verbs, *why;
	const char *names; /* of the objects that it is about; NULL: all */
};

struct job_options; /* api/job_results.h */

/* An object that is planned, and what may be asked for its view. */
struct sight {
	const struct store *store;
	const struct record *rec; /* the object */
	const char *refers_to;    /* the name of the object that it refers to; NULL: none */
	/* The link of the object, or of the object it refers to; NULL: there is none */
	struct slurm_link *link;
	void *own;               /* what begin gave */
	struct loop *loop;       /* the time is read when the view is made, not before */
	int64_t acting_since_ms; /* monotonic: a former manager's requests may still come */
	int64_t seen_ms;         /* monotonic: the facts of the store are of then, or later */
	/* Operations for this object that keep failing, in a lasting order */
	const struct failing_action *failing;
	size_t n_failing;
	/* The Nodes that kind.nodes chooses, when a plan has asked for them lately */
	struct nodes_fact nodes;
	const struct job_options *jobs; /* of the controller's configuration */
	/* How many objects of resources that come in numbers may be created now */
	size_t max_creates;
	/* How many patches of such objects, and how many deletions, may be begun now */
	size_t max_writes;
	/* How many may be written for people only; in how long there may be more */
	size_t max_shows;
	int64_t shows_again_ms;
};

/* The sources of the metrics of objects. */
struct measuring {
	const struct store *store;
	struct loop *loop;
	bool acts;   /* it leads: else it asks no Slurm */
	size_t most; /* objects of a kind that have series of their own */
	/* The link of the object of this name; NULL: there is none */
	struct slurm_link *(*link_of)(void *ctx, const char *ns, const char *name);
	void *ctx;
};

struct kind {
	enum resource resource;
	/*
	 * The CRD or the right to read it may be missing: then the kind has no objects,
	 * and the other kinds go on
	 */
	bool optional;
	const struct child *children;
	size_t n_children;
	const struct reference *reference; /* NULL: it names no other object */
	/*
	 * A label selector of the Nodes that its plans ask for (plan.asks_nodes), the
	 * same for all kinds that have one; NULL: for none
	 */
	const char *nodes;
	bool has_link;            /* each object is a Slurm cluster: it has a link */
	const char *component;    /* who speaks in Events about it */
	const struct rule *rules; /* in every namespace that is watched */
	size_t n_rules;
	void (*set_up)(struct store *store); /* extra facts that the store keeps; NULL: none */
	/*
	 * Makes the state kept beside an object from its first plan on, until another one
	 * has its name; wake: it is to be planned again. NULL: none.
	 */
	void *(*begin)(struct kube *kube, const struct record *rec, void (*wake)(void *ctx),
		void *ctx);
	void (*end)(void *own);
	/* Makes the view, and calls the pure planner. */
	void (*plan)(const struct sight *sight, struct plan *out);
	/* Sets the metrics of all its objects for a scrape; NULL: it has none */
	void (*measure)(const struct measuring *m);
	/*
	 * A child is gone that it controlled, without having been seen terminating
	 * perhaps; last: its last record. Only Events may be ordered. NULL: it need not
	 * know.
	 */
	void (*child_gone)(const struct sight *sight, const struct record *last, struct plan *out);
	/*
	 * A pod has FINALIZER_UNREPORTED, and the object of this kind that controls it is
	 * not there (rec is NULL): asked now and then. NULL: it makes no such pods.
	 */
	void (*pod_left)(const struct sight *sight, const struct pod_fact *pod, struct plan *out);
};

#endif
