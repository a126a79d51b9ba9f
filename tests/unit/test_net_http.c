/* SPDX-License-Identifier: Apache-2.0 */
/* The HTTP client against peers that behave badly, on 127.0.0.1. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "lib/fake_peer.h"

#include "base/own.h"
#include "base/str.h"
#include "net/http.h"

struct world {
	struct loop *loop;
	struct http *http;
	struct peer peer;
	bool peer_runs;
	int ended;  /* calls of done */
	int wanted; /* of them, until the loop stops */
	struct err err;
	int status;
	int64_t retry_after_ms;
	char warning[100];
	struct str body;
	struct str data; /* of a stream */
	bool stop_stream, free_in_done;
	int dropped;
};

static int given_a_loop(void **state)
{
	struct world *w = own_alloc(sizeof(*w));
	w->loop = loop_uv_new();
	w->wanted = 1;
	*state = w;
	return 0;
}

static int free_world(void **state)
{
	struct world *w = *state;
	http_free(w->http);
	if (w->peer_runs)
		peer_stop(&w->peer);
	loop_uv_free(w->loop);
	str_free(&w->body);
	str_free(&w->data);
	free(w);
	return 0;
}

static void connect_to(struct world *w, int port, struct http_config config)
{
	AUTO(str_free) struct str url = { 0 };
	str_addf(&url, "%s127.0.0.1:%d", config.base_url ? config.base_url : "http://", port);
	config.base_url = str_text(&url);
	assert_false(failed(http_curl_new(w->loop, &config, &w->http)));
}

static void given_a_peer(struct world *w, const char *answer)
{
	peer_start(&w->peer, NULL, answer);
	w->peer_runs = true;
	connect_to(w, w->peer.port, (struct http_config){ 0 });
}

static void done(void *ctx, struct err e, const struct http_answer *a)
{
	struct world *w = ctx;
	w->err = e;
	assert_true(failed(e) == (a == NULL));
	if (a) {
		w->status = a->status;
		w->retry_after_ms = a->retry_after_ms;
		snprintf(w->warning, sizeof(w->warning), "%s", a->warning ? a->warning : "none");
		assert_int_equal(a->body[a->body_bytes], 0);
		str_clear(&w->body);
		str_add_bytes(&w->body, a->body, a->body_bytes);
	}
	if (w->free_in_done)
		http_free(TAKE(w->http));
	if (++w->ended == w->wanted)
		loop_uv_stop(w->loop);
}

static void drop(void *ctx) { ((struct world *)ctx)->dropped++; }

static void get(struct world *w, struct http_request r)
{
	r.method = r.method ? r.method : "GET";
	r.path = r.path ? r.path : "/a?b=c";
	assert_non_null(http_send(w->http, &r, done, w));
	assert_int_equal(w->ended, 0);
	loop_uv_run(w->loop);
}

static void failed_with(struct world *w, enum err_kind kind, const char *sentence)
{
	assert_string_equal(err_kind_name(w->err.kind), err_kind_name(kind));
	if (!strstr(w->err.text, sentence))
		fail_msg("\"%s\" is not in: %s", sentence, w->err.text);
}

/* ---- good answers ---- */

static void an_answer_comes_whole(void **state)
{
	struct world *w = *state;
	given_a_peer(w,
		"HTTP/1.1 503 Later\r\nRetry-After: 7\r\nwarning: 299 - \"one\"\r\nWarning: "
		"two\r\nContent-Length: 5\r\n\r\nhello");
	get(w, (struct http_request){ 0 });
	assert_false(failed(w->err));
	assert_int_equal(w->status, 503);
	assert_int_equal(w->retry_after_ms, 7000);
	assert_string_equal(w->warning, "299 - \"one\"");
	assert_string_equal(str_text(&w->body), "hello");
	assert_non_null(strstr(w->peer.request, "GET /a?b=c HTTP/1.1\r\n"));
}

static void a_body_and_headers_arrive(void **state)
{
	struct world *w = *state;
	const struct http_header headers[] = { { "X-Test", "yes" }, { "X-Empty", "" } };
	given_a_peer(w, "HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n");
	http_set_bearer(w->http, "secret");
	get(w,
		(struct http_request){
			.method = "PATCH",
			.headers = headers,
			.n_headers = 2,
			.body = "{\"a\":1}",
			.body_bytes = 7,
		});
	assert_int_equal(w->status, 201);
	assert_string_equal(str_text(&w->body), "");
	assert_int_equal(w->retry_after_ms, -1);
	assert_string_equal(w->warning, "none");
	assert_non_null(strstr(w->peer.request, "PATCH /a?b=c HTTP/1.1\r\n"));
	assert_non_null(strstr(w->peer.request, "Authorization: Bearer secret\r\n"));
	assert_non_null(strstr(w->peer.request, "X-Test: yes\r\n"));
	assert_non_null(strstr(w->peer.request, "X-Empty:"));
	assert_non_null(strstr(w->peer.request, "Content-Type: application/json\r\n"));
	assert_non_null(strstr(w->peer.request, "\r\n\r\n{\"a\":1}"));
	assert_null(strstr(w->peer.request, "Expect"));
}

