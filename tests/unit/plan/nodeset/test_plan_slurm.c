/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cordons, drains and comments: what the planner and Slurm tell each other, and what of
 * it is a user's or an administrator's.
 */
#include "lib/given.h"
#include "plan/nodeset/reasons.h"

/* ---- 8.1: undrain ---- */

static void test_stale_answer_is_asked_again_before_an_undrain(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 1);
	given_node(&g.pods[0], DRAINED, OUR_REASON);
	g.pods[0].node.seen_ms = g.pods[0].node.named_ms = g.now_ms - SLURM_FRESH_MS - 1;
	when_planned(&g);
	then_no(&g, DO(UNDRAIN, SLURM_NODE), NULL);
	assert_int_not_equal(g.plan.demand.of[ASK_NODES].need, SLURM_AT_REST);
}

static void test_stale_answer_is_asked_again_before_a_drain(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":0");
	given_pods(&g, 2);
	given_annotation(&g.pods[0], ANNOTATION_POD_CORDON, "true");
	for (int i = 0; i < 2; i++)
		g.pods[i].node.seen_ms = g.pods[i].node.named_ms = g.now_ms - SLURM_FRESH_MS - 1;
	when_planned(&g);
	then_no(&g, DO(DRAIN, SLURM_NODE), NULL);
	assert_int_not_equal(g.plan.demand.of[ASK_NODES].need, SLURM_AT_REST);
}

/*
 * After slurmctld's clock was set back, "nothing has changed" hides that an administrator
 * has drained a node.
 */
static void test_an_answer_that_names_no_node_is_no_ground_for_a_drain_or_an_undrain(void **state)
{
	(void)state;
	static const struct {
		const char *replicas;
		uint32_t node;
		struct operation operation;
	} rows[] = { { "\"replicas\":0", NODE_IDLE, DO(DRAIN, SLURM_NODE) },
		{ "\"replicas\":1", DRAINED, DO(UNDRAIN, SLURM_NODE) } };
	for (size_t i = 0; i < LENGTH(rows); i++) {
		WORLD(g);
		given_nodeset(&g, rows[i].replicas);
		given_pods(&g, 1);
		given_node(&g.pods[0], rows[i].node, rows[i].node == DRAINED ? OUR_REASON : "");
		given_annotation(&g.pods[0], ANNOTATION_CORDONED_BY,
			rows[i].node == DRAINED ? CORDONED_BY_RETURNING : CORDONED_BY_OPERATOR);
		g.pods[0].node.named_ms = g.now_ms - SLURM_FRESH_MS - 1;

		when_planned(&g);
		then_no(&g, rows[i].operation, NULL);
		assert_int_equal(g.plan.demand.of[ASK_NODES].need, SLURM_WHOLE);

		g.pods[0].node.named_ms = g.now_ms - SLURM_FRESH_MS;
		when_planned(&g);
		assert_int_equal(count_actions(&g, rows[i].operation), 1);
	}
}

static void test_a_pod_with_an_action_under_way_is_not_patched(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 1);
	given_our_cordon(&g.pods[0]);
	given_annotation(&g.pods[0], ANNOTATION_POD_DEADLINE, "2026-01-01T00:01:00Z");
	g.pods[0].fact.in_flight = true;
	when_planned(&g);
	then_no(&g, DO(PATCH, POD), NULL);
}

/* ---- 8.2 3: an administrator's drain ---- */

/* Acceptance: removal-8 */
static void test_administrators_drain_survives_scaling_and_rollout(void **state)
{
	(void)state;
	static const char *const replicas[] = { "\"replicas\":1", "\"replicas\":2",
		"\"replicas\":4" };
	for (size_t i = 0; i < LENGTH(replicas); i++) {
		for (int old = 0; old < 2; old++) {
			WORLD(g);
			given_nodeset(&g, replicas[i]);
			given_pods(&g, 2);
			for (int k = 0; k < 2; k++) {
				given_node(&g.pods[k], NODE_MIXED | NODE_DRAIN,
					"health check failed");
				if (old)
					given_old(&g.pods[k]);
			}
			when_settled(&g);
			then_no(&g, DO(DRAIN, SLURM_NODE), NULL);
			then_no(&g, DO(UNDRAIN, SLURM_NODE), NULL);
		}
	}
}

