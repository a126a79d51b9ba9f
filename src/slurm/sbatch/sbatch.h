/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the requests in the #SBATCH lines of a batch script, as sbatch does. Pure; the
 * time grows only with the length of the script.
 *
 * The rules are those of sbatch 24.11.5 and 26.05.5, found by running scripts (see
 * tests/unit/slurm/sbatch/test_slurm_sbatch.c):
 *
 * - Options are in lines that begin with #SBATCH in the first column. Other comments
 *   and blank lines are skipped. The first command ends the options.
 * - Quotes and backslashes join words to one word. A # outside of them ends the line.
 * - The words of all lines together are the command line of sbatch, which getopt_long
 *   parses. So "-N2", "-N 2", "--nodes=2" and "--nodes 2" are the same, and the beginning
 *   of a name is enough if no other name has it. The last value of an option counts.
 * - "hetjob" begins the next component of a heterogeneous job. The largest request of all
 *   components counts, because each component has to fit into the partition.
 *
 * Differences from sbatch:
 *
 * - Blank lines may precede the #! line, and "-N=2" means "-N 2". sbatch refuses both.
 * - An unknown option is skipped, with one word after it that may be its value, because a
 *   plugin (SPANK) of the cluster may define the option.
 * - sbatch changes times that it cannot represent; here such times are errors.
 * - Only the values below are read, and lines of other systems (#PBS, #BSUB) are ignored.
 *   The environment (SBATCH_*) is not used.
 */
#ifndef SLURM_SBATCH_SBATCH_H
#define SLURM_SBATCH_SBATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* The wall time of a job without a limit: no partition with a limit fits. */
#define SBATCH_NO_LIMIT INT64_MAX

/* 0 in each field: not requested. */
struct sbatch_wishes {
	/* -N, the minimum; not more than the number of tasks (-n), as in sbatch */
	int64_t nodes;
	int64_t wall_time_s;      /* -t, in whole minutes, rounded up */
	int64_t mem_per_node_mib; /* --mem, rounded up; 0 also for all memory of a node */
	/*
	 * -c times --ntasks-per-node. A missing option counts as 1. A node has not more
	 * tasks than the job (-n).
	 */
	int64_t cpus_per_node;
	bool partition; /* -p is given; its value is not read */
	int64_t tasks;  /* of --array; 0 also for a list that slurm_task_count cannot count */
};

/*
 * Reads a script of n bytes. ERR_INVALID if sbatch would refuse the script: no
 * interpreter in the first line, a NUL byte, lines that end with CR LF, words that are
 * not options, invalid values. The sentence begins with the line: "line 3: --time: ...".
 * *out is then zero.
 */
struct err sbatch_read(const char *script, size_t n, struct sbatch_wishes *out);

#endif
