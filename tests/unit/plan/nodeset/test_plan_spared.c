/* SPDX-License-Identifier: Apache-2.0 */
/*
 * P4 when the choice changes: a pod that is spared may be taken all the same, by a
 * deletion that was sent before.
 */
#include "lib/given.h"

static void test_deletion_on_its_way_stays_the_choice(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":3," ROLLING("1"));
	given_old_pods(&g, 3);
	for (int i = 0; i < 2; i++)
		given_leaving(&g.pods[i], NODE_IDLE | NODE_DRAIN);
	g.pods[0].fact.in_flight = true; /* foo-1 would be first otherwise */
	when_planned(&g);
	then_no(&g, DO(DELETE, POD), NULL);
	assert_non_null(strstr(then(&g, DO(PATCH, POD), "foo-1")->body,
		ANNOTATION_POD_CORDON "\":null"));
}

static void test_no_pod_goes_while_a_spared_one_still_carries_our_cordon(void **state)
{
	(void)state;
	static const char *const specs[] = { "\"replicas\":3," ROLLING("1"), "\"replicas\":2" };
	for (size_t i = 0; i < LENGTH(specs); i++) {
		WORLD(g);
		given_nodeset(&g, specs[i]);
		given_old_pods(&g, 3);
		for (int k = 1; k < 3; k++) {
			given_leaving(&g.pods[k], NODE_IDLE | NODE_DRAIN);
			if (i)
				given_label(&g.pods[k], LABEL_HASH, g.hash);
		}
		if (i)
			given_label(&g.pods[0], LABEL_HASH, g.hash);
		when_planned(&g);
		then_no(&g, DO(DELETE, POD), NULL);
		assert_int_not_equal(g.plan.demand.of[ASK_NODES].need, SLURM_AT_REST);
		when_settled(&g);
		assert_int_equal(count_actions(&g, DO(DELETE, POD)), 1);
		then(&g, DO(DELETE, POD), "foo-2");
	}
}

/*
 * Seed 1797500008843 of the simulator: foo-0 went for the update and foo-3, which people
 * had cordoned, because of replicas. Then foo-0 terminated, so that foo-3 was one too
 * many no more, and counted as in service while its deletion was on its way.
 */
static void test_nor_while_one_that_people_cordoned_may_be_going(void **state)
{
	(void)state;
	for (int sent = 0; sent < 2; sent++) {
		WORLD(g);
		given_nodeset(&g, "\"replicas\":2," ROLLING("1"));
		given_old_pods(&g, 2);
		struct given_pod *spared = given_pod(&g, 3);
		given_annotation(spared, ANNOTATION_POD_CORDON, "true");
		given_our_cordon(&g.pods[1]);
		for (int k = 1; k < 3; k++)
			given_node(&g.pods[k], NODE_IDLE | NODE_DRAIN, OUR_REASON);
		g.pods[0].fact.terminating = true;
		if (sent)
			spared->fact.deletion_sent_ms = g.now_ms - 1000; /* its answer was lost */
		else
			spared->fact.in_flight = true;
		when_planned(&g);
		then_no(&g, DO(DELETE, POD), NULL);
		spared->fact.deletion_sent_ms = 0;
		spared->fact.in_flight = false;
		when_planned(&g);
		then(&g, DO(DELETE, POD), "foo-1");
	}
}

static void test_a_cordon_that_cannot_be_lifted_holds_others_up_for_a_while(void **state)
{
	(void)state;
	/*
	 * Since when this manager acts, and when it last sent a deletion of the spared
	 * pod, s ago; -1: never.
	 */
	static const struct {
		int64_t acting_s, deletion_s;
		bool goes;
	} rows[] = {
		{ 1, -1, false },
		{ 89, -1, false },
		{ 90, -1, true },
		{ 900, 1, false },
		{ 900, 89, false },
		{ 900, 90, true },
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		WORLD(g);
		given_nodeset(&g, "\"replicas\":3," ROLLING("1"));
		given_pods(&g, 4);
		/* foo-1 was chosen, and is spared; foo-3 goes. */
		for (int k = 1; k < 4; k += 2) {
			given_leaving(&g.pods[k], NODE_IDLE | NODE_DRAIN);
		}
		given_annotation(&g.pods[3], ANNOTATION_DELETION_COST, "-1");
		g.acting_since_ms = g.now_ms - rows[i].acting_s * 1000;
		g.pods[1].fact.deletion_sent_ms = rows[i].deletion_s < 0
			? 0
			: g.now_ms - rows[i].deletion_s * 1000;
		when_planned(&g);
		assert_true(rows[i].goes || g.plan.again_in_ms > 0);
		then_no(&g, DO(DELETE, POD), "foo-1");
		assert_int_equal(count_actions(&g, DO(DELETE, POD)), rows[i].goes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_deletion_on_its_way_stays_the_choice),
		cmocka_unit_test(test_no_pod_goes_while_a_spared_one_still_carries_our_cordon),
		cmocka_unit_test(test_nor_while_one_that_people_cordoned_may_be_going),
		cmocka_unit_test(test_a_cordon_that_cannot_be_lifted_holds_others_up_for_a_while),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
