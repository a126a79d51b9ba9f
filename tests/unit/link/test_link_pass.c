/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens that the link makes itself, of the key of Slurm. */
#include "lib/link_world.h"

#define KEY "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
#define OTHER "//79/Pv6+fj39vX08/Lx8O/u7ezr6uno5+bl5OPi4eA="

#define THIRD "Pz8/Pz8/Pz8/Pz8/Pz8/Pz8/Pz8/Pz8/Pz8/Pz8/Pz8="

static void given_a_key(struct world *w)
{
	w->good_key = KEY;
	w->secret = KEY_SECRET(KEY);
	given_up_by_key(w);
}

static void then_the_token_is_taken(struct world *w)
{
	then_health(w, SLURM_UP);
	assert_int_equal(slurm_link_slurm(w->link).usable, YES);
}

/* Each is good for a quarter of an hour. */
static void test_tokens_are_made_anew_in_time(void **state)
{
	struct world *w = *state;
	char first[sizeof(w->token)];
	given_a_key(w);
	snprintf(first, sizeof(first), "%s", w->token);
	w->new_tokens = 0;
	for (int minute = 0; minute < 60; minute++) {
		when_passed(w, 60000);
		then_the_token_is_taken(w);
	}
	assert_string_not_equal(w->token, first);
	/* The same client, user and rights: nothing that waits is told to try again */
	assert_int_equal(w->clients, 1);
	assert_int_equal(w->new_tokens, 0);
}

static void test_tokens_are_made_anew_while_the_api_server_is_away(void **state)
{
	struct world *w = *state;
	given_a_key(w);
	w->api_forbids = true;
	for (int minute = 0; minute < 60; minute++) {
		when_passed(w, 60000);
		then_the_token_is_taken(w);
	}
}

static void test_a_clock_that_was_set_back_makes_a_new_token(void **state)
{
	struct world *w = *state;
	given_a_key(w);
	w->loop.wall_ms -= 86400000;
	when_passed(w, 11000);
	then_the_token_is_taken(w);
	w->loop.wall_ms += 86400000;
	when_passed(w, 11000);
	then_the_token_is_taken(w);
}

/* Slurm reads its key when it starts, which may be long after the Secret has changed. */
static void test_a_key_that_changes_is_used_when_slurm_has_it(void **state)
{
	struct world *w = *state;
	given_a_key(w);
	w->secret = KEY_SECRET(OTHER);
	when_passed(w, 600000);
	then_the_token_is_taken(w);
	w->good_key = OTHER;
	when_passed(w, 11000);
	then_the_token_is_taken(w);
	assert_int_equal(w->clients, 1);
	when_passed(w, 3600000);
	then_the_token_is_taken(w);
}

/* A slurmctld that has much to do: the check has given up before it says anything. */
static void test_a_key_that_only_lists_refuse_is_changed_as_well(void **state)
{
	struct world *w = *state;
	given_a_key(w);
	w->checks_lost = true;
	when_passed(w, 60000);
	w->secret = KEY_SECRET(OTHER);
	w->good_key = OTHER;
	when_passed(w, 90000);
	assert_int_equal(slurm_link_slurm(w->link).usable, YES);
}

/* A user put a wrong key there, and Slurm refuses for a moment for its own reasons. */
static void test_the_key_of_before_is_tried_again(void **state)
{
	struct world *w = *state;
	given_a_key(w);
	w->secret = KEY_SECRET(OTHER);
	w->token_refused = true;
	when_passed(w, 30000);
	then_health(w, SLURM_DENIED);
	w->token_refused = false;
	when_passed(w, 30000);
	then_the_token_is_taken(w);
}

/* Slurm is away meanwhile, and refuses for a while after that. */
static void test_the_key_that_slurm_took_is_known_after_several_others(void **state)
{
	static const char *const others[] = { KEY_SECRET(OTHER), KEY_SECRET(THIRD),
		KEY_SECRET("c2hvcnQ=") };
	for (int refused = 0; refused < 2; refused++) {
		struct world *w = *state;
		given_a_key(w);
		w->rest_down = !refused;
		w->token_refused = refused;
		for (size_t i = 0; i < LENGTH(others) - (size_t)refused; i++) {
			w->secret = others[i];
			when_passed(w, 90000);
		}
		w->rest_down = w->token_refused = false;
		when_passed(w, 30000);
		then_the_token_is_taken(w);
		assert_int_equal(free_world(state), 0);
		assert_int_equal(given_a_link(state), 0);
	}
}

