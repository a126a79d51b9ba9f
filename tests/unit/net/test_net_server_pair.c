/* SPDX-License-Identifier: Apache-2.0 */
/* A server with TLS whose certificate is handed over, and handed over again. */
#include "lib/http_world.h"

#include "lib/identity.h"
#include "net/server.h"

static void handle(void *ctx, struct exchange *x)
{
	struct str body = { 0 };
	(void)ctx;
	str_add(&body, "hello");
	exchange_reply(x, 200, "text/plain", &body);
}

/* On a connection of its own, by a client that trusts this one alone. */
static bool answered(struct world *w, const struct http_server *s, const struct identity *trusted)
{
	struct http_config c = { .base_url = "https://", .ca_pem = trusted->cert_pem };
	http_free(TAKE(w->http));
	connect_to(w, http_server_port(s), c);
	w->ended = 0;
	get(w, (struct http_request){ 0 });
	return !failed(w->err) && w->status == 200;
}

static void a_pair_that_is_handed_over_counts_from_the_next_connection_on(void **state)
{
	struct world *w = *state;
	struct http_server *s = NULL;
	struct identity old = make_identity("old", "IP:127.0.0.1"),
			new = make_identity("new", "IP:127.0.0.1");
	const struct http_server_config c = {
		.address = "127.0.0.1:0",
		.tls = true,
		.handler = handle,
	};
	assert_false(failed(http_server_new(w->loop, &c, &s)));
	/* given none: no client can connect */
	assert_false(answered(w, s, &old));
	assert_false(failed(http_server_use_pair(s, old.cert_pem, old.key_pem)));
	assert_true(answered(w, s, &old));
	/* when another one is handed over, who is connected stays so */
	assert_false(failed(http_server_use_pair(s, new.cert_pem, new.key_pem)));
	w->ended = 0;
	get(w, (struct http_request){ 0 });
	assert_false(failed(w->err));
	assert_true(answered(w, s, &new));
	assert_false(answered(w, s, &old));
	/* A pair that is not usable changes nothing. */
	struct err e = http_server_use_pair(s, old.cert_pem, new.key_pem);
	assert_int_equal(e.kind, ERR_INVALID);
	assert_true(answered(w, s, &new));
	http_server_free(s);
	drop_identity(&old);
	drop_identity(&new);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		HTTP_TEST(a_pair_that_is_handed_over_counts_from_the_next_connection_on),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
