/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A kind: all that the controller needs to plan the objects of one resource. Each kind is
 * a file in src/kind and a row in kind/all.c; the controller names no kind.
 */
#ifndef ENGINE_KIND_H
#define ENGINE_KIND_H

#include "engine/act/action.h"
#include "engine/act/failures.h"
#include "engine/store/store.h"
#include "kube/client.h"
#include "link/link.h"

/*
 * A resource of the children of a kind's objects. The controller watches it, and its
 * events wake the objects.
 */
struct child {
	enum resource resource;
	/*
	 * An object may adopt a child that has no controller, so such a child wakes every
	 * object of its namespace
	 */
	bool adopted;
	/* Every child wakes them, because its controller does not name the object */
	bool anybodys;
};

/*
 * The member with which an object names another object of its namespace. A change of
 * either object wakes the other. The demands of all objects that name the same one are
 * joined into one demand of its link.
 */
struct reference {
	const char *part, *member; /* "spec", "clusterName" */
	enum resource to;
};

/* A right that the manager needs, as in a role of Kubernetes. */
struct rule {
	const char *group, *resources, *verbs, *why;
	const char *names; /* of the objects for which the right is granted; NULL: all */
};

struct job_options; /* api/job_results.h */

/* A planned object, and the sources of its view. */
struct sight {
	const struct store *store;
	const struct record *rec; /* the object */
	const char *refers_to;    /* the name of the object that it refers to; NULL: none */
	/* The link of the object, or of the object it refers to; NULL: there is none */
	struct slurm_link *link;
	void *own;               /* the result of kind.begin */
	struct loop *loop;       /* to read the time when the view is made */
	int64_t acting_since_ms; /* monotonic: when this manager began to act */
	int64_t seen_ms;         /* monotonic: no fact of the store is older than this */
	/* Operations for this object that keep failing, in a stable order */
	const struct failing_action *failing;
	size_t n_failing;
	/* The Nodes that kind.nodes selects, if a recent plan has asked for them */
	struct nodes_fact nodes;
	const struct job_options *jobs; /* of the controller's configuration */
	/* Maximum number of creations in this plan, of resources with in_numbers */
	size_t max_creates;
	/* Maximum number of patches of them and of deletions, in this plan */
	size_t max_writes;
	/* Maximum number of writes for people only; the time until more are permitted */
	size_t max_shows;
	int64_t shows_again_ms;
};

/* The sources of the metrics of objects. */
struct measuring {
	const struct store *store;
	struct loop *loop;
	bool acts;   /* this manager leads; otherwise it queries no Slurm */
	size_t most; /* objects of a kind that may have their own series */
	/* The link of the object of this name; NULL: there is none */
	struct slurm_link *(*link_of)(void *ctx, const char *ns, const char *name);
	void *ctx;
};

struct kind {
	enum resource resource;
	/*
	 * The CRD, or the right to read it, may be missing. Then the kind has no objects,
	 * and the other kinds go on
	 */
	bool optional;
	const struct child *children;
	size_t n_children;
	const struct reference *reference; /* NULL: its objects name no other object */
	/*
	 * The label selector of the Nodes that its plans need (plan.asks_nodes), equal in
	 * all kinds that have one; NULL: its plans need no Nodes
	 */
	const char *nodes;
	bool has_link;            /* each object is a Slurm cluster and has a link */
	const char *component;    /* the component that Events about it name */
	const struct rule *rules; /* rights in every watched namespace */
	size_t n_rules;
	void (*set_up)(struct store *store); /* extra facts that the store keeps; NULL: none */
	/*
	 * Makes the state that is kept with an object, from its first plan until another
	 * object has its name. wake(ctx) has the object planned again. NULL: no state.
	 */
	void *(*begin)(struct kube *kube, const struct record *rec, void (*wake)(void *ctx),
		void *ctx);
	void (*end)(void *own);
	/* Makes the view, and calls the pure planner. */
	void (*plan)(const struct sight *sight, struct plan *out);
	/* Sets the metrics of all its objects for a scrape; NULL: no metrics */
	void (*measure)(const struct measuring *m);
	/*
	 * Called when a pod of the object is gone, perhaps without having been seen
	 * terminating. last: its last record. The plan may only have Events. NULL: not
	 * needed.
	 */
	void (*child_gone)(const struct sight *sight, const struct record *last, struct plan *out);
	/*
	 * Called from time to time for a pod with FINALIZER_UNREPORTED whose controller,
	 * an object of this kind, does not exist (rec is NULL). NULL: the kind makes no
	 * such pods.
	 */
	void (*pod_left)(const struct sight *sight, const struct pod_fact *pod, struct plan *out);
};

#endif
