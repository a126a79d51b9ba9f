/* SPDX-License-Identifier: Apache-2.0 */
/* A Cluster read from its JSON, and what a URL of slurmrestd looks like. */
#include "lib/given.h"
#include "api/admission.h"
#include "api/cluster.h"

static const struct {
	const char *url;
	bool good;
} urls[] = {
	{ "http://slurm-restapi:6820", true },
	{ "https://slurm-restapi.ns.svc:6820", true },
	{ "http://localhost", true },
	{ "http://10.0.0.1:6820/", true },
	{ "https://[2001:db8::1]:6820", true },
	{ "http://[::1]", true },
	{ "https://host:6820/gateway/slurm", true },
	{ "http://h:65535", true },
	{ "", false },
	{ "slurm-restapi:6820", false },
	{ "ftp://host", false },
	{ "HTTPS://host", true },
	{ "http://", false },
	{ "http:///path", false },
	{ "http://:6820", false },
	{ "http://host:", false },
	{ "http://host:0", false },
	{ "http://host:65536", false },
	{ "http://host:68x0", false },
	{ "http://host:0680", false },
	{ "http://host:123456789", false },
	{ "http://user@host", false },
	{ "http://host?x=1", false },
	{ "http://host#x", false },
	{ "http://ho st", false },
	{ "http://host\n", false },
	{ "http://[::1", false },
	{ "http://[]", false },
	{ "http://[::1]x", false },
	{ "http://ho!st", false },
	{ "http://[::1]:", false },
	{ "http://host/\xe2\x80\xae", false },
};

static void test_server_urls(void **state)
{
	(void)state;
	for (size_t i = 0; i < LENGTH(urls); i++) {
		struct err e = server_url_check(urls[i].url);
		if (failed(e) == urls[i].good)
			fail_msg("%s: %s", urls[i].url, failed(e) ? e.text : "taken");
		if (failed(e))
			assert_int_equal(e.kind, ERR_INVALID);
	}
	assert_true(failed(server_url_check(NULL)));
}

static void test_reads_and_checks(void **state)
{
	(void)state;
	WORLD(g);
	struct cluster c;
	cluster_read(given_json(&g,
			     "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"slurm\",\"uid\":\"u\","
			     "\"resourceVersion\":\"3\",\"generation\":2},"
			     "\"spec\":{\"server\":\"http://"
			     "h:1\",\"token\":{\"secretRef\":\"token\"}},\"status\":{\"isReady\":"
			     "true}}"),
		&c);
	assert_string_equal(c.server, "http://h:1");
	assert_string_equal(c.secret_ref, "token");
	assert_int_equal(c.generation, 2);
	assert_false(failed(cluster_check(&c)));
	c.secret_ref = "";
	assert_non_null(strstr(cluster_check(&c).text, "spec.token.secretRef is empty"));
	cluster_read(NULL, &c);
	assert_non_null(strstr(cluster_check(&c).text, "spec.server is empty"));
}

static void test_a_secret_is_named_as_secrets_are(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		bool good;
	} rows[] = {
		{ "slurm-token", true },
		{ "a", true },
		{ "0.b-c.9", true },
		{ "A", false },
		{ "a..b", false },
		{ ".a", false },
		{ "a.", false },
		{ "-a", false },
		{ "a-.b", false },
		{ "a/b", false },
		{ "../a", false },
		{ "a b", false },
		{ "a\xc3\xa9", false },
	};
	struct cluster c = { .ns = "ns", .server = "http://h:1" };
	for (size_t i = 0; i < LENGTH(rows); i++) {
		c.secret_ref = rows[i].name;
		struct err e = cluster_check(&c);
		if (failed(e) == rows[i].good)
			fail_msg("%s: %s", rows[i].name, failed(e) ? e.text : "taken");
		assert_true(!failed(e) || strstr(e.text, "no name of a Secret"));
	}
	char longest[256];
	memset(longest, 'a', sizeof(longest));
	longest[253] = '\0';
	c.secret_ref = longest;
	assert_false(failed(cluster_check(&c)));
	longest[253] = 'a';
	longest[254] = '\0';
	assert_true(failed(cluster_check(&c)));
}

