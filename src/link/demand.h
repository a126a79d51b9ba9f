/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A demand: the facts about a Slurm that an asker needs. Plans state their demands. The
 * link adds up the demands of all askers, and returns facts with their times (facts.h).
 *
 * A new question (such as reservations) needs a member of enum question, a file of its
 * own, and a row in questions.c.
 */
#ifndef LINK_DEMAND_H
#define LINK_DEMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

/* The questions. */
enum question {
	ASK_NODES, /* all nodes; also read at rest, without a demand */
	/*
	 * Nodes by name, which a decision waits for. They are read one by one if there
	 * are few of them, or if the list of all nodes is slow: those read longest ago
	 * first, 64 a second. This costs the same in a cluster of 10,000 nodes.
	 */
	ASK_LOOKS,
	/*
	 * The jobs that have begun and not ended: from time to time while wanted is set
	 * (a node of ours is allocated, and a plan needs the end of its job), and once at
	 * at_ms if a decision waits for it
	 */
	ASK_JOBS,
	/*
	 * Which partitions accept jobs: once a minute while wanted. A change of their
	 * nodes is reported only with the need SLURM_WHOLE, four times a minute
	 */
	ASK_PARTITIONS,
	/* Which jobs wait for nodes: each second while wanted */
	ASK_QUEUE,
	ASK_COUNT,
};

/* How urgently something must be read again; the larger of two needs counts. */
enum slurm_need {
	SLURM_AT_REST,
	SLURM_SOON, /* a decision waits for Slurm */
	SLURM_NOW,  /* read again, however old the last answer is */
	/* a list that names every node: "nothing has changed" is not enough */
	SLURM_WHOLE,
};

/* The demand for one question. Zero: no demand. */
struct ask {
	bool wanted;
	enum slurm_need need;
	/* Monotonic: a decision waits for an answer from this time on; 0: none does */
	int64_t at_ms;
	const char **names; /* only these; their meaning depends on the question */
	size_t n_names, cap;
};

struct demand {
	struct ask of[ASK_COUNT];
	/* nodes that it runs as pods: the quota must have room for facts about them */
	size_t n_nodes;
};

/* Adds a demand for the question; the more urgent need counts. */
void demand_need(struct demand *d, enum question q, enum slurm_need need);
/*
 * Adds a demand for the question at this time; the earlier of two times counts. 0: no
 * demand.
 */
void demand_at(struct demand *d, enum question q, int64_t at_ms);
/*
 * Adds a demand for the question about this name, which must live as long as the demand.
 */
void demand_about(struct demand *d, struct arena *arena, enum question q, const char *name);
/* Copies the demand with its names. */
struct demand demand_copy(struct arena *arena, const struct demand *from);
/* Adds one to all. Names are not copied. */
void demand_add(struct demand *all, struct arena *arena, const struct demand *one);

#endif
