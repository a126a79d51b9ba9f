/* SPDX-License-Identifier: Apache-2.0 */
/* The gRPC server and what clients send that is wrong, or too much. */
#include "lib/grpc_scene.h"

/* ---- messages ---- */

/* Acceptance: red-box-30 */
static void a_message_that_cannot_be_taken_ends_its_call(void **state)
{
	static const struct {
		const char *bytes;
		size_t n;
		int status;
		const char *message;
	} rows[] = {
		{ "\0\0\x40\0\1", 5, GRPC_RESOURCE_EXHAUSTED,
			"received message larger than max (4194305 vs. 4194304)" },
		{ "\0\xff\xff\xff\xff", 5, GRPC_RESOURCE_EXHAUSTED,
			"received message larger than max (4294967295 vs. 4194304)" },
		{ "\1\0\0\0\1x", 6, GRPC_UNIMPLEMENTED, "compressed messages are not supported" },
		{ "\2\0\0\0\1x", 6, GRPC_INTERNAL,
			"a message begins with a byte other than 0 and 1" },
		{ "\0\0\0", 3, GRPC_INTERNAL, "the client ended the call within a message" },
		{ "\0\0\0\0\2x", 6, GRPC_INTERNAL, "the client ended the call within a message" },
	};
	struct grpc_world *w = *state;
	struct grpc_client *g = client_open(w->loop, w->path);
	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct reply *r = client_call(g, "/test.Echo/Once", NULL);
		client_send_raw(r, rows[i].bytes, rows[i].n);
		client_end(r);
		client_wait(r);
		assert_int_equal(r->status, rows[i].status);
		assert_string_equal(r->message, rows[i].message);
	}
	assert_int_equal(w->messages, 0);
	client_close(g);
}

/* Sixteen of 4 MiB are all that there is; a user may have half of what others leave. */
/* Acceptance: red-box-30 */
static void messages_that_are_not_whole_have_a_bound(void **state)
{
	enum { CALLS = 40 };
	struct grpc_world *w = *state;
	struct grpc_client *g = client_open(w->loop, w->path);
	struct reply *all[CALLS];
	int refused = 0;
	for (int i = 0; i < CALLS; i++) {
		all[i] = client_call(g, "/test.Echo/Once", NULL);
		client_send_raw(all[i], "\0\0\x40\0\0some of it", 15);
	}
	while (w->begun < CALLS)
		client_turn(g);
	client_turn(g);
	for (int i = 0; i < CALLS; i++)
		refused += all[i]->status == GRPC_RESOURCE_EXHAUSTED;
	assert_in_range(refused, CALLS - 16, CALLS - 1);
	then_others_are_served(w);
	client_close(g);
	while (grpc_server_under_way(w->server))
		raw_turn(w->loop);
	g = client_open(w->loop, w->path); /* what they had is there again */
	all[0] = client_call(g, "/test.Echo/Sum", NULL);
	AUTO(own_free) char *big = own_alloc(4 << 20);
	client_send(all[0], big, 4 << 20);
	client_end(all[0]);
	client_wait(all[0]);
	assert_int_equal(all[0]->status, GRPC_OK);
	client_close(g);
}

/* Acceptance: red-box-30 */
static void headers_have_a_bound(void **state)
{
	struct grpc_world *w = *state;
	struct grpc_client *g = client_open(w->loop, w->path);
	AUTO(own_free) char *filler = own_alloc(30001);
	memset(filler, 'x', 30000);
	const struct oddity odd = { .filler = filler };
	struct reply *r = client_call(g, "/test.Echo/Once", &odd);
	client_end(r);
	client_wait(r);
	assert_int_equal(r->status, GRPC_RESOURCE_EXHAUSTED);
	assert_string_equal(r->message, "the headers have more than 16384 bytes");
	client_close(g);
}

/* ---- floods ---- */

static void resets_now_and_then_are_fine(void **state)
{
	struct grpc_world *w = *state;
	struct grpc_client *g = client_open(w->loop, w->path);
	for (int i = 1; i <= 400; i++) {
		struct reply *r = client_call(g, "/test.Echo/Hang", NULL);
		while (w->begun < i)
			client_turn(g);
		client_cancel(r);
		while (w->gone < i)
			client_turn(g);
	}
	assert_int_equal(g->goaway, UINT32_MAX);
	client_close(g);
}

