/* SPDX-License-Identifier: Apache-2.0 */
/* Letting pods go: cordon, drain, deletion. */
#include "lib/given.h"
#include "engine/removal.h"
#include "plan/nodeset/worksheet.h"

/* Acceptance: removal-1 */
static void test_idle_node_is_cordoned_and_drained_and_the_pod_stays(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":1");
	given_pods(&g, 2);

	when_planned(&g);

	const struct action *cordon = then(&g, DO(PATCH, POD), "foo-1");
	assert_non_null(strstr(cordon->body, ANNOTATION_POD_CORDON "\":\"true\""));
	assert_non_null(strstr(cordon->body, ANNOTATION_CORDONED_BY "\":\"operator\""));
	assert_non_null(strstr(cordon->body, "\"resourceVersion\":\"3\""));
	const struct action *drain = then(&g, DO(DRAIN, SLURM_NODE), NULL);
	assert_string_equal(drain->text, OUR_REASON);
	assert_true(names_node(&g, DO(DRAIN, SLURM_NODE), "foo-1"));
	assert_false(names_node(&g, DO(DRAIN, SLURM_NODE), "foo-0"));
	then_no(&g, DO(DELETE, POD), NULL);
	assert_int_not_equal(g.plan.demand.of[ASK_NODES].need, SLURM_AT_REST);
}

/* Acceptance: removal-2 */
static void test_drained_node_lets_its_pod_go_with_guards(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":1");
	given_pods(&g, 2);
	given_leaving(&g.pods[1], DRAINED);

	when_planned(&g);

	const struct action *a = then(&g, DO(DELETE, POD), "foo-1");
	assert_string_equal(a->guard.uid, "uid-foo-1");
	assert_string_equal(a->guard.resource_version, "3");
	assert_string_equal(a->guard.node.name, "foo-1");
	then_no(&g, DO(DRAIN, SLURM_NODE), NULL);
	then_no(&g, DO(PATCH, POD), NULL);
}

/* Acceptance: removal-3 */
static void test_absent_node_lets_its_pod_go_after_the_grace(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":0");
	given_pods(&g, 1);
	given_our_cordon(&g.pods[0]);
	given_absent(&g, &g.pods[0], 4000);

	when_planned(&g);
	then_no(&g, DO(DELETE, POD), NULL);
	assert_int_equal(g.plan.again_in_ms, ABSENT_GRACE_MS - 4000 + 1);

	given_absent(&g, &g.pods[0], ABSENT_GRACE_MS);
	when_planned(&g);
	assert_string_equal(then(&g, DO(DELETE, POD), "foo-0")->guard.node.name, "foo-0");
}

/*
 * After slurmctld's clock was set back, "nothing has changed" hides a slurmd that has
 * registered under another name.
 */
static void test_only_a_list_that_names_every_node_tells_of_absence(void **state)
{
	(void)state;
	static const struct {
		int64_t asked_ms;
		bool enough;
	} rows[] = { { -SLURM_FRESH_MS - 1, false }, { -SLURM_FRESH_MS, true } };
	for (size_t i = 0; i < LENGTH(rows); i++) {
		WORLD(g);
		given_nodeset(&g, "\"replicas\":0");
		given_pods(&g, 1);
		given_our_cordon(&g.pods[0]);
		given_absent(&g, &g.pods[0], 60000);
		g.slurm.whole_seen_ms = g.now_ms + rows[i].asked_ms;

		when_planned(&g);

		assert_int_equal(count_actions(&g, DO(DELETE, POD)), rows[i].enough);
		assert_int_equal(g.plan.demand.of[0].need, rows[i].enough ? 0 : SLURM_WHOLE);
	}
}

static void test_a_list_from_before_the_grace_tells_nothing_however_new(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":0");
	given_pods(&g, 1);
	given_our_cordon(&g.pods[0]);
	given_absent(&g, &g.pods[0], ABSENT_GRACE_MS);
	g.slurm.whole_seen_ms = g.slurm.nodes_seen_ms - 1;

	when_planned(&g);

	then_no(&g, DO(DELETE, POD), NULL);
	assert_int_equal(g.plan.demand.of[ASK_NODES].need, SLURM_WHOLE);
}

