/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Things that make some worlds rougher than others: suspended jobs, slow lists, nodes of
 * other names, ... One row of a table for each (sim_rough.c), with the chance that a
 * world has it. A row that names a reason is off: the program is known to break a promise
 * there, and its mend has yet to come.
 *
 * Every row draws from a stream of its own and acts by a timer of its own, so that
 * leaving one out changes nothing for the others.
 *
 *   ROUGH=all         rows that are off count as on
 *   ROUGH="a b"       these do
 *   ROUGH="-a"        this row is off
 *   ROUGH="=a b"      every world has exactly these; "=" none. A broken seed names those
 *   that it takes in this way
 */
#ifndef SIM_ROUGH_H
#define SIM_ROUGH_H

#include "base/str.h"
#include "net/loop.h"
#include "sim/sim_rand.h"

struct world;

#define ROUGH_SECOND_SET "bar"

enum { ROUGH_ROWS = 40, ROUGH_TEXT = 500 };

/* One row in one world. */
struct sim_rough_one {
	struct world *w;
	const struct sim_rough_row *row; /* NULL: this world does not have it */
	struct sim_rand rand;
	int64_t pause_ms; /* longest between two acts */
	bool lasts;       /* for the row's own use: it is never put right */
	int repairs;      /* done */
	struct timer *timer;
};

struct sim_rough_row {
	const char *name;
	int per_mille;   /* of the worlds have it */
	const char *off; /* why it is off; NULL: it is on */
	/* Before the program begins; NULL: nothing to do */
	void (*set_up)(struct sim_rough_one *r);
	void (*act)(struct sim_rough_one *r); /* from time to time; NULL: never */
	/* People put it right at the end; NULL: nothing to do */
	void (*repair)(struct sim_rough_one *r);
	/* And go on doing so for a while; NULL: once was enough */
	void (*after)(struct sim_rough_one *r);
};

struct sim_rough {
	struct sim_rough_one ones[ROUGH_ROWS];
};

/*
 * After the users have applied what they begin with, before the program lives. text: as
 * ROUGH; NULL: by the table.
 */
void sim_rough_begin(struct world *w, const char *text);
void sim_rough_repair(struct world *w);
bool sim_rough_has(const struct world *w, const char *name);
/* Prints the rows that this world has: "=a b". */
void sim_rough_print(const struct world *w, char out[static ROUGH_TEXT]);

/* ---- the rows' functions, by what they make rough ---- */
#define ROUGH_ROW_SET_UP(name) void rough_##name##_set_up(struct sim_rough_one *r)
#define ROUGH_ROW_ACT(name) void rough_##name##_act(struct sim_rough_one *r)
#define ROUGH_ROW_REPAIR(name) void rough_##name##_repair(struct sim_rough_one *r)
#define ROUGH_ROW_AFTER(name) void rough_##name##_after(struct sim_rough_one *r)

/* sim_rough_slurm.c */
ROUGH_ROW_ACT(suspend);
ROUGH_ROW_REPAIR(suspend);
ROUGH_ROW_ACT(preempt);
ROUGH_ROW_SET_UP(odd_words);
ROUGH_ROW_SET_UP(long_epilog);
ROUGH_ROW_ACT(requeue);
ROUGH_ROW_SET_UP(reasons);
ROUGH_ROW_ACT(reasons);
ROUGH_ROW_SET_UP(return_to_service);
ROUGH_ROW_REPAIR(return_to_service);
ROUGH_ROW_AFTER(return_to_service);
ROUGH_ROW_SET_UP(slow_lists);
ROUGH_ROW_ACT(slow_lists);
ROUGH_ROW_REPAIR(slow_lists);
ROUGH_ROW_SET_UP(stand_in);
ROUGH_ROW_ACT(stand_in);
ROUGH_ROW_REPAIR(stand_in);
ROUGH_ROW_ACT(restored_state);
ROUGH_ROW_AFTER(restored_state);
ROUGH_ROW_ACT(ctld_clock);
ROUGH_ROW_ACT(deaf);
ROUGH_ROW_REPAIR(deaf);
ROUGH_ROW_SET_UP(invalid_reg);
ROUGH_ROW_REPAIR(invalid_reg);

/* sim_rough_kube.c */
struct world_object;
void sim_rough_delete_unseen(struct world *w, const struct world_object *set);
ROUGH_ROW_ACT(other_names);
ROUGH_ROW_REPAIR(other_names);
ROUGH_ROW_AFTER(other_names);
ROUGH_ROW_SET_UP(few_addresses);
ROUGH_ROW_ACT(their_pods);
ROUGH_ROW_ACT(other_owners);
ROUGH_ROW_ACT(two_names);
ROUGH_ROW_REPAIR(two_names);
ROUGH_ROW_AFTER(two_names);
ROUGH_ROW_SET_UP(second_set);
ROUGH_ROW_ACT(second_set);
ROUGH_ROW_AFTER(second_set);
ROUGH_ROW_SET_UP(claims);
ROUGH_ROW_ACT(claims);
ROUGH_ROW_ACT(foreground);
ROUGH_ROW_ACT(orphan);
ROUGH_ROW_ACT(heap);
ROUGH_ROW_REPAIR(heap);
ROUGH_ROW_ACT(refused_writes);
ROUGH_ROW_REPAIR(refused_writes);
ROUGH_ROW_ACT(typos);
ROUGH_ROW_REPAIR(typos);
ROUGH_ROW_ACT(rejects);
ROUGH_ROW_REPAIR(rejects);
ROUGH_ROW_SET_UP(rollbacks);
ROUGH_ROW_ACT(rollbacks);
ROUGH_ROW_AFTER(rollbacks);
ROUGH_ROW_ACT(strips);
ROUGH_ROW_REPAIR(strips);
ROUGH_ROW_ACT(quota);
ROUGH_ROW_REPAIR(quota);

/* sim_rough_autoscale.c */
ROUGH_ROW_SET_UP(autoscale);
ROUGH_ROW_ACT(autoscale);
ROUGH_ROW_REPAIR(autoscale);
ROUGH_ROW_AFTER(autoscale);

/* sim_rough_many.c */
ROUGH_ROW_SET_UP(many_sets);
ROUGH_ROW_SET_UP(two_clusters);
ROUGH_ROW_ACT(two_clusters);
ROUGH_ROW_REPAIR(two_clusters);
ROUGH_ROW_AFTER(two_clusters);
ROUGH_ROW_SET_UP(cluster_goes);
ROUGH_ROW_ACT(cluster_goes);
ROUGH_ROW_REPAIR(cluster_goes);
ROUGH_ROW_AFTER(cluster_goes);
ROUGH_ROW_SET_UP(two_spaces);
ROUGH_ROW_ACT(two_spaces);
ROUGH_ROW_REPAIR(two_spaces);
ROUGH_ROW_AFTER(two_spaces);
ROUGH_ROW_SET_UP(two_managers);
ROUGH_ROW_ACT(two_managers);
ROUGH_ROW_REPAIR(two_managers);

/* sim_rough_tokens.c; the Secret of others, and its user, have one name */
#define SIM_PORTAL "portal"
ROUGH_ROW_SET_UP(tokens);
ROUGH_ROW_ACT(tokens);
ROUGH_ROW_REPAIR(tokens);

/* sim_rough_hostile.c */
ROUGH_ROW_SET_UP(hostile);
ROUGH_ROW_ACT(hostile);
ROUGH_ROW_REPAIR(hostile);
ROUGH_ROW_AFTER(hostile);

#endif
