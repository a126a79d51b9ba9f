/* SPDX-License-Identifier: Apache-2.0 */
/* What red-box is told of slurmrestd, and the token that it shows. */
#include "lib/test.h"

#include <pwd.h>
#include <stdio.h>
#include <sys/stat.h>

#include "redbox/rest.h"
#include "lib/fake_peer.h"
#include "lib/identity.h"

#define TOKEN(n) "eyJhbGciOiJIUzI1NiJ9.eyJleHAiOjQxMDI0NDQ4MDB9." n

static struct err check(const char *url, const char *token_file)
{
	return redbox_rest_check(&(struct redbox_rest){ .url = url, .token_file = token_file });
}

static void is_wrong(const char *url, const char *token_file, const char *sentence)
{
	struct err e = check(url, token_file);
	assert_int_equal(e.kind, ERR_INVALID);
	if (!strstr(e.text, sentence))
		fail_msg("\"%s\" is not in: %s", sentence, e.text);
}

static void what_is_given_is_checked(void **state)
{
	(void)state;
	assert_false(failed(check(NULL, NULL)));
	assert_false(failed(check("http://127.0.0.1:6820", "/etc/token")));
	assert_false(failed(check("http://[::1]:6820", "/etc/token")));
	assert_false(failed(check("https://slurm.example:6820", "/etc/token")));
	assert_false(failed(check("unix:/run/slurmrestd/sock", "/etc/token")));
	if (geteuid() == 0)
		is_wrong("unix:/run/slurmrestd/sock", NULL, "would not take red-box for root");
	else
		assert_false(failed(check("unix:/run/slurmrestd/sock", NULL)));
	is_wrong(NULL, "/etc/token", "slurmrestd is not: where is it?");
	is_wrong("http://127.0.0.1:6820", NULL, "name its slurmrestd_token_file");
	is_wrong("https://slurm.example:6820", NULL, "name its slurmrestd_token_file");
	is_wrong("/run/slurmrestd/sock", "/etc/token", "slurmrestd: \"/run/slurmrestd/sock\" is");
	is_wrong("unix:run/sock", "/etc/token", "slurmrestd: \"unix:run/sock\" names no unix");
	is_wrong("unix:/run/slurmrestd/sock", "token", "should be an absolute path");
}

static void authorities_are_for_https(void **state)
{
	struct redbox_rest r = { .ca_file = "/etc/ca.crt", .token_file = NULL };
	(void)state;
	assert_non_null(strstr(redbox_rest_check(&r).text, "ca_file is given and slurmrestd is"));
	r.token_file = "/etc/token";
	r.url = "http://127.0.0.1:6820";
	assert_non_null(strstr(redbox_rest_check(&r).text, "it does by https:// only"));
	r.url = "unix:/run/slurmrestd/sock";
	assert_non_null(strstr(redbox_rest_check(&r).text, "it does by https:// only"));
	r.url = "https://slurm.example:6820";
	assert_false(failed(redbox_rest_check(&r)));
	r.ca_file = "ca.crt";
	assert_non_null(strstr(redbox_rest_check(&r).text,
		"slurmrestd_ca_file: \"ca.crt\" should be an absolute path"));
}

static void a_token_goes_over_no_network_in_plain_text(void **state)
{
	static const char *const urls[] = { "http://10.0.0.1:6820", "http://slurm.example:6820",
		"http://localhost:6820", "http://0.0.0.0:6820", "http://[::]:6820",
		"http://127.0.0.1:6820@10.0.0.1:6820" };
	(void)state;
	for (size_t i = 0; i < LENGTH(urls); i++) {
		is_wrong(urls[i], "/etc/token", "the token would go over a network in plain text");
		is_wrong(urls[i], "/etc/token", urls[i]);
	}
}

static void options_come_before_the_configuration(void **state)
{
	struct redbox_config c = { .rest = { .url = "unix:/a", .token_file = "/b" } };
	(void)state;
	redbox_rest_override(&c, &(struct redbox_rest_flags){ .url = "unix:/c" });
	assert_string_equal(c.rest.url, "unix:/c");
	assert_string_equal(c.rest.token_file, "/b");
	redbox_rest_override(&c,
		&(struct redbox_rest_flags){ .token_file = "/d", .ca_file = "/e" });
	assert_string_equal(c.rest.token_file, "/d");
	assert_string_equal(c.rest.ca_file, "/e");
}

/* ---- the token ---- */

struct world {
	struct loop *loop;
	struct rest *rest;
	struct peer peer;
	struct identity server; /* by https */
	SSL_CTX *tls;           /* NULL: plain */
	char folder[32], path[64], ca_path[64], url[64];
	const char *ca_file;
	const char *until;
	enum slurm_health health;
	struct err err;
};

static void write_file(const char *path, const char *text)
{
	text_to_file(path, text);
	chmod(path, 0400);
}

