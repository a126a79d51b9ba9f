/* SPDX-License-Identifier: Apache-2.0 */
/*
 * No status lies: what stands in the way is in a condition, in words that say what to do.
 */
#include "lib/given.h"

/* ---- why a pod is not available ---- */

static void given_why(struct given *g, int i, const char *why)
{
	given_pending(&g->pods[i], true);
	g->pods[i].fact.why = why;
}

static void test_available_says_why_grouped_by_cause(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 8);
	for (int i = 0; i < 5; i++)
		given_why(&g, i, "ErrImagePull: image m/x: not found");
	given_why(&g, 5, "Unschedulable: 0/3 nodes are available: 3 Insufficient nvidia.com/gpu.");
	given_pending(&g.pods[6], true);
	when_settled(&g);
	then_nothing(&g);
	then_condition(&g, "Available", "False", "PodsUnavailable");
	then_says(&g, "Available",
		"1 of 8 pods is available; "
		"ErrImagePull: image m/x: not found: foo-0, foo-1, foo-2 and 2 more; "
		"Unschedulable: 0/3 nodes are available: 3 Insufficient nvidia.com/gpu.: foo-5; "
		"volumes, Secrets");
	then_condition(&g, "Progressing", "True", "Starting");
}

static void test_available_is_bounded(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 60);
	for (int i = 0; i < 60; i++)
		given_why(&g, i,
			arena_printf(&g.arena,
				"Unschedulable: persistentvolumeclaim \"d-foo-%d\" not found", i));
	when_settled(&g);
	then_says(&g, "Available", "; other reasons: 56 more");
	assert_true(strlen(condition_member(&g, "Available", "message")) < 2000);
}

static void test_each_state_of_a_pod_has_a_cause(void **state)
{
	(void)state;
	static const struct {
		enum pod_phase phase;
		bool bound, ready;
		const char *says;
	} rows[] = {
		{ POD_PENDING, false, false, "not assigned to a Kubernetes node yet" },
		{ POD_PENDING, true, false, "kubectl describe pod" },
		{ POD_RUNNING, true, false, "readiness probe" },
		{ POD_PHASE_UNKNOWN, true, false, "their Kubernetes node does not say" },
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		WORLD(g);
		given_at_rest(&g, 1);
		g.pods[0].fact.phase = rows[i].phase;
		g.pods[0].fact.node_name = rows[i].bound ? "machine" : "";
		g.pods[0].fact.ready = rows[i].ready;
		when_settled(&g);
		then_says(&g, "Available", rows[i].says);
	}
}

/* ---- Slurm nodes ---- */

static void test_ready_pod_without_a_slurm_node_is_told_and_not_complete(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 2);
	given_no_annotation(&g.pods[1], ANNOTATION_REGISTERED);
	given_absent(&g, &g.pods[1], 20000);
	when_settled(&g);
	then_condition(&g, "Degraded", "False", "AsExpected"); /* it may be about to register */
	assert_in_range(g.plan.again_in_ms, 10000, 10001);

	given_absent(&g, &g.pods[1], 40000);
	when_planned(&g);
	assert_string_equal(then(&g, DO(TELL, EVENT), "foo")->reason, "NotRegistered");
	when_settled(&g);
	then_condition(&g, "Degraded", "True", "NotRegistered");
	then_says(&g, "Degraded", "slurmd -Z runs and reaches slurmctld: foo-1");
	then_condition(&g, "Progressing", "False", "Incomplete");
}

static void test_nodes_that_slurm_cannot_use_are_told_with_slurms_reason(void **state)
{
	(void)state;
	static const struct {
		uint32_t node;
		const char *reason, *says, *name;
	} rows[] = {
		{ NODE_DOWN | NODE_NOT_RESPONDING, "Not responding", "for Not responding: foo-0",
			"SlurmNodesDown" },
		{ NODE_IDLE | NODE_DRAIN | NODE_INVALID_REG, "Low RealMemory",
			"for Low RealMemory: foo-0", "SlurmNodesUnusable" },
		{ NODE_UNKNOWN, "", "see scontrol show node: foo-0", "SlurmNodesUnusable" },
		{ NODE_ERROR, "x\ny", "for x y: foo-0", "SlurmNodesUnusable" },
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		WORLD(g);
		given_at_rest(&g, 1);
		given_node(&g.pods[0], rows[i].node, rows[i].reason);
		when_settled(&g);
		then_nothing(&g);
		then_condition(&g, "Degraded", "True", rows[i].name);
		then_says(&g, "Degraded", rows[i].says);
		then_condition(&g, "Progressing", "False", "Incomplete");
	}
}

