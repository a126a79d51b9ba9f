/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rolling updates: P4, never more pods unavailable than maxUnavailable says, counting
 * what is already broken.
 */
#include "lib/given.h"
#include "plan/nodeset/budget.h"
#include "plan/nodeset/worksheet.h"

static size_t condemned(const struct given *g)
{
	return find_action(g, DO(DRAIN, SLURM_NODE), NULL)
		? then(g, DO(DRAIN, SLURM_NODE), NULL)->n_nodes
		: 0;
}

/* Acceptance: update-2 */
static void test_update_budget_table(void **state)
{
	(void)state;
	static const struct {
		int64_t replicas, max, in_service, budget;
	} rows[] = {
		{ 10, 1, 10, 1 },
		{ 10, 3, 10, 3 },
		{ 10, 3, 9, 2 },
		{ 10, 3, 7, 0 },
		{ 10, 3, 0, 0 },
		{ 10, 0, 10, 0 },
		{ 10, 3, 12, 3 },
		{ 0, 1, 0, 1 },
		{ 1, 1, 1, 1 },
		{ 1, 1, 0, 0 },
	};
	for (size_t i = 0; i < LENGTH(rows); i++)
		assert_int_equal(update_budget(rows[i].replicas, rows[i].max, rows[i].in_service),
			rows[i].budget);
}

/* Acceptance: update-2 */
static void test_at_most_max_unavailable_healthy_old_pods_are_chosen(void **state)
{
	(void)state;
	static const struct {
		const char *spec;
		size_t chosen;
	} rows[] = {
		{ "\"replicas\":10," ROLLING("3"), 3 },
		{ "\"replicas\":10," ROLLING("\"20%\""), 2 },
		{ "\"replicas\":10," ROLLING("\"21%\""), 3 }, /* percentages round up */
		{ "\"replicas\":10," ROLLING("\"100%\""), 10 },
		{ "\"replicas\":10," ROLLING("100"), 10 },
		{ "\"replicas\":10," ROLLING("0"), 0 },
		{ "\"replicas\":10," ROLLING("\"0%\""), 0 },
		{ "\"replicas\":10," ROLLING("\"many\""), 1 }, /* malformed counts as 1 */
		{ "\"replicas\":10," ROLLING("-3"), 1 },
		{ "\"replicas\":10", 1 },
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		WORLD(g);
		given_nodeset(&g, rows[i].spec);
		given_old_pods(&g, 10);
		when_planned(&g);
		assert_int_equal(condemned(&g), rows[i].chosen);
		then_no(&g, DO(DELETE, POD), NULL);
	}
}

static struct given_pod *given_adoption_under_way(struct given *g, int ordinal)
{
	struct given_pod *p = given_pod(g, ordinal);
	given_orphan(p);
	p->fact.in_flight = true;
	return p;
}

/*
 * Seeds 2110227 and 7081357 of the simulator: a pod made by hand counted as available
 * while its adoption was slow, and was perhaps never to be: so two of four went.
 */
static void test_a_pod_that_is_being_adopted_is_not_in_service_yet(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":4," ROLLING("1"));
	given_old_pods(&g, 3);
	struct given_pod *stray = given_adoption_under_way(&g, 5);
	when_planned(&g);
	assert_int_equal(condemned(&g), 0);
	then_no(&g, DO(PATCH, POD), NULL);
	then_no(&g, DO(CREATE, POD), NULL); /* but it has its place */
	stray->fact.controller = (struct owner_fact){ "NodeSet", "foo", "set", true };
	stray->fact.in_flight = false;
	when_planned(&g);
	assert_int_equal(condemned(&g), 1);
}

static void test_nor_is_another_more_than_replicas_because_of_it(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":1");
	given_pod(&g, 1);
	struct given_pod *stray = given_adoption_under_way(&g, 0);
	when_planned(&g);
	assert_int_equal(condemned(&g), 0);
	stray->fact.controller = (struct owner_fact){ "NodeSet", "foo", "set", true };
	stray->fact.in_flight = false;
	when_planned(&g);
	assert_int_equal(condemned(&g), 1);
}

