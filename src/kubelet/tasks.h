/* SPDX-License-Identifier: Apache-2.0 */
/* The log files of an array whose tasks write to separate files. Pure. */
#ifndef KUBELET_TASKS_H
#define KUBELET_TASKS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "wlm/answer.h"

enum {
	TASKS_MOST = 200, /* files of one log; limits the memory of all logs */
};

/* The file of a task. */
struct task_file {
	int64_t number; /* of the task; -1: unknown, from an old red-box */
	int64_t id;
	const char *path;
};

struct task_files {
	struct task_file *of; /* sorted by number */
	size_t n;
	size_t left_out; /* number of started tasks beyond TASKS_MOST */
};

/* Whether the job is an array whose started tasks write to several files. */
bool tasks_have_files(const struct slurm_job_shown *jobs, size_t n, bool standard_error);
/* The files of started tasks. A task without a path is omitted. */
struct task_files tasks_files(const struct slurm_job_shown *jobs, size_t n, bool standard_error,
	struct arena *a);
/* The record of the task with this number; NULL: absent, or not started. */
const struct slurm_job_shown *tasks_find(const struct slurm_job_shown *jobs, size_t n,
	int64_t number);

/* Returns 7 for "task-7", and -1 for another name. */
int64_t tasks_number_of(const char *container);

#endif