/* Slurm hangs, and the time of all of them is over at once. */
static void a_client_may_give_up_all_its_calls(void **state)
{
	enum { ALL = 1000 };
	struct grpc_world *w = *state;
	struct grpc_client *g = client_open(w->loop, w->path);
	struct reply *all[ALL];
	for (int i = 0; i < ALL; i++)
		all[i] = client_call(g, "/test.Echo/Hang", NULL);
	while (w->begun < ALL)
		client_turn(g);
	for (int i = 0; i < ALL; i++)
		client_cancel(all[i]);
	while (w->gone < ALL)
		client_turn(g);
	for (int i = 0; i < 20; i++)
		client_turn(g);
	assert_int_equal(g->goaway, UINT32_MAX);
	client_close(g);
}

/* A call and a frame that ends it, again and again; how it ends. */
static void when_calls_are_begun_and_ended(struct grpc_world *w, const char *frame, size_t n)
{
	static const char headers[] = "\0\0\x26\1\4\0\0\0\0\x83\x86"
				      "\x04\x0f/test.Echo/Hang"
				      "\x0f\x10\x10"
				      "application/grpc";
	static const char goaway[] = "\0\0\x08\7\0\0\0\0\0";
	struct raw r = connected(w);
	raw_send_bytes(&r, preface, PREFACE_BYTES);
	for (unsigned i = 1; i < 60000 && !r.ended; i += 2) {
		AUTO(str_free) struct str frames = { 0 };
		size_t second = sizeof(headers) - 1;
		str_add_bytes(&frames, headers, sizeof(headers) - 1);
		str_add_bytes(&frames, frame, n);
		frames.text[7] = frames.text[second + 7] = (char)(i >> 8);
		frames.text[8] = frames.text[second + 8] = (char)i;
		send(r.fd, frames.text, frames.len, MSG_NOSIGNAL);
		if (i % 16 == 1)
			raw_turn(w->loop);
		raw_read(&r);
	}
	assert_true(r.ended);
	const char *last = memmem(r.got.text, r.got.len, goaway, sizeof(goaway) - 1);
	assert_non_null(last);
	assert_int_equal(last[16], NGHTTP2_ENHANCE_YOUR_CALM);
	raw_close(&r);
}

/* Acceptance: red-box-30 */
static void a_rapid_reset_ends_the_connection(void **state)
{
	struct grpc_world *w = *state;
	when_calls_are_begun_and_ended(w, "\0\0\4\3\0\0\0\0\0\0\0\0\x08", 13);
	assert_in_range(w->begun, 500, 2000);
	then_others_are_served(w);
}

/* A window that grows too far is a fault for which the server resets the call. */
static void faults_that_make_the_server_reset_count_too(void **state)
{
	struct grpc_world *w = *state;
	when_calls_are_begun_and_ended(w, "\0\0\4\x08\0\0\0\0\0\x7f\xff\xff\xff", 13);
	assert_in_range(w->begun, 500, 2000);
	then_others_are_served(w);
}

/* The frame of a flood; those that begin calls have a number of their own. */
static void add_frame(struct str *to, const char *frame, size_t n, unsigned number)
{
	size_t at = to->len;
	str_add_bytes(to, frame, n);
	if (frame[3] != NGHTTP2_HEADERS)
		return;
	number = 2 * number + 1;
	to->text[at + 6] = (char)(number >> 16);
	to->text[at + 7] = (char)(number >> 8);
	to->text[at + 8] = (char)number;
}

/* Sends without ever reading, until the server has had enough. */
static void when_flooded(struct grpc_world *w, const char *frame, size_t n)
{
	enum { AT_ONCE = 500, MOST = 4 << 20 };
	struct raw r = connected(w);
	unsigned frames = 0;
	ssize_t sent = 0;
	raw_send_bytes(&r, preface, PREFACE_BYTES);
	while ((sent >= 0 || errno == EAGAIN) && frames < MOST) {
		AUTO(str_free) struct str some = { 0 };
		size_t done = 0;
		for (int i = 0; i < AT_ONCE; i++)
			add_frame(&some, frame, n, frames++);
		do {
			sent = send(r.fd, some.text + done, some.len - done, MSG_NOSIGNAL);
			done += sent > 0 ? (size_t)sent : 0;
			raw_turn(w->loop);
		} while (done < some.len && (sent >= 0 || errno == EAGAIN));
	}
	assert_true(frames < MOST);
	raw_close(&r);
}

