/* SPDX-License-Identifier: Apache-2.0 */
/* Slurms that do not answer updates, or say that they are done and do nothing. */
#include "lib/executor_scene.h"

enum { NODES = 500, COMMENTS = 20 /* COMMENTS_AT_A_TIME of src/engine/act/action.c */ };

#define SCENE(s, world)                                  \
	struct scene s AUTO(scene_end) = { .w = world }; \
	given_scene(&s)

/* Slurm answers what is read; updates are left to the test. */
static void given_scene(struct scene *s)
{
	scene_begin(s);
	given_up(s->w);
}

static struct action *given_update(struct scene *s, struct plan *plan, struct operation operation,
	const char *node)
{
	const char **nodes = arena_array(&s->arena, const char *, 1);
	struct action *a = plan_add(plan, operation, "an update");
	nodes[0] = node;
	a->ns = "ns";
	a->name = "slurm";
	a->nodes = nodes;
	a->n_nodes = 1;
	a->text = "a text";
	return a;
}

static void when_nodes_get_comments(struct scene *s, const char *nodeset)
{
	struct plan plan = { .arena = &s->arena };
	for (int i = 0; i < NODES; i++)
		given_update(s, &plan, DO(COMMENT, SLURM_NODE),
			arena_printf(&s->arena, "%s-%d", nodeset, i));
	struct object_ref about = { RES_NODESET, "ns", nodeset, nodeset };
	executor_run(s->x, &plan, &about, "slurm");
}

/* Acceptance: removal-22 */
static void test_a_slurm_that_hangs_takes_a_few_places_and_gives_them_back_when_it_goes(void *
		*state)
{
	SCENE(s, *state);
	when_nodes_get_comments(&s, "a");
	when_nodes_get_comments(&s, "b");
	when_nodes_get_comments(&s, "a");
	assert_int_equal(executor_in_flight(s.x), 2 * COMMENTS);
	assert_int_equal(fake_count(&s.w->rest, "POST "), 2);

	slurm_link_free(TAKE(s.w->link)); /* its Cluster was deleted */
	assert_int_equal(executor_in_flight(s.x), 0);
	assert_int_equal(s.outcomes, 2 * COMMENTS);
}

/* Updates in 20 s, while each outcome and each tenth of a second make a new plan. */
static int when_drained_for_20_s(struct scene *s)
{
	int posts = 0;
	const struct object_ref about = { RES_NODESET, "ns", "foo", "set" };
	for (int64_t end = s->w->loop.now_ms + 20000; s->w->loop.now_ms < end;) {
		struct plan plan = { .arena = &s->arena };
		given_update(s, &plan, DO(DRAIN, SLURM_NODE), "foo-0");
		executor_run(s->x, &plan, &about, "slurm");
		struct http_call *post = fake_open(&s->w->rest, "POST ");
		if (post)
			answer(s->w, post, 200, "{\"errors\":[],\"warnings\":[]}");
		posts += post != NULL;
		when_passed(s->w, 100);
	}
	return posts;
}

/* Acceptance: removal-22 */
static void test_a_drain_that_is_said_to_be_done_and_is_not_is_sent_ever_less_often(void **state)
{
	SCENE(s, *state);
	assert_int_equal(when_drained_for_20_s(&s), 6); /* at 0, 0.1, 1, 3, 7 and 15 s */
	assert_int_equal(when_drained_for_20_s(&s), 1); /* and at 31 s */
	assert_int_equal(when_drained_for_20_s(&s), 0);
	assert_int_equal(when_drained_for_20_s(&s), 1); /* and 30 s later */
	struct failing_action f[2];
	assert_int_equal(executor_failing(s.x, "set", f, LENGTH(f)), 1);
	assert_non_null(strstr(f[0].sentence, "without a lasting effect"));
}

#define T(test) cmocka_unit_test_setup_teardown(test, given_a_link, free_world)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_a_slurm_that_hangs_takes_a_few_places_and_gives_them_back_when_it_goes),
		T(test_a_drain_that_is_said_to_be_done_and_is_not_is_sent_ever_less_often),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
