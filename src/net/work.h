/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Long work beside the loop: a function in a thread of libuv's pool, told of on the loop.
 *
 *     struct work *work = work_start(loop, pack, packed, job);
 *
 * do_it sees nothing but its job, and the loop's side leaves the job alone meanwhile: no
 * log, no callbacks, none of our other headers that hang on a loop. Four run at once, the
 * others wait.
 *
 * What may take all threads for long goes through a line of its own, of which only so
 * many run at once: the other threads are there for short work. Work that ends early and
 * goes through its line again, for the rest, lets others of the line in between.
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
struct work_line;
struct work_line *work_line_new(struct loop *uv_loop, int at_once);
/*
 * The same, and no more than at_once of this line run at a time; the others wait in the
 * order in which they came.
 */
struct work *work_start_in(struct work_line *line, work_fn *do_it, work_done *done, void *job);
/* None waits any more: those that did are done like the others. Accepts NULL. */
void work_line_free(struct work_line *line);
/* Asks it to end; does not wait. Not after done was called; accepts NULL. */
void work_stop(struct work *w);

#endif
