/* SPDX-License-Identifier: Apache-2.0 */
/* The room for the bodies of requests: who gets it when there is not enough for all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <stdio.h>

#include "lib/exchange_world.h"

enum { SMALL = 100, SLOW_MS = 200 };

static void begin_body(struct raw *r, size_t length, size_t sent)
{
	char head[100], body[BODY_BYTES] = "";
	memset(body, 'a', sent);
	snprintf(head, sizeof(head), "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %zu\r\n\r\n",
		length);
	raw_send(r, head);
	raw_send_bytes(r, body, sent);
}

static void send_rest(struct raw *r, size_t n)
{
	char body[BODY_BYTES] = "";
	memset(body, 'a', n);
	raw_send_bytes(r, body, n);
}

static void until_taken(struct world *w)
{
	for (int i = 0; i < 20; i++)
		raw_turn(w->loop);
}

static void is_answered(struct raw *r, const char *with)
{
	raw_wait(r, "\r\n\r\n");
	raw_wait(r, with);
}

static void close_all(struct raw *r, size_t n)
{
	for (size_t i = 0; i < n; i++)
		raw_close(&r[i]);
}

static void many_bodies_of_one_client_keep_no_other_client_out(void **state)
{
	struct world *w = *state;
	given_options(w,
		(struct http_server_config){ .max_bodies_bytes = 3000, .small_body_bytes = SMALL });
	/* given a client that has sent most of four bodies, and is silent */
	struct raw silent[4];
	for (size_t i = 0; i < LENGTH(silent); i++) {
		silent[i] = raw_connect_as_other(w->loop, http_server_port(w->server));
		begin_body(&silent[i], BODY_BYTES, BODY_BYTES - 10);
	}
	until_taken(w);
	/* when another client sends a body as long as any may be, then it is answered */
	w->client = connected(w);
	begin_body(&w->client, BODY_BYTES, BODY_BYTES);
	is_answered(&w->client, "body=aaaa");
	/* and so is a small one from the address of the silent ones */
	struct raw small = raw_connect_as_other(w->loop, http_server_port(w->server));
	begin_body(&small, SMALL, SMALL);
	is_answered(&small, "body=aaaa");
	raw_close(&small);
	close_all(silent, LENGTH(silent));
}

static void a_body_that_comes_slowly_makes_room_first(void **state)
{
	struct world *w = *state;
	given_options(w,
		(struct http_server_config){ .max_bodies_bytes = 1500, .request_ms = 5 * SLOW_MS });
	/* given a body that has taken more than a fifth of the time of a request */
	struct raw slow = raw_connect_as_other(w->loop, http_server_port(w->server));
	begin_body(&slow, 900, 500);
	int64_t until = loop_now_ms(w->loop) + SLOW_MS;
	while (loop_now_ms(w->loop) <= until)
		raw_turn(w->loop);
	/* when a client that holds more than that sends another body */
	w->client = connected(w);
	begin_body(&w->client, 700, 600);
	until_taken(w);
	struct raw second = connected(w);
	begin_body(&second, 600, 600);
	/* then both of its bodies are answered, and the slow one hears that it was cut */
	is_answered(&second, "body=aaaa");
	send_rest(&w->client, 100);
	is_answered(&w->client, "body=aaaa");
	send_rest(&slow, 400);
	is_answered(&slow, "503");
	raw_close(&second);
	raw_close(&slow);
}

static void a_small_body_takes_the_room_of_a_large_one(void **state)
{
	struct world *w = *state;
	given_options(w,
		(struct http_server_config){ .max_bodies_bytes = 1300, .small_body_bytes = SMALL });
	/* given a client with a large body, and one that has more in many small bodies */
	struct raw small[10], large = raw_connect_as_other(w->loop, http_server_port(w->server));
	begin_body(&large, BODY_BYTES, 500);
	for (size_t i = 0; i < LENGTH(small); i++) {
		small[i] = connected(w);
		begin_body(&small[i], SMALL, SMALL - 10);
	}
	until_taken(w);
	/* when the small bodies end, then each one is answered */
	for (size_t i = 0; i < LENGTH(small); i++) {
		send_rest(&small[i], 10);
		is_answered(&small[i], "body=aaaa");
	}
	/* and the large one, which had the room, was cut */
	send_rest(&large, 500);
	is_answered(&large, "503");
	raw_close(&large);
	close_all(small, LENGTH(small));
}

static void a_body_gives_its_room_back_before_its_answer_is_taken(void **state)
{
	struct world *w = *state;
	given_options(w, (struct http_server_config){ .max_bodies_bytes = BODY_BYTES });
	/* given a body that is answered, on a connection that stays */
	w->client = connected(w);
	begin_body(&w->client, BODY_BYTES, BODY_BYTES);
	is_answered(&w->client, "body=aaaa");
	/* then the next one has all of the room */
	struct raw next = raw_connect_as_other(w->loop, http_server_port(w->server));
	begin_body(&next, BODY_BYTES, BODY_BYTES);
	is_answered(&next, "body=aaaa");
	raw_close(&next);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		EXCHANGE_TEST(many_bodies_of_one_client_keep_no_other_client_out),
		EXCHANGE_TEST(a_body_that_comes_slowly_makes_room_first),
		EXCHANGE_TEST(a_small_body_takes_the_room_of_a_large_one),
		EXCHANGE_TEST(a_body_gives_its_room_back_before_its_answer_is_taken),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
