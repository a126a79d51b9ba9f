/* SPDX-License-Identifier: Apache-2.0 */
/* One play of the bridge; the same as sim_play.h has for the operator. */
#ifndef SIM_BRIDGE_PLAY_H
#define SIM_BRIDGE_PLAY_H

#include "sim/sim_bridge.h"

struct bridge_play {
	uint64_t seed;
	const struct sim_fault *faults; /* with exact: these and no others */
	size_t n_faults;
	bool exact;
	bool trace; /* all that happens is in log */
};

/* The result of a play. Release with bridge_played_free. */
struct bridge_played {
	char promise[8]; /* "P5"; "": every promise was kept */
	char text[600];
	struct sim_fault *faults; /* that happened */
	size_t n_faults;
	uint64_t steps;
	size_t objects, rest, jobs; /* that there were; rest: clients by REST */
	size_t nowhere;             /* as in struct bridge */
	struct str log;
};

struct bridge_played bridge_play(const struct bridge_play *p);
void bridge_played_free(struct bridge_played *p);
/* As sim_play_shrink. */
int bridge_play_shrink(const struct bridge_play *p, struct bridge_played *played);

#endif
