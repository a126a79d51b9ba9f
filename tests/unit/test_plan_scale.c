/* SPDX-License-Identifier: Apache-2.0 */
/* Claiming pods, creating missing ones, choosing the ones that go. */
#include "lib/given.h"
#include "plan/nodeset/claim.h"
#include "plan/nodeset/worksheet.h"

/* ---- identity ---- */

static void test_ordinal_of_a_pod_name(void **state)
{
	(void)state;
	static const struct {
		const char *set, *pod;
		int64_t ordinal;
	} rows[] = {
		{ "foo", "foo-0", 0 },
		{ "foo-bar", "foo-bar-12", 12 },
		{ "foo", "foo-bar-12", -1 },
		{ "foo", "foo", -1 },
		{ "foo", "foo-", -1 },
		{ "foo", "foo-01", -1 },
		{ "foo", "foo--1", -1 },
		{ "foo", "foo-x", -1 },
		{ "f.o", "foo-1", -1 },
		{ "foo", "foo-1x", -1 },
		{ "foo", "fo-1", -1 },
		{ "foo", "foo-99999999999999999999", -1 },
	};
	for (size_t i = 0; i < LENGTH(rows); i++)
		assert_int_equal(pod_ordinal(rows[i].set, rows[i].pod), rows[i].ordinal);
}

static void test_decide_claim_table(void **state)
{
	(void)state;
	static const struct {
		struct claim_facts f;
		enum claim claim;
	} rows[] = {
		{ { .controlled = true, .fits = true, .sent = true }, CLAIM_OURS },
		{ { .controlled = true, .sent = true }, CLAIM_RELEASE },
		{ { .controlled = true, .terminating = true, .sent = true }, CLAIM_IGNORE },
		{ { .controlled = true, .fits = true, .terminating = true, .sent = true },
			CLAIM_OURS },
		{ { .controlled = true, .deleting = true, .invalid = true, .sent = true },
			CLAIM_OURS },
		{ { .fits = true, .sent = true }, CLAIM_ADOPT },
		{ { .fits = true, .sent = true, .terminating = true }, CLAIM_IGNORE },
		{ { .fits = true, .sent = true, .deleting = true }, CLAIM_IGNORE },
		{ { .fits = true }, CLAIM_IGNORE },
		{ { .sent = true }, CLAIM_IGNORE },
	};
	for (size_t i = 0; i < LENGTH(rows); i++)
		assert_int_equal(decide_claim(&rows[i].f), rows[i].claim);
}

static void test_foo_does_not_take_pods_of_foo_bar(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":0");
	given_pod_named(&g, "foo-bar-0")->fact.controller = (struct owner_fact){ "", "", "",
		false };
	given_pod_named(&g, "foo-bar-1")->fact.controller = (struct owner_fact){ "NodeSet",
		"foo-bar", "other", true };
	when_settled(&g);
	then_nothing(&g);
	assert_int_equal(status_of(&g, "replicas"), 0);
}

static void test_orphan_that_fits_is_adopted_and_counts(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":1");
	given_orphan(given_pod(&g, 0));
	when_planned(&g);
	const struct action *a = then(&g, DO(PATCH, POD), "foo-0");
	assert_non_null(strstr(a->body, "\"uid\":\"set\""));
	assert_string_equal(a->guard.resource_version, "3");
	then_no(&g, DO(CREATE, POD), NULL);
}

/*
 * With one owner it would go with the NodeSet, if that is deleted while the adoption is
 * on its way.
 */
static void test_orphan_is_adopted_when_its_second_owner_is_known(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":1");
	given_orphan(given_pod(&g, 0));
	g.namespace_uid = NULL;
	when_planned(&g);
	then_no(&g, DO(PATCH, POD), NULL);
}

/*
 * When a NodeSet goes, its revisions tell what becomes of its pods: they are its own
 * before the first pod is.
 */
static void test_orphan_is_adopted_when_the_revision_is_ours(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":1");
	given_orphan(given_pod(&g, 0));
	g.revisions[0].in_flight = true;
	when_planned(&g);
	then_no(&g, DO(PATCH, POD), NULL);
	then_no(&g, DO(CREATE, POD), NULL);
	g.revisions[0].in_flight = false;
	when_planned(&g);
	then(&g, DO(PATCH, POD), "foo-0");
}

static void test_pod_whose_labels_were_changed_is_let_be_and_replaced(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":1");
	given_label(given_pod(&g, 0), "app", "debug-me");
	when_planned(&g);
	const char *body = then(&g, DO(PATCH, POD), "foo-0")->body;
	assert_non_null(strstr(body,
		"{\"op\":\"remove\",\"path\":\"/metadata/ownerReferences/0\"}"));
	/* Its name is taken for as long as it is there. */
	then(&g, DO(CREATE, POD), "foo-1");
}

/* ---- scale-out ---- */

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

static void test_deletion_order_of_one_list(void **state)
{
	(void)state;
	/*
	 * From first to last; the ordinals run against the list, so that each row is
	 * where it is because of its own key.
	 */
	static const struct order_row {
		const char *node;
		enum pod_phase phase;
		bool ready;
		int64_t cost, ends_ms;
		bool cordoned;
		int64_t ordinal, ready_since_ms, created_ms;
	} rows[] = {
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
	enum { N = LENGTH(rows) };
	struct pod_fact facts[N];
	struct pod pods[N], *list[N];
	for (size_t i = 0; i < N; i++) {
		facts[i] = (struct pod_fact){
			.name = "p",
			.node_name = rows[i].node,
			.phase = rows[i].phase,
			.ready = rows[i].ready,
			.ready_since_ms = rows[i].ready_since_ms,
			.created_ms = rows[i].created_ms,
		};
		pods[i] = (struct pod){
			.fact = &facts[i],
			.cost = rows[i].cost,
			.ends_ms = rows[i].ends_ms,
			.cordoned = rows[i].cordoned,
			.ordinal = rows[i].ordinal,
		};
		list[(i * 5 + 3) % N] = &pods[i];
	}
	pod_sort(list, N);
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
	};
	g.plan = (struct plan){ .arena = &g.arena };
	nodeset_plan(&view, g.now_ms, g.wall_ms, &g.plan);
	assert_int_equal(count_actions(&g, DO(DELETE, POD)), N);
}

