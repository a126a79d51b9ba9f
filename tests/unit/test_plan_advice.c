/* What a condition advises: never a lie, and always something that can be done. */
#include "unit/given.h"

/* ---- actions that keep failing ---- */

static void test_every_kind_of_action_that_fails_has_words(void **state)
{
	(void)state;
	for (int kind = 0; kind < ACT_KINDS; kind++) {
		WORLD(g);
		given_nodeset(&g, "\"replicas\":1");
		given_pods(&g, 1);
		given_failing(&g, kind, ERR_RETRY, "n-1", "no answer");
		when_settled(&g);
		then_condition(&g, "Degraded", "True", "ActionsFailing");
		then_says(&g, "Degraded", " fails");
		then_says_not(&g, "Degraded", "null");
	}
}

static void test_a_slurm_node_that_stays_is_told_with_what_may_hold_it(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":1");
	given_pods(&g, 1);
	given_failing(&g, ACT_DELETE_NODE, ERR_INVALID, "foo-1", "deleting node foo-1 of Slurm: Slurm refused");
	when_settled(&g);
	then_says(&g, "Degraded", "removing Slurm nodes of pods that are gone fails: foo-1: deleting node foo-1 of Slurm: Slurm refused");
	then_says(&g, "Degraded", "scontrol show reservation");
	then_says_not(&g, "Degraded", "spec.template");

	given_slurm_silent(&g); /* then that is all there is to say */
	when_settled(&g);
	then_condition(&g, "Degraded", "True", "ClusterNotReady");
	then_says_not(&g, "Degraded", "foo-1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_kind_of_action_that_fails_has_words),
		cmocka_unit_test(test_a_slurm_node_that_stays_is_told_with_what_may_hold_it),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
