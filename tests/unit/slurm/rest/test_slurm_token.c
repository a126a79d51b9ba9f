/* SPDX-License-Identifier: Apache-2.0 */
/* Facts of a token by its text alone. */
#include "lib/test.h"

#include "base/codec.h"
#include "slurm/rest/mint.h"
#include "slurm/rest/token.h"

static char *jwt(const char *claims)
{
	AUTO(own_free) char *middle = base64url_encode(claims, strlen(claims));
	struct str s = { 0 };
	str_addf(&s, "eyJhbGciOiJIUzI1NiJ9.%s.c2VjcmV0", middle);
	return str_take(&s);
}

static void test_an_expired_token_is_told_from_a_wrong_one(void **state)
{
	(void)state;
	static const struct {
		const char *claims;
		enum token_flaw flaw;
		const char *says;
	} rows[] = {
		{ "{\"exp\":1767225600,\"sun\":\"slurm\"}", TOKEN_EXPIRED,
			"it expired at 2026-01-01T00:00:00Z" },
		{ "{\"exp\":1767229200,\"sun\":\"slurm\"}", TOKEN_FINE, "" },
		{ "{\"sun\":\"s~~~?>>>\"}", TOKEN_FINE, "" },
		{ "{\"exp\":-1}", TOKEN_FINE, "" },
		{ "{\"exp\":", TOKEN_NO_JWT,
			"it is not a JWT (three parts with dots between them) such as scontrol token "
			"prints" },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		AUTO(own_free) char *token = jwt(rows[i].claims);
		AUTO(str_free) struct str why = { 0 };
		assert_int_equal(token_look(token, 1767225600 + 60, &why), rows[i].flaw);
		assert_string_equal(str_text(&why), rows[i].says);
	}
}

static void test_nothing_of_the_token_gets_into_the_text(void **state)
{
	(void)state;
	static const struct {
		const char *token;
		enum token_flaw flaw;
	} rows[] = {
		{ "SLURM_JWT=geheim.geheim.geheim", TOKEN_PREFIXED },
		{ "geheim", TOKEN_NO_JWT },
		{ "", TOKEN_NO_JWT },
		{ "geheim.geheim.geheim.geheim", TOKEN_NO_JWT },
		{ "a.*geheim*.b", TOKEN_NO_JWT },
		{ NULL, TOKEN_NO_JWT },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		AUTO(str_free) struct str why = { 0 };
		assert_int_equal(token_look(rows[i].token, 0, &why), rows[i].flaw);
		assert_null(strstr(str_text(&why), "geheim"));
		assert_int_equal(token_look(rows[i].token, 0, NULL), rows[i].flaw);
	}
}

/* The signature was computed by another program (Python 3.13, hmac). */
static void test_a_token_that_is_made_is_signed_as_jwt_demands(void **state)
{
	(void)state;
	AUTO(own_wipe_at) char *token = NULL;
	struct err e = token_mint("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", "slurm",
		1767225600, 900, &token);
	assert_false(failed(e));
	assert_string_equal(token,
		"eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9."
		"eyJleHAiOjE3NjcyMjY1MDAsImlhdCI6MTc2NzIyNTYwMCwic3VuIjoic2x1cm0ifQ."
		"f5XsS07kk_u4LSY8sfygXt4uVwBkzlbtJL0MpLZVAlw");
	assert_int_equal(token_look(token, 1767225600, NULL), TOKEN_FINE);
	assert_int_equal(token_look(token, 1767226500, NULL), TOKEN_EXPIRED);
}

static void test_a_token_is_told_to_be_of_a_key(void **state)
{
	static const char key[] = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
			  other[] = "//79/Pv6+fj39vX08/Lx8O/u7ezr6uno5+bl5OPi4eA=";
	int64_t begins_s, ends_s;
	AUTO(own_wipe_at) char *token = NULL;
	AUTO(own_free) char *foreign = jwt("{\"exp\":1767226500,\"iat\":1767225600,\"sun\":"
				   "\"slurm\"}");
	static const char *const odd[] = { NULL, "", "a.b.c", "eyJhbGciOiJIUzI1NiJ9.e30.c2VjcmV0" };
	(void)state;
	assert_false(failed(token_mint(key, "slurm", 1767225600, 900, &token)));
	assert_true(token_is_minted(token, key, "slurm", &begins_s, &ends_s));
	assert_int_equal(begins_s, 1767225600);
	assert_int_equal(ends_s, 1767226500);
	assert_false(token_is_minted(token, other, "slurm", &begins_s, &ends_s));
	assert_false(token_is_minted(token, key, "root", &begins_s, &ends_s));
	assert_false(token_is_minted(foreign, key, "slurm", &begins_s, &ends_s));
	assert_int_equal(ends_s, 1767226500); /* it says so all the same */
	for (size_t i = 0; i < LENGTH(odd); i++)
		assert_false(token_is_minted(odd[i], key, "slurm", &begins_s, &ends_s));
}

/* A Secret may have a megabyte, and there may be many Clusters. */
static void test_bad_input_a_key_that_is_too_long_is_not_kept(void **state)
{
	static char bytes[5000];
	static const struct {
		size_t n;
		bool taken;
	} rows[] = { { 15, false }, { 16, true }, { 4096, true }, { 4097, false },
		{ sizeof(bytes), false } };
	(void)state;
	for (size_t i = 0; i < LENGTH(rows); i++) {
		AUTO(own_wipe_at) char *token = NULL;
		AUTO(own_free) char *key = base64url_encode(bytes, rows[i].n);
		AUTO(str_free) struct str padded = { 0 };
		str_add(&padded, key);
		while (padded.len % 4)
			str_add(&padded, "=");
		assert_int_equal(failed(token_mint(str_text(&padded), "slurm", 0, 900, &token)),
			!rows[i].taken);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_an_expired_token_is_told_from_a_wrong_one),
		cmocka_unit_test(test_nothing_of_the_token_gets_into_the_text),
		cmocka_unit_test(test_a_token_that_is_made_is_signed_as_jwt_demands),
		cmocka_unit_test(test_a_token_is_told_to_be_of_a_key),
		cmocka_unit_test(test_bad_input_a_key_that_is_too_long_is_not_kept),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
