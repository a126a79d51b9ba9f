/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The NodeSet planner: decides the actions for one NodeSet, as a pure function of the
 * facts. It does no I/O, reads no clock, and uses only the memory of the plan's arena.
 */
#ifndef PLAN_NODESET_PLAN_H
#define PLAN_NODESET_PLAN_H

#include "engine/act/action.h"
#include "engine/act/failures.h"
#include "json/json.h"

/* A ControllerRevision or PVC: its trimmed document. */
struct object_fact {
	const struct json *object;
	/*
	 * An action of ours on the object is in flight (an object that is being created
	 * has metadata.name only)
	 */
	bool in_flight;
};

/*
 * A Slurm node without a pod. Its comment, or without a comment its name, is that of a
 * pod of this NodeSet.
 */
struct record_fact {
	const char *node, *pod;
	int64_t podless_since_ms; /* monotonic: no pod has named the node since then */
	struct slurm_node_fact fact;
};

/*
 * The holder of the host name that a missing pod would get: a pod, or a Slurm node whose
 * slurmd may run. A second slurmd of the name would end the jobs of the first.
 */
struct host_name {
	int64_t ordinal;
	const struct pod_fact *pod;  /* running, of this Slurm; NULL: none */
	struct slurm_node_fact node; /* known == YES: Slurm has it */
	bool left_behind;            /* at the address of a deleted pod that had the ordinal */
};

struct nodeset_view {
	const struct json *object; /* the NodeSet as the API server has it */
	/*
	 * Uid of the namespace, which is the second owner of its pods; NULL: not read
	 * yet; "": unreadable
	 */
	const char *namespace_uid;
	/*
	 * A write of ours on the NodeSet or its status is in flight: do not write the
	 * status
	 */
	bool in_flight;
	/*
	 * Every pod of the namespace that this NodeSet controls, or that has no
	 * controller.
	 */
	const struct pod_fact *const *pods;
	/*
	 * slurm_nodes[i] belongs to pods[i]; its member known is UNKNOWN without an
	 * answer
	 */
	const struct slurm_node_fact *slurm_nodes;
	size_t n_pods;
	/* Pods of other controllers with names that this NodeSet could give. */
	const struct pod_fact *const *taken;
	size_t n_taken;
	const struct host_name *host_names; /* for ordinals without a pod */
	size_t n_host_names;
	/*
	 * Revisions of the namespace that this NodeSet controls, or that have no
	 * controller
	 */
	const struct object_fact *revisions;
	size_t n_revisions;
	/* PVCs of the namespace with the prefix of one of the templates */
	const struct object_fact *claims;
	size_t n_claims;
	const struct record_fact *records; /* only drained ones */
	size_t n_records;
	/*
	 * Pods that were deleted within SLURM_LATE_MS while the drains of their nodes
	 * were being lifted
	 */
	const char *const *returned;
	size_t n_returned;
	/*
	 * Number of pods being created while another owner's pod has their name; not in
	 * pods
	 */
	size_t n_overtaken;
	/*
	 * monotonic: start of this manager; requests of an earlier manager may still
	 * arrive
	 */
	int64_t acting_since_ms;
	/* Monotonic: the facts from Kubernetes are from this time, or later */
	int64_t kube_seen_ms;
	/*
	 * Number of pods and claims that may be created now; the end of a creation in
	 * flight triggers a new plan
	 */
	size_t max_creates;
	/*
	 * Maximum number of patches of pods in this plan, and of deletions of each kind;
	 * if there are more, plan.more requests the next plan
	 */
	size_t max_writes;
	/*
	 * Number of pods that may be written now to show the states of their Slurm nodes,
	 * and the time until more may be written
	 */
	size_t max_shows;
	int64_t shows_again_ms;
	/*
	 * Only a part of the objects of the namespace is known: its memory quota is used
	 * up
	 */
	bool in_short;
	struct slurm_fact slurm;
	/*
	 * Only with spec.autoscaling: the queue, and the node sets of partitions (NULL:
	 * unknown)
	 */
	struct queue_fact queue;
	const char *partition_sets;
	/* NULL: unknown, or Slurm accepts jobs for partitions without nodes */
	const char *partition_nodes;
	int64_t partition_nodes_ms; /* monotonic: time of partition_nodes */
	/* Only with spec.autoscaling: the other NodeSets of the Cluster that have it */
	const struct json *const *siblings;
	size_t n_siblings;
	/* The Clusters of the namespace: "a, b and 3 more"; "" or NULL: none */
	const char *clusters;
	/* Actions for this NodeSet that keep failing, in a stable order */
	const struct failing_action *failing;
	size_t n_failing;
	/*
	 * YES: the Cluster object spec.clusterName exists in the namespace; NO: it does
	 * not; UNKNOWN: Clusters are not listed yet
	 */
	enum tri cluster;
};

/*
 * The annotations of the pod show that the drain of its node is being lifted, or was when
 * the pod was cordoned.
 */
bool pod_was_returning(const struct pod_fact *p);

/* now_ms: monotonic; now_wall_ms: since 1970. */
void nodeset_plan(const struct nodeset_view *view, int64_t now_ms, int64_t now_wall_ms,
	struct plan *out);

#endif
