/* SPDX-License-Identifier: Apache-2.0 */
/* Namespaces share the requests on their way: none takes the room of others. */
#include "lib/executor_world.h"

enum { NAMESPACES = 12, MOST = 100, LEAST = 32 /* LEAST_ROOM of src/engine/act/executor.c */ };

/* An executor with less room, so that a test can have more than there is. */
static void given_little_room(struct executor_world *w)
{
	struct executor_config config = {
		.kube = &w->kube,
		.store = w->store,
		.events = w->events,
		.max_in_flight = MOST,
	};
	executor_free(w->executor);
	w->executor = executor_new(&config);
}

/* Runs patches of pods of one namespace and NodeSet, with so many bytes each. */
static int when_patches_run(struct executor_world *w, int ns, int patches, int bytes)
{
	char space[16];
	static int names;
	int before = executor_in_flight(w->executor);
	struct plan plan = { .arena = &w->arena };
	snprintf(space, sizeof(space), "ns%d", ns);
	for (int i = 0; i < patches; i++) {
		struct action *a = plan_add(&plan, DO(PATCH, POD), "a patch");
		a->ns = arena_strdup(&w->arena, space);
		a->name = arena_printf(&w->arena, "foo-%d", names++);
		a->body = arena_printf(&w->arena, "{\"a\":\"%*s\"}", bytes, "");
	}
	struct object_ref about = { RES_NODESET, space, "foo", space };
	executor_run(w->executor, &plan, &about, NULL);
	return executor_in_flight(w->executor) - before;
}

/* Acceptance: removal-22 */
static void test_each_namespace_has_some_room_whatever_the_others_have_under_way(void **state)
{
	struct executor_world *w = *state;
	given_little_room(w);
	assert_int_equal(when_patches_run(w, 0, 2 * MOST, 1), MOST / 2);
	for (int ns = 1; ns < NAMESPACES; ns++)
		assert_int_equal(when_patches_run(w, ns, 2 * MOST, 1), LEAST);
	/* nor does a namespace get more by asking again */
	assert_int_equal(when_patches_run(w, 0, 2 * MOST, 1), 0);
}

static void test_bytes_on_their_way_are_shared_too(void **state)
{
	enum { MB = 1 << 20, ALL_MB = 16, LEAST_MB = 2 };
	struct executor_world *w = *state;
	int n = when_patches_run(w, 0, 2 * ALL_MB, MB - 100);
	assert_in_range(n, ALL_MB / 2, ALL_MB / 2);
	for (int ns = 1; ns < NAMESPACES; ns++)
		assert_true(when_patches_run(w, ns, 2 * ALL_MB, MB - 100) >= LEAST_MB);
	assert_int_equal(when_patches_run(w, 0, 1, MB), 0);
}

static void test_what_waits_in_another_namespace_makes_no_plan_larger(void **state)
{
	struct executor_world *w = *state;
	struct object_ref other = { RES_NODESET, "other", "foo", "other" };
	size_t before = executor_max_creates(w->executor, &other);
	given_creation(w, DO(CREATE, POD), 0);
	when_run(w);
	fake_answer(asked(w, "/pods"), 403, "{\"kind\":\"Status\",\"code\":403}");
	sim_loop_pass(&w->loop, 10);
	assert_int_equal(executor_max_creates(w->executor, &executor_about), 2);
	assert_int_equal(executor_max_creates(w->executor, &other), before);
}

/* Otherwise a thousand that are refused would leave no place for the one that is not. */
static void test_what_waits_takes_no_place_in_the_next_plan(void **state)
{
	struct executor_world *w = *state;
	size_t room = executor_max_writes(w->executor, &executor_about, 0);
	given_creation(w, DO(CREATE, POD), 0);
	when_run(w);
	assert_int_equal(executor_max_writes(w->executor, &executor_about, 0), room - 1);
	fake_answer(asked(w, "/pods"), 403, "{\"kind\":\"Status\",\"code\":403}");
	sim_loop_pass(&w->loop, 10);
	w->plan.more = true;
	struct carried_out done = executor_run(w->executor, &w->plan, &executor_about, "slurm");
	assert_int_equal(done.waiting, 1);
	assert_in_range(done.again_ms, 1, 100);
	assert_int_equal(executor_max_writes(w->executor, &executor_about, done.waiting), room + 1);
}

#define T(test) cmocka_unit_test_setup_teardown(test, given_an_executor, free_executor_world)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_each_namespace_has_some_room_whatever_the_others_have_under_way),
		T(test_bytes_on_their_way_are_shared_too),
		T(test_what_waits_takes_no_place_in_the_next_plan),
		T(test_what_waits_in_another_namespace_makes_no_plan_larger),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
