/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The NodeSet planner: decides the actions for one NodeSet, as a pure function of the
 * facts. No I/O, no clock, no memory but the plan's arena.
 */
#ifndef PLAN_NODESET_PLAN_H
#define PLAN_NODESET_PLAN_H

#include "engine/act/action.h"
#include "engine/act/failures.h"
#include "json/json.h"

/* A ControllerRevision or PVC as known: its trimmed document. */
struct object_fact {
	const struct json *object;
	/*
	 * An action of ours on it has not come back yet (a creation in flight has an
	 * object with metadata.name only)
	 */
	bool in_flight;
};

/*
 * A node of Slurm whose comment, or else whose name, names a pod of this NodeSet that is
 * not there.
 */
struct record_fact {
	const char *node, *pod;
	int64_t podless_since_ms; /* monotonic: since when no pod has named the node */
	struct slurm_node_fact fact;
};

/*
 * The holder of the host name that a missing pod would get: a pod, or a node of Slurm
 * whose slurmd may live. A second slurmd of the name would end the jobs of the first.
 */
struct host_name {
	int64_t ordinal;
	const struct pod_fact *pod;  /* living, of this Slurm; NULL: none */
	struct slurm_node_fact node; /* known == YES: Slurm has it */
	bool left_behind;            /* at the address of a pod that had the ordinal, and is gone */
};

struct nodeset_view {
	const struct json *object; /* the NodeSet as the API server has it */
	/*
	 * Uid of its namespace, the second owner of its pods; NULL: not yet; "":
	 * unreadable
	 */
	const char *namespace_uid;
	/*
	 * A write of ours on the NodeSet or its status is not seen yet: leave status
	 * alone
	 */
	bool in_flight;
	/*
	 * Every pod of the namespace that is controlled by this NodeSet, or has no
	 * controller.
	 */
	const struct pod_fact *const *pods;
	/* slurm_nodes[i] belongs to pods[i]; known == UNKNOWN when nothing is known */
	const struct slurm_node_fact *slurm_nodes;
	size_t n_pods;
	/* Pods of other controllers that have names which this NodeSet could give. */
	const struct pod_fact *const *taken;
	size_t n_taken;
	const struct host_name *host_names; /* of ordinals that have no pod */
	size_t n_host_names;
	/*
	 * Revisions of the namespace: controlled by this NodeSet, or without a controller
	 */
	const struct object_fact *revisions;
	size_t n_revisions;
	/* PVCs of the namespace with the prefix of one of the templates */
	const struct object_fact *claims;
	size_t n_claims;
	const struct record_fact *records; /* those that are drained */
	size_t n_records;
	/*
	 * Pods that went within SLURM_LATE_MS, and said that the drains of their nodes
	 * were being lifted
	 */
	const char *const *returned;
	size_t n_returned;
	/* Pods being created while another owner's pod has their name: not among pods */
	size_t n_overtaken;
	/* monotonic: a former manager's requests may still come */
	int64_t acting_since_ms;
	/* Monotonic: all that Kubernetes says here is as it was then, or later */
	int64_t kube_seen_ms;
	/*
	 * Number of pods and claims that may be created now; the end of a creation in
	 * flight triggers a new plan
	 */
	size_t max_creates;
	/*
	 * Number of patches of pods, and of deletions of each sort, that may be ordered
	 * now; if there are more of them, plan.more asks for the next plan
	 */
	size_t max_writes;
	/*
	 * Number of pods that may be written now to show the states of their Slurm nodes,
	 * and in how long there may be more
	 */
	size_t max_shows;
	int64_t shows_again_ms;
	/* Only a part of the objects of its namespace is known, for want of memory */
	bool in_short;
	struct slurm_fact slurm;
	/* Only with spec.autoscaling: the queue; NULL: the partitions are not known */
	struct queue_fact queue;
	const char *partition_sets;
	/* NULL: not known, or Slurm takes jobs for partitions without nodes, too */
	const char *partition_nodes;
	int64_t partition_nodes_ms; /* monotonic: as of then */
	/* Only with spec.autoscaling: other NodeSets of the Cluster that have it */
	const struct json *const *siblings;
	size_t n_siblings;
	/*
	 * The Clusters of the namespace: "a, b and 3 more"; "" or NULL when there is none
	 */
	const char *clusters;
	/* Actions for this NodeSet that keep failing, in a lasting order */
	const struct failing_action *failing;
	size_t n_failing;
	/*
	 * YES: the Cluster object spec.clusterName exists in the namespace; NO: it does
	 * not; UNKNOWN: not listed yet
	 */
	enum tri cluster;
};

/*
 * The pod says that the drain of its node is being lifted, or was when it was cordoned.
 */
bool pod_was_returning(const struct pod_fact *p);

/* now_ms: monotonic; now_wall_ms: since 1970. */
void nodeset_plan(const struct nodeset_view *view, int64_t now_ms, int64_t now_wall_ms,
	struct plan *out);

#endif
