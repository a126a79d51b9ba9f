/* SPDX-License-Identifier: Apache-2.0 */
/* Requests with bodies, answers that come later or in pieces, and clients that leave. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "lib/exchange_world.h"

/* ---- the request ---- */

static void the_handler_gets_the_whole_request(void **state)
{
	struct world *w = *state;
	asks(w,
		"POST /p%2Fq?a=b%20c+d&z HTTP/1.1\r\nHost: x\r\nX-TEST: yes\r\nContent-Length: "
		"5\r\n\r\nhello",
		"POST /p/q a=b c d x-test=yes body=hello.");
	asks(w, GET("/?a"), "GET / a= x-test=(none) body=.");
	asks(w, GET("/?a="), "GET / a= x-test=(none) body=.");
	asks(w, GET("/?b=a"), "a=(none)");
	asks(w, GET("/a%00b?a=%00%zz%4"), "GET /a%00b a=%00%zz%4 ");
	asks(w,
		"PUT / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n4\r\n"
		"defg\r\n0\r\n\r\n",
		"PUT / a=(none) x-test=(none) body=abcdefg.");
	asks(w, "DELETE /x HTTP/1.1\r\nHost: x\r\n\r\n", "DELETE /x ");
}

static void one_connection_has_many_exchanges(void **state)
{
	struct world *w = *state;
	asks(w, GET("/1") GET("/2") "POST /3 HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nb",
		"POST /3 a=(none) x-test=(none) body=b.");
	assert_int_equal(w->handled, 3);
}

static void a_longer_body_than_wanted_is_413(void **state)
{
	struct world *w = *state;
	AUTO(str_free) struct str text = { 0 };
	str_addf(&text, "POST /whole HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%0*d",
		BODY_BYTES, BODY_BYTES, 7);
	asks(w, str_text(&text), "0007.");
	str_clear(&text);
	str_addf(&text, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%0*d",
		BODY_BYTES + 1, BODY_BYTES + 1, 7);
	asks(w, str_text(&text), "413 Content Too Large");
	raw_wait(&w->client, "the body is longer than 1000 bytes\n");
	str_clear(&text);
	str_addf(&text,
		"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: "
		"chunked\r\n\r\n%x\r\n%0*d\r\n0\r\n"
		"\r\n",
		100000, 100000, 7);
	asks(w, str_text(&text), "413 Content Too Large");
	asks(w,
		"POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: "
		"99999\r\n\r\n",
		"413 Content Too Large"); /* before it is sent */
	assert_null(strstr(str_text(&w->client.got), "100 Continue"));
	assert_int_equal(w->handled, 1);
}

static void a_longer_head_than_wanted_is_refused(void **state)
{
	struct world *w = *state;
	AUTO(str_free) struct str text = { 0 };
	str_addf(&text, "GET / HTTP/1.1\r\nHost: x\r\nX-Long: %0*d\r\n\r\n", 100000, 7);
	send_text(w, str_text(&text));
	raw_wait_end(&w->client);
	assert_non_null(strstr(str_text(&w->client.got), "HTTP/1.1 431"));
	assert_int_equal(w->handled, 0);
}

static void a_handler_that_does_nothing_is_told_of(void **state)
{
	struct world *w = *state;
	asks(w, GET("/none"), "HTTP/1.1 500");
}

/* ---- later ---- */

static void an_answer_may_come_later(void **state)
{
	struct world *w = *state;
	send_text(w, GET("/later"));
	until_held(w, 1);
	raw_turn(w->loop);
	raw_read(&w->client);
	assert_int_equal(w->client.got.len, 0);
	reply(w->held[0], "at last");
	raw_wait(&w->client, "at last");
	raw_send(&w->client, GET("/next")); /* on the same connection */
	raw_wait(&w->client, "GET /next");
	raw_close(&w->client);
	for (int i = 0; i < 20; i++)
		raw_turn(w->loop);
	assert_int_equal(w->gone, 0);
}

static void a_client_that_does_not_wait_is_told_of(void **state)
{
	struct world *w = *state;
	send_text(w, GET("/later"));
	until_held(w, 1);
	raw_close(&w->client);
	until_gone(w, 1);
	send_text(w, GET("/later"));
	until_held(w, 2);
	raw_reset(&w->client);
	until_gone(w, 2);
	asks(w, GET("/later") GET("/2"), "");
	until_held(w, 3);
	raw_reset(&w->client); /* with an unread request */
	until_gone(w, 3);
	asks(w, GET("/still"), "GET /still");
}

