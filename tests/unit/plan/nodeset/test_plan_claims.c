/* SPDX-License-Identifier: Apache-2.0 */
/* Persistent volume claims are made before the pod. */
#include "lib/given.h"

static void test_claim_is_made_before_its_pod(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":1," TEMPLATES);
	when_planned(&g);
	then(&g, DO(CREATE, PVC), "data-foo-0");
	then_no(&g, DO(CREATE, POD), NULL);

	given_claim(&g, "data-foo-0", "");
	g.claims[0].in_flight = true;
	when_planned(&g);
	then_no(&g, DO(CREATE, PVC), NULL);
	then_no(&g, DO(CREATE, POD), NULL);

	g.claims[0].in_flight = false;
	when_planned(&g);
	assert_non_null(strstr(then(&g, DO(CREATE, POD), "foo-0")->body,
		"\"claimName\":\"data-foo-0\""));
}

static void test_existing_claim_is_reused(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":1," TEMPLATES);
	given_claim(&g, "data-foo-0", "");
	when_planned(&g);
	then(&g, DO(CREATE, POD), "foo-0");
	then_no(&g, DO(CREATE, PVC), NULL);
	then_no(&g, DO(PATCH, PVC), NULL);
}

static void test_claim_that_is_being_deleted_delays_the_pod_and_says_so(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":1," TEMPLATES);
	given_claim(&g, "data-foo-0", "\"deletionTimestamp\":\"2026-01-01T00:00:00Z\"");
	when_settled(&g);
	then_nothing(&g);
	then_condition(&g, "Degraded", "True", "ClaimEnding");
	assert_non_null(strstr(condition_member(&g, "Degraded", "message"), "data-foo-0"));
}

/* Acceptance: claim-5 */
static void test_a_predecessors_claim_is_waited_for_only_when_scaling_deletes(void **state)
{
	(void)state;
	static const struct {
		const char *spec;
		bool waits;
	} rows[] = {
		{ "\"replicas\":1," POLICY("Retain", "Delete") "," TEMPLATES, true },
		{ "\"replicas\":1," POLICY("Retain", "Retain") "," TEMPLATES, false },
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		WORLD(g);
		given_nodeset(&g, rows[i].spec);
		given_claim(&g, "data-foo-0", OWNED_BY("Pod", "foo-0", "long-gone", "true"));
		when_settled(&g);
		assert_int_equal(count_actions(&g, DO(CREATE, POD)), !rows[i].waits);
		then_no(&g, DO(PATCH, PVC), NULL);
	}
}

static void test_claim_that_a_nodeset_of_the_same_name_left_is_waited_for(void **state)
{
	(void)state;
	/*
	 * "kubectl replace --force": the collector has yet to take what the first one
	 * owned.
	 */
	static const char *const policies[] = { POLICY("Retain", "Retain"),
		POLICY("Delete", "Retain"), POLICY("Delete", "Delete") };
	for (size_t i = 0; i < LENGTH(policies); i++) {
		WORLD(g);
		given_nodeset(&g,
			arena_printf(&g.arena, "\"replicas\":1,%s," TEMPLATES, policies[i]));
		given_claim(&g, "data-foo-0", OWNED_BY("NodeSet", "foo", "the-first", "true"));
		when_settled(&g);
		then_nothing(&g);
		then_condition(&g, "Degraded", "True", "ClaimEnding");
		g.n_claims = 0;
		when_planned(&g);
		then(&g, DO(CREATE, PVC), "data-foo-0");
	}
}

static void test_claim_that_vanished_under_a_pod_that_has_no_machine_yet_is_made_again(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":1," TEMPLATES);
	given_pods(&g, 1);
	given_mounted(&g.pods[0], "data", "data-foo-0");
	given_pending(&g.pods[0], false);
	when_planned(&g);
	assert_non_null(strstr(then(&g, DO(CREATE, PVC), "data-foo-0")->body, "ReadWriteOnce"));

	/*
	 * Not for one that has its machine, and with it its volumes; that goes; or that
	 * does not use it.
	 */
	given_pending(&g.pods[0], true);
	when_planned(&g);
	then_no(&g, DO(CREATE, PVC), NULL);
	given_pending(&g.pods[0], false);
	g.pods[0].fact.terminating = true;
	when_planned(&g);
	then_no(&g, DO(CREATE, PVC), NULL);
	g.pods[0].fact.terminating = false;
	g.pods[0].fact.n_claims = 0;
	when_planned(&g);
	then_no(&g, DO(CREATE, PVC), NULL);
	given_mounted(&g.pods[0], "data", "data-foo-0");
	given_spec(&g, "\"replicas\":1," TEMPLATES, GIVEN_DELETING);
	when_planned(&g);
	then_no(&g, DO(CREATE, PVC), NULL);
}

static void test_claims_that_vanished_are_made_again_no_faster_than_pods(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":3," TEMPLATES);
	given_pods(&g, 3);
	for (size_t i = 0; i < 3; i++) {
		given_mounted(&g.pods[i], "data", arena_printf(&g.arena, "data-foo-%zu", i));
		given_pending(&g.pods[i], false);
	}
	g.max_creates = 2;
	when_planned(&g);
	assert_int_equal(count_actions(&g, DO(CREATE, PVC)), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_claim_is_made_before_its_pod),
		cmocka_unit_test(test_existing_claim_is_reused),
		cmocka_unit_test(test_claim_that_is_being_deleted_delays_the_pod_and_says_so),
		cmocka_unit_test(test_a_predecessors_claim_is_waited_for_only_when_scaling_deletes),
		cmocka_unit_test(test_claim_that_a_nodeset_of_the_same_name_left_is_waited_for),
		cmocka_unit_test(
			test_claim_that_vanished_under_a_pod_that_has_no_machine_yet_is_made_again),
		cmocka_unit_test(test_claims_that_vanished_are_made_again_no_faster_than_pods),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
