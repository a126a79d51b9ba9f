/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file that a batch script writes to. slurmctld expands a part of the pattern of
 * "--output" only (%A %a %b %j %u %x), and scontrol shows the rest as it is; slurmd
 * expands all of it when the script starts. Pure.
 */
#ifndef SLURM_TOOLS_OUTPUT_PATH_H
#define SLURM_TOOLS_OUTPUT_PATH_H

#include "slurm/job_shown.h"
#include "base/arena.h"

/*
 * The path as slurmd writes it for this job; shown: as scontrol shows it. As seen with
 * slurmd 24.11.5:
 *
 *     %N        short name of the host, from BatchHost; without one it stays as it is
 *     %n %t     0: the script is task 0 on the first node
 *     %s        "batch"
 *     %J        the number of the job
 *     %5n       00000, of at most 10 digits; for a word the width has no effect
 *     %5U       5U: no such pattern, and the "%" is lost; %U stays as it is
 *     \         a path with one is not expanded; it is lost, and of "\\\\" one stays
 *
 * scontrol shows "%%" as "%", so "%%N" is taken for "%N". shown itself is returned where
 * nothing changes.
 */
const char *slurm_output_path(struct arena *a, const char *shown,
	const struct slurm_job_shown *job);
/*
 * Expands the whole pattern, which the accounts have: "sacct --expand-patterns" prints
 * "(null)" for %N and %s, and no widths (24.11.5). Without a BatchHost the first node
 * counts.
 */
const char *slurm_output_pattern(struct arena *a, const char *pattern,
	const struct slurm_job_shown *job);

#endif
