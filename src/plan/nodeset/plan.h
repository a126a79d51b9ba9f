/*
 * The NodeSet planner: what is to be done for one NodeSet, as a pure function of what is known. No I/O, no clock, no memory but the plan's arena.
 */
#ifndef PLAN_NODESET_PLAN_H
#define PLAN_NODESET_PLAN_H

#include "engine/action.h"
#include "engine/failures.h"
#include "json/json.h"

/* A ControllerRevision or PVC as known: its trimmed document. */
struct object_fact {
	const struct json *object;
	bool in_flight; /* an action of ours on it has not come back yet (a creation in flight has an object with metadata.name only) */
};

/* A node of Slurm whose comment, or else whose name, names a pod of this NodeSet that is not there. */
struct record_fact {
	const char *node, *pod;
	int64_t podless_since_ms; /* monotonic: so long has no pod named the node */
	struct slurm_node_fact fact;
};

/* A living pod of this Slurm has the host name that a pod of this ordinal would get, and its node may have work: a second slurmd of the name would end that. */
struct busy_name {
	int64_t ordinal;
	const struct pod_fact *pod;
};

struct nodeset_view {
	const struct json *object; /* the NodeSet as the API server has it */
	const char *namespace_uid; /* of its namespace: the second owner of its pods; NULL: not known yet; "": nobody tells */
	bool in_flight;            /* a write of ours on the NodeSet or its status is not seen yet: leave status alone */
	/* Every pod of the namespace that is controlled by this NodeSet, or has no controller. */
	const struct pod_fact *const *pods;
	const struct slurm_node_fact *slurm_nodes; /* slurm_nodes[i] belongs to pods[i]; known == UNKNOWN when nothing is known */
	size_t n_pods;
	/* Pods of other controllers that have names which this NodeSet could give. */
	const struct pod_fact *const *taken;
	size_t n_taken;
	const struct busy_name *busy_names; /* of ordinals that have no pod */
	size_t n_busy_names;
	const struct object_fact *revisions; /* of the namespace: controlled by this NodeSet or by nobody */
	size_t n_revisions;
	const struct object_fact *claims; /* PVCs of the namespace with the prefix of one of the templates */
	size_t n_claims;
	const struct record_fact *records; /* those that are drained */
	size_t n_records;
	const char *const *returned; /* pods that went within SLURM_LATE_MS, and said that the drains of their nodes were being lifted */
	size_t n_returned;
	size_t n_overtaken;        /* pods being created while somebody else's pod has their name: not among pods */
	int64_t acting_since_ms; /* monotonic: what a manager before sent may still arrive */
	size_t max_creates;        /* so many pods and claims may be created now; the end of those under way makes a new plan */
	struct slurm_fact slurm;
	const char *clusters; /* the Clusters of the namespace: "a, b and 3 more"; "" or NULL when there is none */
	const struct failing_action *failing; /* actions for this NodeSet that keep failing, in a lasting order */
	size_t n_failing;
	enum tri cluster; /* YES: the Cluster object spec.clusterName exists in the namespace; NO: it does not; UNKNOWN: not listed yet */
};

/* It says that the drain of its node is being lifted, or was when it was cordoned. */
bool pod_was_returning(const struct pod_fact *p);

/* now_ms: monotonic; now_wall_ms: since 1970. */
void nodeset_plan(const struct nodeset_view *view, int64_t now_ms, int64_t now_wall_ms, struct plan *out);

#endif
