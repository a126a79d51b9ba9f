/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of a node in Slurm is not enough: jobs that its state does not show, and
 * nodes that are not the pod's.
 */
#include "engine/removal.h"
#include "lib/given.h"

/* ---- jobs that a node's state does not show ---- */

static void test_a_suspended_job_keeps_its_pod(void **state)
{
	(void)state;
	WORLD(g);
	given_condemned(&g, DRAINED);
	g.pods[0].node.held = YES;
	when_settled(&g);
	then_no(&g, DO(DELETE, POD), NULL);
	then_condition(&g, "Draining", "True", "JobsRunning");
	/*
	 * The list is read again after a while: a job that is cancelled while it is
	 * suspended changes no node.
	 */
	assert_true(g.plan.demand.of[ASK_JOBS].at_ms > g.now_ms);
	assert_true(g.plan.demand.of[ASK_JOBS].at_ms <= g.now_ms + 10000);
}

static void test_jobs_are_asked_for_once_the_node_is_free(void **state)
{
	(void)state;
	WORLD(g);
	given_condemned(&g, DRAINED);
	g.pods[0].node.free_since_ms = g.slurm.jobs_seen_ms + 1;
	when_planned(&g);
	then_no(&g, DO(DELETE, POD), NULL);
	assert_int_equal(g.plan.demand.of[ASK_JOBS].at_ms, g.now_ms);

	g.slurm.jobs_seen_ms++;
	when_planned(&g);
	then(&g, DO(DELETE, POD), "foo-0");
	assert_int_equal(g.plan.demand.of[ASK_JOBS].at_ms, 0);
}

static void test_a_job_of_unknown_nodes_may_be_on_any(void **state)
{
	(void)state;
	WORLD(g);
	given_condemned(&g, DRAINED);
	g.pods[0].node.held = UNKNOWN;
	when_planned(&g);
	then_no(&g, DO(DELETE, POD), NULL);
}

static void test_a_state_that_nobody_knows_is_no_state(void **state)
{
	(void)state;
	static const uint32_t strange[] = { NODE_OTHER, NODE_INVALID, NODE_UNKNOWN };
	for (size_t i = 0; i < LENGTH(strange); i++) {
		WORLD(g);
		given_condemned(&g, DRAINED | strange[i]);
		when_planned(&g);
		then_no(&g, DO(DELETE, POD), NULL);
	}
	WORLD(g);
	given_condemned(&g, NODE_DRAIN | NODE_DYNAMIC); /* no base state */
	when_planned(&g);
	then_no(&g, DO(DELETE, POD), NULL);
}

/* ---- whose node it is ---- */

static void test_of_two_pods_that_name_one_node_none_is_drained_or_let_go(void **state)
{
	(void)state;
	WORLD(g);
	given_condemned(&g, NODE_IDLE);
	g.pods[0].node.shared = true;
	when_planned(&g);
	then_no(&g, DO(DRAIN, SLURM_NODE), NULL);

	given_node(&g.pods[0], DRAINED, OUR_REASON);
	when_planned(&g);
	then_no(&g, DO(DELETE, POD), NULL);
}

static void test_of_two_pods_that_name_one_node_none_is_brought_back(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 1);
	given_node(&g.pods[0], DRAINED, OUR_REASON);
	g.pods[0].node.shared = true;
	when_settled(&g);
	then_no(&g, DO(UNDRAIN, SLURM_NODE), NULL);

	g.pods[0].node.shared = false;
	when_settled(&g);
	assert_true(names_node(&g, DO(UNDRAIN, SLURM_NODE), "foo-0"));
}

static void test_a_slurmd_of_another_name_keeps_its_pod(void **state)
{
	(void)state;
	WORLD(g);
	given_condemned(&g, NODE_IDLE);
	given_absent(&g, &g.pods[0], 600000);
	g.pods[0].node.elsewhere = "alt-foo-0";
	when_planned(&g);
	then_no(&g, DO(DELETE, POD), NULL);

	g.pods[0].node.elsewhere = NULL;
	when_planned(&g);
	assert_true(then(&g, DO(DELETE, POD), "foo-0")->guard.removal->node == NO);
}

