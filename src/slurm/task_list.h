/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tasks of an array that one record of Slurm stands for: "7" of a task that has
 * begun, "2-9%1" or "1,3,8-20:4" of those that still wait. Pure.
 */
#ifndef SLURM_TASK_LIST_H
#define SLURM_TASK_LIST_H

#include <stdint.h>

/* How many they are. 0: not known; scontrol ends a long list with "...". */
int64_t slurm_task_count(const char *list);

#endif
