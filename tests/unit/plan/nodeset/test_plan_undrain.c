/* SPDX-License-Identifier: Apache-2.0 */
/* Undrain: the drain of a pod that stays is lifted, when it is ours. */
#include "lib/given.h"
#include "plan/nodeset/reasons.h"
#include "plan/nodeset/undrain.h"

static const struct undrain_facts kept = {
	.pod_ready = true,
	.usable = true,
	.node = YES,
	.age_ms = 100,
	.state = DRAINED,
	.reason = REASON_OURS,
	.at_its_address = true,
};

#define CASE(expected, ...)                                     \
	do {                                                    \
		f = kept;                                       \
		__VA_ARGS__;                                    \
		assert_int_equal(decide_undrain(&f), expected); \
	} while (0)

static void of_a_node_that_is_down(void)
{
	struct undrain_facts f;
	CASE(UNDRAIN_RESUME, f.state = NODE_DOWN | NODE_DRAIN);
	CASE(UNDRAIN_LATER, f.state = NODE_DOWN | NODE_DRAIN | NODE_NOT_RESPONDING);
	CASE(UNDRAIN_KEEP, f.state = NODE_DOWN | NODE_DRAIN; f.reason = REASON_FOREIGN);
	CASE(UNDRAIN_RESUME, f.state = NODE_DOWN; f.reason = REASON_EMPTY; f.lost = true);
	CASE(UNDRAIN_RESUME, f.state = NODE_DOWN; f.lost = true);
	CASE(UNDRAIN_NOTHING, f.state = NODE_DOWN; f.reason = REASON_FOREIGN; f.lost = true);
	CASE(UNDRAIN_KEEP, f.state = NODE_DOWN | NODE_DRAIN; f.reason = REASON_EMPTY;
		f.lost = true);
	CASE(UNDRAIN_NOTHING, f.state = NODE_DOWN; f.reason = REASON_EMPTY);
	CASE(UNDRAIN_NOTHING, f.state = NODE_DOWN; f.reason = REASON_OURS);
	CASE(UNDRAIN_LATER, f.state = NODE_DOWN | NODE_DRAIN; f.at_its_address = false);
}

static void test_decide_undrain_table(void **state)
{
	(void)state;
	struct undrain_facts f;
	CASE(UNDRAIN_SEND, (void)0);
	CASE(UNDRAIN_NOTHING, f.state = NODE_IDLE);
	CASE(UNDRAIN_NOTHING, f.node = NO);
	CASE(UNDRAIN_KEEP, f.reason = REASON_FOREIGN);
	CASE(UNDRAIN_LATER, f.at_its_address = false);
	CASE(UNDRAIN_KEEP, f.reason = REASON_EMPTY);
	CASE(UNDRAIN_KEEP, f.leaving = true);
	CASE(UNDRAIN_KEEP, f.cordoned = true);
	CASE(UNDRAIN_LATER, f.in_flight = true);
	CASE(UNDRAIN_LATER, f.state |= NODE_UNDRAIN);
	CASE(UNDRAIN_LATER, f.state |= NODE_NOT_RESPONDING);
	CASE(UNDRAIN_LATER, f.state |= NODE_INVALID_REG);
	CASE(UNDRAIN_LATER, f.state |= NODE_REBOOT);
	CASE(UNDRAIN_LATER, f.pod_ready = false);
	CASE(UNDRAIN_LATER, f.update_in_flight = true);
	CASE(UNDRAIN_UNKNOWN, f.usable = false);
	CASE(UNDRAIN_UNKNOWN, f.node = UNKNOWN);
	CASE(UNDRAIN_UNKNOWN, f.age_ms = SLURM_FRESH_MS + 1);
	of_a_node_that_is_down();
}
#undef CASE

