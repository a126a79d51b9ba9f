/* SPDX-License-Identifier: Apache-2.0 */
/* Certificates that we make, and what we see in certificates. */
#include "lib/test.h"

#include <openssl/x509.h>

#include "net/x509.h"

enum { FROM_S = 1767225600, DAY_S = 86400 }; /* 2026-01-01 */

static void make_pair(struct x509_pair *ca, struct x509_pair *server)
{
	static const char *const names[] = { "hook.ns.svc", "hook" };
	const struct x509_wish authority = {
		.name = "a ca",
		.from_s = FROM_S,
		.until_s = FROM_S + 10 * DAY_S,
	};
	const struct x509_wish wish = {
		.name = "a server",
		.dns = names,
		.n_dns = 2,
		.from_s = FROM_S,
		.until_s = FROM_S + DAY_S,
	};
	assert_false(failed(x509_make_authority(&authority, ca)));
	assert_false(failed(x509_make_server(&wish, ca, server)));
}

#define PAIRS(ca, server)                                     \
	struct x509_pair ca AUTO(x509_pair_free) = { 0 };     \
	struct x509_pair server AUTO(x509_pair_free) = { 0 }; \
	make_pair(&ca, &server)

static void test_what_was_made_says_what_was_wished(void **state)
{
	(void)state;
	struct x509_facts f;
	PAIRS(ca, server);
	assert_false(failed(x509_read(ca.cert_pem, &f)));
	assert_true(f.authority && f.from_s == FROM_S && f.until_s == FROM_S + 10 * DAY_S);
	assert_false(failed(x509_read(server.cert_pem, &f)));
	assert_true(!f.authority && f.from_s == FROM_S && f.until_s == FROM_S + DAY_S);
	assert_true(x509_is_for(server.cert_pem, "hook.ns.svc"));
	assert_true(x509_is_for(server.cert_pem, "hook"));
	assert_false(x509_is_for(server.cert_pem, "hook.other.svc"));
	assert_false(x509_is_for(server.cert_pem, "a server"));
}

static void test_who_signed_and_whose_key_it_is(void **state)
{
	(void)state;
	PAIRS(ca, server);
	PAIRS(other, of_other);
	assert_true(x509_signed_by(server.cert_pem, ca.cert_pem));
	/* An issuer of the same name, but with another key. */
	assert_false(x509_signed_by(server.cert_pem, other.cert_pem));
	assert_false(x509_signed_by(ca.cert_pem, server.cert_pem));
	assert_true(x509_key_fits(server.cert_pem, server.key_pem));
	assert_false(x509_key_fits(server.cert_pem, of_other.key_pem));
	assert_true(x509_key_fits(ca.cert_pem, ca.key_pem));
}

static void test_a_bundle_is_walked(void **state)
{
	(void)state;
	AUTO(str_free) struct str bundle = { 0 };
	PAIRS(ca, server);
	PAIRS(other, of_other);
	str_addf(&bundle, "# old\n%s\n%s-----BEGIN CERTIFICATE-----\ncut", ca.cert_pem,
		other.cert_pem);
	const char *at = str_text(&bundle);
	AUTO(own_free) char *first = x509_next(&at), *second = x509_next(&at);
	assert_string_equal(first, ca.cert_pem);
	assert_string_equal(second, other.cert_pem);
	assert_null(x509_next(&at));
	at = NULL;
	assert_null(x509_next(&at));
}

static void test_bad_input_is_no_certificate(void **state)
{
	(void)state;
	static const char *const texts[] = { "", "x",
		"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
		"-----BEGIN CERTIFICATE-----\n\n-----END CERTIFICATE-----\n" };
	struct x509_facts f;
	struct x509_pair made AUTO(x509_pair_free) = { 0 };
	PAIRS(ca, server);
	for (size_t i = 0; i < LENGTH(texts); i++) {
		struct x509_pair bad = { (char *)(uintptr_t)texts[i], ca.key_pem };
		struct x509_wish w = { .name = "x", .until_s = FROM_S };
		assert_true(failed(x509_read(texts[i], &f)));
		assert_false(x509_key_fits(texts[i], server.key_pem));
		assert_false(x509_key_fits(server.cert_pem, texts[i]));
		assert_false(x509_signed_by(texts[i], ca.cert_pem));
		assert_false(x509_is_for(texts[i], "hook"));
		assert_int_equal(x509_make_server(&w, &bad, &made).kind, ERR_INVALID);
	}
}

/* ---- whom one names ---- */

struct part {
	const char *what; /* "CN" */
	const char *text;
	int bytes; /* 0: all of the text */
};

static struct err subject_of(const struct part *parts, struct arena *a, struct x509_subject *out)
{
	unsigned char *der = NULL;
	X509 *c = X509_new();
	EVP_PKEY *key = EVP_EC_gen("P-256");
	X509_NAME *name = X509_get_subject_name(c);
	for (; parts->what; parts++)
		X509_NAME_add_entry_by_txt(name, parts->what, MBSTRING_UTF8,
			(const unsigned char *)parts->text, parts->bytes ? parts->bytes : -1, -1,
			0);
	X509_gmtime_adj(X509_getm_notBefore(c), 0);
	X509_gmtime_adj(X509_getm_notAfter(c), 60);
	X509_set_pubkey(c, key);
	X509_sign(c, key, EVP_sha256());
	int n = i2d_X509(c, &der);
	struct err e = x509_read_subject(der, (size_t)n, a, out);
	struct x509_subject cut;
	for (int i = 0; i < n; i += 13)
		assert_true(failed(x509_read_subject(der, (size_t)i, a, &cut)) && !cut.name);
	OPENSSL_free(der);
	EVP_PKEY_free(key);
	X509_free(c);
	return e;
}

static void test_a_client_is_named_by_its_subject(void **state)
{
	(void)state;
	struct arena a AUTO(arena_free) = { 0 };
	struct x509_subject s;
	assert_false(failed(subject_of((const struct part[]){ { "O", "system:masters" },
					       { "C", "DE" }, { "CN", "kube, \"api\" é" },
					       { "O", "b+c" }, { 0 } },
		&a, &s)));
	assert_string_equal(s.name, "kube, \"api\" é");
	assert_int_equal(s.n_groups, 2);
	assert_string_equal(s.groups[0], "system:masters");
	assert_string_equal(s.groups[1], "b+c");
	assert_false(failed(subject_of((const struct part[]){ { "CN", "x" }, { 0 } }, &a, &s)));
	assert_int_equal(s.n_groups, 0);
}

static void test_a_subject_that_is_not_clear_names_nobody(void **state)
{
	(void)state;
	static const struct part rows[][3] = {
		{ { "O", "system:masters" } },
		{ { "CN", "a" }, { "CN", "b" } },
		{ { "CN", "root\0x", 6 } },
		{ { "CN", "a" }, { "O", "system:masters\0x", 16 } },
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct arena a AUTO(arena_free) = { 0 };
		struct x509_subject s = { 0 };
		assert_int_equal(subject_of(rows[i], &a, &s).kind, ERR_INVALID);
		assert_true(!s.name && !s.n_groups);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_was_made_says_what_was_wished),
		cmocka_unit_test(test_who_signed_and_whose_key_it_is),
		cmocka_unit_test(test_a_bundle_is_walked),
		cmocka_unit_test(test_bad_input_is_no_certificate),
		cmocka_unit_test(test_a_client_is_named_by_its_subject),
		cmocka_unit_test(test_a_subject_that_is_not_clear_names_nobody),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
