/* SPDX-License-Identifier: Apache-2.0 */
/* The gRPC server: calls of every kind, their ends and their deadlines. */
#include "lib/grpc_scene.h"

static struct reply *asked(struct grpc_client *g, const char *path, const char *text,
	const struct oddity *odd)
{
	struct reply *r = client_call(g, path, odd);
	client_send(r, text, strlen(text));
	client_end(r);
	return r;
}

static void then_ended(struct reply *r, int status, const char *message)
{
	client_wait(r);
	assert_int_equal(r->status, status);
	assert_int_equal(r->reset, NGHTTP2_NO_ERROR);
	assert_string_equal(r->message ? r->message : "", message);
}

static void then_said(const struct reply *r, size_t number, const char *text)
{
	size_t n;
	const char *bytes = reply_message(r, number, &n);
	assert_int_equal(n, strlen(text));
	assert_memory_equal(bytes, text, n);
}

/* ---- kinds of calls ---- */

static void one_message_comes_back(void **state)
{
	struct grpc_world *w = *state;
	struct grpc_client *g = client_open(w->loop, w->path);
	struct reply *r = asked(g, "/test.Echo/Once", "hello", NULL);
	then_ended(r, GRPC_OK, "");
	then_said(r, 0, "hello");
	assert_int_equal(r->http, 200);
	assert_int_equal(reply_messages(r), 1);
	assert_int_equal(w->peer.uid, getuid());
	assert_int_equal(w->peer.pid, getpid());
	assert_int_equal(w->deadline_ms, INT64_MAX);
	assert_int_equal(grpc_server_under_way(w->server), 0);
	client_close(g);
}

static void an_empty_message_is_a_message(void **state)
{
	struct grpc_world *w = *state;
	struct grpc_client *g = client_open(w->loop, w->path);
	struct reply *r = asked(g, "/test.Echo/Once", "", NULL);
	then_ended(r, GRPC_OK, "");
	then_said(r, 0, "");
	assert_int_equal(w->messages, 1);
	client_close(g);
}

static void one_message_is_answered_by_many(void **state)
{
	struct grpc_world *w = *state;
	struct grpc_client *g = client_open(w->loop, w->path);
	struct reply *r = asked(g, "/test.Echo/Count", "seven--", NULL);
	then_ended(r, GRPC_OK, "");
	assert_int_equal(reply_messages(r), 7);
	then_said(r, 6, "seven--");
	client_close(g);
}

static void many_messages_are_answered_by_one(void **state)
{
	struct grpc_world *w = *state;
	struct grpc_client *g = client_open(w->loop, w->path);
	struct reply *r = client_call(g, "/test.Echo/Sum", NULL);
	for (int i = 0; i < 1000; i++)
		client_send(r, "0123456789", 10);
	client_end(r);
	then_ended(r, GRPC_OK, "");
	then_said(r, 0, "10000");
	assert_int_equal(w->messages, 1000);
	client_close(g);
}

static void both_sides_talk(void **state)
{
	struct grpc_world *w = *state;
	struct grpc_client *g = client_open(w->loop, w->path);
	struct reply *r = client_call(g, "/test.Echo/Chat", NULL);
	client_send(r, "who is there?", 13);
	client_wait_messages(r, 1);
	client_send(r, "me", 2);
	client_wait_messages(r, 2);
	then_said(r, 1, "me");
	for (int i = 0; i < 5; i++) {
		nghttp2_submit_ping(g->session, NGHTTP2_FLAG_NONE, NULL);
		client_turn(g);
	}
	assert_int_equal(w->writable, 2); /* once for each message that was sent */
	assert_int_equal(grpc_server_under_way(w->server), 1);
	client_end(r);
	then_ended(r, GRPC_OK, "");
	client_close(g);
}

/* A frame may end anywhere. */
static void a_message_comes_byte_by_byte(void **state)
{
	struct grpc_world *w = *state;
	struct grpc_client *g = client_open(w->loop, w->path);
	struct reply *r = client_call(g, "/test.Echo/Chat", NULL);
	const char bytes[] = "\0\0\0\0\003abc\0\0\0\0\0\0\0\0\0\001d";
	for (size_t i = 0; i + 1 < sizeof(bytes); i++) {
		client_send_raw(r, &bytes[i], 1);
		client_turn(g);
	}
	client_wait_messages(r, 3);
	then_said(r, 0, "abc");
	then_said(r, 1, "");
	then_said(r, 2, "d");
	client_close(g);
}