/* Either of the two opens it; the key when both are named. */
static const struct {
	const char *token, *secret, *bad;
} tokens[] = {
	{ "{\"secretRef\":\"t\"}", "t", NULL },
	{ "{\"jwtKeyRef\":\"k\"}", "k", NULL },
	{ "{\"secretRef\":\"t\",\"jwtKeyRef\":\"k\",\"user\":\"root\"}", "k", NULL },
	{ "{}", "", "spec.token.secretRef is empty" },
	{ "{\"jwtKeyRef\":\"K\"}", "K", "spec.token.jwtKeyRef \"K\" is no name of a Secret" },
	{ "{\"jwtKeyRef\":\"k\",\"user\":\"a b\"}", "k",
		"spec.token.user \"a b\" is no name of a user" },
	{ "{\"jwtKeyRef\":\"k\",\"user\":\"\"}", "k", "is no name of a user" },
	{ "{\"secretRef\":\"t\",\"user\":\"a b\"}", "t", NULL },
	{ "{\"jwtKeyRef\":\"k\",\"writeTo\":[{\"secretRef\":\"r\"},{\"secretRef\":\"s\","
	  "\"user\":\"exporter\",\"expirationSeconds\":86400}]}",
		"k", NULL },
	{ "{\"secretRef\":\"t\",\"writeTo\":[{\"secretRef\":\"r\"}]}", "t",
		"spec.token.writeTo needs spec.token.jwtKeyRef" },
	{ "{\"jwtKeyRef\":\"k\",\"writeTo\":[{\"secretRef\":\"k\"}]}", "k",
		"names Secret k, which has the token or key of the Cluster itself" },
	{ "{\"jwtKeyRef\":\"k\",\"writeTo\":[{}]}", "k",
		"spec.token.writeTo.secretRef \"\" is no name of a Secret" },
	{ "{\"jwtKeyRef\":\"k\",\"writeTo\":[{\"secretRef\":\"r\"},{\"secretRef\":\"r\"}]}", "k",
		"spec.token.writeTo names Secret r twice" },
	{ "{\"jwtKeyRef\":\"k\",\"writeTo\":[{\"secretRef\":\"r\",\"user\":\"a b\"}]}", "k",
		"spec.token.writeTo.user \"a b\" is no name of a user" },
	{ "{\"jwtKeyRef\":\"k\",\"writeTo\":[{\"secretRef\":\"r\",\"expirationSeconds\":"
	  "599}]}",
		"k", "is 599, and must be from 600 to 86400" },
	{ "{\"jwtKeyRef\":\"k\",\"writeTo\":[{\"secretRef\":\"a\"},{\"secretRef\":\"b\"},"
	  "{\"secretRef\":\"c\"},{\"secretRef\":\"d\"},{\"secretRef\":\"e\"},{"
	  "\"secretRef\":\"f\"},{\"secretRef\":\"g\"},{\"secretRef\":\"h\"},{"
	  "\"secretRef\":\"i\"}]}",
		"k", "names 9 Secrets, and may name 8" },
};

static void test_a_key_stands_for_a_token(void **state)
{
	(void)state;
	for (size_t i = 0; i < LENGTH(tokens); i++) {
		WORLD(g);
		struct cluster c;
		cluster_read(given_json(&g,
				     arena_printf(&g.arena,
					     "{\"spec\":{\"server\":\"http://h:1\",\"token\":%s}}",
					     tokens[i].token)),
			&c);
		struct err e = cluster_check(&c);
		assert_string_equal(cluster_secret(&c), tokens[i].secret);
		assert_int_equal(failed(e), tokens[i].bad != NULL);
		assert_true(!tokens[i].bad || strstr(e.text, tokens[i].bad));
	}
}

static void test_only_http_is_plain(void **state)
{
	(void)state;
	assert_true(cluster_is_plain(&(struct cluster){ .server = "HTTP://h" }));
	assert_false(cluster_is_plain(&(struct cluster){ .server = "https://h" }));
}

static bool one_has(const char *const *texts, size_t n, const char *part)
{
	for (size_t i = 0; i < n; i++)
		if (strstr(texts[i], part))
			return true;
	return false;
}

#define CLUSTER(server, secret)                                                                \
	"{\"metadata\":{\"namespace\":\"ns\"},\"spec\":{\"server\":\"" server "\",\"token\":{" \
	"\"secretRef\":\"" secret "\"}},\"status\":{\"slurmCluster\":\"lab\"}}"

static const struct {
	const char *old, *new, *denial, *warning;
} admitted[] = {
	{ NULL, CLUSTER("https://h:1", "t"), NULL, NULL },
	{ NULL, CLUSTER("", "t"), "spec.server is empty", NULL },
	{ NULL, CLUSTER("https://h", ""), "spec.token.secretRef is empty", NULL },
	{ NULL, CLUSTER("h:6820", "t"), "neither http:// nor https://", NULL },
	{ NULL, CLUSTER("https://h:0", "t"), "from 1 to 65535", NULL },
	{ NULL, CLUSTER("http://h:1", "t"), NULL, "plain http" },
	{ NULL, CLUSTER("https://localhost:1", "t"), NULL, "--allow-local-servers" },
	{ CLUSTER("https://h", "t"), CLUSTER("https://h", ""), "secretRef is empty", NULL },
	{ CLUSTER("https://h", ""), CLUSTER("https://g", ""), NULL, "as before: spec.token" },
	{ CLUSTER("https://h", "t"), CLUSTER("https://g", "t"), NULL, "until the Slurm lab" },
	{ CLUSTER("http://h", "t"), CLUSTER("http://h", "u"), NULL, NULL },
	{ CLUSTER("", ""), CLUSTER("", ""), NULL, NULL },
};

/* Acceptance: webhook-1 */
static void test_what_is_admitted(void **state)
{
	(void)state;
	for (size_t i = 0; i < LENGTH(admitted); i++) {
		WORLD(g);
		struct cluster was, is;
		struct admission a = { .arena = &g.arena };
		cluster_read(given_json(&g, admitted[i].new), &is);
		if (admitted[i].old)
			cluster_read(given_json(&g, admitted[i].old), &was);
		admit_cluster(admitted[i].old ? &was : NULL, &is, &a);
		assert_int_equal(a.n_denials, admitted[i].denial != NULL);
		if (admitted[i].denial)
			assert_non_null(strstr(admission_message(&a), admitted[i].denial));
		else if (admitted[i].warning)
			assert_true(one_has(a.warnings, a.n_warnings, admitted[i].warning));
		else
			assert_int_equal(a.n_warnings, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_server_urls),
		cmocka_unit_test(test_reads_and_checks),
		cmocka_unit_test(test_a_secret_is_named_as_secrets_are),
		cmocka_unit_test(test_a_key_stands_for_a_token),
		cmocka_unit_test(test_only_http_is_plain),
		cmocka_unit_test(test_what_is_admitted) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
