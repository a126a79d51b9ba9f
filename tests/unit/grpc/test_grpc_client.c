/* SPDX-License-Identifier: Apache-2.0 */
/* The gRPC client and our own server, on one loop. */
#include "lib/asks.h"
#include "lib/grpc_world.h"
#include "lib/raw_client.h"

struct pair {
	struct grpc_world w;
	struct grpc_client *c;
};

static void given_a_client(struct pair *p, struct grpc_client_config config)
{
	config.path = p->w.path;
	assert_false(failed(grpc_client_new(p->w.loop, &config, &p->c)));
}

static void given_a_pair(struct pair *p)
{
	grpc_world_new(&p->w);
	grpc_world_start(&p->w);
	given_a_client(p, (struct grpc_client_config){ 0 });
}

static void over(struct pair *p)
{
	grpc_client_free(p->c);
	for (int i = 0; i < 100 && p->w.begun != p->w.gone; i++)
		raw_turn(p->w.loop);
	grpc_world_free(&p->w);
}

static void when_asked(struct pair *p, struct told *t, const char *method, const char *text)
{
	ask_once(p->w.loop, p->c, t, method, text);
	told_wait(t);
}

/* ---- calls ---- */

static void a_message_is_answered_by_one(void **state)
{
	struct pair p;
	struct told t = { 0 };
	(void)state;
	given_a_pair(&p);
	when_asked(&p, &t, "/test.Echo/Once", "hello");
	told_is(&t, GRPC_ANSWERED, GRPC_OK);
	assert_int_equal(t.messages, 1);
	assert_string_equal(str_text(&t.bytes), "hello");
	assert_string_equal(t.text, "");
	told_free(&t);
	over(&p);
}

static void a_status_has_its_sentence(void **state)
{
	struct pair p;
	struct told t = { 0 };
	(void)state;
	given_a_pair(&p);
	when_asked(&p, &t, "/test.Echo/Fail", "\x05no caf\xc3\xa9: 100%\x1b");
	told_is(&t, GRPC_ANSWERED, GRPC_NOT_FOUND);
	assert_string_equal(t.text, "no caf\xc3\xa9: 100% ");
	told_free(&t);
	t = (struct told){ 0 };
	when_asked(&p, &t, "/test.Echo/Twice", "");
	told_is(&t, GRPC_ANSWERED, GRPC_UNIMPLEMENTED);
	told_free(&t);
	over(&p);
}

static void streams_go_both_ways(void **state)
{
	struct pair p;
	struct told count = { 0 }, sum = { 0 }, chat = { 0 };
	char thousand[1001] = "";
	(void)state;
	given_a_pair(&p);
	when_asked(&p, &count, "/test.Echo/Count", memset(thousand, 'x', 1000));
	told_is(&count, GRPC_ANSWERED, GRPC_OK);
	assert_int_equal(count.messages, 1000);
	assert_int_equal(count.size, 1000000);

	ask_begin(p.w.loop, p.c, &sum, "/test.Echo/Sum");
	for (int i = 0; i < 1000; i++)
		grpc_ask_send(sum.ask, thousand, 1000);
	grpc_ask_end(sum.ask);
	grpc_ask_send(sum.ask, "too late", 8);
	told_wait(&sum);
	assert_string_equal(str_text(&sum.bytes), "1000000");

	ask_begin(p.w.loop, p.c, &chat, "/test.Echo/Chat");
	for (int i = 1; i <= 100; i++) {
		grpc_ask_send(chat.ask, thousand, 1000);
		told_wait_messages(&chat, i);
	}
	assert_true(chat.writable > 0);
	grpc_ask_end(chat.ask);
	told_wait(&chat);
	told_is(&chat, GRPC_ANSWERED, GRPC_OK);
	told_free(&count);
	told_free(&sum);
	told_free(&chat);
	over(&p);
}

