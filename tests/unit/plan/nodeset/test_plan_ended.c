/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pods that end again and again are made anew after a growing pause; what the next pod of
 * an ordinal takes over.
 */
#include "lib/given.h"

#define NEXT_PODS "\"annotations\":{\"" ANNOTATION_NEXT_PODS "\":\"%s\"}," GIVEN_FINALIZER

static const char *noted(struct given *g)
{
	return json_str(json_at(g->object, "metadata", "annotations", ANNOTATION_NEXT_PODS), "");
}

/*
 * foo-0 of a set of one: it ran for run_s and ended ago_s ago; so many before it ended
 * soon.
 */
static struct given_pod *given_ended(struct given *g, int64_t run_s, int64_t ago_s,
	const char *before)
{
	struct given_pod *p = given_pod(g, 0);
	p->fact.phase = POD_FAILED;
	p->fact.ready = false;
	p->fact.ended_ms = g->wall_ms - ago_s * 1000;
	p->fact.started_ms = p->fact.created_ms = p->fact.ended_ms - run_s * 1000;
	p->fact.phase_seen_ms = g->now_ms - ago_s * 1000;
	if (*before)
		given_annotation(p, ANNOTATION_ENDED_BEFORE, before);
	return p;
}

static void test_pod_that_ended_after_a_long_life_is_made_again_at_once(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":1");
	given_ended(&g, 600, 0, "7");
	when_settled(&g);
	then(&g, DO(DELETE, POD), "foo-0");
	assert_string_equal(noted(&g), "");
	g.n_pods = 0;
	when_planned(&g);
	assert_null(strstr(then(&g, DO(CREATE, POD), "foo-0")->body, ANNOTATION_ENDED_BEFORE));
}

static void test_pause_doubles_with_each_pod_of_the_ordinal_that_ends_soon(void **state)
{
	(void)state;
	static const struct {
		const char *before, *next;
		int64_t pause_s;
	} rows[] = {
		{ "", "1", 1 },
		{ "1", "2", 2 },
		{ "3", "4", 8 },
		{ "9", "10", 512 },
		{ "10", "11", 900 },
		{ "11", "11", 900 },
		{ "12", "1", 1 },
		{ "-1", "1", 1 },
		{ "many", "1", 1 },
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		WORLD(g);
		given_nodeset(&g, "\"replicas\":1");
		struct given_pod *p = given_ended(&g, 2, rows[i].pause_s - 1, rows[i].before);
		when_settled(&g);
		then_nothing(&g);
		assert_in_range(g.plan.again_in_ms, 1000, 1001);

		p->fact.ended_ms -= 1000;
		p->fact.phase_seen_ms -= 1000;
		when_settled(&g);
		then(&g, DO(DELETE, POD), "foo-0");
		g.n_pods = 0;
		when_planned(&g);
		const struct json *body = given_json(&g, then(&g, DO(CREATE, POD), "foo-0")->body);
		assert_string_equal(json_str(json_at(body, "metadata", "annotations",
						     ANNOTATION_ENDED_BEFORE),
					    ""),
			rows[i].next);
	}
}

/* A pod without an owner has a name of ours, so one more ordinal is in use. */
static void test_the_ordinal_beyond_the_name_of_a_stray_keeps_its_count(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":1");
	given_ended(&g, 2, 60, "3");
	g.pods[0].fact.name = g.pods[0].fact.hostname = "foo-1";
	struct given_pod *stray = given_pod(&g, 0);
	given_orphan(stray);
	given_label(stray, "app", "another");
	when_settled(&g);
	then(&g, DO(DELETE, POD), "foo-1");
	assert_string_equal(noted(&g), "ended-4:1");

	g.pods[0] = g.pods[1];
	g.n_pods = 1;
	when_settled(&g);
	assert_string_equal(noted(&g), "ended-4:1");
	assert_non_null(strstr(then(&g, DO(CREATE, POD), "foo-1")->body, ANNOTATION_ENDED_BEFORE));
}

