/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records of refused submissions. slurmctld keeps the record of a submission that no node
 * can ever run (24.11.5: "Requested node configuration is not available"). The record has
 * the key, and is no job. If it was a component of a heterogeneous job, the components
 * before it are cancelled, and their ids are those before its own.
 */
#ifndef SLURM_TOOLS_PRINTED_REFUSED_H
#define SLURM_TOOLS_PRINTED_REFUSED_H

#include "slurm/tools/printed.h"

/* A record of squeue, or of sacct. */
struct printed_record {
	int64_t id, own_id; /* own_id: of the component */
	int64_t submit_s;
	const char *fields, *end; /* what its keys are in */
	const char *text;         /* the part of it that all components have */
	size_t comment;           /* of sacct: so do the first bytes of fields */
	bool refused;
	bool dropped; /* cancelled, perhaps with a component that was refused */
};

struct printed_refused {
	struct printed_record *of;
	size_t n, cap;
};

/* Sets refused and dropped: by " STATE REASON NODES" of squeue, n bytes. */
void printed_refused_queued(struct printed_record *r, const char *state, size_t n);
/* By the fields of sacct from the field end before the state; NULL: it has none. */
void printed_refused_account(struct printed_record *r, const char *state);

/* All records come first, then they are sorted, then each is asked about. */
void printed_refused_add(struct printed_refused *all, struct arena *a,
	const struct printed_record *r);
void printed_refused_sort(struct printed_refused *all);
bool printed_is_refused(const struct printed_refused *all, const struct printed_record *r);

#endif
