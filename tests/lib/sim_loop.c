/* SPDX-License-Identifier: Apache-2.0 */
/* A loop whose clock jumps to the next timer. */
#include "lib/sim_loop.h"

#include <stdlib.h>

#include "base/own.h"

struct timer {
	int64_t due_ms;
	uint64_t order;
	size_t at; /* in the heap */
	timer_fn *fn;
	void *ctx;
};

static bool earlier(const struct timer *a, const struct timer *b)
{
	return a->due_ms != b->due_ms ? a->due_ms < b->due_ms : a->order < b->order;
}

static void place(struct sim_loop *l, size_t at, struct timer *t)
{
	l->heap[at] = t;
	t->at = at;
}

static void sift_up(struct sim_loop *l, struct timer *t)
{
	size_t at = t->at;
	while (at > 0 && earlier(t, l->heap[(at - 1) / 2])) {
		place(l, at, l->heap[(at - 1) / 2]);
		at = (at - 1) / 2;
	}
	place(l, at, t);
}

static void sift_down(struct sim_loop *l, struct timer *t)
{
	size_t at = t->at;
	for (;;) {
		size_t child = 2 * at + 1;
		if (child >= l->n)
			break;
		if (child + 1 < l->n && earlier(l->heap[child + 1], l->heap[child]))
			child++;
		if (!earlier(l->heap[child], t))
			break;
		place(l, at, l->heap[child]);
		at = child;
	}
	place(l, at, t);
}

static void take_out(struct sim_loop *l, struct timer *t)
{
	size_t at = t->at;
	if (at >= l->n || l->heap[at] != t)
		abort(); /* a handle that is gone */
	struct timer *last = l->heap[--l->n];
	if (last == t)
		return;
	place(l, at, last);
	sift_up(l, last);
	sift_down(l, last);
}

static int64_t now_ms(struct loop *base) { return ((struct sim_loop *)base)->now_ms; }
static int64_t wall_ms(struct loop *base)
{
	return ((struct sim_loop *)base)->wall_ms + ((struct sim_loop *)base)->now_ms;
}

static struct timer *start(struct loop *base, int64_t delay_ms, timer_fn *fn, void *ctx)
{
	struct sim_loop *l = (struct sim_loop *)base;
	struct timer *t = own_alloc(sizeof(*t));
	*t = (struct timer){
		.due_ms = l->now_ms + (delay_ms > 0 ? delay_ms : 0),
		.order = l->started++,
		.at = l->n,
		.fn = fn,
		.ctx = ctx,
	};
	if (l->n == l->cap) {
		l->cap = l->cap ? l->cap * 2 : 64;
		l->heap = own_realloc(l->heap, l->cap * sizeof(struct timer *));
	}
	l->n++;
	sift_up(l, t);
	return t;
}

static void stop(struct loop *base, struct timer *t)
{
	take_out((struct sim_loop *)base, t);
	free(t);
}

static const struct loop_ops ops = {
	.now_ms = now_ms,
	.wall_ms = wall_ms,
	.timer_start = start,
	.timer_stop = stop,
};

void sim_loop_init(struct sim_loop *l, int64_t wall_at_start_ms)
{
	*l = (struct sim_loop){ .loop = { &ops }, .now_ms = SIM_LOOP_START_MS };
	l->wall_ms = l->server_ms = wall_at_start_ms - l->now_ms;
}

size_t sim_loop_end(struct sim_loop *l)
{
	size_t left = l->n;
	for (size_t i = 0; i < left; i++)
		free(l->heap[i]);
	free(TAKE(l->heap));
	l->n = l->cap = 0;
	return left;
}

struct sim_loop *sim_loop_new(int64_t wall_at_start_ms)
{
	struct sim_loop *l = own_alloc(sizeof(*l));
	sim_loop_init(l, wall_at_start_ms);
	return l;
}

void sim_loop_free(struct sim_loop *l)
{
	if (!l)
		return;
	sim_loop_end(l);
	free(l);
}

bool sim_loop_step(struct sim_loop *l)
{
	if (l->n == 0)
		return false;
	struct timer *t = l->heap[0];
	take_out(l, t);
	if (t->due_ms > l->now_ms)
		l->now_ms = t->due_ms;
	l->steps++;
	timer_fn *fn = t->fn;
	void *ctx = t->ctx;
	free(t);
	fn(ctx);
	return true;
}

int64_t sim_loop_due_ms(const struct sim_loop *l) { return l->n ? l->heap[0]->due_ms : INT64_MAX; }

void sim_loop_run_until(struct sim_loop *l, int64_t at_ms)
{
	while (sim_loop_due_ms(l) <= at_ms)
		sim_loop_step(l);
	if (l->now_ms < at_ms)
		l->now_ms = at_ms;
}

void sim_loop_pass(struct sim_loop *l, int64_t ms) { sim_loop_run_until(l, l->now_ms + ms); }

int64_t sim_loop_server_ms(const struct sim_loop *l) { return l->server_ms + l->now_ms; }

void sim_loop_jump_wall(struct sim_loop *l, int64_t by_ms) { l->wall_ms += by_ms; }
