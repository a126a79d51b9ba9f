/* SPDX-License-Identifier: Apache-2.0 */
/* How much is written for people only. */
#include "lib/executor_world.h"

enum { MOST = 100 /* half of SHOWS_A_SECOND of src/engine/act/shows.c */ };

/* Begins writes for a NodeSet of this namespace; returns their number. */
static int when_shown_in(struct executor_world *w, const char *ns, size_t n)
{
	static int names;
	const struct object_ref about = { RES_NODESET, ns, "foo",
		str_eq(ns, "ns") ? executor_about.uid : ns };
	int before = executor_in_flight(w->executor);
	w->plan.n = 0;
	for (size_t i = 0; i < n; i++) {
		struct action *a = plan_add(&w->plan, DO(SHOW, POD), "the Slurm node is idle");
		a->ns = ns;
		a->name = arena_printf(&w->arena, "foo-%d", names++);
		a->body = "[]";
	}
	executor_run(w->executor, &w->plan, &about, NULL);
	return executor_in_flight(w->executor) - before;
}

static int when_shown(struct executor_world *w, size_t n) { return when_shown_in(w, "ns", n); }

static size_t room_in(const struct executor_world *w, const char *ns)
{
	int64_t again_ms;
	return executor_max_shows(w->executor, ns, &again_ms);
}

static size_t room(const struct executor_world *w) { return room_in(w, "ns"); }

static int64_t more_in_ms(const struct executor_world *w)
{
	int64_t again_ms;
	executor_max_shows(w->executor, "ns", &again_ms);
	return again_ms;
}

static void answer_all(struct executor_world *w, int status)
{
	while (fake_count(&w->http, "PATCH /api/v1/namespaces/ns/pods/foo"))
		fake_answer(asked(w, "PATCH /api/v1/namespaces/ns/pods/foo"), status,
			"{\"kind\":\"Status\",\"reason\":\"\"}");
}

/* All that one NodeSet begins within a second, however often it is planned. */
static int begun_in_a_second(struct executor_world *w)
{
	int begun = 0;
	for (int i = 0; i < 9; i++) {
		begun += when_shown(w, room(w));
		answer_all(w, 200);
		sim_loop_pass(&w->loop, 100);
	}
	return begun;
}

/* Acceptance: metric-16 */
static void test_a_second_has_so_many(void **state)
{
	struct executor_world *w = *state;
	assert_int_equal(room(w), MOST / 2); /* the other half is for other objects */
	assert_int_equal(begun_in_a_second(w), MOST);
	assert_int_equal(room(w), 0);
	assert_int_equal(more_in_ms(w), 100);
	sim_loop_pass(&w->loop, 100);
	assert_int_equal(begun_in_a_second(w), MOST);
}

static void test_it_is_the_status_that_is_written(void **state)
{
	struct executor_world *w = *state;
	assert_int_equal(when_shown(w, 1), 1);
	assert_int_equal(fake_count(&w->http, "/status"), 1);
}

/* An API server that does not answer has a hundred of them to do, and no more. */
/* Acceptance: metric-16 */
static void test_no_more_are_under_way(void **state)
{
	struct executor_world *w = *state;
	for (int i = 0; i < 20; i++) {
		when_shown(w, room(w));
		sim_loop_pass(&w->loop, 1000);
	}
	assert_int_equal(executor_in_flight(w->executor), MOST);
	assert_int_equal(room(w), 0);
}

/* Acceptance: metric-16 */
static void test_a_failure_ends_it_for_a_while(void **state)
{
	struct executor_world *w = *state;
	struct failing_action f[4];
	static const struct {
		int status;
		int64_t rest_ms;
	} rows[] = { { 409, 0 }, { 404, 0 }, { 503, 10000 }, { 403, 300000 } };
	for (size_t i = 0; i < LENGTH(rows); i++) {
		assert_int_equal(when_shown(w, 1), 1);
		answer_all(w, rows[i].status);
		sim_loop_pass(&w->loop, 1);
		while (fake_count(&w->http, "GET"))
			fake_answer(asked(w, "GET"), 404, "{}");
		assert_int_equal(room(w) > 0, rows[i].rest_ms == 0);
		assert_int_equal(executor_failing(w->executor, executor_about.uid, f, 4), 0);
		if (rows[i].rest_ms)
			assert_in_range(more_in_ms(w), rows[i].rest_ms - 10, rows[i].rest_ms);
		sim_loop_pass(&w->loop, rows[i].rest_ms + 1000);
		assert_true(room(w) > 0);
	}
}

static void test_a_namespace_leaves_room_for_others(void **state)
{
	struct executor_world *w = *state;
	for (int i = 0; i < 20; i++) /* so many NodeSets */
		when_shown(w, room(w));
	assert_int_equal(room(w), 0);
	assert_int_equal(room_in(w, "other"), MOST / 4);
	while (room_in(w, "other"))
		when_shown_in(w, "other", room_in(w, "other"));
	assert_true(room_in(w, "third") > 0);
	assert_true(executor_in_flight(w->executor) < 2 * MOST);
}

/* A user has taken away the role in this namespace, say. */
static void test_a_failure_in_a_namespace_stops_no_other(void **state)
{
	struct executor_world *w = *state;
	when_shown(w, 1);
	answer_all(w, 403);
	sim_loop_pass(&w->loop, 1000);
	assert_int_equal(room(w), 0);
	assert_int_equal(room_in(w, "other"), MOST / 2);
}

#define T(test) cmocka_unit_test_setup_teardown(test, given_an_executor, free_executor_world)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_a_second_has_so_many),
		T(test_it_is_the_status_that_is_written),
		T(test_no_more_are_under_way),
		T(test_a_failure_ends_it_for_a_while),
		T(test_a_namespace_leaves_room_for_others),
		T(test_a_failure_in_a_namespace_stops_no_other),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
