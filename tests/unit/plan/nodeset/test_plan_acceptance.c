/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines of the acceptance lists that no other file is about: 8.1, and 2.15, the defects
 * that are easily copied. The names begin with the line: test_..., test_8_2_NN_...,
 * test_....
 */
#include "children/pvc.h"
#include "lib/given.h"

/* ---- identity and storage ---- */

/* Acceptance: claim-1 */
static void test_claims_are_named_after_template_nodeset_and_ordinal(void **state)
{
	(void)state;
	WORLD(g);
	const struct json *template = given_json(&g, "{\"metadata\":{\"name\":\"data\"}}");
	assert_string_equal(pvc_name(&g.arena, template, "foo-0"), "data-foo-0");
	assert_string_equal(pvc_name(&g.arena, template, "foo-bar-12"), "data-foo-bar-12");
}

/*
 * The API server refuses other volumes for a pod that is there: the next pod of its
 * ordinal gets them.
 */
/* Acceptance: claim-1 */
static void test_volumes_of_a_live_pod_are_left_alone(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g,
		"\"replicas\":2,\"volumeClaimTemplates\":[{\"metadata\":{\"name\":\"data\"},"
		"\"spec\":{}}]");
	given_pod(&g, 0);
	when_planned(&g);
	then_no(&g, DO(PATCH, POD), "foo-0");
	then_no(&g, DO(DELETE, POD), "foo-0");
	then(&g, DO(CREATE, PVC), "data-foo-1");
	then_no(&g, DO(CREATE, PVC), "data-foo-0");
}

/* Acceptance: removal-6 */
static void test_uncordon_and_undrain_are_idempotent(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 1);
	given_leaving(&g.pods[0], NODE_IDLE | NODE_DRAIN);
	when_settled(&g);
	assert_true(names_node(&g, DO(UNDRAIN, SLURM_NODE), "foo-0"));
	given_node(&g.pods[0], NODE_IDLE, OUR_REASON); /* Slurm keeps the reason */
	when_settled(&g);
	then_nothing(&g);
	assert_null(pod_annotation(&g.pods[0].fact, ANNOTATION_POD_CORDON));
	assert_null(pod_annotation(&g.pods[0].fact, ANNOTATION_CORDONED_BY));
}

/* ---- 2.15 ---- */

/* Acceptance: removal-11 */
static void test_of_two_cordoned_pods_the_next_difference_decides(void **state)
{
	(void)state;
	for (int first = 0; first < 2; first++) { /* whatever their order in the view */
		WORLD(g);
		given_nodeset(&g, "\"replicas\":1");
		given_pod(&g, first);
		given_pod(&g, !first);
		for (int i = 0; i < 2; i++)
			given_annotation(&g.pods[i], ANNOTATION_POD_CORDON, "true");
		when_settled(&g);
		assert_string_equal(pod_annotation(&pod_of(&g, "foo-1")->fact,
					    ANNOTATION_POD_CORDON),
			"true");
		assert_true(strstr(condition_member(&g, "Progressing", "message"), "foo-1") !=
			NULL);
		assert_null(strstr(condition_member(&g, "Progressing", "message"), "foo-0"));
	}
}

/* Acceptance: status-7 */
static void test_deadline_on_a_pod_without_any_annotation(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 1);
	g.pods[0].fact.annotations = NULL;
	g.pods[0].fact.n_annotations = 0;
	given_node(&g.pods[0], NODE_ALLOCATED, "");
	g.pods[0].node.busy_until_s = 1767229200;
	when_planned(&g);
	assert_non_null(strstr(then(&g, DO(PATCH, POD), "foo-0")->body,
		"\"" ANNOTATION_POD_DEADLINE "\":\"2026-01-01T01:00:00Z\""));
}

/* The original asked to be woken under the name of the pod, and so never was. */
/* Acceptance: wake-4 */
static void test_who_waits_for_a_drain_asks_slurm_again(void **state)
{
	(void)state;
	WORLD(g);
	given_condemned(&g, NODE_ALLOCATED | NODE_DRAIN);
	when_settled(&g);
	assert_int_not_equal(g.plan.demand.of[ASK_NODES].need, SLURM_AT_REST);
	then_no(&g, DO(DELETE, POD), NULL);
}

/* A failing read of Slurm holds back only what depends on it. */
/* Acceptance: status-2 */
static void test_a_silent_slurm_does_not_hold_back_status_or_creation(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":3");
	given_pods(&g, 2);
	g.pods[1].fact.phase = POD_FAILED;
	g.pods[1].fact.ready = false;
	given_slurm_silent(&g);
	when_planned(&g);
	then(&g, DO(CREATE, POD), "foo-2");
	then(&g, DO(DELETE, POD), "foo-1");
	then(&g, DO(PATCH_STATUS, NODESET), "foo");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_claims_are_named_after_template_nodeset_and_ordinal),
		cmocka_unit_test(test_volumes_of_a_live_pod_are_left_alone),
		cmocka_unit_test(test_uncordon_and_undrain_are_idempotent),
		cmocka_unit_test(test_of_two_cordoned_pods_the_next_difference_decides),
		cmocka_unit_test(test_deadline_on_a_pod_without_any_annotation),
		cmocka_unit_test(test_who_waits_for_a_drain_asks_slurm_again),
		cmocka_unit_test(test_a_silent_slurm_does_not_hold_back_status_or_creation),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
