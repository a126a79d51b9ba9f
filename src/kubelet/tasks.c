/* SPDX-License-Identifier: Apache-2.0 */
/* Selects and sorts the tasks of an array that have a log. */
#include "kubelet/tasks.h"

#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/str.h"
#include "plan/vnode/pod.h"
#include "slurm/task_list.h"

static const char prefix[] = "task-";

static int64_t number_of(const struct slurm_job_shown *j)
{
	int64_t number;
	return str_to_i64(j->task, 0, UINT32_MAX, &number) ? number : -1;
}

/* A record of several tasks has not started: the tasks were cancelled while pending. */
static bool has_begun(const struct slurm_job_shown *j)
{
	bool never = slurm_task_count(j->task) > 1 || (vjobs_ended(j, 1) && j->start_s < 0);
	return vjob_phase_of(j->state) != VJOB_PENDING && !never;
}

static const char *path_of(const struct slurm_job_shown *j, bool standard_error)
{
	return standard_error ? j->std_err : j->std_out;
}

bool tasks_have_files(const struct slurm_job_shown *jobs, size_t n, bool standard_error)
{
	const char *first = NULL;
	for (size_t i = 0; i < n; i++) {
		const char *path = path_of(&jobs[i], standard_error);
		if (str_empty(jobs[i].array_id) || !has_begun(&jobs[i]) || str_empty(path))
			continue;
		if (first && !str_eq(first, path))
			return true;
		first = path;
	}
	return false;
}

static int by_number(const void *a, const void *b)
{
	const struct task_file *x = a, *y = b;
	int order = (x->number > y->number) - (x->number < y->number);
	return order ? order : (x->id > y->id) - (x->id < y->id);
}

struct task_files tasks_files(const struct slurm_job_shown *jobs, size_t n, bool standard_error,
	struct arena *a)
{
	struct task_files files = { .of = arena_array(a, struct task_file, n) };
	for (size_t i = 0; i < n; i++) {
		const char *path = path_of(&jobs[i], standard_error);
		if (has_begun(&jobs[i]) && !str_empty(path))
			files.of[files.n++] = (struct task_file){ number_of(&jobs[i]), jobs[i].id,
				path };
	}
	if (files.n)
		qsort(files.of, files.n, sizeof(*files.of), by_number);
	files.left_out = files.n > TASKS_MOST ? files.n - TASKS_MOST : 0;
	files.n -= files.left_out;
	for (size_t i = 0; i < files.n; i++)
		files.of[i].path = arena_strdup(a, files.of[i].path);
	return files;
}

const struct slurm_job_shown *tasks_find(const struct slurm_job_shown *jobs, size_t n,
	int64_t number)
{
	for (size_t i = 0; i < n; i++)
		if (has_begun(&jobs[i]) && number_of(&jobs[i]) == number)
			return &jobs[i];
	return NULL;
}

int64_t tasks_number_of(const char *container)
{
	int64_t number;
	if (!str_has_prefix(container, prefix))
		return -1;
	return str_to_i64(container + strlen(prefix), 0, UINT32_MAX, &number) ? number : -1;
}
