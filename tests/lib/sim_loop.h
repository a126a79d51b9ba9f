/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loop under a fake clock: the one of unit tests, of the simulator and of fuzz
 * targets. Nothing happens but by sim_loop_step: it takes the timer that is due next,
 * sets the clock to its time and runs it. Timers due at the same time run in the order of
 * their start.
 *
 *     struct sim_loop loop;
 *     sim_loop_init(&loop, SIM_LOOP_WALL_MS);
 *     ... = store_new(&loop.loop, ...);
 *     sim_loop_pass(&loop, 5000);
 *     assert_int_equal(sim_loop_end(&loop), 0);
 */
#ifndef SIM_LOOP_H
#define SIM_LOOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "net/loop.h"

struct sim_loop {
	struct loop loop; /* first; hand out &l->loop */
	int64_t now_ms;   /* monotonic; starts at SIM_LOOP_START_MS */
	/* The difference of the program's wall clock to now_ms: jumps change this */
	int64_t wall_ms;
	/*
	 * The difference for the servers: other machines, whose clocks do not jump along
	 */
	int64_t server_ms;
	uint64_t steps;
	struct timer **heap;
	size_t n, cap;
	uint64_t started;
};

enum { SIM_LOOP_START_MS = 1000000 };
#define SIM_LOOP_WALL_MS INT64_C(1795270000000) /* for whom any day will do */

void sim_loop_init(struct sim_loop *l, int64_t wall_at_start_ms);
/* Frees what l owns; how many timers were left, which never run */
size_t sim_loop_end(struct sim_loop *l);
/* Both for a loop on the heap; the free one does not ask what is left */
struct sim_loop *sim_loop_new(int64_t wall_at_start_ms);
void sim_loop_free(struct sim_loop *l); /* accepts NULL */

bool sim_loop_step(struct sim_loop *l); /* false: no timer is left */
/* When the next timer is due; INT64_MAX: none */
int64_t sim_loop_due_ms(const struct sim_loop *l);
/* All timers due until then; the clock ends there */
void sim_loop_run_until(struct sim_loop *l, int64_t at_ms);
void sim_loop_pass(struct sim_loop *l, int64_t ms);   /* the same, from now on */
int64_t sim_loop_server_ms(const struct sim_loop *l); /* the servers' wall clock */
void sim_loop_jump_wall(struct sim_loop *l, int64_t by_ms);

#endif