static void a_mebibyte_goes_both_ways(void **state)
{
	enum { BYTES = 1 << 20 };
	struct grpc_world *w = *state;
	struct grpc_client *g = client_open(w->loop, w->path);
	struct reply *r = client_call(g, "/test.Echo/Once", NULL);
	AUTO(own_free) char *big = own_alloc(BYTES);
	size_t n;
	for (size_t i = 0; i < BYTES; i++)
		big[i] = (char)(i * 31 >> 7);
	client_send(r, big, BYTES);
	client_end(r);
	then_ended(r, GRPC_OK, "");
	const void *back = reply_message(r, 0, &n);
	assert_int_equal(n, BYTES);
	assert_memory_equal(back, big, BYTES);
	client_close(g);
}

/* More than the server takes at a time: the client waits with the rest. */
static void many_calls_share_a_connection(void **state)
{
	enum { CALLS = 300 };
	struct grpc_world *w = *state;
	struct grpc_client *g = client_open(w->loop, w->path);
	struct reply *all[CALLS];
	char text[32];
	client_turn(g); /* the server's settings are known */
	client_turn(g);
	for (int i = 0; i < CALLS; i++) {
		snprintf(text, sizeof(text), "number %d", i);
		all[i] = asked(g, i % 2 ? "/test.Echo/Once" : "/other.Service/Once", text, NULL);
	}
	for (int i = 0; i < CALLS; i++) {
		snprintf(text, sizeof(text), "number %d", i);
		then_ended(all[i], GRPC_OK, "");
		then_said(all[i], 0, text);
	}
	assert_int_equal(w->gone, CALLS);
	client_close(g);
}

/* ---- what is answered ---- */

static void a_failure_has_its_sentence(void **state)
{
	struct grpc_world *w = *state;
	struct grpc_client *g = client_open(w->loop, w->path);
	then_ended(asked(g, "/test.Echo/Fail", "\002no such job", NULL), 2, "no such job");
	then_ended(asked(g, "/test.Echo/Fail", "\0055% of caf\303\251\n", NULL), 5,
		"5%25 of caf%C3%A9%0A");
	then_ended(asked(g, "/test.Echo/Fail", "\005caf\351 \303\251 \303", NULL), 5,
		"caf? %C3%A9 ?"); /* clients want UTF-8 */
	client_close(g);
}

static void a_long_sentence_is_cut_between_characters(void **state)
{
	struct grpc_world *w = *state;
	struct grpc_client *g = client_open(w->loop, w->path);
	AUTO(str_free) struct str text = { 0 };
	str_add(&text, "\002-");
	while (text.len < 4000)
		str_add(&text, "\303\251");
	struct reply *r = asked(g, "/test.Echo/Fail", str_text(&text), NULL);
	client_wait(r);
	assert_int_equal(strlen(r->message), 1 + 999 * 6);
	assert_string_equal(r->message + strlen(r->message) - 6, "%C3%A9");
	client_close(g);
}

static void a_method_that_is_not_there_is_named(void **state)
{
	static const struct {
		const char *path, *message;
	} rows[] = {
		{ "/test.Echo/Twice", "unknown method Twice for service test.Echo" },
		{ "/test.Ech/Once", "unknown service test.Ech" },
		{ "/test.Echo.more/Once", "unknown service test.Echo.more" },
		{ "/test.Echo/Once/more", "unknown service test.Echo/Once" },
		{ "/once", "malformed method name: \"/once\"" },
		{ "once", "malformed method name: \"once\"" },
		{ "", "malformed method name: \"\"" },
	};
	struct grpc_world *w = *state;
	struct grpc_client *g = client_open(w->loop, w->path);
	for (size_t i = 0; i < LENGTH(rows); i++)
		then_ended(asked(g, rows[i].path, "x", NULL), GRPC_UNIMPLEMENTED, rows[i].message);
	assert_int_equal(w->begun, 0);
	client_close(g);
}

