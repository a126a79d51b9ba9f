/* SPDX-License-Identifier: Apache-2.0 */
/* Creating pods that are missing, choosing the ones that go. */
#include "lib/given.h"
#include "plan/nodeset/worksheet.h"

/* ---- scale-out ---- */

/* Acceptance: nodeset-1 */
static void test_creating_a_nodeset_with_n_replicas_yields_n_pods(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":3");
	when_planned(&g);
	assert_int_equal(count_actions(&g, DO(CREATE, POD)), 3);
	then(&g, DO(CREATE, POD), "foo-0");
	then(&g, DO(CREATE, POD), "foo-1");
	assert_string_equal(then(&g, DO(CREATE, POD), "foo-2")->event_done, "SuccessfulCreate");
}

static void test_gaps_are_filled_lowest_first_and_terminating_pods_keep_their_place(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":5");
	given_pod(&g, 0);
	given_pod(&g, 2)->fact.terminating = true;
	given_pod(&g, 4);
	when_planned(&g);
	assert_int_equal(count_actions(&g, DO(CREATE, POD)), 2);
	then(&g, DO(CREATE, POD), "foo-1");
	then(&g, DO(CREATE, POD), "foo-3");
}

static void test_creation_in_flight_takes_its_ordinal(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":2");
	struct given_pod *p = given_pod(&g, 0);
	p->fact.resource_version = "";
	p->fact.uid = "";
	p->fact.phase = POD_EMPTY;
	p->fact.in_flight = true;
	p->fact.ready = false;
	p->fact.node_name = "";
	when_planned(&g);
	assert_int_equal(count_actions(&g, DO(CREATE, POD)), 1);
	then(&g, DO(CREATE, POD), "foo-1");
}

/*
 * Seed 2092193 of the simulator: foo-1 would be the third of two when the other one comes
 * after all.
 */
static void test_a_creation_whose_name_a_stranger_took_is_still_coming(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":2");
	given_pod(&g, 0);
	g.n_overtaken = 1;
	when_settled(&g);
	then_no(&g, DO(CREATE, POD), NULL);
	then_condition(&g, "Progressing", "True", "ScalingOut");
	g.n_overtaken = 0;
	when_planned(&g);
	then(&g, DO(CREATE, POD), "foo-1");
}

static void test_no_more_are_created_than_may_go_out_now(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":2000");
	g.max_creates = 4;
	when_planned(&g);
	assert_int_equal(count_actions(&g, DO(CREATE, POD)), 4);
	g.max_creates = 0;
	when_planned(&g);
	assert_int_equal(count_actions(&g, DO(CREATE, POD)), 0);
}

static void test_scale_out_goes_on_while_slurm_is_silent(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":2");
	given_pods(&g, 1);
	given_slurm_silent(&g);
	when_planned(&g);
	then(&g, DO(CREATE, POD), "foo-1");
}

static void test_no_pod_before_the_finalizer_is_seen(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset_meta(&g, "\"replicas\":1", "\"finalizers\":[\"example.com/theirs\"]");
	when_planned(&g);
	assert_int_equal(g.plan.n, 1);
	const struct action *a = then(&g, DO(PATCH, NODESET), "foo");
	assert_non_null(strstr(a->body, "[\"example.com/theirs\",\"" FINALIZER_DRAIN "\"]"));
	assert_non_null(strstr(a->body, "\"resourceVersion\":\"7\""));
	g.in_flight = true;
	when_planned(&g);
	then_nothing(&g);
	g.in_flight = false;
	when_settled(&g);
	then(&g, DO(CREATE, POD), "foo-0");
}

/* ---- the order of deletion ---- */

/*
 * From first to last; the ordinals run against the list, so that each row is where it
 * is because of its own key.
 */