/* A pod of another namespace, say, that registered later under the same name. */
static void test_a_node_at_the_address_of_somebody_else_is_not_relied_on(void **state)
{
	(void)state;
	WORLD(g);
	given_condemned(&g, NODE_IDLE);
	g.pods[0].node.address = "10.9.9.9";
	when_planned(&g);
	then_no(&g, DO(DRAIN, SLURM_NODE), NULL);

	given_node(&g.pods[0], DRAINED, OUR_REASON);
	when_planned(&g);
	then_no(&g, DO(DELETE, POD), NULL);

	g.pods[0].fact.second_ip = "10.9.9.9"; /* it is the pod's own */
	when_planned(&g);
	then(&g, DO(DELETE, POD), "foo-0");
}

/*
 * The pod has registered: a node at another address is now that of another Slurm, or of
 * another slurmd.
 */
static void test_a_node_that_has_moved_is_not_relied_on(void **state)
{
	(void)state;
	WORLD(g);
	given_condemned(&g, DRAINED | NODE_NOT_RESPONDING);
	given_annotation(&g.pods[0], ANNOTATION_POD_DEADLINE, "9999-12-31T23:59:59Z");
	g.pods[0].fact.ready_since_ms = g.wall_ms - 1000;
	g.pods[0].node.address = "10.9.9.9";
	when_settled(&g);
	then_no(&g, DO(DELETE, POD), NULL);
	assert_non_null(pod_annotation(&g.pods[0].fact, ANNOTATION_POD_DEADLINE));
}

/*
 * Killed before it saved that the pod's slurmd had registered, slurmctld has the node of
 * the predecessor again (24.11.5).
 */
static void test_a_record_that_slurmctld_brought_back_holds_no_idle_pod(void **state)
{
	(void)state;
	WORLD(g);
	given_condemned(&g, NODE_DOWN | NODE_NOT_RESPONDING | NODE_DRAIN | NODE_DYNAMIC);
	g.pods[0].node.address = "10.9.9.9";
	when_planned(&g);
	then(&g, DO(DELETE, POD), "foo-0");
}

static void test_a_suspended_job_keeps_its_deadline(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 1);
	given_annotation(&g.pods[0], ANNOTATION_POD_DEADLINE, "9999-12-31T23:59:59Z");
	g.pods[0].node.held = YES;
	g.pods[0].node.busy_until_s = INT64_MAX;
	when_settled(&g);
	assert_non_null(pod_annotation(&g.pods[0].fact, ANNOTATION_POD_DEADLINE));

	g.pods[0].node.held = NO;
	when_settled(&g);
	assert_null(pod_annotation(&g.pods[0].fact, ANNOTATION_POD_DEADLINE));
}

static void test_a_node_whose_comment_names_another_pod_is_left_alone(void **state)
{
	(void)state;
	WORLD(g);
	given_condemned(&g, NODE_IDLE);
	g.pods[0].fact.ready = false;
	g.pods[0].node.address = "10.9.9.9";
	g.pods[0].node.comment = "{\"namespace\":\"other\",\"podName\":\"foo-0\"}";
	when_planned(&g);
	then_no(&g, DO(DRAIN, SLURM_NODE), NULL);

	given_spec(&g, "\"replicas\":1", GIVEN_FINALIZER);
	given_no_annotation(&g.pods[0], ANNOTATION_POD_CORDON);
	given_no_annotation(&g.pods[0], ANNOTATION_CORDONED_BY);
	g.pods[0].fact.ready = true;
	when_planned(&g);
	then_no(&g, DO(COMMENT, SLURM_NODE), NULL);
	then_no(&g, DO(UNDRAIN, SLURM_NODE), NULL);
}

/* Slurm has one address for the one name: it shows the slurmd that registered last. */
static void test_two_slurmds_of_one_wrong_name_keep_both_pods(void **state)
{
	(void)state;
	WORLD(g);
	given_condemned(&g, NODE_IDLE);
	given_pod(&g, 1);
	given_absent(&g, &g.pods[1], 600000);
	g.pods[1].node.elsewhere = "worker";
	given_absent(&g, &g.pods[0], 600000);
	given_no_annotation(&g.pods[0], ANNOTATION_REGISTERED);
	when_planned(&g);
	then_no(&g, DO(DELETE, POD), NULL);

	/* it was seen under its own name, or never ran */
	given_annotation(&g.pods[0], ANNOTATION_REGISTERED, GIVEN_SLURM);
	when_planned(&g);
	assert_true(then(&g, DO(DELETE, POD), "foo-0")->guard.removal->node == NO);
}

