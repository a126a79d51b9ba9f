/* SPDX-License-Identifier: Apache-2.0 */
/* The jobs of the simulated Slurm, for its other files. */
#ifndef SIM_SLURM_JOBS_H
#define SIM_SLURM_JOBS_H

#include "sim/sim_slurm.h"

/* The job of the node, if any, is requeued or ended */
void sim_job_node_lost(struct sim_slurm *s, struct sim_node *n);
void sim_jobs_free(struct sim_slurm *s);
bool sim_job_on(const struct sim_job *j, const char *node);

#endif
