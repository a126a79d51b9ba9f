/* SPDX-License-Identifier: Apache-2.0 */
/* The HTTP client against peers on 127.0.0.1: answers, many at a time, streams. */
#include "lib/http_world.h"

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
	w->longest_piece = n > w->longest_piece ? n : w->longest_piece;
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
	failed_with(w, ERR_LOST, "no data arrived for");
}

static void a_long_answer_comes_in_pieces_within_its_time(void **state)
{
	struct world *w = *state;
	given_a_peer(w, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello");
	get(w, (struct http_request){ .on_body = data, .max_answer_bytes = 4 });
	assert_int_equal(w->status, 200);
	assert_string_equal(str_text(&w->data), "hello");
	assert_string_equal(str_text(&w->body), "");
}

/*
 * Ends the peer before a test frees the answer. The client may have read all of it while
 * the peer's thread is still inside send(), and AddressSanitizer looks at the bytes after
 * the system call.
 */
static void peer_ends(struct world *w)
{
	http_free(TAKE(w->http));
	peer_stop(&w->peer);
	w->peer_runs = false;
}

/* libcurl reads on while there is more; its reader has the rest of the loop beside it. */
static void a_fast_peer_fills_no_turn_of_the_loop(void **state)
{
	enum { BYTES = 20 << 20, PIECE = 64 << 10, LIBCURLS = 16 << 10 };
	struct world *w = *state;
	static const char head[] = "HTTP/1.1 200 OK\r\nContent-Length: 20971520\r\n\r\n";
	AUTO(own_free) char *answer = own_alloc(sizeof(head) + BYTES);
	memcpy(answer, head, sizeof(head) - 1);
	for (size_t i = 0; i < BYTES; i++)
		answer[sizeof(head) - 1 + i] = (char)(i % 251);
	given_a_peer(w, answer);
	w->peer.answer_bytes = sizeof(head) - 1 + BYTES;
	get(w, (struct http_request){ .on_body = data });
	assert_false(failed(w->err));
	assert_int_equal(w->data.len, BYTES);
	assert_memory_equal(str_text(&w->data), answer + sizeof(head) - 1, BYTES);
	assert_true(w->longest_piece <= PIECE + LIBCURLS);
	peer_ends(w);
}

static void a_long_answer_that_does_not_end_is_left(void **state)
{
	struct world *w = *state;
	given_a_peer(w, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello");
	w->peer.keep = true;
	get(w, (struct http_request){ .on_body = data, .timeout_ms = 50 });
	failed_with(w, ERR_LOST, "");
	assert_string_equal(str_text(&w->data), "hello");
}

static void a_long_answer_ends_when_its_reader_has_enough(void **state)
{
	struct world *w = *state;
	given_a_peer(w, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello");
	w->peer.keep = true;
	w->stop_stream = true;
	get(w, (struct http_request){ .on_body = data });
	failed_with(w, ERR_CANCELLED, "");
}

static void a_long_answer_of_another_status_has_its_body(void **state)
{
	struct world *w = *state;
	given_a_peer(w, "HTTP/1.1 500 No\r\nContent-Length: 3\r\n\r\nbad");
	get(w, (struct http_request){ .on_body = data });
	assert_int_equal(w->status, 500);
	assert_string_equal(str_text(&w->body), "bad");
	assert_string_equal(str_text(&w->data), "");
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
	peer_ends(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		HTTP_TEST(an_answer_comes_whole),
		HTTP_TEST(a_body_and_headers_arrive),
		HTTP_TEST(a_redirect_is_not_followed),
		HTTP_TEST(an_answer_until_the_end_of_the_connection_is_whole),
		HTTP_TEST(test_bad_input_an_answer_of_200_mb_ends_at_the_cap),
		HTTP_TEST(many_requests_wait_for_their_turn),
		HTTP_TEST(a_cancelled_request_is_never_heard_of),
		HTTP_TEST(a_client_may_be_freed_by_its_last_answer),
		HTTP_TEST(a_stream_is_handed_out_in_pieces),
		HTTP_TEST(a_stream_that_is_refused_has_an_answer),
		HTTP_TEST(a_stream_ends_when_its_reader_wants),
		HTTP_TEST(a_silent_stream_is_left),
		HTTP_TEST(a_long_answer_comes_in_pieces_within_its_time),
		HTTP_TEST(a_fast_peer_fills_no_turn_of_the_loop),
		HTTP_TEST(a_long_answer_that_does_not_end_is_left),
		HTTP_TEST(a_long_answer_ends_when_its_reader_has_enough),
		HTTP_TEST(a_long_answer_of_another_status_has_its_body),
		HTTP_TEST(a_client_may_be_freed_by_its_stream),
	};
	return cmocka_run_group_tests_name("net_http", tests, NULL, NULL);
}
