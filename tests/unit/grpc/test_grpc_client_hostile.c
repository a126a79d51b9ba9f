/* SPDX-License-Identifier: Apache-2.0 */
/* The gRPC client and servers that hang, die, lie, or have never heard of gRPC. */
#include "lib/asks.h"
#include "lib/h2_peer.h"

#define ANSWER ":status: 200\ncontent-type: application/grpc"

struct duel {
	struct h2_peer p;
	struct grpc_client *c;
	struct told t;
};

static void given_a_duel(struct duel *d, struct grpc_client_config config)
{
	memset(d, 0, sizeof(*d));
	h2_listen(&d->p, loop_uv_new());
	config.path = d->p.path;
	assert_false(failed(grpc_client_new(d->p.loop, &config, &d->c)));
}

/* A call has been sent, whole; its server has said nothing but its settings. */
static void given_a_call(struct duel *d)
{
	given_a_duel(d, (struct grpc_client_config){ 0 });
	ask_once(d->p.loop, d->c, &d->t, "/a.B/C", "question");
	h2_take_call(&d->p);
}

static void over(struct duel *d)
{
	grpc_client_free(d->c);
	h2_free(&d->p);
	loop_uv_free(d->p.loop);
	told_free(&d->t);
}

static void turns(struct duel *d, int n)
{
	while (n--)
		raw_turn(d->p.loop);
}

/* The connection is as good as before. */
static void then_the_next_call_is_answered(struct duel *d)
{
	struct told next = { 0 };
	int before = h2_count(&d->p, H2_HEADERS, 0);
	ask_once(d->p.loop, d->c, &next, "/a.B/C", "question");
	while (h2_count(&d->p, H2_HEADERS, 0) == before)
		raw_turn(d->p.loop);
	h2_headers(&d->p, 0, (uint32_t)before * 2 + 1, ANSWER);
	h2_message(&d->p, 0, (uint32_t)before * 2 + 1, "answer");
	h2_headers(&d->p, H2_END_STREAM, (uint32_t)before * 2 + 1, "grpc-status: 0");
	told_wait(&next);
	told_is(&next, GRPC_ANSWERED, GRPC_OK);
	assert_string_equal(str_text(&next.bytes), "answer");
	told_free(&next);
}

/* ---- one call, ended in each way ---- */

