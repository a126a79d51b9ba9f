/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a server with requests that wait, and clients that would hold it up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <time.h>

#include "lib/exchange_world.h"

/* ---- the end of the server ---- */

static void a_server_may_be_freed_while_requests_wait(void **state)
{
	struct world *w = *state;
	struct raw more[4];
	send_text(w, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 500\r\n\r\nhalf");
	for (int i = 0; i < 4; i++) {
		more[i] = connected(w);
		raw_send(&more[i], i % 2 ? GET("/later") : GET("/stream"));
	}
	until_held(w, 4);
	http_server_free(TAKE(w->server));
	assert_int_equal(w->gone, 4);
	for (int i = 0; i < 4; i++) {
		raw_wait_end(&more[i]);
		raw_close(&more[i]);
	}
	raw_wait_end(&w->client);
}

static void a_handler_may_free_its_server(void **state)
{
	struct world *w = *state;
	send_text(w, GET("/later"));
	until_held(w, 1);
	struct raw other = connected(w);
	raw_send(&other, GET("/free"));
	raw_wait_end(&other);
	raw_wait_end(&w->client);
	assert_null(w->server);
	assert_int_equal(w->gone, 1);
	raw_close(&other);
}

static void who_hears_of_a_client_may_free_the_server(void **state)
{
	struct world *w = *state;
	w->free_in_gone = true;
	send_text(w, GET("/later"));
	until_held(w, 1);
	struct raw other = connected(w);
	raw_send(&other, GET("/stream"));
	until_held(w, 2);
	raw_close(&w->client);
	until_gone(w, 2);
	assert_null(w->server);
	raw_wait_end(&other);
	raw_close(&other);
	given_options(w, (struct http_server_config){ 0 });
	send_text(w, "HEAD /stream HTTP/1.1\r\nHost: x\r\n\r\n"); /* amid its turn */
	until_gone(w, 3);
	assert_null(w->server);
	raw_wait_end(&w->client);
}

static void a_hundred_servers_leave_no_descriptor(void **state)
{
	struct world *w = *state;
	int before = 0;
	for (int i = 0; i < 100; i++) {
		given_options(w, (struct http_server_config){ 0 });
		asks(w, GET("/x"), "GET /x");
		send_text(w, GET("/later"));
		until_held(w, i + 1);
		http_server_free(TAKE(w->server));
		raw_close(&w->client);
		raw_turn(w->loop);
		int next = dup(0); /* the lowest that is free */
		close(next);
		if (i == 0)
			before = next;
		assert_int_equal(next, before);
	}
}

/* ---- limits ---- */

static void a_slow_client_is_left(void **state)
{
	struct world *w = *state;
	given_options(w, (struct http_server_config){ .request_ms = 60 });
	send_text(w, "GET / HTTP/1.1\r\n");
	while (!w->client.ended) { /* a byte now and then, for ever */
		send(w->client.fd, "X", 1, MSG_NOSIGNAL);
		raw_turn(w->loop);
		raw_read(&w->client);
	}
	assert_int_equal(w->handled, 0);
	send_text(w, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 900\r\n\r\n");
	raw_wait_end(&w->client);
	send_text(w, ""); /* says nothing at all */
	raw_wait_end(&w->client);
	assert_int_equal(w->handled, 0);
}

static void waiting_for_the_handler_has_no_limit(void **state)
{
	struct world *w = *state;
	given_options(w, (struct http_server_config){ .request_ms = 100 });
	struct raw stream = connected(w);
	raw_send(&stream, GET("/stream"));
	send_text(w, GET("/later"));
	until_held(w, 2);
	for (int i = 0; i < 300; i++)
		raw_turn(w->loop);
	assert_int_equal(w->gone, 0);
	reply(w->held[1], "patience");
	raw_wait(&w->client, "patience");
	exchange_write(w->held[0], "piece", 5);
	raw_wait(&stream, "piece");
	raw_close(&stream);
	until_gone(w, 1);
}

/* A waiting client costs nothing. */
static void at_rest_nothing_turns(void **state)
{
	struct world *w = *state;
	struct raw stream = connected(w), silent = connected(w);
	raw_send(&stream, GET("/stream"));
	raw_send(&silent, "GET / HT");
	send_text(w, GET("/later"));
	until_held(w, 2);
	exchange_write(w->held[0], "piece", 5);
	raw_wait(&stream, "piece");
	clock_t before = clock();
	timer_start(w->loop, 300, raw_stop, w->loop);
	loop_uv_run(w->loop);
	assert_true(clock() - before < CLOCKS_PER_SEC / 10);
	raw_close(&stream);
	raw_close(&silent);
}

/* All connections are taken by clients that send nothing: a new one is served. */
/* Acceptance: gate-3 */
static void silent_clients_make_room(void **state)
{
	struct world *w = *state;
	struct raw silent[40];
	given_options(w,
		(struct http_server_config){ .max_connections = 4, .request_ms = 3600000 });
	struct raw waits = connected(w);
	raw_send(&waits, GET("/later"));
	until_held(w, 1);
	for (size_t i = 0; i < LENGTH(silent); i++) {
		silent[i] = connected(w);
		raw_send(&silent[i], "GET / HT");
	}
	int64_t before = loop_now_ms(w->loop);
	asks(w, GET("/new"), "GET /new");
	raw_wait_end(&silent[0]);
	assert_true(loop_now_ms(w->loop) - before < 10000); /* not because they were idle */
	reply(w->held[0], "not ended"); /* a client that waits for us is not sent away */
	raw_wait(&waits, "not ended");
	for (size_t i = 0; i < LENGTH(silent); i++)
		raw_close(&silent[i]);
	raw_close(&waits);
}

/* A byte of a header that never ends, on each; one that was closed comes again. */
static void send_slowly(struct world *w, struct raw *slow, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		raw_read(&slow[i]);
		if (slow[i].ended) {
			raw_close(&slow[i]);
			slow[i] = raw_connect_as_other(w->loop, http_server_port(w->server));
		}
		send(slow[i].fd, "X", 1, MSG_NOSIGNAL);
	}
	raw_turn(w->loop);
}

/* A client that was there first, and needs a while itself, is not sent away for them. */
/* Acceptance: gate-3 */
static void slow_clients_of_one_address_keep_no_other_out(void **state)
{
	enum { ALL = 64, ROUNDS = 50 };
	struct world *w = *state;
	struct raw slow[ALL + 20], first = connected(w);
	raw_send(&first, "GET /fir");
	for (size_t i = 0; i < LENGTH(slow); i++)
		slow[i] = raw_connect_as_other(w->loop, http_server_port(w->server));
	for (int round = 0; round < ROUNDS; round++) {
		send_slowly(w, slow, LENGTH(slow));
		asks(w, GET("/healthz"), "GET /healthz");
	}
	raw_send(&first, "st HTTP/1.1\r\nHost: x\r\n\r\n");
	raw_wait(&first, "GET /first");
	for (size_t i = 0; i < LENGTH(slow); i++)
		raw_close(&slow[i]);
	raw_close(&first);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		EXCHANGE_TEST(a_server_may_be_freed_while_requests_wait),
		EXCHANGE_TEST(a_handler_may_free_its_server),
		EXCHANGE_TEST(who_hears_of_a_client_may_free_the_server),
		EXCHANGE_TEST(a_hundred_servers_leave_no_descriptor),
		EXCHANGE_TEST(a_slow_client_is_left),
		EXCHANGE_TEST(waiting_for_the_handler_has_no_limit),
		EXCHANGE_TEST(at_rest_nothing_turns),
		EXCHANGE_TEST(silent_clients_make_room),
		EXCHANGE_TEST(slow_clients_of_one_address_keep_no_other_out),
	};
	return cmocka_run_group_tests_name("net_limits", tests, NULL, NULL);
}
