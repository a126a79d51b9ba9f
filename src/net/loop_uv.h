/* SPDX-License-Identifier: Apache-2.0 */
/* The libuv loop behind a struct loop; for the files of this folder only. */
#ifndef NET_LOOP_UV_H
#define NET_LOOP_UV_H

#include <stdbool.h>
#include <sys/types.h>
#include <uv.h>

#include "net/loop.h"

/* The loop of libuv behind a loop that loop_uv_new made. */
uv_loop_t *loop_uv_handle(struct loop *l);

/*
 * This turn began more than a second after a timer was due: the process was frozen
 * (SIGSTOP, the freezer of a cgroup, a machine that was suspended), or one turn took
 * long. libuv serves descriptors before timers, so what is served now is served before a
 * lease that ran out meanwhile is seen. Whoever sends on a descriptor leaves it to a
 * later turn: the next two are late as well, as long work may put the timer off.
 */
bool loop_uv_overslept(struct loop *l);

/*
 * This turn has worked for 5 ms, or 1 ms where a timer waits for it, or others that are
 * ready wait for longer: this one, which is ready again on the next turn, waits for that.
 * So a turn ends soon also when hundreds of answers have come at once, long work is alone
 * in its turn, and who is always ready keeps nobody waiting. *since: the turn since which
 * it waits, the loop's; 0 at first. Not for errors: libuv tells one once, and stops the
 * descriptor.
 */
bool loop_uv_put_off(struct loop *l, uint64_t *since);

/*
 * A child of this process, whose end the loop tells. One handle of SIGCHLD serves all:
 * with one for each, libuv passes each signal on as often as there are children.
 */
struct loop_child {
	pid_t pid;
	/*
	 * Once. status: as waitpid has it; NULL: the loop is freed, and this child hangs
	 * in the kernel.
	 */
	void (*ended)(struct loop_child *c, const int *status);
	struct loop_child *prev, *next; /* the loop's */
};

/* Before a child is started, so that no end is missed. 0, or an error of libuv. */
int loop_uv_children_open(struct loop *l);
/* It has been started. The caller keeps c until it has ended. */
void loop_uv_child_join(struct loop *l, struct loop_child *c);

#endif
