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

/* ---- sim_hpc.c ---- */
enum { HPC_ENDLESS_MS = 100 * 3600 * 1000 }; /* longer than any world lasts */
void hpc_end_as(struct sim_hpc *h, struct hpc_task *t, enum hpc_state end);
/* The next step of one that has no others to wait for. */
void hpc_step(struct sim_hpc *h, struct hpc_task *t);

/* ---- sim_hpc_many.c ---- */
enum hpc_kind hpc_kind_of(const char *script);
/* The tasks of a new job get their numbers. */
void hpc_number(struct sim_hpc *h, struct hpc_job *j);
/* The next steps of all its tasks. */
void hpc_step_all(struct sim_hpc *h, struct hpc_job *j);
/* The task leaves the record of its array. */
void hpc_split(struct sim_hpc *h, struct hpc_job *j, struct hpc_task *t);
void hpc_forget_old(const struct sim_hpc *h, struct hpc_job *j);

/* ---- sim_hpc_why.c ---- */
/* As red-box judges what sbatch printed, and why it ended with 1. */
struct err hpc_why(const char *errors);

#endif
