/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a long function in a thread of libuv's pool, and reports its end on the loop.
 *
 *     struct work *work = work_start(loop, pack, packed, job);
 *
 * do_it uses only its job, and the loop's thread does not touch the job meanwhile: do_it
 * must not log, call back, or use other headers of ours that need a loop. Four run at
 * once, the others wait.
 *
 * Work that could occupy all threads for long goes through a line, which limits how many
 * run at once and leaves the other threads to short work. Long work can end early and
 * enter its line again for the rest, so that others of the line run in between.
 *
 * done is called on the loop, once for each work, even when the work was stopped before
 * it began; done frees the job. loop_uv_free waits for all works and also calls done, so
 * the job must own everything that do_it uses.
 */
#ifndef NET_WORK_H
#define NET_WORK_H

#include <stdatomic.h>
#include <stdbool.h>

#include "net/loop.h"

struct work;
/* stop: becomes true when the result is no longer needed; check it often. */
typedef void work_fn(void *job, const atomic_bool *stop);
typedef void work_done(void *job);

/* Starts the work, or queues it in the pool. Never fails. */
struct work *work_start(struct loop *uv_loop, work_fn *do_it, work_done *done, void *job);
struct work_line;
struct work_line *work_line_new(struct loop *uv_loop, int at_once);
/*
 * Like work_start, but through a line: at most at_once works of a line run at a time, and
 * the others wait in order.
 */
struct work *work_start_in(struct work_line *line, work_fn *do_it, work_done *done, void *job);
/*
 * Frees a line. Work that waits in it starts at once, and calls done as usual. Accepts
 * NULL.
 */
void work_line_free(struct work_line *line);
/*
 * Requests the end of the work, without waiting. Do not call it after done; accepts NULL.
 */
void work_stop(struct work *w);

#endif
