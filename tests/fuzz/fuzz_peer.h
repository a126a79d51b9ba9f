/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A peer for targets that read answers: the input is cut into pieces at lines "--", each
 * request is answered by the next piece (the last one again and again), and the loop
 * fires every timer at once. The first byte of an answer is its status.
 */
#ifndef FUZZ_PEER_H
#define FUZZ_PEER_H

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/own.h"
#include "net/http.h"

enum { PEER_MAX = 64 };

struct timer {
	int64_t due_ms;
	timer_fn *fn;
	void *ctx;
};

struct http_call {
	http_done *done;
	bool (*on_data)(void *ctx, const char *bytes, size_t n);
	void (*drop)(void *ctx);
	void *ctx;
	bool in_data, cancelled;
	char path[64];
};

/* What is left of the input. */
struct pieces {
	const char *at;
	size_t n;
};

static struct timer *timers[PEER_MAX];
static struct http_call *calls[PEER_MAX];
static int64_t clock_ms;

/* What is logged would be most of the time. */
__attribute__((constructor)) static void quiet(void)
{
	log_set_level((enum log_level)(LOG_ERROR + 1));
}

/*
 * The next piece, in a block of exactly its size and a terminator; the caller frees.
 * keep_last: the last one stays the next.
 */
static inline char *piece_take(struct pieces *p, size_t *n, bool keep_last)
{
	const char *end = p->n ? memmem(p->at, p->n, "\n--\n", 4) : NULL;
	*n = end ? (size_t)(end - p->at) : p->n;
	char *text = own_alloc(*n + 1);
	if (*n)
		memcpy(text, p->at, *n);
	if (end || !keep_last) {
		size_t used = end ? *n + 4 : p->n;
		p->at += used;
		p->n -= used;
	}
	return text;
}

static int64_t peer_now(struct loop *l) { return (void)l, clock_ms; }
static int64_t peer_wall(struct loop *l) { return (void)l, INT64_C(1767225600000) + clock_ms; }

static struct timer *peer_timer(struct loop *l, int64_t delay_ms, timer_fn *fn, void *ctx)
{
	(void)l;
	if (delay_ms < 0 || delay_ms > INT64_C(400) * 86400 * 1000)
		abort(); /* somebody believed a number of the input */
	for (size_t i = 0; i < PEER_MAX; i++)
		if (!timers[i]) {
			timers[i] = own_alloc(sizeof(struct timer));
			*timers[i] = (struct timer){ clock_ms + delay_ms, fn, ctx };
			return timers[i];
		}
	abort();
}

static void peer_stop(struct loop *l, struct timer *t)
{
	(void)l;
	for (size_t i = 0; i < PEER_MAX; i++)
		if (timers[i] == t) {
			timers[i] = NULL;
			free(t);
			return;
		}
	abort(); /* a handle that is gone */
}

static struct http_call *peer_send(struct http *h, const struct http_request *r, http_done *done,
	void *ctx)
{
	(void)h;
	for (size_t i = 0; i < PEER_MAX; i++)
		if (!calls[i]) {
			calls[i] = own_alloc(sizeof(struct http_call));
			*calls[i] = (struct http_call){
				.done = done,
				.on_data = r->on_data,
				.drop = r->drop,
				.ctx = ctx,
			};
			strncpy(calls[i]->path, r->path, sizeof(calls[i]->path) - 1);
			return calls[i];
		}
	abort();
}

static void peer_cancel(struct http *h, struct http_call *c)
{
	(void)h;
	for (size_t i = 0; i < PEER_MAX; i++)
		if (calls[i] == c) {
			calls[i] = NULL;
			if (c->drop)
				c->drop(c->ctx);
			if (c->in_data)
				c->cancelled = true;
			else
				free(c);
			return;
		}
	abort();
}

static void peer_bearer(struct http *h, const char *token) { (void)h, (void)token; }

static void peer_free_http(struct http *h)
{
	for (size_t i = 0; i < PEER_MAX; i++)
		if (calls[i])
			peer_cancel(h, calls[i]);
}

/* A client that a factory gave away: its calls are cancelled by those who made them. */
static void peer_leave_http(struct http *h) { (void)h; }

static const struct loop_ops peer_loop_ops = { peer_now, peer_wall, peer_timer, peer_stop };
static const struct http_ops peer_http_ops = { peer_send, peer_cancel, peer_bearer,
	peer_free_http };
static const struct http_ops peer_shared_ops = { peer_send, peer_cancel, peer_bearer,
	peer_leave_http };

/* A stream: its bytes in two pieces, then its end. */
static inline void peer_stream(struct http_call *c, size_t at, const char *body, size_t n)
{
	bool more = true;
	c->in_data = true;
	for (int half = 0; half < 2 && more && !c->cancelled; half++)
		more = c->on_data(c->ctx, half ? body + n / 2 : body, half ? n - n / 2 : n / 2);
	if (c->cancelled) {
		free(c);
		return;
	}
	calls[at] = NULL;
	struct http_answer a = {
		.status = 200,
		.body = "",
		.retry_after_ms = -1,
		.asked_ms = clock_ms,
	};
	http_done *done = c->done;
	void *ctx = c->ctx;
	free(c);
	done(ctx, more ? OK : err_new(ERR_CANCELLED, "ended by its reader"), more ? &a : NULL);
}

static inline void peer_answer(size_t at, struct pieces *p)
{
	static const int statuses[] = { 200, 304, 400, 401, 403, 404, 409, 410, 413, 422, 429, 500,
		502, 504, 511, 201 };
	struct http_call *c = calls[at];
	size_t n;
	AUTO(own_free) char *text = piece_take(p, &n, true);
	char first = n ? text[0] : 0;
	/* "0" to "9" and "A" on, so that seeds can be read; 200 for everything else */
	unsigned which = first >= '0' && first <= '9' ? (unsigned)(first - '0')
		: first >= 'A' && first <= 'F'        ? (unsigned)(first - 'A' + 10)
						      : 0;
	struct http_answer a = {
		.status = statuses[which],
		.body = n ? text + 1 : text,
		.body_bytes = n ? n - 1 : 0,
		.retry_after_ms = -1,
		.asked_ms = clock_ms,
	};
	if (c->on_data && a.status == 200) {
		peer_stream(c, at, a.body, a.body_bytes);
		return;
	}
	struct http_call now = *c;
	free(TAKE(calls[at]));
	if (first == '!')
		now.done(now.ctx, err_new(ERR_LOST, "no answer"), NULL);
	else
		now.done(now.ctx, OK, &a);
}

/* Answers and fires whatever waits, so many times. */
static inline void peer_run(struct pieces *p, int turns)
{
	for (int turn = 0; turn < turns; turn++)
		for (size_t i = 0; i < PEER_MAX; i++) {
			if (calls[i])
				peer_answer(i, p);
			if (timers[i]) {
				struct timer t = *timers[i];
				free(TAKE(timers[i]));
				clock_ms = t.due_ms > clock_ms ? t.due_ms : clock_ms;
				t.fn(t.ctx);
			}
		}
}

/* Nothing may be left by those who have been freed. */
static inline void peer_end(void)
{
	for (size_t i = 0; i < PEER_MAX; i++)
		if (calls[i] || timers[i])
			abort();
	(void)peer_loop_ops, (void)peer_http_ops, (void)peer_shared_ops;
}

#endif
