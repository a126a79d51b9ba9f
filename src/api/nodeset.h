/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A NodeSet, read from its JSON: defaults filled in, everything borrowed from the
 * document.
 *
 * Reading never fails: what is missing or malformed gets the value that is safe to act
 * on. nodeset_faults says what is wrong, one sentence each; both the planner and the
 * admission webhook use it, so they cannot disagree.
 */
#ifndef API_NODESET_H
#define API_NODESET_H

#include "base/err.h"
#include "json/json.h"

enum { NODESET_MAX_REPLICAS = 65536 }; /* the ceiling of Slurm's MaxNodeCount */

enum update_type {
	UPDATE_ROLLING,
	UPDATE_ON_DELETE,
	UPDATE_UNKNOWN /* a typing error: acts as OnDelete */
};
enum retention { RETAIN, DELETE_CLAIM };

struct nodeset {
	const struct json *object;
	/* The object is nested too deep, or needs too much memory: only a part is here */
	bool cut, large;
	const char *ns, *name, *uid, *resource_version; /* never NULL */
	int64_t generation;
	bool deleting, has_finalizer, release_now;
	bool orphaning; /* it is being deleted, and what it owns is to stay */
	/* The NodeSet is being deleted, after its dependents (foreground) */
	bool foreground;
	int64_t deleting_since_ms; /* wall; 0: unknown or not deleting */
	const char *cluster_name, *service_name;
	int64_t replicas;                                         /* nodeset_replicas() */
	const struct json *selector, *template, *claim_templates; /* NULL when absent */
	enum update_type update;
	int64_t max_unavailable; /* in pods, from spec.replicas; unset or malformed: 1 */
	bool max_unavailable_bad;
	int64_t history_limit, min_ready_s;
	enum retention when_deleted, when_scaled;
	/* The policy object is there and one of its values is not Retain or Delete */
	bool retention_bad;
	const struct json *status;
	int64_t collisions; /* status.collisionCount */
};

/*
 * spec.replicas; unset: 0. With spec.autoscaling the operator sets it, and a manifest
 * leaves it out: unset is then what the operator meant last, or the pods there are.
 */
int64_t nodeset_replicas(const struct json *object);
/* Reads the object, with defaults for members that it leaves out; out points into it. */
void nodeset_read(const struct json *object, struct nodeset *out);

/* A fault of a NodeSet. */
struct fault {
	const char *reason; /* CamelCase: "SelectingAll", "InvalidReplicas" */
	/*
	 * The planner touches nothing until it is put right; otherwise it goes on with a
	 * safe value
	 */
	bool fatal;
	struct err err;        /* ERR_INVALID with the sentence */
	const char *meanwhile; /* what the planner does as long as it is so; NULL: nothing */
};
enum { NODESET_MAX_FAULTS = 18 };
/*
 * Fills at most NODESET_MAX_FAULTS rows, fatal ones first, and returns their number. For
 * a NodeSet that is too large this is the only fault.
 */
size_t nodeset_faults(const struct nodeset *n, struct fault out[static NODESET_MAX_FAULTS]);

/*
 * An int-or-percent of total, percentages rounded up. False when malformed or negative;
 * absent is malformed.
 */
bool int_or_percent(const struct json *v, int64_t total, int64_t *out);

#endif