static void write_token(struct world *w, const char *text) { write_file(w->path, text); }

static struct world *world_new(void)
{
	struct world *w = own_alloc(sizeof(*w));
	w->loop = loop_uv_new();
	snprintf(w->folder, sizeof(w->folder), "/tmp/rest-XXXXXX");
	assert_non_null(mkdtemp(w->folder));
	snprintf(w->path, sizeof(w->path), "%s/token", w->folder);
	snprintf(w->ca_path, sizeof(w->ca_path), "%s/ca.crt", w->folder);
	return w;
}

static void serve(struct world *w, const char *scheme)
{
	peer_start(&w->peer, w->tls, "HTTP/1.0 401 No\r\nContent-Length: 2\r\n\r\nno");
	snprintf(w->url, sizeof(w->url), "%s://127.0.0.1:%d", scheme, w->peer.port);
}

static int given_slurmrestd(void **state)
{
	struct world *w = world_new();
	serve(w, "http");
	*state = w;
	return 0;
}

static int given_slurmrestd_by_https(void **state)
{
	struct world *w = world_new();
	w->server = make_identity("slurmrestd", "IP:127.0.0.1");
	w->tls = SSL_CTX_new(TLS_server_method());
	SSL_CTX_use_certificate(w->tls, w->server.cert);
	SSL_CTX_use_PrivateKey(w->tls, w->server.key);
	serve(w, "https");
	write_token(w, TOKEN("a"));
	*state = w;
	return 0;
}

static int free_world(void **state)
{
	struct world *w = *state;
	rest_free(w->rest);
	loop_uv_free(w->loop);
	peer_stop(&w->peer);
	if (w->tls)
		drop_identity(&w->server);
	SSL_CTX_free(w->tls);
	remove(w->path);
	remove(w->ca_path);
	remove(w->folder);
	free(w);
	return 0;
}

static struct err begin(struct world *w)
{
	const struct redbox_rest config = {
		.url = w->url,
		.token_file = w->path,
		.ca_file = w->ca_file,
		.reload_ms = 1,
	};
	return rest_open(w->loop, &config, &w->rest);
}

static void ask(void *ctx);

static void asked(void *ctx, enum slurm_health health, struct err err, const char *version)
{
	struct world *w = ctx;
	(void)err, (void)version;
	assert_int_equal(health, SLURM_DENIED);
	if (strstr(w->peer.request, w->until))
		loop_uv_stop(w->loop);
	else
		timer_start(w->loop, 1, ask, w);
}

static void ask(void *ctx)
{
	struct world *w = ctx;
	slurm_ping(rest_slurm(w->rest), asked, w);
}

/* It is asked until this is in a request. */
static void until_sent(struct world *w, const char *header)
{
	w->until = header;
	ask(w);
	loop_uv_run(w->loop);
}

static void requests_name_the_account_and_show_its_token(void **state)
{
	struct world *w = *state;
	AUTO(str_free) struct str name = { 0 };
	write_token(w, TOKEN("a") "\n");
	assert_false(failed(begin(w)));
	until_sent(w, "\r\nX-SLURM-USER-TOKEN: " TOKEN("a") "\r\n");
	str_addf(&name, "\r\nX-SLURM-USER-NAME: %s\r\n", getpwuid(geteuid())->pw_name);
	assert_non_null(strstr(w->peer.request, str_text(&name)));
}

static void a_token_that_changes_is_read_again(void **state)
{
	struct world *w = *state;
	write_token(w, TOKEN("a"));
	assert_false(failed(begin(w)));
	until_sent(w, TOKEN("a"));
	remove(w->path);
	write_token(w, TOKEN("longer"));
	until_sent(w, TOKEN("longer") "\r\n");
	/* what is none leaves it as it was, and the next one counts again */
	remove(w->path);
	write_token(w, "half a");
	until_sent(w, TOKEN("longer"));
	remove(w->path);
	write_token(w, TOKEN("the_next_one"));
	until_sent(w, TOKEN("the_next_one") "\r\n");
}

static void is_no_token(struct world *w, const char *text, const char *sentence)
{
	write_token(w, text);
	struct err e = begin(w);
	assert_int_equal(e.kind, ERR_INVALID);
	assert_null(w->rest);
	if (!strstr(e.text, sentence))
		fail_msg("\"%s\" is not in: %s", sentence, e.text);
	remove(w->path);
}

static void a_token_that_is_none_is_told_at_the_start(void **state)
{
	struct world *w = *state;
	struct err e = begin(w);
	assert_non_null(strstr(e.text, "slurmrestd_token_file: reading /tmp/rest-"));
	is_no_token(w, "", "is no token");
	is_no_token(w, "SLURM_JWT=" TOKEN("a"), "is no token");
	is_no_token(w, "password", "is no token");
}

/* ---- by https ---- */

static void given_authorities(struct world *w, const char *pem)
{
	remove(w->ca_path);
	write_file(w->ca_path, pem);
	w->ca_file = w->ca_path;
}