/* Acceptance: red-box-10 */
static void headers_are_taken_as_clients_send_them(void **state)
{
	static const struct oddity rows[] = {
		{ .authority = "unix:///syslurm/red-box.sock" },
		{ .authority = "" },
		{ .authority = "%2Ftmp\001 <\\>" },
		{ .content_type = "application/grpc+proto" },
		{ .content_type = "Application/GRPC;charset=utf-8" },
		{ .te = "" },
		{ .audience = "alice" },
		{ .timeout = "10S" },
		{ .filler = "\t\177\377" },
	};
	struct grpc_world *w = *state;
	struct grpc_client *g = client_open(w->loop, w->path);
	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct reply *r = asked(g, "/test.Echo/Once", "x", &rows[i]);
		then_ended(r, GRPC_OK, "");
		then_said(r, 0, "x");
	}
	client_close(g);
}

static void what_is_no_call_is_refused(void **state)
{
	static const struct {
		struct oddity odd;
		int http;
	} rows[] = {
		{ { .method = "GET" }, 405 },
		{ { .content_type = "" }, 415 },
		{ { .content_type = "application/grpcx" }, 415 },
		{ { .content_type = "application/grpc+json" }, 415 },
		{ { .te = "gzip" }, 400 },
		{ { .timeout = "10" }, 400 },
		{ { .timeout = "S" }, 400 },
		{ { .timeout = "123456789S" }, 400 },
		{ { .timeout = "-1S" }, 400 },
		{ { .timeout = "1h" }, 400 },
	};
	struct grpc_world *w = *state;
	struct grpc_client *g = client_open(w->loop, w->path);
	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct reply *r = asked(g, "/test.Echo/Once", "x", &rows[i].odd);
		client_wait(r);
		assert_int_equal(r->http, rows[i].http);
		assert_int_equal(r->status, GRPC_INTERNAL);
	}
	assert_int_equal(w->begun, 0);
	client_close(g);
}

/* ---- deadlines and ends ---- */

static void a_deadline_is_read_in_every_unit(void **state)
{
	static const struct {
		const char *timeout;
		int64_t ms;
	} rows[] = {
		{ "99999999H", INT64_C(99999999) * 3600000 },
		{ "2M", 120000 },
		{ "30S", 30000 },
		{ "90000m", 90000 },
		{ "40000001u", 40001 },
		{ "99999999n", 100 },
	};
	struct grpc_world *w = *state;
	struct grpc_client *g = client_open(w->loop, w->path);
	for (size_t i = 0; i < LENGTH(rows); i++) {
		const struct oddity odd = { .timeout = rows[i].timeout };
		int64_t before_ms = loop_now_ms(w->loop);
		struct reply *r = asked(g, "/test.Echo/Once", "x", &odd);
		client_wait(r);
		assert_in_range(w->deadline_ms, before_ms + rows[i].ms,
			loop_now_ms(w->loop) + rows[i].ms);
	}
	client_close(g);
}

static void a_deadline_ends_a_call(void **state)
{
	struct grpc_world *w = *state;
	struct grpc_client *g = client_open(w->loop, w->path);
	const struct oddity soon = { .timeout = "20m" }, now = { .timeout = "0n" };
	struct reply *r = client_call(g, "/test.Echo/Hang", &soon);
	then_ended(r, GRPC_DEADLINE_EXCEEDED, "the deadline of the call passed");
	then_ended(client_call(g, "/test.Echo/Chat", &now), GRPC_DEADLINE_EXCEEDED,
		"the deadline of the call passed");
	assert_int_equal(w->gone, 2);
	client_close(g);
}

static void a_deadline_waits_for_no_reader(void **state)
{
	struct grpc_world *w = *state;
	struct grpc_client *g = client_open(w->loop, w->path);
	const struct oddity soon = { .timeout = "50m" };
	g->reads_nothing = true;
	struct reply *r = client_call(g, "/test.Echo/Flood", &soon);
	while (!w->gone)
		client_turn(g);
	client_wait(r);
	assert_int_equal(r->reset, NGHTTP2_CANCEL);
	client_close(g);
}

static void a_call_that_is_cancelled_is_gone(void **state)
{
	struct grpc_world *w = *state;
	struct grpc_client *g = client_open(w->loop, w->path);
	struct reply *r = client_call(g, "/test.Echo/Hang", NULL),
		     *other = client_call(g, "/test.Echo/Chat", NULL);
	while (w->begun < 2)
		client_turn(g);
	client_cancel(r);
	while (!w->gone)
		client_turn(g);
	assert_int_equal(grpc_server_under_way(w->server), 1);
	client_send(other, "still here", 10);
	client_wait_messages(other, 1);
	client_close(g);
}

