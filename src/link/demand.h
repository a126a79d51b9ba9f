/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A demand: the facts of a Slurm that an asker wishes to know. Plans state their demands,
 * the link sums up those of all askers, and answers with facts as of when (facts.h).
 *
 * A further question (reservations) is a member of enum question, a file of
 * its own, and a row in questions.c.
 */
#ifndef LINK_DEMAND_H
#define LINK_DEMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

/* Questions that can be asked. */
enum question {
	ASK_NODES, /* all nodes; read at rest, too, even without a demand */
	/*
	 * Nodes by name, for which something waits. Such nodes are read one by one when
	 * they are few, or when the list of all nodes is slow: the one that was read
	 * longest ago first, 64 a second, which costs the same in a cluster of 10,000.
	 */
	ASK_LOOKS,
	/*
	 * The jobs that have begun and not ended: now and then while it is wanted (a node
	 * of ours is allocated, and the end of its job is to be known), and once at the
	 * time at which something waits for it
	 */
	ASK_JOBS,
	/*
	 * Which partitions take jobs: once a minute while an asker wants to know. Which
	 * nodes they have is news with the need SLURM_WHOLE only, four times a minute
	 */
	ASK_PARTITIONS,
	/* Which jobs wait for nodes: each second while an asker wants to know */
	ASK_QUEUE,
	ASK_COUNT,
};

/* How urgently something should be read again; the larger of two needs counts. */
enum slurm_need {
	SLURM_AT_REST,
	SLURM_SOON,  /* a decision waits for Slurm */
	SLURM_NOW,   /* nothing but the age of the last answer stands in the way */
	SLURM_WHOLE, /* the last list that named every node: "nothing has changed" would not do */
};

/* The demand for one question. Zero: none. */
struct ask {
	bool wanted;
	enum slurm_need need;
	/* Something waits for an answer from this monotonic time on; 0: nothing does */
	int64_t at_ms;
	const char **names; /* about these only; which ones, the question says */
	size_t n_names, cap;
};

struct demand {
	struct ask of[ASK_COUNT];
	size_t n_nodes; /* that it has, as pods: Slurm's answers about them are to have room */
};

/* The question is wanted; the more urgent need counts. */
void demand_need(struct demand *d, enum question q, enum slurm_need need);
/*
 * The question is wanted from this time on; the earlier of two times counts. 0: it is
 * not.
 */
void demand_at(struct demand *d, enum question q, int64_t at_ms);
/* The question is wanted about this name, which must live as long as the demand. */
void demand_about(struct demand *d, struct arena *arena, enum question q, const char *name);
/* A copy of the demand, with names of its own. */
struct demand demand_copy(struct arena *arena, const struct demand *from);
/* Both demands are one from now on. Names are not copied. */
void demand_add(struct demand *all, struct arena *arena, const struct demand *one);

#endif
