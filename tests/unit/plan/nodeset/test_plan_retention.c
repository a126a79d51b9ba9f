/* SPDX-License-Identifier: Apache-2.0 */
/* The owner of a claim, and its fate, by the retention policy. */
#include "lib/given.h"
#include "json/build.h"

/*
 * The owner of the claim of foo-0 after the plan, when foo-0 stays and when a scale-in
 * takes it: '-' none, 'S' the NodeSet, 'P' the pod.
 */
static char owner_after(const char *policy, bool scaled_in)
{
	WORLD(g);
	given_nodeset(&g,
		arena_printf(&g.arena, "\"replicas\":%d%s," TEMPLATES, scaled_in ? 0 : 1, policy));
	given_pods(&g, 1);
	given_node(&g.pods[0], NODE_ALLOCATED, "");
	given_claim(&g, "data-foo-0", "");
	when_planned(&g);
	const struct action *a = find_action(&g, DO(PATCH, PVC), "data-foo-0");
	char owner = !a                                    ? '-'
		: strstr(a->body, "\"uid\":\"set\"")       ? 'S'
		: strstr(a->body, "\"uid\":\"uid-foo-0\"") ? 'P'
							   : '?';
	return owner;
}

/* Acceptance: claim-2 */
static void test_retention_table(void **state)
{
	(void)state;
	static const struct {
		const char *policy;
		char stays, goes;
	} rows[] = {
		{ "", '-', '-' },
		{ "," POLICY("Retain", "Retain"), '-', '-' },
		{ "," POLICY("Delete", "Retain"), 'S', 'S' },
		{ "," POLICY("Retain", "Delete"), '-', 'P' },
		{ "," POLICY("Delete", "Delete"), 'S', 'P' },
		{ "," POLICY("Delete", "Perhaps"), '-', '-' },
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		assert_int_equal(owner_after(rows[i].policy, false), rows[i].stays);
		assert_int_equal(owner_after(rows[i].policy, true), rows[i].goes);
	}
}

/* whenScaled is Delete, and the claim has no owner yet. */
static void given_a_scale_in_of_a_drained_pod(struct given *g)
{
	given_nodeset(g, "\"replicas\":0," POLICY("Retain", "Delete") "," TEMPLATES);
	given_pods(g, 1);
	given_leaving(&g->pods[0], NODE_IDLE | NODE_DRAIN);
	given_claim(g, "data-foo-0", "");
}

static void test_pod_goes_only_after_its_claim_was_handed_over(void **state)
{
	(void)state;
	WORLD(g);
	given_a_scale_in_of_a_drained_pod(&g);
	when_planned(&g);
	/*
	 * A reference that blocks its pod's deletion would need the right to update
	 * pods/finalizers.
	 */
	assert_non_null(strstr(then(&g, DO(PATCH, PVC), "data-foo-0")->body,
		"\"blockOwnerDeletion\":false"));
	then_no(&g, DO(DELETE, POD), NULL);
	g.n_claims = 0;
	given_claim(&g, "data-foo-0", OWNED_BY("Pod", "foo-0", "uid-foo-0", "true"));
	when_planned(&g);
	then(&g, DO(DELETE, POD), "foo-0");
	then_no(&g, DO(PATCH, PVC), NULL);
}

static void test_update_and_users_cordon_do_not_cost_the_data(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":2," POLICY("Retain", "Delete") "," TEMPLATES);
	given_pods(&g, 2);
	given_old(&g.pods[0]);
	given_annotation(&g.pods[1], ANNOTATION_POD_CORDON, "true");
	given_claim(&g, "data-foo-0", "");
	given_claim(&g, "data-foo-1", "");
	when_planned(&g);
	then_no(&g, DO(PATCH, PVC), NULL);
}

static void test_spared_pod_gets_its_claim_back(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":1," POLICY("Retain", "Delete") "," TEMPLATES);
	given_pods(&g, 1);
	given_claim(&g, "data-foo-0", OWNED_BY("Pod", "foo-0", "uid-foo-0", "true"));
	when_planned(&g);
	assert_non_null(strstr(then(&g, DO(PATCH, PVC), "data-foo-0")->body,
		"\"ownerReferences\":[]"));
}

