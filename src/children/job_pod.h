/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pod that stands for a job of Slurm: no container of it ever runs. It asks the
 * scheduler of Kubernetes for a virtual node, which is a partition; that node hands the
 * job to Slurm and says in the pod's status what becomes of it. Pure.
 */
#ifndef CHILDREN_JOB_POD_H
#define CHILDREN_JOB_POD_H

#include "api/job.h"

/*
 * The object to create, as JSON text in the arena of d. The script is not in it: the
 * virtual node reads that from the owner. It has FINALIZER_UNTOLD, so that it cannot go
 * unseen.
 */
const char *job_pod_build(struct jdoc *d, struct arena *a, const struct job *j,
	const struct sbatch_wishes *wishes);

/* A taint of a node that keeps other pods away lets it in. */
bool job_pod_tolerates(const char *key, const char *value, const char *effect);

#endif
