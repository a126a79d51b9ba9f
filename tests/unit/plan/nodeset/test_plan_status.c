/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Status, conditions, events, and the rest after them: a settled world asks for nothing.
 */
#include <time.h>

#include "lib/given.h"
#include "json/build.h"

/* Acceptance: status-2 */
static void test_settled_world_plans_nothing(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 3);
	when_settled(&g);
	then_nothing(&g);
	assert_int_equal(g.plan.again_in_ms, 0);
	assert_int_equal(g.plan.demand.of[ASK_NODES].need, SLURM_AT_REST);
	assert_false(g.plan.demand.of[ASK_JOBS].wanted);
	/* And time alone changes nothing. */
	for (int hour = 1; hour < 50; hour++) {
		g.wall_ms += 3600000;
		g.now_ms += 3600000;
		g.slurm.nodes_seen_ms = g.now_ms;
		for (int i = 0; i < 3; i++)
			g.pods[i].node.seen_ms = g.pods[i].node.named_ms = g.now_ms;
		when_planned(&g);
		then_nothing(&g);
	}
	then_condition(&g, "Available", "True", "AllAvailable");
	then_condition(&g, "Progressing", "False", "Complete");
	then_condition(&g, "Draining", "False", "NothingToDrain");
	then_condition(&g, "Degraded", "False", "AsExpected");
}

/*
 * Slurm that goes away is told once, also while no pod has to go, and so is that it is
 * back.
 */
static void test_slurm_going_and_coming_is_told_once_each(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 2);
	when_settled(&g);
	given_slurm_silent(&g);
	when_planned(&g);
	assert_string_equal(then(&g, DO(TELL, EVENT), "foo")->reason, "ClusterNotReady");
	when_settled(&g);
	then_nothing(&g);
	then_condition(&g, "Degraded", "True", "ClusterNotReady");
	assert_non_null(strstr(condition_member(&g, "Degraded", "message"),
		"slurmrestd does not answer"));
	g.slurm = (struct slurm_fact){ YES, GIVEN_NOW_MS - 100, GIVEN_NOW_MS - 100, "" };
	for (int i = 0; i < 2; i++)
		g.pods[i].node = (struct slurm_node_fact){
			.known = YES,
			.seen_ms = GIVEN_NOW_MS - 100,
			.named_ms = GIVEN_NOW_MS - 100,
			.state = NODE_IDLE,
			.reason = "",
			.comment = "{\"namespace\":\"ns\",\"podName\":\"foo-0\"}",
		};
	g.pods[1].node.comment = "{\"namespace\":\"ns\",\"podName\":\"foo-1\"}";
	when_settled(&g);
	then_nothing(&g);
	then_condition(&g, "Degraded", "False", "AsExpected");
}

/* One read that fails, and the next one does not, is no trouble. */
static void test_a_single_failed_read_writes_nothing(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 2);
	when_settled(&g);
	given_slurm_silent(&g);
	g.slurm.nodes_seen_ms = g.now_ms - 10000;
	when_planned(&g);
	then_nothing(&g);
	assert_int_equal(g.plan.again_in_ms, 5000);
}

/* Acceptance: status-1 */
static void test_two_healthy_pods_of_the_newest_template(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 2);
	when_settled(&g);
	static const char *const two[] = { "replicas", "readyReplicas", "availableReplicas",
		"updatedReplicas" };
	for (size_t i = 0; i < LENGTH(two); i++)
		assert_int_equal(status_of(&g, two[i]), 2);
	assert_int_equal(status_of(&g, "unavailableReplicas"), 0);
	assert_int_equal(status_of(&g, "observedGeneration"), 1);
	assert_int_equal(status_of(&g, "collisionCount"), 0);
	assert_string_equal(json_str(json_at(g.object, "status", "nodeSetHash"), ""), g.hash);
	assert_string_equal(json_str(json_at(g.object, "status", "selector"), ""), "app=slurmd");
}

/* Acceptance: status-1 */
static void test_two_created_not_ready_of_another_template(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":2,\"updateStrategy\":{\"type\":\"OnDelete\"}");
	given_pods(&g, 2);
	for (int i = 0; i < 2; i++) {
		given_old(&g.pods[i]);
		given_pending(&g.pods[i], true);
	}
	when_settled(&g);
	assert_int_equal(status_of(&g, "replicas"), 2);
	assert_int_equal(status_of(&g, "unavailableReplicas"), 2);
	assert_int_equal(status_of(&g, "updatedReplicas"), 0);
	assert_int_equal(status_of(&g, "readyReplicas"), 0);
	then_condition(&g, "Available", "False", "PodsUnavailable");
	assert_non_null(strstr(condition_member(&g, "Available", "message"), "foo-0, foo-1"));
}

