/* SPDX-License-Identifier: Apache-2.0 */
/* A pod stays while its node has work, or while Slurm does not say that it has none. */
#include "lib/given.h"
#include "plan/nodeset/worksheet.h"

/* Acceptance: removal-12 */
static void test_busy_pod_stays_until_its_job_ends_idle_ones_go_first(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":2");
	given_pods(&g, 3);
	/* The highest ordinal would go first, but it has a job. */
	g.pods[2].node.state = NODE_ALLOCATED;
	g.pods[2].node.busy_until_s = GIVEN_WALL_MS / 1000 + 600;

	when_planned(&g);
	assert_true(names_node(&g, DO(DRAIN, SLURM_NODE), "foo-1"));
	assert_false(names_node(&g, DO(DRAIN, SLURM_NODE), "foo-2"));

	/* All have jobs: the one whose job ends first is chosen, and waits. */
	for (int i = 0; i < 3; i++) {
		g.pods[i].node.state = NODE_ALLOCATED;
		g.pods[i].node.busy_until_s = GIVEN_WALL_MS / 1000 + 100 * (i + 1);
	}
	when_settled(&g);
	assert_true(names_node(&g, DO(DRAIN, SLURM_NODE), "foo-0"));
	then_no(&g, DO(DELETE, POD), NULL);
	given_node(&g.pods[0], NODE_ALLOCATED | NODE_DRAIN, OUR_REASON);
	when_settled(&g);
	then_nothing(&g);
	given_node(&g.pods[0], DRAINED, OUR_REASON);
	g.pods[0].node.busy_until_s = 0;
	when_planned(&g);
	then(&g, DO(DELETE, POD), "foo-0");
}

static void test_a_pod_with_a_suspended_job_does_not_go_before_idle_ones(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":1");
	given_pods(&g, 2);
	g.pods[1].node.held = YES; /* the highest ordinal would go first */
	g.pods[1].node.busy_until_s = INT64_MAX;
	when_planned(&g);
	assert_true(names_node(&g, DO(DRAIN, SLURM_NODE), "foo-0"));
	assert_false(names_node(&g, DO(DRAIN, SLURM_NODE), "foo-1"));

	/* The jobs are not read yet: the noted deadline counts. */
	g.pods[0].node.held = g.pods[1].node.held = UNKNOWN;
	given_annotation(&g.pods[1], ANNOTATION_POD_DEADLINE, "9999-12-31T23:59:59Z");
	when_planned(&g);
	assert_true(names_node(&g, DO(DRAIN, SLURM_NODE), "foo-0"));
	assert_false(names_node(&g, DO(DRAIN, SLURM_NODE), "foo-1"));
}

/* Acceptance: removal-13 */
static void test_pod_not_ready_with_running_job_is_not_killed(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":0");
	given_pods(&g, 1);
	g.pods[0].fact.ready = false;
	given_node(&g.pods[0], NODE_ALLOCATED, "");

	when_planned(&g);
	then_no(&g, DO(DELETE, POD), NULL);
	assert_true(names_node(&g, DO(DRAIN, SLURM_NODE), "foo-0"));

	/* Nor one whose phase the machine does not report any more. */
	g.pods[0].fact.phase = POD_PHASE_UNKNOWN;
	given_node(&g.pods[0], NODE_ALLOCATED | NODE_DRAIN, OUR_REASON);
	when_planned(&g);
	then_no(&g, DO(DELETE, POD), NULL);
}

/* Acceptance: removal-16 */
static void test_slurm_down_deletes_nothing_because_of_an_unknown_node(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":0");
	given_pods(&g, 1);
	given_pending(given_pod(&g, 1), true);
	given_slurm_silent(&g);

	when_settled(&g);

	then_nothing(&g);
	then_condition(&g, "Degraded", "True", "ClusterNotReady");
	then_condition(&g, "Draining", "True", "SlurmUnknown");
	assert_int_not_equal(g.plan.demand.of[ASK_NODES].need, SLURM_AT_REST);
}

/* Acceptance: removal-16 */
static void test_slurm_down_crashed_pods_are_replaced_and_missing_ones_made(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":3");
	given_pods(&g, 2);
	given_slurm_silent(&g);
	g.pods[0].fact.phase = POD_FAILED;
	g.pods[0].fact.ready = false;

	when_planned(&g);

	then(&g, DO(DELETE, POD), "foo-0");
	assert_null(then(&g, DO(DELETE, POD), "foo-0")->guard.node.name);
	then(&g, DO(CREATE, POD), "foo-2");
	assert_int_equal(count_actions(&g, DO(CREATE, POD)), 1);
}