static void test_whose_a_reason_is(void **state)
{
	(void)state;
	static const struct {
		const char *reason;
		enum reason_class whose;
	} cases[] = {
		{ OUR_REASON, REASON_OURS },
		{ OUR_REASON " : Not responding", REASON_OURS },
		{ OUR_REASON " : Not responding : Not responding", REASON_OURS },
		{ OUR_REASON " : reboot issued : Not responding", REASON_OURS },
		{ "slurm-operator: NodeSet (ns/foo): the pod is cordoned by its annotation",
			REASON_OURS },
		{ "slurm-operator: Pod (ns/foo-0) has been cordoned", REASON_OURS },
		{ "slurm-operator: Pod (ns/foo-0) is cordoned", REASON_OURS },
		{ "", REASON_EMPTY },
		{ REASON_RETURNED, REASON_EMPTY },
		{ REASON_RETURNED " : Not responding", REASON_EMPTY },
		{ "slurm-operator: NodeSet (ns/foo) keeps the pod", REASON_EMPTY },
		{ "slurm-operator: Pod (ns/foo-0) is uncordoned", REASON_EMPTY },
		{ "slurm-operator: NodeSet (ns/bar) is letting the pod go", REASON_FOREIGN },
		{ "slurm-operator: NodeSet (other/foo) is letting the pod go", REASON_FOREIGN },
		{ "slurm-operator: Pod (ns/foo-1) has been cordoned", REASON_FOREIGN },
		{ OUR_REASON " : Epilog error", REASON_FOREIGN },
		{ OUR_REASON "!", REASON_FOREIGN },
		{ "slurm-operator: do not touch (alice)", REASON_FOREIGN },
		{ "Not responding", REASON_FOREIGN },
		{ " : Not responding", REASON_FOREIGN },
	};
	for (size_t i = 0; i < LENGTH(cases); i++)
		if (reason_class_of(cases[i].reason, "ns", "foo", "foo-0") != cases[i].whose)
			fail_msg("\"%s\" is not of class %d", cases[i].reason, cases[i].whose);
}

/* Acceptance: removal-7 */
static void test_our_cordon_is_lifted_then_the_drain_then_the_note(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 1);
	given_leaving(&g.pods[0], DRAINED);

	/*
	 * The new version of the pod makes a deletion fail that is still on its way: only
	 * then may work come back.
	 */
	when_planned(&g);
	const struct action *a = then(&g, DO(PATCH, POD), "foo-0");
	assert_non_null(strstr(a->body, ANNOTATION_POD_CORDON "\":null"));
	assert_non_null(strstr(a->body, ANNOTATION_CORDONED_BY "\":\"returning\""));
	then_no(&g, DO(UNDRAIN, SLURM_NODE), NULL);
	when_applied(&g, a);
	g.pods[0].fact.in_flight = true;
	when_planned(&g);
	then_no(&g, DO(UNDRAIN, SLURM_NODE), NULL);

	g.pods[0].fact.in_flight = false;
	when_planned(&g);
	assert_true(names_node(&g, DO(UNDRAIN, SLURM_NODE), "foo-0"));
	/*
	 * The note is the proof that the drain is ours: it stays until the drain is gone.
	 */
	then_no(&g, DO(PATCH, POD), NULL);

	given_node(&g.pods[0], NODE_IDLE | NODE_NOT_RESPONDING, "");
	when_settled(&g);
	then_nothing(&g);
	assert_null(pod_annotation(&g.pods[0].fact, ANNOTATION_CORDONED_BY));
}

static void test_a_deletion_on_its_way_keeps_the_drain(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 1);
	given_node(&g.pods[0], DRAINED, OUR_REASON);
	g.pods[0].fact.in_flight = true;
	when_planned(&g);
	then_no(&g, DO(UNDRAIN, SLURM_NODE), NULL);
}

static void test_users_cordon_in_the_moment_of_return_is_the_users(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 1);
	given_annotation(&g.pods[0], ANNOTATION_POD_CORDON, "true");
	given_annotation(&g.pods[0], ANNOTATION_CORDONED_BY, CORDONED_BY_RETURNING);
	given_node(&g.pods[0], DRAINED, OUR_REASON);
	when_settled(&g);
	then_nothing(&g);
	assert_string_equal(pod_annotation(&g.pods[0].fact, ANNOTATION_POD_CORDON), "true");
	assert_null(pod_annotation(&g.pods[0].fact, ANNOTATION_CORDONED_BY));
}

/* Acceptance: removal-7 */
static void test_foreign_reason_is_untouched_and_our_cordon_goes(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 1);
	given_our_cordon(&g.pods[0]);
	given_node(&g.pods[0], DRAINED, "bad disk (alice)");
	when_settled(&g);
	then_nothing(&g);
	assert_null(pod_annotation(&g.pods[0].fact, ANNOTATION_POD_CORDON));
}

/* Acceptance: removal-5 */
static void test_not_drained_sends_nothing(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 1);
	when_planned(&g);
	then_no(&g, DO(UNDRAIN, SLURM_NODE), NULL);
	then_no(&g, DO(DRAIN, SLURM_NODE), NULL);
}

