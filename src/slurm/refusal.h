/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides whether a refusal of sbatch is temporary or final. Pure.
 *
 * sbatch ends with "Batch job submission failed: TEXT", where TEXT is the text of
 * slurm_strerror for slurmctld's error number. The table has the texts of 24.11.5 and
 * 26.05. A wrong entry "for good" fails a job that would have run; a wrong entry "for
 * now" lets the job wait and shows the reason. So a refusal is for good only if it lasts
 * until a person changes the script or the rights of the account.
 */
#ifndef SLURM_REFUSAL_H
#define SLURM_REFUSAL_H

#include <stddef.h>

enum slurm_refusal {
	REFUSAL_NONE, /* the text is not from slurmctld: sbatch itself failed */
	/* The text of slurmctld is not in the table, as for a failed connection */
	REFUSAL_UNKNOWN,
	REFUSAL_FOR_NOW, /* the same submission may succeed later */
	/* No such partition: final for red-box, temporary for a virtual node */
	REFUSAL_BY_PARTITION,
	REFUSAL_BY_NODES, /* for now while the partition has no node, otherwise for good */
	REFUSAL_FOR_GOOD, /* the same submission can never succeed */
	REFUSAL_DENIED,   /* for good: the account may not do this */
};

struct slurm_refusal_row {
	int number; /* slurmctld's error number, ESLURM_* */
	enum slurm_refusal what;
	const char *text; /* the beginning of the text of slurm_strerror */
};
extern const struct slurm_refusal_row slurm_refusal_rows[];
extern const size_t slurm_refusal_row_count;

/* said: the output of sbatch, or a text that contains it, such as an error of red-box. */
enum slurm_refusal slurm_refusal_of(const char *said);
/* The beginning of slurmctld's refusal in said; NULL: no refusal. */
const char *slurm_refusal_in(const char *said);

#endif
