/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A slurmrestd that a hostile tenant runs: it is silent, answers junk, too much or 500,
 * takes no update, or names nodes and jobs that do not exist, each for a while. Its
 * answers about nodes can end only the tenant's own pods.
 */
#ifndef SIM_HOSTILE_H
#define SIM_HOSTILE_H

#include "sim/sim_http.h"

#define SIM_HOSTILE_URL "http://liar-restapi.harm:6820"

struct sim_hostile {
	struct sim_server server;
	uint32_t seed;
};

#endif
