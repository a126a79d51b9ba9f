/* SPDX-License-Identifier: Apache-2.0 */
/* The conditional read of the jobs that wait for nodes. */
#include <stdlib.h>

#include "base/own.h"
#include "slurm/rest/parts.h"

enum { FULL_MS = 5 * 60 * 1000, QUEUE_BYTES = 1 << 30 /* parsed while it arrives */ };

static void begin(void *ctx) { free(TAKE(((struct slurm *)ctx)->queue.told)); }

static struct slurm_queue *told(struct slurm *s)
{
	if (!s->queue.told)
		s->queue.told = own_alloc(queue_bytes(QUEUE_SORTS));
	return s->queue.told;
}

static void gather(void *ctx, const struct json *job)
{
	struct slurm *s = ctx;
	slurm_queue_add(told(s), job, loop_wall_ms(s->loop) / 1000);
}

/*
 * After a failure the next read has no condition, because the condition may be the cause.
 */
static void queue_read(void *ctx, struct err err, bool changed, int64_t asked_ms)
{
	struct slurm *s = ctx;
	bool good = changed && !failed(err);
	AUTO(own_free) struct slurm_queue *news = good ? told(s) : s->queue.told;
	struct err e = failed(err) ? err_wrap(err, "reading the queue of Slurm") : OK;
	if (failed(err))
		list_forget(&s->queue.memory);
	s->queue.told = NULL;
	s->queue.done(s->queue.ctx, e, good ? news : NULL, asked_ms);
}

void slurm_read_queue(struct slurm *s, slurm_queue_done *done, void *ctx)
{
	static const struct slurm_list list = { .path = "/jobs/",
		.key = "jobs",
		.begin = begin,
		.each = gather,
		.max_bytes = QUEUE_BYTES,
		.timeout_ms = SLURM_LIST_MS,
		.whole_ms = FULL_MS,
		.fails_alone = true };
	s->queue.done = done;
	s->queue.ctx = ctx;
	list_begin(s, &s->queue.memory, &list, queue_read, s);
}
