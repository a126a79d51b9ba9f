/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The status of a NodeSet about spec.autoscaling, and when it does not follow the queue.
 */
#include "lib/given_autoscaled.h"
#include "plan/nodeset/worksheet.h"

/* ---- with others ---- */

/* Acceptance: autoscale-6 */
static void test_nothing_is_scaled_while_somebody_else_does(void **state)
{
	(void)state;
	WORLD(g);
	given_autoscaled(&g, AUTOSCALED(1, ""), 1);
	given_jobs(&g, 2, 1);
	when_settled(&g);
	then_replicas(&g, 2);
	given_edited(&g, "{\"spec\":{\"replicas\":4}}");
	when_settled(&g);
	then_replicas(&g, 4);
	then_autoscaling(&g, "False", "Conflict");
	/* No surplus is timed that may not be removed: each end would be a write */
	given_later(&g, DELAY_MS + 1000);
	given_jobs(&g, 2, 1);
	when_planned(&g);
	then_no(&g, DO(PATCH_STATUS, NODESET), "foo");
	/* Nodes and queue seem to agree, as a job is counted twice */
	given_jobs(&g, 4, 1);
	g.slurm.whole_seen_ms = g.queue.seen_ms + 1;
	when_settled(&g);
	then_autoscaling(&g, "False", "Conflict");
	given_jobs(&g, 5, 1);
	when_settled(&g);
	then_replicas(&g, 4);
	/* Nodes and queue agree again */
	given_edited(&g, "{\"spec\":{\"replicas\":5}}");
	when_settled(&g);
	then_autoscaling(&g, "True", "Following");
	given_edited(&g, "{\"spec\":{\"autoscaling\":null}}");
	when_settled(&g);
	then_replicas(&g, 5);
	then_autoscaling(&g, "", "(none)");
	assert_true(json_is_null(json_at(g.object, "status", "autoscaling")));
}

/* Acceptance: autoscale-7 */
static void test_a_block_that_cannot_be_used_is_as_if_it_were_not_there(void **state)
{
	(void)state;
	static const char *const bad[] = { "\"autoscaling\":{}",
		"\"autoscaling\":{\"maxReplicas\":1,\"minReplicas\":2}",
		"\"autoscaling\":{\"maxReplicas\":-1}", "\"autoscaling\":7",
		"\"autoscaling\":{\"maxReplicas\":3,\"buffer\":-1}",
		"\"autoscaling\":{\"maxReplicas\":3,\"scaleDownDelay\":\"soon\"}",
		"\"autoscaling\":{\"maxReplicas\":3,\"scaleDownDelay\":5}" };
	for (size_t i = 0; i < LENGTH(bad); i++) {
		WORLD(g);
		AUTO(str_free) struct str spec = { 0 };
		str_addf(&spec, "\"replicas\":1," TEMPLATE ",%s", bad[i]);
		given_autoscaled(&g, str_text(&spec), 1);
		given_jobs(&g, 3, 1);
		when_settled(&g);
		then_replicas(&g, 1);
		then_condition(&g, "Degraded", "True", "InvalidAutoscaling");
		assert_false(g.plan.demand.of[ASK_QUEUE].wanted);
	}
}

/* Acceptance: autoscale-8 */
static void test_a_job_that_never_fits_is_told_once(void **state)
{
	(void)state;
	WORLD(g);
	given_autoscaled(&g, AUTOSCALED(1, ""), 1);
	given_jobs(&g, 1, 6);
	when_planned(&g);
	assert_int_equal(events_of(&g, "JobDoesNotFit"), 1);
	when_settled(&g);
	assert_int_equal(events_of(&g, "JobDoesNotFit"), 0);
	then_replicas(&g, 1);
	then_autoscaling(&g, "True", "JobDoesNotFit");
}

static void then_trouble(const struct given *g, const char *word)
{
	assert_string_equal(json_str(json_at(g->object, "status", "trouble"), "(none)"), word);
}

/* Degraded is graver, and stays as it is. */
/* Acceptance: autoscale-21 */
static void test_the_column_trouble_says_what_autoscaling_waits_for(void **state)
{
	(void)state;
	WORLD(g);
	given_autoscaled(&g, AUTOSCALED(1, ""), 1);
	given_jobs(&g, 1, 6);
	when_settled(&g);
	then_trouble(&g, "JobDoesNotFit");
	then_condition(&g, "Degraded", "False", "AsExpected");
	given_jobs(&g, 2, 1);
	when_settled(&g);
	then_trouble(&g, "");
	given_edited(&g, "{\"spec\":{\"replicas\":4}}");
	when_settled(&g);
	then_trouble(&g, "Conflict");
	given_node(&g.pods[0], NODE_DOWN | NODE_DYNAMIC, "Not responding");
	g.pods[0].fact.ready_since_ms = g.wall_ms - REGISTER_GRACE_MS - 1000;
	when_settled(&g);
	then_trouble(&g, "SlurmNodesDown");
	then_autoscaling(&g, "False", "Conflict");
}

/* After a restart of the manager it is shown until Slurm has been asked. */
static void test_a_job_that_does_not_fit_stays_in_the_column_over_a_restart(void **state)
{
	(void)state;
	WORLD(g);
	given_autoscaled(&g, AUTOSCALED(1, ""), 1);
	given_jobs(&g, 1, 6);
	when_settled(&g);
	given_slurm_silent(&g);
	g.slurm.usable = UNKNOWN;
	when_settled(&g);
	then_trouble(&g, "JobDoesNotFit");
}

/* The last plan of a NodeSet that goes leaves its replicas alone. */
static void test_a_nodeset_that_is_deleted_follows_nothing(void **state)
{
	(void)state;
	WORLD(g);
	given_autoscaled(&g, AUTOSCALED(1, ""), 1);
	given_jobs(&g, 3, 1);
	given_spec(&g, AUTOSCALED(1, ""), GIVEN_DELETING);
	when_planned(&g);
	assert_false(scales(&g));
	assert_false(g.plan.demand.of[ASK_QUEUE].wanted);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_is_scaled_while_somebody_else_does),
		cmocka_unit_test(test_a_block_that_cannot_be_used_is_as_if_it_were_not_there),
		cmocka_unit_test(test_a_job_that_never_fits_is_told_once),
		cmocka_unit_test(test_the_column_trouble_says_what_autoscaling_waits_for),
		cmocka_unit_test(test_a_job_that_does_not_fit_stays_in_the_column_over_a_restart),
		cmocka_unit_test(test_a_nodeset_that_is_deleted_follows_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
