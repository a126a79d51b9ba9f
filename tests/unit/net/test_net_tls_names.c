/* SPDX-License-Identifier: Apache-2.0 */
/* By which names a certificate is known. */
#include "lib/test.h"

#include <openssl/evp.h>
#include <openssl/x509v3.h>

#include "net/tls_parts.h"

struct part {
	const char *what; /* "CN" */
	const char *text;
	int bytes; /* 0: all of the text */
};

/* san: as openssl.cnf has it; NULL: none. */
static struct err names_of(const struct part *parts, const char *san, struct arena *a,
	struct tls_names *out)
{
	unsigned char *der = NULL;
	X509 *c = X509_new();
	EVP_PKEY *key = EVP_EC_gen("P-256");
	for (; parts->what; parts++)
		X509_NAME_add_entry_by_txt(X509_get_subject_name(c), parts->what, MBSTRING_UTF8,
			(const unsigned char *)parts->text, parts->bytes ? parts->bytes : -1, -1,
			0);
	X509_EXTENSION *names = san ? X509V3_EXT_conf_nid(NULL, NULL, NID_subject_alt_name, san)
				    : NULL;
	if (names)
		X509_add_ext(c, names, -1);
	X509_gmtime_adj(X509_getm_notBefore(c), 0);
	X509_gmtime_adj(X509_getm_notAfter(c), 60);
	X509_set_pubkey(c, key);
	X509_sign(c, key, EVP_sha256());
	int n = i2d_X509(c, &der);
	struct err e = tls_read_names(der, (size_t)n, a, out);
	struct tls_names cut;
	assert_true(failed(tls_read_names(der, (size_t)n / 2, a, &cut)) && !cut.n);
	OPENSSL_free(der);
	X509_EXTENSION_free(names);
	EVP_PKEY_free(key);
	X509_free(c);
	return e;
}

/* Acceptance: red-box-31 */
static void test_common_name_dns_names_and_uris_are_names(void **state)
{
	(void)state;
	struct arena a AUTO(arena_free) = { 0 };
	struct tls_names s;
	const struct part one[] = { { "O", "org" }, { "CN", "vnode" }, { 0 } };
	const struct part two[] = { { "CN", "a" }, { "CN", "b" }, { 0 } };
	assert_false(failed(names_of(one,
		"email:x@y.example,DNS:a.example,IP:10.0.0.1,URI:spiffe://a/b", &a, &s)));
	assert_int_equal(s.n, 3);
	assert_string_equal(s.rows[0], "vnode");
	assert_string_equal(s.rows[1], "a.example");
	assert_string_equal(s.rows[2], "spiffe://a/b");
	assert_false(failed(names_of(two, "DNS:c", &a, &s)));
	assert_int_equal(s.n, 1);
	assert_string_equal(s.rows[0], "c");
	assert_false(failed(names_of(two, NULL, &a, &s)));
	assert_int_equal(s.n, 0);
}

/* Acceptance: red-box-31 */
static void test_a_name_that_cannot_be_read_spoils_all(void **state)
{
	(void)state;
	struct arena a AUTO(arena_free) = { 0 };
	struct tls_names s;
	const struct part nul[] = { { "CN", "root\0x", 6 }, { 0 } };
	const struct part none[] = { { 0 } };
	AUTO(str_free) struct str many = { 0 };
	for (int i = 0; i <= 100; i++)
		str_addf(&many, "%sDNS:n%d", i ? "," : "", i);
	assert_int_equal(names_of(nul, "DNS:c", &a, &s).kind, ERR_INVALID);
	assert_int_equal(names_of(none, str_text(&many), &a, &s).kind, ERR_INVALID);
	assert_int_equal(s.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_common_name_dns_names_and_uris_are_names),
		cmocka_unit_test(test_a_name_that_cannot_be_read_spoils_all),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
