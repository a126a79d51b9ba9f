/* SPDX-License-Identifier: Apache-2.0 */
/* The server with TLS: its certificate comes from files, and changes with them. */
#include "lib/test.h"

#include <sys/stat.h>

#include <openssl/err.h>
#include <openssl/ssl.h>

#include "lib/identity.h"
#include "lib/raw_client.h"

#include "base/log.h"
#include "base/own.h"
#include "net/http.h"
#include "net/server.h"

struct world {
	struct loop *loop;
	char folder[32];
	struct identity old, new;
	struct str cert_file, key_file, client_ca_file, both;
	bool clients_have_certificates;
	struct http_server *server;
	struct http *http;
	struct exchange *held;
	struct str data;
	int asked, ended, wrong, status;
	struct err err;
};

/* ---- files, as the kubelet mounts a Secret ---- */

static void write_file(struct world *w, const char *version, const char *name, const char *text)
{
	AUTO(str_free) struct str path = { 0 };
	str_addf(&path, "%s/%s", w->folder, version);
	mkdir(str_text(&path), 0700);
	str_addf(&path, "/%s", name);
	text_to_file(str_text(&path), text);
}

static void link_to(struct world *w, const char *to, const char *name)
{
	AUTO(str_free) struct str new = { 0 }, path = { 0 };
	str_addf(&new, "%s/..new", w->folder);
	str_addf(&path, "%s/%s", w->folder, name);
	assert_int_equal(symlink(to, str_text(&new)), 0);
	assert_int_equal(rename(str_text(&new), str_text(&path)), 0);
}

static void given_version(struct world *w, const char *version, const char *cert, const char *key)
{
	write_file(w, version, "tls.crt", cert);
	write_file(w, version, "tls.key", key);
	link_to(w, version, "..data");
}

/* The authorities of clients are in one file, beside. */
static void given_client_ca(struct world *w, const char *ca_pem)
{
	AUTO(str_free) struct str new = { 0 };
	str_addf(&new, "%s/new.crt", w->folder);
	write_file(w, ".", "new.crt", ca_pem);
	assert_int_equal(rename(str_text(&new), str_text(&w->client_ca_file)), 0);
}

static void clear_folder(struct world *w)
{
	static const char *const names[] = { "1/tls.crt", "1/tls.key", "1", "2/tls.crt",
		"2/tls.key", "2", "..data", "tls.crt", "tls.key", "ca.crt", "" };
	for (size_t i = 0; i < LENGTH(names); i++) {
		AUTO(str_free) struct str path = { 0 };
		str_addf(&path, "%s/%s", w->folder, names[i]);
		remove(str_text(&path));
	}
}

/* ---- the world ---- */

static void held_is_gone(void *ctx) { ((struct world *)ctx)->held = NULL; }

static void handle(void *ctx, struct exchange *x)
{
	struct world *w = ctx;
	struct str body = { 0 };
	size_t n;
	if (str_eq(exchange_path(x), "/stream")) {
		w->held = x;
		exchange_stream(x, 200, "text/plain", held_is_gone, w);
	} else if (str_eq(exchange_path(x), "/later")) {
		w->held = x;
		exchange_later(x, held_is_gone, w);
	} else {
		const char *sent = exchange_body(x, &n);
		str_add_bytes(&body, sent, n);
		exchange_reply(x, 200, "text/plain", &body);
	}
}

static struct err serve(struct world *w, struct http_server_config c)
{
	c.address = "127.0.0.1:0";
	c.cert_file = str_text(&w->cert_file);
	c.key_file = str_text(&w->key_file);
	c.reload_ms = 2;
	c.max_body_bytes = 1 << 20;
	c.handler = handle;
	c.ctx = w;
	return http_server_new(w->loop, &c, &w->server);
}