static void headers_alone(struct h2_peer *p)
{
	h2_headers(p, H2_END_STREAM, 1, ANSWER "\ngrpc-status: 7\ngrpc-message: not%20you%21%zz");
}
static void a_reply(struct h2_peer *p)
{
	h2_headers(p, 0, 1, ":status: 103");
	h2_headers(p, 0, 1, ":status: 200\ncontent-type: application/grpc+proto");
	h2_message(p, 0, 1, "answer");
	h2_headers(p, H2_END_STREAM, 1, "grpc-status: 0\nx-more: yes");
}
static void status_with_an_http_error(struct h2_peer *p)
{
	h2_headers(p, H2_END_STREAM, 1,
		":status: 415\ncontent-type: application/grpc\ngrpc-status: 13");
}
static void refused(struct h2_peer *p) { h2_number(p, H2_RST_STREAM, 1, 7); }
static void gone_before_it(struct h2_peer *p) { h2_goaway(p, 0, 0); }
static void refused_after_an_answer(struct h2_peer *p)
{
	h2_headers(p, 0, 1, ANSWER);
	h2_number(p, H2_RST_STREAM, 1, 7);
}
static void cancelled(struct h2_peer *p) { h2_number(p, H2_RST_STREAM, 1, 8); }
static void calm(struct h2_peer *p) { h2_number(p, H2_RST_STREAM, 1, 11); }
static void reset_without_a_reason(struct h2_peer *p) { h2_number(p, H2_RST_STREAM, 1, 0); }
static void gone_after_it(struct h2_peer *p)
{
	h2_goaway(p, 1, 0);
	h2_close(p);
}
static void closed(struct h2_peer *p) { h2_close(p); }
static void no_status(struct h2_peer *p)
{
	h2_headers(p, 0, 1, ANSWER);
	h2_headers(p, H2_END_STREAM, 1, "x: y");
}
static void no_trailers(struct h2_peer *p)
{
	h2_headers(p, 0, 1, ANSWER);
	h2_message(p, H2_END_STREAM, 1, "answer");
}
static void wrong_status(struct h2_peer *p)
{
	h2_headers(p, H2_END_STREAM, 1, ANSWER "\ngrpc-status: 17");
}
static void two_statuses(struct h2_peer *p)
{
	h2_headers(p, H2_END_STREAM, 1, ANSWER "\ngrpc-status: 0\ngrpc-status: 5");
}
static void unavailable(struct h2_peer *p)
{
	h2_headers(p, 0, 1, ":status: 503\ncontent-type: text/html");
	h2_frame(p, H2_DATA, H2_END_STREAM, 1, "<html>", 6);
}
static void not_found(struct h2_peer *p) { h2_headers(p, H2_END_STREAM, 1, ":status: 404"); }
static void a_web_page(struct h2_peer *p)
{
	h2_headers(p, 0, 1, ":status: 200\ncontent-type: text/html");
}
static void half_a_message(struct h2_peer *p)
{
	h2_headers(p, 0, 1, ANSWER);
	h2_frame(p, H2_DATA, 0, 1, "\0\0\0\0\5abc", 8);
	h2_headers(p, H2_END_STREAM, 1, "grpc-status: 0");
}
static void four_gibibytes(struct h2_peer *p)
{
	h2_headers(p, 0, 1, ANSWER);
	h2_frame(p, H2_DATA, 0, 1, "\0\377\377\377\377", 5);
}
static void compressed(struct h2_peer *p)
{
	h2_headers(p, 0, 1, ANSWER);
	h2_frame(p, H2_DATA, 0, 1, "\1\0\0\0\1x", 6);
}
static void large_headers(struct h2_peer *p)
{
	AUTO(str_free) struct str lines = { 0 };
	str_add(&lines, ANSWER);
	for (int i = 0; i < 130; i++)
		str_addf(&lines, "\nx%d: %0110d", i, i);
	str_add(&lines, "\ngrpc-status: 0");
	h2_headers(p, H2_END_STREAM, 1, str_text(&lines));
}
/* One header of 4,000 bytes goes into the table, and then stands for them in one byte. */
static void a_bomb(struct h2_peer *p)
{
	AUTO(str_free) struct str block = { 0 };
	str_add_bytes(&block, "\x88\x40\x01x\x7f\xa1\x1e", 7);
	for (int i = 0; i < 4000; i++)
		str_add(&block, "y");
	for (int i = 0; i < 12000; i++)
		str_add_bytes(&block, "\xbe", 1);
	h2_frame(p, H2_HEADERS, H2_END_HEADERS, 1, block.text, block.len);
}
static void message_before_headers(struct h2_peer *p) { h2_message(p, 0, 1, "answer"); }
static void a_stream_that_nobody_began(struct h2_peer *p) { h2_headers(p, 0, 2, ANSWER); }
static void a_push(struct h2_peer *p)
{
	h2_frame(p, H2_SETTINGS, H2_ACK, 0, "", 0); /* of ours, which say that it may not */
	h2_frame(p, H2_PUSH_PROMISE, 4, 1, "\0\0\0\2\x88", 5);
}
static void garbage(struct h2_peer *p)
{
	char bytes[3000];
	memset(bytes, 0xee, sizeof(bytes));
	raw_send_bytes(&p->raw, bytes, sizeof(bytes));
}
static void endless_headers(struct h2_peer *p)
{
	h2_frame(p, H2_HEADERS, 0, 1, "\x88", 1);
	for (int i = 0; i < 100 && !p->raw.ended; i++)
		h2_frame(p, H2_CONTINUATION, 0, 1, "", 0);
}
static void a_flood_of_pings(struct h2_peer *p)
{
	AUTO(str_free) struct str pings = { 0 };
	for (int i = 0; i < 20000; i++)
		str_add_bytes(&pings, "\0\0\x8\x6\0\0\0\0\0abcdefgh", 17);
	for (size_t at = 0; at < pings.len;) { /* and it reads no answer */
		ssize_t n = send(p->raw.fd, pings.text + at, pings.len - at, MSG_NOSIGNAL);
		if (n < 0 && errno != EAGAIN)
			return;
		at += n > 0 ? (size_t)n : 0;
		raw_turn(p->loop);
	}
}