/*
 * slurmctld writes a drain down within five seconds: one that dies before has forgotten
 * it when it is back.
 */
static void test_a_drain_that_slurm_has_lost_is_set_again_while_the_pod_terminates(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":0");
	given_pods(&g, 2);
	for (int i = 0; i < 2; i++) {
		g.pods[i].fact.terminating = true;
		given_node(&g.pods[i], NODE_IDLE | NODE_DYNAMIC, "");
	}
	given_our_cordon(&g.pods[0]); /* another client deleted the other one */
	when_settled(&g);
	assert_true(names_node(&g, DO(DRAIN, SLURM_NODE), "foo-0"));
	assert_false(names_node(&g, DO(DRAIN, SLURM_NODE), "foo-1"));

	given_node(&g.pods[0], DRAINED, OUR_REASON);
	when_settled(&g);
	then_no(&g, DO(DRAIN, SLURM_NODE), NULL);
}

/* ---- a user's cordon ---- */

static void test_users_cordon_drains_and_stays(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 2);
	given_annotation(&g.pods[0], ANNOTATION_POD_CORDON, "true");
	when_planned(&g);
	const char *reason = then(&g, DO(DRAIN, SLURM_NODE), NULL)->text;
	assert_true(names_node(&g, DO(DRAIN, SLURM_NODE), "foo-0"));
	assert_true(str_has_prefix(reason, DRAIN_REASON_PREFIX));
	then_no(&g, DO(PATCH, POD), NULL);
	given_node(&g.pods[0], DRAINED, reason);
	when_settled(&g);
	then_nothing(&g);
	assert_string_equal(pod_annotation(&g.pods[0].fact, ANNOTATION_POD_CORDON), "true");
}

static void test_users_cordon_taken_away_brings_the_node_back(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 1);
	given_node(&g.pods[0], DRAINED,
		"slurm-operator: NodeSet (ns/foo): the pod is cordoned by its annotation");
	when_settled(&g);
	assert_true(names_node(&g, DO(UNDRAIN, SLURM_NODE), "foo-0"));
}

static void test_users_cordon_survives_being_chosen_and_spared(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":0");
	given_pods(&g, 1);
	given_annotation(&g.pods[0], ANNOTATION_POD_CORDON, "true");
	given_node(&g.pods[0], NODE_ALLOCATED | NODE_DRAIN, OUR_REASON);
	when_settled(&g);
	assert_null(pod_annotation(&g.pods[0].fact, ANNOTATION_CORDONED_BY));
	given_spec(&g, "\"replicas\":1", GIVEN_FINALIZER);
	when_settled(&g);
	then_no(&g, DO(UNDRAIN, SLURM_NODE), NULL);
	assert_string_equal(pod_annotation(&g.pods[0].fact, ANNOTATION_POD_CORDON), "true");
}

/* Acceptance: status-8 */
static void test_cordon_with_any_other_word_is_none(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 1);
	given_annotation(&g.pods[0], ANNOTATION_POD_CORDON, "True");
	when_settled(&g);
	then_nothing(&g);
}

/* Acceptance: wake-4 */
static void test_drain_reason_is_written_once_with_one_text(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":0");
	given_pods(&g, 1);
	given_node(&g.pods[0], NODE_ALLOCATED, "");
	when_settled(&g);
	assert_string_equal(then(&g, DO(DRAIN, SLURM_NODE), NULL)->text, OUR_REASON);
	given_node(&g.pods[0], NODE_ALLOCATED | NODE_DRAIN, OUR_REASON);
	when_settled(&g);
	then_nothing(&g);
}

/* ---- comments ---- */

static void test_comment_is_written_when_empty_or_ours_and_kept_when_foreign(void **state)
{
	(void)state;
	static const struct {
		const char *comment;
		bool written;
	} rows[] = {
		{ "", true },
		{ "{\"namespace\":\"ns\",\"podName\":\"foo-0\"}", false },
		{ "{ \"podName\": \"foo-0\", \"namespace\": \"ns\" }", false },
		{ "{\"namespace\":\"ns\",\"podName\":\"other-0\"}", true },
		{ "{\"namespace\":\"ns\",\"podName\":\"other-0\",\"rack\":3}", false },
		{ "rack 3, ask alice", false },
		{ "{\"namespace\":1,\"podName\":2}", false },
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		WORLD(g);
		given_at_rest(&g, 1);
		g.pods[0].node.comment = rows[i].comment;
		when_planned(&g);
		assert_int_equal(count_actions(&g, DO(COMMENT, SLURM_NODE)), rows[i].written);
		if (rows[i].written)
			assert_string_equal(then(&g, DO(COMMENT, SLURM_NODE), NULL)->text,
				"{\"namespace\":\"ns\",\"podName\":\"foo-0\"}");
	}
}

