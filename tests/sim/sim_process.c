/* SPDX-License-Identifier: Apache-2.0 */
/* A loop that can be frozen. */
#include "sim/sim_process.h"

#include <stdlib.h>

#include "base/own.h"

struct timer {
	struct sim_process *p;
	struct timer *under; /* of the loop below; NULL: overdue */
	int64_t due_ms;
	timer_fn *fn;
	void *ctx;
	struct timer *next, **self;
};

static void timer_free(struct timer *t)
{
	*t->self = t->next;
	if (t->next)
		t->next->self = t->self;
	free(t);
}

static void run(struct timer *t)
{
	timer_fn *fn = t->fn;
	void *ctx = t->ctx;
	timer_free(t);
	fn(ctx);
}

static void fired(void *arg)
{
	struct timer *t = arg;
	t->under = NULL;
	if (!t->p->frozen)
		run(t);
}

static int64_t now_ms(struct loop *l) { return loop_now_ms(((struct sim_process *)l)->under); }
static int64_t wall_ms(struct loop *l) { return loop_wall_ms(((struct sim_process *)l)->under); }

static struct timer *start(struct loop *l, int64_t delay_ms, timer_fn *fn, void *ctx)
{
	struct sim_process *p = (struct sim_process *)l;
	struct timer *t = own_alloc(sizeof(*t));
	*t = (struct timer){
		.p = p,
		.due_ms = loop_now_ms(p->under) + (delay_ms > 0 ? delay_ms : 0),
		.fn = fn,
		.ctx = ctx,
		.next = p->timers,
		.self = &p->timers,
	};
	t->under = timer_start(p->under, delay_ms, fired, t);
	if (t->next)
		t->next->self = &t->next;
	p->timers = t;
	return t;
}

static void stop(struct loop *l, struct timer *t)
{
	timer_stop(((struct sim_process *)l)->under, t->under);
	timer_free(t);
}

void sim_process_init(struct sim_process *p, struct loop *under)
{
	static const struct loop_ops ops = {
		.now_ms = now_ms,
		.wall_ms = wall_ms,
		.timer_start = start,
		.timer_stop = stop,
	};
	*p = (struct sim_process){ .loop.ops = &ops, .under = under };
}

void sim_process_freeze(struct sim_process *p) { p->frozen = true; }

/* The timer that was started first of those due at the same time. */
static struct timer *next_overdue(const struct sim_process *p)
{
	struct timer *first = NULL;
	for (struct timer *t = p->timers; t; t = t->next)
		if (!t->under && (!first || t->due_ms <= first->due_ms))
			first = t;
	return first;
}

void sim_process_thaw(struct sim_process *p)
{
	struct timer *t;
	p->frozen = false;
	while ((t = next_overdue(p)))
		run(t);
}

void sim_process_free(struct sim_process *p)
{
	while (p->timers)
		stop(&p->loop, p->timers);
}