static void test_node_under_another_name_and_a_shared_one_are_told(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 2);
	given_absent(&g, &g.pods[0], 40000);
	g.pods[0].node.elsewhere = "alt-foo-0";
	g.pods[1].node.shared = true;
	when_settled(&g);
	then_condition(&g, "Degraded", "True", "DuplicateHostName");
	then_says(&g, "Degraded", "release-now: foo-1; ");
	then_says(&g, "Degraded", "registered as alt-foo-0: foo-0");
	assert_int_equal(count_actions(&g, DO(DELETE, POD)), 0);
}

static void test_a_node_at_another_address_is_told(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 1);
	g.pods[0].node.address = "10.9.9.9";
	when_settled(&g);
	then_condition(&g, "Degraded", "True", "AddressDiffers");
	then_says(&g, "Degraded", "node at 10.9.9.9: foo-0");
}

/* The network of a pod hides the address of a machine: its host name tells. */
static void test_a_node_of_the_machine_is_that_of_a_pod_in_its_network(void **state)
{
	(void)state;
	static const struct {
		bool host_network;
		const char *hostname;
		bool its_own;
	} rows[] = {
		{ true, "machine", true },
		{ true, "machine-2", false },
		{ true, "", false },
		{ false, "machine", false },
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		WORLD(g);
		given_condemned(&g, DRAINED);
		g.pods[0].fact.host_network = rows[i].host_network;
		g.pods[0].node.address = "10.244.0.1";
		g.pods[0].node.hostname = rows[i].hostname;
		when_planned(&g);
		assert_int_equal(count_actions(&g, DO(DELETE, POD)), rows[i].its_own);
	}
}

static void test_a_drain_without_a_reason_or_of_another_nodeset_is_named(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 2);
	given_node(&g.pods[0], NODE_IDLE | NODE_DRAIN, "");
	given_node(&g.pods[1], NODE_IDLE | NODE_DRAIN,
		"slurm-operator: NodeSet (other/bar) is letting the pod go");
	when_settled(&g);
	then_condition(&g, "Draining", "False", "NothingToDrain");
	then_says(&g, "Draining", "drained in Slurm without a reason: foo-0");
	then_says(&g, "Draining",
		"not by the operator, slurm-operator: NodeSet (other/bar) is letting the pod go: "
		"foo-1");
}

static void test_a_pod_that_stays_because_its_node_is_unclear_is_explained(void **state)
{
	(void)state;
	WORLD(g);
	given_condemned(&g, NODE_IDLE | NODE_DRAIN);
	g.pods[0].node.shared = true;
	when_settled(&g);
	then_no(&g, DO(DELETE, POD), NULL);
	then_condition(&g, "Draining", "True", "NodeUnclear");
	then_condition(&g, "Degraded", "True", "DuplicateHostName");
	then_says(&g, "Degraded", "release-now");
}

/*
 * After a restart, and while Slurm is silent, what was known to be incomplete is not
 * called complete.
 */
static void test_incomplete_stays_while_slurm_is_silent(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 1);
	given_node(&g.pods[0], NODE_DOWN, "");
	when_settled(&g);
	given_slurm_silent(&g);
	g.slurm.usable = UNKNOWN;
	when_planned(&g);
	then_nothing(&g);
	g.slurm.usable = NO;
	when_settled(&g);
	then_condition(&g, "Progressing", "False", "Incomplete");
}

/* ---- drains ---- */

static void test_draining_names_the_job_its_user_and_its_end(void **state)
{
	(void)state;
	WORLD(g);
	given_condemned(&g, NODE_ALLOCATED | NODE_DRAIN);
	g.pods[0].node.busy_until_s = GIVEN_WALL_MS / 1000 + 60;
	when_settled(&g);
	then_says(&g, "Draining", "ended: foo-0 (until 2026-01-01T00:01:00Z)");
	g.pods[0].node.holder.id = 8;
	g.pods[0].node.holder.user = "alice\n";
	g.pods[0].node.holder.end_s = INT64_MAX;
	when_settled(&g);
	then_says(&g, "Draining", "ended: foo-0 (job 8 of alice  without a time limit)");
}

