/* SPDX-License-Identifier: Apache-2.0 */
/* A server whose handler does what the path of the request says, and its clients. */
#ifndef TESTS_LIB_EXCHANGE_WORLD_H
#define TESTS_LIB_EXCHANGE_WORLD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "lib/raw_client.h"

#include "base/own.h"
#include "net/server.h"

enum { BODY_BYTES = 1000, HELD = 8 };

struct world {
	struct loop *loop;
	struct http_server *server;
	struct exchange *held[HELD]; /* waiting for a later answer, or streams */
	int n_held, handled, gone, arrived;
	bool free_in_gone;
	struct raw client;
};

static inline void went(void *ctx)
{
	struct world *w = ctx;
	w->gone++;
	if (w->free_in_gone)
		http_server_free(TAKE(w->server));
}

static inline void echo(struct exchange *x)
{
	struct str body = { 0 };
	const char *query = exchange_query(x, "a"), *header = exchange_header(x, "x-test");
	size_t n;
	const char *sent = exchange_body(x, &n);
	assert_int_equal(sent[n], 0);
	str_addf(&body, "%s %s a=%s x-test=%s body=%s.", exchange_method(x), exchange_path(x),
		query ? query : "(none)", header ? header : "(none)", sent);
	exchange_reply(x, 200, "text/plain", &body);
}

static inline void handle(void *ctx, struct exchange *x)
{
	struct world *w = ctx;
	const char *path = exchange_path(x);
	w->handled++;
	if (str_eq(path, "/later") || str_eq(path, "/stream")) {
		w->held[w->n_held++ % HELD] = x;
		if (str_eq(path, "/later"))
			exchange_later(x, went, w);
		else
			exchange_stream(x, 200, "text/plain", went, w);
	} else if (str_eq(path, "/pieces")) {
		exchange_stream(x, 202, "text/plain", went, w);
		assert_true(exchange_write(x, "all ", 4) && exchange_write(x, "at once", 7));
		exchange_end(x);
	} else if (str_eq(path, "/free")) {
		http_server_free(TAKE(w->server));
	} else if (!str_eq(path, "/none")) {
		echo(x);
	}
}

static inline void given_options(struct world *w, struct http_server_config c)
{
	http_server_free(TAKE(w->server));
	c.address = "127.0.0.1:0";
	c.max_body_bytes = BODY_BYTES;
	c.handler = handle;
	c.ctx = w;
	assert_false(failed(http_server_new(w->loop, &c, &w->server)));
}

static inline int given_a_server(void **state)
{
	struct world *w = own_alloc(sizeof(*w));
	w->loop = loop_uv_new();
	w->client.fd = -1;
	given_options(w, (struct http_server_config){ 0 });
	*state = w;
	return 0;
}

static inline int free_world(void **state)
{
	struct world *w = *state;
	raw_close(&w->client);
	http_server_free(w->server);
	loop_uv_free(w->loop);
	free(w);
	return 0;
}

static inline struct raw connected(struct world *w)
{
	return raw_connect(w->loop, http_server_port(w->server));
}

static inline void send_text(struct world *w, const char *text)
{
	raw_close(&w->client);
	w->client = connected(w);
	raw_send(&w->client, text);
}

static inline void asks(struct world *w, const char *text, const char *answer)
{
	send_text(w, text);
	raw_wait(&w->client, answer);
}

static inline void until_held(struct world *w, int n)
{
	while (w->n_held < n)
		raw_turn(w->loop);
}

static inline void until_gone(struct world *w, int n)
{
	while (w->gone < n)
		raw_turn(w->loop);
}

static inline void reply(struct exchange *x, const char *text)
{
	struct str body = { 0 };
	str_add(&body, text);
	exchange_reply(x, 200, "text/plain", &body);
}

#define GET(path) "GET " path " HTTP/1.1\r\nHost: x\r\n\r\n"

#define EXCHANGE_TEST(name) cmocka_unit_test_setup_teardown(name, given_a_server, free_world)

#endif
