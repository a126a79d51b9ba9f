/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The server for health and metrics, asked by our own client; and the loop that both run
 * on.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <signal.h>
#include <string.h>

#include "base/own.h"
#include "net/http.h"
#include "net/server.h"

struct world {
	struct loop *loop;
	struct http_server *server;
	struct http *http;
	struct err err;
	int status, handled;
	struct str body;
};

enum { SHARED_BYTES = 3000000 };

/* The maker leaves the text before it can have been sent. */
static void reply_shared(struct exchange *x)
{
	struct str text = { 0 }, rest = { 0 };
	size_t n;
	while (text.len < SHARED_BYTES)
		str_add(&text, "up 1\n");
	struct http_shared *shared = http_shared_new(&text);
	assert_int_equal(text.len, 0);
	assert_non_null(http_shared_text(shared, &n));
	assert_int_equal(n, SHARED_BYTES);
	str_add(&rest, "end\n");
	exchange_reply_shared(x, 200, "text/plain", shared, &rest);
	assert_int_equal(rest.len, 0);
	http_shared_leave(shared);
}

static void reply_rest_alone(struct exchange *x)
{
	struct str rest = { 0 };
	size_t n;
	assert_string_equal(http_shared_text(NULL, &n), "");
	str_add(&rest, "alone\n");
	exchange_reply_shared(x, 200, "text/plain", NULL, &rest);
}

static void handle(void *ctx, struct exchange *x)
{
	struct world *w = ctx;
	bool known = strcmp(exchange_path(x), "/metrics") == 0;
	struct str body = { 0 };
	w->handled++;
	if (str_eq(exchange_path(x), "/shared")) {
		reply_shared(x);
		return;
	}
	if (str_eq(exchange_path(x), "/rest")) {
		reply_rest_alone(x);
		return;
	}
	for (int i = 0; known && i < 20000; i++)
		str_add(&body, "up 1\n");
	exchange_reply(x, known ? 200 : 404, "text/plain; version=0.0.4", &body);
	assert_int_equal(body.len, 0);
}

static struct err listen_on(struct world *w, const char *address, struct http_server **out)
{
	const struct http_server_config config = {
		.address = address,
		.handler = handle,
		.ctx = w,
	};
	return http_server_new(w->loop, &config, out);
}

static int given_a_server(void **state)
{
	struct world *w = own_alloc(sizeof(*w));
	AUTO(str_free) struct str url = { 0 };
	w->loop = loop_uv_new();
	assert_false(failed(listen_on(w, "127.0.0.1:0", &w->server)));
	str_addf(&url, "http://127.0.0.1:%d", http_server_port(w->server));
	assert_false(failed(http_curl_new(w->loop,
		&(struct http_config){ .base_url = str_text(&url) }, &w->http)));
	*state = w;
	return 0;
}

static int free_world(void **state)
{
	struct world *w = *state;
	http_free(w->http);
	http_server_free(w->server);
	loop_uv_free(w->loop);
	str_free(&w->body);
	free(w);
	return 0;
}

static void done(void *ctx, struct err e, const struct http_answer *a)
{
	struct world *w = ctx;
	w->err = e;
	if (a) {
		w->status = a->status;
		str_clear(&w->body);
		str_add_bytes(&w->body, a->body, a->body_bytes);
	}
	loop_uv_stop(w->loop);
}

static void ask(struct world *w, const char *method, const char *path, const char *body)
{
	const struct http_request r = {
		.method = method,
		.path = path,
		.body = body,
		.body_bytes = body ? strlen(body) : 0,
	};
	http_send(w->http, &r, done, w);
	loop_uv_run(w->loop);
	assert_false(failed(w->err));
}

static void a_path_is_answered(void **state)
{
	struct world *w = *state;
	ask(w, "GET", "/metrics?x=y", NULL);
	assert_int_equal(w->status, 200);
	assert_int_equal(w->body.len, 100000);
	ask(w, "GET", "/nothing", NULL);
	assert_int_equal(w->status, 404);
	assert_int_equal(w->handled, 2);
}