/* Acceptance: status-1 */
static void test_slurm_counters_add_up_and_count_own_pods_only(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 5);
	given_node(&g.pods[0], NODE_ALLOCATED | NODE_DRAIN, "x");
	given_node(&g.pods[1], NODE_MIXED, "");
	given_node(&g.pods[2], NODE_DOWN | NODE_DRAIN, "x");
	given_node(&g.pods[3], NODE_UNKNOWN, "");
	given_orphan(given_pod_named(&g, "other-0"));
	when_settled(&g);
	assert_int_equal(status_of(&g, "slurmAllocated"), 2);
	assert_int_equal(status_of(&g, "slurmDown"), 1);
	assert_int_equal(status_of(&g, "slurmIdle"), 1);
	assert_int_equal(status_of(&g, "slurmDrain"), 2);

	/* The numbers are unknown: the last ones stay. */
	given_slurm_silent(&g);
	when_planned(&g);
	assert_int_equal(status_of(&g, "slurmAllocated"), 2);
}

/* Acceptance: nodeset-10 */
static void test_scale_reports_the_current_count_and_its_selector(void **state)
{
	(void)state;
	static const int counts[] = { 0, 3, 0 };
	for (size_t i = 0; i < LENGTH(counts); i++) {
		WORLD(g);
		given_nodeset(&g, arena_printf(&g.arena, "\"replicas\":%d", counts[i]));
		given_pods(&g, counts[i]);
		when_settled(&g);
		assert_int_equal(status_of(&g, "replicas"), counts[i]);
		assert_string_equal(json_str(json_at(g.object, "status", "selector"), ""),
			"app=slurmd");
	}
}

/* Acceptance: status-5 */
static void test_foreign_conditions_and_status_members_survive(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 1);
	struct jval *o = j_copy(g.d, g.object);
	struct jval *status = j_child(g.d, o, "status");
	j_set_str(g.d, status, "theirs", "kept");
	struct jval *c = j_push(g.d, j_set(g.d, status, "conditions", j_arr(g.d)), j_obj(g.d));
	j_set_str(g.d, c, "type", "example.com/Blessed");
	j_set_str(g.d, c, "status", "True");
	g.object = given_json(&g, j_text(g.d, o));
	when_settled(&g);
	then_nothing(&g);
	assert_string_equal(condition_member(&g, "example.com/Blessed", "status"), "True");
	assert_string_equal(json_str(json_at(g.object, "status", "theirs"), ""), "kept");
}

static void test_status_waits_for_its_own_write_and_guards_it(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 1);
	when_planned(&g);
	const struct action *a = then(&g, DO(PATCH_STATUS, NODESET), "foo");
	assert_string_equal(a->guard.resource_version, "7");
	/* No condition can tell that it is refused */
	assert_true(str_eq(a->event_failed, "FailedUpdate"));
	assert_non_null(strstr(a->body, "\"slurmDown\":0")); /* zeros are written */
	g.in_flight = true;
	when_planned(&g);
	then_nothing(&g);
}

static void test_transition_time_moves_only_with_the_status(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 1);
	when_settled(&g);
	g.wall_ms += 60000;
	g.pods[0].fact.ready = false;
	when_settled(&g);
	assert_string_equal(condition_member(&g, "Available", "lastTransitionTime"),
		"2026-01-01T00:01:00Z");
	assert_string_equal(condition_member(&g, "Degraded", "lastTransitionTime"),
		"2026-01-01T00:00:00Z");
}

static void test_min_ready_seconds_delays_available(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":1,\"minReadySeconds\":30");
	given_pods(&g, 1);
	g.pods[0].fact.ready_since_ms = g.wall_ms - 10000;
	when_settled(&g);
	assert_int_equal(status_of(&g, "readyReplicas"), 1);
	assert_int_equal(status_of(&g, "availableReplicas"), 0);
	assert_in_range(g.plan.again_in_ms, 20000, 21000);
	g.wall_ms += 20000;
	when_settled(&g);
	assert_int_equal(status_of(&g, "availableReplicas"), 1);
	assert_int_equal(g.plan.again_in_ms, 0);
}

/* ---- what is wrong with the NodeSet itself ---- */

