/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks the spec of a WlmJob by the rules of red-box (slurm/sbatch/container.h), so that
 * users see a fault when they apply it, and not only when red-box refuses the job.
 *
 * Each function returns ERR_INVALID with one sentence that begins with the field, and OK
 * for a SlurmJob.
 */
#ifndef API_JOB_CONTAINER_H
#define API_JOB_CONTAINER_H

#include "api/job.h"

/* Checks that spec.image is an image for Singularity. */
struct err job_check_image(const struct job *j);
/* Checks nodes, CPUs, memory and time against the limits of sbatch. */
struct err job_check_resources(const struct job *j);
/* Checks app, host name and binds. The other options are booleans. */
struct err job_check_options(const struct job *j);

#endif