static void a_redirect_is_not_followed(void **state)
{
	struct world *w = *state;
	given_a_peer(w,
		"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n");
	get(w, (struct http_request){ 0 });
	assert_false(failed(w->err));
	assert_int_equal(w->status, 302);
}

static void an_answer_until_the_end_of_the_connection_is_whole(void **state)
{
	struct world *w = *state;
	given_a_peer(w, "HTTP/1.0 200 OK\r\n\r\nhello");
	get(w, (struct http_request){ 0 });
	assert_string_equal(str_text(&w->body), "hello");
}

/* ---- bad ones ---- */

/* What it was decided on may be true no more. */
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

static void test_bad_input_a_truncated_answer_is_a_lost_one(void **state)
{
	struct world *w = *state;
	given_a_peer(w, "HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\nhello");
	get(w, (struct http_request){ 0 });
	failed_with(w, ERR_LOST, "the connection ended before the answer was whole");
	failed_with(w, ERR_LOST, "GET http://127.0.0.1:");
	assert_null(strstr(w->err.text, "b=c")); /* queries may hold what is not for logs */
}

static void no_answer_at_all_is_lost(void **state)
{
	struct world *w = *state;
	given_a_peer(w, "");
	get(w, (struct http_request){ .method = "POST", .body = "{}", .body_bytes = 2 });
	failed_with(w, ERR_LOST, "the connection ended before the answer was whole");
	assert_int_equal(w->peer.connections, 1);
}

