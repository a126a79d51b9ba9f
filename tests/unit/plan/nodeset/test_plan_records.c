/* SPDX-License-Identifier: Apache-2.0 */
/* The nodes of Slurm that are left when a pod is gone for good. */
#include "lib/given.h"
#include "plan/nodeset/records.h"

#define LEFT (NODE_IDLE | NODE_DRAIN | NODE_DYNAMIC | NODE_NOT_RESPONDING)

static const struct record_facts left = {
	.going = true,
	.has_pod = NO,
	.podless_ms = PODLESS_MS,
	.usable = true,
	.node = YES,
	.age_ms = 100,
	.state = LEFT,
	.held = NO,
	.jobs_asked_ms = 900,
	.free_since_ms = 800,
	.confirmed = true,
};

static void test_decide_record_table(void **state)
{
	(void)state;
	struct record_facts f;
#define CASE(expected, ...)                                    \
	do {                                                   \
		f = left;                                      \
		__VA_ARGS__;                                   \
		assert_int_equal(decide_record(&f), expected); \
	} while (0)
	CASE(RECORD_REMOVE, (void)0);
	CASE(RECORD_REMOVE, f.state = NODE_DOWN | NODE_DRAIN | NODE_DYNAMIC);
	CASE(RECORD_KEEP, f.going = false);
	CASE(RECORD_KEEP, f.has_pod = YES);
	CASE(RECORD_KEEP, f.has_pod = UNKNOWN);
	CASE(RECORD_KEEP, f.usable = false);
	CASE(RECORD_KEEP, f.node = UNKNOWN);
	CASE(RECORD_KEEP, f.node = NO);
	CASE(RECORD_KEEP, f.state = NODE_IDLE | NODE_DRAIN);
	CASE(RECORD_KEEP, f.state = NODE_IDLE | NODE_DYNAMIC);
	CASE(RECORD_KEEP, f.state = NODE_IDLE | NODE_DRAIN | NODE_DYNAMIC_FUTURE);
	CASE(RECORD_KEEP, f.state |= NODE_OTHER);
	CASE(RECORD_WAIT, f.podless_ms--);
	CASE(RECORD_WAIT, f.update_in_flight = true);
	CASE(RECORD_WAIT, f.state |= NODE_COMPLETING);
	CASE(RECORD_WAIT, f.state |= NODE_UNDRAIN);
	CASE(RECORD_WAIT_ANSWER, f.age_ms = SLURM_FRESH_MS + 1);
	CASE(RECORD_WAIT_JOBS, f.held = UNKNOWN);
	CASE(RECORD_WAIT_JOBS, f.jobs_asked_ms = 799);
	CASE(RECORD_WAIT_JOBS, f.free_since_ms = 0);
	CASE(RECORD_WAIT, f.held = YES);
	CASE(RECORD_WAIT, f.held = YES, f.confirmed = false);
	CASE(RECORD_WAIT_ANSWER, f.confirmed = false);
#undef CASE
}

/* Acceptance: removal-9 */
static void test_the_node_of_a_pod_that_was_scaled_in_is_removed(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 1);
	given_record(&g, "foo-1");
	when_settled(&g);
	assert_true(names_node(&g, DO(REMOVE, SLURM_NODE), "foo-1"));
	assert_int_equal(count_actions(&g, DO(REMOVE, SLURM_NODE)), 1);
}

/*
 * A user deleted the pod, its grace period was over before its job, and it was scaled in.
 */
/* Acceptance: removal-9 */
static void test_the_node_of_a_pod_that_drained_itself_is_removed(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 1);
	given_record(&g, "foo-1")->fact.reason = "slurmd: pod foo-1 is ending";
	given_record(&g, "foo-2")->fact.reason = "slurmd: pod foo-2 is ending : Not responding";
	given_record(&g, "foo-3")->fact.reason = "slurmd: pod foo-1 is ending";
	when_settled(&g);
	assert_true(names_node(&g, DO(REMOVE, SLURM_NODE), "foo-1"));
	assert_true(names_node(&g, DO(REMOVE, SLURM_NODE), "foo-2"));
	assert_int_equal(count_actions(&g, DO(REMOVE, SLURM_NODE)), 2);
}

static void test_the_node_of_somebody_elses_drain_stays(void **state)
{
	(void)state;
	static const char *const reasons[] = { "bad disk", "",
		"slurm-operator: NodeSet (ns/bar) is letting the pod go",
		"slurm-operator: NodeSet (ns/foo): the pod is cordoned by its annotation" };
	WORLD(g);
	given_at_rest(&g, 1);
	for (size_t i = 0; i < LENGTH(reasons); i++)
		given_record(&g, arena_printf(&g.arena, "foo-%zu", i + 1))->fact.reason =
			reasons[i];
	when_settled(&g);
	then_nothing(&g);
}

static void test_what_is_missing_is_asked_for(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 1);
	given_record(&g, "foo-1")->fact.seen_ms = GIVEN_NOW_MS - SLURM_FRESH_MS - 1;
	given_record(&g, "foo-2")->fact.held = UNKNOWN;
	given_record(&g, "foo-3")->podless_since_ms = GIVEN_NOW_MS - 1;
	given_record(&g, "foo-4")->fact.confirmed = false;
	when_settled(&g);
	then_no(&g, DO(REMOVE, SLURM_NODE), NULL);
	assert_int_equal(g.plan.demand.of[ASK_LOOKS].n_names, 2);
	assert_string_equal(g.plan.demand.of[ASK_LOOKS].names[0], "foo-1");
	assert_string_equal(g.plan.demand.of[ASK_LOOKS].names[1], "foo-4");
	assert_true(g.plan.demand.of[ASK_JOBS].at_ms > 0);
	assert_true(g.plan.again_in_ms > 0);
}