/* Acceptance: removal-14 */
static void test_old_answer_is_no_ground_for_a_deletion(void **state)
{
	(void)state;
	WORLD(g);
	given_condemned(&g, DRAINED);
	g.pods[0].node.seen_ms = g.pods[0].node.named_ms = g.now_ms - SLURM_FRESH_MS - 1;

	when_settled(&g);
	then_no(&g, DO(DELETE, POD), NULL);
	assert_int_equal(g.plan.demand.of[ASK_NODES].need, SLURM_NOW);
	/* Asking again is no trouble worth a word. */
	then_condition(&g, "Degraded", "False", "AsExpected");

	g.pods[0].node.seen_ms = g.pods[0].node.named_ms = g.now_ms - SLURM_FRESH_MS;
	when_planned(&g);
	then(&g, DO(DELETE, POD), "foo-0");
}

/*
 * A new answer about a job that runs for weeks would change nothing at once: it is not
 * worth half of slurmctld's time.
 */
static void test_an_old_answer_is_urgent_only_where_a_new_one_would_help(void **state)
{
	(void)state;
	static const struct {
		uint32_t node;
		enum slurm_need need;
	} rows[] = {
		{ DRAINED, SLURM_NOW },
		{ NODE_IDLE, SLURM_WHOLE },
		{ NODE_ALLOCATED, SLURM_WHOLE },
		{ NODE_ALLOCATED | NODE_DRAIN, SLURM_SOON },
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		WORLD(g);
		given_condemned(&g, rows[i].node);
		g.pods[0].node.seen_ms = g.pods[0].node.named_ms = g.now_ms - SLURM_FRESH_MS - 1;

		when_settled(&g);

		assert_int_equal(g.plan.demand.of[ASK_NODES].need, rows[i].need);
	}
}

/*
 * The node of the same name that a predecessor left behind was drained; this slurmd may
 * register a new one, and take a job.
 */
static void test_answer_from_before_the_pod_ran_is_about_a_predecessor(void **state)
{
	(void)state;
	WORLD(g);
	given_condemned(&g, DRAINED);
	g.pods[0].fact.phase_seen_ms = g.pods[0].node.seen_ms + 1;

	when_planned(&g);
	then_no(&g, DO(DELETE, POD), NULL);
	assert_int_not_equal(g.plan.demand.of[ASK_NODES].need, SLURM_AT_REST);

	g.pods[0].node.seen_ms = g.pods[0].fact.phase_seen_ms;
	when_planned(&g);
	then(&g, DO(DELETE, POD), "foo-0");
}

/* Acceptance: removal-14 */
static void test_update_in_flight_means_wait(void **state)
{
	(void)state;
	WORLD(g);
	given_condemned(&g, DRAINED);
	g.pods[0].node.in_flight = true;
	when_planned(&g);
	then_no(&g, DO(DELETE, POD), NULL);
	then_no(&g, DO(DRAIN, SLURM_NODE), NULL);
}

/* Acceptance: cluster-9 */
static void test_no_cluster_is_unknown_and_keeps_every_pod(void **state)
{
	(void)state;
	static const enum tri clusters[] = { NO, UNKNOWN };
	for (size_t i = 0; i < LENGTH(clusters); i++) {
		WORLD(g);
		given_condemned(&g, DRAINED);
		g.cluster = clusters[i];
		when_settled(&g);
		then_no(&g, DO(DELETE, POD), NULL);
		then_condition(&g, "Degraded", "True",
			clusters[i] == NO ? "ClusterMissing" : "SlurmUnknown");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_busy_pod_stays_until_its_job_ends_idle_ones_go_first),
		cmocka_unit_test(test_a_pod_with_a_suspended_job_does_not_go_before_idle_ones),
		cmocka_unit_test(test_pod_not_ready_with_running_job_is_not_killed),
		cmocka_unit_test(test_slurm_down_deletes_nothing_because_of_an_unknown_node),
		cmocka_unit_test(test_slurm_down_crashed_pods_are_replaced_and_missing_ones_made),
		cmocka_unit_test(test_old_answer_is_no_ground_for_a_deletion),
		cmocka_unit_test(test_an_old_answer_is_urgent_only_where_a_new_one_would_help),
		cmocka_unit_test(test_answer_from_before_the_pod_ran_is_about_a_predecessor),
		cmocka_unit_test(test_update_in_flight_means_wait),
		cmocka_unit_test(test_no_cluster_is_unknown_and_keeps_every_pod),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