/* A list that takes 7 s is older than 5 s when it comes. */
static void test_a_slow_list_is_new_enough_for_absence(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":0");
	given_pods(&g, 1);
	given_our_cordon(&g.pods[0]);
	given_absent(&g, &g.pods[0], 60000);
	g.slurm.whole_seen_ms = g.now_ms - 2 * 7000 - SLURM_FRESH_MS;
	when_planned(&g);
	then_no(&g, DO(DELETE, POD), NULL);

	g.slurm.list_took_ms = 7000;
	when_planned(&g);
	then(&g, DO(DELETE, POD), "foo-0");
}

/*
 * The record of a predecessor: this slurmd may have another name. A record at the pod's
 * address cannot.
 */
static void test_a_drained_record_at_another_address_needs_such_a_list_too(void **state)
{
	(void)state;
	static const struct {
		const char *address;
		bool enough;
	} rows[] = { { "10.0.0.9", false }, { "node9", false }, { "10.0.0.1", true } };
	for (size_t i = 0; i < LENGTH(rows); i++) {
		WORLD(g);
		given_condemned(&g, DRAINED | NODE_NOT_RESPONDING);
		g.pods[0].fact.ip = "10.0.0.1";
		g.pods[0].fact.ready_since_ms = g.wall_ms - REGISTER_GRACE_MS / 2;
		given_no_annotation(&g.pods[0], ANNOTATION_REGISTERED);
		g.pods[0].node.address = rows[i].address;
		g.slurm.whole_seen_ms = g.now_ms - SLURM_FRESH_MS - 1;

		when_planned(&g);

		assert_int_equal(count_actions(&g, DO(DELETE, POD)), rows[i].enough);
		assert_int_equal(g.plan.demand.of[0].need, rows[i].enough ? 0 : SLURM_WHOLE);
	}
}

static void test_absence_from_before_the_pod_ran_does_not_count(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":0");
	given_pods(&g, 1);
	given_our_cordon(&g.pods[0]);
	given_absent(&g, &g.pods[0], 3600000);
	g.pods[0].fact.phase_seen_ms = g.slurm.nodes_seen_ms - 500;

	when_planned(&g);
	then_no(&g, DO(DELETE, POD), NULL);
	assert_int_equal(g.plan.again_in_ms, ABSENT_GRACE_MS - 500 + 1);
}

static void test_every_node_that_something_waits_for_is_named(void **state)
{
	(void)state;
	static const int rows[] = { 2, 17, 40 };
	for (size_t i = 0; i < LENGTH(rows); i++) {
		WORLD(g);
		given_nodeset(&g, "\"replicas\":1");
		given_pods(&g, rows[i]);
		for (int k = 0; k < rows[i]; k++) {
			given_leaving(&g.pods[k], NODE_ALLOCATED | NODE_DRAIN);
		}
		when_planned(&g);
		assert_int_equal(g.plan.demand.of[ASK_LOOKS].n_names, rows[i] - 1);
		for (size_t k = 0; k < g.plan.demand.of[ASK_LOOKS].n_names; k++)
			assert_true(str_has_prefix(g.plan.demand.of[ASK_LOOKS].names[k], "foo-"));
	}
}

/*
 * Where the list of all nodes is slow, nothing but a read of the one node makes an answer
 * new enough.
 */
