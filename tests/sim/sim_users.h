/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Actions of users, administrators and machines on a world: one random action at a time.
 * They depend on the seed alone, never on the operator, so that the same story is told
 * again when a fault is left out.
 *
 * Every seed draws which things happen in it at all, and how fast: a world in which
 * everything happens all the time hides what takes three times the same in a row.
 */
#ifndef SIM_USERS_H
#define SIM_USERS_H

#include "sim/sim_kind.h"

enum { SIM_ACTS = 64 };

struct sim_users {
	struct world *w;
	int weight[SIM_ACTS]; /* of each thing that can happen; 0: never in this world */
	int turns;            /* how many things happen */
	bool hasty;           /* within seconds, not minutes */
	/* The last act, what it meant, and how often it is yet to go on */
	const struct sim_act *act;
	const struct world_object *what;
	int left;
	bool deletes; /* at the end, one object of each kind that users delete */
};

/* Applies what they begin with. */
struct sim_users sim_users_new(struct world *w);
/* Time until the next thing happens. */
int64_t sim_users_pause_ms(struct sim_users *u);
void sim_users_act(struct sim_users *u);
/*
 * The faults end, and what people broke is put right: from here on the world has to come
 * to rest.
 */
void sim_users_repair(struct sim_users *u);
/*
 * Only the faults and the troubles of machines and servers end; what people broke stays
 * broken.
 */
void sim_users_calm(struct sim_users *u);

#endif
