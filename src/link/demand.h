/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A demand: what somebody wishes to know of a Slurm. Plans state theirs, and the link
 * answers the sum of them with facts as of when (facts.h).
 *
 * Who needs another question answered (pending jobs, partitions, reservations) adds a
 * member here, its sum to demand_add, and the reading to a file of its own.
 */
#ifndef LINK_DEMAND_H
#define LINK_DEMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

/* How urgently the list of nodes should be read again; the larger of two needs counts. */
enum slurm_need {
	SLURM_AT_REST,
	SLURM_SOON,  /* a decision waits for Slurm */
	SLURM_NOW,   /* nothing but the age of the last answer stands in the way */
	SLURM_WHOLE, /* the last list that named every node: "nothing has changed" would not do */
};

struct demand {
	enum slurm_need nodes;
	/*
	 * Nodes for which something waits. They are read one by one when they are few, or
	 * when the list of all nodes is slow: the one that was read longest ago first, 64
	 * a second, which costs the same in a cluster of 10,000.
	 */
	const char **looks;
	size_t n_looks, looks_cap;
	bool jobs; /* the ends of jobs: a node of ours is allocated */
	/*
	 * Something waits for the jobs to be asked for at this monotonic time, or as soon
	 * as can be; 0: nothing does
	 */
	int64_t jobs_at_ms;
};

/* The more urgent need counts. */
void demand_nodes(struct demand *d, enum slurm_need need);
/* The name must live as long as the demand. */
void demand_look(struct demand *d, struct arena *arena, const char *node);
/* The earlier of two times counts; 0: none. */
void demand_jobs_at(struct demand *d, int64_t at_ms);
/* The same, with names of its own. */
struct demand demand_copy(struct arena *arena, const struct demand *from);
/* Both demands are one from now on. Names are not copied. */
void demand_add(struct demand *all, struct arena *arena, const struct demand *one);

#endif