static void given_object(struct given *g, const char *members)
{
	g->object = given_json(g,
		arena_printf(&g->arena,
			"{\"metadata\":{\"namespace\":\"ns\",\"name\":\"foo\",\"uid\":\"set\","
			"\"resourceVersion\":\"7\","
			"\"generation\":2," GIVEN_FINALIZER
			"},\"spec\":{\"clusterName\":\"slurm\",\"serviceName\":\"svc\",%s}}",
			members));
}

static void test_bad_input_faults_that_stop_everything_are_told_once(void **state)
{
	(void)state;
	static const struct {
		const char *members, *reason;
	} rows[] = {
		{ "\"replicas\":1,\"selector\":{},\"template\":" GIVEN_TEMPLATE, "SelectingAll" },
		{ "\"replicas\":1,\"selector\":{\"matchLabels\":{\"app\":\"other\"}},"
		  "\"template\":" GIVEN_TEMPLATE,
			"SelectorMismatch" },
		{ "\"replicas\":1,\"selector\":{\"matchExpressions\":[{\"key\":\"app\","
		  "\"operator\":\"Near\"}]},\"template\":" GIVEN_TEMPLATE,
			"InvalidSelector" },
		{ "\"replicas\":-1,\"selector\":{\"matchLabels\":{\"app\":\"slurmd\"}},"
		  "\"template\":" GIVEN_TEMPLATE,
			"InvalidReplicas" },
		{ "\"replicas\":65537,\"selector\":{\"matchLabels\":{\"app\":\"slurmd\"}},"
		  "\"template\":" GIVEN_TEMPLATE,
			"InvalidReplicas" },
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		WORLD(g);
		given_nodeset(&g, "");
		given_pods(&g, 3);
		given_object(&g, rows[i].members);
		when_planned(&g);
		const struct action *event = then(&g, DO(TELL, EVENT), "foo");
		assert_string_equal(event->reason, rows[i].reason);
		assert_true(event->warning);
		assert_int_equal(g.plan.n, 2); /* the Event and the condition, nothing else */
		when_settled(&g);
		then_nothing(&g);
		then_condition(&g, "Degraded", "True", rows[i].reason);
		assert_int_equal(status_of(&g, "observedGeneration"), 2);
		assert_string_equal(json_str(json_at(g.object, "status", "nodeSetHash"), "absent"),
			"");
	}
}

static void test_fault_that_was_put_right_is_forgotten(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g,
		"\"replicas\":1,\"updateStrategy\":{\"rollingUpdate\":{\"maxUnavailable\":\"some\"}"
		"}");
	given_pods(&g, 1);
	when_settled(&g);
	then_condition(&g, "Degraded", "True", "InvalidMaxUnavailable");
	const struct json *status = json_get(g.object, "status");
	given_spec(&g, "\"replicas\":1", GIVEN_FINALIZER);
	struct jval *o = j_copy(g.d, g.object);
	j_set(g.d, o, "status", j_copy(g.d, status));
	g.object = given_json(&g, j_text(g.d, o));
	when_settled(&g);
	then_condition(&g, "Degraded", "False", "AsExpected");
}

/* Acceptance: status-6 */
static void test_troubles_become_events_once(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":0");
	given_pods(&g, 1);
	given_slurm_silent(&g);
	when_planned(&g);
	const struct action *a = then(&g, DO(TELL, EVENT), "foo");
	assert_string_equal(a->reason, "ClusterNotReady");
	assert_true(a->with_status);
	when_settled(&g);
	then_no(&g, DO(TELL, EVENT), NULL);
}

/*
 * From the start of the manager to the first answer of Slurm nothing is known: that is no
 * trouble yet, but nothing goes either.
 */
static void test_slurm_that_was_never_asked_is_no_trouble_yet(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":0");
	given_pods(&g, 1);
	given_our_cordon(&g.pods[0]);
	given_slurm_silent(&g);
	g.slurm.usable = UNKNOWN;
	when_planned(&g);
	then_no(&g, DO(TELL, EVENT), NULL);
	then_no(&g, DO(DELETE, POD), NULL);
	when_settled(&g);
	then_nothing(&g);
	then_condition(&g, "Degraded", "False", "AsExpected");
	then_condition(&g, "Draining", "True", "SlurmNotAsked");

	g.slurm.usable = NO;
	when_planned(&g);
	assert_string_equal(then(&g, DO(TELL, EVENT), "foo")->reason, "ClusterNotReady");
	then_no(&g, DO(DELETE, POD), NULL);
}

