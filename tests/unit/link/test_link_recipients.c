/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens that the link writes into a Secret of others, and what it knows of that. */
#include "lib/link_world.h"

#include "base/arena.h"
#include "base/codec.h"
#include "slurm/rest/mint.h"

#define KEY "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
#define OTHER "//79/Pv6+fj39vX08/Lx8O/u7ezr6uno5+bl5OPi4eA="

#define SECRET_FOR(key, users)                                                                \
	"{\"metadata\":{\"annotations\":{\"slinky.slurm.net/server\":\"http://slurm:6820\","  \
	"\"slinky.slurm.net/token-users\":\"" users "\"}},\"data\":{\"jwt_hs256.key\":\"" key \
	"\"}}"

static void given_recipients(struct world *w, size_t n)
{
	static const struct recipient r = { "r", "exporter", 3600 };
	slurm_link_set_recipients(w->link, &r, n);
	when_passed(w, 100);
}

/* Slurm takes tokens of KEY, and Secret "r" is to have one. */
static void given_a_recipient(struct world *w, const char *secret)
{
	w->good_key = KEY;
	w->secret = SECRET_FOR(KEY, "slurm, exporter");
	snprintf(w->recipient, sizeof(w->recipient), "%s", secret);
	given_up_by_key(w);
	given_recipients(w, 1);
}

/* The strings of the result live until the next change of the link. */
static struct recipient_fact known(struct world *w)
{
	AUTO(arena_free) struct arena a = { 0 };
	struct recipients_fact f = slurm_link_recipients(w->link, &a);
	assert_int_equal(f.n, 1);
	return f.all[0];
}

static bool is_mintable(struct world *w)
{
	AUTO(arena_free) struct arena a = { 0 };
	return slurm_link_recipients(w->link, &a).mintable;
}

static void ended(void *ctx, struct err err) { *(struct err *)ctx = err; }

/* As a plan orders it: the Secret that is known. */
static struct err when_written(struct world *w)
{
	struct recipient_fact f = known(w);
	struct err e = err_new(ERR_INTERNAL, "not ended");
	slurm_link_write_token(w->link, "r", f.uid, f.resource_version, ended, &e);
	when_passed(w, 100);
	return e;
}

/* The token that it has, which the caller frees. */
static char *token_of(struct world *w)
{
	AUTO(json_auto) struct json_doc *doc = NULL;
	char *token = NULL;
	size_t n;
	assert_false(failed(json_parse(w->recipient, strlen(w->recipient), SIZE_MAX, &doc)));
	const char *text = json_str(json_at(json_root(doc), "data", "auth-token"), "");
	assert_true(base64_decode(text, strlen(text), &token, &n));
	return token;
}

static void then_it_has_a_token(struct world *w, const char *key)
{
	int64_t begins_s = 0, ends_s = 0, now_s = loop_wall_ms(&w->loop.loop) / 1000;
	AUTO(own_free) char *token = token_of(w);
	assert_true(token_is_minted(token, key, "exporter", &begins_s, &ends_s));
	assert_in_range(begins_s, now_s - 1, now_s);
	assert_int_equal(ends_s - begins_s, 3600);
	assert_true(known(w).current);
	assert_int_equal(known(w).ends_s, ends_s);
}

/* Acceptance: cluster-7 */
static void test_a_token_is_written_into_a_secret_that_consents(void **state)
{
	struct world *w = *state;
	given_a_recipient(w, RECIPIENT("7", TOKEN_OF_SLURM, ""));
	assert_true(is_mintable(w));
	assert_int_equal(known(w).known, YES);
	assert_true(known(w).consents);
	assert_int_equal(known(w).permitted, YES);
	assert_false(known(w).current);
	assert_int_equal(w->writes, 0); /* before the request */
	assert_false(failed(when_written(w)));
	then_it_has_a_token(w, KEY);
	assert_non_null(strstr(w->recipient, "\"slinky.slurm.net/token-expires\":\"20"));
	when_passed(w, 1800000);
	assert_int_equal(w->writes, 1);
	assert_true(known(w).current);
}

