/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One play: a world from a seed, the operator in it, random users, and faults: drawn at
 * random, or exactly those given. The same play again is the same to the last byte, so a
 * play that breaks a promise can be looked at, and its faults can be left out one by one
 * until only those remain that it takes.
 */
#ifndef SIM_PLAY_H
#define SIM_PLAY_H

#include "sim/sim_fault.h"
#include "sim/sim_world.h"

struct sim_play {
	uint64_t seed;
	const struct sim_fault *faults; /* with exact: these and no others */
	size_t n_faults;
	bool exact;
	/*
	 * The roughness of this world, see sim_rough.h; NULL: as the environment's ROUGH
	 * says
	 */
	const char *rough;
	bool trace; /* every write is in log */
};

/* The result of a play. Release with sim_played_free. */
struct sim_played {
	char promise[8];          /* "P1"; "": every promise was kept */
	char text[1200];          /* a sentence with seed, time, request, pod and job */
	char rough[ROUGH_TEXT];   /* what else the world had */
	struct sim_fault *faults; /* that happened */
	size_t n_faults;
	uint64_t steps;
	int lives; /* of the operator */
	struct str log;
};

struct sim_played sim_play(const struct sim_play *p);
void sim_played_free(struct sim_played *p);

/*
 * Leaves in played, of which a promise was broken, only the faults and the roughness that
 * it takes to break the same promise; gives the number of plays that it needed. The text
 * is that of the shortest play.
 */
int sim_play_shrink(const struct sim_play *p, struct sim_played *played);

#endif