static void large_messages_pass_and_too_large_ones_do_not(void **state)
{
	enum { LARGE = 3 << 20 };
	struct pair p;
	struct told t = { 0 };
	char *large = own_alloc(LARGE + 1);
	(void)state;
	given_a_pair(&p);
	memset(large, 'x', LARGE);
	when_asked(&p, &t, "/test.Echo/Once", large);
	told_is(&t, GRPC_ANSWERED, GRPC_OK);
	assert_int_equal(t.size, LARGE);
	assert_memory_equal(t.bytes.text, large, LARGE);
	told_free(&t);
	grpc_client_free(p.c);

	given_a_client(&p, (struct grpc_client_config){ .max_message_bytes = 1000 });
	t = (struct told){ 0 };
	large[1001] = '\0';
	when_asked(&p, &t, "/test.Echo/Once", large);
	told_is(&t, GRPC_EFFECT_UNKNOWN, GRPC_RESOURCE_EXHAUSTED);
	assert_int_equal(t.messages, 0);
	told_free(&t);
	free(large);
	over(&p);
}

/* ---- ends ---- */

static void the_deadline_ends_a_call(void **state)
{
	struct pair p;
	struct told t = { .timeout_ms = 50 };
	(void)state;
	given_a_pair(&p);
	when_asked(&p, &t, "/test.Echo/Hang", "x");
	assert_int_equal(t.status, GRPC_DEADLINE_EXCEEDED);
	assert_true(p.w.deadline_ms < INT64_MAX);
	told_free(&t);
	over(&p);
}

static void a_cancelled_call_is_over_for_the_server_too(void **state)
{
	struct pair p;
	struct told t = { 0 };
	(void)state;
	given_a_pair(&p);
	ask_begin(p.w.loop, p.c, &t, "/test.Echo/Hang");
	grpc_ask_send(t.ask, "x", 1);
	while (!p.w.begun)
		raw_turn(p.w.loop);
	grpc_ask_cancel(t.ask);
	while (!p.w.gone)
		raw_turn(p.w.loop);
	assert_int_equal(t.done, 0);
	over(&p);
	assert_int_equal(t.done, 0);
}

static void a_client_that_is_freed_ends_its_calls(void **state)
{
	struct pair p;
	struct told sent = { 0 }, waiting = { 0 };
	(void)state;
	given_a_pair(&p);
	ask_begin(p.w.loop, p.c, &sent, "/test.Echo/Hang");
	while (!p.w.begun)
		raw_turn(p.w.loop);
	ask_begin(p.w.loop, p.c, &waiting, "/test.Echo/Once");
	over(&p);
	told_is(&sent, GRPC_EFFECT_UNKNOWN, GRPC_CANCELLED);
	told_is(&waiting, GRPC_NOT_SENT, GRPC_CANCELLED);
}

/* ---- many ---- */

static void many_calls_wait_for_a_server_that_allows_few(void **state)
{
	enum { MANY = 500 };
	struct pair p;
	struct told *t = own_alloc(MANY * sizeof(*t));
	char text[32];
	(void)state;
	grpc_world_new(&p.w);
	p.w.config.max_calls = 7;
	grpc_world_start(&p.w);
	given_a_client(&p, (struct grpc_client_config){ 0 });
	for (int i = 0; i < MANY; i++) {
		snprintf(text, sizeof(text), "number %d", i);
		ask_once(p.w.loop, p.c, &t[i], "/test.Echo/Once", text);
	}
	for (int i = 0; i < MANY; i++) {
		snprintf(text, sizeof(text), "number %d", i);
		told_wait(&t[i]);
		told_is(&t[i], GRPC_ANSWERED, GRPC_OK);
		assert_string_equal(str_text(&t[i].bytes), text);
		told_free(&t[i]);
	}
	free(t);
	over(&p);
}

static void the_queue_of_those_who_wait_is_bounded(void **state)
{
	struct pair p;
	struct told t[5] = { 0 };
	(void)state;
	grpc_world_new(&p.w);
	grpc_world_start(&p.w);
	given_a_client(&p, (struct grpc_client_config){ .max_waiting = 4 });
	for (int i = 0; i < 5; i++)
		ask_once(p.w.loop, p.c, &t[i], "/test.Echo/Once", "x");
	for (int i = 0; i < 5; i++)
		told_wait(&t[i]);
	for (int i = 0; i < 4; i++)
		told_is(&t[i], GRPC_ANSWERED, GRPC_OK);
	told_is(&t[4], GRPC_NOT_SENT, GRPC_RESOURCE_EXHAUSTED);
	for (int i = 0; i < 5; i++)
		told_free(&t[i]);
	over(&p);
}