static void by_https_its_certificate_is_that_of_an_authority_of_ours(void **state)
{
	struct world *w = *state;
	given_authorities(w, w->server.cert_pem);
	assert_false(failed(begin(w)));
	until_sent(w, "\r\nX-SLURM-USER-TOKEN: " TOKEN("a") "\r\n");
	assert_non_null(strstr(w->peer.request, "\r\nUser-Agent: red-box\r\n"));
}

static void not_reached(void *ctx, enum slurm_health health, struct err err, const char *version)
{
	struct world *w = ctx;
	(void)version;
	w->health = health;
	w->err = err;
	loop_uv_stop(w->loop);
}

static void is_not_reached(struct world *w, enum slurm_health health, const char *sentence)
{
	assert_false(failed(begin(w)));
	slurm_ping(rest_slurm(w->rest), not_reached, w);
	loop_uv_run(w->loop);
	assert_int_equal(w->health, health);
	if (!strstr(w->err.text, sentence))
		fail_msg("\"%s\" is not in: %s", sentence, w->err.text);
	assert_string_equal(w->peer.request, "");
	rest_free(TAKE(w->rest));
}

static void is_not_trusted(struct world *w)
{
	is_not_reached(w, SLURM_TLS, "the certificate of the peer is not to be trusted");
}

static void whose_certificate_is_not_good_sees_no_token(void **state)
{
	struct world *w = *state;
	struct identity other = make_identity("other", "IP:127.0.0.1");
	is_not_trusted(w); /* the system's authorities do not know it */
	given_authorities(w, other.cert_pem);
	is_not_trusted(w);
	drop_identity(&other);
}

/* The peer is the proxy. */
static void a_proxy_of_the_environment_hears_of_nothing(void **state)
{
	struct world *w = *state;
	write_token(w, TOKEN("a"));
	setenv("https_proxy", w->url, 1);
	snprintf(w->url, sizeof(w->url), "https://slurm.invalid:6820");
	is_not_reached(w, SLURM_UNREACHABLE, "the name of the host is not known");
	unsetenv("https_proxy");
	assert_int_equal(w->peer.connections, 0);
}

static void is_no_authority(struct world *w, const char *pem, const char *sentence)
{
	if (pem)
		given_authorities(w, pem);
	struct err e = begin(w);
	assert_int_equal(e.kind, ERR_INVALID);
	assert_null(w->rest);
	assert_true(str_has_prefix(e.text, "slurmrestd_ca_file: "));
	if (!strstr(e.text, sentence))
		fail_msg("\"%s\" is not in: %s", sentence, e.text);
}

static void authorities_that_are_none_are_told_at_the_start(void **state)
{
	struct world *w = *state;
	AUTO(str_free) struct str text = { 0 };
	w->ca_file = w->ca_path;
	is_no_authority(w, NULL, "No such file or directory");
	w->ca_file = w->folder;
	is_no_authority(w, NULL, "Is a directory");
	is_no_authority(w, "", "there is no certificate that can be read");
	is_no_authority(w, w->server.key_pem, "there is no certificate that can be read");
	str_addf(&text, "%s-----BEGIN CERTIFICATE-----\nYQ==\n-----END CERTIFICATE-----\n",
		w->server.cert_pem);
	is_no_authority(w, str_text(&text), "there is no certificate that can be read");
	while (text.len <= 1 << 20)
		str_add(&text, w->server.cert_pem);
	is_no_authority(w, str_text(&text), "has more than 1048576 bytes");
}

static void without_slurmrestd_there_is_none(void **state)
{
	struct rest *r;
	(void)state;
	assert_false(failed(rest_open(NULL, &(struct redbox_rest){ 0 }, &r)));
	assert_null(r);
	assert_null(rest_slurm(r));
	rest_free(r);
}

#define REST_TEST(name) cmocka_unit_test_setup_teardown(name, given_slurmrestd, free_world)
#define HTTPS_TEST(name) \
	cmocka_unit_test_setup_teardown(name, given_slurmrestd_by_https, free_world)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_given_is_checked),
		cmocka_unit_test(a_token_goes_over_no_network_in_plain_text),
		cmocka_unit_test(authorities_are_for_https),
		cmocka_unit_test(options_come_before_the_configuration),
		cmocka_unit_test(without_slurmrestd_there_is_none),
		REST_TEST(requests_name_the_account_and_show_its_token),
		REST_TEST(a_token_that_changes_is_read_again),
		REST_TEST(a_token_that_is_none_is_told_at_the_start),
		HTTPS_TEST(by_https_its_certificate_is_that_of_an_authority_of_ours),
		HTTPS_TEST(whose_certificate_is_not_good_sees_no_token),
		HTTPS_TEST(authorities_that_are_none_are_told_at_the_start),
		REST_TEST(a_proxy_of_the_environment_hears_of_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
