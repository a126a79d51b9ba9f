/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interface of event loops: a clock and one-shot timers. Two implementations: libuv
 * (net/loop_uv.c) and the fake clock of the tests (tests/lib). A loop and everything on
 * it belong to one thread; callbacks are never nested.
 */
#ifndef NET_LOOP_H
#define NET_LOOP_H

#include <stdint.h>

struct loop;
struct timer;
typedef void timer_fn(void *ctx);

struct loop_ops {
	int64_t (*now_ms)(struct loop *);  /* monotonic */
	int64_t (*wall_ms)(struct loop *); /* since 1970 UTC; may jump */
	struct timer *(*timer_start)(struct loop *, int64_t delay_ms, timer_fn *fn, void *ctx);
	void (*timer_stop)(struct loop *, struct timer *);
	/* Exempts a timer from postponement. NULL: the loop postpones no timers */
	void (*timer_hurry)(struct timer *);
};

struct loop {
	const struct loop_ops *ops; /* the implementation's struct starts with a struct loop */
};

static inline int64_t loop_now_ms(struct loop *l) { return l->ops->now_ms(l); }
static inline int64_t loop_wall_ms(struct loop *l) { return l->ops->wall_ms(l); }

/*
 * Calls fn(ctx) once, after delay_ms (0: in the next turn, never from within this call).
 * The timer is freed when fn is called or timer_stop returns; do not use it after that.
 * timer_stop accepts NULL.
 */
static inline struct timer *timer_start(struct loop *l, int64_t delay_ms, timer_fn *fn, void *ctx)
{
	return l->ops->timer_start(l, delay_ms, fn, ctx);
}
static inline void timer_stop(struct loop *l, struct timer *t)
{
	if (t)
		l->ops->timer_stop(l, t);
}

/*
 * timer_start for a task that must not wait for the work of tenants, such as renewing a
 * lease. Only for short tasks.
 */
static inline struct timer *timer_start_urgent(struct loop *l, int64_t delay_ms, timer_fn *fn,
	void *ctx)
{
	struct timer *t = timer_start(l, delay_ms, fn, ctx);
	if (l->ops->timer_hurry)
		l->ops->timer_hurry(t);
	return t;
}

/* ---- libuv ---- */
struct loop *loop_uv_new(void);
/*
 * SIGTERM and SIGINT each call on_signal once; a second one ends the process. SIGPIPE is
 * ignored. loop_uv_run runs until loop_uv_stop.
 */
void loop_uv_on_signal(struct loop *l, void (*on_signal)(void *ctx, int signal), void *ctx);
void loop_uv_run(struct loop *l);
void loop_uv_stop(struct loop *l);
void loop_uv_free(struct loop *l); /* accepts NULL */

#endif
