/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A server that answers what a test tells it to: requests are kept until fake_answer,
 * fake_fail or a cancellation.
 */
#ifndef UNIT_FAKE_HTTP_H
#define UNIT_FAKE_HTTP_H

#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "base/str.h"
#include "net/http.h"

enum { FAKE_CALLS = 64 };

struct http_call {
	char *method, *path, *body;
	bool (*on_data)(void *ctx, const char *bytes, size_t n);
	void (*drop)(void *ctx);
	http_done *done;
	void *ctx;
	int64_t idle_timeout_ms;
	bool open, cancelled;
};

struct fake_http {
	struct http http; /* first */
	struct http_call calls[FAKE_CALLS];
	int n; /* sent so far */
};

static struct http_call *fake_send(struct http *h, const struct http_request *r, http_done *done,
	void *ctx)
{
	struct fake_http *f = (struct fake_http *)h;
	if (f->n == FAKE_CALLS)
		abort();
	struct http_call *c = &f->calls[f->n++];
	*c = (struct http_call){
		own_strdup(r->method),
		own_strdup(r->path),
		own_strdup(r->body ? r->body : ""),
		r->on_data,
		r->drop,
		done,
		ctx,
		r->idle_timeout_ms,
		true,
		false,
	};
	return c;
}

static void fake_cancel(struct http *h, struct http_call *c)
{
	(void)h;
	if (!c->open)
		abort(); /* a handle that is gone */
	c->open = false;
	c->cancelled = true;
	if (c->drop)
		c->drop(c->ctx);
}

static void fake_bearer(struct http *h, const char *token) { (void)h, (void)token; }
static void fake_http_free(struct http *h) { (void)h; }
static const struct http_ops fake_http_ops = { fake_send, fake_cancel, fake_bearer,
	fake_http_free };

static void fake_http_init(struct fake_http *f)
{
	memset(f, 0, sizeof(*f));
	f->http.ops = &fake_http_ops;
}

static void fake_http_clear(struct fake_http *f)
{
	for (int i = 0; i < f->n; i++) {
		free(f->calls[i].method);
		free(f->calls[i].path);
		free(f->calls[i].body);
	}
	f->n = 0;
}

/* The request sent last. */
static struct http_call *fake_last(struct fake_http *f)
{
	return f->n ? &f->calls[f->n - 1] : NULL;
}

static void fake_end(struct http_call *c, struct err e, const struct http_answer *a)
{
	if (!c || !c->open)
		abort(); /* nobody asks */
	c->open = false;
	c->done(c->ctx, e, a);
}

static inline void fake_answer_after(struct http_call *c, int status, const char *body,
	int64_t retry_after_ms)
{
	struct http_answer a = { status, body, strlen(body), 0, retry_after_ms, NULL };
	fake_end(c, OK, &a);
}

static inline void fake_answer_warning(struct http_call *c, int status, const char *body,
	const char *warning)
{
	struct http_answer a = { status, body, strlen(body), 0, -1, warning };
	fake_end(c, OK, &a);
}

static inline void fake_answer(struct http_call *c, int status, const char *body)
{
	fake_answer_after(c, status, body, -1);
}
static inline void fake_fail(struct http_call *c, enum err_kind kind)
{
	fake_end(c, err_new(kind, "a fault of the test"), NULL);
}

/* A piece of a stream, as net/http.h says it: a false return ends it. */
static inline void fake_data(struct http_call *c, const char *bytes)
{
	if (!c || !c->open)
		abort();
	if (!c->on_data(c->ctx, bytes, strlen(bytes)) && !c->cancelled)
		fake_fail(c, ERR_CANCELLED);
}

static inline void fake_unused(void)
{
	(void)fake_http_init, (void)fake_http_clear, (void)fake_last;
}

#endif
