/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conditional reads of a long list of slurmrestd (nodes, jobs, partitions). Slurm sends
 * the whole list if it has changed since update_time, and no list otherwise; that check
 * takes 2 ms for a list of any length.
 *
 *     static const struct slurm_list jobs = { .path = "/jobs/", .key = "jobs", ... };
 *     op = list_begin(slurm, &memory, &jobs, done, ctx);
 */
#ifndef SLURM_REST_LIST_H
#define SLURM_REST_LIST_H

#include "slurm/rest/ask.h"

struct slurm_list {
	const char *path; /* the part after "/slurm/v0.0.NN", with the final slash; a literal */
	const char *key;  /* of the list in the response */
	/*
	 * begin() is called before the first item, and again if the read is repeated with
	 * all items. Items count only if done receives changed = true
	 */
	void (*begin)(void *ctx);
	json_item_fn *each;
	size_t max_bytes;
	int64_t timeout_ms;
	int64_t whole_ms; /* read the whole list after this time, even if unchanged */
	bool fails_alone; /* a 404 fails this read, and does not look for another version */
};

/* Facts about the newest whole list. Starts as zeroes; must outlive the reads. */
struct list_memory {
	int64_t last_update_s; /* by Slurm's clock; 0: the next read is a whole one */
	int64_t whole_read_ms; /* when that list was requested (monotonic) */
	unsigned clusters;     /* the value of slurm->clusters then */
};

/*
 * changed: a whole, valid list has arrived. Otherwise the newest whole list still holds
 * as of asked_ms, which is 0 with an error.
 */
typedef void slurm_listed(void *ctx, struct err err, bool changed, int64_t asked_ms);
/* ask_stop cancels the read. */
struct slurm_op *list_begin(struct slurm *s, struct list_memory *memory,
	const struct slurm_list *what, slurm_listed *done, void *ctx);
/* Makes the next read a whole one. */
static inline void list_forget(struct list_memory *m) { m->last_update_s = 0; }

#endif
