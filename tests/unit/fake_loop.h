/* SPDX-License-Identifier: Apache-2.0 */
/* A loop whose clock moves only when a test says so. */
#ifndef UNIT_FAKE_LOOP_H
#define UNIT_FAKE_LOOP_H

#include <stdlib.h>

#include "net/loop.h"

enum { FAKE_WALL_MS = 1750000000 };

struct fake_loop {
	struct loop loop; /* first */
	int64_t now_ms;
	struct timer *timers;
};

struct timer {
	struct timer *next;
	int64_t due_ms;
	timer_fn *fn;
	void *ctx;
};

static int64_t fake_now(struct loop *l) { return ((struct fake_loop *)l)->now_ms; }
static int64_t fake_wall(struct loop *l)
{
	return (int64_t)FAKE_WALL_MS * 1000 + ((struct fake_loop *)l)->now_ms;
}

static struct timer *fake_start(struct loop *l, int64_t delay_ms, timer_fn *fn, void *ctx)
{
	struct fake_loop *f = (struct fake_loop *)l;
	struct timer *t = calloc(1, sizeof(*t)), **at = &f->timers;
	*t = (struct timer){ NULL, f->now_ms + (delay_ms > 0 ? delay_ms : 0), fn, ctx };
	while (*at && (*at)->due_ms <= t->due_ms)
		at = &(*at)->next;
	t->next = *at;
	*at = t;
	return t;
}

static void fake_stop(struct loop *l, struct timer *t)
{
	struct timer **at = &((struct fake_loop *)l)->timers;
	while (*at && *at != t)
		at = &(*at)->next;
	if (!*at)
		abort(); /* a handle that is gone */
	*at = t->next;
	free(t);
}

/* Runs what is due within the next ms milliseconds, in order. */
static void fake_pass(struct fake_loop *f, int64_t ms)
{
	int64_t until = f->now_ms + ms;
	while (f->timers && f->timers->due_ms <= until) {
		struct timer *t = f->timers;
		struct timer fired = *t;

		f->timers = t->next;
		f->now_ms = t->due_ms > f->now_ms ? t->due_ms : f->now_ms;
		free(t);
		fired.fn(fired.ctx);
	}
	f->now_ms = until;
}

static const struct loop_ops fake_loop_ops = { fake_now, fake_wall, fake_start, fake_stop };

static inline void fake_loop_init(struct fake_loop *f)
{
	*f = (struct fake_loop){ .loop = { &fake_loop_ops }, .now_ms = 5000 };
	(void)fake_pass;
}

static inline int fake_loop_timers(const struct fake_loop *f)
{
	int n = 0;
	for (const struct timer *t = f->timers; t; t = t->next)
		n++;
	return n;
}

#endif