static void test_drains_to_be_lifted_cordons_of_users_and_absent_nodes_are_named_too(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":3");
	given_pods(&g, 4);
	given_node(&g.pods[0], DRAINED, OUR_REASON);
	given_annotation(&g.pods[1], ANNOTATION_POD_CORDON, "true");
	given_absent(&g, &g.pods[3], 600000);
	for (int k = 0; k < 4; k++)
		g.pods[k].node.seen_ms = g.pods[k].node.named_ms = g.now_ms - SLURM_FRESH_MS - 1;

	when_planned(&g);

	assert_int_equal(g.plan.demand.of[ASK_LOOKS].n_names, 3);
	assert_string_equal(g.plan.demand.of[ASK_LOOKS].names[0], "foo-0");
	assert_string_equal(g.plan.demand.of[ASK_LOOKS].names[1], "foo-1");
	assert_string_equal(g.plan.demand.of[ASK_LOOKS].names[2], "foo-3");
	then_no(&g, DO(DELETE, POD), NULL);
}

/* Acceptance: removal-6 */
static void test_cordon_and_drain_are_idempotent(void **state)
{
	(void)state;
	WORLD(g);
	given_condemned(&g, NODE_ALLOCATED | NODE_DRAIN);

	when_settled(&g);

	then_nothing(&g);
	then_condition(&g, "Draining", "True", "JobsRunning");
	assert_int_not_equal(g.plan.demand.of[ASK_NODES].need, SLURM_AT_REST);
}

/* Acceptance: nodeset-2 */
static void test_scale_to_zero_drains_every_node_in_one_action_first(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":0");
	given_pods(&g, 5);

	when_planned(&g);

	assert_int_equal(count_actions(&g, DO(DRAIN, SLURM_NODE)), 1);
	assert_int_equal(then(&g, DO(DRAIN, SLURM_NODE), NULL)->n_nodes, 5);
	assert_string_equal(then(&g, DO(DRAIN, SLURM_NODE), NULL)->name, "slurm");
	assert_int_equal(count_actions(&g, DO(PATCH, POD)), 5);
	then_no(&g, DO(DELETE, POD), NULL);
}

/* ---- 8.2 ---- */

static void test_never_bound_pod_goes_at_once_guarded_by_its_version(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":0");
	given_pending(given_pod(&g, 0), false);
	given_slurm_silent(&g);
	when_planned(&g);
	assert_string_equal(then(&g, DO(DELETE, POD), "foo-0")->guard.resource_version, "3");
	then_no(&g, DO(PATCH, POD), NULL);
}

static void test_release_now_lets_go_at_once_and_says_so(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset_meta(&g, "\"replicas\":1",
		GIVEN_FINALIZER ",\"annotations\":{\"" ANNOTATION_RELEASE_NOW "\":\"true\"}");
	given_pods(&g, 2);
	given_node(&g.pods[1], NODE_ALLOCATED, "");
	given_slurm_silent(&g);
	when_planned(&g);
	then(&g, DO(DELETE, POD), "foo-1");
	assert_int_equal(count_actions(&g, DO(DELETE, POD)), 1);
	const struct action *event = then(&g, DO(TELL, EVENT), "foo");
	assert_string_equal(event->reason, "ReleasedWithoutDrain");
	assert_true(event->warning);
}

static void test_release_now_with_any_other_word_does_nothing(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset_meta(&g, "\"replicas\":0",
		GIVEN_FINALIZER ",\"annotations\":{\"" ANNOTATION_RELEASE_NOW "\":\"yes\"}");
	given_pods(&g, 1);
	when_planned(&g);
	then_no(&g, DO(DELETE, POD), NULL);
}

/*
 * The wish may have been withdrawn, the NodeSet scaled out again, and another pod may
 * have the name: of all that the precondition of a deletion, the pod's version, says
 * nothing.
 */
/* Acceptance: removal-19 */
static void test_what_kubernetes_said_minutes_ago_lets_no_pod_go(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset_meta(&g, "\"replicas\":1",
		GIVEN_FINALIZER ",\"annotations\":{\"" ANNOTATION_RELEASE_NOW "\":\"true\"}");
	given_pods(&g, 3);
	g.pods[1].fact.phase = POD_FAILED;
	g.kube_age_ms = KUBE_FRESH_MS + 1;
	when_planned(&g);
	then(&g, DO(DELETE, POD), "foo-1");
	then_no(&g, DO(DELETE, POD), "foo-2");
	then_no(&g, DO(TELL, EVENT), "foo");
	when_settled(&g);
	then_says(&g, "Draining", "the manager has had no current state from the API server");
	g.kube_age_ms = KUBE_FRESH_MS;
	when_planned(&g);
	then(&g, DO(DELETE, POD), "foo-2");
}

