/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lives of one manager in a world: the controller of the operator and, where several
 * are to choose who acts, its lease, joined as the manager's program joins them. A life
 * ends by a crash, by the loss of the lease or because it was told to; after a while
 * another begins.
 */
#ifndef SIM_MANAGER_H
#define SIM_MANAGER_H

#include "kube/client.h"
#include "sim/sim_process.h"
#include "sim/sim_rand.h"

struct world;

struct sim_manager {
	struct world *w;
	int who; /* of the programs under test */
	bool elects;
	bool stays_dead; /* it lives again when it is told to only */
	/* A stream of its own: to leave out a crash changes nothing for the users */
	struct sim_rand rand;
	struct sim_process process;
	struct kube kube;
	struct controller *controller; /* NULL: it is dead */
	struct lead *lead;
	struct timer *turn; /* the end of this life, or the next one */
	struct timer *thaw;
	int lives;
};

void sim_manager_init(struct sim_manager *m, struct world *w, int who, bool elects);
void sim_manager_live(struct sim_manager *m);
/* At once, with nothing of it on the stack; it lives again after a while. */
void sim_manager_crash(struct sim_manager *m);
/* As by SIGTERM. */
void sim_manager_end(struct sim_manager *m);
void sim_manager_freeze(struct sim_manager *m, int64_t for_ms);
void sim_manager_thaw(struct sim_manager *m);
void sim_manager_free(struct sim_manager *m);

#endif