static void a_shared_text_is_sent_before_the_rest(void **state)
{
	struct world *w = *state;
	for (int i = 0; i < 3; i++) {
		ask(w, "GET", "/shared", NULL);
		assert_int_equal(w->status, 200);
		assert_int_equal(w->body.len, SHARED_BYTES + strlen("end\n"));
		assert_memory_equal(w->body.text, "up 1\nup", 7);
		assert_string_equal(w->body.text + SHARED_BYTES - 2, "1\nend\n");
	}
	ask(w, "GET", "/rest", NULL);
	assert_string_equal(str_text(&w->body), "alone\n");
}

static void what_would_change_something_is_refused(void **state)
{
	struct world *w = *state;
	ask(w, "POST", "/metrics", "{}");
	assert_int_equal(w->status, 405);
	ask(w, "DELETE", "/metrics", NULL);
	assert_int_equal(w->status, 405);
	assert_int_equal(w->handled, 0);
}

static void an_address_in_use_or_of_no_use_is_named(void **state)
{
	struct world *w = *state;
	struct http_server *second = NULL;
	AUTO(str_free) struct str address = { 0 };
	const char *const bad[] = { "8080", ":", ":70000", "host.example:80", "1:2:3" };
	str_addf(&address, "127.0.0.1:%d", http_server_port(w->server));
	struct err e = listen_on(w, str_text(&address), &second);
	assert_int_equal(e.kind, ERR_INVALID);
	assert_non_null(strstr(e.text, "in use"));
	for (size_t i = 0; i < LENGTH(bad); i++) {
		e = listen_on(w, bad[i], &second);
		assert_int_equal(e.kind, ERR_INVALID);
		assert_non_null(strstr(e.text, bad[i]));
	}
}

static void an_address_without_a_host_is_all_of_them(void **state)
{
	struct world *w = *state;
	struct http_server *second = NULL;
	assert_false(failed(listen_on(w, ":0", &second)));
	assert_int_not_equal(http_server_port(second), 0);
	http_server_free(second);
}

/* ---- the loop ---- */

struct order {
	struct loop *loop;
	char seen[8];
	int n;
	struct timer *other;
};

static void nested(void *ctx)
{
	struct order *o = ctx;
	o->seen[o->n++] = 'c';
	loop_uv_stop(o->loop);
}

static void first(void *ctx)
{
	struct order *o = ctx;
	o->seen[o->n++] = 'a';
	timer_stop(o->loop, o->other);
	timer_start(o->loop, 0, nested, o);
	o->seen[o->n++] = 'b';
}

static void never(void *ctx)
{
	(void)ctx;
	fail_msg("a stopped timer ran");
}

static void timers_run_in_order_and_never_nested(void **state)
{
	struct order o = { .loop = loop_uv_new() };
	(void)state;

	timer_start(o.loop, 0, first, &o);
	o.other = timer_start(o.loop, 0, never, &o);
	timer_start(o.loop, 3600000, never, &o); /* left to loop_uv_free */
	loop_uv_run(o.loop);
	assert_string_equal(o.seen, "abc");
	assert_true(loop_wall_ms(o.loop) > INT64_C(1700000000000));
	loop_uv_free(o.loop);
}

static void signalled(void *ctx, int number)
{
	struct order *o = ctx;
	o->n = number;
	loop_uv_stop(o->loop);
}

static void send_signal(void *ctx)
{
	(void)ctx;
	raise(SIGTERM);
}

static void a_signal_is_told(void **state)
{
	struct order o = { .loop = loop_uv_new() };
	(void)state;

	loop_uv_on_signal(o.loop, signalled, &o);
	timer_start(o.loop, 0, send_signal, &o);
	loop_uv_run(o.loop);
	assert_int_equal(o.n, SIGTERM);
	loop_uv_free(o.loop);
}

#define SERVER_TEST(name) cmocka_unit_test_setup_teardown(name, given_a_server, free_world)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SERVER_TEST(a_path_is_answered),
		SERVER_TEST(a_shared_text_is_sent_before_the_rest),
		SERVER_TEST(what_would_change_something_is_refused),
		SERVER_TEST(an_address_in_use_or_of_no_use_is_named),
		SERVER_TEST(an_address_without_a_host_is_all_of_them),
		cmocka_unit_test(timers_run_in_order_and_never_nested),
		cmocka_unit_test(a_signal_is_told),
	};
	return cmocka_run_group_tests_name("net_server", tests, NULL, NULL);
}
