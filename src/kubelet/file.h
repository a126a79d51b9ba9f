/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the file that is the log of a job, from red-box's records of the job. Pure. */
#ifndef KUBELET_FILE_H
#define KUBELET_FILE_H

#include <stdbool.h>

#include "wlm/answer.h"

struct log_file {
	const char *path; /* points into the records */
	/*
	 * First start and last end of the tasks that write to the file, in seconds since
	 * 1970. -1: not yet, or unknown
	 */
	int64_t start_s, end_s;
};

/*
 * A heterogeneous job uses the file of its first component (jobs[0]), where its script
 * runs. ERR_INVALID with a sentence: the job is pending, has no separate log, or is an
 * array whose tasks write to several files. ERR_NOT_FOUND: the records have no path, as
 * in the accounting of an old Slurm.
 */
struct err log_file_choose(const struct slurm_job_shown *jobs, size_t n, bool standard_error,
	struct log_file *out);

/*
 * Decides whether --since selects all lines, or none (*none). ERR_INVALID: it may select
 * a part of the lines, which is impossible because lines have no times. since_s -1: all
 * lines are requested.
 */
struct err log_file_since(const struct log_file *f, int64_t since_s, bool *none);

#endif
