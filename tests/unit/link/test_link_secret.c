/* SPDX-License-Identifier: Apache-2.0 */
/* The Secret with the token: how often it is read, and what becomes of what it says. */
#include "lib/link_world.h"

/* Acceptance: cluster-3 */
static void test_a_rotated_token_is_used_by_the_next_request(void **state)
{
	struct world *w = *state;
	given_up(w);
	assert_string_equal(w->token, "token");
	w->new_tokens = 0;
	when_passed(w, 11000);
	assert_int_equal(w->new_tokens, 0);
	w->secret = SECRET("bmV3");
	when_passed(w, 61000);
	assert_string_equal(w->token, "new");
	assert_int_equal(w->new_tokens, 1);
	assert_int_equal(w->clients, 1); /* the same client: what is known stays known */
	assert_int_equal(slurm_link_slurm(w->link).usable, YES);
}

/* Thousands of Clusters would ask the API server all the time. */
static void test_a_secret_is_read_once_a_minute_while_its_token_is_good(void **state)
{
	struct world *w = *state;
	given_up(w);
	when_passed(w, 10000);
	int before = w->secrets;
	when_passed(w, 600000);
	assert_in_range(w->secrets - before, 9, 11);
}

/* The old one was taken away in Slurm, or its time is over. */
/* Acceptance: cluster-3 */
static void test_a_token_that_slurm_refuses_is_read_anew_at_once(void **state)
{
	struct world *w = *state;
	given_up(w);
	when_passed(w, 11000);
	w->good_token = "new";
	w->secret = SECRET("bmV3");
	when_passed(w, 11000);
	assert_string_equal(w->token, "new");
	then_health(w, SLURM_UP);
}

/* Not more often than any other check, if it stays refused. */
static void test_a_token_that_stays_refused_is_no_hot_loop(void **state)
{
	struct world *w = *state;
	given_up(w);
	w->token_refused = true;
	when_passed(w, 20000);
	int before = w->secrets;
	when_passed(w, 100000);
	assert_in_range(w->secrets - before, 9, 11);
}

/* Acceptance: cluster-3 */
static void test_a_deleted_secret_ends_readiness_within_a_minute(void **state)
{
	struct world *w = *state;
	given_up(w);
	w->secret = NULL;
	when_passed(w, 61000);
	assert_int_equal(slurm_link_fact(w->link).secret, NO);
	assert_int_equal(slurm_link_slurm(w->link).usable, NO);
	assert_int_equal(node(w, "foo-0").known, UNKNOWN);
}

/*
 * The role was taken away while it ran: the token of before is still good, but not for
 * ever.
 */
static void test_a_secret_that_may_not_be_read_any_more_is_told_beside_ready(void **state)
{
	struct world *w = *state;
	given_up(w);
	w->api_forbids = true;
	when_passed(w, 61000);
	then_health(w, SLURM_UP);
	assert_int_equal(slurm_link_slurm(w->link).usable, YES);
	assert_non_null(strstr(slurm_link_fact(w->link).trouble,
		"but Secret ns/t cannot be read any more"));
	assert_non_null(strstr(slurm_link_fact(w->link).trouble, "slurm-operator rbac"));
	w->api_forbids = false;
	when_passed(w, 11000);
	assert_string_equal(slurm_link_fact(w->link).trouble, "");
}

static void test_bad_input_a_secret_without_its_key_says_which_key(void **state)
{
	struct world *w = *state;
	static const char *const bad[] = { "{\"data\":{\"token\":\"dG9rZW4=\"}}",
		"{\"data\":{\"auth-token\":\"\"}}", "{\"data\":{\"auth-token\":\"***\"}}", "{}" };
	for (size_t i = 0; i < LENGTH(bad); i++) {
		w->secret = bad[i];
		slurm_link_set(w->link, "http://slurm:6820", i % 2 ? "t" : "u");
		when_passed(w, 1000);
		assert_int_equal(slurm_link_fact(w->link).secret, NO);
		assert_non_null(strstr(slurm_link_fact(w->link).trouble,
			"has no key \"auth-token\""));
	}
}

static void test_bad_input_a_token_without_end_is_not_sent(void **state)
{
	struct world *w = *state;
	AUTO(str_free) struct str secret = { 0 };
	str_add(&secret, "{\"data\":{\"auth-token\":\"");
	for (int i = 0; i < 30000; i++)
		str_add(&secret, "dG9r");
	str_add(&secret, "\"}}");
	w->secret = str_text(&secret);
	slurm_link_set(w->link, "http://slurm:6820", "t");
	when_passed(w, 1000);
	assert_int_equal(slurm_link_fact(w->link).secret, NO);
	assert_string_equal(slurm_link_fact(w->link).trouble,
		"the token in key \"auth-token\" of Secret ns/t has 90000 bytes, and must have "
		"65536 at most");
}

#define T(test) cmocka_unit_test_setup_teardown(test, given_a_link, free_world)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_a_rotated_token_is_used_by_the_next_request),
		T(test_a_secret_is_read_once_a_minute_while_its_token_is_good),
		T(test_a_token_that_slurm_refuses_is_read_anew_at_once),
		T(test_a_token_that_stays_refused_is_no_hot_loop),
		T(test_a_deleted_secret_ends_readiness_within_a_minute),
		T(test_a_secret_that_may_not_be_read_any_more_is_told_beside_ready),
		T(test_bad_input_a_token_without_end_is_not_sent),
		T(test_bad_input_a_secret_without_its_key_says_which_key),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