/* Acceptance: removal-7 */
static void test_empty_reason_without_our_cordon_is_somebody_elses(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 1);
	given_node(&g.pods[0], DRAINED, "");
	when_settled(&g);
	then_nothing(&g);
}

/*
 * On a Slurm that keeps the reason of an UNDRAIN: a script drains the node later, and
 * gives none.
 */
static void test_a_later_drain_without_a_reason_is_somebody_elses(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 1);
	given_node(&g.pods[0], DRAINED, OUR_REASON);
	when_settled(&g);
	const char *left = then(&g, DO(UNDRAIN, SLURM_NODE), NULL)->text;
	given_node(&g.pods[0], NODE_IDLE | NODE_DYNAMIC, left);
	when_settled(&g);

	given_node(&g.pods[0], DRAINED, left);
	when_settled(&g);
	then_nothing(&g);
}

/*
 * With ReturnToService=1 a node that was lost while it was drained stays DOWN because of
 * our reason (Slurm 24.11.5).
 */
static void test_a_node_that_our_reason_keeps_down_is_resumed_for_the_next_pod(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 1);
	given_node(&g.pods[0], NODE_DOWN | NODE_DRAIN | NODE_DYNAMIC,
		OUR_REASON " : Not responding");
	when_settled(&g);
	assert_true(names_node(&g, DO(RESUME, SLURM_NODE), "foo-0"));

	g.pods[0].node.address = "10.9.9.9";
	when_settled(&g);
	then_no(&g, DO(RESUME, SLURM_NODE), NULL);
}

static void test_the_drain_of_another_nodeset_is_not_lifted(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 1);
	given_our_cordon(&g.pods[0]);
	given_node(&g.pods[0], DRAINED, "slurm-operator: NodeSet (ns/bar) is letting the pod go");
	when_settled(&g);
	then_nothing(&g);
}

/* Acceptance: removal-25 */
static void test_node_that_cannot_work_is_not_undrained(void **state)
{
	(void)state;
	static const uint32_t states[] = { NODE_DOWN | NODE_DRAIN | NODE_NOT_RESPONDING,
		NODE_IDLE | NODE_DRAIN | NODE_NOT_RESPONDING,
		NODE_IDLE | NODE_DRAIN | NODE_INVALID_REG, NODE_IDLE | NODE_DRAIN | NODE_REBOOT };
	for (size_t i = 0; i < LENGTH(states); i++) {
		WORLD(g);
		given_at_rest(&g, 1);
		given_node(&g.pods[0], states[i], OUR_REASON);
		when_settled(&g);
		then_nothing(&g);
	}
}

/* Acceptance: removal-18 */
static void test_a_predecessors_drain_is_lifted_when_the_new_pod_is_ready(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 1);
	given_node(&g.pods[0], DRAINED, OUR_REASON);
	g.pods[0].fact.ready = false;
	when_planned(&g);
	then_no(&g, DO(UNDRAIN, SLURM_NODE), NULL);
	g.pods[0].fact.ready = true;
	when_settled(&g);
	assert_true(names_node(&g, DO(UNDRAIN, SLURM_NODE), "foo-0"));
}

/*
 * A manager after this one must know that the drain may be lifted at any moment, by what
 * this one has sent.
 */
static void test_a_pod_says_that_its_node_is_returned_before_that_is_sent(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 1);
	given_node(&g.pods[0], DRAINED, OUR_REASON);
	when_planned(&g);
	then_no(&g, DO(UNDRAIN, SLURM_NODE), NULL);
	then(&g, DO(PATCH, POD), "foo-0");
	when_settled(&g);
	assert_string_equal(pod_annotation(&g.pods[0].fact, ANNOTATION_CORDONED_BY),
		CORDONED_BY_RETURNING);
	assert_true(names_node(&g, DO(UNDRAIN, SLURM_NODE), "foo-0"));
}

static void test_a_new_manager_waits_for_what_the_one_before_it_may_have_lifted(void **state)
{
	(void)state;
	WORLD(g);
	given_condemned(&g, DRAINED);
	given_no_annotation(&g.pods[0], ANNOTATION_POD_CORDON);
	given_annotation(&g.pods[0], ANNOTATION_CORDONED_BY, CORDONED_BY_RETURNING);
	g.slurm.since_ms = g.now_ms - 1000;
	when_settled(&g);
	then_no(&g, DO(DELETE, POD), NULL);
	assert_string_equal(pod_annotation(&g.pods[0].fact, ANNOTATION_CORDONED_BY),
		CORDONED_BY_AGAIN);
	assert_int_equal(g.plan.again_in_ms, SLURM_LATE_MS - 1000 + 1);

	g.slurm.since_ms = g.now_ms - SLURM_LATE_MS;
	when_planned(&g);
	then(&g, DO(DELETE, POD), "foo-0");
}

