/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files of sim_hpc.h. */
#ifndef SIM_HPC_PARTS_H
#define SIM_HPC_PARTS_H

#include "sim/sim_hpc.h"

enum { HPC_FIRST_ID = 100 };

/* slurmdbd, if it is there, hears of all that slurmctld has. */
void hpc_tell_accounts(struct sim_hpc *h);
/* slurmctld writes its state down. */
void hpc_save(struct sim_hpc *h);

/* As red-box judges what sbatch printed, and why it ended with 1. */
struct err hpc_why(const char *errors);

#endif