/* When the pod is gone, the comment is all that tells whose node that was. */
static void test_comment_also_for_a_pod_that_goes_before_it_has_one(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 1);
	given_spec(&g, "\"replicas\":0", GIVEN_FINALIZER);
	g.pods[0].node.comment = "";
	when_planned(&g);
	then(&g, DO(DRAIN, SLURM_NODE), NULL);
	assert_string_equal(then(&g, DO(COMMENT, SLURM_NODE), NULL)->text,
		"{\"namespace\":\"ns\",\"podName\":\"foo-0\"}");
	then_no(&g, DO(DELETE, POD), NULL);
}

static void test_no_comment_for_a_pod_that_is_deleted_now(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 1);
	given_spec(&g, "\"replicas\":0", GIVEN_FINALIZER);
	given_node(&g.pods[0], NODE_IDLE | NODE_DRAIN, OUR_REASON);
	g.pods[0].node.comment = "";
	when_settled(&g);
	then(&g, DO(DELETE, POD), "foo-0");
	then_no(&g, DO(COMMENT, SLURM_NODE), NULL);
}

/* Each of the two would write its name over that of the other, for ever. */
static void test_no_comment_on_a_node_that_two_pods_name(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 1);
	g.pods[0].node.shared = true;
	g.pods[0].node.comment = "";
	when_planned(&g);
	then_no(&g, DO(COMMENT, SLURM_NODE), NULL);
}

static void test_comment_only_for_healthy_pods(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 1);
	g.pods[0].node.comment = "";
	g.pods[0].fact.ready = false;
	when_planned(&g);
	then_no(&g, DO(COMMENT, SLURM_NODE), NULL);
}

static void test_b1_a_users_cordon_asks_for_its_node_also_while_an_update_is_under_way(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":1");
	given_annotation(given_pod(&g, 0), ANNOTATION_POD_CORDON, "true");
	g.pods[0].node.in_flight = true; /* such as that of its comment */
	when_planned(&g);
	then_no(&g, DO(DRAIN, SLURM_NODE), NULL);
	assert_int_equal(g.plan.demand.of[ASK_LOOKS].n_names, 1);
	assert_string_equal(g.plan.demand.of[ASK_LOOKS].names[0], "foo-0");
}

/* The reason of the pod says what is wrong with it. */
/*
 * A user who may create pods may give one a name and a host name of the NodeSet: the node
 * of that name may be a machine, or a pod elsewhere, whose jobs are none of the
 * NodeSet's.
 */
/* Acceptance: removal-24 */
static void test_no_node_that_answers_at_another_address_is_drained(void **state)
{
	(void)state;
	static const struct {
		uint32_t state;
		const char *address;
		bool drained;
	} rows[] = {
		{ NODE_ALLOCATED, "10.9.9.9", false }, { NODE_IDLE, "10.9.9.9", false },
		/* the record of a pod before, which its next slurmd takes over */
		{ NODE_IDLE | NODE_NOT_RESPONDING, "10.9.9.9", true },
		{ NODE_IDLE, NULL, true }, /* its own */
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		for (int cordoned = 0; cordoned < 2; cordoned++) {
			WORLD(g);
			given_nodeset(&g, cordoned ? "\"replicas\":1" : "\"replicas\":0");
			given_pods(&g, 1);
			given_node(&g.pods[0], rows[i].state, "");
			g.pods[0].fact.ready = false; /* it need not even run a slurmd */
			given_no_annotation(&g.pods[0], ANNOTATION_REGISTERED);
			g.pods[0].node.comment = "";
			if (cordoned)
				given_annotation(&g.pods[0], ANNOTATION_POD_CORDON, "true");
			if (rows[i].address)
				g.pods[0].node.address = rows[i].address;
			when_planned(&g);
			bool drained = find_action(&g, DO(DRAIN, SLURM_NODE), NULL) != NULL;
			if (drained != rows[i].drained)
				fail_msg("row %zu, cordoned %d", i, cordoned);
			when_settled(&g);
			if (!cordoned)
				then_condition(&g, "Draining", "True",
					rows[i].drained ? "DrainSent" : "NodeTaken");
		}
	}
}

