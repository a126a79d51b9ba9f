/* SPDX-License-Identifier: Apache-2.0 */
/* A call names its server, and a server with another name refuses it. */
#include "lib/asks.h"
#include "lib/grpc_world.h"
#include "lib/raw_client.h"

static const char *const names[] = { "alice", "1000", NULL };

static void given_a_server_with_names(struct grpc_world *w)
{
	grpc_world_new(w);
	w->config.audience = names;
	grpc_world_start(w);
}

/* A client whose calls are for this one asks once. */
static void when_asked(struct grpc_world *w, const char *audience, struct told *t)
{
	const struct grpc_client_config config = { .path = w->path, .audience = audience };
	struct grpc_client *c;
	assert_false(failed(grpc_client_new(w->loop, &config, &c)));
	*t = (struct told){ 0 };
	ask_once(w->loop, c, t, "/test.Echo/Once", "hello");
	told_wait(t);
	grpc_client_free(c);
}

static void over(struct grpc_world *w)
{
	for (int i = 0; i < 100 && w->begun != w->gone; i++)
		raw_turn(w->loop);
	grpc_world_free(w);
}

/* Acceptance: vnode-19 */
static void a_call_for_a_name_of_the_server_is_taken(void **state)
{
	static const char *const rows[] = { "alice", "1000", NULL }; /* the last says none */
	struct grpc_world w;
	struct told t;
	(void)state;
	given_a_server_with_names(&w);
	for (size_t i = 0; i < LENGTH(rows); i++) {
		when_asked(&w, rows[i], &t);
		told_is(&t, GRPC_ANSWERED, GRPC_OK);
		assert_string_equal(str_text(&t.bytes), "hello");
		told_free(&t);
	}
	over(&w);
}

/* Acceptance: vnode-19 */
static void a_call_for_another_is_no_methods(void **state)
{
	static const char *const rows[] = { "bob", "alic", "alice2", "Alice", "100", "" };
	struct grpc_world w;
	struct told t;
	char text[64];
	(void)state;
	given_a_server_with_names(&w);
	for (size_t i = 0; i < LENGTH(rows); i++) {
		when_asked(&w, rows[i], &t);
		told_is(&t, GRPC_ANSWERED, GRPC_UNAVAILABLE);
		snprintf(text, sizeof(text), "the call is for %s, and this is alice", rows[i]);
		assert_string_equal(t.text, text);
		told_free(&t);
	}
	assert_int_equal(w.begun, 0);
	over(&w);
}

/* Like any unknown header. */
/* Acceptance: vnode-19 */
static void a_server_without_names_takes_a_call_for_anybody(void **state)
{
	struct grpc_world w;
	struct told t;
	(void)state;
	grpc_world_new(&w);
	grpc_world_start(&w);
	when_asked(&w, "bob", &t);
	told_is(&t, GRPC_ANSWERED, GRPC_OK);
	told_free(&t);
	over(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_call_for_a_name_of_the_server_is_taken),
		cmocka_unit_test(a_call_for_another_is_no_methods),
		cmocka_unit_test(a_server_without_names_takes_a_call_for_anybody),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