static void test_pod_that_is_only_updated_goes_after_its_claim_came_back(void **state)
{
	(void)state;
	WORLD(g);
	/*
	 * A scale-in had chosen it and handed its claim over; then replicas went up
	 * again, together with a new template.
	 */
	given_nodeset(&g, "\"replicas\":1," POLICY("Retain", "Delete") "," TEMPLATES);
	given_pods(&g, 1);
	given_old(&g.pods[0]);
	given_leaving(&g.pods[0], NODE_IDLE | NODE_DRAIN);
	given_claim(&g, "data-foo-0", OWNED_BY("Pod", "foo-0", "uid-foo-0", "true"));
	when_planned(&g);
	assert_non_null(strstr(then(&g, DO(PATCH, PVC), "data-foo-0")->body,
		"\"ownerReferences\":[]"));
	then_no(&g, DO(DELETE, POD), NULL);

	g.claims[0].in_flight = true;
	when_planned(&g);
	then_no(&g, DO(DELETE, POD), NULL);

	g.claims[0].in_flight = false;
	g.n_claims = 0;
	given_claim(&g, "data-foo-0", "");
	when_planned(&g);
	then(&g, DO(DELETE, POD), "foo-0");
	then_no(&g, DO(PATCH, PVC), NULL);
}

static void test_ended_pod_does_not_take_its_claim_along(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":1," POLICY("Retain", "Delete") "," TEMPLATES);
	given_pods(&g, 1);
	g.pods[0].fact.phase = POD_FAILED;
	/*
	 * A claim of a predecessor is on its way out by the collector; our pod must not
	 * be the last owner that goes.
	 */
	given_claim(&g, "data-foo-0",
		"\"ownerReferences\":[{\"kind\":\"Pod\",\"name\":\"foo-0\",\"uid\":\"long-gone\"},"
		"{\"kind\":\"Pod\",\"name\":\"foo-0\",\"uid\":\"uid-foo-0\"}]");
	when_planned(&g);
	then_no(&g, DO(DELETE, POD), NULL);
}

/* The NodeSet is deleted, its pod may go, and its claim, which it owns, is to stay. */
static void given_to_leave_its_claim(struct given *g)
{
	given_nodeset_meta(g, "\"replicas\":1," POLICY("Retain", "Retain") "," TEMPLATES,
		GIVEN_DELETING);
	given_pods(g, 1);
	given_leaving(&g->pods[0], NODE_IDLE | NODE_DRAIN);
	given_claim(g, "data-foo-0", OWNED_BY("NodeSet", "foo", "set", "true"));
}

static void test_deleted_nodeset_waits_for_claims_that_it_is_to_leave_behind(void **state)
{
	(void)state;
	WORLD(g);
	given_to_leave_its_claim(&g);
	when_planned(&g);
	then(&g, DO(PATCH, PVC), "data-foo-0");
	then_no(&g, DO(DELETE, POD), NULL);
}

static void test_claims_without_a_pod_are_let_go_of_before_the_nodeset_goes(void **state)
{
	(void)state;
	/*
	 * whenDeleted was Delete when foo-1 was scaled in, and its claim was kept for the
	 * NodeSet's sake; now it is Retain.
	 */
	WORLD(g);
	given_nodeset_meta(&g, "\"replicas\":0," POLICY("Retain", "Retain") "," TEMPLATES,
		GIVEN_DELETING);
	given_claim(&g, "data-foo-1",
		"\"ownerReferences\":[{\"kind\":\"Backup\",\"name\":\"b\",\"uid\":\"theirs\"},"
		"{\"kind\":\"NodeSet\",\"name\":\"foo\",\"uid\":\"set\",\"controller\":true}]");
	when_planned(&g);
	const char *body = then(&g, DO(PATCH, PVC), "data-foo-1")->body;
	assert_non_null(strstr(body, "theirs"));
	assert_null(strstr(body, "\"set\""));
	then_no(&g, DO(PATCH, NODESET), NULL);

	g.claims[0].in_flight = true;
	when_planned(&g);
	then_no(&g, DO(PATCH, NODESET), NULL);

	g.claims[0].in_flight = false;
	g.n_claims = 0;
	given_claim(&g, "data-foo-1", "");
	when_planned(&g);
	then(&g, DO(PATCH, NODESET), "foo");
}

static const struct json *known_in_part(struct given *g, const struct json *whole, bool templates)
{
	struct jval *o = j_copy(g->d, whole);
	j_set_bool(g->d, o, JSON_CUT, true);
	if (templates)
		j_set(g->d, j_get(o, "spec"), "volumeClaimTemplates", j_null(g->d));
	else
		j_set(g->d, j_get(o, "metadata"), "ownerReferences", j_null(g->d));
	return given_json(g, j_text(g->d, o));
}

/* The collector would take them along. */
static void test_a_deleted_nodeset_waits_while_nobody_knows_its_claims(void **state)
{
	(void)state;
	for (int templates = 0; templates < 2; templates++) {
		WORLD(g);
		given_to_leave_its_claim(&g);
		const struct json *nodeset = g.object, *claim = g.claims[0].object;
		g.in_short = true;
		if (templates)
			g.object = known_in_part(&g, nodeset, true);
		else
			g.claims[0].object = known_in_part(&g, claim, false);
		for (g.n_pods = 1;; g.n_pods--) {
			when_planned(&g);
			then_no(&g, DO(DELETE, POD), NULL);
			then_no(&g, DO(PATCH, NODESET), NULL);
			if (!g.n_pods)
				break;
		}
		g.object = nodeset;
		g.claims[0].object = claim;
		when_planned(&g);
		then(&g, DO(PATCH, PVC), "data-foo-0");
	}
}

