/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calculates how many nodes of each NodeSet of a Cluster the waiting jobs need. The plan
 * of each NodeSet distributes the whole queue by the same facts, and uses its own part.
 *
 * A job is given to the cheapest NodeSet by weight that may serve it and has room for it.
 * A job that is too large for one NodeSet is spread over several if it fits on them
 * together. Jobs that fit on one node together count as parts of a node, so the result
 * may be a little low. The remaining jobs then wait while all nodes are busy, and a later
 * plan adds nodes for them.
 */
#ifndef PLAN_AUTOSCALE_NEED_H
#define PLAN_AUTOSCALE_NEED_H

#include "base/arena.h"
#include "json/json.h"
#include "slurm/rest/queue.h"

/*
 * The size of a node of the NodeSet, as one node has registered it. cpus 0: unknown, so
 * the queue needs as many nodes as its largest job.
 */
struct node_shape {
	int64_t cpus, memory; /* MiB */
	const char *gres;     /* "gpu:2(S:0-1)"; "" or NULL: none */
	/*
	 * Slurm allocates no memory. Otherwise a job that requests none gets all of a
	 * node.
	 */
	bool memory_shared;
};

struct autoscale_set {
	const char *name;
	const struct json *template; /* names the features of the nodes */
	int64_t weight, max;
	int64_t taken; /* pods of max that have a job, or on which no job can start */
	struct node_shape shape;
};

struct autoscale_need {
	int64_t nodes;
	/*
	 * The first job that the NodeSet may serve by partition and features but that
	 * never fits on its nodes, and the reason; 0 and "" if there is none
	 */
	int64_t unfit;
	const char *unfit_why;
};

/* sets has at least the element self. partition_sets: struct partitions_fact.sets. */
struct autoscale_need autoscale_need(const struct slurm_queue *queue, const char *partition_sets,
	const struct autoscale_set *sets, size_t n, size_t self, struct arena *arena);

#endif
