/* SPDX-License-Identifier: Apache-2.0 */
/* Host names that another pod has: no pod is made under them. */
#include "lib/given.h"

static void given_a_node_of_the_name(struct given *g, uint32_t state, const char *comment)
{
	g->host_name = (struct host_name){ .ordinal = 1 };
	g->host_name.node = (struct slurm_node_fact){
		.known = YES,
		.state = state,
		.comment = comment,
		.address = "10.244.0.31",
		.reason = "",
	};
}

/* slurmctld ends the job when a slurmd without it registers under the name. */
static void test_no_pod_is_made_under_the_host_name_of_one_that_works(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":2");
	given_pods(&g, 1);
	struct pod_fact theirs = {
		.ns = "ns",
		.name = "bar-1",
		.hostname = "foo-1",
		.controller = { "NodeSet", "bar", "other", true },
	};
	g.host_name = (struct host_name){ .ordinal = 1, .pod = &theirs };
	when_settled(&g);
	then_no(&g, DO(CREATE, POD), NULL);
	then_condition(&g, "Degraded", "True", "HostNameBusy");
	then_says(&g, "Degraded", "pod bar-1 has the host name of foo-1");

	g.host_name.pod = NULL;
	when_planned(&g);
	then(&g, DO(CREATE, POD), "foo-1");
}

/* The same NodeSet in another namespace, for one: a job ran on its pod, and ended. */
static void test_no_pod_is_made_under_the_host_name_of_a_slurmd_that_lives(void **state)
{
	(void)state;
	static const struct {
		uint32_t state;
		const char *comment;
		bool made;
	} rows[] = {
		{ NODE_MIXED, "{\"namespace\":\"q\",\"podName\":\"foo-1\"}", false },
		{ NODE_IDLE, "{\"namespace\":\"q\",\"podName\":\"foo-1\"}", false },
		{ NODE_IDLE, "", false },
		{ NODE_ALLOCATED | NODE_NOT_RESPONDING, "rack 5", false },
		{ NODE_IDLE | NODE_NOT_RESPONDING, "", true },
		{ NODE_DOWN | NODE_NOT_RESPONDING, "", true },
		{ NODE_IDLE | NODE_POWER, "", true },
		/* the pod that had it before */
		{ NODE_MIXED, "{\"namespace\":\"ns\",\"podName\":\"foo-1\"}", true },
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		WORLD(g);
		given_nodeset(&g, "\"replicas\":2");
		given_pods(&g, 1);
		given_a_node_of_the_name(&g, rows[i].state, rows[i].comment);
		when_settled(&g);
		assert_int_equal(count_actions(&g, DO(CREATE, POD)), rows[i].made);
	}
}

static void test_the_slurmd_that_has_the_name_is_told(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":2");
	given_pods(&g, 1);
	given_a_node_of_the_name(&g, NODE_IDLE, "{\"namespace\":\"q\",\"podName\":\"foo-1\"}");
	when_settled(&g);
	then_condition(&g, "Degraded", "True", "HostNameBusy");
	then_says(&g, "Degraded",
		"a slurmd at 10.244.0.31 (pod q/foo-1) has the host name of foo-1");
	assert_int_not_equal(g.plan.again_in_ms, 0);
}

/*
 * A set grows while Slurm does not answer, and over nodes that its own pods left behind.
 */
static void test_what_slurm_does_not_tell_and_what_was_ours_holds_up_no_pod(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":2");
	given_pods(&g, 1);
	given_a_node_of_the_name(&g, NODE_IDLE, "");
	g.host_name.left_behind = true;
	when_settled(&g);
	then(&g, DO(CREATE, POD), "foo-1");

	g.host_name.left_behind = false;
	given_slurm_silent(&g);
	when_planned(&g);
	then(&g, DO(CREATE, POD), "foo-1");
}

/* A slurmd may have registered a second ago; at rest the list is up to 10 s old. */
static void test_a_pod_is_made_after_a_new_list_where_slurm_answers_soon(void **state)
{
	(void)state;
	static const struct {
		int64_t age_ms, took_ms;
		bool made;
	} rows[] = { { 1040, 10, true }, { 1041, 10, false }, { 9000, 2001, true } };
	for (size_t i = 0; i < LENGTH(rows); i++) {
		WORLD(g);
		given_nodeset(&g, "\"replicas\":2");
		given_pods(&g, 1);
		when_settled(&g);
		g.slurm.nodes_seen_ms = g.now_ms - rows[i].age_ms;
		g.slurm.list_took_ms = rows[i].took_ms;
		when_planned(&g);
		assert_int_equal(count_actions(&g, DO(CREATE, POD)), rows[i].made);
		assert_true(rows[i].made || g.plan.demand.of[ASK_NODES].need == SLURM_NOW);
	}
}

static void test_a_batch_of_pods_is_not_held_up_for_each_list(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":3");
	given_pods(&g, 2);
	when_settled(&g);
	g.pods[1].fact.resource_version = ""; /* its creation is under way */
	g.slurm.nodes_seen_ms = g.now_ms - 9000;
	g.slurm.list_took_ms = 10;
	when_planned(&g);
	then(&g, DO(CREATE, POD), "foo-2");
	g.slurm.nodes_seen_ms = g.now_ms - 10001;
	when_planned(&g);
	then_no(&g, DO(CREATE, POD), NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_batch_of_pods_is_not_held_up_for_each_list),
		cmocka_unit_test(test_a_pod_is_made_after_a_new_list_where_slurm_answers_soon),
		cmocka_unit_test(test_no_pod_is_made_under_the_host_name_of_one_that_works),
		cmocka_unit_test(test_no_pod_is_made_under_the_host_name_of_a_slurmd_that_lives),
		cmocka_unit_test(test_the_slurmd_that_has_the_name_is_told),
		cmocka_unit_test(test_what_slurm_does_not_tell_and_what_was_ours_holds_up_no_pod),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