static const struct order_row {
	const char *node;
	enum pod_phase phase;
	bool ready;
	int64_t cost, ends_ms;
	bool cordoned;
	int64_t ordinal, ready_since_ms, created_ms;
} in_order[] = {
	{ "", POD_PENDING, false, 0, 0, false, 5, 0, 0 },
	{ "m", POD_PENDING, false, 0, 0, false, 5, 0, 0 },
	{ "m", POD_PHASE_UNKNOWN, true, 0, 0, false, 5, 0, 0 },
	{ "m", POD_RUNNING, false, 0, 0, false, 5, 0, 0 },
	{ "m", POD_RUNNING, true, -5, 0, false, 5, 0, 0 },
	{ "m", POD_RUNNING, true, 0, 0, false, 5, 0, 0 },
	{ "m", POD_RUNNING, true, 0, 100, false, 5, 0, 0 },
	{ "m", POD_RUNNING, true, 0, 200, true, 5, 0, 0 },
	{ "m", POD_RUNNING, true, 0, 200, false, 9, 0, 0 },
	{ "m", POD_RUNNING, true, 0, 200, false, 5, 0, 0 },
	{ "m", POD_RUNNING, true, 0, 200, false, 5, 3000, 0 },
	{ "m", POD_RUNNING, true, 0, 200, false, 5, 1000, 0 },
	{ "m", POD_RUNNING, true, 0, 200, false, 5, 1000, 3000 },
	{ "m", POD_RUNNING, true, 0, 200, false, 5, 1000, 1000 },
};

static void given_pod_of(const struct order_row *row, struct pod_fact *fact, struct pod *pod)
{
	*fact = (struct pod_fact){
		.name = "p",
		.node_name = row->node,
		.phase = row->phase,
		.ready = row->ready,
		.ready_since_ms = row->ready_since_ms,
		.created_ms = row->created_ms,
	};
	*pod = (struct pod){
		.fact = fact,
		.phase = row->phase,
		.bound = !str_empty(row->node),
		.ready = row->ready,
		.cost = row->cost,
		.ends_ms = row->ends_ms,
		.cordoned = row->cordoned,
		.ordinal = row->ordinal,
	};
}

/* Acceptance: removal-11 */
static void test_deletion_order_of_one_list(void **state)
{
	(void)state;
	enum { N = LENGTH(in_order) };
	struct pod_fact facts[N];
	struct pod pods[N], *list[N];
	for (size_t i = 0; i < N; i++) {
		given_pod_of(&in_order[i], &facts[i], &pods[i]);
		list[(i * 5 + 3) % N] = &pods[i];
	}
	pod_sort_going_first(list, N);
	for (size_t i = 0; i < N; i++)
		assert_ptr_equal(list[i], &pods[i]);
	/*
	 * Total and consistent: every earlier one is before every later one, and never
	 * the other way round (2.15: both cordoned).
	 */
	for (size_t i = 0; i < N; i++)
		for (size_t k = 0; k < N; k++)
			assert_int_equal((pod_order(&pods[i], &pods[k]) > 0) -
					(pod_order(&pods[i], &pods[k]) < 0),
				(i > k) - (i < k));
}

/* Acceptance: removal-11 */
static void test_of_foo_0_and_foo_1_the_second_goes_first(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":1");
	given_pods(&g, 2);
	when_planned(&g);
	assert_true(names_node(&g, DO(DRAIN, SLURM_NODE), "foo-1"));
	assert_false(names_node(&g, DO(DRAIN, SLURM_NODE), "foo-0"));
}

/* Acceptance: status-8 */
static void test_deletion_cost_is_a_strict_int32(void **state)
{
	(void)state;
	static const struct {
		const char *cost;
		const char *first;
	} rows[] = {
		{ "-1", "foo-0" },
		{ "1", "foo-1" },
		{ "+5", "foo-1" },
		{ "-007", "foo-1" },
		{ "-2147483648", "foo-0" },
		{ "-2147483649", "foo-1" },
		{ "-1 ", "foo-1" },
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		WORLD(g);
		given_nodeset(&g, "\"replicas\":1");
		given_pods(&g, 2);
		given_annotation(&g.pods[0], ANNOTATION_DELETION_COST, rows[i].cost);
		when_planned(&g);
		assert_true(names_node(&g, DO(DRAIN, SLURM_NODE), rows[i].first));
	}
}

static void test_condemned_pod_stays_the_choice(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":1");
	given_pods(&g, 2);
	given_leaving(&g.pods[0], NODE_IDLE | NODE_DRAIN);
	when_planned(&g);
	then(&g, DO(DELETE, POD), "foo-0");
	then_no(&g, DO(DRAIN, SLURM_NODE), NULL);
	then_no(&g, DO(UNDRAIN, SLURM_NODE), NULL);
}

static void test_terminating_pods_are_part_of_the_excess(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":2");
	given_pods(&g, 3);
	g.pods[0].fact.terminating = true;
	when_settled(&g);
	then_nothing(&g);
}

