/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The requests of a batch script in its #SBATCH lines, as sbatch reads them. Pure; the
 * time it takes grows with the length of the script and with nothing else.
 *
 * The rules are those of sbatch 24.11.5 and 26.05.5, seen by giving it scripts
 * (tests/unit/slurm/sbatch/test_slurm_sbatch.c has them):
 *
 * - Options stand in lines that begin with #SBATCH in the first column. Other comments
 *   and blank lines are skipped, the first command ends the search.
 * - Quotes and backslashes make one word of several, a # outside of them ends the line.
 * - The words of all lines together are the command line of sbatch: getopt_long reads
 *   them, so "-N2", "-N 2", "--nodes=2" and "--nodes 2" are the same, as is a beginning
 *   of the name that no other option has, and what comes last counts.
 * - "hetjob" begins the next component of a heterogeneous job. The largest wish of all
 *   components counts: each of them has to find room in the partition.
 *
 * Different from sbatch:
 *
 * - Blank lines may stand before the #! line, and "-N=2" is "-N 2". Slurm's own sbatch
 *   refuses both.
 * - An option that no sbatch has is skipped, with one word behind it that may be its
 *   value: a plugin (SPANK) of the cluster may have brought it.
 * - sbatch turns times that it cannot count into others; here such times are wrong.
 * - Only the values below are looked at, and lines of other systems (#PBS, #BSUB) ask for
 *   nothing. The environment (SBATCH_*) is not known here.
 */
#ifndef SLURM_SBATCH_SBATCH_H
#define SLURM_SBATCH_SBATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* The wall time of a job that is to have no limit: a partition with one does not do. */
#define SBATCH_NO_LIMIT INT64_MAX

/* 0 everywhere: not asked for. */
struct sbatch_wishes {
	/* -N, the least number; not more than there are tasks (-n), as sbatch has it */
	int64_t nodes;
	int64_t wall_time_s;      /* -t, in whole minutes, rounded up */
	int64_t mem_per_node_mib; /* --mem, rounded up; 0 also: all that a node has */
	/*
	 * -c times --ntasks-per-node. An option that is not given counts as 1; a node has
	 * not more tasks than there are (-n).
	 */
	int64_t cpus_per_node;
	bool partition; /* -p is there; its value is not read */
};

/*
 * The script has n bytes. ERR_INVALID for what sbatch would not submit: no interpreter in
 * the first line, a NUL byte, lines that end with CR LF, words that are no options,
 * values that mean nothing. The sentence begins with the line: "line 3: --time: ...".
 * Nothing is asked for then.
 */
struct err sbatch_read(const char *script, size_t n, struct sbatch_wishes *out);

#endif