static const struct {
	const char *name;
	void (*says)(struct h2_peer *p);
	enum grpc_effect effect;
	enum grpc_status status;
	const char *text;
	bool goes_on; /* the connection does */
} ways[] = {
#define WAY(name, effect, status, text, goes_on) { #name, name, effect, status, text, goes_on }
	WAY(a_reply, GRPC_ANSWERED, GRPC_OK, "", true),
	WAY(headers_alone, GRPC_ANSWERED, GRPC_PERMISSION_DENIED, "not you!%zz", true),
	WAY(status_with_an_http_error, GRPC_ANSWERED, GRPC_INTERNAL, "", true),
	WAY(refused, GRPC_NOT_SENT, GRPC_UNAVAILABLE, "REFUSED_STREAM", true),
	WAY(gone_before_it, GRPC_NOT_SENT, GRPC_UNAVAILABLE, "", false),
	WAY(refused_after_an_answer, GRPC_EFFECT_UNKNOWN, GRPC_UNAVAILABLE, "reset", true),
	WAY(cancelled, GRPC_EFFECT_UNKNOWN, GRPC_CANCELLED, "CANCEL", true),
	WAY(calm, GRPC_EFFECT_UNKNOWN, GRPC_RESOURCE_EXHAUSTED, "CALM", true),
	WAY(reset_without_a_reason, GRPC_EFFECT_UNKNOWN, GRPC_INTERNAL, "reset", true),
	WAY(gone_after_it, GRPC_EFFECT_UNKNOWN, GRPC_UNAVAILABLE, "broke: ", false),
	WAY(closed, GRPC_EFFECT_UNKNOWN, GRPC_UNAVAILABLE, "it was closed", false),
	WAY(no_status, GRPC_EFFECT_UNKNOWN, GRPC_UNKNOWN, "without a status", true),
	WAY(no_trailers, GRPC_EFFECT_UNKNOWN, GRPC_UNKNOWN, "without a status", true),
	WAY(wrong_status, GRPC_EFFECT_UNKNOWN, GRPC_UNKNOWN, "an invalid status", true),
	WAY(two_statuses, GRPC_EFFECT_UNKNOWN, GRPC_UNKNOWN, "an invalid status", true),
	WAY(unavailable, GRPC_EFFECT_UNKNOWN, GRPC_UNAVAILABLE, "HTTP status 503", true),
	WAY(not_found, GRPC_EFFECT_UNKNOWN, GRPC_UNIMPLEMENTED, "HTTP status 404", true),
	WAY(a_web_page, GRPC_EFFECT_UNKNOWN, GRPC_UNKNOWN, "not application/grpc", true),
	WAY(half_a_message, GRPC_EFFECT_UNKNOWN, GRPC_INTERNAL, "within a message", true),
	WAY(four_gibibytes, GRPC_EFFECT_UNKNOWN, GRPC_RESOURCE_EXHAUSTED, "4294967295", true),
	WAY(compressed, GRPC_EFFECT_UNKNOWN, GRPC_INTERNAL, "compressed", true),
	WAY(large_headers, GRPC_EFFECT_UNKNOWN, GRPC_INTERNAL, "more than 16384 bytes", true),
	WAY(a_bomb, GRPC_EFFECT_UNKNOWN, GRPC_INTERNAL, "16384 bytes", true),
	WAY(message_before_headers, GRPC_EFFECT_UNKNOWN, GRPC_UNAVAILABLE, "broke: ", false),
	WAY(a_stream_that_nobody_began, GRPC_EFFECT_UNKNOWN, GRPC_UNAVAILABLE, "broke: ", false),
	WAY(a_push, GRPC_EFFECT_UNKNOWN, GRPC_UNAVAILABLE, "broke: ", false),
	WAY(garbage, GRPC_EFFECT_UNKNOWN, GRPC_UNAVAILABLE, "broke: ", false),
	WAY(endless_headers, GRPC_EFFECT_UNKNOWN, GRPC_UNAVAILABLE, "broke: ", false),
	WAY(a_flood_of_pings, GRPC_EFFECT_UNKNOWN, GRPC_UNAVAILABLE, "broke: ", false),
#undef WAY
};

static void each_end_of_a_call_has_its_meaning(void **state)
{
	struct duel d;
	(void)state;
	for (size_t i = 0; i < LENGTH(ways); i++) {
		print_message("# %s\n", ways[i].name);
		given_a_call(&d);
		ways[i].says(&d.p);
		told_wait(&d.t);
		told_is(&d.t, ways[i].effect, ways[i].status);
		if (!strstr(d.t.text, ways[i].text))
			fail_msg("%s: \"%s\"", ways[i].name, d.t.text);
		if (ways[i].goes_on)
			then_the_next_call_is_answered(&d);
		over(&d);
	}
}

/* ---- the connection ---- */