/* Acceptance: red-box-30 */
static void what_nobody_reads_ends_the_connection(void **state)
{
	static const char ping[] = "\0\0\x08\6\0\0\0\0\0abcdefgh",
			  settings[] = "\0\0\0\4\0\0\0\0\0",
			  no_call[] = "\0\0\3\1\5\0\0\0\1\x83\x86\x84";
	struct grpc_world *w = *state;
	when_flooded(w, ping, sizeof(ping) - 1);
	when_flooded(w, settings, sizeof(settings) - 1);
	when_flooded(w, no_call, sizeof(no_call) - 1);
	assert_int_equal(w->begun, 0);
	then_others_are_served(w);
}

static void a_ping_is_answered(void **state)
{
	struct grpc_world *w = *state;
	struct grpc_client *g = client_open(w->loop, w->path);
	for (int i = 0; i < 10; i++)
		nghttp2_submit_ping(g->session, NGHTTP2_FLAG_NONE, NULL);
	while (g->pongs < 10)
		client_turn(g);
	client_close(g);
}

/* By its window, or by not reading from its socket. */
static void a_client_that_never_reads_is_not_sent_for(void **state)
{
	struct grpc_world *w = *state;
	struct grpc_client *window = client_open(w->loop, w->path),
			   *sock = client_open(w->loop, w->path);
	window->reads_nothing = true;
	client_call(window, "/test.Echo/Flood", NULL);
	for (int i = 0; i < 50; i++)
		client_turn(window);
	for (int i = 0; i < 10; i++)
		client_call(sock, "/test.Echo/Flood", NULL);
	nghttp2_session_set_local_window_size(sock->session, 0, 0, 1 << 30);
	client_turn(sock);
	when_passed(w, 50);
	assert_int_equal(w->begun, 11);
	assert_true(w->queued_most <= 64 << 10);
	then_others_are_served(w);
	client_close(window);
	client_close(sock);
}

static void a_reader_that_comes_back_gets_more(void **state)
{
	struct grpc_world *w = *state;
	struct grpc_client *g = client_open(w->loop, w->path);
	struct reply *r = client_call(g, "/test.Echo/Flood", NULL);
	client_turn(g);
	when_passed(w, 20);
	client_wait_messages(r, 100);
	client_cancel(r);
	while (!w->gone)
		client_turn(g);
	client_close(g);
}

/* Twice as many at once as the server said: those that it did not begin are refused. */
static void calls_beyond_the_limit_are_refused(void **state)
{
	struct grpc_world *w = *state;
	w->config.max_calls = 3;
	grpc_world_start(w);
	struct grpc_client *g = client_open(w->loop, w->path);
	for (int i = 0; i < 6; i++) /* sent before the server's settings are known */
		client_call(g, "/test.Echo/Hang", NULL);
	while (w->begun < 3)
		client_turn(g);
	for (int i = 0; i < 20; i++)
		client_turn(g);
	assert_int_equal(grpc_server_under_way(w->server), 3);
	client_close(g);
}

#define SERVER_TEST(name) cmocka_unit_test_setup_teardown(name, given_a_server, free_world)
#define WORLD_TEST(name) cmocka_unit_test_setup_teardown(name, given_a_world, free_world)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SERVER_TEST(a_message_that_cannot_be_taken_ends_its_call),
		SERVER_TEST(messages_that_are_not_whole_have_a_bound),
		SERVER_TEST(headers_have_a_bound),
		SERVER_TEST(a_rapid_reset_ends_the_connection),
		SERVER_TEST(resets_now_and_then_are_fine),
		SERVER_TEST(a_client_may_give_up_all_its_calls),
		SERVER_TEST(faults_that_make_the_server_reset_count_too),
		SERVER_TEST(what_nobody_reads_ends_the_connection),
		SERVER_TEST(a_ping_is_answered),
		SERVER_TEST(a_client_that_never_reads_is_not_sent_for),
		SERVER_TEST(a_reader_that_comes_back_gets_more),
		WORLD_TEST(calls_beyond_the_limit_are_refused),
	};
	return cmocka_run_group_tests_name("grpc_hostile", tests, NULL, NULL);
}
