/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kubeconfig files and service accounts, from files in a folder of the test's own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "lib/config_given.h"

/* ---- kubeconfig ---- */

static void data_inline_is_decoded(void **state)
{
	struct world *w = *state;
	load(w,
		given_file(w, "a",
			CLUSTER
			"    certificate-authority-data: Q0EKQ0EK\n    tls-server-name: other\n"
			"users:\n- name: u\n  user:\n    client-certificate-data: |\n      Q0VS\n  "
			"    VA==\n    client-key-data: S0VZ\n"),
		NULL);
	loaded(w);
	assert_string_equal(w->config.server, "https://host:6443");
	assert_string_equal(w->config.ca_pem, "CA\nCA\n");
	assert_string_equal(w->config.cert_pem, "CERT");
	assert_string_equal(w->config.key_pem, "KEY");
	assert_string_equal(w->config.server_name, "other");
	assert_string_equal(w->config.ns, "lab");
	assert_false(w->config.insecure);
}

static void files_are_relative_to_the_kubeconfig(void **state)
{
	struct world *w = *state;
	AUTO(own_free) char *token = NULL;
	int64_t expires_in_ms;
	given_file(w, "ca.pem", "AUTHORITY");
	given_file(w, "token", "t-1\n");
	load(w,
		given_file(w, "a",
			CLUSTER "    certificate-authority: ca.pem\nusers:\n- name: u\n  user: "
				"{tokenFile: token, token: old}\n"),
		NULL);
	loaded(w);
	assert_string_equal(w->config.ca_pem, "AUTHORITY");
	assert_false(failed(kube_config_token(&w->config, &token, &expires_in_ms)));
	assert_string_equal(token, "t-1");
	given_file(w, "token", "t-2");
	free(TAKE(token));
	assert_false(failed(kube_config_token(&w->config, &token, &expires_in_ms)));
	assert_string_equal(token, "t-2");
}

static void the_first_file_of_a_list_wins(void **state)
{
	struct world *w = *state;
	AUTO(str_free) struct str list = { 0 };
	str_addf(&list, "%s/absent:", w->folder);
	str_addf(&list, "%s:",
		given_file(w, "a",
			"current-context: c\ncontexts: null\nusers:\n- {name: u, user: {token: "
			"first}}\n"));
	str_addf(&list, "%s", given_file(w, "b", USER "    token: second\n"));
	setenv("KUBECONFIG", str_text(&list), 1);
	load(w, NULL, NULL);
	loaded(w);
	assert_string_equal(w->config.token, "first");
	assert_string_equal(w->config.server, "https://host:6443");
}

static void a_context_can_be_chosen(void **state)
{
	struct world *w = *state;
	const char *path = given_file(w, "a",
		"contexts:\n- name: x\n  context: {cluster: k}\nclusters:\n- {name: k, cluster: "
		"{server: 'http://h:1'}}\n");
	load(w, path, "x");
	loaded(w);
	assert_string_equal(w->config.ns, "default");
	load(w, path, NULL);
	refused(w, ERR_INVALID, "has no current-context");
	load(w, path, "y");
	refused(w, ERR_NOT_FOUND, "has no context \"y\"");
}

static void the_home_folder_comes_last(void **state)
{
	struct world *w = *state;
	load(w, NULL, NULL);
	refused(w, ERR_NOT_FOUND, "no Kubernetes configuration: KUBECONFIG is not set");
	assert_non_null(strstr(w->err.text, "/.kube/config"));
	setenv("KUBECONFIG", path_of(w, "absent"), 1);
	load(w, NULL, NULL);
	refused(w, ERR_NOT_FOUND, "none of the files in KUBECONFIG");
}

