/* SPDX-License-Identifier: Apache-2.0 */
/* A server behind struct http that a test plays. */
#include "lib/fake_http.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/str.h"

static _Noreturn void broken(const char *what, const struct http_call *c)
{
	fprintf(stderr, "fake HTTP: %s: %s %s\n", what, c ? c->method : "no", c ? c->path : "call");
	abort();
}

static void forget(struct http_call *c)
{
	free(c->method);
	free(c->path);
	free(c->body);
	free(c->token);
	free(c->later_body);
	*c = (struct http_call){ 0 };
}

static struct http_call *place(struct fake_http *h)
{
	for (int i = 0; h->forgets && i < h->n; i++)
		if (!h->calls[i].open && !h->calls[i].in_data) {
			forget(&h->calls[i]);
			return &h->calls[i];
		}
	if (h->n == FAKE_CALLS)
		broken("too many requests, the last one", &h->calls[FAKE_CALLS - 1]);
	return &h->calls[h->n++];
}

static struct http_call *send(struct http *base, const struct http_request *r, http_done *done,
	void *ctx)
{
	struct fake_http *h = (struct fake_http *)base;
	struct http_call *c = place(h);
	*c = (struct http_call){
		.method = own_strdup(r->method),
		.path = own_strdup(r->path),
		.body = r->body ? own_strndup(r->body, r->body_bytes) : own_strdup(""),
		.has_body = r->body,
		.sent_ms = h->loop->now_ms,
		.timeout_ms = r->timeout_ms,
		.idle_timeout_ms = r->idle_timeout_ms,
		.max_answer_bytes = r->max_answer_bytes,
		.open = true,
		.on_data = r->on_data,
		.on_body = r->on_body,
		.drop = r->drop,
		.done = done,
		.ctx = ctx,
		.from = h,
	};
	for (size_t i = 0; i < r->n_headers; i++)
		if (str_eq(r->headers[i].name, "X-SLURM-USER-TOKEN"))
			c->token = own_strdup(r->headers[i].value);
	return c;
}

/* True: it was open. Its answer comes no more. */
static bool shut(struct http_call *c)
{
	bool was_open = c->open;
	c->open = false;
	if (c->later)
		timer_stop(&c->from->loop->loop, TAKE(c->later));
	return was_open;
}

static void cancel(struct http *base, struct http_call *c)
{
	(void)base;
	if (!shut(c))
		broken("cancelled after its end", c);
	c->cancelled = true;
	if (c->drop)
		c->drop(c->ctx);
}

static void set_bearer(struct http *base, const char *token)
{
	((struct fake_http *)base)->bearer = token;
}

static void released(struct http *base)
{
	struct fake_http *h = (struct fake_http *)base;
	h->freed = true;
	for (int i = 0; !h->shared && i < h->n; i++)
		if (h->calls[i].open)
			cancel(base, &h->calls[i]);
}

void fake_http_init(struct fake_http *h, struct sim_loop *loop)
{
	static const struct http_ops ops = { send, cancel, set_bearer, released };
	h->http.ops = &ops;
	h->loop = loop;
	h->shared = h->forgets = h->freed = h->bearer = false;
	h->n = 0;
}

void fake_http_clear(struct fake_http *h)
{
	for (int i = 0; i < h->n; i++)
		forget(&h->calls[i]);
	h->n = 0;
}

/* ---- which request ---- */

struct http_call *fake_last(struct fake_http *h) { return h->n ? &h->calls[h->n - 1] : NULL; }

static bool asks(const struct http_call *c, const char *part)
{
	AUTO(str_free) struct str line = { 0 };
	str_addf(&line, "%s %s", c->method, c->path);
	return strstr(str_text(&line), part);
}

struct http_call *fake_open(struct fake_http *h, const char *part)
{
	for (int i = 0; i < h->n; i++)
		if (h->calls[i].open && asks(&h->calls[i], part))
			return &h->calls[i];
	return NULL;
}

