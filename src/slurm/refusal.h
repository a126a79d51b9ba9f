/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a refusal of sbatch is one for now or one for good. Pure.
 *
 * sbatch ends with "Batch job submission failed: TEXT", where TEXT is what slurm_strerror
 * says of slurmctld's error number. The table has the texts of 24.11.5 and 26.05; a wrong
 * entry "for good" fails a job that would have run, a wrong entry "for now" lets it wait
 * with its reason shown. So a refusal is for good only if no event but a new script or a
 * decision of a person about this account ends it.
 */
#ifndef SLURM_REFUSAL_H
#define SLURM_REFUSAL_H

#include <stddef.h>

enum slurm_refusal {
	REFUSAL_NONE, /* the text is no answer of slurmctld: sbatch itself said it */
	/* slurmctld's text is not in the table, such as a failure of the connection */
	REFUSAL_UNKNOWN,
	REFUSAL_FOR_NOW, /* the same submission succeeds when something has passed */
	/* for good for a client that names a partition; one that was there may return */
	REFUSAL_BY_PARTITION,
	REFUSAL_BY_NODES, /* for now while the partition has no node, else for good */
	REFUSAL_FOR_GOOD, /* the same submission never succeeds */
	REFUSAL_DENIED,   /* for good: the account may not do this */
};

struct slurm_refusal_row {
	int number; /* of slurmctld: ESLURM_* */
	enum slurm_refusal what;
	const char *text; /* the text of slurm_strerror begins so */
};
extern const struct slurm_refusal_row slurm_refusal_rows[];
extern const size_t slurm_refusal_row_count;

/* said: what sbatch printed, or a sentence that has it, such as an error of red-box. */
enum slurm_refusal slurm_refusal_of(const char *said);
/* Where the answer of slurmctld begins in it; NULL: it has none. */
const char *slurm_refusal_in(const char *said);

#endif