static void test_bad_input_a_kubeconfig_that_is_wrong_is_one_clear_sentence(void **state)
{
	static const struct {
		const char *text, *says;
		enum err_kind kind;
	} rows[] = {
		{ "", "is empty", ERR_INVALID },
		{ "- a\n- b\n", "not a YAML mapping", ERR_INVALID },
		{ "a: [b\n", "the kubeconfig /tmp/", ERR_INVALID },
		{ "current-context: c\n", "has no context \"c\"", ERR_NOT_FOUND },
		{ "current-context: c\ncontexts:\n- {name: c, context: {cluster: k, user: u}}\n",
			"has no cluster \"k\"", ERR_NOT_FOUND },
		{ CLUSTER, "has no user \"u\"", ERR_NOT_FOUND },
		{ "current-context: c\ncontexts:\n- {name: c}\n",
			"has the context \"c\" without its content", ERR_INVALID },
		{ "current-context: c\ncontexts:\n- {name: c, context: {cluster: k}}\nclusters:\n- "
		  "{name: k, cluster: {server: 'host:1'}}\n",
			"it should start with https://", ERR_INVALID },
		{ CLUSTER "    certificate-authority-data: '!'\n",
			"certificate-authority-data of \"k\" is not base64", ERR_INVALID },
		{ CLUSTER "    certificate-authority: absent.pem\n",
			"absent.pem cannot be read: there is no such file", ERR_NOT_FOUND },
		{ CLUSTER "    certificate-authority: .\n", "it is a directory, not a file",
			ERR_INVALID },
		{ CLUSTER "    certificate-authority-data: Q0E=\n    insecure-skip-tls-verify: "
			  "true\n",
			"only one of them may be set", ERR_INVALID },
		{ CLUSTER "    proxy-url: http://p\n", "set the variable HTTPS_PROXY",
			ERR_INVALID },
		{ USER "    client-certificate-data: Q0E=\n", "without its key", ERR_INVALID },
		{ USER "    username: me\n", "use exec or a token", ERR_INVALID },
		{ USER "    exec: {command: x, apiVersion: "
		       "client.authentication.k8s.io/v1alpha1}\n",
			"it should be client.authentication.k8s.io/v1", ERR_INVALID },
		{ USER "    exec: {apiVersion: client.authentication.k8s.io/v1}\n",
			"has no command", ERR_INVALID },
		{ USER "    exec: {apiVersion: client.authentication.k8s.io/v1, command: x, env: "
		       "[{name: 'a=b'}]}\n",
			"no usable name", ERR_INVALID },
		{ USER "    exec: {apiVersion: client.authentication.k8s.io/v1, command: x, args: "
		       "[1]}\n",
			"is no string", ERR_INVALID },
	};
	struct world *w = *state;

	for (size_t i = 0; i < LENGTH(rows); i++) {
		load(w, given_file(w, "a", rows[i].text), NULL);
		refused(w, rows[i].kind, rows[i].says);
		assert_non_null(strstr(w->err.text, w->folder));
	}
	load(w, w->folder, NULL);
	refused(w, ERR_INVALID, "it is a directory, not a file");
	load(w, path_of(w, "absent"), NULL);
	refused(w, ERR_NOT_FOUND, "/absent cannot be read: there is no such file");
}

/* ---- service account ---- */

static void a_service_account_is_read(void **state)
{
	struct world *w = *state;
	AUTO(own_free) char *token = NULL;
	int64_t expires_in_ms;
	given_file(w, "ca.crt", "AUTHORITY");
	given_file(w, "namespace", "slinky");
	assert_false(failed(config_from_account(w->folder, "fd00::1", "443", NULL, &w->config)));
	assert_string_equal(w->config.server, "https://[fd00::1]:443");
	assert_string_equal(w->config.ns, "slinky");
	w->err = kube_config_token(&w->config, &token, &expires_in_ms);
	refused(w, ERR_NOT_FOUND, "/token cannot be read");
	given_file(w, "token", "\n");
	w->err = kube_config_token(&w->config, &token, &expires_in_ms);
	refused(w, ERR_INVALID, "is empty");
	given_file(w, "token", "a b\n");
	w->err = kube_config_token(&w->config, &token, &expires_in_ms);
	refused(w, ERR_INVALID, "should hold one word");
	assert_null(token);
}

/*
 * A context says where to go: it is not dropped where there is nothing to look it up in.
 */
static void a_service_account_has_no_contexts(void **state)
{
	struct world *w = *state;
	given_file(w, "ca.crt", "AUTHORITY");
	w->err = config_from_account(w->folder, "h", "443", "lab", &w->config);
	refused(w, ERR_INVALID, "a service account has no context \"lab\"; give --kubeconfig");
}

/* ---- a client for it ---- */

/* The kubelet may have put another one there since it was read. */
static void a_client_shows_the_token_of_its_file_and_after_a_401_the_new_one(void **state)
{
	struct world *w = *state;
	struct loop *loop = loop_uv_new();
	struct http *http = NULL;
	struct peer peer;
	struct http_request r = { .method = "GET", .path = "/api" };
	peer_start(&peer, NULL, "HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\n\r\n{}");
	given_file(w, "token", "t-1\n");
	given_a_user(w, peer.port, "{tokenFile: token}");
	w->err = kube_config_connect(&w->config, loop, &http);
	loaded(w);
	given_file(w, "token", "t-2\n");
	http_send(http, &r, answered, loop);
	loop_uv_run(loop);
	assert_non_null(strstr(peer.request, "GET /prefix/api HTTP/1.1\r\n"));
	assert_non_null(strstr(peer.request, "Authorization: Bearer t-1\r\n"));
	http_send(http, &r, answered, loop);
	loop_uv_run(loop);
	assert_non_null(strstr(peer.request, "Authorization: Bearer t-2\r\n"));
	http_free(http);
	peer_stop(&peer);
	loop_uv_free(loop);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CONFIG_TEST(data_inline_is_decoded),
		CONFIG_TEST(files_are_relative_to_the_kubeconfig),
		CONFIG_TEST(the_first_file_of_a_list_wins),
		CONFIG_TEST(a_context_can_be_chosen),
		CONFIG_TEST(the_home_folder_comes_last),
		CONFIG_TEST(test_bad_input_a_kubeconfig_that_is_wrong_is_one_clear_sentence),
		CONFIG_TEST(a_service_account_is_read),
		CONFIG_TEST(a_service_account_has_no_contexts),
		CONFIG_TEST(a_client_shows_the_token_of_its_file_and_after_a_401_the_new_one),
	};
	return cmocka_run_group_tests_name("kube_config", tests, NULL, NULL);
}