int fake_count(struct fake_http *h, const char *part)
{
	int n = 0;
	for (int i = 0; i < h->n; i++)
		n += h->calls[i].open && asks(&h->calls[i], part);
	return n;
}

/* ---- how it ends ---- */

/* A long answer in pieces, of another length each. False: its reader has enough. */
static bool give_body(struct http_call *c, const char *body, size_t n)
{
	enum { SHORTEST = 3, LENGTHS = 17, LONG = 4096 };
	size_t length = SHORTEST;
	for (size_t at = 0, piece; at < n; at += piece) {
		AUTO(own_free) char *bytes = NULL; /* the reader's for the time of the call */
		length = n > LONG ? n / LENGTHS : SHORTEST + (length + at) % LENGTHS;
		piece = length < n - at ? length : n - at;
		bytes = own_alloc(piece);
		memcpy(bytes, body + at, piece);
		if (!c->on_body(c->ctx, bytes, piece))
			return false;
	}
	return true;
}

void fake_end(struct http_call *c, struct err e, const struct http_answer *a)
{
	if (!c || !shut(c))
		broken("nobody waits for the end of", c);
	bool in_pieces = c->on_body && a && a->status == 200;
	struct http_answer without = a ? *a : (struct http_answer){ 0 };
	if (in_pieces && !give_body(c, a->body, a->body_bytes)) {
		c->done(c->ctx, err_new(ERR_CANCELLED, "it was ended by its reader"), NULL);
		return;
	}
	if (in_pieces)
		without.body = "";
	if (in_pieces)
		without.body_bytes = 0;
	c->done(c->ctx, e, in_pieces ? &without : a);
}

/* The body is the client's for the time of the call alone, and ends where it ends. */
static void answer(struct http_call *c, struct http_answer a)
{
	AUTO(own_free) char *body = own_strdup(a.body);
	a.body = body;
	a.body_bytes = strlen(body);
	a.asked_ms = c ? c->sent_ms : 0;
	fake_end(c, OK, &a);
}

void fake_answer(struct http_call *c, int status, const char *body)
{
	fake_answer_after(c, status, body, -1);
}

void fake_answer_after(struct http_call *c, int status, const char *body, int64_t retry_after_ms)
{
	answer(c,
		(struct http_answer){
			.status = status, .body = body, .retry_after_ms = retry_after_ms });
}

void fake_answer_warning(struct http_call *c, int status, const char *body, const char *warning)
{
	answer(c,
		(struct http_answer){
			.status = status, .body = body, .retry_after_ms = -1, .warning = warning });
}

static void answer_now(void *call)
{
	struct http_call *c = call;
	AUTO(own_free) char *body = TAKE(c->later_body);
	c->later = NULL;
	fake_answer(c, c->later_status, body);
}

void fake_answer_later(struct http_call *c, int64_t ms, int status, const char *body)
{
	c->later_status = status;
	c->later_body = own_strdup(body);
	c->later = timer_start(&c->from->loop->loop, ms, answer_now, c);
}

void fake_fail(struct http_call *c, enum err_kind kind)
{
	fake_end(c, err_new(kind, "a fault of the test"), NULL);
}

bool fake_data_bytes(struct http_call *c, const char *bytes, size_t n)
{
	if (!c || !c->open)
		broken("nobody listens to", c);
	c->in_data = true;
	bool more = c->on_data(c->ctx, bytes, n);
	c->in_data = false;
	if (c->cancelled)
		return false;
	if (!more)
		fake_fail(c, ERR_CANCELLED);
	return more;
}

bool fake_data(struct http_call *c, const char *bytes)
{
	return fake_data_bytes(c, bytes, strlen(bytes));
}

void fake_answer_all(struct fake_http *h, const struct fake_row *rows, size_t n)
{
	for (int i = 0; i < h->n; i++)
		for (size_t k = 0; k < n && h->calls[i].open; k++)
			if (asks(&h->calls[i], rows[k].asked)) {
				if (rows[k].status)
					fake_answer(&h->calls[i], rows[k].status, rows[k].body);
				break;
			}
}
