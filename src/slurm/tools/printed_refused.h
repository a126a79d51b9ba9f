/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records of refused submissions. If no node can ever run a submission, slurmctld refuses
 * it, but keeps a record (24.11.5: "Requested node configuration is not available"). The
 * record has the key, but is not a job. If it is a component of a heterogeneous job,
 * slurmctld cancels the components before it, which have the ids before it.
 */
#ifndef SLURM_TOOLS_PRINTED_REFUSED_H
#define SLURM_TOOLS_PRINTED_REFUSED_H

#include "slurm/tools/printed.h"

/* A record of squeue, or of sacct. */
struct printed_record {
	int64_t id, own_id; /* own_id: the id of the component */
	int64_t submit_s;
	const char *fields, *end; /* the text with its keys */
	const char *text;         /* the part of the text that is equal in all components */
	size_t comment;           /* of sacct: length of the comment at the beginning of fields */
	bool refused;
	bool dropped; /* cancelled, perhaps because of a refused component */
};

struct printed_refused {
	struct printed_record *of;
	size_t n, cap;
};

/* Sets refused and dropped by " STATE REASON NODES" of squeue (n bytes). */
void printed_refused_queued(struct printed_record *r, const char *state, size_t n);
/*
 * Sets refused and dropped by the fields of sacct from the separator before the state;
 * NULL: none.
 */
void printed_refused_account(struct printed_record *r, const char *state);

/* Add all records, then sort them, then call printed_is_refused for each. */
void printed_refused_add(struct printed_refused *all, struct arena *a,
	const struct printed_record *r);
void printed_refused_sort(struct printed_refused *all);
bool printed_is_refused(const struct printed_refused *all, const struct printed_record *r);

#endif
