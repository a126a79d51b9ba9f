/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pods get their Namespace as second owner, so that no deletion in the foreground ends
 * their jobs.
 */
#include "lib/given.h"

static void given_kept(struct given_pod *p)
{
	p->fact.second_owner_uid = "ns-uid";
	given_annotation(p, ANNOTATION_NODESET_UID, "set");
}

/* A NodeSet at rest, whose pods an older manager made. */
static void given_pods_of_an_older_manager(struct given *g, int n)
{
	given_at_rest(g, n);
	g->namespace_uid = "ns-uid";
}

static const struct json *operation_on(struct given *g, const struct action *a, const char *path)
{
	struct json_iter it = json_iter(given_json(g, a->body));
	while (json_next(&it))
		if (str_eq(json_str(json_get(it.value, "path"), ""), path))
			return it.value;
	fail_msg("the patch %s does nothing to %s", a->body, path);
	return NULL;
}

static void test_an_older_managers_pod_gets_it_in_one_write_and_keeps_the_rest(void **state)
{
	(void)state;
	WORLD(g);
	given_pods_of_an_older_manager(&g, 2);
	given_kept(&g.pods[1]);
	given_annotation(&g.pods[0], "example.com/theirs", "x");
	when_planned(&g);
	assert_int_equal(count_actions(&g, DO(PATCH, POD)), 1);
	const struct action *a = then(&g, DO(PATCH, POD), "foo-0");
	const struct json *owner = json_get(operation_on(&g, a, "/metadata/ownerReferences/-"),
		"value");
	assert_string_equal(json_str(json_get(owner, "uid"), ""), "ns-uid");
	assert_string_equal(json_str(json_get(owner, "name"), ""), "ns");
	const struct json *note = operation_on(&g, a,
		"/metadata/annotations/nodeset.slinky.slurm.net~1nodeset-uid");
	assert_string_equal(json_str(json_get(note, "value"), ""), "set");
	assert_string_equal(json_str(json_get(operation_on(&g, a, "/metadata/uid"), "value"), ""),
		"uid-foo-0");
	operation_on(&g, a, "/metadata/resourceVersion");
}

static void test_a_pod_without_annotations_gets_its_first_one(void **state)
{
	(void)state;
	WORLD(g);
	given_pods_of_an_older_manager(&g, 1);
	g.pods[0].fact.n_annotations = 0;
	g.pods[0].fact.annotated = false;
	given_slurm_silent(&g);
	when_planned(&g);
	const struct json *all = json_get(operation_on(&g, then(&g, DO(PATCH, POD), "foo-0"),
						  "/metadata/annotations"),
		"value");
	assert_string_equal(json_str(json_get(all, ANNOTATION_NODESET_UID), ""), "set");
}

/* Which are not in the facts: 256 kB of them on each pod may be of other clients. */
static void test_annotations_of_others_stay_beside_the_first_of_ours(void **state)
{
	(void)state;
	WORLD(g);
	given_pods_of_an_older_manager(&g, 1);
	g.pods[0].fact.n_annotations = 0;
	given_slurm_silent(&g);
	when_planned(&g);
	const char *body = then(&g, DO(PATCH, POD), "foo-0")->body;
	assert_non_null(strstr(body,
		"\"/metadata/annotations/nodeset.slinky.slurm.net~1nodeset-uid\""));
	assert_null(strstr(body, "\"/metadata/annotations\""));
}

static void test_nothing_is_written_while_the_namespace_is_not_known_or_all_have_it(void **state)
{
	(void)state;
	WORLD(g);
	given_pods_of_an_older_manager(&g, 2);
	g.namespace_uid = "";
	when_settled(&g);
	then_nothing(&g);
	g.namespace_uid = "ns-uid";
	given_kept(&g.pods[0]);
	given_kept(&g.pods[1]);
	when_settled(&g);
	then_nothing(&g);
}

static void test_no_pod_is_made_before_it_is_known_whom_it_names(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":1");
	g.namespace_uid = NULL;
	when_planned(&g);
	then_no(&g, DO(CREATE, POD), NULL);
	g.namespace_uid = "ns-uid";
	when_planned(&g);
	assert_non_null(strstr(then(&g, DO(CREATE, POD), "foo-0")->body, "ns-uid"));
}

static void test_a_few_at_a_time_and_none_that_terminates_has_ended_or_is_under_way(void **state)
{
	(void)state;
	WORLD(g);
	given_pods_of_an_older_manager(&g, 40);
	for (int i = 0; i < 5; i++)
		g.pods[i].fact.in_flight = true;
	g.pods[5].fact.terminating = true;
	g.pods[6].fact.phase = POD_FAILED;
	when_planned(&g);
	/* 5 writes and a deletion are under way */
	assert_int_equal(count_actions(&g, DO(PATCH, POD)), 14);
	for (int i = 0; i < 7; i++)
		then_no(&g, DO(PATCH, POD), g.pods[i].fact.name);
}

/* A deletion in the foreground of its new NodeSet would end it otherwise. */
static void test_a_pod_is_not_adopted_before_its_namespace_is_known(void **state)
{
	(void)state;
	WORLD(g);
	given_pods_of_an_older_manager(&g, 1);
	given_orphan(&g.pods[0]);
	g.namespace_uid = NULL;
	when_planned(&g);
	then_no(&g, DO(PATCH, POD), NULL);
	then_no(&g, DO(CREATE, POD), NULL);

	g.namespace_uid = ""; /* not readable */
	when_planned(&g);
	then(&g, DO(PATCH, POD), "foo-0");
}

static void test_a_pod_that_is_nobodys_is_adopted_and_not_written_to_twice(void **state)
{
	(void)state;
	WORLD(g);
	given_pods_of_an_older_manager(&g, 1);
	given_orphan(&g.pods[0]);
	when_planned(&g);
	assert_int_equal(count_actions(&g, DO(PATCH, POD)), 1);
	assert_non_null(strstr(then(&g, DO(PATCH, POD), "foo-0")->why, "adopting"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_an_older_managers_pod_gets_it_in_one_write_and_keeps_the_rest),
		cmocka_unit_test(test_a_pod_without_annotations_gets_its_first_one),
		cmocka_unit_test(test_annotations_of_others_stay_beside_the_first_of_ours),
		cmocka_unit_test(
			test_nothing_is_written_while_the_namespace_is_not_known_or_all_have_it),
		cmocka_unit_test(test_no_pod_is_made_before_it_is_known_whom_it_names),
		cmocka_unit_test(
			test_a_few_at_a_time_and_none_that_terminates_has_ended_or_is_under_way),
		cmocka_unit_test(test_a_pod_is_not_adopted_before_its_namespace_is_known),
		cmocka_unit_test(test_a_pod_that_is_nobodys_is_adopted_and_not_written_to_twice),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
