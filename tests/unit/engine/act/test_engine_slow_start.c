/* SPDX-License-Identifier: Apache-2.0 */
/* Creations go out in batches that grow, and stop at the first failure. */
#include "lib/executor_world.h"

#define QUOTA                                                                                \
	"{\"kind\":\"Status\",\"reason\":\"Forbidden\",\"code\":403,\"message\":\"exceeded " \
	"quota\"}"

static void given_creations(struct executor_world *w, int n)
{
	w->plan.n = 0;
	for (int i = 0; i < n; i++)
		given_creation(w, DO(CREATE, POD), i);
}

/* Answers what is open; so many of them well, the others with an exceeded quota. */
static int when_answered(struct executor_world *w, int *good)
{
	int answered = 0, sent = w->http.n;
	for (int i = 0; i < sent; i++) {
		struct http_call *c = &w->http.calls[i];
		if (!c->open || !str_eq(c->method, "POST") || strstr(c->path, "/events"))
			continue;
		AUTO(own_free) char *body = own_strdup(c->body);
		answered++;
		if ((*good)-- > 0) {
			char *end = strrchr(body, '}') - 1;
			snprintf(end, 3, "}}");
			AUTO(str_free) struct str made = { 0 };
			str_addf(&made, "%.*s,\"uid\":\"u%d\",\"resourceVersion\":\"9\"}}",
				(int)(end - body), body, i);
			fake_answer(c, 201, str_text(&made));
		} else {
			fake_answer(c, 403, QUOTA);
		}
	}
	return answered;
}

/* An existing pod is not created again: as the planner would see it. */
static void when_planned_again(struct executor_world *w, int n)
{
	w->plan.n = 0;
	for (int i = 0; i < n; i++)
		if (!store_get(w->store, RES_POD, "ns", arena_printf(&w->arena, "foo-%d", i)))
			given_creation(w, DO(CREATE, POD), i);
	when_run(w);
}

/* Acceptance: wake-2 */
static void test_slow_start_stops_at_the_first_failure(void **state)
{
	struct executor_world *w = *state;
	int good = 0;
	given_creations(w, 10);
	assert_int_equal(when_run(w) > 0, true);
	assert_int_equal(when_answered(w, &good), 1);
	when_planned_again(w, 10);
	assert_int_equal(fake_count(&w->http, "/pods"),
		0); /* nine others would fail alike: all wait */
	sim_loop_pass(&w->loop, 5000);
	when_planned_again(w, 10);
	assert_int_equal(fake_count(&w->http, "/pods"), 1);
}

/* Acceptance: wake-2 */
static void test_slow_start_doubles_while_all_goes_well(void **state)
{
	struct executor_world *w = *state;
	static const int batches[] = { 1, 2, 4 };
	int good = 5;
	given_creations(w, 10);
	when_run(w);
	for (size_t i = 0; i < LENGTH(batches); i++) {
		assert_int_equal(when_answered(w, &good), batches[i]);
		when_planned_again(w, 10);
	}
	/* Seven calls, five successes, then it stops */
	assert_int_equal(fake_count(&w->http, "/pods"), 0);
	assert_int_equal(store_count(w->store, RES_POD), 5);
}

/* Acceptance: wake-2 */
static void test_slow_start_waits_although_the_last_of_its_batch_was_good(void **state)
{
	struct executor_world *w = *state;
	int good = 1;
	given_creations(w, 10);
	when_run(w);
	when_answered(w, &good);
	when_planned_again(w, 10);
	assert_int_equal(fake_count(&w->http, "/pods"), 2);
	fake_answer(asked(w, "/pods"), 403, QUOTA);
	good = 1;
	assert_int_equal(when_answered(w, &good), 1);
	when_planned_again(w, 10);
	assert_int_equal(fake_count(&w->http, "/pods"), 0);
}

static size_t max_creates(struct executor_world *w)
{
	return executor_max_creates(w->executor, &executor_about);
}

static void test_as_many_creations_are_of_use_as_slow_start_lets_out(void **state)
{
	struct executor_world *w = *state;
	int good = 3;
	assert_int_equal(max_creates(w), 1);
	when_planned_again(w, 10);
	assert_int_equal(max_creates(w), 0); /* its outcome makes a new plan */
	when_answered(w, &good);
	assert_int_equal(max_creates(w), 2);
	when_planned_again(w, 10);
	when_answered(w, &good);
	assert_int_equal(max_creates(w), 4);
}

/*
 * The name that failed is first in every plan: with room for one alone, none of the
 * others would be tried.
 */
static void test_a_creation_that_waits_does_not_stand_before_the_others(void **state)
{
	struct executor_world *w = *state;
	int good = 0;
	when_planned_again(w, 10);
	when_answered(w, &good);
	assert_true(max_creates(w) >= 2);
	sim_loop_pass(&w->loop, 5000);
	assert_int_equal(max_creates(w), 1); /* nothing waits any more */
}

#define T(name) cmocka_unit_test_setup_teardown(name, given_an_executor, free_executor_world)
int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_slow_start_stops_at_the_first_failure),
		T(test_slow_start_doubles_while_all_goes_well),
		T(test_slow_start_waits_although_the_last_of_its_batch_was_good),
		T(test_as_many_creations_are_of_use_as_slow_start_lets_out),
		T(test_a_creation_that_waits_does_not_stand_before_the_others),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