static void a_call_waits_until_the_server_has_greeted(void **state)
{
	struct duel d;
	(void)state;
	given_a_duel(&d, (struct grpc_client_config){ .patience_ms = 20 });
	d.t.timeout_ms = 100;
	ask_once(d.p.loop, d.c, &d.t, "/a.B/C", "question");
	h2_accept(&d.p); /* and nothing comes of it */
	told_wait(&d.t);
	told_is(&d.t, GRPC_NOT_SENT, GRPC_UNAVAILABLE);
	assert_int_equal(h2_count(&d.p, H2_HEADERS, 0), 0);
	assert_true(d.p.raw.ended);
	over(&d);
}

static void a_program_that_is_no_http2_gets_no_call(void **state)
{
	struct duel d;
	(void)state;
	given_a_duel(&d, (struct grpc_client_config){ 0 });
	d.t.timeout_ms = 50;
	ask_once(d.p.loop, d.c, &d.t, "/a.B/C", "question");
	h2_accept(&d.p);
	raw_send(&d.p.raw, "HTTP/1.1 400 Bad Request\r\n\r\n");
	told_wait(&d.t);
	told_is(&d.t, GRPC_NOT_SENT, GRPC_UNAVAILABLE);
	assert_non_null(strstr(d.t.text, "the connection broke"));
	assert_int_equal(h2_count(&d.p, H2_HEADERS, 0), 0);
	over(&d);
}

static void a_server_that_hangs_is_found_by_ping(void **state)
{
	struct duel d;
	struct told next = { 0 };
	(void)state;
	given_a_duel(&d, (struct grpc_client_config){ .ping_ms = 20, .patience_ms = 20 });
	ask_once(d.p.loop, d.c, &d.t, "/a.B/C", "question");
	h2_take_call(&d.p);
	told_wait(&d.t); /* long before its deadline */
	told_is(&d.t, GRPC_EFFECT_UNKNOWN, GRPC_UNAVAILABLE);
	assert_string_equal(d.t.text, "the connection broke: the server did not answer a PING");
	assert_int_equal(h2_count(&d.p, H2_PING, 0), 1);

	ask_once(d.p.loop, d.c, &next, "/a.B/C", "question");
	h2_take_call(&d.p);
	h2_headers(&d.p, H2_END_STREAM, 1, ANSWER "\ngrpc-status: 0");
	told_wait(&next);
	told_is(&next, GRPC_ANSWERED, GRPC_OK);
	over(&d);
}

static void who_answers_pings_may_take_its_time(void **state)
{
	struct duel d;
	(void)state;
	given_a_duel(&d, (struct grpc_client_config){ .ping_ms = 20, .patience_ms = 2000 });
	ask_once(d.p.loop, d.c, &d.t, "/a.B/C", "question");
	h2_accept(&d.p);
	h2_frame(&d.p, H2_SETTINGS, 0, 0, "", 0);
	for (int answered = 0; answered < 3;) {
		raw_turn(d.p.loop);
		if (h2_count(&d.p, H2_PING, 0) > answered && ++answered)
			h2_frame(&d.p, H2_PING, H2_ACK, 0, "\0\0\0\0\0\0\0", 8);
	}
	h2_headers(&d.p, H2_END_STREAM, 1, ANSWER "\ngrpc-status: 0");
	told_wait(&d.t);
	told_is(&d.t, GRPC_ANSWERED, GRPC_OK);
	over(&d);
}

static void no_more_calls_are_sent_than_the_server_allows(void **state)
{
	struct duel d;
	struct told second = { 0 };
	(void)state;
	given_a_duel(&d, (struct grpc_client_config){ 0 });
	ask_once(d.p.loop, d.c, &d.t, "/a.B/C", "first");
	ask_once(d.p.loop, d.c, &second, "/a.B/C", "second");
	h2_accept(&d.p);
	h2_allow(&d.p, 0);
	turns(&d, 10);
	assert_int_equal(h2_count(&d.p, H2_HEADERS, 0), 0);
	h2_allow(&d.p, 1);
	h2_wait_calls(&d.p, 1);
	turns(&d, 10);
	assert_int_equal(h2_count(&d.p, H2_HEADERS, 0), 1);
	h2_headers(&d.p, H2_END_STREAM, 1, ANSWER "\ngrpc-status: 0");
	h2_wait_calls(&d.p, 2);
	h2_headers(&d.p, H2_END_STREAM, 3, ANSWER "\ngrpc-status: 0");
	told_wait(&d.t);
	told_wait(&second);
	told_is(&second, GRPC_ANSWERED, GRPC_OK);
	over(&d);
}

