/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks the wishes of a WlmJob by the rules of red-box (slurm/sbatch/container.h). The
 * user who applies it reads the fault at once, and not after red-box has refused it.
 *
 * ERR_INVALID, each: one sentence that begins with the field. A SlurmJob has none of it.
 */
#ifndef API_JOB_CONTAINER_H
#define API_JOB_CONTAINER_H

#include "api/job.h"

/* Whether it names an image that Singularity could be given. */
struct err job_check_image(const struct job *j);
/* Nodes, CPUs, memory and time: what sbatch can count. */
struct err job_check_resources(const struct job *j);
/* The app, the host name and the binds; the other options are true or false. */
struct err job_check_options(const struct job *j);

#endif
