/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pod that copies the results of a job into a volume of the user ("slurm-operator
 * results"), or its inputs from such a volume ("slurm-operator prepare"). The pod mounts
 * this volume, and no path of a Kubernetes node. It sends requests to the virtual node of
 * the job, with a token that is valid only for these requests. Pure.
 */
#ifndef CHILDREN_COLLECTOR_POD_H
#define CHILDREN_COLLECTOR_POD_H

#include "api/job_inputs.h"
#include "json/build.h"

struct collector {
	const struct job *job; /* the job, which is valid */
	const struct job_options *options;
	const char *url, *key; /* of the virtual node */
	int64_t attempt;       /* number of pods created so far, including this one */
	bool inputs;           /* the pod sends inputs; false: it copies results */
};

/* The object to create, as JSON text in the arena of d. */
const char *collector_pod_build(struct jdoc *d, struct arena *a, const struct collector *c);

#endif
