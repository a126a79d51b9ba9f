/* SPDX-License-Identifier: Apache-2.0 */
/* Creations under way while another object has their name. */
#include "lib/store_world.h"

static void given_a_strangers_pod(struct store *s, int version)
{
	char text[200];
	snprintf(text, sizeof(text),
		"{\"metadata\":{\"namespace\":\"ns\",\"name\":\"foo-4\",\"uid\":\"theirs\","
		"\"resourceVersion\":\"%d\"}}",
		version);
	put_text(s, text);
}

/*
 * Seed 2092193: it was forgotten, another pod was made in its place, and then it came
 * after all.
 */
static void test_a_creation_whose_name_a_stranger_took_is_still_coming(void **state)
{
	struct store *s = *state;
	uint64_t ticket = sent(s, "foo-4");
	assert_int_equal(store_overtaken(s, "set"), 0);
	given_a_strangers_pod(s, 33);
	assert_int_equal(store_overtaken(s, "set"), 1);
	assert_int_equal(store_overtaken(s, "another set"), 0);
	removed(s, "foo-4", "theirs", 57);
	assert_null(get(s, "foo-4"));
	assert_int_equal(store_overtaken(s, "set"), 1);
	outcome(s, ticket, "foo-4", "u4", 61, false);
	assert_int_equal(store_overtaken(s, "set"), 0);
	assert_string_equal(get(s, "foo-4")->uid, "u4");
}

/*
 * The creation of a manager before this one arrived first, and its pod went. This
 * manager's own comes after all: until then it counts as coming, and its answer tells.
 */
static void test_a_creation_is_still_coming_when_that_of_a_manager_before_went(void **state)
{
	struct store *s = *state;
	uint64_t ticket = sent(s, "foo-4");
	put(s, "foo-4", "before", 33, "Pending");
	assert_int_equal(store_overtaken(s, "set"), 0);
	removed(s, "foo-4", "before", 34);
	assert_null(get(s, "foo-4"));
	assert_int_equal(store_overtaken(s, "set"), 1);

	outcome(s, ticket, "foo-4", "u4", 61, false);
	assert_int_equal(store_overtaken(s, "set"), 0);
	assert_string_equal(get(s, "foo-4")->uid, "u4");
}

/* The watch shows what the creation made, and that it went, before the answer comes. */
static void test_a_creation_that_was_shown_and_is_gone_does_not_come_back(void **state)
{
	struct store *s = *state;
	uint64_t ticket = sent(s, "foo-4");
	put(s, "foo-4", "u4", 33, "Pending");
	removed(s, "foo-4", "u4", 34);
	outcome(s, ticket, "foo-4", "u4", 33, false);
	assert_null(get(s, "foo-4"));
	assert_int_equal(store_overtaken(s, "set"), 0);
}

static void test_such_a_creation_ends_when_the_watch_shows_it(void **state)
{
	struct store *s = *state;
	uint64_t ticket = sent(s, "foo-4");
	given_a_strangers_pod(s, 33);
	put(s, "foo-4", "u4", 61, "Pending");
	assert_int_equal(store_overtaken(s, "set"), 0);
	removed(s, "foo-4", "u4", 70);
	outcome(s, ticket, "foo-4", "u4", 61, false);
	assert_null(get(s, "foo-4"));
}

static void test_or_when_it_is_told_that_the_name_is_taken(void **state)
{
	struct store *s = *state;
	uint64_t ticket = sent(s, "foo-4");
	given_a_strangers_pod(s, 33);
	store_outcome(s, ticket, RES_POD, "ns", "foo-4", NULL, false);
	assert_int_equal(store_overtaken(s, "set"), 0);
	assert_string_equal(get(s, "foo-4")->uid, "theirs");
	assert_false(get(s, "foo-4")->in_flight);
}

/*
 * Seed 31005584: so the same creation was sent once more while the first was still on its
 * way.
 */
static void test_a_stranger_that_is_adopted_is_not_what_the_creation_made(void **state)
{
	struct store *s = *state;
	uint64_t ticket = sent(s, "foo-4");
	given_a_strangers_pod(s, 33);
	put(s, "foo-4", "theirs", 40, "Pending"); /* now with our owner */
	assert_int_equal(store_overtaken(s, "set"), 1);
	removed(s, "foo-4", "theirs", 57);
	outcome(s, ticket, "foo-4", "theirs", 41, false); /* "exists", read again, late */
	assert_int_equal(store_overtaken(s, "set"), 0);
	assert_null(get(s, "foo-4"));
}

#define T(name) cmocka_unit_test_setup_teardown(name, given_a_store, free_store)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_a_creation_whose_name_a_stranger_took_is_still_coming),
		T(test_a_creation_is_still_coming_when_that_of_a_manager_before_went),
		T(test_a_creation_that_was_shown_and_is_gone_does_not_come_back),
		T(test_such_a_creation_ends_when_the_watch_shows_it),
		T(test_or_when_it_is_told_that_the_name_is_taken),
		T(test_a_stranger_that_is_adopted_is_not_what_the_creation_made),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