static void what_waits_may_not_be_too_large(void **state)
{
	enum { LARGE = 4 << 20 };
	struct pair p;
	struct told t[17] = { 0 };
	char *large = own_alloc(LARGE);
	(void)state;
	given_a_pair(&p);
	for (int i = 0; i < 17; i++) {
		ask_begin(p.w.loop, p.c, &t[i], "/test.Echo/Sum");
		grpc_ask_send(t[i].ask, large, LARGE);
		grpc_ask_end(t[i].ask);
	}
	for (int i = 0; i < 17; i++)
		told_wait(&t[i]);
	for (int i = 0; i < 15; i++)
		told_is(&t[i], GRPC_ANSWERED, GRPC_OK);
	told_is(&t[16], GRPC_NOT_SENT, GRPC_RESOURCE_EXHAUSTED);
	for (int i = 0; i < 17; i++)
		told_free(&t[i]);
	free(large);
	over(&p);
}

/* ---- back-pressure ---- */

static void a_receiver_that_pauses_is_not_flooded(void **state)
{
	struct pair p;
	struct told t = { .pauses_after = 3, .forgets = true }, other = { 0 };
	(void)state;
	given_a_pair(&p);
	ask_begin(p.w.loop, p.c, &t, "/test.Echo/Flood");
	told_wait_messages(&t, 3);
	int written = 0;
	for (int i = 0; i < 200; i++)
		raw_turn(p.w.loop);
	written = p.w.writable;
	assert_int_equal(t.messages, 3);
	when_asked(&p, &other, "/test.Echo/Once", "x"); /* others go on */
	told_is(&other, GRPC_ANSWERED, GRPC_OK);
	assert_int_equal(p.w.writable, written);

	t.pauses_after = 1000;
	grpc_ask_resume(t.ask);
	assert_int_equal(t.messages, 3); /* nothing comes from within */
	told_wait_messages(&t, 1000);
	assert_int_equal(t.size, 1000 * (16 << 10));
	grpc_ask_cancel(t.ask);
	told_free(&t);
	told_free(&other);
	over(&p);
}

static void the_end_waits_until_all_is_taken(void **state)
{
	struct pair p;
	struct told t = { .pauses_after = 2 };
	(void)state;
	given_a_pair(&p);
	ask_once(p.w.loop, p.c, &t, "/test.Echo/Count", "1234567");
	for (int i = 0; i < 100; i++)
		raw_turn(p.w.loop);
	assert_int_equal(t.messages, 2);
	assert_int_equal(t.done, 0);
	grpc_server_free(TAKE(p.w.server)); /* all has come: the connection is not needed */
	for (int i = 0; i < 10; i++)
		raw_turn(p.w.loop);
	t.pauses_after = 0;
	grpc_ask_resume(t.ask);
	told_wait(&t);
	told_is(&t, GRPC_ANSWERED, GRPC_OK);
	assert_int_equal(t.messages, 7);
	told_free(&t);
	over(&p);
}

static void a_pause_does_not_outlast_the_deadline(void **state)
{
	struct pair p;
	struct told t = { .pauses_after = 2, .timeout_ms = 50 };
	(void)state;
	given_a_pair(&p);
	ask_once(p.w.loop, p.c, &t, "/test.Echo/Count", "1234567");
	told_wait(&t);
	assert_int_equal(t.status, GRPC_DEADLINE_EXCEEDED);
	told_free(&t);
	over(&p);
}

/* ---- the connection ---- */

static void without_a_server_calls_wait_until_their_deadline(void **state)
{
	struct pair p;
	struct told t = { .timeout_ms = 50 }, patient = { 0 };
	(void)state;
	grpc_world_new(&p.w);
	close(p.w.config.listen_fd);
	unlink(p.w.path);
	given_a_client(&p, (struct grpc_client_config){ 0 });
	ask_once(p.w.loop, p.c, &patient, "/test.Echo/Once", "x");
	when_asked(&p, &t, "/test.Echo/Once", "x");
	told_is(&t, GRPC_NOT_SENT, GRPC_UNAVAILABLE);
	assert_non_null(strstr(t.text, "connecting to "));
	assert_non_null(strstr(t.text, "No such file"));

	p.w.config.listen_fd = grpc_world_listen(p.w.path);
	grpc_world_start(&p.w);
	told_wait(&patient);
	told_is(&patient, GRPC_ANSWERED, GRPC_OK);
	told_free(&patient);
	told_free(&t);
	over(&p);
}

