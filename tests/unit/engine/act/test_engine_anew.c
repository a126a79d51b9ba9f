/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A refused action waits for a human; the next request of that human does not. And no
 * namespace takes all the room for actions under way.
 */
#include "lib/executor_world.h"

#define REFUSED "{\"kind\":\"Status\",\"code\":422,\"message\":\"spec.containers: invalid\"}"

static void given_a_refused_creation(struct executor_world *w)
{
	given_creation(w, DO(CREATE, POD), 0);
	when_run(w);
	fake_answer(asked(w, "/pods"), 422, REFUSED);
	when_run(w);
	assert_int_equal(fake_count(&w->http, "/pods"), 0); /* it waits */
}

static void test_what_is_asked_anew_does_not_wait_for_what_was_refused(void **state)
{
	struct executor_world *w = *state;
	given_a_refused_creation(w);
	executor_asked_anew(w->executor, "another");
	when_run(w);
	assert_int_equal(fake_count(&w->http, "/pods"), 0);
	executor_asked_anew(w->executor, executor_about.uid);
	when_run(w);
	assert_int_equal(fake_count(&w->http, "/pods"), 1);
}

/* ---- rows of what keeps failing ---- */

static void when_failed(struct failures **all, const char *uid, int64_t now_ms)
{
	failures_failed(all, uid, "pod ns/foo-0", DO(CREATE, POD), "foo-0",
		err_new(ERR_INVALID, "no"), now_ms);
}

static size_t told(const struct failures *all, const char *uid)
{
	struct failing_action out[4];
	return failures_of(all, uid, out, LENGTH(out));
}

static void test_an_object_made_again_is_told_of_its_own_failures(void **state)
{
	(void)state;
	struct failures *all = NULL;
	when_failed(&all, "first", 0);
	when_failed(&all, "first", 1000);
	assert_int_equal(told(all, "first"), 1);
	when_failed(&all, "second", 2000);
	assert_int_equal(told(all, "first"), 0);
	assert_int_equal(told(all, "second"), 0); /* it failed once: no report yet */
	when_failed(&all, "second", 3000);
	assert_int_equal(told(all, "second"), 1);
	failures_free(&all);
}

static void test_failures_of_what_is_gone_are_forgotten(void **state)
{
	(void)state;
	struct failures *all = NULL;
	when_failed(&all, "gone", 0);
	when_failed(&all, "gone", 1000);
	assert_int_equal(failures_sweep(&all, "another", 10000), 0);
	assert_int_equal(told(all, "gone"), 1);
	failures_sweep(&all, "another", 400000);
	assert_int_equal(told(all, "gone"), 0);
	failures_free(&all);
}

/* The next attempt is 40 s after the last, and another object is planned right before. */
/* Acceptance: metric-13 */
static void test_another_object_forgets_no_failure_that_waits_for_its_next_attempt(void **state)
{
	(void)state;
	struct failures *all = NULL;
	when_failed(&all, "denied", 0);
	when_failed(&all, "denied", 20000);
	failures_sweep(&all, "another", 60001);
	assert_int_equal(told(all, "denied"), 1);
	failures_wanted(all, "pod ns/foo-0", 60002);
	assert_int_equal(failures_sweep(&all, "denied", 60002), 40000);
	assert_int_equal(told(all, "denied"), 1);
	failures_sweep(&all, "denied", 101000);
	assert_int_equal(told(all, "denied"), 0);
	failures_free(&all);
}

/* ---- room ---- */

static int when_creating_many(struct executor_world *w, const char *ns, const char *uid)
{
	enum { MANY = 200 };
	struct object_ref about = { RES_NODESET, ns, "foo", uid };
	int before = executor_in_flight(w->executor);
	w->plan = (struct plan){ .arena = &w->arena };
	for (int i = 0; i < MANY; i++) {
		struct action *a = plan_add(&w->plan, DO(PATCH, POD), "many");
		a->ns = ns;
		a->name = arena_printf(&w->arena, "%s-%d", uid, i);
		a->body = "{}";
	}
	executor_run(w->executor, &w->plan, &about, NULL);
	return executor_in_flight(w->executor) - before;
}

static void told_of(void *ctx, const struct object_ref *about) { (void)ctx, (void)about; }

static void test_a_namespace_takes_half_of_what_the_others_leave(void **state)
{
	struct executor_world *w = *state;
	struct executor_config config = {
		.kube = &w->kube,
		.store = w->store,
		.outcome = told_of,
		.ctx = w,
		.max_in_flight = 400,
	};
	executor_free(w->executor);
	w->executor = executor_new(&config);
	assert_int_equal(when_creating_many(w, "greedy", "a"), 200);
	assert_int_equal(when_creating_many(w, "greedy", "b"), 0);
	assert_int_equal(when_creating_many(w, "modest", "c"), 100);
	assert_int_equal(when_creating_many(w, "late", "d"), 50);
}

#define T(test) cmocka_unit_test_setup_teardown(test, given_an_executor, free_executor_world)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_what_is_asked_anew_does_not_wait_for_what_was_refused),
		cmocka_unit_test(test_an_object_made_again_is_told_of_its_own_failures),
		cmocka_unit_test(test_failures_of_what_is_gone_are_forgotten),
		cmocka_unit_test(
			test_another_object_forgets_no_failure_that_waits_for_its_next_attempt),
		T(test_a_namespace_takes_half_of_what_the_others_leave),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
