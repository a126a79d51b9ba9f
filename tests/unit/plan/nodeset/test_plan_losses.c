/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs that end because another client deletes their pod. */
#include "lib/given.h"

/* ---- jobs that another client ends ---- */

static void test_a_busy_pod_that_somebody_deletes_is_told_with_its_job(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 1);
	given_node(&g.pods[0], NODE_MIXED, "");
	when_settled(&g);
	then_nothing(&g);
	g.pods[0].fact.terminating = true;
	g.pods[0].node.held = YES;
	g.pods[0].node.holder.id = 8;
	g.pods[0].node.holder.user = "alice";
	when_planned(&g);
	const struct action *a = then(&g, DO(TELL, EVENT), "foo");
	assert_string_equal(a->reason, "DeletedWhileBusy");
	assert_true(a->promised && a->warning);
	assert_non_null(strstr(a->why, "pod foo-0 is deleted while job 8 of alice runs on it"));
}

/* The job may have begun a second ago, and the last list is older than that. */
static void test_the_node_of_a_pod_that_somebody_deletes_is_asked_for_at_once(void **state)
{
	(void)state;
	static const struct {
		uint32_t node;
		int64_t seen_after_ms; /* the pod was seen to terminate */
		bool asked;
	} rows[] = {
		{ NODE_IDLE, -3000, true }, { NODE_IDLE, 0, false },
		{ NODE_IDLE | NODE_DRAIN, -3000, false }, /* no job can begin there */
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		WORLD(g);
		given_at_rest(&g, 1);
		when_settled(&g);
		g.pods[0].fact.terminating = true;
		g.pods[0].fact.ending_seen_ms = g.pods[0].node.seen_ms - rows[i].seen_after_ms;
		g.pods[0].node.state = rows[i].node;
		when_planned(&g);
		assert_int_equal(g.plan.demand.of[ASK_LOOKS].n_names, rows[i].asked);
		assert_int_equal(g.plan.demand.of[ASK_NODES].need,
			rows[i].asked ? SLURM_SOON : SLURM_AT_REST);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_busy_pod_that_somebody_deletes_is_told_with_its_job),
		cmocka_unit_test(test_the_node_of_a_pod_that_somebody_deletes_is_asked_for_at_once),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
