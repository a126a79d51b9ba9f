/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many nodes the jobs that wait need of each NodeSet of a Cluster. Every NodeSet's
 * plan shares out the whole queue, by the same facts, and takes its own part.
 *
 * The cheapest NodeSet by weight that may serve a job and has room for it gets it; a job
 * that no one of them can serve alone is shared out, if together they can. Jobs that fit
 * beside each other are counted as parts of a node, so the count may be a little short:
 * then the jobs that are left wait on beside nodes that are busy, and bring up more.
 */
#ifndef PLAN_AUTOSCALE_NEED_H
#define PLAN_AUTOSCALE_NEED_H

#include "base/arena.h"
#include "json/json.h"
#include "slurm/rest/queue.h"

/*
 * The size of a node of the NodeSet, as one registered. cpus 0: not known; then the queue
 * needs as many nodes as its largest job must have.
 */
struct node_shape {
	int64_t cpus, memory; /* MiB */
	const char *gres;     /* "gpu:2(S:0-1)"; "" or NULL: none */
	/* Jobs get no memory. Otherwise one that asks for none gets all of the node's. */
	bool memory_shared;
};

struct autoscale_set {
	const char *name;
	const struct json *template; /* names the features of its slurmds */
	int64_t weight, max;
	int64_t taken; /* of max: pods that have a job, or on which none can start */
	struct node_shape shape;
};

struct autoscale_need {
	int64_t nodes;
	/*
	 * Jobs that it could serve by partition and features, and never will as it is:
	 * the first of them, and why; "" when there is none
	 */
	int64_t unfit;
	const char *unfit_why;
};

/* sets: at least the one of index self. partition_sets: struct partitions_fact.sets. */
struct autoscale_need autoscale_need(const struct slurm_queue *queue, const char *partition_sets,
	const struct autoscale_set *sets, size_t n, size_t self, struct arena *arena);

#endif