static void then_made(struct given *g, const char *cordoned_by)
{
	given_hash(g);
	when_settled(g);
	const char *body = then(g, DO(CREATE, POD), "foo-0")->body;
	const struct json *annotations = json_at(given_json(g, body), "metadata", "annotations");
	assert_string_equal(json_str(json_get(annotations, ANNOTATION_CORDONED_BY), ""),
		cordoned_by);
}

static void test_the_next_pod_bears_the_mark_of_the_one_before(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":1");
	then_made(&g, "");
	g.returned[g.n_returned++] = "foo-0";
	then_made(&g, CORDONED_BY_RETURNING);
}

static void test_a_new_manager_marks_the_pod_whose_node_is_left_drained(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":1");
	g.slurm.since_ms = g.now_ms - 1000;
	then_made(&g, "");
	g.records[g.n_records++] = (struct record_fact){
		.node = "foo-0",
		.pod = "foo-0",
		.podless_since_ms = g.now_ms,
		.fact = { .known = YES, .state = DRAINED, .reason = "disk", .comment = "" },
	};
	then_made(&g, CORDONED_BY_RETURNING);
	g.slurm.since_ms = g.now_ms - SLURM_LATE_MS;
	then_made(&g, "");
}

/*
 * Two lifts may have been sent, by two managers: that the node is back says that one has
 * come.
 */
static void test_a_new_manager_takes_the_mark_away_only_when_nothing_can_come_late(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 1);
	given_annotation(&g.pods[0], ANNOTATION_CORDONED_BY, CORDONED_BY_RETURNING);
	given_node(&g.pods[0], NODE_IDLE, "");
	g.slurm.since_ms = g.now_ms - 20000;
	when_planned(&g);
	then_no(&g, DO(PATCH, POD), NULL);
	assert_true(g.plan.again_in_ms > 0 && g.plan.again_in_ms <= SLURM_LATE_MS);

	g.slurm.since_ms = g.now_ms - SLURM_LATE_MS;
	g.pods[0].node.drain_until_ms = g.now_ms + 3000;
	when_planned(&g);
	then_no(&g, DO(PATCH, POD), NULL);
	g.pods[0].node.drain_until_ms = g.now_ms - 1;
	when_planned(&g);
	then(&g, DO(PATCH, POD), "foo-0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_decide_undrain_table),
		cmocka_unit_test(test_whose_a_reason_is),
		cmocka_unit_test(test_our_cordon_is_lifted_then_the_drain_then_the_note),
		cmocka_unit_test(test_a_deletion_on_its_way_keeps_the_drain),
		cmocka_unit_test(test_users_cordon_in_the_moment_of_return_is_the_users),
		cmocka_unit_test(test_foreign_reason_is_untouched_and_our_cordon_goes),
		cmocka_unit_test(test_not_drained_sends_nothing),
		cmocka_unit_test(test_empty_reason_without_our_cordon_is_somebody_elses),
		cmocka_unit_test(test_a_later_drain_without_a_reason_is_somebody_elses),
		cmocka_unit_test(
			test_a_node_that_our_reason_keeps_down_is_resumed_for_the_next_pod),
		cmocka_unit_test(test_the_drain_of_another_nodeset_is_not_lifted),
		cmocka_unit_test(test_node_that_cannot_work_is_not_undrained),
		cmocka_unit_test(test_a_predecessors_drain_is_lifted_when_the_new_pod_is_ready),
		cmocka_unit_test(test_a_pod_says_that_its_node_is_returned_before_that_is_sent),
		cmocka_unit_test(
			test_a_new_manager_waits_for_what_the_one_before_it_may_have_lifted),
		cmocka_unit_test(test_the_next_pod_bears_the_mark_of_the_one_before),
		cmocka_unit_test(test_a_new_manager_marks_the_pod_whose_node_is_left_drained),
		cmocka_unit_test(
			test_a_new_manager_takes_the_mark_away_only_when_nothing_can_come_late),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