static int given_a_server(void **state)
{
	struct world *w = own_alloc(sizeof(*w));
	w->loop = loop_uv_new();
	log_set_level((enum log_level)(LOG_ERROR + 1));
	snprintf(w->folder, sizeof(w->folder), "/tmp/tls-XXXXXX");
	assert_non_null(mkdtemp(w->folder));
	str_addf(&w->cert_file, "%s/tls.crt", w->folder);
	str_addf(&w->key_file, "%s/tls.key", w->folder);
	str_addf(&w->client_ca_file, "%s/ca.crt", w->folder);
	w->old = make_identity("old", "IP:127.0.0.1");
	w->new = make_identity("new", "IP:127.0.0.1");
	str_addf(&w->both, "%s%s", w->old.cert_pem, w->new.cert_pem);
	given_version(w, "1", w->old.cert_pem, w->old.key_pem);
	link_to(w, "..data/tls.crt", "tls.crt");
	link_to(w, "..data/tls.key", "tls.key");
	struct err e = serve(w, (struct http_server_config){ 0 });
	if (failed(e))
		fail_msg("%s", e.text);
	*state = w;
	return 0;
}

static int free_world(void **state)
{
	struct world *w = *state;
	http_free(w->http);
	http_server_free(w->server);
	loop_uv_free(w->loop);
	clear_folder(w);
	drop_identity(&w->old);
	drop_identity(&w->new);
	str_free(&w->cert_file);
	str_free(&w->key_file);
	str_free(&w->client_ca_file);
	str_free(&w->both);
	str_free(&w->data);
	free(w);
	return 0;
}

static void connect_with(struct world *w, const char *ca_pem)
{
	AUTO(str_free) struct str url = { 0 };
	str_addf(&url, "https://127.0.0.1:%d", http_server_port(w->server));
	const struct http_config config = {
		.base_url = str_text(&url),
		.ca_pem = ca_pem,
		.cert_pem = w->clients_have_certificates ? w->new.cert_pem : NULL,
		.key_pem = w->clients_have_certificates ? w->new.key_pem : NULL,
	};
	http_free(TAKE(w->http));
	assert_false(failed(http_curl_new(w->loop, &config, &w->http)));
}

static void done(void *ctx, struct err e, const struct http_answer *a)
{
	struct world *w = ctx;
	w->err = e;
	w->status = a ? a->status : 0;
	w->wrong += !a || a->status != 200;
	str_clear(&w->data);
	str_add(&w->data, a ? a->body : "");
	if (++w->ended == w->asked)
		loop_uv_stop(w->loop);
}

static void ask(struct world *w, const char *path)
{
	const struct http_request r = {
		.method = "POST",
		.path = path,
		.body = "hello",
		.body_bytes = 5,
	};
	w->asked++;
	http_send(w->http, &r, done, w);
}

static bool answered(struct world *w, const char *ca_pem)
{
	connect_with(w, ca_pem);
	ask(w, "/");
	loop_uv_run(w->loop);
	return w->status == 200;
}

static void until_new(struct world *w)
{
	while (!answered(w, w->new.cert_pem))
		;
}

/* ---- requests ---- */

static void a_request_is_answered_over_tls(void **state)
{
	struct world *w = *state;
	assert_true(answered(w, w->old.cert_pem));
	assert_string_equal(str_text(&w->data), "hello");
	assert_false(answered(w, w->new.cert_pem));
	assert_int_equal(w->err.kind, ERR_DENIED);
}

static bool data_came(void *ctx, const char *bytes, size_t n)
{
	str_add_bytes(&((struct world *)ctx)->data, bytes, n);
	return true;
}

static void answers_come_later_and_in_pieces_over_tls(void **state)
{
	struct world *w = *state;
	struct http_request r = { .method = "GET", .path = "/stream", .on_data = data_came };
	struct str body = { 0 };
	connect_with(w, w->old.cert_pem);
	struct http_call *call = http_send(w->http, &r, done, w);
	while (!w->held)
		raw_turn(w->loop);
	exchange_write(w->held, "one ", 4);
	while (!strstr(str_text(&w->data), "one "))
		raw_turn(w->loop);
	exchange_write(w->held, "two", 3);
	while (!strstr(str_text(&w->data), "one two"))
		raw_turn(w->loop);
	http_cancel(w->http, call);
	while (w->held) /* the server hears that the client is gone */
		raw_turn(w->loop);
	connect_with(w, w->old.cert_pem);
	ask(w, "/later");
	while (!w->held)
		raw_turn(w->loop);
	str_add(&body, "at last");
	exchange_reply(w->held, 200, "text/plain", &body);
	loop_uv_run(w->loop);
	assert_string_equal(str_text(&w->data), "at last");
}

