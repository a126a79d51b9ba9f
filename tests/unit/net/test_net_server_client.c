/* SPDX-License-Identifier: Apache-2.0 */
/* A server that asks clients for a certificate, and serves those without one as well. */
#include "lib/test.h"

#include <sys/stat.h>

#include "base/log.h"
#include "lib/identity.h"
#include "lib/raw_client.h"
#include "lib/redbox_folder.h"
#include "net/http.h"
#include "net/server.h"

struct world {
	struct loop *loop;
	struct test_folder folder;
	struct identity server, client;
	struct http_server *http;
	struct str said; /* the body of the last answer */
	int status;
};

static void handle(void *ctx, struct exchange *x)
{
	struct arena a AUTO(arena_free) = { 0 };
	struct x509_subject who;
	struct str body = { 0 };
	(void)ctx;
	str_add(&body, exchange_client(x, &a, &who) ? who.name : "nobody");
	exchange_reply(x, 200, "text/plain", &body);
}

static void trust(struct world *w, const struct identity *id)
{
	folder_put(&w->folder, "new", "w", id->cert_pem);
	char new[256];
	snprintf(new, sizeof(new), "%s", folder_path(&w->folder, "new"));
	assert_int_equal(rename(new, folder_path(&w->folder, "ca.crt")), 0);
}

/* The pair is given by the program, the authorities come from a file. */
static struct err serve(struct world *w, const char *client_ca_file, bool optional)
{
	const struct http_server_config config = {
		.address = "127.0.0.1:0",
		.tls = true,
		.client_ca_file = client_ca_file,
		.client_optional = optional,
		.reload_ms = 2,
		.handler = handle,
	};
	http_server_free(TAKE(w->http));
	struct err e = http_server_new(w->loop, &config, &w->http);
	return failed(e) ? e : http_server_use_pair(w->http, w->server.cert_pem, w->server.key_pem);
}

static int given_a_folder(void **state)
{
	struct world *w = own_alloc(sizeof(*w));
	log_set_level((enum log_level)(LOG_ERROR + 1));
	w->loop = loop_uv_new();
	w->folder = folder_make();
	w->server = make_identity("server", "IP:127.0.0.1");
	w->client = make_identity("client", "IP:127.0.0.1");
	*state = w;
	return 0;
}

static int free_world(void **state)
{
	struct world *w = *state;
	http_server_free(w->http);
	loop_uv_free(w->loop);
	drop_identity(&w->server);
	drop_identity(&w->client);
	str_free(&w->said);
	folder_remove(&w->folder);
	free(w);
	return 0;
}

static void answered(void *ctx, struct err e, const struct http_answer *a)
{
	struct world *w = ctx;
	(void)e;
	w->status = a ? a->status : 0;
	str_clear(&w->said);
	str_add(&w->said, a ? a->body : "");
	loop_uv_stop(w->loop);
}

/* The answer to a client with this identity, or without one; "" when it is not let in. */
static const char *hears(struct world *w, const struct identity *id)
{
	AUTO(str_free) struct str url = { 0 };
	str_addf(&url, "https://127.0.0.1:%d", http_server_port(w->http));
	const struct http_config config = {
		.base_url = str_text(&url),
		.ca_pem = w->server.cert_pem,
		.cert_pem = id ? id->cert_pem : NULL,
		.key_pem = id ? id->key_pem : NULL,
	};
	const struct http_request r = { .method = "GET", .path = "/" };
	struct http *http;
	assert_false(failed(http_curl_new(w->loop, &config, &http)));
	http_send(http, &r, answered, w);
	loop_uv_run(w->loop);
	http_free(http);
	return str_text(&w->said);
}

static void who_shows_none_that_counts_is_nobody(void **state)
{
	struct world *w = *state;
	trust(w, &w->server);
	assert_false(failed(serve(w, folder_path(&w->folder, "ca.crt"), true)));
	assert_string_equal(hears(w, NULL), "nobody");
	assert_string_equal(hears(w, &w->client), "nobody");
	trust(w, &w->client); /* from now on */
	while (!str_eq(hears(w, &w->client), "client"))
		assert_string_equal(str_text(&w->said), "nobody");
	assert_string_equal(hears(w, NULL), "nobody");
	assert_string_equal(hears(w, &w->server), "nobody");
}

static void a_server_that_wants_one_lets_nobody_else_in(void **state)
{
	struct world *w = *state;
	trust(w, &w->client);
	assert_false(failed(serve(w, folder_path(&w->folder, "ca.crt"), false)));
	assert_string_equal(hears(w, &w->client), "client");
	assert_string_equal(hears(w, NULL), "");
	assert_string_equal(hears(w, &w->server), "");
}

static void without_authorities_everybody_is_nobody(void **state)
{
	struct world *w = *state;
	assert_false(failed(serve(w, NULL, true)));
	assert_string_equal(hears(w, &w->client), "nobody");
	struct err e = serve(w, folder_path(&w->folder, "none"), true);
	assert_int_equal(e.kind, ERR_INVALID);
	assert_non_null(strstr(e.text, "the file of authorities "));
}

#define CLIENT_TEST(f) cmocka_unit_test_setup_teardown(f, given_a_folder, free_world)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLIENT_TEST(who_shows_none_that_counts_is_nobody),
		CLIENT_TEST(a_server_that_wants_one_lets_nobody_else_in),
		CLIENT_TEST(without_authorities_everybody_is_nobody),
	};
	return cmocka_run_group_tests_name("net_server_client", tests, NULL, NULL);
}