static void test_what_was_published_before_a_restart_stays_until_slurm_was_asked(void **state)
{
	(void)state;
	WORLD(g);
	given_condemned(&g, NODE_ALLOCATED | NODE_DRAIN);
	when_settled(&g);
	then_condition(&g, "Draining", "True", "JobsRunning");
	given_slurm_silent(&g);
	g.slurm.usable = UNKNOWN;
	when_planned(&g);
	then_nothing(&g);
	g.slurm.usable = NO;
	when_settled(&g);
	then_condition(&g, "Degraded", "True", "ClusterNotReady");
	g.slurm.usable = UNKNOWN;
	when_planned(&g);
	then_nothing(&g);
}

/* ---- speed: a plan of 10,000 pods at rest is a loop over arrays ---- */

static double when_timed(const struct given *g, const struct nodeset_view *view, struct plan *plan)
{
	struct timespec before, after;
	clock_gettime(CLOCK_MONOTONIC, &before);
	nodeset_plan(view, g->now_ms, g->wall_ms, plan);
	clock_gettime(CLOCK_MONOTONIC, &after);
	return (double)(after.tv_sec - before.tv_sec) * 1e3 +
		(double)(after.tv_nsec - before.tv_nsec) / 1e6;
}

static void test_ten_thousand_pods_at_rest_are_planned_in_a_blink(void **state)
{
	(void)state;
	enum { N = 10000 };
	WORLD(g);
	given_nodeset(&g, "\"replicas\":10000");
	struct given_pod *p = given_pod(&g, 0);
	struct pod_fact *facts = arena_array(&g.arena, struct pod_fact, N);
	struct slurm_node_fact *nodes = arena_array(&g.arena, struct slurm_node_fact, N);
	struct kv *labels = arena_array(&g.arena, struct kv, 3 * N);
	const struct pod_fact **pods = arena_array(&g.arena, const struct pod_fact *, N);
	for (int i = 0; i < N; i++) {
		const char *name = arena_printf(&g.arena, "foo-%d", i);
		facts[i] = p->fact;
		facts[i].name = facts[i].hostname = name;
		facts[i].labels = memcpy(&labels[3 * i], p->labels, 3 * sizeof(*labels));
		labels[3 * i + 2].value = name;
		nodes[i] = p->node;
		nodes[i].comment = arena_printf(&g.arena,
			"{\"namespace\":\"ns\",\"podName\":\"%s\"}", name);
		pods[i] = &facts[i];
	}
	struct nodeset_view view = {
		.object = g.object,
		.pods = pods,
		.slurm_nodes = nodes,
		.n_pods = N,
		.slurm = g.slurm,
		.cluster = YES,
		.revisions = g.revisions,
		.n_revisions = g.n_revisions,
	};
	struct arena arena = { 0 };
	struct plan plan = { .arena = &arena };
	double ms = when_timed(&g, &view, &plan);
	print_message("# 10,000 pods at rest: %.1f ms\n", ms);
	assert_int_equal(plan.n, 1); /* the status */
	/* Generous: sanitizers and a busy machine; a quadratic loop would take minutes */
	assert_true(ms < 1000);
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_settled_world_plans_nothing),
		cmocka_unit_test(test_slurm_going_and_coming_is_told_once_each),
		cmocka_unit_test(test_a_single_failed_read_writes_nothing),
		cmocka_unit_test(test_two_healthy_pods_of_the_newest_template),
		cmocka_unit_test(test_two_created_not_ready_of_another_template),
		cmocka_unit_test(test_slurm_counters_add_up_and_count_own_pods_only),
		cmocka_unit_test(test_scale_reports_the_current_count_and_its_selector),
		cmocka_unit_test(test_foreign_conditions_and_status_members_survive),
		cmocka_unit_test(test_status_waits_for_its_own_write_and_guards_it),
		cmocka_unit_test(test_transition_time_moves_only_with_the_status),
		cmocka_unit_test(test_min_ready_seconds_delays_available),
		cmocka_unit_test(test_bad_input_faults_that_stop_everything_are_told_once),
		cmocka_unit_test(test_fault_that_was_put_right_is_forgotten),
		cmocka_unit_test(test_troubles_become_events_once),
		cmocka_unit_test(test_slurm_that_was_never_asked_is_no_trouble_yet),
		cmocka_unit_test(
			test_what_was_published_before_a_restart_stays_until_slurm_was_asked),
		cmocka_unit_test(test_ten_thousand_pods_at_rest_are_planned_in_a_blink),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