static void test_condemned_set_that_shrinks_again_is_brought_back(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 2);
	for (int i = 0; i < 2; i++)
		given_leaving(&g.pods[i], NODE_MIXED | NODE_DRAIN);
	when_settled(&g);
	assert_int_equal(then(&g, DO(UNDRAIN, SLURM_NODE), NULL)->n_nodes, 2);
}

/* Acceptance: removal-17 */
static void test_a_scale_in_of_300_does_not_stall(void **state)
{
	(void)state;
	enum { N = 300 };
	static struct pod_fact facts[N];
	static struct slurm_node_fact nodes[N];
	const struct pod_fact *pods[N];
	WORLD(g);
	given_nodeset(&g, "\"replicas\":0");
	for (int i = 0; i < N; i++) {
		facts[i] = given_pod(&g, i)->fact;
		nodes[i] = g.pods[0].node;
		nodes[i].state = NODE_IDLE | NODE_DRAIN;
		pods[i] = &facts[i];
		/* Labels are the same for all. */
		static struct kv labels[] = { { "app", "slurmd" } },
				 annotations[] = { { ANNOTATION_POD_CORDON, "true" } };
		facts[i].labels = labels;
		facts[i].n_labels = 1;
		facts[i].annotations = annotations;
		facts[i].n_annotations = 1;
		g.n_pods = 0;
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
		.kube_seen_ms = g.now_ms,
		.max_writes = N,
	};
	g.plan = (struct plan){ .arena = &g.arena };
	nodeset_plan(&view, g.now_ms, g.wall_ms, &g.plan);
	assert_int_equal(count_actions(&g, DO(DELETE, POD)), N);
	assert_false(g.plan.more);
}

/*
 * When ten thousand pods may go, a plan has those that can be sent, and says that there
 * are more. A deletion that does not rely on Slurm stands in no queue behind one that
 * does.
 */
static void test_no_more_are_deleted_than_may_go_out_now(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":0");
	for (int i = 0; i < 8; i++) {
		struct given_pod *p = given_pod(&g, i);
		given_annotation(p, ANNOTATION_POD_CORDON, "true");
		p->node.state = NODE_IDLE | NODE_DRAIN;
		if (i >= 5)
			p->fact.phase = POD_FAILED;
	}
	g.max_writes = 2;
	when_planned(&g);
	assert_int_equal(count_actions(&g, DO(DELETE, POD)), 2 + 2);
	assert_int_equal(count_actions(&g, DO(PATCH, POD)), 0);
	assert_true(g.plan.more);
	g.max_writes = 5;
	when_planned(&g);
	assert_int_equal(count_actions(&g, DO(DELETE, POD)), 5 + 3);
	assert_false(g.plan.more);
}

static void test_no_more_are_patched_than_may_go_out_now(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":0");
	given_pods(&g, 4);
	g.max_writes = 3;
	when_planned(&g);
	assert_int_equal(count_actions(&g, DO(PATCH, POD)), 3);
	assert_true(g.plan.more);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_creating_a_nodeset_with_n_replicas_yields_n_pods),
		cmocka_unit_test(
			test_gaps_are_filled_lowest_first_and_terminating_pods_keep_their_place),
		cmocka_unit_test(test_creation_in_flight_takes_its_ordinal),
		cmocka_unit_test(test_a_creation_whose_name_a_stranger_took_is_still_coming),
		cmocka_unit_test(test_no_more_are_created_than_may_go_out_now),
		cmocka_unit_test(test_scale_out_goes_on_while_slurm_is_silent),
		cmocka_unit_test(test_no_pod_before_the_finalizer_is_seen),
		cmocka_unit_test(test_deletion_order_of_one_list),
		cmocka_unit_test(test_of_foo_0_and_foo_1_the_second_goes_first),
		cmocka_unit_test(test_deletion_cost_is_a_strict_int32),
		cmocka_unit_test(test_condemned_pod_stays_the_choice),
		cmocka_unit_test(test_terminating_pods_are_part_of_the_excess),
		cmocka_unit_test(test_condemned_set_that_shrinks_again_is_brought_back),
		cmocka_unit_test(test_a_scale_in_of_300_does_not_stall),
		cmocka_unit_test(test_no_more_are_deleted_than_may_go_out_now),
		cmocka_unit_test(test_no_more_are_patched_than_may_go_out_now),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