/* ---- reload ---- */

static void a_new_pair_is_used_and_old_connections_live_on(void **state)
{
	struct world *w = *state;
	struct http *old;
	assert_true(answered(w, w->old.cert_pem));
	old = TAKE(w->http); /* its connection is kept */
	given_version(w, "2", w->new.cert_pem, w->new.key_pem);
	until_new(w);
	assert_false(answered(w, w->old.cert_pem));
	http_free(TAKE(w->http));
	w->http = old;
	ask(w, "/");
	loop_uv_run(w->loop);
	assert_int_equal(w->status, 200);
}

static void a_broken_pair_keeps_the_old_one(void **state)
{
	struct world *w = *state;
	const struct {
		const char *cert, *key;
	} rows[] = {
		{ "garbage", w->new.key_pem }, { w->new.cert_pem, "" },
		{ w->new.cert_pem, w->old.key_pem }, /* of two pairs */
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		given_version(w, i % 2 ? "1" : "2", rows[i].cert, rows[i].key);
		for (int k = 0; k < 30; k++)
			raw_turn(w->loop);
		assert_true(answered(w, w->old.cert_pem));
	}
	given_version(w, "1", w->new.cert_pem, w->new.key_pem);
	until_new(w); /* it is not given up */
}

static void a_reload_under_traffic_touches_nobody(void **state)
{
	struct world *w = *state;
	for (int round = 0; round < 40; round++) {
		const struct identity *id = round % 2 ? &w->old : &w->new;
		given_version(w, round % 2 ? "1" : "2", id->cert_pem, id->key_pem);
		connect_with(w, str_text(&w->both));
		for (int i = 0; i < 20; i++)
			ask(w, "/");
		loop_uv_run(w->loop);
		assert_int_equal(w->wrong, 0);
	}
	assert_int_equal(w->ended, 800);
}

static void an_unusable_pair_at_the_start_is_named(void **state)
{
	struct world *w = *state;
	const struct {
		const char *cert, *key, *says;
	} rows[] = {
		{ "garbage", w->new.key_pem, "/tls.crt is not usable: " },
		{ w->new.cert_pem, "garbage", "/tls.key is not usable: " },
		{ w->new.cert_pem, w->old.key_pem, "/tls.key is not that of the certificate" },
	};
	http_server_free(TAKE(w->server));
	for (size_t i = 0; i < LENGTH(rows); i++) {
		given_version(w, "2", rows[i].cert, rows[i].key);
		struct err e = serve(w, (struct http_server_config){ 0 });
		assert_int_equal(e.kind, ERR_INVALID);
		if (!strstr(e.text, rows[i].says))
			fail_msg("%s", e.text);
	}
	clear_folder(w);
	struct err e = serve(w, (struct http_server_config){ 0 });
	assert_non_null(strstr(e.text, "/tls.crt cannot be read: No such file or directory"));
	assert_null(w->server);
}

/* ---- clients that do not belong here ---- */

/* The version of TLS that was agreed on; 0: none. */
static int agreed(struct world *w, int most)
{
	struct raw client = raw_connect(w->loop, http_server_port(w->server));
	SSL_CTX *context = SSL_CTX_new(TLS_client_method());
	SSL_CTX_set_cipher_list(context, "ALL:@SECLEVEL=0");
	SSL_CTX_set_min_proto_version(context, TLS1_VERSION);
	SSL_CTX_set_max_proto_version(context, most);
	SSL *tls = SSL_new(context);
	int code, version = 0;
	SSL_set_fd(tls, client.fd);
	while ((code = SSL_connect(tls)) != 1 && SSL_get_error(tls, code) == SSL_ERROR_WANT_READ)
		raw_turn(w->loop);
	if (code == 1)
		version = SSL_version(tls);
	ERR_clear_error();
	SSL_free(tls);
	SSL_CTX_free(context);
	raw_close(&client);
	return version;
}