static void test_drain_of_somebody_else_is_named(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 2);
	given_node(&g.pods[0], NODE_IDLE | NODE_DRAIN, "disk");
	given_annotation(&g.pods[1], ANNOTATION_POD_CORDON, "true");
	given_node(&g.pods[1], NODE_IDLE | NODE_DRAIN, OUR_REASON);
	when_settled(&g);
	then_nothing(&g);
	then_condition(&g, "Draining", "False", "NothingToDrain");
	then_says(&g, "Draining",
		"drained in Slurm, not by the operator, disk: foo-0; cordoned by annotation: foo-1");
}

/* ---- the Cluster ---- */

static void test_missing_cluster_names_those_there_are_and_no_way_to_end_jobs(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 1);
	given_slurm_silent(&g);
	g.cluster = NO;
	g.clusters = "slurm-a, slurm-b";
	when_settled(&g);
	then_condition(&g, "Degraded", "True", "ClusterMissing");
	then_says(&g, "Degraded", "this namespace has: slurm-a, slurm-b");
	then_says_not(&g, "Degraded", "release-now");
}

/* ---- actions ---- */

static void test_actions_that_keep_failing_are_told_with_a_remedy(void **state)
{
	(void)state;
	static const struct {
		struct operation operation;
		enum err_kind error;
		const char *says, *advice;
	} rows[] = {
		{ DO(DRAIN, SLURM_NODE), ERR_DENIED, "Invalid user id, error 2010",
			"user who may change nodes" },
		{ DO(CREATE, POD), ERR_DENIED, "exceeded quota: few", "raise the ResourceQuota" },
		{ DO(DELETE, POD), ERR_DENIED, "User x cannot delete", "slurm-operator rbac" },
		{ DO(CREATE, POD), ERR_INVALID, "image: Required value", "correct spec.template" },
		{ DO(PATCH, PVC), ERR_RETRY, "failed calling webhook",
			"writing to claims fails: n-1: failed calling webhook" },
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		WORLD(g);
		given_at_rest(&g, 1);
		given_failing(&g, rows[i].operation, rows[i].error, "n-1", rows[i].says);
		when_planned(&g);
		assert_string_equal(then(&g, DO(TELL, EVENT), "foo")->reason, "ActionsFailing");
		when_settled(&g);
		then_nothing(&g);
		then_condition(&g, "Degraded", "True", "ActionsFailing");
		then_says(&g, "Degraded", rows[i].says);
		then_says(&g, "Degraded", rows[i].advice);
	}
}

static void test_finalizer_that_cannot_be_written_is_told(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset_meta(&g, "\"replicas\":1", "\"labels\":{}");
	given_failing(&g, DO(PATCH, NODESET), ERR_DENIED, "foo", "User x cannot patch");
	when_planned(&g);
	then(&g, DO(PATCH_STATUS, NODESET), "foo");
	assert_string_equal(then(&g, DO(TELL, EVENT), "foo")->reason, "ActionsFailing");
}

static void test_slurm_that_is_away_is_not_told_twice(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 1);
	given_slurm_silent(&g);
	given_failing(&g, DO(DRAIN, SLURM_NODE), ERR_RETRY, "foo-0", "no connection");
	when_settled(&g);
	then_says_not(&g, "Degraded", "no connection");
}

static void test_every_trouble_is_told_the_gravest_gives_the_reason(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g,
		"\"replicas\":1,\"updateStrategy\":{\"rollingUpdate\":{\"maxUnavailable\":\"some\"}"
		"}");
	given_pods(&g, 1);
	given_node(&g.pods[0], NODE_DOWN, "");
	given_failing(&g, DO(COMMENT, SLURM_NODE), ERR_DENIED, "foo-0", "Invalid user id");
	when_settled(&g);
	then_condition(&g, "Degraded", "True", "InvalidMaxUnavailable");
	then_says(&g, "Degraded", "DOWN");
	then_says(&g, "Degraded", "commenting Slurm nodes fails");
}

