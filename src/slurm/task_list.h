/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tasks in one record of an array: "7" for a task that has started, "2-9%1" or
 * "1,3,8-20:4" for pending tasks, and the value of --array. Pure.
 */
#ifndef SLURM_TASK_LIST_H
#define SLURM_TASK_LIST_H

#include <stdint.h>

/*
 * The number of tasks. 0: unknown, because scontrol ends a long list with "...", or
 * because the ranges of a list that a user wrote do not ascend and may overlap.
 */
int64_t slurm_task_count(const char *list);

#endif