static void what_was_sent_to_a_server_that_died_is_lost(void **state)
{
	struct pair p;
	struct told t = { 0 }, next = { 0 };
	(void)state;
	given_a_pair(&p);
	ask_begin(p.w.loop, p.c, &t, "/test.Echo/Hang");
	while (!p.w.begun)
		raw_turn(p.w.loop);
	grpc_server_free(TAKE(p.w.server));
	told_wait(&t);
	told_is(&t, GRPC_EFFECT_UNKNOWN, GRPC_UNAVAILABLE);
	assert_string_equal(t.text, "the connection broke: it was closed");

	p.w.config.listen_fd = grpc_world_listen(p.w.path);
	grpc_world_start(&p.w);
	when_asked(&p, &next, "/test.Echo/Once", "again");
	told_is(&next, GRPC_ANSWERED, GRPC_OK);
	told_free(&next);
	over(&p);
}

static void a_server_that_finishes_ends_what_it_has(void **state)
{
	struct pair p;
	struct told old = { 0 }, young = { .timeout_ms = 50 };
	(void)state;
	given_a_pair(&p);
	ask_begin(p.w.loop, p.c, &old, "/test.Echo/Chat");
	grpc_ask_send(old.ask, "x", 1);
	told_wait_messages(&old, 1);
	unlink(p.w.path);
	grpc_server_finish(p.w.server);
	for (int i = 0; i < 5; i++)
		raw_turn(p.w.loop);
	when_asked(&p, &young, "/test.Echo/Once", "x");
	told_is(&young, GRPC_NOT_SENT, GRPC_UNAVAILABLE);
	grpc_ask_send(old.ask, "y", 1);
	told_wait_messages(&old, 2);
	grpc_ask_end(old.ask);
	told_wait(&old);
	told_is(&old, GRPC_ANSWERED, GRPC_OK);
	told_free(&old);
	told_free(&young);
	over(&p);
}

static void a_connected_socket_is_used_once(void **state)
{
	struct pair p;
	struct told t = { 0 }, late = { 0 };
	(void)state;
	grpc_world_new(&p.w);
	grpc_world_start(&p.w);
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	snprintf(at.sun_path, sizeof(at.sun_path), "%s", p.w.path);
	const struct grpc_client_config config = {
		.fd = raw_open(p.w.loop, AF_UNIX, &at, sizeof(at)).fd
	};
	assert_false(failed(grpc_client_new(p.w.loop, &config, &p.c)));
	when_asked(&p, &t, "/test.Echo/Once", "x");
	told_is(&t, GRPC_ANSWERED, GRPC_OK);
	grpc_server_free(TAKE(p.w.server));
	for (int i = 0; i < 5; i++)
		raw_turn(p.w.loop);
	when_asked(&p, &late, "/test.Echo/Once", "x");
	told_is(&late, GRPC_NOT_SENT, GRPC_UNAVAILABLE);
	told_free(&t);
	over(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_message_is_answered_by_one),
		cmocka_unit_test(a_status_has_its_sentence),
		cmocka_unit_test(streams_go_both_ways),
		cmocka_unit_test(large_messages_pass_and_too_large_ones_do_not),
		cmocka_unit_test(the_deadline_ends_a_call),
		cmocka_unit_test(a_cancelled_call_is_over_for_the_server_too),
		cmocka_unit_test(a_client_that_is_freed_ends_its_calls),
		cmocka_unit_test(many_calls_wait_for_a_server_that_allows_few),
		cmocka_unit_test(the_queue_of_those_who_wait_is_bounded),
		cmocka_unit_test(what_waits_may_not_be_too_large),
		cmocka_unit_test(a_receiver_that_pauses_is_not_flooded),
		cmocka_unit_test(the_end_waits_until_all_is_taken),
		cmocka_unit_test(a_pause_does_not_outlast_the_deadline),
		cmocka_unit_test(without_a_server_calls_wait_until_their_deadline),
		cmocka_unit_test(what_was_sent_to_a_server_that_died_is_lost),
		cmocka_unit_test(a_server_that_finishes_ends_what_it_has),
		cmocka_unit_test(a_connected_socket_is_used_once),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
