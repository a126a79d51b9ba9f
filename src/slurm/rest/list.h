/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A long list of slurmrestd (nodes, jobs, partitions) that is read again and again: whole
 * when it has changed, and otherwise not at all. Slurm itself says whether the list has
 * changed (update_time), which takes 2 ms for a list of any length.
 *
 *     static const struct slurm_list jobs = { .path = "/jobs/", .key = "jobs", ... };
 *     op = list_begin(slurm, &memory, &jobs, done, ctx);
 */
#ifndef SLURM_REST_LIST_H
#define SLURM_REST_LIST_H

#include "slurm/rest/ask.h"

struct slurm_list {
	const char *path; /* behind "/slurm/v0.0.NN", with the last slash; a literal */
	const char *key;  /* of the list in the answer */
	/*
	 * begin: the first item follows. It may be called again, and then all items come
	 * again. Items of each() count only if done gets changed = true
	 */
	void (*begin)(void *ctx);
	json_item_fn *each;
	size_t max_bytes;
	int64_t timeout_ms;
	int64_t whole_ms; /* it is read whole this long after, although nothing has changed */
	bool fails_alone; /* a 404 fails this read, and does not look for another version */
};

/* Facts about the newest whole answer. Begins as zeroes; outlives the reads. */
struct list_memory {
	int64_t last_update_s; /* by Slurm's clock; 0: the next read is a whole one */
	int64_t whole_read_ms; /* when that answer was asked for (monotonic) */
	unsigned clusters;     /* of which Slurm it was */
};

/*
 * changed: a whole list came, and is good. Not changed: the newest whole list holds as of
 * asked_ms. asked_ms is 0 with an error.
 */
typedef void slurm_listed(void *ctx, struct err err, bool changed, int64_t asked_ms);
/* ask_stop ends it early. */
struct slurm_op *list_begin(struct slurm *s, struct list_memory *memory,
	const struct slurm_list *what, slurm_listed *done, void *ctx);
/* The newest list is of no use: the next read is a whole one. */
static inline void list_forget(struct list_memory *m) { m->last_update_s = 0; }

#endif
