/* SPDX-License-Identifier: Apache-2.0 */
/* The HTTP client and what goes wrong: answers, connections, time. */
#include "lib/http_world.h"

/* The facts behind the request may be true no more. */
static void test_a_request_that_waited_too_long_for_its_turn_is_not_sent(void **state)
{
	struct world *w = *state;
	struct http_request slow = { .method = "GET", .path = "/slow", .timeout_ms = 300 };
	struct http_request late = { .method = "DELETE", .path = "/late", .max_wait_ms = 20 };
	peer_start(&w->peer, NULL, NULL);
	w->peer.keep = true;
	w->peer_runs = true;
	connect_to(w, w->peer.port, (struct http_config){ .max_in_flight = 1 });
	w->wanted = 2;
	assert_non_null(http_send(w->http, &slow, done, w));
	assert_non_null(http_send(w->http, &late, done, w));
	loop_uv_run(w->loop);
	failed_with(w, ERR_RETRY, "it was not sent");
}

/* A manager was frozen with a full queue, and another may act by now. */
static void test_what_has_not_left_in_its_time_is_not_sent(void **state)
{
	struct world *w = *state;
	const int64_t now_ms = loop_now_ms(w->loop);
	given_a_peer(w, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
	get(w, (struct http_request){ .method = "DELETE", .leave_by_ms = &now_ms });
	failed_with(w, ERR_RETRY, "it was not sent: its deadline for sending is over");
}

static void test_bad_input_a_truncated_answer_is_a_lost_one(void **state)
{
	struct world *w = *state;
	given_a_peer(w, "HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\nhello");
	get(w, (struct http_request){ 0 });
	failed_with(w, ERR_LOST, "the connection ended before the answer was complete");
	failed_with(w, ERR_LOST, "GET http://127.0.0.1:");
	assert_null(strstr(w->err.text, "b=c")); /* queries may hold what is not for logs */
}

static void no_answer_at_all_is_lost(void **state)
{
	struct world *w = *state;
	given_a_peer(w, "");
	get(w, (struct http_request){ .method = "POST", .body = "{}", .body_bytes = 2 });
	failed_with(w, ERR_LOST, "the connection ended before the answer was complete");
	assert_int_equal(w->peer.connections, 1);
}

static void a_refused_connection_can_be_tried_again(void **state)
{
	struct world *w = *state;
	int port, fd = peer_listen(&port);
	close(fd); /* no server listens there now */
	connect_to(w, port, (struct http_config){ 0 });
	get(w, (struct http_request){ .method = "POST", .body = "{}", .body_bytes = 2 });
	failed_with(w, ERR_RETRY, "no connection");
	/*
	 * How long it took is another number each time, and this text stands in
	 * conditions.
	 */
	assert_null(strstr(w->err.text, " after "));
}

static void an_unknown_host_can_be_tried_again(void **state)
{
	struct world *w = *state;
	const struct http_config config = { .base_url = "http://no-such-host.invalid:80" };
	assert_false(failed(http_curl_new(w->loop, &config, &w->http)));
	get(w, (struct http_request){ 0 });
	assert_string_equal(err_kind_name(w->err.kind), "retry");
}

static void test_bad_input_something_else_than_http_is_named(void **state)
{
	struct world *w = *state;
	given_a_peer(w, "SSH-2.0-OpenSSH_9.9\r\n");
	get(w, (struct http_request){ 0 });
	failed_with(w, ERR_INVALID, "the peer does not speak HTTP");
}

static void test_bad_input_a_longer_answer_than_wanted_ends(void **state)
{
	struct world *w = *state;
	given_a_peer(w, "HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\nhello world");
	get(w, (struct http_request){ .max_answer_bytes = 10 });
	failed_with(w, ERR_TOO_LARGE, "longer than 10 bytes");
}

static void a_longer_answer_without_a_length_ends_too(void **state)
{
	struct world *w = *state;
	given_a_peer(w,
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n6\r\nhello "
		"\r\n5\r\nworld\r\n0\r\n\r\n");
	get(w, (struct http_request){ .max_answer_bytes = 10 });
	failed_with(w, ERR_TOO_LARGE, "longer than 10 bytes");
}

static void a_silent_peer_is_left(void **state)
{
	struct world *w = *state;
	given_a_peer(w, "");
	w->peer.keep = true;
	get(w, (struct http_request){ .timeout_ms = 50 });
	failed_with(w, ERR_LOST, "no answer in time");
}

static void a_control_character_is_refused_later(void **state)
{
	struct world *w = *state;
	const struct http_header header = { "X-Test", "a\r\nX-Other: b" };
	given_a_peer(w, "");
	get(w, (struct http_request){ .headers = &header, .n_headers = 1 });
	failed_with(w, ERR_INVALID, "control character");
	w->ended = 0;
	get(w, (struct http_request){ .path = "/a\nb" });
	failed_with(w, ERR_INVALID, "control character");
	assert_int_equal(w->peer.connections, 0);
}

static void test_bad_input_tls_to_a_plain_peer_is_named(void **state)
{
	struct world *w = *state;
	peer_start(&w->peer, NULL, "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
	w->peer.any_request = true;
	w->peer_runs = true;
	connect_to(w, w->peer.port, (struct http_config){ .base_url = "https://" });
	get(w, (struct http_request){ 0 });
	failed_with(w, ERR_INVALID, "is it plain http?");
}

static void a_url_that_is_none_is_named(void **state)
{
	struct world *w = *state;
	const char *const urls[] = { "ftp://host:21", "http://", "https://host:99999",
		"nothing at all" };
	for (size_t i = 0; i < LENGTH(urls); i++) {
		struct err e = http_curl_new(w->loop, &(struct http_config){ .base_url = urls[i] },
			&w->http);

		assert_int_equal(e.kind, ERR_INVALID);
		assert_non_null(strstr(e.text, urls[i]));
	}
}

static void who_sees_what_is_sent_is_known_by_the_url(void **state)
{
	static const struct {
		const char *url;
		enum http_way way;
	} rows[] = {
		{ "unix:/run/slurmrestd/sock", HTTP_BY_SOCKET },
		{ "http://127.0.0.1:6820", HTTP_BY_LOOPBACK },
		{ "http://127.8.9.1:1/", HTTP_BY_LOOPBACK },
		{ "HTTP://[::1]:6820", HTTP_BY_LOOPBACK },
		{ "https://127.0.0.1:6820", HTTP_BY_TLS },
		{ "https://slurm.example:6820/prefix", HTTP_BY_TLS },
		{ "http://10.0.0.1:6820", HTTP_IN_PLAIN_TEXT },
		{ "http://0.0.0.0:6820", HTTP_IN_PLAIN_TEXT },
		{ "http://[::]:6820", HTTP_IN_PLAIN_TEXT },
		{ "http://[::ffff:10.0.0.1]:6820", HTTP_IN_PLAIN_TEXT },
		{ "http://localhost:6820", HTTP_IN_PLAIN_TEXT },
		{ "http://127.example:6820", HTTP_IN_PLAIN_TEXT },
		{ "http://127.0.0.1.example:6820", HTTP_IN_PLAIN_TEXT },
		{ "http://127.0.0.1:6820@10.0.0.1:6820", HTTP_IN_PLAIN_TEXT },
		{ "http://127.0.0.1@slurm.example:6820", HTTP_IN_PLAIN_TEXT },
	};
	static const char *const bad[] = { "", "/run/sock", "unix:run/sock", "unix:", "http://[::1",
		"http://:6820", "http://127.0.0.1:99999", "ftp://127.0.0.1" };
	enum http_way way;
	(void)state;
	for (size_t i = 0; i < LENGTH(rows); i++)
		if (failed(http_curl_look(rows[i].url, &way)) || way != rows[i].way)
			fail_msg("%s", rows[i].url);
	for (size_t i = 0; i < LENGTH(bad); i++)
		if (http_curl_look(bad[i], &way).kind != ERR_INVALID)
			fail_msg("%s", bad[i]);
}

/* The connection is kept, and dies under the second request: was it done? */
static void given_a_kept_connection_that_dies(struct world *w)
{
	given_a_peer(w, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
	w->peer.cut_second = true;
	get(w, (struct http_request){ 0 });
	assert_int_equal(w->status, 200);
	w->ended = w->status = 0;
}

static void a_post_is_never_sent_twice(void **state)
{
	struct world *w = *state;
	given_a_kept_connection_that_dies(w);
	get(w, (struct http_request){ .method = "POST", .body = "{}", .body_bytes = 2 });
	failed_with(w, ERR_LOST, "a second try could carry it out twice");
	assert_int_equal(w->peer.connections, 1);
}

static void what_may_be_repeated_is_sent_again(void **state)
{
	struct world *w = *state;
	given_a_kept_connection_that_dies(w);
	get(w, (struct http_request){ .method = "PUT", .body = "{}", .body_bytes = 2 });
	assert_int_equal(w->status, 200);
	assert_int_equal(w->peer.connections, 2);
	assert_non_null(strstr(w->peer.request, "\r\n\r\n{}"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		HTTP_TEST(test_a_request_that_waited_too_long_for_its_turn_is_not_sent),
		HTTP_TEST(test_what_has_not_left_in_its_time_is_not_sent),
		HTTP_TEST(test_bad_input_a_truncated_answer_is_a_lost_one),
		HTTP_TEST(no_answer_at_all_is_lost),
		HTTP_TEST(a_refused_connection_can_be_tried_again),
		HTTP_TEST(an_unknown_host_can_be_tried_again),
		HTTP_TEST(test_bad_input_something_else_than_http_is_named),
		HTTP_TEST(test_bad_input_a_longer_answer_than_wanted_ends),
		HTTP_TEST(a_longer_answer_without_a_length_ends_too),
		HTTP_TEST(a_silent_peer_is_left),
		HTTP_TEST(a_control_character_is_refused_later),
		HTTP_TEST(test_bad_input_tls_to_a_plain_peer_is_named),
		HTTP_TEST(a_url_that_is_none_is_named),
		cmocka_unit_test(who_sees_what_is_sent_is_known_by_the_url),
		HTTP_TEST(a_post_is_never_sent_twice),
		HTTP_TEST(what_may_be_repeated_is_sent_again),
	};
	return cmocka_run_group_tests_name("net_http_bad", tests, NULL, NULL);
}
