/* SPDX-License-Identifier: Apache-2.0 */
/* The libuv loop behind a struct loop; for the files of this folder only. */
#ifndef NET_LOOP_UV_H
#define NET_LOOP_UV_H

#include <stdbool.h>
#include <uv.h>

#include "net/loop.h"

/* The loop of libuv behind a loop that loop_uv_new made. */
uv_loop_t *loop_uv_handle(struct loop *l);

/*
 * This turn began more than a second after a timer was due: the process was frozen
 * (SIGSTOP, the freezer of a cgroup, a machine that was suspended), or one turn took
 * long. libuv serves descriptors before timers, so what is served now is served before a
 * lease that ran out meanwhile is seen. Whoever sends on a descriptor leaves it to the
 * next turn.
 */
bool loop_uv_overslept(struct loop *l);

#endif