static void test_a_users_cordon_does_not_drain_a_node_that_is_down(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 1);
	given_annotation(&g.pods[0], ANNOTATION_POD_CORDON, "true");
	given_node(&g.pods[0], NODE_DOWN | NODE_DYNAMIC, "fan is broken");
	when_planned(&g);
	then_no(&g, DO(DRAIN, SLURM_NODE), NULL);

	given_node(&g.pods[0], NODE_IDLE | NODE_DYNAMIC, "");
	when_planned(&g);
	assert_true(names_node(&g, DO(DRAIN, SLURM_NODE), "foo-0"));
}

/*
 * Power saving: to a drain of a node that is allocated and not up yet, Slurm answers by
 * requeueing or ending its job.
 */
static void test_a_node_that_is_powered_up_for_a_job_is_not_drained_before_it_is_up(void **state)
{
	(void)state;
	static const struct {
		uint32_t state;
		bool drained;
	} rows[] = {
		{ NODE_ALLOCATED | NODE_POWER | NODE_UNPOWERED, false },
		{ NODE_MIXED | NODE_POWER | NODE_UNPOWERED, false },
		{ NODE_ALLOCATED | NODE_POWER, true },             /* a node of a cloud, up */
		{ NODE_IDLE | NODE_POWER | NODE_UNPOWERED, true }, /* for no job */
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		for (int cordoned = 0; cordoned < 2; cordoned++) {
			WORLD(g);
			given_nodeset(&g, cordoned ? "\"replicas\":1" : "\"replicas\":0");
			given_pods(&g, 1);
			given_node(&g.pods[0], rows[i].state, "");
			if (cordoned)
				given_annotation(&g.pods[0], ANNOTATION_POD_CORDON, "true");
			when_planned(&g);
			bool drained = find_action(&g, DO(DRAIN, SLURM_NODE), NULL) != NULL;
			if (drained != rows[i].drained)
				fail_msg("row %zu, cordoned %d", i, cordoned);
			when_settled(&g);
			if (!cordoned)
				then_condition(&g, "Draining", "True",
					rows[i].drained ? "DrainSent" : "NodePowersUp");
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stale_answer_is_asked_again_before_an_undrain),
		cmocka_unit_test(test_stale_answer_is_asked_again_before_a_drain),
		cmocka_unit_test(
			test_an_answer_that_names_no_node_is_no_ground_for_a_drain_or_an_undrain),
		cmocka_unit_test(test_a_pod_with_an_action_under_way_is_not_patched),
		cmocka_unit_test(test_administrators_drain_survives_scaling_and_rollout),
		cmocka_unit_test(
			test_a_drain_that_slurm_has_lost_is_set_again_while_the_pod_terminates),
		cmocka_unit_test(test_users_cordon_drains_and_stays),
		cmocka_unit_test(test_users_cordon_taken_away_brings_the_node_back),
		cmocka_unit_test(test_users_cordon_survives_being_chosen_and_spared),
		cmocka_unit_test(test_cordon_with_any_other_word_is_none),
		cmocka_unit_test(test_drain_reason_is_written_once_with_one_text),
		cmocka_unit_test(test_comment_is_written_when_empty_or_ours_and_kept_when_foreign),
		cmocka_unit_test(test_no_comment_on_a_node_that_two_pods_name),
		cmocka_unit_test(test_comment_only_for_healthy_pods),
		cmocka_unit_test(test_comment_also_for_a_pod_that_goes_before_it_has_one),
		cmocka_unit_test(test_no_comment_for_a_pod_that_is_deleted_now),
		cmocka_unit_test(
			test_b1_a_users_cordon_asks_for_its_node_also_while_an_update_is_under_way),
		cmocka_unit_test(test_a_users_cordon_does_not_drain_a_node_that_is_down),
		cmocka_unit_test(test_no_node_that_answers_at_another_address_is_drained),
		cmocka_unit_test(
			test_a_node_that_is_powered_up_for_a_job_is_not_drained_before_it_is_up),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