/* Acceptance: update-3 */
static void test_rolling_update_without_its_parameters_means_one(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":3,\"updateStrategy\":{\"type\":\"RollingUpdate\"}");
	given_old_pods(&g, 3);
	when_planned(&g);
	assert_int_equal(condemned(&g), 1);
}

/* Acceptance: update-2 */
static void test_on_delete_chooses_nothing(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":3,\"updateStrategy\":{\"type\":\"OnDelete\"}");
	given_old_pods(&g, 3);
	g.pods[1].fact.ready = false;
	when_settled(&g);
	then_nothing(&g);
	then_condition(&g, "Progressing", "False", "OnDelete");
}

static void test_unknown_strategy_touches_nothing_and_says_so(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":2,\"updateStrategy\":{\"type\":\"Rolling\"}");
	given_old_pods(&g, 2);
	when_settled(&g);
	then_no(&g, DO(DRAIN, SLURM_NODE), NULL);
	then_condition(&g, "Degraded", "True", "InvalidUpdateStrategy");
}

static void test_bad_input_max_unavailable_zero_blocks_and_says_so(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":2," ROLLING("0"));
	given_old_pods(&g, 2);
	when_settled(&g);
	then_nothing(&g);
	then_condition(&g, "Progressing", "False", "UpdateBlocked");
	assert_non_null(strstr(condition_member(&g, "Progressing", "message"),
		"maxUnavailable is 0"));
}

/* ---- 8.2 10: what is unavailable already counts ---- */

/* Acceptance: update-4 */
static void test_new_pods_that_are_not_available_use_up_the_budget(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":4," ROLLING("1"));
	given_old_pods(&g, 3);
	given_pod(&g, 3)->fact.ready = false;
	when_planned(&g);
	assert_int_equal(condemned(&g), 0);
}

/* Acceptance: update-4 */
static void test_terminating_and_missing_pods_use_up_the_budget(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":4," ROLLING("2"));
	given_old_pods(&g, 3);
	g.pods[2].fact.terminating = true;
	when_planned(&g); /* foo-2 terminates, foo-3 is missing */
	assert_int_equal(condemned(&g), 0);
	then(&g, DO(CREATE, POD), "foo-3");
}

/* Acceptance: update-4 */
static void test_pods_that_a_scale_in_takes_are_not_in_service(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":3," ROLLING("1"));
	given_old_pods(&g, 4);
	g.pods[0].fact.ready = false; /* goes first, by scale-in */
	when_planned(&g);
	assert_true(names_node(&g, DO(DRAIN, SLURM_NODE), "foo-0"));
	assert_int_equal(condemned(&g), 2); /* and one of the three that are left */
}

/* Acceptance: update-4 */
static void test_pod_not_ready_for_long_enough_is_not_available(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":2,\"minReadySeconds\":60," ROLLING("1"));
	given_old_pods(&g, 1);
	given_pod(&g, 1)->fact.ready_since_ms = g.wall_ms - 50000;
	when_planned(&g);
	assert_int_equal(condemned(&g), 0);
	assert_in_range(g.plan.again_in_ms, 10000, 11000);
	g.wall_ms += 10000;
	when_planned(&g);
	assert_int_equal(condemned(&g), 1);
}

static void test_condemned_pod_stays_chosen_and_no_other_is_added(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":4," ROLLING("1"));
	given_old_pods(&g, 4);
	given_leaving(&g.pods[1], NODE_ALLOCATED | NODE_DRAIN);
	g.pods[1].node.busy_until_s = GIVEN_WALL_MS / 1000 + 600;
	when_settled(&g);
	then_nothing(&g);
	assert_int_not_equal(g.plan.demand.of[ASK_NODES].need, SLURM_AT_REST);
}

static void test_condemned_pod_is_spared_when_another_breaks(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":3," ROLLING("1"));
	given_old_pods(&g, 2);
	given_leaving(&g.pods[1], NODE_IDLE | NODE_DRAIN);
	given_pod(&g, 2)->fact.ready = false; /* new and not available: the budget is gone */
	when_settled(&g);
	then_no(&g, DO(DELETE, POD), NULL);
	assert_true(names_node(&g, DO(UNDRAIN, SLURM_NODE), "foo-1"));
}

/* ---- 8.2 11: broken old pods ---- */

