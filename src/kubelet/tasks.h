/* SPDX-License-Identifier: Apache-2.0 */
/* An array whose tasks write to files of their own: which files its log has. Pure. */
#ifndef KUBELET_TASKS_H
#define KUBELET_TASKS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "wlm/answer.h"

enum {
	TASKS_MOST = 200, /* files of one log; the logs of all readers have room for them */
};

/* The file of a task. */
struct task_file {
	int64_t number; /* of the task; -1: an older red-box does not say it */
	int64_t id;
	const char *path;
};

struct task_files {
	struct task_file *of; /* by their numbers */
	size_t n;
	size_t left_out; /* tasks that have begun beyond TASKS_MOST */
};

/* Whether it is an array whose tasks that have begun write to several files. */
bool tasks_have_files(const struct slurm_job_shown *jobs, size_t n, bool standard_error);
/* The files of tasks that have begun; a task without a path is left out. */
struct task_files tasks_files(const struct slurm_job_shown *jobs, size_t n, bool standard_error,
	struct arena *a);
/* The record of the task of that number; NULL: it has not begun, or there is none. */
const struct slurm_job_shown *tasks_find(const struct slurm_job_shown *jobs, size_t n,
	int64_t number);

/* Returns 7 for "task-7"; -1: it is no such name. */
int64_t tasks_number_of(const char *container);

#endif
