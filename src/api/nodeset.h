/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A NodeSet, read from its JSON: defaults filled in, everything borrowed from the
 * document.
 *
 * Reading never fails: a missing or malformed member gets a value that is safe to act on.
 * nodeset_faults reports each fault in one sentence. The planner and the admission
 * webhook both use it, so they cannot disagree.
 */
#ifndef API_NODESET_H
#define API_NODESET_H

#include "base/err.h"
#include "json/json.h"

enum { NODESET_MAX_REPLICAS = 65536 }; /* the ceiling of Slurm's MaxNodeCount */

enum update_type {
	UPDATE_ROLLING,
	UPDATE_ON_DELETE,
	UPDATE_UNKNOWN /* another word; acts like OnDelete */
};
enum retention { RETAIN, DELETE_CLAIM };

struct nodeset {
	const struct json *object;
	/* The object is nested too deep, or needs too much memory: only a part is here */
	bool cut, large;
	const char *ns, *name, *uid, *resource_version; /* never NULL */
	int64_t generation;
	bool deleting, has_finalizer, release_now;
	bool orphaning; /* it is being deleted, but its dependents must stay */
	/* The NodeSet is being deleted, after its dependents (foreground) */
	bool foreground;
	int64_t deleting_since_ms; /* wall; 0: unknown or not deleting */
	const char *cluster_name, *service_name;
	int64_t replicas;                                         /* nodeset_replicas() */
	const struct json *selector, *template, *claim_templates; /* NULL when absent */
	enum update_type update;
	int64_t max_unavailable; /* number of pods; unset or malformed: 1 */
	bool max_unavailable_bad;
	int64_t history_limit, min_ready_s;
	enum retention when_deleted, when_scaled;
	/* The policy exists, and one of its values is not Retain or Delete */
	bool retention_bad;
	const struct json *status;
	int64_t collisions; /* status.collisionCount */
};

/*
 * spec.replicas; unset: 0. With spec.autoscaling the operator sets it and manifests leave
 * it out, so unset then means the operator's last number, or the number of pods.
 */
int64_t nodeset_replicas(const struct json *object);
/* Reads the object, with defaults for members that it leaves out; out points into it. */
void nodeset_read(const struct json *object, struct nodeset *out);

/* A fault of a NodeSet. */
struct fault {
	const char *reason; /* CamelCase: "SelectingAll", "InvalidReplicas" */
	/*
	 * True: the planner does nothing until the fault is fixed. False: it goes on with
	 * a safe value
	 */
	bool fatal;
	struct err err;        /* ERR_INVALID with the sentence */
	const char *meanwhile; /* what the planner does until it is fixed; NULL: nothing */
};
enum { NODESET_MAX_FAULTS = 18 };
/*
 * Fills at most NODESET_MAX_FAULTS rows, fatal ones first, and returns their number. If
 * the NodeSet is too large, no other fault is reported.
 */
size_t nodeset_faults(const struct nodeset *n, struct fault out[static NODESET_MAX_FAULTS]);

/*
 * Reads a number, or a percentage of total, rounded up. False if v is absent, malformed
 * or negative.
 */
bool int_or_percent(const struct json *v, int64_t total, int64_t *out);

#endif
