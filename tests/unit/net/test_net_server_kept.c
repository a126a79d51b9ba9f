/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Connections that a server keeps for the next request, the last answers of one that is
 * ending, and what all requests together may hold.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "lib/exchange_world.h"

static void pass(struct world *w, int64_t ms)
{
	int64_t until = loop_now_ms(w->loop) + ms;
	while (loop_now_ms(w->loop) < until)
		raw_turn(w->loop);
}

static void ask_again(struct world *w)
{
	str_clear(&w->client.got);
	raw_send(&w->client, GET("/again"));
	raw_wait(&w->client, "GET /again");
}

/* Acceptance: webhook-17 */
static void a_kept_connection_may_wait_longer_than_a_request(void **state)
{
	struct world *w = *state;
	given_options(w, (struct http_server_config){ .request_ms = 60, .keep_ms = 3600000 });
	asks(w, GET("/first"), "GET /first");
	pass(w, 200);
	ask_again(w);
	/* but a request that begins there has to be there in time as anywhere */
	raw_send(&w->client, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf");
	raw_wait_end(&w->client);
}

/* Acceptance: webhook-14 */
static void a_connection_may_be_opened_long_before_its_first_request(void **state)
{
	struct world *w = *state;
	given_options(w, (struct http_server_config){ .request_ms = 60, .keep_ms = 3600000 });
	struct raw early = connected(w);
	pass(w, 200);
	raw_send(&early, GET("/first"));
	raw_wait(&early, "GET /first");
	raw_close(&early);
}

static void a_kept_connection_does_not_wait_for_ever(void **state)
{
	struct world *w = *state;
	given_options(w, (struct http_server_config){ .request_ms = 40, .keep_ms = 120 });
	asks(w, GET("/first"), "GET /first");
	int64_t began = loop_now_ms(w->loop);
	raw_wait_end(&w->client);
	assert_true(loop_now_ms(w->loop) - began >= 100);
}

/* Acceptance: webhook-17 */
static void who_is_ending_answers_and_says_that_it_is_the_last_time(void **state)
{
	struct world *w = *state;
	asks(w, GET("/first"), "GET /first");
	assert_null(strstr(str_text(&w->client.got), "Connection: close"));
	assert_int_equal(http_server_connections(w->server), 1); /* idle */
	raw_send(&w->client, GET("/later"));
	until_held(w, 1);
	http_server_finish(w->server);
	reply(w->held[0], "still answered");
	raw_wait(&w->client, "still answered");
	assert_non_null(strcasestr(str_text(&w->client.got), "Connection: close"));
	raw_wait_end(&w->client);
	assert_int_equal(http_server_connections(w->server), 0);
	asks(w, GET("/new"), "GET /new"); /* until it is freed, others are answered, too */
}

#define POST "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 600\r\n\r\n"

static void send_body(struct raw *r, size_t n)
{
	char body[601] = "";
	memset(body, 'a', n);
	raw_send_bytes(r, body, n);
}

static void all_bodies_together_have_a_bound(void **state)
{
	struct world *w = *state;
	given_options(w, (struct http_server_config){ .max_bodies_bytes = 1000 });
	/* given one that has sent most of its body */
	send_text(w, POST);
	send_body(&w->client, 500);
	/* when another one sends more than there is room for */
	struct raw other = connected(w);
	raw_send(&other, POST);
	send_body(&other, 600);
	raw_wait(&other, "503");
	/* then the first is answered all the same, and makes room */
	send_body(&w->client, 100);
	raw_wait(&w->client, "body=aaaa");
	raw_send(&other, POST);
	send_body(&other, 600);
	raw_wait(&other, "body=aaaa");
	raw_close(&other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		EXCHANGE_TEST(a_kept_connection_may_wait_longer_than_a_request),
		EXCHANGE_TEST(a_connection_may_be_opened_long_before_its_first_request),
		EXCHANGE_TEST(a_kept_connection_does_not_wait_for_ever),
		EXCHANGE_TEST(who_is_ending_answers_and_says_that_it_is_the_last_time),
		EXCHANGE_TEST(all_bodies_together_have_a_bound),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
