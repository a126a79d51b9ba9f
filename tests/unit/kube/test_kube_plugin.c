/* SPDX-License-Identifier: Apache-2.0 */
/* Credential plug-ins: what they give, how they fail, and when they run again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <sys/wait.h>

#include "lib/config_given.h"

#define PLUGIN(script)                                                                             \
	USER "    exec:\n      apiVersion: client.authentication.k8s.io/v1\n      command: sh\n  " \
	     "    args: [-c, " script "]\n"                                                        \
	     "      env: [{name: SHOWN, value: s3}]\n"
#define CREDENTIAL                                                                                \
	"\"echo "                                                                                 \
	"'{\\\"kind\\\":\\\"ExecCredential\\\",\\\"apiVersion\\\":\\\"client.authentication.k8s." \
	"io/v1\\\",\\\"status\\\":"

static void given_a_plugin(struct world *w, const char *text)
{
	load(w, given_file(w, "a", text), NULL);
	loaded(w);
}

static void a_plugin_gives_a_token(void **state)
{
	struct world *w = *state;
	AUTO(own_free) char *token = NULL;
	int64_t expires_in_ms;
	given_a_plugin(w,
		PLUGIN(CREDENTIAL "{\\\"token\\\":\\\"'$SHOWN'\\\",\\\"expirationTimestamp\\\":"
				  "\\\"2001-01-01T00:00:00Z\\\"}}'\""));
	w->err = kube_config_token(&w->config, &token, &expires_in_ms);
	loaded(w);
	assert_string_equal(token, "s3");
	assert_int_equal(expires_in_ms, 0);
}

static void a_plugin_gives_a_certificate(void **state)
{
	struct world *w = *state;
	AUTO(own_free) char *token = NULL;
	int64_t expires_in_ms;
	given_a_plugin(w,
		PLUGIN(CREDENTIAL "{\\\"clientCertificateData\\\":\\\"C\\\",\\\"clientKeyData\\\":"
				  "\\\"K\\\"}}'\""));
	w->err = kube_config_token(&w->config, &token, &expires_in_ms);
	loaded(w);
	assert_null(token);
	assert_string_equal(w->config.cert_pem, "C");
	assert_string_equal(w->config.key_pem, "K");
	assert_int_equal(expires_in_ms, -1);
}

static void a_plugin_that_fails_is_named(void **state)
{
	static const struct {
		const char *text, *says;
		enum err_kind kind;
	} rows[] = {
		{ PLUGIN("exit 3"), "the credential plug-in sh ended with code 3", ERR_DENIED },
		{ PLUGIN("'kill -9 $$'"), "was ended by signal 9", ERR_DENIED },
		{ PLUGIN("echo s3cret"), "printed something that is no JSON", ERR_INVALID },
		{ PLUGIN("'echo {}'"), "printed no ExecCredential", ERR_INVALID },
		{ PLUGIN(CREDENTIAL "{}}'\""), "neither a token nor a certificate", ERR_INVALID },
		{ PLUGIN("\"exec head -c 3000000 /dev/zero\""), "printed more than",
			ERR_TOO_LARGE },
		{ USER "    exec: {apiVersion: client.authentication.k8s.io/v1, command: "
		       "./no-such-program}\n",
			"cannot be started", ERR_INVALID },
	};
	struct world *w = *state;

	for (size_t i = 0; i < LENGTH(rows); i++) {
		AUTO(own_free) char *token = NULL;
		int64_t expires_in_ms;

		given_a_plugin(w, rows[i].text);
		w->err = kube_config_token(&w->config, &token, &expires_in_ms);
		refused(w, rows[i].kind, rows[i].says);
		assert_null(strstr(w->err.text, "s3cret"));
		assert_null(token);
	}
}

static void never(void *ctx, struct err e, const char *token, int64_t expires_in_ms)
{
	(void)ctx, (void)e, (void)token, (void)expires_in_ms;
	fail_msg("a cancelled plug-in was heard of");
}

/* Acceptance: gate-7 */
static void a_plugin_that_hangs_is_ended(void **state)
{
	struct world *w = *state;
	struct loop *loop = loop_uv_new();
	struct plugin *p = NULL;
	given_a_plugin(w, PLUGIN("'sleep 1000 & sleep 1000'"));
	assert_false(failed(plugin_start(&w->config, loop, never, NULL, &p)));
	plugin_cancel(p);
	loop_uv_free(loop);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no child is left */
}

/* ---- a client that it keeps authenticated ---- */

#define GIVES(token)                                                                       \
	"{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1\"," \
	"\"status\":{\"token\":\"" token "\"}}"

/* The plug-in runs on the loop, beside the requests: it is heard of when it has ended. */
static void a_client_runs_its_plugin_again_after_a_401(void **state)
{
	struct world *w = *state;
	struct loop *loop = loop_uv_new();
	struct http *http = NULL;
	struct peer peer;
	struct http_request r = { .method = "GET", .path = "/api" };
	AUTO(str_free) struct str user = { 0 };
	peer_start(&peer, NULL, "HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\n\r\n{}");
	str_addf(&user,
		"{exec: {apiVersion: client.authentication.k8s.io/v1, command: cat, args: [%s]}}",
		given_file(w, "gives", GIVES("t-1")));
	given_a_user(w, peer.port, str_text(&user));
	w->err = kube_config_connect(&w->config, loop, &http);
	loaded(w);
	given_file(w, "gives", GIVES("t-2"));
	http_send(http, &r, answered, loop);
	loop_uv_run(loop);
	assert_non_null(strstr(peer.request, "Authorization: Bearer t-1\r\n"));
	do {
		http_send(http, &r, answered, loop);
		loop_uv_run(loop);
	} while (!strstr(peer.request, "Authorization: Bearer t-2\r\n"));
	http_free(http);
	peer_stop(&peer);
	loop_uv_free(loop);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CONFIG_TEST(a_plugin_gives_a_token),
		CONFIG_TEST(a_plugin_gives_a_certificate),
		CONFIG_TEST(a_plugin_that_fails_is_named),
		CONFIG_TEST(a_plugin_that_hangs_is_ended),
		CONFIG_TEST(a_client_runs_its_plugin_again_after_a_401),
	};
	return cmocka_run_group_tests_name("kube_plugin", tests, NULL, NULL);
}
