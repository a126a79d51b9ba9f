/* SPDX-License-Identifier: Apache-2.0 */
/* Streams as fast as they are taken, streams that break, readers that take their time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "lib/exchange_world.h"

static int drained, pieces_left;

static void write_more(void *ctx)
{
	struct world *w = ctx;
	drained++;
	if (pieces_left-- > 0)
		assert_true(exchange_write(w->held[0], "piece ", 6));
	else
		exchange_end(w->held[0]);
}

static void who_writes_is_told_when_all_was_taken(void **state)
{
	struct world *w = *state;
	send_text(w, GET("/stream"));
	until_held(w, 1);
	drained = 0;
	pieces_left = 1000;
	exchange_on_drained(w->held[0], write_more);
	assert_int_equal(exchange_waiting(w->held[0]), 0);
	exchange_write(w->held[0], "first ", 6);
	assert_int_equal(exchange_waiting(w->held[0]), 6);
	assert_int_equal(drained, 0); /* not from within */
	raw_wait(&w->client, "\r\n0\r\n\r\n");
	assert_int_equal(drained, 1001);
	assert_int_equal(w->gone, 0);
	raw_send(&w->client, GET("/next")); /* on the same connection */
	raw_wait(&w->client, "GET /next");
}

static void ends_in_drained(void *ctx) { http_server_free(TAKE(((struct world *)ctx)->server)); }

static void who_is_told_may_free_the_server(void **state)
{
	struct world *w = *state;
	send_text(w, GET("/stream"));
	until_held(w, 1);
	exchange_on_drained(w->held[0], ends_in_drained);
	exchange_write(w->held[0], "x", 1);
	raw_wait_end(&w->client);
	assert_int_equal(w->gone, 1);
}

static void a_stream_that_breaks_has_no_end(void **state)
{
	struct world *w = *state;
	send_text(w, GET("/stream"));
	until_held(w, 1);
	exchange_write(w->held[0], "all that there was", 18);
	exchange_break(w->held[0]);
	raw_wait_end(&w->client);
	assert_non_null(strstr(str_text(&w->client.got), "all that there was"));
	assert_null(strstr(str_text(&w->client.got), "\r\n0\r\n"));
	assert_int_equal(w->gone, 0);
}

static void passed(void *over) { *(bool *)over = true; }

static void when_nobody_reads(struct world *w, int64_t ms)
{
	bool over = false;
	timer_start(w->loop, ms, passed, &over);
	while (!over)
		raw_turn(w->loop);
}

static bool ends_well(const struct raw *r)
{
	static const char end[] = "\r\n0\r\n\r\n";
	size_t n = strlen(end);
	return r->got.len >= n && memcmp(r->got.text + r->got.len - n, end, n) == 0;
}

/* Reads an ended stream late; whether its end came. */
static bool reads_late(struct world *w, int64_t stream_ms)
{
	enum { BYTES = 8 << 20, REQUEST_MS = 100 }; /* more than sockets keep */
	AUTO(own_free) char *bytes = own_alloc(BYTES);
	given_options(w,
		(struct http_server_config){ .request_ms = REQUEST_MS, .stream_ms = stream_ms });
	w->n_held = 0;
	send_text(w, GET("/stream"));
	until_held(w, 1);
	memset(bytes, 'x', BYTES);
	assert_true(exchange_write(w->held[0], bytes, BYTES));
	exchange_end(w->held[0]);
	when_nobody_reads(w, 3 * REQUEST_MS);
	while (!w->client.ended && !ends_well(&w->client)) {
		raw_turn(w->loop);
		raw_read(&w->client);
	}
	return !w->client.ended;
}

static void the_reader_of_a_stream_may_take_its_time(void **state)
{
	struct world *w = *state;
	assert_false(reads_late(w, 0));
	assert_true(reads_late(w, 60000));
	raw_send(&w->client, GET("/next"));
	raw_wait(&w->client, "GET /next");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		EXCHANGE_TEST(who_writes_is_told_when_all_was_taken),
		EXCHANGE_TEST(who_is_told_may_free_the_server),
		EXCHANGE_TEST(a_stream_that_breaks_has_no_end),
		EXCHANGE_TEST(the_reader_of_a_stream_may_take_its_time),
	};
	return cmocka_run_group_tests_name("net_server_streams", tests, NULL, NULL);
}
