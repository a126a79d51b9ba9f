/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Cluster planner: its status, its conditions, and the finalizer that keeps the
 * Cluster while NodeSets need it to drain their nodes. Pure.
 */
#ifndef PLAN_CLUSTER_PLAN_H
#define PLAN_CLUSTER_PLAN_H

#include "engine/act/action.h"
#include "engine/act/failures.h"
#include "json/json.h"
#include "plan/cluster/chain.h"

struct cluster_view {
	const struct json *object;
	bool in_flight;
	struct link_fact link;
	struct slurm_fact slurm;
	struct partitions_fact partitions;
	struct recipients_fact recipients;
	/* Operations on the Cluster that keep failing */
	const struct failing_action *failing;
	size_t n_failing;
	struct chain chain;   /* of the release of the Cluster */
	bool pods_known;      /* false: not listed yet, so the chain may be incomplete */
	size_t n_nodesets;    /* NodeSets of the namespace that name this Cluster */
	const char *nodesets; /* their names: "a, b and 3 more"; may be NULL if there are none */
	bool nodesets_known;  /* false: NodeSets are not listed yet, so the finalizer stays */
};

/* now_ms: monotonic; now_wall_ms: since 1970. */
void cluster_plan(const struct cluster_view *view, int64_t now_ms, int64_t now_wall_ms,
	struct plan *out);

#endif
