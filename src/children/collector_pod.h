/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pod that copies the results of a job into its user's volume ("slurm-operator
 * results"), or its inputs out of one ("prepare"). It mounts that volume and nothing of a
 * node: it asks the virtual node that has the job, with a token that is good for nothing
 * else. Pure.
 */
#ifndef CHILDREN_COLLECTOR_POD_H
#define CHILDREN_COLLECTOR_POD_H

#include "api/job_prepare.h"

struct collector {
	const struct job *job; /* that asks for it, without a fault */
	const struct job_options *options;
	const char *url, *key; /* of the virtual node */
	int64_t attempt;       /* so many were made, with this one */
	bool prepares;         /* it brings the inputs; false: it copies the results */
};

/* The object to create, as JSON text in the arena of d. */
const char *collector_pod_build(struct jdoc *d, struct arena *a, const struct collector *c);

#endif