static void calls_go_with_their_connection(void **state)
{
	struct grpc_world *w = *state;
	struct grpc_client *g = client_open(w->loop, w->path), *h = client_open(w->loop, w->path);
	client_call(g, "/test.Echo/Hang", NULL);
	client_call(g, "/test.Echo/Flood", NULL);
	struct reply *other = client_call(h, "/test.Echo/Chat", NULL);
	while (w->begun < 3) {
		client_turn(g);
		client_turn(h);
	}
	client_close(g);
	while (w->gone < 2)
		client_turn(h);
	client_send(other, "still here", 10);
	client_wait_messages(other, 1);
	client_close(h);
}

/* The client has not ended: it is told that the server reads no more. */
static void an_early_end_stops_the_client(void **state)
{
	struct grpc_world *w = *state;
	struct grpc_client *g = client_open(w->loop, w->path);
	struct reply *r = client_call(g, "/test.Echo/Fail", NULL);
	client_send(r, "\007not yours", 10);
	then_ended(r, GRPC_PERMISSION_DENIED, "not yours");
	assert_int_equal(w->gone, 1);
	client_close(g);
}

static void a_server_that_finishes_waits_for_its_calls(void **state)
{
	struct grpc_world *w = *state;
	struct grpc_client *g = client_open(w->loop, w->path),
			   *idle = client_open(w->loop, w->path);
	struct reply *r = client_call(g, "/test.Echo/Chat", NULL);
	client_send(r, "one", 3);
	client_wait_messages(r, 1);
	client_turn(idle);
	grpc_server_finish(w->server);
	client_wait_end(idle);
	while (g->goaway == UINT32_MAX)
		client_turn(g);
	assert_int_equal(g->goaway, NGHTTP2_NO_ERROR);
	client_send(r, "two", 3);
	client_wait_messages(r, 2);
	client_end(r);
	then_ended(r, GRPC_OK, "");
	client_wait_end(g);
	client_close(g);
	client_close(idle);
}

/* free_world checks that each was told. */
static void a_server_is_freed_while_calls_are_under_way(void **state)
{
	struct grpc_world *w = *state;
	struct grpc_client *g = client_open(w->loop, w->path);
	const struct oddity later = { .timeout = "1H" };
	client_call(g, "/test.Echo/Flood", NULL);
	client_call(g, "/test.Echo/Hang", &later);
	client_send_raw(client_call(g, "/test.Echo/Once", NULL), "\0\0\1\0\0half", 9);
	while (w->begun < 3)
		client_turn(g);
	assert_int_equal(w->gone, 0);
	client_close(g);
}

#define GRPC_TEST(name) cmocka_unit_test_setup_teardown(name, given_a_server, free_world)

int main(void)
{
	const struct CMUnitTest tests[] = {
		GRPC_TEST(one_message_comes_back),
		GRPC_TEST(an_empty_message_is_a_message),
		GRPC_TEST(one_message_is_answered_by_many),
		GRPC_TEST(many_messages_are_answered_by_one),
		GRPC_TEST(both_sides_talk),
		GRPC_TEST(a_message_comes_byte_by_byte),
		GRPC_TEST(a_mebibyte_goes_both_ways),
		GRPC_TEST(many_calls_share_a_connection),
		GRPC_TEST(a_failure_has_its_sentence),
		GRPC_TEST(a_long_sentence_is_cut_between_characters),
		GRPC_TEST(a_method_that_is_not_there_is_named),
		GRPC_TEST(headers_are_taken_as_clients_send_them),
		GRPC_TEST(what_is_no_call_is_refused),
		GRPC_TEST(a_deadline_is_read_in_every_unit),
		GRPC_TEST(a_deadline_ends_a_call),
		GRPC_TEST(a_deadline_waits_for_no_reader),
		GRPC_TEST(a_call_that_is_cancelled_is_gone),
		GRPC_TEST(calls_go_with_their_connection),
		GRPC_TEST(an_early_end_stops_the_client),
		GRPC_TEST(a_server_that_finishes_waits_for_its_calls),
		GRPC_TEST(a_server_is_freed_while_calls_are_under_way),
	};
	return cmocka_run_group_tests_name("grpc_server", tests, NULL, NULL);
}