/* ---- other owners ---- */

static void test_adoption_and_release_leave_other_owners_alone(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":1");
	g.namespace_uid = "ns-uid";
	struct given_pod *p = given_pod(&g, 0);
	given_orphan(p);
	p->fact.n_owners = 1; /* a ConfigMap, say */
	when_planned(&g);
	const char *body = then(&g, DO(PATCH, POD), "foo-0")->body;
	assert_non_null(strstr(body,
		"{\"op\":\"add\",\"path\":\"/metadata/ownerReferences/-\",\"value\":{"));
	assert_null(strstr(body, "\"path\":\"/metadata/ownerReferences\""));
	assert_non_null(strstr(body,
		"{\"op\":\"replace\",\"path\":\"/metadata/resourceVersion\",\"value\":\"3\"}"));

	p->fact.n_owners = 0;
	when_planned(&g);
	body = then(&g, DO(PATCH, POD), "foo-0")->body;
	assert_non_null(strstr(body,
		"{\"op\":\"add\",\"path\":\"/metadata/ownerReferences\",\"value\":[]}"));

	/*
	 * It is ours, with a ConfigMap before and its Namespace behind, and does not fit
	 * any more.
	 */
	p->fact.controller = (struct owner_fact){ "NodeSet", "foo", "set", true };
	p->fact.keeper_uid = "ns-uid";
	p->fact.n_owners = 3;
	p->fact.controller_at = 1;
	p->fact.keeper_at = 2;
	given_label(p, "app", "other");
	given_annotation(p, ANNOTATION_NODESET_UID, "set");
	when_planned(&g);
	body = then(&g, DO(PATCH, POD), "foo-0")->body;
	const char *keeper = strstr(body,
		"{\"op\":\"remove\",\"path\":\"/metadata/ownerReferences/2\"}");
	const char *set = strstr(body,
		"{\"op\":\"remove\",\"path\":\"/metadata/ownerReferences/1\"}");
	assert_true(keeper && set && keeper < set); /* the first removal must not move the second */
	assert_null(strstr(body, "/metadata/ownerReferences/0"));
	assert_non_null(strstr(body,
		"{\"op\":\"remove\",\"path\":\"/metadata/"
		"annotations/" ANNOTATION_NODESET_UID_ESCAPED "\"}"));
}

/* ---- names ---- */

static void test_name_of_another_controllers_pod_is_skipped_and_said(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":2");
	given_taken(&g, "foo-0", "StatefulSet", "foo");
	given_taken(&g, "foo-2", "StatefulSet", "foo");
	when_settled(&g);
	then(&g, DO(CREATE, POD), "foo-1");
	then(&g, DO(CREATE, POD), "foo-3");
	assert_int_equal(count_actions(&g, DO(CREATE, POD)), 2);
	then_condition(&g, "Degraded", "True", "NamesTaken");
	const char *text = condition_member(&g, "Degraded", "message");
	assert_non_null(strstr(text, "foo-0, foo-2"));
	assert_non_null(strstr(text, "StatefulSet foo"));
	assert_true(g.plan.again_in_ms > 0); /* nobody says when those pods go */
}

static void test_pod_of_an_earlier_nodeset_of_the_name_is_waited_for(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":2");
	given_taken(&g, "foo-0", "NodeSet", "foo");
	when_settled(&g);
	then(&g, DO(CREATE, POD), "foo-1");
	assert_int_equal(count_actions(&g, DO(CREATE, POD)), 1);
	then_condition(&g, "Degraded", "True", "NamesTaken");
	then_condition(&g, "Progressing", "True", "ScalingOut");
	g.n_taken = 0;
	given_pod(&g, 1);
	when_settled(&g);
	then(&g, DO(CREATE, POD), "foo-0");
	then_condition(&g, "Degraded", "False", "AsExpected");
}

static void test_many_taken_names_are_counted(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":1");
	for (int i = 0; i < 5; i++)
		given_taken(&g, arena_printf(&g.arena, "foo-%d", i), "StatefulSet", "foo");
	when_settled(&g);
	then(&g, DO(CREATE, POD), "foo-5");
	assert_non_null(strstr(condition_member(&g, "Degraded", "message"),
		"foo-0, foo-1, foo-2 and 2 more"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ordinal_of_a_pod_name),
		cmocka_unit_test(test_decide_claim_table),
		cmocka_unit_test(test_foo_does_not_take_pods_of_foo_bar),
		cmocka_unit_test(test_orphan_that_fits_is_adopted_and_counts),
		cmocka_unit_test(test_orphan_is_adopted_when_its_second_owner_is_known),
		cmocka_unit_test(test_orphan_is_adopted_when_the_revision_is_ours),
		cmocka_unit_test(test_pod_whose_labels_were_changed_is_let_be_and_replaced),
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
		cmocka_unit_test(test_adoption_and_release_leave_other_owners_alone),
		cmocka_unit_test(test_name_of_another_controllers_pod_is_skipped_and_said),
		cmocka_unit_test(test_pod_of_an_earlier_nodeset_of_the_name_is_waited_for),
		cmocka_unit_test(test_many_taken_names_are_counted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
