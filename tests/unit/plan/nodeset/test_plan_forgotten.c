/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pod whose Slurm node slurmctld has forgotten is replaced: slowly, one after the
 * other, within maxUnavailable.
 */
#include "lib/given.h"

enum { LONG_MS = 60000 };

static void given_forgotten(struct given *g, int ordinal, int64_t for_ms)
{
	given_absent(g, &g->pods[ordinal], for_ms);
}

static void test_forgotten_pod_is_replaced_after_a_minute(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 2);
	given_forgotten(&g, 1, LONG_MS - 1000);
	when_planned(&g);
	then_no(&g, DO(DELETE, POD), NULL);
	assert_int_equal(g.plan.again_in_ms, 1001);

	given_forgotten(&g, 1, LONG_MS);
	when_settled(&g);
	assert_string_equal(then(&g, DO(DELETE, POD), "foo-1")->guard.node.name, "foo-1");
	then_no(&g, DO(CREATE, POD), NULL);
}

static void test_forgotten_only_when_slurm_says_so_and_the_pod_is_ready(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 1);
	given_slurm_silent(&g);
	when_planned(&g);
	then_no(&g, DO(DELETE, POD), NULL);

	g.slurm = (struct slurm_fact){ YES, g.now_ms, g.now_ms, "", GIVEN_SLURM, 0, "", g.now_ms };
	given_forgotten(&g, 0, LONG_MS);
	g.pods[0].fact.ready_since_ms = g.wall_ms - 5000; /* it may be about to register */
	when_planned(&g);
	then_no(&g, DO(DELETE, POD), NULL);
	g.pods[0].fact.ready = false;
	when_planned(&g);
	then_no(&g, DO(DELETE, POD), NULL);
}

static void test_all_forgotten_go_one_after_the_other(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 3);
	for (int i = 0; i < 3; i++)
		given_forgotten(&g, i, LONG_MS + i * 1000);
	when_settled(&g);
	assert_int_equal(count_actions(&g, DO(DELETE, POD)), 1);
	then(&g, DO(DELETE, POD), "foo-2"); /* the longest forgotten */

	g.pods[2].fact.terminating = true;
	when_planned(&g);
	then_no(&g, DO(DELETE, POD), NULL);
}

/*
 * Forgotten pods serve no job: other pods that are unavailable, or being updated, do not
 * hold up their healing.
 */
static void test_forgotten_pods_are_healed_beside_everything_else(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 3);
	given_pending(&g.pods[1], false);
	given_old(&g.pods[2]);
	given_forgotten(&g, 0, LONG_MS);
	when_settled(&g);
	then(&g, DO(DELETE, POD), "foo-0");
	then_no(&g, DO(DELETE, POD), "foo-2");
}

/*
 * Since the pod became ready, the clock of this manager was set back: what it has seen
 * itself counts.
 */
static void test_a_clock_set_back_does_not_hold_the_healing_up(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 1);
	given_forgotten(&g, 0, LONG_MS);
	g.pods[0].fact.ready_since_ms = g.wall_ms + 3600000;
	g.pods[0].fact.phase_seen_ms = g.now_ms - LONG_MS + 1000;
	when_planned(&g);
	then_no(&g, DO(DELETE, POD), NULL);
	assert_int_equal(g.plan.again_in_ms, 1001);

	g.pods[0].fact.phase_seen_ms = g.now_ms - LONG_MS;
	when_settled(&g);
	then(&g, DO(DELETE, POD), "foo-0");
}

/*
 * The pod with the old template is the only one that Slurm knows: an update that took it
 * would leave none.
 */
static void test_a_forgotten_pod_is_out_of_service_for_an_update(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 2);
	given_old(&g.pods[0]);
	given_forgotten(&g, 1, LONG_MS);
	when_settled(&g);
	then(&g, DO(DELETE, POD), "foo-1");
	then_no(&g, DO(PATCH, POD), "foo-0");
	then_no(&g, DO(DRAIN, SLURM_NODE), NULL);
}

/*
 * A pod goes because there are too many, and is forgotten as well: maxUnavailable lets
 * this pod go now.
 */
static void test_a_forgotten_pod_that_goes_for_another_reason_counts(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":2");
	given_pods(&g, 3);
	given_forgotten(&g, 2, LONG_MS);
	given_forgotten(&g, 1, LONG_MS);
	when_settled(&g);
	then(&g, DO(DELETE, POD), "foo-2");
	then_no(&g, DO(DELETE, POD), "foo-1");
}

static void test_max_unavailable_0_stops_updates_and_not_the_healing(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g,
		"\"replicas\":2,\"updateStrategy\":{\"rollingUpdate\":{\"maxUnavailable\":0}}");
	given_pods(&g, 2);
	given_forgotten(&g, 0, LONG_MS);
	when_settled(&g);
	then(&g, DO(DELETE, POD), "foo-0");
}

static void test_a_node_that_this_slurm_never_had_is_not_forgotten(void **state)
{
	(void)state;
	static const char *const notes[] = { NULL, "blue" };
	for (size_t i = 0; i < LENGTH(notes); i++) {
		WORLD(g);
		given_at_rest(&g, 1);
		given_no_annotation(&g.pods[0], ANNOTATION_REGISTERED);
		if (notes[i])
			given_annotation(&g.pods[0], ANNOTATION_REGISTERED, notes[i]);
		given_forgotten(&g, 0, 10 * LONG_MS);
		when_settled(&g);
		then_no(&g, DO(DELETE, POD), NULL);
	}
}

static void test_on_old_facts_slurm_is_asked_first_without_alarm(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 1);
	given_forgotten(&g, 0, LONG_MS);
	g.pods[0].node.seen_ms = g.pods[0].node.named_ms = g.now_ms - 8000;
	when_settled(&g);
	then_no(&g, DO(DELETE, POD), NULL);
	assert_int_not_equal(g.plan.demand.of[ASK_NODES].need, SLURM_AT_REST);
	then_condition(&g, "Degraded", "True", "NodesForgotten");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forgotten_pod_is_replaced_after_a_minute),
		cmocka_unit_test(test_forgotten_only_when_slurm_says_so_and_the_pod_is_ready),
		cmocka_unit_test(test_all_forgotten_go_one_after_the_other),
		cmocka_unit_test(test_forgotten_pods_are_healed_beside_everything_else),
		cmocka_unit_test(test_a_clock_set_back_does_not_hold_the_healing_up),
		cmocka_unit_test(test_a_forgotten_pod_is_out_of_service_for_an_update),
		cmocka_unit_test(test_a_forgotten_pod_that_goes_for_another_reason_counts),
		cmocka_unit_test(test_max_unavailable_0_stops_updates_and_not_the_healing),
		cmocka_unit_test(test_a_node_that_this_slurm_never_had_is_not_forgotten),
		cmocka_unit_test(test_on_old_facts_slurm_is_asked_first_without_alarm),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
