/* SPDX-License-Identifier: Apache-2.0 */
/* Servers by their address, and the way of a request. */
#include "sim/sim_exchange.h"

#include <stdio.h>
#include <stdlib.h>
#include <utlist.h>

#include "base/own.h"

enum { WAY_MS = 50 };

struct http_server {
	struct http_server *prev, *next;
	char *address;
	http_handler *handler;
	void *ctx;
	struct exchange *exchanges; /* that have arrived */
};

struct exchange {
	struct exchange *prev, *next;
	struct loop *loop;
	int64_t way_ms;
	char *address, *method, *path, *key, *body;
	struct http_server *server; /* NULL: it has not arrived, or is answered */
	struct timer *timer;
	void (*there)(void *ctx);
	void (*gone)(void *ctx);
	void *ctx;
	int status;
	char *answer;
	sim_answered *done;
	void *done_ctx;
};

static struct http_server *servers;

static void exchange_free(struct exchange *x)
{
	timer_stop(x->loop, x->timer);
	if (x->server)
		DL_DELETE(x->server->exchanges, x);
	free(x->address);
	free(x->method);
	free(x->path);
	free(x->key);
	free(x->body);
	free(x->answer);
	free(x);
}

static void tell(void *exchange)
{
	struct exchange *x = exchange;
	x->timer = NULL;
	x->done(x->done_ctx, x->status, x->answer ? x->answer : "");
	exchange_free(x);
}

static void tell_later(struct exchange *x)
{
	timer_stop(x->loop, x->timer);
	if (x->server)
		DL_DELETE(x->server->exchanges, x);
	x->server = NULL;
	x->timer = timer_start(x->loop, x->way_ms, tell, x);
}

static void body_comes(void *exchange)
{
	struct exchange *x = exchange;
	x->timer = NULL;
	TAKE(x->there)(x->ctx);
}

static void arrive(void *exchange)
{
	struct exchange *x = exchange;
	struct http_server *s;
	x->timer = NULL;
	DL_FOREACH(servers, s)
	if (str_eq(s->address, x->address))
		break;
	if (!s) {
		tell_later(x);
		return;
	}
	x->server = s;
	DL_APPEND(s->exchanges, x);
	s->handler(s->ctx, x);
	if (x->there)
		x->timer = timer_start(x->loop, x->way_ms, body_comes, x);
}

struct exchange *sim_exchange_send(struct loop *l, struct sim_rand *r,
	const struct sim_rest_request *q, sim_answered *done, void *ctx)
{
	struct exchange *x = own_alloc(sizeof(*x));
	*x = (struct exchange){
		.loop = l,
		.way_ms = sim_rand_range(r, 1, WAY_MS),
		.address = own_strdup(q->address),
		.method = own_strdup(q->method),
		.path = own_strdup(q->path),
		.key = own_strdup(q->key),
		.body = own_strdup(q->body),
		.done = done,
		.done_ctx = ctx,
	};
	x->timer = timer_start(l, x->way_ms, arrive, x);
	return x;
}

void sim_exchange_leave(struct exchange *x)
{
	if (x->server && x->gone)
		x->gone(x->ctx);
	exchange_free(x);
}

/* ---- the server ---- */

struct err http_server_new(struct loop *uv_loop, const struct http_server_config *config,
	struct http_server **out)
{
	struct http_server *s = own_alloc(sizeof(*s));
	(void)uv_loop;
	*s = (struct http_server){ .address = own_strdup(config->address),
		.handler = config->handler,
		.ctx = config->ctx };
	DL_APPEND(servers, s);
	*out = s;
	return OK;
}

void http_server_free(struct http_server *s)
{
	struct exchange *x, *next;
	if (!s)
		return;
	DL_FOREACH_SAFE(s->exchanges, x, next)
	{
		if (x->gone)
			x->gone(x->ctx);
		tell_later(x);
	}
	DL_DELETE(servers, s);
	free(s->address);
	free(s);
}

void http_server_finish(struct http_server *s) { (void)s; }
size_t http_server_connections(const struct http_server *s) { return (void)s, 0; }
size_t http_server_exchanges(const struct http_server *s) { return (void)s, 0; }

/* ---- an exchange, as the interface sees it ---- */

const char *exchange_method(const struct exchange *x) { return x->method; }
const char *exchange_path(const struct exchange *x) { return x->path; }

const char *exchange_query(const struct exchange *x, const char *name)
{
	return (void)x, (void)name, NULL;
}

const char *exchange_header(const struct exchange *x, const char *name)
{
	return str_eq(name, "Idempotency-Key") ? x->key : NULL;
}

struct exchange_peer exchange_peer(const struct exchange *x)
{
	return (struct exchange_peer){ 1, 1000, 1000, loop_now_ms(x->loop) };
}

const char *exchange_body(const struct exchange *x, size_t *bytes)
{
	*bytes = strlen(x->body);
	return x->body;
}

void exchange_drop_body(struct exchange *x) { free(TAKE(x->body)); }

void exchange_add_header(struct exchange *x, const char *name, const char *value)
{
	(void)x, (void)name, (void)value;
}

void exchange_later(struct exchange *x, void (*gone)(void *ctx), void *ctx)
{
	x->gone = gone;
	x->ctx = ctx;
}

void exchange_take_body(struct exchange *x, void (*there)(void *ctx)) { x->there = there; }

void exchange_reply(struct exchange *x, int status, const char *type, struct str *body)
{
	(void)type;
	x->status = status;
	x->answer = str_take(body);
	x->there = NULL;
	tell_later(x);
}

/* Nothing is streamed here. */
void exchange_stream(struct exchange *x, int status, const char *type, void (*gone)(void *ctx),
	void *ctx)
{
	(void)x, (void)status, (void)type, (void)gone, (void)ctx;
	abort();
}
bool exchange_write(struct exchange *x, const void *bytes, size_t n)
{
	(void)x, (void)bytes, (void)n;
	abort();
}
void exchange_on_drained(struct exchange *x, void (*drained)(void *ctx))
{
	(void)x, (void)drained;
	abort();
}
void exchange_end(struct exchange *x) { (void)x, abort(); }
void exchange_break(struct exchange *x) { (void)x, abort(); }