/* Without a report the fault is found when slurmctld is started with the key. */
static void test_bad_input_a_new_key_that_cannot_be_used_is_told_at_once(void **state)
{
	struct world *w = *state;
	given_a_key(w);
	w->secret = KEY_SECRET("c2hvcnQ=");
	when_passed(w, 120000);
	then_the_token_is_taken(w);
	assert_non_null(strstr(slurm_link_fact(w->link).trouble,
		"but the new key \"jwt_hs256.key\" of Secret ns/k cannot be used: "
		"it has 5 bytes"));
	w->secret = KEY_SECRET(OTHER);
	when_passed(w, 120000);
	then_the_token_is_taken(w);
	assert_string_equal(slurm_link_fact(w->link).trouble, "");
}

static void test_bad_input_a_secret_without_the_key_is_told(void **state)
{
	static const struct {
		const char *secret, *says;
	} rows[] = {
		{ MEANT_SECRET("auth-token", "dG9rZW4="),
			"Secret ns/k has no key \"jwt_hs256.key\" with the JWT key of "
			"Slurm in it; its keys are: auth-token" },
		{ KEY_SECRET("c2hvcnQ="),
			"the key \"jwt_hs256.key\" of Secret ns/k cannot be used: "
			"it has 5 bytes, and must have 16 at least" },
		{ KEY_SECRET("no base64!"), "it is not in base64" },
		{ NULL, "Secret ns/k with the JWT key of Slurm does not exist" },
	};
	struct world *w = *state;
	for (size_t i = 0; i < LENGTH(rows); i++) {
		w->secret = rows[i].secret;
		slurm_link_set_minting(w->link, "http://slurm:6820", "k", i % 2 ? "a" : "b");
		when_passed(w, 11000);
		assert_int_equal(slurm_link_fact(w->link).secret, NO);
		assert_non_null(strstr(slurm_link_fact(w->link).trouble, rows[i].says));
	}
	w->good_key = KEY;
	w->secret = KEY_SECRET(KEY);
	when_passed(w, 11000);
	then_the_token_is_taken(w);
}

/* A user who may edit the Cluster would have tokens of any user sent to any server. */
static void test_a_key_is_used_for_the_servers_that_its_secret_names(void **state)
{
	struct world *w = *state;
	w->secret = "{\"data\":{\"jwt_hs256.key\":\"" KEY "\"}}";
	slurm_link_set_minting(w->link, "http://slurm:6820", "k", "slurm");
	when_passed(w, 11000);
	assert_int_equal(slurm_link_fact(w->link).consent, CONSENT_REFUSED);
	assert_string_equal(w->token, "");
	w->secret = KEY_SECRET(KEY);
	when_passed(w, 11000);
	then_the_token_is_taken(w);
	slurm_link_set_minting(w->link, "http://listener:6820", "k", "slurm");
	w->token[0] = '\0';
	when_passed(w, 11000);
	assert_int_equal(slurm_link_fact(w->link).consent, CONSENT_REFUSED);
	assert_string_equal(w->token, "");
}

static void test_a_key_that_slurm_refuses_is_told(void **state)
{
	struct world *w = *state;
	w->good_key = OTHER;
	w->secret = KEY_SECRET(KEY);
	slurm_link_set_minting(w->link, "http://slurm:6820", "k", "slurm");
	when_passed(w, 11000);
	then_health(w, SLURM_DENIED);
	assert_non_null(strstr(slurm_link_fact(w->link).trouble,
		"the token that was made of the key in Secret ns/k is refused"));
	assert_null(strstr(slurm_link_fact(w->link).trouble, "eyJ"));
}

#define PASS_TEST(t) cmocka_unit_test_setup_teardown(t, given_a_link, free_world)

int main(void)
{
	const struct CMUnitTest tests[] = {
		PASS_TEST(test_tokens_are_made_anew_in_time),
		PASS_TEST(test_tokens_are_made_anew_while_the_api_server_is_away),
		PASS_TEST(test_a_clock_that_was_set_back_makes_a_new_token),
		PASS_TEST(test_a_key_that_changes_is_used_when_slurm_has_it),
		PASS_TEST(test_a_key_that_only_lists_refuse_is_changed_as_well),
		PASS_TEST(test_the_key_of_before_is_tried_again),
		PASS_TEST(test_the_key_that_slurm_took_is_known_after_several_others),
		PASS_TEST(test_bad_input_a_new_key_that_cannot_be_used_is_told_at_once),
		PASS_TEST(test_bad_input_a_secret_without_the_key_is_told),
		PASS_TEST(test_a_key_is_used_for_the_servers_that_its_secret_names),
		PASS_TEST(test_a_key_that_slurm_refuses_is_told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