/* Acceptance: removal-19 */
static void test_drained_is_no_ground_while_kubernetes_tells_nothing(void **state)
{
	(void)state;
	WORLD(g);
	given_condemned(&g, DRAINED);
	g.kube_age_ms = KUBE_FRESH_MS + 1;
	when_settled(&g);
	then_no(&g, DO(DELETE, POD), NULL);
	then_condition(&g, "Draining", "True", "KubernetesUnknown");
	g.kube_age_ms = 0;
	when_planned(&g);
	then(&g, DO(DELETE, POD), "foo-0");
}

static void test_drained_already_the_pod_is_cordoned_before_it_goes(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":0");
	given_pods(&g, 1);
	given_node(&g.pods[0], DRAINED, "bad disk (alice)");
	when_planned(&g);
	then_no(&g, DO(DELETE, POD), NULL);
	assert_non_null(strstr(then(&g, DO(PATCH, POD), "foo-0")->body,
		ANNOTATION_POD_CORDON "\":\"true\""));
	when_settled(&g);
	then(&g, DO(DELETE, POD), "foo-0");
}

static void test_actions_in_flight_are_left_alone(void **state)
{
	(void)state;
	WORLD(g);
	given_condemned(&g, DRAINED);
	g.pods[0].fact.in_flight = true;
	when_planned(&g);
	then_no(&g, DO(DELETE, POD), NULL);
	then_no(&g, DO(PATCH, POD), NULL);
}

static void test_drain_that_needs_no_word_of_ours_keeps_its_reason(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":0");
	given_pods(&g, 1);
	given_node(&g.pods[0], NODE_ALLOCATED | NODE_DRAIN, "bad disk (alice)");
	when_planned(&g);
	then_no(&g, DO(DRAIN, SLURM_NODE), NULL);
	then(&g, DO(PATCH, POD), "foo-0");
	then_no(&g, DO(DELETE, POD), NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_idle_node_is_cordoned_and_drained_and_the_pod_stays),
		cmocka_unit_test(test_drained_node_lets_its_pod_go_with_guards),
		cmocka_unit_test(test_absent_node_lets_its_pod_go_after_the_grace),
		cmocka_unit_test(test_only_a_list_that_names_every_node_tells_of_absence),
		cmocka_unit_test(test_a_list_from_before_the_grace_tells_nothing_however_new),
		cmocka_unit_test(test_a_slow_list_is_new_enough_for_absence),
		cmocka_unit_test(test_a_drained_record_at_another_address_needs_such_a_list_too),
		cmocka_unit_test(test_absence_from_before_the_pod_ran_does_not_count),
		cmocka_unit_test(test_every_node_that_something_waits_for_is_named),
		cmocka_unit_test(
			test_drains_to_be_lifted_cordons_of_users_and_absent_nodes_are_named_too),
		cmocka_unit_test(test_cordon_and_drain_are_idempotent),
		cmocka_unit_test(test_scale_to_zero_drains_every_node_in_one_action_first),
		cmocka_unit_test(test_never_bound_pod_goes_at_once_guarded_by_its_version),
		cmocka_unit_test(test_release_now_lets_go_at_once_and_says_so),
		cmocka_unit_test(test_release_now_with_any_other_word_does_nothing),
		cmocka_unit_test(test_what_kubernetes_said_minutes_ago_lets_no_pod_go),
		cmocka_unit_test(test_drained_is_no_ground_while_kubernetes_tells_nothing),
		cmocka_unit_test(test_drained_already_the_pod_is_cordoned_before_it_goes),
		cmocka_unit_test(test_actions_in_flight_are_left_alone),
		cmocka_unit_test(test_drain_that_needs_no_word_of_ours_keeps_its_reason),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