/* The clock of a manager that saw the end does not matter: this one is an hour ahead. */
static void test_a_manager_whose_clock_is_ahead_makes_the_pause(void **state)
{
	(void)state;
	static const struct {
		int64_t acting_s;
		bool waits;
	} rows[] = { { 60, true }, { 5, false } };
	for (size_t i = 0; i < LENGTH(rows); i++) {
		WORLD(g);
		given_nodeset(&g, "\"replicas\":1");
		given_ended(&g, 2, 10, "8");
		g.wall_ms += 3600000;
		/* The manager saw the end, or came later */
		g.acting_since_ms = g.now_ms - rows[i].acting_s * 1000;
		when_settled(&g);
		assert_int_equal(count_actions(&g, DO(DELETE, POD)), !rows[i].waits);
	}
}

static void test_count_is_noted_until_the_next_pod_carries_it(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":1");
	struct given_pod *p = given_ended(&g, 2, 60, "3");
	when_settled(&g);
	assert_string_equal(noted(&g), "ended-4:0");
	p->fact.terminating = true;
	when_settled(&g);
	g.n_pods = 0;
	when_settled(&g);
	assert_string_equal(noted(&g), "ended-4:0");

	/* The creation of the pod is in flight, and may yet fail. */
	p = given_pod(&g, 0);
	p->fact.resource_version = "";
	given_annotation(p, ANNOTATION_ENDED_BEFORE, "4");
	when_settled(&g);
	assert_string_equal(noted(&g), "ended-4:0");
	p->fact.resource_version = "9";
	when_settled(&g);
	assert_string_equal(noted(&g), "");
}

/* Without the note the next pod would count anew, and be made again and again at once. */
static void test_pod_that_ended_goes_when_its_count_is_noted(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":1");
	struct given_pod *p = given_ended(&g, 5, 30, "2");
	when_planned(&g);
	then(&g, DO(PATCH, NODESET), "foo");
	then_no(&g, DO(DELETE, POD), NULL);

	p->fact.phase_seen_ms = g.now_ms - 120001;
	when_planned(&g);
	then(&g, DO(DELETE, POD), "foo-0");

	p->fact.phase_seen_ms = g.now_ms - 30000;
	when_settled(&g);
	assert_string_equal(noted(&g), "ended-3:0");
	then(&g, DO(DELETE, POD), "foo-0");
}

static void test_pause_holds_up_neither_scale_in_nor_deletion_nor_a_new_template(void **state)
{
	(void)state;
	for (int i = 0; i < 3; i++) {
		WORLD(g);
		given_nodeset_meta(&g, i == 0 ? "\"replicas\":0" : "\"replicas\":1",
			i == 1 ? GIVEN_DELETING : GIVEN_FINALIZER);
		struct given_pod *p = given_ended(&g, 2, 0, "8");
		if (i == 2)
			given_old(p);
		when_settled(&g);
		then(&g, DO(DELETE, POD), "foo-0");
		assert_string_equal(noted(&g), "");
	}
}

static void test_condition_says_which_pods_and_when_and_changes_no_more(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":1");
	given_ended(&g, 2, 0, "3");
	when_settled(&g);
	then_condition(&g, "Degraded", "True", "PodsEnded");
	assert_non_null(strstr(condition_member(&g, "Degraded", "message"),
		"foo-0 (4 times, again at 2026-01-01T00:00:08Z)"));
	g.now_ms += 3000;
	g.wall_ms += 3000;
	g.pods[0].node.seen_ms += 3000;
	when_planned(&g);
	then_nothing(&g);

	/* The next one runs: said until it has lived for long enough. */
	g.n_pods = 0;
	struct given_pod *p = given_pod(&g, 0);
	p->fact.created_ms = p->fact.started_ms = g.wall_ms - 1000;
	p->node.seen_ms = p->node.named_ms = g.now_ms;
	given_annotation(p, ANNOTATION_ENDED_BEFORE, "4");
	when_settled(&g);
	assert_non_null(strstr(condition_member(&g, "Degraded", "message"), "foo-0 (4 times)"));
	assert_in_range(g.plan.again_in_ms, 1, 599001);
	p->fact.created_ms = p->fact.started_ms = g.wall_ms - 600000;
	when_settled(&g);
	then_condition(&g, "Degraded", "False", "AsExpected");
}

