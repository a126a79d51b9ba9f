/* SPDX-License-Identifier: Apache-2.0 */
/* What can be said of a token by looking at it. */
#include "lib/test.h"

#include "base/codec.h"
#include "slurm/token.h"

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
			"it is no JWT (three parts with dots between them), as scontrol token "
			"prints one" },
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_an_expired_token_is_told_from_a_wrong_one),
		cmocka_unit_test(test_nothing_of_the_token_gets_into_the_text),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
