/* SPDX-License-Identifier: Apache-2.0 */
/* Which file is the log of a job, by what red-box says of it. Pure. */
#ifndef KUBELET_FILE_H
#define KUBELET_FILE_H

#include <stdbool.h>

#include "wlm/answer.h"

struct log_file {
	const char *path; /* of the answer */
	/*
	 * In seconds since 1970, of all tasks that write to it. -1: not yet, or unknown
	 */
	int64_t start_s, end_s;
};

/*
 * The file of a heterogeneous job is that of its first component (jobs[0]): its script
 * runs there. ERR_INVALID with a sentence: the job waits, or is an array whose tasks
 * write to several files. ERR_NOT_FOUND: it has no such file, or it is not told, as by
 * the accounts of an old Slurm.
 */
struct err log_file_choose(const struct slurm_job_shown *jobs, size_t n, bool standard_error,
	struct log_file *out);

/*
 * Whether the lines since then are all lines, or none. ERR_INVALID: they may be some of
 * the lines, and lines have no times. since_s -1: all are asked for.
 */
struct err log_file_since(const struct log_file *f, int64_t since_s, bool *none);

#endif
