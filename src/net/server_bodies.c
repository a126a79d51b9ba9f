/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory limit for the bodies of all requests. At the limit, the worst incomplete
 * body is dropped, which may be the body that grows. Thus a client with many bodies does
 * not block other clients, and large bodies do not block small ones.
 */
#include "net/server_parts.h"

#include <utlist.h>

/*
 * The time after which a body is slow. A client that sends without pauses needs a small
 * part of it.
 */
static int64_t patience_ms(const struct http_server *s) { return s->request_ms / 5; }

/* Criteria for the body to drop, the most important first. */
enum { SLOW, NOT_SMALL, OF_ITS_CLIENT, BYTES, AGE, GROUNDS };

static void weigh(const struct exchange *x, int64_t grounds[static GROUNDS])
{
	const struct http_server *s = x->server;
	int64_t age = loop_now_ms(s->loop) - x->since_ms;
	grounds[SLOW] = age > patience_ms(s);
	grounds[NOT_SMALL] = x->counted > s->small_body_bytes;
	grounds[OF_ITS_CLIENT] = (int64_t)client_of(x->mhd)->bodies_bytes;
	grounds[BYTES] = (int64_t)x->counted;
	grounds[AGE] = age;
}

static bool is_worse(const struct exchange *x, const struct exchange *than)
{
	int64_t of_x[GROUNDS], of_other[GROUNDS];
	weigh(x, of_x);
	weigh(than, of_other);
	for (size_t i = 0; i < GROUNDS; i++)
		if (of_x[i] != of_other[i])
			return of_x[i] > of_other[i];
	return false;
}

/*
 * Returns the worst incomplete body. There is always one, because asking is incomplete.
 */
static struct exchange *worst_of(const struct http_server *s, struct exchange *asking)
{
	struct exchange *x, *worst = asking;
	DL_FOREACH(s->exchanges, x)
	if (x->counted && !x->whole && is_worse(x, worst))
		worst = x;
	return worst;
}

static void count(struct exchange *x, size_t n)
{
	x->counted += n;
	x->server->bodies_bytes += n;
	client_of(x->mhd)->bodies_bytes += n;
}

void body_release(struct exchange *x)
{
	client_of(x->mhd)->bodies_bytes -= x->counted;
	x->server->bodies_bytes -= x->counted;
	x->counted = 0;
	str_free(&x->body);
}

static void make_room_for(struct exchange *x)
{
	const struct http_server *s = x->server;
	while (s->max_bodies_bytes && s->bodies_bytes > s->max_bodies_bytes && !x->too_many) {
		struct exchange *worst = worst_of(s, x);
		worst->too_many = true;
		body_release(worst);
	}
}

void body_take(struct exchange *x, const char *bytes, size_t n)
{
	if (x->too_large || x->too_many)
		return;
	if (n > x->server->max_body_bytes - x->body.len) {
		x->too_large = true;
		body_release(x);
		return;
	}
	count(x, n);
	make_room_for(x);
	if (!x->too_many)
		str_add_bytes(&x->body, bytes, n);
}

const char *exchange_body(const struct exchange *x, size_t *bytes)
{
	*bytes = x->body.len;
	return str_text(&x->body);
}

void exchange_drop_body(struct exchange *x) { body_release(x); }