/* Acceptance: update-5 */
static void test_a_crash_looping_old_pod_goes_first_and_outside_the_budget(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":3," ROLLING("1"));
	given_old_pods(&g, 3);
	g.pods[0].fact.ready = false;
	when_planned(&g);
	assert_true(names_node(&g, DO(DRAIN, SLURM_NODE), "foo-0"));
	assert_int_equal(condemned(&g), 1);
	given_node(&g.pods[0], NODE_IDLE | NODE_DRAIN, OUR_REASON);
	when_settled(&g);
	then(&g, DO(DELETE, POD), "foo-0");
	assert_int_equal(condemned(&g), 0);
}

/* Acceptance: update-5 */
static void test_unhealthy_old_pods_do_not_block_an_update(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":3," ROLLING("0"));
	given_old_pods(&g, 3);
	for (int i = 0; i < 3; i++)
		given_pending(&g.pods[i], false);
	when_planned(&g);
	assert_int_equal(count_actions(&g, DO(DELETE, POD)), 3);
}

/* Acceptance: removal-13 */
static void test_unhealthy_old_pod_with_a_job_is_waited_for(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":1");
	given_old_pods(&g, 1);
	g.pods[0].fact.ready = false;
	given_node(&g.pods[0], NODE_ALLOCATED | NODE_DRAIN, OUR_REASON);
	when_settled(&g);
	then_nothing(&g);
	then_condition(&g, "Draining", "True", "JobsRunning");
}

/* Acceptance: update-1 */
static void test_terminating_pods_are_neither_new_nor_old(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":1");
	given_old_pods(&g, 1);
	g.pods[0].fact.terminating = true;
	when_settled(&g);
	then_nothing(&g);
	assert_int_equal(status_of(&g, "updatedReplicas"), 0);
	/* The successor is yet to come */
	then_condition(&g, "Progressing", "True", "RollingUpdate");
}

static void test_ended_pod_is_replaced_whatever_the_strategy(void **state)
{
	(void)state;
	static const enum pod_phase phases[] = { POD_FAILED, POD_SUCCEEDED };
	for (size_t i = 0; i < LENGTH(phases); i++) {
		WORLD(g);
		given_nodeset(&g, "\"replicas\":1,\"updateStrategy\":{\"type\":\"OnDelete\"}");
		given_pod(&g, 0)->fact.phase = phases[i];
		g.pods[0].fact.ready = false;
		when_planned(&g);
		then(&g, DO(DELETE, POD), "foo-0");
		then_no(&g, DO(DRAIN, SLURM_NODE), NULL);
		then_no(&g, DO(CREATE, POD), NULL);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_update_budget_table),
		cmocka_unit_test(test_at_most_max_unavailable_healthy_old_pods_are_chosen),
		cmocka_unit_test(test_a_pod_that_is_being_adopted_is_not_in_service_yet),
		cmocka_unit_test(test_nor_is_another_more_than_replicas_because_of_it),
		cmocka_unit_test(test_rolling_update_without_its_parameters_means_one),
		cmocka_unit_test(test_on_delete_chooses_nothing),
		cmocka_unit_test(test_unknown_strategy_touches_nothing_and_says_so),
		cmocka_unit_test(test_bad_input_max_unavailable_zero_blocks_and_says_so),
		cmocka_unit_test(test_new_pods_that_are_not_available_use_up_the_budget),
		cmocka_unit_test(test_terminating_and_missing_pods_use_up_the_budget),
		cmocka_unit_test(test_pods_that_a_scale_in_takes_are_not_in_service),
		cmocka_unit_test(test_pod_not_ready_for_long_enough_is_not_available),
		cmocka_unit_test(test_condemned_pod_stays_chosen_and_no_other_is_added),
		cmocka_unit_test(test_condemned_pod_is_spared_when_another_breaks),
		cmocka_unit_test(test_a_crash_looping_old_pod_goes_first_and_outside_the_budget),
		cmocka_unit_test(test_unhealthy_old_pods_do_not_block_an_update),
		cmocka_unit_test(test_unhealthy_old_pod_with_a_job_is_waited_for),
		cmocka_unit_test(test_terminating_pods_are_neither_new_nor_old),
		cmocka_unit_test(test_ended_pod_is_replaced_whatever_the_strategy),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
