/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pod that copies the results of a job into its user's volume ("slurm-operator
 * results"), or its inputs out of one ("prepare"). The pod mounts that volume and nothing
 * of a Kubernetes node. Its requests go to the virtual node of the job, with a token that
 * is valid for nothing else. Pure.
 */
#ifndef CHILDREN_COLLECTOR_POD_H
#define CHILDREN_COLLECTOR_POD_H

#include "api/job_inputs.h"
#include "json/build.h"

struct collector {
	const struct job *job; /* the job, which is valid */
	const struct job_options *options;
	const char *url, *key; /* of the virtual node */
	int64_t attempt;       /* the number of pods created so far, with this one */
	bool inputs;           /* the pod brings the inputs; false: it copies the results */
};

/* The object to create, as JSON text in the arena of d. */
const char *collector_pod_build(struct jdoc *d, struct arena *a, const struct collector *c);

#endif