static void test_claims_that_are_none_of_ours_by_name_or_policy_hold_nothing_up(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset_meta(&g, "\"replicas\":0," POLICY("Delete", "Retain") "," TEMPLATES,
		GIVEN_DELETING);
	/* Is to go with it */
	given_claim(&g, "data-foo-1", OWNED_BY("NodeSet", "foo", "set", "true"));
	given_claim(&g, "data-foo-2", "");
	given_claim(&g, "data-foo-x", OWNED_BY("NodeSet", "foo", "set", "true"));
	given_claim(&g, "logs-foo-1", OWNED_BY("NodeSet", "foo", "set", "true"));
	given_claim(&g, "data-foo-bar-1", OWNED_BY("NodeSet", "foo-bar", "other", "true"));
	when_planned(&g);
	then_no(&g, DO(PATCH, PVC), NULL);
	then(&g, DO(PATCH, NODESET), "foo");
}

static void test_terminating_pod_that_is_made_again_gives_its_claim_back(void **state)
{
	(void)state;
	/*
	 * foo-1 and foo-2 terminate after a scale-in, with their claims; replicas says
	 * which of them come again.
	 */
	static const struct {
		const char *spec;
		bool back_1, back_2;
	} rows[] = {
		{ "\"replicas\":1," POLICY("Retain", "Delete") "," TEMPLATES, false, false },
		{ "\"replicas\":2," POLICY("Retain", "Delete") "," TEMPLATES, true, false },
		{ "\"replicas\":3," POLICY("Retain", "Delete") "," TEMPLATES, true, true },
		/* The policy has changed since */
		{ "\"replicas\":1," POLICY("Retain", "Retain") "," TEMPLATES, true, true },
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		WORLD(g);
		given_nodeset(&g, rows[i].spec);
		given_pods(&g, 3);
		g.pods[1].fact.terminating = g.pods[2].fact.terminating = true;
		given_claim(&g, "data-foo-0", "");
		given_claim(&g, "data-foo-1", OWNED_BY("Pod", "foo-1", "uid-foo-1", "true"));
		given_claim(&g, "data-foo-2", OWNED_BY("Pod", "foo-2", "uid-foo-2", "true"));
		when_planned(&g);
		assert_int_equal(find_action(&g, DO(PATCH, PVC), "data-foo-1") != NULL,
			rows[i].back_1);
		assert_int_equal(find_action(&g, DO(PATCH, PVC), "data-foo-2") != NULL,
			rows[i].back_2);
	}
}

/* Acceptance: claim-3 */
static void test_foreign_controller_is_respected_and_told_once(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":1," POLICY("Delete", "Retain") "," TEMPLATES);
	given_pods(&g, 1);
	given_claim(&g, "data-foo-0", OWNED_BY("Database", "db", "theirs", "true"));
	when_planned(&g);
	assert_string_equal(then(&g, DO(TELL, EVENT), "foo")->reason, "ConflictingController");
	then_no(&g, DO(PATCH, PVC), NULL);
	when_settled(&g);
	then_nothing(&g);
	then_condition(&g, "Degraded", "True", "ConflictingController");
}

/*
 * The claim data-foo-0 of a StatefulSet "foo" is called as one of ours: what owns it
 * would take its data along.
 */
/* Acceptance: claim-4 */
static void test_a_claim_that_somebody_else_made_is_not_taken_along(void **state)
{
	(void)state;
	static const struct {
		const char *spec;
		bool told;
	} rows[] = {
		{ "\"replicas\":1," POLICY("Delete", "Retain") "," TEMPLATES, true },
		{ "\"replicas\":0," POLICY("Retain", "Delete") "," TEMPLATES, true },
		{ "\"replicas\":1," POLICY("Retain", "Retain") "," TEMPLATES, false },
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		WORLD(g);
		given_nodeset(&g, rows[i].spec);
		given_pods(&g, 1);
		given_foreign_claim(&g, "data-foo-0", "\"labels\":{\"app\":\"postgres\"}");
		when_planned(&g);
		then_no(&g, DO(PATCH, PVC), NULL);
		when_settled(&g);
		const char *reason = rows[i].told ? "ClaimNotOurs" : "AsExpected";
		then_condition(&g, "Degraded", rows[i].told ? "True" : "False", reason);
	}
}

