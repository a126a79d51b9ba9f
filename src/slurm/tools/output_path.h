/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The output file of a batch script. slurmctld expands only a part of the pattern of
 * "--output" (%A %a %b %j %u %x), and scontrol shows the rest unchanged. slurmd expands
 * the whole pattern when the script starts. Pure.
 */
#ifndef SLURM_TOOLS_OUTPUT_PATH_H
#define SLURM_TOOLS_OUTPUT_PATH_H

#include "slurm/job_shown.h"
#include "base/arena.h"

/*
 * Returns the path that slurmd uses for this job; shown is the path that scontrol shows.
 * As seen with slurmd 24.11.5:
 *
 *     %N        short name of the BatchHost; unchanged if there is none
 *     %n %t     0: the script is task 0 on the first node
 *     %s        "batch"
 *     %J        the id of the job
 *     %5n       00000, at most 10 digits; the width has no effect on words
 *     %5U       5U: an unknown pattern with a width loses its "%"; %U is unchanged
 *     \         disables all patterns; it is removed, and "\\\\" becomes one
 *
 * scontrol shows "%%" as "%", so "%%N" is read as "%N". If nothing changes, the result is
 * shown itself.
 */
const char *slurm_output_path(struct arena *a, const char *shown,
	const struct slurm_job_shown *job);
/*
 * Expands a whole pattern from the accounts, because "sacct --expand-patterns" prints
 * "(null)" for %N and %s, and ignores widths (24.11.5). Without a BatchHost the first
 * node is used.
 */
const char *slurm_output_pattern(struct arena *a, const char *pattern,
	const struct slurm_job_shown *job);

#endif