/* Acceptance: cluster-7 */
static void test_nothing_is_written_unasked(void **state)
{
	static const struct {
		const char *secret, *users;
	} rows[] = {
		{ RECIPIENT("7", "\"a\":\"b\"", "Zm9yZWlnbg=="), "exporter" },
		{ RECIPIENT("7", "\"slinky.slurm.net/token-of\":\"slur\"", "Zm9yZWlnbg=="),
			"exporter" },
		{ RECIPIENT("7", TOKEN_OF_SLURM, "Zm9yZWlnbg=="), "slurm,exporter2,export" },
		{ RECIPIENT("7", TOKEN_OF_SLURM, "Zm9yZWlnbg=="), "" },
		{ "", "exporter" },
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct world *w = *state;
		AUTO(str_free) struct str secret = { 0 };
		given_a_recipient(w, rows[i].secret);
		str_addf(&secret, SECRET_FOR(KEY, "%s"), rows[i].users);
		w->secret = str_text(&secret);
		when_passed(w, 61000);
		assert_int_equal(when_written(w).kind, ERR_RETRY);
		assert_string_equal(w->recipient, rows[i].secret);
		assert_true(!known(w).consents || known(w).permitted == NO);
		assert_int_equal(known(w).known, rows[i].secret[0] ? YES : NO);
		assert_int_equal(free_world(state), 0);
		assert_int_equal(given_a_link(state), 0);
	}
}

static void test_what_is_missing_is_found_within_a_check(void **state)
{
	struct world *w = *state;
	given_a_recipient(w, "");
	w->secret = SECRET_FOR(KEY, "slurm");
	when_passed(w, 61000);
	assert_int_equal(known(w).permitted, NO);
	w->secret = SECRET_FOR(KEY, "exporter");
	snprintf(w->recipient, sizeof(w->recipient), "%s", RECIPIENT("7", TOKEN_OF_SLURM, ""));
	when_passed(w, 11000);
	assert_int_equal(known(w).permitted, YES);
	assert_int_equal(known(w).known, YES);
	int reads = w->secrets;
	when_passed(w, 50000);
	assert_int_equal(w->secrets, reads); /* once a minute now */
}

/* The one with the key, by a name that the spec should not have had. */
/* Acceptance: cluster-7 */
static void test_the_key_is_never_written_over(void **state)
{
	struct world *w = *state;
	const struct recipient r = { "k", "slurm", 3600 };
	struct err e = OK;
	w->good_key = KEY;
	w->secret = SECRET_FOR(KEY, "slurm\",\"slinky.slurm.net/token-of\":\"slurm");
	given_up_by_key(w);
	slurm_link_set_recipients(w->link, &r, 1);
	when_passed(w, 100);
	assert_true(known(w).consents);
	slurm_link_write_token(w->link, "k", "", "", ended, &e);
	assert_int_equal(e.kind, ERR_RETRY);
}

/* Acceptance: cluster-7 */
static void test_another_key_makes_the_token_old_once_slurm_takes_it(void **state)
{
	struct world *w = *state;
	given_a_recipient(w, RECIPIENT("7", TOKEN_OF_SLURM, ""));
	assert_false(failed(when_written(w)));
	w->secret = SECRET_FOR(OTHER, "exporter");
	when_passed(w, 70000);
	assert_true(known(w).current); /* Slurm has the key of before */
	w->good_key = OTHER;
	w->changes = 0;
	when_passed(w, 11000);
	assert_true(is_mintable(w));
	assert_false(known(w).current);
	assert_true(w->changes > 0); /* a plan follows */
	assert_false(failed(when_written(w)));
	then_it_has_a_token(w, OTHER);
}

