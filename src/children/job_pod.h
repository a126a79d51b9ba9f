/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pod that represents a Slurm job. Its containers never run. The Kubernetes scheduler
 * binds the pod to a virtual node, which represents a partition. The virtual node submits
 * the job to Slurm and reports its progress in the pod's status. Pure.
 */
#ifndef CHILDREN_JOB_POD_H
#define CHILDREN_JOB_POD_H

#include "api/job.h"
#include "json/build.h"

/*
 * The object to create, as JSON text in the arena of d. The script is not in the pod: the
 * virtual node reads it from the owner. FINALIZER_UNREPORTED keeps the pod until the
 * status of its owner records that the pod existed (plan/job/rule.h).
 */
const char *job_pod_build(struct jdoc *d, struct arena *a, const struct job *j,
	const struct sbatch_wishes *wishes);

/* Whether the pod tolerates this taint of a node. */
bool job_pod_tolerates(const char *key, const char *value, const char *effect);

#endif
