/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A server behind struct http that a test plays. Every request is kept, and waits until
 * the test answers it or the client cancels it; nothing is answered by itself.
 *
 *     struct fake_http http;
 *     fake_http_init(&http, &loop);
 *     ... = watch_new(&(struct kube){ &http.http, &loop.loop }, ...);
 *     assert_string_equal(fake_last(&http)->path, "/api/v1/pods?limit=500");
 *     fake_answer(fake_last(&http), 200, "{}");
 *     ...
 *     fake_http_clear(&http);
 *
 * Faults on the way:
 *     the server does not answer            fake_fail(call, ERR_RETRY)
 *     it has done it, the answer is lost    fake_fail(call, ERR_LOST)
 *     a stream breaks off                   fake_data(call, "half"), then fake_fail
 *     the answer takes its time             fake_answer_later(call, ms, 200, body)
 *
 * An impossible call (an answer without a request, a handle that is gone) ends the
 * program.
 */
#ifndef TESTS_LIB_FAKE_HTTP_H
#define TESTS_LIB_FAKE_HTTP_H

#include "lib/sim_loop.h"
#include "net/http.h"

enum { FAKE_CALLS = 512 };

struct http_call {
	char *method, *path, *body; /* body: "" when there is none */
	char *token;                /* X-SLURM-USER-TOKEN; NULL: none */
	int64_t sent_ms, timeout_ms, idle_timeout_ms;
	size_t max_answer_bytes;
	bool has_body, open, cancelled;
	/* The client's end of it */
	bool (*on_data)(void *ctx, const char *bytes, size_t n);
	bool (*on_body)(void *ctx, const char *bytes, size_t n);
	void (*drop)(void *ctx);
	http_done *done;
	void *ctx;
	bool in_data;
	/* The answer, when it is on its way */
	struct fake_http *from;
	struct timer *later;
	int later_status;
	char *later_body;
};

struct fake_http {
	struct http http; /* first; hand out &h->http */
	struct sim_loop *loop;
	bool shared;  /* by several clients: http_free leaves open what others have sent */
	bool forgets; /* what has ended makes room for the next request */
	bool freed;   /* by its client */
	bool bearer;  /* one was set */
	int n;        /* sent so far */
	struct http_call calls[FAKE_CALLS]; /* in the order in which they were sent */
};

void fake_http_init(struct fake_http *h, struct sim_loop *loop);
void fake_http_clear(struct fake_http *h); /* forgets every request */

/* ---- which request ---- */

struct http_call *fake_last(struct fake_http *h); /* sent last; NULL: none */
/* The oldest open one that has this in its "METHOD path"; NULL: none */
struct http_call *fake_open(struct fake_http *h, const char *part);
int fake_count(struct fake_http *h, const char *part); /* of those that are open */

/* ---- how it ends ---- */

void fake_answer(struct http_call *c, int status, const char *body);
/* With Retry-After */
void fake_answer_after(struct http_call *c, int status, const char *body, int64_t retry_after_ms);
/* With a Warning of the API server */
void fake_answer_warning(struct http_call *c, int status, const char *body, const char *warning);
/* Answers after ms, unless the test or the client ends the call before */
void fake_answer_later(struct http_call *c, int64_t ms, int status, const char *body);
void fake_fail(struct http_call *c, enum err_kind kind);
void fake_end(struct http_call *c, struct err e, const struct http_answer *a);

/* A piece of a stream, as net/http.h says it: its reader may end it; true: it goes on */
bool fake_data(struct http_call *c, const char *bytes);
bool fake_data_bytes(struct http_call *c, const char *bytes, size_t n);

/*
 * A script: every open request is answered by the first row that has a part of its
 * "METHOD path"; one that no row has stays open, and so does one whose row has no status.
 */
struct fake_row {
	const char *asked; /* "" for any */
	int status;
	const char *body;
};
void fake_answer_all(struct fake_http *h, const struct fake_row *rows, size_t n);

#endif