static void test_one_or_two_ends_are_no_trouble(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":1");
	given_ended(&g, 2, 0, "1");
	when_settled(&g);
	then_condition(&g, "Degraded", "False", "AsExpected");
}

static void test_clock_that_is_set_back_does_not_lengthen_the_pause(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":1");
	struct given_pod *p = given_ended(&g, 2, 5, "1"); /* 2 s */
	p->fact.ended_ms += 86400000;
	p->fact.started_ms += 86400000;
	when_settled(&g);
	then(&g, DO(DELETE, POD), "foo-0");
}

/* ---- cordons of users ---- */

static void test_users_cordon_outlives_the_replacement_of_its_pod(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 2);
	given_old(&g.pods[1]);
	given_annotation(&g.pods[1], ANNOTATION_POD_CORDON, "true");
	given_node(&g.pods[1], NODE_ALLOCATED | NODE_DRAIN,
		"slurm-operator: NodeSet (ns/foo): the pod is cordoned by its annotation");
	when_settled(&g);
	assert_string_equal(noted(&g), "cordoned:1");
	g.pods[1].fact.terminating = true;
	when_settled(&g);
	assert_string_equal(noted(&g), "cordoned:1");

	/* The next one is cordoned before anything can run on it. */
	g.n_pods = 1;
	when_settled(&g);
	const struct json *body = given_json(&g, then(&g, DO(CREATE, POD), "foo-1")->body);
	assert_string_equal(json_str(json_at(body, "metadata", "annotations",
					     ANNOTATION_POD_CORDON),
				    ""),
		"true");
	assert_null(json_at(body, "metadata", "annotations", ANNOTATION_CORDONED_BY));

	/* The user lifts it. */
	given_pod(&g, 1);
	when_settled(&g);
	assert_string_equal(noted(&g), "");
	then_nothing(&g);
}

static void test_pod_with_a_users_cordon_goes_only_after_the_cordon_is_noted(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 1);
	given_old(&g.pods[0]);
	given_annotation(&g.pods[0], ANNOTATION_POD_CORDON, "true");
	given_node(&g.pods[0], NODE_IDLE | NODE_DRAIN, OUR_REASON);
	when_planned(&g);
	assert_non_null(strstr(then(&g, DO(PATCH, NODESET), "foo")->body, "cordoned:0"));
	then_no(&g, DO(DELETE, POD), NULL);
	when_settled(&g);
	then(&g, DO(DELETE, POD), "foo-0");
}

static void test_who_deletes_a_pod_with_a_cordon_of_theirs_gets_one_without(void **state)
{
	(void)state;
	WORLD(g);
	/* The way to update a pod with OnDelete: cordon it, wait, delete it. */
	given_nodeset(&g, "\"replicas\":1,\"updateStrategy\":{\"type\":\"OnDelete\"}");
	given_pods(&g, 1);
	given_old(&g.pods[0]);
	given_annotation(&g.pods[0], ANNOTATION_POD_CORDON, "true");
	given_node(&g.pods[0], NODE_IDLE | NODE_DRAIN, OUR_REASON);
	when_settled(&g);
	g.pods[0].fact.terminating = true;
	when_settled(&g);
	g.n_pods = 0;
	when_planned(&g);
	assert_null(strstr(then(&g, DO(CREATE, POD), "foo-0")->body, ANNOTATION_POD_CORDON));
}

