/* SPDX-License-Identifier: Apache-2.0 */
/* The event loop on libuv. */
#include "net/loop_uv.h"

#include <signal.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <time.h>
#include <utlist.h>

#include "base/metric.h"
#include "base/own.h"

enum { WATCHED_SIGNALS = 2 };
static const int watched_signals[WATCHED_SIGNALS] = { SIGTERM, SIGINT };

/* ---- duration of turns ---- */

/*
 * The longest turn so far. During a turn no lease is renewed, and no probe is answered.
 * Turns are measured in wall time and in processor time, because only wall time includes
 * the load of other processes.
 */
METRIC(turn_max, "slurm_operator_loop_turn_seconds_max", METRIC_GAUGE,
	"The longest turn of the event loop since the start, by the wall clock and by CPU time. A turn blocks all other work.",
	"clock", METRIC_OF_EACH);
METRIC(long_turns, "slurm_operator_loop_long_turns_total", METRIC_COUNTER,
	"Turns of the event loop that took more than 50 ms.", "clock", METRIC_OF_EACH);

enum { CLOCK_WALL, CLOCK_CPU, CLOCKS, LONG_TURN_NS = 50000000 };

struct turn_clock {
	int64_t began_ns, longest_ns; /* began_ns 0: no turn has begun */
};

static void turn_ended(struct turn_clock *c, const char *clock, int64_t now_ns)
{
	int64_t took_ns = c->began_ns ? now_ns - c->began_ns : 0;
	if (took_ns > c->longest_ns) {
		c->longest_ns = took_ns;
		metric_set(&turn_max, (double)took_ns / 1e9, clock);
		metric_add(&long_turns, 0, clock); /* shown from the first turn on */
	}
	if (took_ns > LONG_TURN_NS)
		metric_add(&long_turns, 1, clock);
	c->began_ns = now_ns; /* the next turn */
}

/* The queue of postponed descriptors; turns count from 1. */
struct queue {
	uint64_t turn;
	/* turn in which the longest wait began: for this turn, for the next */
	uint64_t longest, next;
	bool goes_first; /* the descriptor that has waited longest is served first */
	bool served;     /* a descriptor was served in this turn */
};

struct uv_backed_loop {
	struct loop base; /* first: a struct loop * is this */
	uv_loop_t uv;
	uv_async_t awake; /* keeps the loop running while nothing else is open */
	uv_prepare_t before_wait;
	int64_t waits_since_ms, waits_ms; /* start and limit of the wait; -1: no limit */
	/* late turns left, after a turn that began late or took long */
	int late_turns;
	/* a timer was postponed in this turn; in the last one */
	bool timer_put_off, timer_waits;
	bool worked_long;        /* this turn has used up its time */
	int64_t timers_since_ns; /* when postponed timers began to fire; 0: none yet */
	struct queue queue;
	struct turn_clock clocks[CLOCKS];
	uv_signal_t signals[WATCHED_SIGNALS];
	bool signals_open;
	uv_signal_t child_signal;
	bool child_signal_open;
	struct loop_child *children;
	bool stopped;
	void (*on_signal)(void *ctx, int signal);
	void *signal_ctx;
};

struct timer {
	uv_timer_t uv; /* first: a uv_handle_t * is this */
	bool put_off;  /* postponed to a later turn, after long work */
	bool urgent;   /* never postponed */
	timer_fn *fn;
	void *ctx;
};

static struct uv_backed_loop *backed(struct loop *l) { return (struct uv_backed_loop *)l; }

uv_loop_t *loop_uv_handle(struct loop *l) { return &backed(l)->uv; }

/*
 * Updates and returns the loop's own clock, so that timers count from the same instant
 * that callers see.
 */
static int64_t now_ms(struct loop *l)
{
	uv_update_time(&backed(l)->uv);
	return (int64_t)uv_now(&backed(l)->uv);
}