static void a_client_that_leaves_amid_its_request_is_nothing(void **state)
{
	struct world *w = *state;
	send_text(w, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 500\r\n\r\nhalf");
	raw_turn(w->loop);
	raw_close(&w->client);
	send_text(w, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 500\r\n\r\nhalf");
	raw_turn(w->loop);
	raw_reset(&w->client);
	asks(w, GET("/still"), "GET /still");
	assert_int_equal(w->handled, 1);
	assert_int_equal(w->gone, 0);
}

/* ---- streams ---- */

static void a_stream_comes_in_pieces_until_it_ends(void **state)
{
	struct world *w = *state;
	send_text(w, GET("/stream"));
	until_held(w, 1);
	raw_wait(&w->client, "Transfer-Encoding: chunked\r\n");
	assert_true(exchange_write(w->held[0], "one", 3));
	raw_wait(&w->client, "3\r\none\r\n");
	assert_true(exchange_write(w->held[0], "", 0)); /* no piece: it would end the stream */
	assert_true(exchange_write(w->held[0], "two", 3));
	assert_true(exchange_write(w->held[0], "three", 5));
	raw_wait(&w->client, "twothree\r\n");
	exchange_end(w->held[0]);
	raw_wait(&w->client, "\r\n0\r\n\r\n");
	raw_send(&w->client, GET("/pieces"));
	raw_wait(&w->client, "all at once\r\n0\r\n\r\n");
	assert_int_equal(w->gone, 0);
}

static void a_client_that_leaves_its_stream_is_told_of(void **state)
{
	struct world *w = *state;
	send_text(w, GET("/stream"));
	until_held(w, 1);
	raw_wait(&w->client, "chunked");
	raw_close(&w->client);
	until_gone(w, 1);
	send_text(w, GET("/stream"));
	until_held(w, 2);
	raw_reset(&w->client);
	until_gone(w, 2);
	send_text(w, "HEAD /stream HTTP/1.1\r\nHost: x\r\n\r\n"); /* is whole with its head */
	until_gone(w, 3);
	raw_wait(&w->client, "200 OK");
}

/* A client that reads nothing holds a MiB, and what its socket holds. */
static void a_stream_to_a_slow_client_is_held_back(void **state)
{
	struct world *w = *state;
	static char piece[100000];
	size_t sent = 0;
	int tries = 0;
	memset(piece, 'p', sizeof(piece));
	send_text(w, GET("/stream"));
	until_held(w, 1);
	while (tries < 3) {
		bool taken = exchange_write(w->held[0], piece, sizeof(piece));
		sent += taken ? sizeof(piece) : 0;
		tries = taken ? 0 : tries + 1;
		raw_turn(w->loop);
	}
	assert_true(sent > 1000000 && sent < 30000000);
	exchange_end(w->held[0]);
	raw_wait(&w->client, "\r\n0\r\n\r\n");
	size_t got = 0;
	for (const char *p = strstr(str_text(&w->client.got), "\r\n\r\n"); *p; p++)
		got += *p == 'p';
	assert_int_equal(got, sent);
}

/* ---- asked before the body comes ---- */

static void arrived(void *ctx)
{
	struct world *w = ctx;
	w->arrived++;
	echo(w->held[0]);
}

#define HEAD(length, more) \
	"PUT /later HTTP/1.1\r\nHost: x\r\nContent-Length: " length "\r\n" more "\r\n"

static void given_one_that_asks_first(struct world *w)
{
	given_options(w, (struct http_server_config){ .asks_first = true });
}

static void a_body_waits_until_it_is_wanted(void **state)
{
	struct world *w = *state;
	given_one_that_asks_first(w);
	send_text(w, HEAD("5", "Expect: 100-continue\r\n"));
	until_held(w, 1); /* nothing of the body was sent */
	size_t n;
	exchange_body(w->held[0], &n);
	assert_int_equal(n, 0);
	assert_null(strstr(str_text(&w->client.got), "100 Continue"));
	exchange_take_body(w->held[0], arrived);
	raw_wait(&w->client, "100 Continue");
	assert_int_equal(w->arrived, 0);
	raw_send(&w->client, "hel");
	raw_turn(w->loop);
	raw_send(&w->client, "lo");
	raw_wait(&w->client, "PUT /later a=(none) x-test=(none) body=hello.");
	assert_int_equal(w->arrived, 1);
	assert_int_equal(w->gone, 0);
}

/* With or without a length; and the next request of the connection is heard. */
static void a_body_that_is_there_is_taken_when_it_is_wanted(void **state)
{
	static const char *const requests[] = { HEAD("5", "") "hello",
		"PUT /later HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"
		"0\r\n\r\n" };
	struct world *w = *state;
	given_one_that_asks_first(w);
	for (size_t i = 0; i < LENGTH(requests); i++) {
		w->n_held = 0;
		send_text(w, requests[i]);
		raw_send(&w->client, GET("/next"));
		until_held(w, 1);
		exchange_take_body(w->held[0], arrived);
		raw_wait(&w->client, "body=hello.");
		raw_wait(&w->client, "GET /next ");
	}
	/* and one that is empty is there at once */
	w->n_held = 0;
	send_text(w, HEAD("0", ""));
	until_held(w, 1);
	exchange_take_body(w->held[0], arrived);
	raw_wait(&w->client, "body=.");
	assert_int_equal(w->arrived, 3);
}

static void a_body_that_nobody_wants_is_not_kept(void **state)
{
	struct world *w = *state;
	AUTO(str_free) struct str text = { 0 };
	given_one_that_asks_first(w);
	/* who waits with it hears so before */
	send_text(w, HEAD("5", "Expect: 100-continue\r\n"));
	until_held(w, 1);
	reply(w->held[0], "no");
	raw_wait(&w->client, "\r\n\r\nno");
	assert_null(strstr(str_text(&w->client.got), "100 Continue"));
	/* who sends it hears so, too, however long it is */
	str_addf(&text, "PUT /now HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%0*d",
		10 * BODY_BYTES, 10 * BODY_BYTES, 7);
	str_add(&text, GET("/next"));
	asks(w, str_text(&text), "PUT /now a=(none) x-test=(none) body=.");
	raw_wait(&w->client, "GET /next ");
}

static void a_body_that_does_not_come_is_told_of(void **state)
{
	struct world *w = *state;
	AUTO(str_free) struct str text = { 0 };
	given_one_that_asks_first(w);
	/* it is longer than wanted */
	str_addf(&text, "PUT /later HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%0*d",
		BODY_BYTES + 1, BODY_BYTES + 1, 7);
	send_text(w, str_text(&text));
	until_held(w, 1);
	exchange_take_body(w->held[0], arrived);
	raw_wait(&w->client, "413 Content Too Large");
	assert_int_equal(w->gone, 1);
	/* its client leaves before it was wanted, or amid it */
	send_text(w, HEAD("5", ""));
	until_held(w, 2);
	raw_close(&w->client);
	until_gone(w, 2);
	send_text(w, HEAD("5", "") "he");
	until_held(w, 3);
	exchange_take_body(w->held[2], arrived);
	raw_turn(w->loop);
	raw_close(&w->client);
	until_gone(w, 3);
	/* or the server ends */
	send_text(w, HEAD("5", ""));
	until_held(w, 4);
	http_server_free(TAKE(w->server));
	until_gone(w, 4);
	assert_int_equal(w->arrived, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		EXCHANGE_TEST(the_handler_gets_the_whole_request),
		EXCHANGE_TEST(one_connection_has_many_exchanges),
		EXCHANGE_TEST(a_longer_body_than_wanted_is_413),
		EXCHANGE_TEST(a_longer_head_than_wanted_is_refused),
		EXCHANGE_TEST(a_handler_that_does_nothing_is_told_of),
		EXCHANGE_TEST(an_answer_may_come_later),
		EXCHANGE_TEST(a_client_that_does_not_wait_is_told_of),
		EXCHANGE_TEST(a_client_that_leaves_amid_its_request_is_nothing),
		EXCHANGE_TEST(a_stream_comes_in_pieces_until_it_ends),
		EXCHANGE_TEST(a_client_that_leaves_its_stream_is_told_of),
		EXCHANGE_TEST(a_stream_to_a_slow_client_is_held_back),
		EXCHANGE_TEST(a_body_waits_until_it_is_wanted),
		EXCHANGE_TEST(a_body_that_is_there_is_taken_when_it_is_wanted),
		EXCHANGE_TEST(a_body_that_nobody_wants_is_not_kept),
		EXCHANGE_TEST(a_body_that_does_not_come_is_told_of),
	};
	return cmocka_run_group_tests_name("net_exchange", tests, NULL, NULL);
}
