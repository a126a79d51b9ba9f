/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A clock that stands still and an HTTP destination that keeps requests until the test
 * answers them: with an answer that a real slurmrestd gave (tests/unit/recorded), with
 * one made up, or with an error. The order and the text of every request are checked.
 *
 * Recorded answers: the status on the first line, the body behind it, cut to what
 * matters.
 */
#ifndef TESTS_UNIT_SLURM_FAKE_H
#define TESTS_UNIT_SLURM_FAKE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/own.h"
#include "base/str.h"
#include "slurm/client.h"

#define FAKE_TOKEN "eyJhbGciOiJIUzI1NiJ9.c2VjcmV0.c2lnbmF0dXJl"

struct timer {
	struct timer *next;
	int64_t at_ms;
	timer_fn *fn;
	void *ctx;
};

struct http_call {
	struct http_call *next;
	char *line, *body, *token; /* line: "GET /slurm/v0.0.42/ping/" */
	int64_t timeout_ms;
	size_t max_answer_bytes;
	http_done *done;
	void *ctx;
};

struct fake {
	struct http http; /* first */
	struct loop loop;
	int64_t now_ms;
	struct timer *timers;
	struct http_call *calls;      /* oldest first */
	char *last_body, *last_token; /* of the request answered last */
	bool http_freed, sending;
};

/* ---- the loop ---- */

static inline struct fake *fake_of(struct loop *l)
{
	return (struct fake *)((char *)l - offsetof(struct fake, loop));
}
static inline int64_t fake_now(struct loop *l) { return fake_of(l)->now_ms; }
static inline int64_t fake_wall(struct loop *l)
{
	return fake_of(l)->now_ms + INT64_C(1795270000000);
}

static inline struct timer *fake_timer_start(struct loop *l, int64_t delay_ms, timer_fn *fn,
	void *ctx)
{
	struct timer **at = &fake_of(l)->timers;
	struct timer *t = own_alloc(sizeof(*t));
	*t = (struct timer){ .at_ms = fake_now(l) + delay_ms, .fn = fn, .ctx = ctx };
	while (*at && (*at)->at_ms <= t->at_ms)
		at = &(*at)->next;
	t->next = *at;
	*at = t;
	return t;
}

static inline void fake_timer_stop(struct loop *l, struct timer *t)
{
	struct timer **at = &fake_of(l)->timers;
	while (*at && *at != t)
		at = &(*at)->next;
	assert_non_null(*at); /* stopped twice, or after it has run */
	*at = t->next;
	free(t);
}

/* Moves the clock and runs what is due. */
static inline void fake_pass(struct fake *f, int64_t ms)
{
	f->now_ms += ms;
	while (f->timers && f->timers->at_ms <= f->now_ms) {
		struct timer t = *f->timers;
		free(f->timers);
		f->timers = t.next;
		t.fn(t.ctx);
	}
}

/* ---- HTTP ---- */

static inline void fake_call_free(struct http_call *c)
{
	free(c->line);
	free(c->body);
	free(c->token);
	free(c);
}

static inline struct http_call *fake_send(struct http *h, const struct http_request *r,
	http_done *done, void *ctx)
{
	struct fake *f = (struct fake *)h;
	struct http_call **at = &f->calls, *c = own_alloc(sizeof(*c));
	struct str line = { 0 };
	str_addf(&line, "%s %s", r->method, r->path);
	*c = (struct http_call){
		.line = str_take(&line),
		.timeout_ms = r->timeout_ms,
		.max_answer_bytes = r->max_answer_bytes,
		.done = done,
		.ctx = ctx,
	};
	c->body = r->body ? own_strndup(r->body, r->body_bytes) : NULL;
	for (size_t i = 0; i < r->n_headers; i++)
		if (strcmp(r->headers[i].name, "X-SLURM-USER-TOKEN") == 0)
			c->token = own_strdup(r->headers[i].value);
	while (*at)
		at = &(*at)->next;
	*at = c;
	return c;
}

static inline void fake_cancel(struct http *h, struct http_call *c)
{
	struct http_call **at = &((struct fake *)h)->calls;
	while (*at && *at != c)
		at = &(*at)->next;
	assert_non_null(*at); /* cancelled twice, or after its end */
	*at = c->next;
	fake_call_free(c);
}