static int64_t wall_ms(struct loop *l)
{
	struct timespec t;
	(void)l;
	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void handle_free(uv_handle_t *handle) { free(handle); }

static int64_t cpu_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

enum { LONG_NS = 5000000, SHORT_NS = 1000000 }; /* time limits of a turn */

/* Whether this turn has used up its time, which is shorter while a timer waits. */
static bool worked_long(struct uv_backed_loop *b)
{
	int64_t began_ns = b->clocks[CLOCK_CPU].began_ns;
	int64_t most_ns = b->timer_waits ? SHORT_NS : LONG_NS;
	if (!b->worked_long)
		b->worked_long = began_ns && cpu_ns() - began_ns > most_ns;
	return b->worked_long;
}

bool loop_uv_put_off(struct loop *l, uint64_t *since)
{
	struct uv_backed_loop *b = backed(l);
	struct queue *q = &b->queue;
	bool waits_longest = *since && *since <= q->longest;
	bool waits = waits_longest ? q->served && worked_long(b) : q->goes_first || worked_long(b);
	if (!waits) {
		*since = 0;
		q->served = true;
		return false;
	}
	*since = *since ? *since : q->turn;
	q->next = q->next && q->next < *since ? q->next : *since;
	return true;
}

/*
 * Begins a turn. The descriptor that has waited longest may no longer be ready, so after
 * a turn that served no descriptor, any descriptor may be served first.
 */
static void next_in_queue(struct queue *q)
{
	q->turn++;
	q->longest = q->next;
	q->goes_first = q->longest && q->served;
	q->next = 0;
	q->served = false;
}

/*
 * Whether a timer may fire in this turn. At least one postponed timer fires in each turn,
 * and more while the turn has time, so that thousands of due timers do not block the
 * loop. In a late turn all postponed timers fire, so that an expired lease is detected.
 */
static bool goes(struct uv_backed_loop *b, const struct timer *t)
{
	if (t->urgent)
		return true;
	if (!t->put_off)
		return !worked_long(b);
	if (!b->timers_since_ns)
		b->timers_since_ns = cpu_ns();
	return b->late_turns || cpu_ns() - b->timers_since_ns <= LONG_NS;
}

static void timer_fired(uv_timer_t *uv)
{
	struct uv_backed_loop *b = uv->loop->data;
	struct timer *t = (struct timer *)uv;
	timer_fn *fn = t->fn;
	void *ctx = t->ctx;

	if (!goes(b, t)) {
		t->put_off = b->timer_put_off = true;
		uv_timer_start(uv, timer_fired, 0, 0);
		return;
	}
	uv_close((uv_handle_t *)uv, handle_free);
	fn(ctx);
}

static struct timer *start_timer(struct loop *l, int64_t delay_ms, timer_fn *fn, void *ctx)
{
	struct timer *t = own_alloc(sizeof(*t));
	t->fn = fn;
	t->ctx = ctx;
	uv_update_time(&backed(l)->uv);
	uv_timer_init(&backed(l)->uv, &t->uv);
	uv_timer_start(&t->uv, timer_fired, delay_ms > 0 ? (uint64_t)delay_ms : 0, 0);
	return t;
}

static void stop_timer(struct loop *l, struct timer *t)
{
	(void)l;
	uv_close((uv_handle_t *)&t->uv, handle_free);
}

static void hurry_timer(struct timer *t) { t->urgent = true; }

/* Ends the measurement of a turn, without the time spent waiting for events. */
static void count_turn(struct uv_backed_loop *b)
{
	int64_t waited_ns = (int64_t)uv_metrics_idle_time(&b->uv);
	turn_ended(&b->clocks[CLOCK_WALL], "wall", (int64_t)uv_hrtime() - waited_ns);
	turn_ended(&b->clocks[CLOCK_CPU], "cpu", cpu_ns());
}

static bool is_late(struct uv_backed_loop *b)
{
	enum { LATE_MS = 1000 };
	return b->waits_ms >= 0 && now_ms(&b->base) - b->waits_since_ms > b->waits_ms + LATE_MS;
}

bool loop_uv_overslept(struct loop *l)
{
	struct uv_backed_loop *b = backed(l);
	return b->late_turns || is_late(b);
}

static void about_to_wait(uv_prepare_t *uv)
{
	enum { LATE_TURNS = 2 }; /* a due timer may be postponed once */
	struct uv_backed_loop *b = uv->data;
	if (is_late(b))
		b->late_turns = LATE_TURNS;
	else if (b->late_turns)
		b->late_turns--;
	count_turn(b);
	b->timer_waits = b->timer_put_off;
	b->timer_put_off = b->worked_long = false;
	b->timers_since_ns = 0;
	next_in_queue(&b->queue);
	b->waits_since_ms = (int64_t)uv_now(&b->uv);
	b->waits_ms = uv_backend_timeout(&b->uv);
}

static const struct loop_ops uv_ops = { now_ms, wall_ms, start_timer, stop_timer, hurry_timer };

struct loop *loop_uv_new(void)
{
	struct uv_backed_loop *b = own_alloc(sizeof(*b));
	b->base.ops = &uv_ops;
	/*
	 * Writing to a connection that the peer closed must be an error of that
	 * connection, not the end of the program.
	 */
	signal(SIGPIPE, SIG_IGN);
	if (uv_loop_init(&b->uv) != 0 || uv_async_init(&b->uv, &b->awake, NULL) != 0)
		abort(); /* out of descriptors at the start: the program cannot work */
	uv_loop_configure(&b->uv, UV_METRICS_IDLE_TIME);
	b->uv.data = b;
	b->before_wait.data = b;
	b->waits_ms = -1;
	uv_prepare_init(&b->uv, &b->before_wait);
	uv_prepare_start(&b->before_wait, about_to_wait);
	uv_unref((uv_handle_t *)&b->before_wait);
	return &b->base;
}

static void signal_came(uv_signal_t *handle, int number)
{
	struct uv_backed_loop *b = handle->data;
	uv_signal_stop(handle); /* so that a second signal ends the program */
	b->on_signal(b->signal_ctx, number);
}

void loop_uv_on_signal(struct loop *l, void (*on_signal)(void *ctx, int signal), void *ctx)
{
	struct uv_backed_loop *b = backed(l);
	b->on_signal = on_signal;
	b->signal_ctx = ctx;
	if (b->signals_open)
		return;
	b->signals_open = true;
	for (int i = 0; i < WATCHED_SIGNALS; i++) {
		uv_signal_init(&b->uv, &b->signals[i]);
		b->signals[i].data = b;
		uv_signal_start(&b->signals[i], signal_came, watched_signals[i]);
	}
}

/* ---- children ---- */

/* Reaps all children that have ended: several SIGCHLD may be merged into one. */
static void some_child_ended(uv_signal_t *handle, int number)
{
	struct uv_backed_loop *b = handle->data;
	struct loop_child *c, *next;
	(void)number;
	DL_FOREACH_SAFE(b->children, c, next)
	{
		int status;
		if (waitpid(c->pid, &status, WNOHANG) != c->pid)
			continue;
		DL_DELETE(b->children, c);
		c->ended(c, &status);
	}
	if (!b->children)
		uv_unref((uv_handle_t *)handle);
}

int loop_uv_children_open(struct loop *l)
{
	struct uv_backed_loop *b = backed(l);
	int code = b->child_signal_open ? 0 : uv_signal_init(&b->uv, &b->child_signal);
	if (code != 0)
		return code;
	if (!b->child_signal_open)
		uv_unref((uv_handle_t *)&b->child_signal);
	b->child_signal_open = true;
	b->child_signal.data = b;
	/* No effect when the handle is already started */
	return uv_signal_start(&b->child_signal, some_child_ended, SIGCHLD);
}

void loop_uv_child_join(struct loop *l, struct loop_child *c)
{
	struct uv_backed_loop *b = backed(l);
	DL_APPEND(b->children, c);
	uv_ref((uv_handle_t *)&b->child_signal);
}

/* ---- running ---- */

void loop_uv_run(struct loop *l)
{
	struct uv_backed_loop *b = backed(l);
	while (!b->stopped)
		uv_run(&b->uv, UV_RUN_DEFAULT);
	b->stopped = false;
}

void loop_uv_stop(struct loop *l)
{
	backed(l)->stopped = true;
	uv_stop(&backed(l)->uv);
}

/*
 * Closes leftover handles: timers that were not stopped, the loop's own handles, and the
 * handle that waits for cancelled children. All other code has closed its handles before.
 */
static void close_leftover(uv_handle_t *handle, void *waits_for_children)
{
	if (!uv_is_closing(handle) && handle != waits_for_children)
		uv_close(handle, handle->type == UV_TIMER ? handle_free : NULL);
}

/* Gives up on killed children that hang in the kernel. */
static void guard_fired(uv_timer_t *guard)
{
	struct uv_backed_loop *b = guard->loop->data;
	struct loop_child *c, *next;
	DL_FOREACH_SAFE(b->children, c, next)
	{
		DL_DELETE(b->children, c);
		c->ended(c, NULL);
	}
	uv_unref((uv_handle_t *)&b->child_signal);
}

static void close_handle(uv_handle_t *handle, void *unused)
{
	(void)unused;
	if (!uv_is_closing(handle))
		uv_close(handle, NULL);
}

void loop_uv_free(struct loop *l)
{
	enum { CHILDREN_MS = 1000 };
	if (!l)
		return;
	struct uv_backed_loop *b = backed(l);
	uv_timer_t guard;

	uv_walk(&b->uv, close_leftover, b->children ? &b->child_signal : NULL);
	uv_timer_init(&b->uv, &guard);
	uv_timer_start(&guard, guard_fired, CHILDREN_MS, 0);
	uv_unref((uv_handle_t *)&guard);
	uv_run(&b->uv, UV_RUN_DEFAULT);
	uv_walk(&b->uv, close_handle, NULL); /* the guard, and the handle for children */
	uv_run(&b->uv, UV_RUN_DEFAULT);
	uv_loop_close(&b->uv);
	free(b);
}
