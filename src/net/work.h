/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Long work beside the loop: a function in a thread of libuv's pool, told of on the loop.
 *
 *     struct work *work = work_start(loop, pack, packed, job);
 *
 * do_it sees nothing but its job, and the loop's side leaves the job alone meanwhile: no
 * log, no callbacks, none of our other headers that hang on a loop. Four run at once, the
 * others wait in line.
 *
 * done is called on the loop, once for each work, also for one that was stopped, even
 * before it began: there the job is freed. It comes from within loop_uv_free too, which
 * waits for all works: what do_it uses belongs to the job.
 */
#ifndef NET_WORK_H
#define NET_WORK_H

#include <stdatomic.h>
#include <stdbool.h>

#include "net/loop.h"

struct work;
/* stop: becomes true when nobody wants the result any more; to be looked at often. */
typedef void work_fn(void *job, const atomic_bool *stop);
typedef void work_done(void *job);

/* Begins it, or has it wait in line. Never fails. */
struct work *work_start(struct loop *uv_loop, work_fn *do_it, work_done *done, void *job);
/* Asks it to end; does not wait. Not after done was called; accepts NULL. */
void work_stop(struct work *w);

#endif