static inline void fake_set_bearer(struct http *h, const char *token)
{
	(void)h;
	(void)token;
	fail_msg("%s", "slurmrestd is not to be sent a bearer token");
}

static inline void fake_http_free(struct http *h)
{
	struct fake *f = (struct fake *)h;
	while (f->calls)
		fake_cancel(h, f->calls);
	f->http_freed = true;
}

static inline struct fake *fake_new(void)
{
	static const struct loop_ops loop_ops = { fake_now, fake_wall, fake_timer_start,
		fake_timer_stop };
	static const struct http_ops http_ops = { fake_send, fake_cancel, fake_set_bearer,
		fake_http_free };
	struct fake *f = own_alloc(sizeof(*f));
	f->loop.ops = &loop_ops;
	f->http.ops = &http_ops;
	f->now_ms = 1000000;
	return f;
}

static inline void fake_free(struct fake *f)
{
	assert_null(f->timers);
	assert_null(f->calls);
	free(f->last_body);
	free(f->last_token);
	free(f);
}

/* ---- answering ---- */

static inline size_t fake_waiting(const struct fake *f)
{
	size_t n = 0;
	for (const struct http_call *c = f->calls; c; c = c->next)
		n++;
	return n;
}

/* Takes the oldest request, which must be this one. */
static inline struct http_call *fake_take(struct fake *f, const char *line)
{
	struct http_call *c = f->calls;
	if (!c)
		fail_msg("no request waits; \"%s\" should", line);
	assert_string_equal(c->line, line);
	f->calls = c->next;
	free(f->last_body);
	free(f->last_token);
	f->last_body = TAKE(c->body);
	f->last_token = TAKE(c->token);
	return c;
}

static inline void fake_answer(struct fake *f, const char *line, int status, const char *body)
{
	struct http_call *c = fake_take(f, line);
	struct http_call copy = *c;
	char *text = own_strdup(body);
	struct http_answer a = {
		.status = status,
		.body = text,
		.body_bytes = strlen(text),
		.asked_ms = f->now_ms - 5,
		.retry_after_ms = -1,
	};
	fake_call_free(c);
	copy.done(copy.ctx, OK, &a);
	free(text); /* valid during the callback only */
}

static inline void fake_error(struct fake *f, const char *line, struct err err)
{
	struct http_call *c = fake_take(f, line);
	struct http_call copy = *c;
	fake_call_free(c);
	copy.done(copy.ctx, err, NULL);
}

/* A file below tests/unit/recorded; the caller frees. */
static inline char *fake_recorded(const char *name, int *status)
{
	struct str path = { 0 }, text = { 0 };
	char piece[4096];
	size_t n;
	str_addf(&path, "tests/unit/recorded/%s", name);
	FILE *file = fopen(str_text(&path), "re");
	if (!file)
		fail_msg("%s cannot be read; tests run in the top folder", str_text(&path));
	while ((n = fread(piece, 1, sizeof(piece), file)) > 0)
		str_add_bytes(&text, piece, n);
	fclose(file);
	*status = atoi(str_text(&text));
	char *body = own_strdup(strchr(str_text(&text), '\n') + 1);
	str_free(&path);
	str_free(&text);
	return body;
}

static inline void fake_replay(struct fake *f, const char *line, const char *name)
{
	int status;
	char *body = fake_recorded(name, &status);
	fake_answer(f, line, status, body);
	free(body);
}

/* ---- a client ---- */

static inline struct slurm *fake_client(struct fake *f)
{
	return slurm_new(&f->loop, &f->http, FAKE_TOKEN);
}

/* Answers the negotiation of 24.11: v0.0.42. */
static inline void fake_negotiate(struct fake *f)
{
	fake_replay(f, "GET /openapi/v3", "24.11/openapi");
}

/* The token's user may change nodes. */
static inline void fake_rights(struct fake *f, const char *version)
{
	char line[80];
	snprintf(line, sizeof(line), "POST /slurm/%s/node/slurm-operator-rights", version);
	fake_replay(f, line, "24.11/v0.0.42/update-unknown-node");
}

#endif