static void a_refused_connection_can_be_tried_again(void **state)
{
	struct world *w = *state;
	int port, fd = peer_listen(&port);
	close(fd); /* nobody listens there now */
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
	failed_with(w, ERR_LOST, "sending it again could do it twice");
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

/* ---- many, and those that are cancelled ---- */

static void many_requests_wait_for_their_turn(void **state)
{
	struct world *w = *state;
	given_a_peer(w, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok");
	w->wanted = 200;
	for (int i = 1; i < w->wanted; i++)
		http_send(w->http, &(struct http_request){ .method = "GET", .path = "/" }, done, w);
	get(w, (struct http_request){ 0 });
	assert_int_equal(w->ended, 200);
	assert_false(failed(w->err));
	assert_int_equal(w->peer.connections, 200);
}

static void a_cancelled_request_is_never_heard_of(void **state)
{
	struct world *w = *state;
	const struct http_request r = { .method = "GET", .path = "/", .drop = drop };
	given_a_peer(w, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
	struct http_call *c = http_send(w->http, &r, done, w);
	http_cancel(w->http, c);
	assert_int_equal(w->dropped, 1);
	for (int i = 0; i < 40; i++) /* some of them in the queue */
		http_send(w->http, &r, done, w);
	http_free(TAKE(w->http));
	assert_int_equal(w->dropped, 41);
	assert_int_equal(w->ended, 0);
}

static void a_client_may_be_freed_by_its_last_answer(void **state)
{
	struct world *w = *state;
	const struct http_request r = { .method = "GET", .path = "/", .drop = drop };
	given_a_peer(w, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
	w->free_in_done = true;
	for (int i = 0; i < 40; i++)
		http_send(w->http, &r, done, w);
	loop_uv_run(w->loop);
	assert_int_equal(w->ended, 1);
	assert_int_equal(w->dropped, 39);
}

/* ---- streams ---- */

static bool data(void *ctx, const char *bytes, size_t n)
{
	struct world *w = ctx;
	str_add_bytes(&w->data, bytes, n);
	if (w->free_in_done)
		http_free(TAKE(w->http));
	if (w->free_in_done)
		loop_uv_stop(w->loop);
	return !w->stop_stream;
}

static void a_stream_is_handed_out_in_pieces(void **state)
{
	struct world *w = *state;
	given_a_peer(w,
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n6\r\nhello "
		"\r\n5\r\nworld\r\n0\r\n\r\n");
	get(w, (struct http_request){ .on_data = data, .max_answer_bytes = 4 });
	assert_false(failed(w->err));
	assert_int_equal(w->status, 200);
	assert_string_equal(str_text(&w->data), "hello world");
	assert_string_equal(str_text(&w->body), "");
}

static void a_stream_that_is_refused_has_an_answer(void **state)
{
	struct world *w = *state;
	given_a_peer(w, "HTTP/1.1 410 Gone\r\nContent-Length: 3\r\n\r\nold");
	get(w, (struct http_request){ .on_data = data });
	assert_int_equal(w->status, 410);
	assert_string_equal(str_text(&w->body), "old");
	assert_string_equal(str_text(&w->data), "");
}

static void a_stream_ends_when_its_reader_wants(void **state)
{
	struct world *w = *state;
	given_a_peer(w, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello");
	w->peer.keep = true;
	w->stop_stream = true;
	get(w, (struct http_request){ .on_data = data });
	failed_with(w, ERR_CANCELLED, "");
	assert_string_equal(str_text(&w->data), "hello");
}

static void a_silent_stream_is_left(void **state)
{
	struct world *w = *state;
	given_a_peer(w, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello");
	w->peer.keep = true;
	get(w, (struct http_request){ .on_data = data, .idle_timeout_ms = 30 });
	failed_with(w, ERR_LOST, "nothing came for");
}

static void a_client_may_be_freed_by_its_stream(void **state)
{
	struct world *w = *state;
	given_a_peer(w, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello");
	w->peer.keep = true;
	w->free_in_done = true;
	get(w, (struct http_request){ .on_data = data, .drop = drop, .idle_timeout_ms = 5000 });
	assert_int_equal(w->ended, 0);
	assert_int_equal(w->dropped, 1);
}

/* The peer sends 200 MB; what is kept is never more than the cap. */
static void test_bad_input_an_answer_of_200_mb_ends_at_the_cap(void **state)
{
	struct world *w = *state;
	static const char head[] = "HTTP/1.1 200 OK\r\nContent-Length: 209715200\r\n\r\n";
	AUTO(own_free) char *answer = own_alloc(sizeof(head) + (200 << 20));
	memcpy(answer, head, sizeof(head) - 1);
	given_a_peer(w, answer);
	w->peer.answer_bytes = sizeof(head) - 1 + (200 << 20);
	get(w, (struct http_request){ 0 });
	failed_with(w, ERR_TOO_LARGE, "the answer is longer than 67108864 bytes");
	http_free(TAKE(w->http)); /* the peer still sends: it ends before its bytes go */
	peer_stop(&w->peer);
	w->peer_runs = false;
}

#define HTTP_TEST(name) cmocka_unit_test_setup_teardown(name, given_a_loop, free_world)

int main(void)
{
	const struct CMUnitTest tests[] = {
		HTTP_TEST(an_answer_comes_whole),
		HTTP_TEST(a_body_and_headers_arrive),
		HTTP_TEST(a_redirect_is_not_followed),
		HTTP_TEST(an_answer_until_the_end_of_the_connection_is_whole),
		HTTP_TEST(test_a_request_that_waited_too_long_for_its_turn_is_not_sent),
		HTTP_TEST(test_bad_input_a_truncated_answer_is_a_lost_one),
		HTTP_TEST(no_answer_at_all_is_lost),
		HTTP_TEST(a_refused_connection_can_be_tried_again),
		HTTP_TEST(an_unknown_host_can_be_tried_again),
		HTTP_TEST(test_bad_input_something_else_than_http_is_named),
		HTTP_TEST(test_bad_input_an_answer_of_200_mb_ends_at_the_cap),
		HTTP_TEST(test_bad_input_a_longer_answer_than_wanted_ends),
		HTTP_TEST(a_longer_answer_without_a_length_ends_too),
		HTTP_TEST(a_silent_peer_is_left),
		HTTP_TEST(a_control_character_is_refused_later),
		HTTP_TEST(test_bad_input_tls_to_a_plain_peer_is_named),
		HTTP_TEST(a_url_that_is_none_is_named),
		HTTP_TEST(a_post_is_never_sent_twice),
		HTTP_TEST(what_may_be_repeated_is_sent_again),
		HTTP_TEST(many_requests_wait_for_their_turn),
		HTTP_TEST(a_cancelled_request_is_never_heard_of),
		HTTP_TEST(a_client_may_be_freed_by_its_last_answer),
		HTTP_TEST(a_stream_is_handed_out_in_pieces),
		HTTP_TEST(a_stream_that_is_refused_has_an_answer),
		HTTP_TEST(a_stream_ends_when_its_reader_wants),
		HTTP_TEST(a_silent_stream_is_left),
		HTTP_TEST(a_client_may_be_freed_by_its_stream),
	};
	return cmocka_run_group_tests_name("net_http", tests, NULL, NULL);
}
