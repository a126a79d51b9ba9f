/* SPDX-License-Identifier: Apache-2.0 */
/* The libuv loop behind a struct loop; private to this folder. */
#ifndef NET_LOOP_UV_H
#define NET_LOOP_UV_H

#include <stdbool.h>
#include <sys/types.h>
#include <uv.h>

#include "net/loop.h"

/* The libuv loop behind a loop from loop_uv_new. */
uv_loop_t *loop_uv_handle(struct loop *l);

/*
 * Whether this turn began more than a second after a timer was due: the process was
 * frozen (SIGSTOP, the freezer of a cgroup, a suspended machine), or a turn took long.
 * libuv serves descriptors before timers, so a descriptor that is served now is served
 * before an expired lease is noticed. Code that sends on a descriptor must postpone the
 * sending to a later turn. The next two turns count as late, too, because long work may
 * postpone the timer.
 */
bool loop_uv_overslept(struct loop *l);

/*
 * Whether a ready descriptor must wait for a later turn, in which it is ready again. It
 * must wait if this turn has worked for 5 ms, or for 1 ms while a timer waits, or if
 * other ready descriptors have waited longer. So a turn stays short when hundreds of
 * answers arrive at once, and a descriptor that is always ready does not block others.
 * *since: the turn in which the wait began; 0 at first; only the loop changes it. Do not
 * call this for an error, because libuv reports an error once, and stops the descriptor.
 */
bool loop_uv_put_off(struct loop *l, uint64_t *since);

/*
 * A child process whose end the loop reports. All children share one SIGCHLD handle: with
 * a handle for each, libuv would deliver each signal as often as there are children.
 */
struct loop_child {
	pid_t pid;
	/*
	 * Called once. status: as from waitpid; NULL: the loop is being freed, and the
	 * child hangs in the kernel.
	 */
	void (*ended)(struct loop_child *c, const int *status);
	struct loop_child *prev, *next; /* used by the loop */
};

/*
 * Call before starting a child, so that its end is not missed. 0, or an error of libuv.
 */
int loop_uv_children_open(struct loop *l);
/* Adds a child that has been started. The caller keeps c until ended is called. */
void loop_uv_child_join(struct loop *l, struct loop_child *c);

#endif