static void test_few_are_removed_at_a_time(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 1);
	for (int i = 1; i <= 30; i++)
		given_record(&g, arena_printf(&g.arena, "foo-%d", i));
	when_settled(&g);
	assert_int_equal(count_actions(&g, DO(REMOVE, SLURM_NODE)), 10);
	for (int i = 0; i < 9; i++)
		g.records[i].fact.in_flight = true; /* the outcome of one makes a new plan */
	when_planned(&g);
	assert_int_equal(count_actions(&g, DO(REMOVE, SLURM_NODE)), 1);
	assert_true(g.plan.again_in_ms > 0);
}

static void test_a_pod_waits_for_the_removal_of_its_name(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":2");
	given_pods(&g, 1);
	given_record(&g, "foo-1")->fact.in_flight = true;
	when_settled(&g);
	then_no(&g, DO(CREATE, POD), "foo-1");

	g.records[0].fact.in_flight = false;
	g.n_records = 0;
	when_planned(&g);
	then(&g, DO(CREATE, POD), "foo-1");
}

/* A quota refused the creation of the pod for a while. */
static void test_a_node_whose_pod_is_about_to_come_stays(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":2");
	given_pods(&g, 1);
	given_record(&g, "foo-1");
	when_planned(&g);
	then(&g, DO(CREATE, POD), "foo-1");
	then_no(&g, DO(REMOVE, SLURM_NODE), NULL);
}

static void given_last_pod_gone(struct given *g)
{
	given_nodeset_meta(g, "\"replicas\":1", GIVEN_DELETING);
	given_record(g, "foo-0");
}

static void test_the_end_of_a_nodeset_waits_for_its_nodes(void **state)
{
	(void)state;
	WORLD(g);
	given_last_pod_gone(&g);
	g.records[0].podless_since_ms = GIVEN_NOW_MS;
	when_planned(&g);
	then_no(&g, DO(PATCH, NODESET), NULL);
	assert_true(g.plan.again_in_ms > 0);

	g.records[0].podless_since_ms = GIVEN_NOW_MS - PODLESS_MS;
	when_planned(&g);
	assert_true(names_node(&g, DO(REMOVE, SLURM_NODE), "foo-0"));
	then_no(&g, DO(PATCH, NODESET), NULL);

	g.n_records = 0;
	when_planned(&g);
	then(&g, DO(PATCH, NODESET), "foo");
}

/* A pod of the name may be there, and no watch has shown it. */
static void test_nothing_is_removed_while_kubernetes_tells_nothing(void **state)
{
	(void)state;
	WORLD(g);
	given_last_pod_gone(&g);
	g.records[0].podless_since_ms = GIVEN_NOW_MS - PODLESS_MS;
	g.kube_age_ms = KUBE_FRESH_MS + 1;
	when_planned(&g);
	then_no(&g, DO(REMOVE, SLURM_NODE), NULL);
	g.n_records = 0;
	when_planned(&g);
	then_no(&g, DO(PATCH, NODESET), NULL);
	assert_int_equal(g.plan.again_in_ms, 10000);
	g.kube_age_ms = 0;
	when_planned(&g);
	then(&g, DO(PATCH, NODESET), "foo");
}

static void test_the_end_of_a_nodeset_does_not_wait_for_ever(void **state)
{
	(void)state;
	WORLD(g);
	given_last_pod_gone(&g);
	g.records[0].fact.held = YES;
	g.records[0].podless_since_ms = GIVEN_NOW_MS - RECORDS_MOST_MS;
	when_planned(&g);
	then_no(&g, DO(REMOVE, SLURM_NODE), NULL);
	then(&g, DO(PATCH, NODESET), "foo");

	WORLD(silent);
	given_last_pod_gone(&silent);
	given_slurm_silent(&silent);
	when_planned(&silent);
	then(&silent, DO(PATCH, NODESET), "foo");
}

/* People said "at once": what is left in Slurm is told by sinfo. */
static void test_the_end_of_a_nodeset_that_lets_go_does_not_wait_for_its_nodes(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset_meta(&g, "\"replicas\":1",
		GIVEN_DELETING ",\"annotations\":{\"" ANNOTATION_RELEASE_NOW "\":\"true\"}");
	given_record(&g, "foo-0")->fact.held = YES;
	g.records[0].podless_since_ms = GIVEN_NOW_MS;
	when_planned(&g);
	then(&g, DO(PATCH, NODESET), "foo");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_decide_record_table),
		cmocka_unit_test(test_the_node_of_a_pod_that_was_scaled_in_is_removed),
		cmocka_unit_test(test_the_node_of_a_pod_that_drained_itself_is_removed),
		cmocka_unit_test(test_the_node_of_somebody_elses_drain_stays),
		cmocka_unit_test(test_what_is_missing_is_asked_for),
		cmocka_unit_test(test_few_are_removed_at_a_time),
		cmocka_unit_test(test_a_pod_waits_for_the_removal_of_its_name),
		cmocka_unit_test(test_a_node_whose_pod_is_about_to_come_stays),
		cmocka_unit_test(test_the_end_of_a_nodeset_waits_for_its_nodes),
		cmocka_unit_test(test_nothing_is_removed_while_kubernetes_tells_nothing),
		cmocka_unit_test(test_the_end_of_a_nodeset_does_not_wait_for_ever),
		cmocka_unit_test(
			test_the_end_of_a_nodeset_that_lets_go_does_not_wait_for_its_nodes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