static void test_cordon_of_the_operator_is_not_noted(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 1);
	given_old(&g.pods[0]);
	given_leaving(&g.pods[0], NODE_IDLE | NODE_DRAIN);
	when_settled(&g);
	assert_string_equal(noted(&g), "");
	then(&g, DO(DELETE, POD), "foo-0");
}

static void test_scale_in_ends_a_users_cordon(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset_meta(&g, "\"replicas\":2",
		"\"annotations\":{\"" ANNOTATION_NEXT_PODS
		"\":\"cordoned:1,5-9\"}," GIVEN_FINALIZER);
	given_pods(&g, 1);
	g.max_creates = 0;
	when_settled(&g);
	assert_string_equal(noted(&g), "cordoned:1");
}

static void test_bad_input_edited_notes_are_read_as_far_as_they_make_sense(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		bool cordoned_1;
	} rows[] = {
		{ "cordoned:1", true },
		{ "cordoned:0-3", true },
		{ "cordoned:0,1", true },
		{ "ended-2:0 cordoned:1", true },
		{ "cordoned:", false },
		{ "cordoned:x", false },
		{ "cordoned:3-0", false },
		{ "cordoned:99999999999999999999", false },
		{ "cordoned:0-99999999999999999999", true },
		{ "ended-99:0 cordoned:1", false },
		{ "ended-:0", false },
		{ "  cordoned:1", false },
		{ "cordoned:0-", false },
		{ "nonsense", false },
		{ "cordoned:1;DROP", true },
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		WORLD(g);
		given_nodeset_meta(&g, "\"replicas\":2",
			arena_printf(&g.arena, NEXT_PODS, rows[i].text));
		given_pods(&g, 1);
		when_planned(&g);
		bool cordoned = strstr(then(&g, DO(CREATE, POD), "foo-1")->body,
					ANNOTATION_POD_CORDON) != NULL;
		assert_int_equal(cordoned, rows[i].cordoned_1);
	}
}

static void test_revisions_do_not_carry_the_notes(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset_meta(&g, "\"replicas\":1", arena_printf(&g.arena, NEXT_PODS, "cordoned:0"));
	g.n_revisions = 0;
	when_planned(&g);
	assert_null(strstr(then(&g, DO(CREATE, REVISION), NULL)->body, ANNOTATION_NEXT_PODS));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pod_that_ended_goes_when_its_count_is_noted),
		cmocka_unit_test(test_pod_that_ended_after_a_long_life_is_made_again_at_once),
		cmocka_unit_test(test_pause_doubles_with_each_pod_of_the_ordinal_that_ends_soon),
		cmocka_unit_test(test_the_ordinal_beyond_the_name_of_a_stray_keeps_its_count),
		cmocka_unit_test(test_a_manager_whose_clock_is_ahead_makes_the_pause),
		cmocka_unit_test(test_count_is_noted_until_the_next_pod_carries_it),
		cmocka_unit_test(
			test_pause_holds_up_neither_scale_in_nor_deletion_nor_a_new_template),
		cmocka_unit_test(test_condition_says_which_pods_and_when_and_changes_no_more),
		cmocka_unit_test(test_one_or_two_ends_are_no_trouble),
		cmocka_unit_test(test_clock_that_is_set_back_does_not_lengthen_the_pause),
		cmocka_unit_test(test_users_cordon_outlives_the_replacement_of_its_pod),
		cmocka_unit_test(test_pod_with_a_users_cordon_goes_only_after_the_cordon_is_noted),
		cmocka_unit_test(test_who_deletes_a_pod_with_a_cordon_of_theirs_gets_one_without),
		cmocka_unit_test(test_cordon_of_the_operator_is_not_noted),
		cmocka_unit_test(test_scale_in_ends_a_users_cordon),
		cmocka_unit_test(test_bad_input_edited_notes_are_read_as_far_as_they_make_sense),
		cmocka_unit_test(test_revisions_do_not_carry_the_notes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
