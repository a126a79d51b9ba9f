/* SPDX-License-Identifier: Apache-2.0 */
/* Draining says what a pod that is to go waits for, and never more than that. */
#include "lib/given.h"

/* foo is scaled to nothing; its one pod is cordoned, and Slurm lacks its node. */
static void given_condemned_and_absent(struct given *g, int64_t for_ms)
{
	given_condemned(g, NODE_IDLE);
	given_absent(g, &g->pods[0], for_ms);
}

/* ---- a node that Slurm does not have ---- */

static void test_a_node_that_slurm_does_not_have_is_not_being_drained(void **state)
{
	(void)state;
	WORLD(g);
	given_condemned_and_absent(&g, 100);
	g.pods[0].node.seen_ms = g.now_ms - 50000; /* too old to rely on */
	when_settled(&g);
	then_condition(&g, "Draining", "True", "NodeAsked");
	then_says(&g, "Draining", "foo-0");
	then_says_not(&g, "Draining", "being drained");
}

static void test_a_node_that_slurm_has_is_being_drained(void **state)
{
	(void)state;
	WORLD(g);
	given_condemned(&g, NODE_IDLE);
	when_settled(&g);
	then_condition(&g, "Draining", "True", "DrainSent");
}

static void test_a_pod_that_may_start_any_time_is_waited_for_until_a_time(void **state)
{
	(void)state;
	WORLD(g);
	given_condemned_and_absent(&g, 60000);
	given_pending(&g.pods[0], true);
	g.pods[0].fact.phase_seen_ms = g.slurm.nodes_seen_ms - 60000;
	when_settled(&g);
	then_condition(&g, "Draining", "True", "Registration");
	/* 5 minutes less one, and the age of the answer, in whole steps of 10 s */
	then_says(&g, "Draining", "foo-0 (until 2026-01-01T00:04:00Z)");

	g.now_ms += 3000; /* another plan says the same */
	g.wall_ms += 3000;
	g.slurm.nodes_seen_ms += 3000;
	g.pods[0].node.seen_ms += 3000;
	when_planned(&g);
	then_no(&g, DO(PATCH_STATUS, NODESET), NULL);
}

/* ---- a drain that Slurm refuses ---- */

static void test_a_drain_that_slurm_refuses_is_not_on_its_way(void **state)
{
	(void)state;
	WORLD(g);
	given_condemned(&g, NODE_IDLE);
	given_failing(&g, DO(DRAIN, SLURM_NODE), ERR_DENIED, "foo-0", "Access denied");
	when_settled(&g);
	then_condition(&g, "Draining", "True", "DrainFailing");
	then_says(&g, "Draining", "foo-0");
	then_says_not(&g, "Draining", "being drained");
	then_condition(&g, "Degraded", "True", "ActionsFailing");
}

static void test_another_failure_says_nothing_of_the_drain(void **state)
{
	(void)state;
	WORLD(g);
	given_condemned(&g, NODE_IDLE);
	given_failing(&g, DO(COMMENT, SLURM_NODE), ERR_DENIED, "foo-0", "Access denied");
	when_settled(&g);
	then_condition(&g, "Draining", "True", "DrainSent");
}

/* ---- a node that was forgotten with a job ---- */

static void given_forgotten_with_a_job(struct given *g, const char *until, int64_t for_ms)
{
	given_condemned_and_absent(g, for_ms);
	given_annotation(&g->pods[0], ANNOTATION_POD_DEADLINE, until);
}

static void test_a_pod_that_is_to_go_and_was_forgotten_with_a_job_is_degraded(void **state)
{
	(void)state;
	WORLD(g);
	given_forgotten_with_a_job(&g, "2026-01-02T03:04:05Z", 29000);
	when_settled(&g);
	then_condition(&g, "Draining", "True", "JobsForgotten");
	then_condition(&g, "Degraded", "False", "AsExpected");
	assert_true(g.plan.again_in_ms > 0 && g.plan.again_in_ms <= 1001);

	given_absent(&g, &g.pods[0], 30000);
	when_planned(&g);
	assert_int_equal(events_of(&g, "NodesForgotten"), 1);
	when_settled(&g);
	then_condition(&g, "Degraded", "True", "NodesForgotten");
	then_says(&g, "Degraded", "until 2026-01-02T03:04:05Z: foo-0");
	then_says(&g, "Degraded", "when no job runs in the pod any more, delete it");
}

static void test_a_job_without_an_end_has_no_date(void **state)
{
	(void)state;
	for (int replicas = 1; replicas >= 0; replicas--) {
		WORLD(g);
		given_forgotten_with_a_job(&g, "9999-12-31T23:59:59Z", 600000);
		given_spec(&g, replicas ? "\"replicas\":1" : "\"replicas\":0", GIVEN_FINALIZER);
		when_settled(&g);
		then_condition(&g, "Degraded", "True", "NodesForgotten");
		then_says(&g, "Degraded", "without a time limit: foo-0");
		then_says_not(&g, "Degraded", "9999");
		then_says_not(&g, "Draining", "9999");
		if (!replicas)
			then_says(&g, "Draining", "foo-0 (without a time limit)");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_node_that_slurm_does_not_have_is_not_being_drained),
		cmocka_unit_test(test_a_node_that_slurm_has_is_being_drained),
		cmocka_unit_test(test_a_pod_that_may_start_any_time_is_waited_for_until_a_time),
		cmocka_unit_test(test_a_drain_that_slurm_refuses_is_not_on_its_way),
		cmocka_unit_test(test_another_failure_says_nothing_of_the_drain),
		cmocka_unit_test(test_a_pod_that_is_to_go_and_was_forgotten_with_a_job_is_degraded),
		cmocka_unit_test(test_a_job_without_an_end_has_no_date),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