static void test_a_claim_of_ours_is_known_by_expressions_as_well(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g,
		"\"replicas\":1," POLICY("Delete", "Retain") "," TEMPLATES
							     ",\"selector\":{\"matchExpressions\":["
							     "{\"key\":\"app\",\"operator\":\"In\","
							     "\"values\":[\"slurmd\"]}]}");
	when_planned(&g);
	const struct json *claim = given_json(&g, then(&g, DO(CREATE, PVC), "data-foo-0")->body);
	assert_string_equal(json_str(json_at(claim, "metadata", "labels", "app"), ""), "slurmd");
	given_pods(&g, 1);
	given_claim(&g, "data-foo-0", "");
	when_planned(&g);
	then(&g, DO(PATCH, PVC), "data-foo-0");
}

/* Acceptance: claim-3 */
static void test_reference_that_is_no_controller_is_upgraded_and_others_stay(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":1," POLICY("Delete", "Retain") "," TEMPLATES);
	given_pods(&g, 1);
	given_claim(&g, "data-foo-0",
		"\"ownerReferences\":[{\"kind\":\"Backup\",\"name\":\"b\",\"uid\":\"theirs\"},{"
		"\"kind\":\"NodeSet\",\"name\":\"foo\",\"uid\":\"set\"}]");
	when_planned(&g);
	const struct json *refs = json_at(given_json(&g,
						  then(&g, DO(PATCH, PVC), "data-foo-0")->body),
		"metadata", "ownerReferences");
	assert_int_equal(json_count(refs), 2);
	assert_string_equal(json_str(json_get(json_item(refs, 0), "uid"), ""), "theirs");
	assert_true(json_bool(json_get(json_item(refs, 1), "controller"), false));
}

/* Acceptance: claim-3 */
static void test_stale_reference_is_left_untouched(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":1," POLICY("Delete", "Delete") "," TEMPLATES);
	given_pods(&g, 1);
	given_claim(&g, "data-foo-0", OWNED_BY("Pod", "foo-0", "predecessor", "true"));
	when_settled(&g);
	then_nothing(&g);
}

static void test_deleted_nodeset_hands_no_claim_to_its_pods(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset_meta(&g, "\"replicas\":1," POLICY("Retain", "Delete") "," TEMPLATES,
		GIVEN_DELETING);
	given_pods(&g, 1);
	given_leaving(&g.pods[0], NODE_IDLE | NODE_DRAIN);
	given_claim(&g, "data-foo-0", "");
	when_planned(&g);
	then_no(&g, DO(PATCH, PVC), NULL);
	then(&g, DO(DELETE, POD), "foo-0");
}

/*
 * The deletion was ordered to replace the pod, whose claim was to stay. A scale-in that
 * is requested meanwhile comes too late for it: the next pod of the name may be wished
 * again.
 */
/* Acceptance: claim-2 */
static void test_a_deletion_that_is_on_its_way_is_given_no_claim(void **state)
{
	(void)state;
	WORLD(g);
	given_a_scale_in_of_a_drained_pod(&g);
	g.pods[0].fact.in_flight = true;
	when_planned(&g);
	then_no(&g, DO(PATCH, PVC), NULL);
	/* and: when it came to nothing, the claim is handed over first */
	g.pods[0].fact.in_flight = false;
	when_planned(&g);
	then(&g, DO(PATCH, PVC), "data-foo-0");
	then_no(&g, DO(DELETE, POD), NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_retention_table),
		cmocka_unit_test(test_pod_goes_only_after_its_claim_was_handed_over),
		cmocka_unit_test(test_update_and_users_cordon_do_not_cost_the_data),
		cmocka_unit_test(test_spared_pod_gets_its_claim_back),
		cmocka_unit_test(test_pod_that_is_only_updated_goes_after_its_claim_came_back),
		cmocka_unit_test(test_ended_pod_does_not_take_its_claim_along),
		cmocka_unit_test(test_deleted_nodeset_waits_for_claims_that_it_is_to_leave_behind),
		cmocka_unit_test(test_claims_without_a_pod_are_let_go_of_before_the_nodeset_goes),
		cmocka_unit_test(test_a_deleted_nodeset_waits_while_nobody_knows_its_claims),
		cmocka_unit_test(
			test_claims_that_are_none_of_ours_by_name_or_policy_hold_nothing_up),
		cmocka_unit_test(test_terminating_pod_that_is_made_again_gives_its_claim_back),
		cmocka_unit_test(test_foreign_controller_is_respected_and_told_once),
		cmocka_unit_test(test_a_claim_that_somebody_else_made_is_not_taken_along),
		cmocka_unit_test(test_a_claim_of_ours_is_known_by_expressions_as_well),
		cmocka_unit_test(test_reference_that_is_no_controller_is_upgraded_and_others_stay),
		cmocka_unit_test(test_stale_reference_is_left_untouched),
		cmocka_unit_test(test_deleted_nodeset_hands_no_claim_to_its_pods),
		cmocka_unit_test(test_a_deletion_that_is_on_its_way_is_given_no_claim),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