static void old_versions_of_tls_are_refused(void **state)
{
	struct world *w = *state;
	assert_int_equal(agreed(w, TLS1_3_VERSION), TLS1_3_VERSION);
	assert_int_equal(agreed(w, TLS1_2_VERSION), TLS1_2_VERSION);
	assert_int_equal(agreed(w, TLS1_1_VERSION), 0);
	assert_int_equal(agreed(w, TLS1_VERSION), 0);
}

static void who_speaks_no_tls_is_left(void **state)
{
	struct world *w = *state;
	http_server_free(TAKE(w->server));
	assert_false(failed(serve(w, (struct http_server_config){ .request_ms = 60 })));
	struct raw plain = raw_connect(w->loop, http_server_port(w->server));
	struct raw silent = raw_connect(w->loop, http_server_port(w->server));
	raw_send(&plain, "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
	raw_wait_end(&plain);
	raw_wait_end(&silent);
	while (!answered(w, w->old.cert_pem)) /* on a slow machine it is left as well */
		;
	raw_close(&plain);
	raw_close(&silent);
}

static struct err serve_clients_of(struct world *w, const char *ca_pem)
{
	if (ca_pem)
		given_client_ca(w, ca_pem);
	return serve(w,
		(struct http_server_config){ .client_ca_file = str_text(&w->client_ca_file) });
}

/* The server is the old identity, its clients are the new one. */
static void only_clients_with_a_certificate_are_let_in(void **state)
{
	struct world *w = *state;
	http_server_free(TAKE(w->server));
	assert_false(failed(serve_clients_of(w, w->old.cert_pem)));
	assert_false(answered(w, w->old.cert_pem));
	assert_int_equal(w->err.kind, ERR_DENIED);
	assert_non_null(strstr(w->err.text, "the peer wants a client certificate and got none"));
	assert_int_equal(agreed(w, TLS1_2_VERSION), 0); /* there it is a part of the handshake */
	w->clients_have_certificates = true;
	assert_false(answered(w, w->old.cert_pem));
	assert_int_equal(w->err.kind, ERR_DENIED);
	assert_non_null(strstr(w->err.text, "the peer refused our client certificate"));
	given_client_ca(w, w->new.cert_pem);
	while (!answered(w, w->old.cert_pem))
		;
	given_client_ca(w, "garbage"); /* no client is let in by mistake, or shut out */
	for (int i = 0; i < 30; i++)
		raw_turn(w->loop);
	assert_true(answered(w, w->old.cert_pem));
	w->clients_have_certificates = false;
	assert_false(answered(w, w->old.cert_pem));
}

static void unusable_authorities_at_the_start_are_named(void **state)
{
	struct world *w = *state;
	http_server_free(TAKE(w->server));
	struct err e = serve_clients_of(w, NULL);
	assert_non_null(strstr(e.text, "the file of authorities "));
	e = serve_clients_of(w, "garbage");
	assert_non_null(strstr(e.text, "/ca.crt are not usable: "));
	e = serve_clients_of(w, "");
	assert_non_null(strstr(e.text, "/ca.crt are not usable: "));
	assert_null(w->server);
}

#define TLS_TEST(name) cmocka_unit_test_setup_teardown(name, given_a_server, free_world)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TLS_TEST(a_request_is_answered_over_tls),
		TLS_TEST(answers_come_later_and_in_pieces_over_tls),
		TLS_TEST(a_new_pair_is_used_and_old_connections_live_on),
		TLS_TEST(a_broken_pair_keeps_the_old_one),
		TLS_TEST(a_reload_under_traffic_touches_nobody),
		TLS_TEST(an_unusable_pair_at_the_start_is_named),
		TLS_TEST(old_versions_of_tls_are_refused),
		TLS_TEST(only_clients_with_a_certificate_are_let_in),
		TLS_TEST(unusable_authorities_at_the_start_are_named),
		TLS_TEST(who_speaks_no_tls_is_left),
	};
	return cmocka_run_group_tests_name("net_server_tls", tests, NULL, NULL);
}