/* The containers have ended, and the pod does not go: another owner's finalizer. */
static void test_a_pod_that_a_finalizer_holds_is_told_with_it(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":1");
	given_pods(&g, 2);
	struct pod_fact *f = &g.pods[1].fact;
	f->terminating = true;
	f->finalizer = "example.com/stuck";
	f->ends_at_ms = g.wall_ms - 1000;
	f->phase = POD_SUCCEEDED;
	when_settled(&g);
	then_condition(&g, "Degraded", "False", "AsExpected");
	assert_true(g.plan.again_in_ms > 0 && g.plan.again_in_ms <= 30000);

	g.wall_ms += 30000;
	when_settled(&g);
	then_condition(&g, "Degraded", "True", "PodsStuck");
	const char *text = condition_member(&g, "Degraded", "message");
	assert_non_null(strstr(text, "foo-1"));
	assert_non_null(strstr(text, "example.com/stuck"));

	f->phase = POD_RUNNING; /* it has yet to end */
	when_settled(&g);
	then_condition(&g, "Degraded", "False", "AsExpected");
	f->phase = POD_SUCCEEDED;
	f->finalizer = "";
	when_settled(&g);
	then_condition(&g, "Degraded", "False", "AsExpected");
}

static void test_a_pod_without_a_job_or_let_go_by_its_user_is_no_loss(void **state)
{
	(void)state;
	for (int i = 0; i < 5; i++) {
		WORLD(g);
		given_nodeset_meta(&g, "\"replicas\":1",
			i == 0 ? GIVEN_FINALIZER ",\"annotations\":{\"" ANNOTATION_RELEASE_NOW
						 "\":\"true\"}"
			       : GIVEN_FINALIZER);
		given_pods(&g, 1);
		given_node(&g.pods[0], i == 1 ? NODE_IDLE | NODE_DRAIN : NODE_ALLOCATED, "");
		g.pods[0].fact.terminating = true;
		g.pods[0].fact.phase = i == 2 ? POD_FAILED : POD_RUNNING;
		g.pods[0].node.shared = i == 3;
		if (i == 4) /* what Slurm said is about a predecessor of its name */
			g.pods[0].fact.phase_seen_ms = g.now_ms;
		when_planned(&g);
		for (size_t k = 0; k < g.plan.n; k++)
			assert_false(g.plan.actions[k].promised);
	}
}

static void test_a_fault_says_what_is_done_as_long_as_it_lasts(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":0," ROLLING("\"a few\""));
	when_settled(&g);
	then_says(&g, "Degraded", "a percentage such as \"20%\"; 1 is used");
	given_spec(&g, "\"replicas\":-1", GIVEN_FINALIZER);
	when_settled(&g);
	then_says(&g, "Degraded", "from 0 to 65536; nothing is changed until it is fixed");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_fault_says_what_is_done_as_long_as_it_lasts),
		cmocka_unit_test(test_available_says_why_grouped_by_cause),
		cmocka_unit_test(test_available_is_bounded),
		cmocka_unit_test(test_each_state_of_a_pod_has_a_cause),
		cmocka_unit_test(test_ready_pod_without_a_slurm_node_is_told_and_not_complete),
		cmocka_unit_test(test_nodes_that_slurm_cannot_use_are_told_with_slurms_reason),
		cmocka_unit_test(test_node_under_another_name_and_a_shared_one_are_told),
		cmocka_unit_test(test_a_node_at_another_address_is_told),
		cmocka_unit_test(test_a_node_of_the_machine_is_that_of_a_pod_in_its_network),
		cmocka_unit_test(test_a_drain_without_a_reason_or_of_another_nodeset_is_named),
		cmocka_unit_test(test_a_pod_that_stays_because_its_node_is_unclear_is_explained),
		cmocka_unit_test(test_incomplete_stays_while_slurm_is_silent),
		cmocka_unit_test(test_draining_names_the_job_its_user_and_its_end),
		cmocka_unit_test(test_drain_of_somebody_else_is_named),
		cmocka_unit_test(test_missing_cluster_names_those_there_are_and_no_way_to_end_jobs),
		cmocka_unit_test(test_actions_that_keep_failing_are_told_with_a_remedy),
		cmocka_unit_test(test_finalizer_that_cannot_be_written_is_told),
		cmocka_unit_test(test_slurm_that_is_away_is_not_told_twice),
		cmocka_unit_test(test_a_pod_without_a_job_or_let_go_by_its_user_is_no_loss),
		cmocka_unit_test(test_a_pod_that_a_finalizer_holds_is_told_with_it),
		cmocka_unit_test(test_every_trouble_is_told_the_gravest_gives_the_reason),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
