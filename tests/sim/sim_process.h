/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loop of one process on the world's: it can be frozen, as by SIGSTOP or by a machine
 * that swaps. Nothing of the process runs meanwhile; afterwards what is overdue runs at
 * once, in the order in which it was due, before any answer is looked at, as in libuv.
 */
#ifndef SIM_PROCESS_H
#define SIM_PROCESS_H

#include <stdbool.h>

#include "net/loop.h"

struct sim_process {
	struct loop loop; /* hand out &p->loop */
	struct loop *under;
	bool frozen;
	struct timer *timers; /* the newest first */
};

void sim_process_init(struct sim_process *p, struct loop *under);
void sim_process_freeze(struct sim_process *p);
/* Runs what is overdue. */
void sim_process_thaw(struct sim_process *p);
/* Timers that are left never run. */
void sim_process_free(struct sim_process *p);

#endif