static void test_a_pod_of_another_slurm_is_not_let_go_by_this_one(void **state)
{
	(void)state;
	WORLD(g);
	given_condemned(&g, DRAINED);
	given_annotation(&g.pods[0], ANNOTATION_REGISTERED, "blue");
	when_planned(&g);
	then_no(&g, DO(DELETE, POD), NULL);

	given_absent(&g, &g.pods[0], 600000);
	when_planned(&g);
	then_no(&g, DO(DELETE, POD), NULL);
}

static void test_a_job_that_slurm_has_forgotten_keeps_its_pod_until_its_time_is_over(void **state)
{
	(void)state;
	WORLD(g);
	char end[TIME_RFC3339_BYTES];
	given_condemned(&g, NODE_IDLE);
	given_absent(&g, &g.pods[0], 600000);
	time_format(g.wall_ms + 60000, end);
	given_annotation(&g.pods[0], ANNOTATION_POD_DEADLINE, end);
	when_settled(&g);
	then_no(&g, DO(DELETE, POD), NULL);
	assert_non_null(pod_annotation(&g.pods[0].fact, ANNOTATION_POD_DEADLINE));

	g.wall_ms += 60001;
	when_planned(&g);
	then(&g, DO(DELETE, POD), "foo-0");
}

/* ---- the note which Slurm has the node ---- */

static void given_new_pod(struct given *g)
{
	given_at_rest(g, 1);
	given_no_annotation(&g->pods[0], ANNOTATION_REGISTERED);
}

static void test_a_pod_is_noted_when_slurm_has_its_node(void **state)
{
	(void)state;
	WORLD(g);
	given_new_pod(&g);
	when_settled(&g);
	assert_string_equal(pod_annotation(&g.pods[0].fact, ANNOTATION_REGISTERED), GIVEN_SLURM);
}

static void test_the_node_of_a_predecessor_is_no_registration(void **state)
{
	(void)state;
	WORLD(g);
	given_new_pod(&g);
	g.pods[0].node.address = "10.9.9.9";
	when_settled(&g);
	assert_null(pod_annotation(&g.pods[0].fact, ANNOTATION_REGISTERED));
	g.pods[0].node.address = "10.0.0.1";
	g.pods[0].node.state = NODE_DOWN;
	when_settled(&g);
	assert_null(pod_annotation(&g.pods[0].fact, ANNOTATION_REGISTERED));
}

static void test_no_notes_are_written_while_pods_are_to_be_created(void **state)
{
	(void)state;
	WORLD(g);
	given_new_pod(&g);
	given_spec(&g, "\"replicas\":2", GIVEN_FINALIZER);
	when_planned(&g);
	then_no(&g, DO(PATCH, POD), "foo-0");

	given_failing(&g, DO(CREATE, POD), ERR_DENIED, "foo-1", "exceeded quota");
	when_planned(&g);
	then(&g, DO(PATCH, POD), "foo-0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_suspended_job_keeps_its_pod),
		cmocka_unit_test(test_jobs_are_asked_for_once_the_node_is_free),
		cmocka_unit_test(test_a_job_of_unknown_nodes_may_be_on_any),
		cmocka_unit_test(test_a_state_that_nobody_knows_is_no_state),
		cmocka_unit_test(test_of_two_pods_that_name_one_node_none_is_drained_or_let_go),
		cmocka_unit_test(test_of_two_pods_that_name_one_node_none_is_brought_back),
		cmocka_unit_test(test_a_slurmd_of_another_name_keeps_its_pod),
		cmocka_unit_test(test_a_node_at_the_address_of_somebody_else_is_not_relied_on),
		cmocka_unit_test(test_a_node_that_has_moved_is_not_relied_on),
		cmocka_unit_test(test_a_record_that_slurmctld_brought_back_holds_no_idle_pod),
		cmocka_unit_test(test_a_suspended_job_keeps_its_deadline),
		cmocka_unit_test(test_a_node_whose_comment_names_another_pod_is_left_alone),
		cmocka_unit_test(test_two_slurmds_of_one_wrong_name_keep_both_pods),
		cmocka_unit_test(test_a_pod_of_another_slurm_is_not_let_go_by_this_one),
		cmocka_unit_test(
			test_a_job_that_slurm_has_forgotten_keeps_its_pod_until_its_time_is_over),
		cmocka_unit_test(test_a_pod_is_noted_when_slurm_has_its_node),
		cmocka_unit_test(test_the_node_of_a_predecessor_is_no_registration),
		cmocka_unit_test(test_no_notes_are_written_while_pods_are_to_be_created),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
