/* SPDX-License-Identifier: Apache-2.0 */
/* Trust: the HTTP client against a TLS peer with certificates made on the spot. */
#include "lib/test.h"

#include <curl/curl.h>
#include <sched.h>
#include <sys/mount.h>

#include "lib/fake_peer.h"

#include "lib/identity.h"

#include "base/own.h"
#include "base/str.h"
#include "net/http.h"
#include "net/x509.h"

struct world {
	struct loop *loop;
	struct peer peer;
	SSL_CTX *tls;
	struct identity server, client;
	struct http *http;
	struct err err;
	int status;
};

static int given_identities(void **state)
{
	struct world *w = own_alloc(sizeof(*w));
	w->loop = loop_uv_new();
	w->tls = SSL_CTX_new(TLS_server_method());
	w->server = make_identity("server", "DNS:api.example");
	w->client = make_identity("client", "DNS:client.example");
	SSL_CTX_use_certificate(w->tls, w->server.cert);
	SSL_CTX_use_PrivateKey(w->tls, w->server.key);
	peer_start(&w->peer, w->tls, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
	*state = w;
	return 0;
}

static int free_world(void **state)
{
	struct world *w = *state;
	http_free(w->http);
	peer_stop(&w->peer);
	loop_uv_free(w->loop);
	SSL_CTX_free(w->tls);
	drop_identity(&w->server);
	drop_identity(&w->client);
	free(w);
	return 0;
}

static void done(void *ctx, struct err e, const struct http_answer *a)
{
	struct world *w = ctx;
	w->err = e;
	w->status = a ? a->status : 0;
	loop_uv_stop(w->loop);
}

static void ask(struct world *w, struct http_config config)
{
	AUTO(str_free) struct str url = { 0 };
	str_addf(&url, "https://127.0.0.1:%d", w->peer.port);
	config.base_url = str_text(&url);
	assert_false(failed(http_curl_new(w->loop, &config, &w->http)));
	http_send(w->http, &(struct http_request){ .method = "GET", .path = "/" }, done, w);
	loop_uv_run(w->loop);
}

static void answered(struct world *w)
{
	if (failed(w->err))
		fail_msg("%s", w->err.text);
	assert_int_equal(w->status, 200);
}

static void failed_with(struct world *w, enum err_kind kind, const char *sentence)
{
	assert_string_equal(err_kind_name(w->err.kind), err_kind_name(kind));
	if (!strstr(w->err.text, sentence))
		fail_msg("\"%s\" is not in: %s", sentence, w->err.text);
}

static void a_peer_of_a_known_authority_is_trusted(void **state)
{
	struct world *w = *state;
	ask(w, (struct http_config){ .ca_pem = w->server.cert_pem, .server_name = "api.example" });
	answered(w);
	assert_non_null(strstr(w->peer.request, "Host: api.example"));
}

static void a_peer_of_an_unknown_authority_is_denied(void **state)
{
	struct world *w = *state;
	ask(w, (struct http_config){ .ca_pem = w->client.cert_pem, .server_name = "api.example" });
	failed_with(w, ERR_DENIED, "the certificate of the peer is not trusted");
}

/* The signer of the certificate is unknown, and it is for another name than ours. */
/* Acceptance: result-7 */
static void a_peer_is_known_by_its_key(void **state)
{
	struct world *w = *state;
	AUTO(own_free) char *key = x509_public_key(w->server.cert_pem);
	ask(w, (struct http_config){ .public_key = key });
	answered(w);
}

/* Acceptance: result-7 */
static void a_peer_with_another_key_is_denied(void **state)
{
	struct world *w = *state;
	AUTO(own_free) char *key = x509_public_key(w->client.cert_pem);
	ask(w, (struct http_config){ .public_key = key });
	failed_with(w, ERR_DENIED, "the key of the peer is not the expected key");
	assert_string_equal(w->peer.request, "");
}

/*
 * Authorities of the system for this thread alone: one in the folder, another in the
 * file. False without the right to make them.
 */
static bool given_the_system_trusts(const struct identity *in_folder,
	const struct identity *in_file)
{
	const curl_version_info_data *built = curl_version_info(CURLVERSION_NOW);
	char path[300];
	if (!built->capath || !built->cainfo || unshare(CLONE_NEWNS) != 0 ||
		mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
		mount("tmpfs", built->capath, "tmpfs", 0, NULL) != 0)
		return false;
	snprintf(path, sizeof(path), "%s/%08lx.0", built->capath,
		X509_subject_name_hash(in_folder->cert));
	text_to_file(path, in_folder->cert_pem);
	text_to_file(built->cainfo, in_file->cert_pem);
	return true;
}

/* Acceptance: gate-2 */
static void authorities_of_the_system_do_not_count_beside_ours(void **state)
{
	struct world *w = *state;
	if (!given_the_system_trusts(&w->server, &w->client))
		skip();
	ask(w, (struct http_config){ .server_name = "api.example" });
	answered(w);
	http_free(TAKE(w->http));
	ask(w, (struct http_config){ .ca_pem = w->client.cert_pem, .server_name = "api.example" });
	failed_with(w, ERR_DENIED, "the certificate of the peer is not trusted");
	http_free(TAKE(w->http));
	ask(w, (struct http_config){ .ca_pem = w->server.cert_pem, .server_name = "api.example" });
	answered(w);
}

static void a_peer_with_another_name_is_denied(void **state)
{
	struct world *w = *state;
	ask(w, (struct http_config){ .ca_pem = w->server.cert_pem });
	failed_with(w, ERR_DENIED, "the certificate of the peer is not trusted");
}

static void nothing_is_verified_when_the_user_says_so(void **state)
{
	struct world *w = *state;
	ask(w, (struct http_config){ .insecure = true });
	answered(w);
}

static void given_the_peer_wants_a_certificate(struct world *w)
{
	SSL_CTX_set_verify(w->tls, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
	X509_STORE_add_cert(SSL_CTX_get_cert_store(w->tls), w->client.cert);
}

static void a_client_certificate_is_shown(void **state)
{
	struct world *w = *state;
	given_the_peer_wants_a_certificate(w);
	ask(w,
		(struct http_config){
			.ca_pem = w->server.cert_pem,
			.server_name = "api.example",
			.cert_pem = w->client.cert_pem,
			.key_pem = w->client.key_pem,
		});
	answered(w);
}

static void a_missing_client_certificate_is_named(void **state)
{
	struct world *w = *state;
	given_the_peer_wants_a_certificate(w);
	ask(w, (struct http_config){ .ca_pem = w->server.cert_pem, .server_name = "api.example" });
	failed_with(w, ERR_DENIED, "the peer wants a client certificate and got none");
}

static void an_unusable_authority_or_key_is_named(void **state)
{
	struct world *w = *state;
	ask(w, (struct http_config){ .ca_pem = "no certificate\n", .server_name = "api.example" });
	failed_with(w, ERR_INVALID, "(CA)");
	http_free(TAKE(w->http));
	ask(w,
		(struct http_config){
			.ca_pem = w->server.cert_pem,
			.server_name = "api.example",
			.cert_pem = w->client.cert_pem,
			.key_pem = w->server.key_pem,
		});
	failed_with(w, ERR_INVALID, "our client certificate or its key is not usable");
}

static void test_bad_input_plain_http_to_a_tls_peer_asks_for_https(void **state)
{
	struct world *w = *state;
	AUTO(str_free) struct str url = { 0 };
	str_addf(&url, "http://127.0.0.1:%d", w->peer.port);
	assert_false(failed(http_curl_new(w->loop,
		&(struct http_config){ .base_url = str_text(&url) }, &w->http)));
	http_send(w->http, &(struct http_request){ .method = "GET", .path = "/" }, done, w);
	loop_uv_run(w->loop);
	assert_true(failed(w->err));
	assert_non_null(strstr(w->err.text, "should it be https?"));
}

#define TLS_TEST(name) cmocka_unit_test_setup_teardown(name, given_identities, free_world)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TLS_TEST(a_peer_of_a_known_authority_is_trusted),
		TLS_TEST(a_peer_of_an_unknown_authority_is_denied),
		TLS_TEST(a_peer_is_known_by_its_key),
		TLS_TEST(a_peer_with_another_key_is_denied),
		TLS_TEST(authorities_of_the_system_do_not_count_beside_ours),
		TLS_TEST(a_peer_with_another_name_is_denied),
		TLS_TEST(nothing_is_verified_when_the_user_says_so),
		TLS_TEST(a_client_certificate_is_shown),
		TLS_TEST(a_missing_client_certificate_is_named),
		TLS_TEST(an_unusable_authority_or_key_is_named),
		TLS_TEST(test_bad_input_plain_http_to_a_tls_peer_asks_for_https),
	};
	return cmocka_run_group_tests_name("net_tls", tests, NULL, NULL);
}