static void those_behind_a_goaway_are_not_lost(void **state)
{
	struct duel d;
	struct told second = { 0 };
	(void)state;
	given_a_call(&d);
	ask_once(d.p.loop, d.c, &second, "/a.B/C", "second");
	h2_wait_calls(&d.p, 2);
	h2_goaway(&d.p, 1, 0);
	told_wait(&second);
	told_is(&second, GRPC_NOT_SENT, GRPC_UNAVAILABLE);
	assert_int_equal(d.t.done, 0);
	h2_headers(&d.p, H2_END_STREAM, 1, ANSWER "\ngrpc-status: 0");
	told_wait(&d.t);
	told_is(&d.t, GRPC_ANSWERED, GRPC_OK);
	raw_wait_end(&d.p.raw);
	over(&d);
}

static void servers_that_go_one_after_the_other_are_not_kept(void **state)
{
	enum { SERVERS = 6, KEPT = 4 };
	struct duel d;
	struct told t[SERVERS] = { 0 };
	int fds[SERVERS];
	(void)state;
	given_a_duel(&d, (struct grpc_client_config){ 0 });
	for (int i = 0; i < SERVERS; i++) {
		ask_once(d.p.loop, d.c, &t[i], "/a.B/C", "question");
		h2_take_call(&d.p);
		h2_goaway(&d.p, 1, 0);
		turns(&d, 3);
		fds[i] = d.p.raw.fd; /* it stays open */
		str_free(&d.p.raw.got);
		d.p.raw.fd = -1;
	}
	for (int i = 0; i < SERVERS; i++)
		if (i < SERVERS - KEPT)
			told_is(&t[i], GRPC_EFFECT_UNKNOWN, GRPC_UNAVAILABLE);
		else
			assert_int_equal(t[i].done, 0);
	over(&d);
	for (int i = 0; i < SERVERS; i++)
		close(fds[i]);
}

static void a_pause_between_attempts_grows(void **state)
{
	struct duel d;
	int attempts = 0;
	(void)state;
	given_a_duel(&d, (struct grpc_client_config){ .seed = 7 });
	d.t.timeout_ms = 1000;
	ask_once(d.p.loop, d.c, &d.t, "/a.B/C", "question");
	while (!d.t.done) {
		raw_turn(d.p.loop);
		int fd = accept4(d.p.listener, NULL, NULL, SOCK_CLOEXEC);
		attempts += fd >= 0;
		close(fd);
	}
	told_is(&d.t, GRPC_NOT_SENT, GRPC_UNAVAILABLE);
	/* at once, and after 100, 200, 400 and 800 ms, or half of each */
	assert_in_range(attempts, 3, 5);
	over(&d);
}

static void what_a_pausing_receiver_holds_is_bounded(void **state)
{
	struct duel d;
	char full[16384] = "\0\0\0\x3f\xfb"; /* a message that fills its frame */
	(void)state;
	given_a_duel(&d, (struct grpc_client_config){ 0 });
	d.t.pauses_after = 1;
	ask_once(d.p.loop, d.c, &d.t, "/a.B/C", "question");
	h2_take_call(&d.p);
	h2_headers(&d.p, 0, 1, ANSWER);
	for (int i = 0; i < 9 && !d.p.raw.ended; i++) /* the window is of 128 KiB */
		h2_frame(&d.p, H2_DATA, 0, 1, full, sizeof(full));
	told_wait(&d.t);
	told_is(&d.t, GRPC_EFFECT_UNKNOWN, GRPC_INTERNAL);
	assert_int_equal(d.t.messages, 1);
	over(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_end_of_a_call_has_its_meaning),
		cmocka_unit_test(a_call_waits_until_the_server_has_greeted),
		cmocka_unit_test(a_program_that_is_no_http2_gets_no_call),
		cmocka_unit_test(a_server_that_hangs_is_found_by_ping),
		cmocka_unit_test(who_answers_pings_may_take_its_time),
		cmocka_unit_test(no_more_calls_are_sent_than_the_server_allows),
		cmocka_unit_test(those_behind_a_goaway_are_not_lost),
		cmocka_unit_test(servers_that_go_one_after_the_other_are_not_kept),
		cmocka_unit_test(a_pause_between_attempts_grows),
		cmocka_unit_test(what_a_pausing_receiver_holds_is_bounded),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