static void test_without_a_key_that_slurm_takes_no_token_is_written(void **state)
{
	struct world *w = *state;
	w->token_refused = true;
	w->secret = SECRET_FOR(KEY, "exporter");
	snprintf(w->recipient, sizeof(w->recipient), "%s", RECIPIENT("7", TOKEN_OF_SLURM, ""));
	slurm_link_set_minting(w->link, "http://slurm:6820", "k", "slurm");
	given_recipients(w, 1);
	when_passed(w, 30000);
	assert_false(is_mintable(w));
	assert_int_equal(when_written(w).kind, ERR_RETRY);
	w->token_refused = false;
	when_passed(w, 11000);
	assert_true(is_mintable(w));
	w->rest_down = true; /* what was made of the key meanwhile is good when it is back */
	when_passed(w, 30000);
	assert_true(is_mintable(w));
	assert_false(failed(when_written(w)));
}

static void test_who_was_overtaken_reads_before_anything_is_decided(void **state)
{
	struct world *w = *state;
	given_a_recipient(w, RECIPIENT("7", TOKEN_OF_SLURM, ""));
	snprintf(w->recipient, sizeof(w->recipient), "%s",
		RECIPIENT("8", TOKEN_OF_SLURM, "dGhlaXJz"));
	assert_int_equal(when_written(w).kind, ERR_CONFLICT);
	assert_string_equal(known(w).resource_version, "8");
	assert_false(known(w).in_flight);
	assert_false(failed(when_written(w)));
	then_it_has_a_token(w, KEY);
}

static void test_a_lost_answer_is_looked_for(void **state)
{
	struct world *w = *state;
	given_a_recipient(w, RECIPIENT("7", TOKEN_OF_SLURM, ""));
	w->write_fails = ERR_LOST;
	assert_int_equal(when_written(w).kind, ERR_LOST);
	assert_true(known(w).current);
	assert_false(known(w).in_flight);
}

static void test_a_role_that_lacks_the_right_is_told(void **state)
{
	struct world *w = *state;
	given_a_recipient(w, RECIPIENT("7", TOKEN_OF_SLURM, ""));
	w->write_fails = ERR_DENIED;
	struct err e = when_written(w);
	assert_int_equal(e.kind, ERR_DENIED);
	assert_non_null(strstr(e.text, "is forbidden"));
	assert_string_equal(known(w).trouble, "");
	w->api_forbids = true;
	when_passed(w, 70000);
	assert_non_null(strstr(known(w).trouble, "reading Secret ns/r"));
}

/* With the write on its way: its outcome is unknown. */
static void test_who_waits_for_a_write_hears_of_the_end(void **state)
{
	struct world *w = *state;
	struct err e = OK;
	given_a_recipient(w, RECIPIENT("7", TOKEN_OF_SLURM, ""));
	slurm_link_write_token(w->link, "r", "u-r", "7", ended, &e);
	assert_true(known(w).in_flight);
	slurm_link_set_recipients(w->link, NULL, 0);
	assert_int_equal(e.kind, ERR_LOST);
	when_passed(w, 100);
	assert_int_equal(w->writes, 0);

	e = OK;
	given_recipients(w, 1);
	slurm_link_write_token(w->link, "r", "u-r", "7", ended, &e);
	slurm_link_free(TAKE(w->link));
	assert_int_equal(e.kind, ERR_LOST);
}

#define RECIPIENT_TEST(t) cmocka_unit_test_setup_teardown(t, given_a_link, free_world)

int main(void)
{
	const struct CMUnitTest tests[] = {
		RECIPIENT_TEST(test_a_token_is_written_into_a_secret_that_consents),
		RECIPIENT_TEST(test_nothing_is_written_unasked),
		RECIPIENT_TEST(test_what_is_missing_is_found_within_a_check),
		RECIPIENT_TEST(test_the_key_is_never_written_over),
		RECIPIENT_TEST(test_another_key_makes_the_token_old_once_slurm_takes_it),
		RECIPIENT_TEST(test_without_a_key_that_slurm_takes_no_token_is_written),
		RECIPIENT_TEST(test_who_was_overtaken_reads_before_anything_is_decided),
		RECIPIENT_TEST(test_a_lost_answer_is_looked_for),
		RECIPIENT_TEST(test_a_role_that_lacks_the_right_is_told),
		RECIPIENT_TEST(test_who_waits_for_a_write_hears_of_the_end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
