/* SPDX-License-Identifier: Apache-2.0 */
/* spec.autoscaling on the day on which it is switched on. */
#include "api/admission.h"
#include "lib/given_autoscaled.h"
#include "plan/nodeset/worksheet.h"

/* As helm leaves it: the new manifest has no replicas any more. */
#define UNSET(more) TEMPLATE ",\"autoscaling\":{\"maxReplicas\":5" more "}"

static void given_published(struct given *g, int replicas)
{
	given_edited(g, arena_printf(&g->arena, "{\"status\":{\"replicas\":%d}}", replicas));
}

/* Acceptance: autoscale-19 */
static void test_replicas_that_are_left_out_are_the_pods_there_are(void **state)
{
	(void)state;
	WORLD(g);
	given_autoscaled(&g, UNSET(""), 3);
	given_published(&g, 3);
	given_jobs(&g, 0, 1);
	when_planned(&g);
	then_no(&g, DO(DELETE, POD), NULL);
	then_no(&g, DO(PATCH, POD), NULL);
	when_settled(&g);
	then_replicas(&g, 3);
	then_autoscaling(&g, "True", "Following");
	given_later(&g, DELAY_MS + 1000);
	when_settled(&g);
	then_replicas(&g, 0);
}

static void test_replicas_that_somebody_takes_away_are_set_again(void **state)
{
	(void)state;
	WORLD(g);
	given_autoscaled(&g, AUTOSCALED(1, ""), 1);
	given_jobs(&g, 2, 1);
	when_settled(&g);
	then_replicas(&g, 2);
	given_edited(&g, "{\"spec\":{\"replicas\":null}}");
	when_settled(&g);
	then_replicas(&g, 2);
	then_autoscaling(&g, "True", "Following");
}

/* Acceptance: autoscale-19 */
static void test_jobs_bring_pods_up_where_replicas_are_left_out(void **state)
{
	(void)state;
	WORLD(g);
	given_autoscaled(&g, UNSET(""), 0);
	given_jobs(&g, 1, 3);
	when_planned(&g);
	when_applied(&g, then(&g, DO(PATCH_STATUS, NODESET), "foo"));
	when_planned(&g);
	assert_string_equal(then(&g, DO(PATCH, NODESET), "foo")->why,
		"spec.replicas goes from 0 to 3: 0 nodes have jobs, and jobs that wait need 3");
	when_settled(&g);
	then_replicas(&g, 3);
}

/* replicas is 0 either way: no write and no Event. */
static void test_without_pods_nothing_is_written(void **state)
{
	(void)state;
	WORLD(g);
	given_autoscaled(&g, UNSET(""), 0);
	given_jobs(&g, 0, 1);
	when_settled(&g);
	then_replicas(&g, -1);
}

static void test_without_autoscaling_it_still_means_none(void **state)
{
	(void)state;
	WORLD(g);
	given_autoscaled(&g, TEMPLATE, 3);
	given_published(&g, 3);
	when_planned(&g);
	assert_int_equal(count_actions(&g, DO(DELETE, POD)) + count_actions(&g, DO(PATCH, POD)), 3);
}

static void test_the_webhook_warns_of_no_replicas_without_autoscaling_only(void **state)
{
	(void)state;
	for (int scaled = 0; scaled < 2; scaled++) {
		WORLD(g);
		struct nodeset n;
		struct admission found = { .arena = &g.arena };
		const struct nodeset_change made = { .new = &n, .others_known = true };
		given_autoscaled(&g, scaled ? UNSET("") : TEMPLATE, 0);
		nodeset_read(g.object, &n);
		admit_nodeset(&made, &found);
		assert_int_equal(found.n_denials, 0);
		assert_int_equal(found.n_warnings, scaled ? 0 : 1);
	}
}

/* ---- the last pod of a partition ---- */

static void then_down_to(struct given *g, int64_t n)
{
	when_settled(g);
	given_later(g, DELAY_MS + 1000);
	when_settled(g);
	then_replicas(g, n);
}

/* Acceptance: autoscale-20 */
static void test_the_last_pod_stays_until_slurm_has_other_nodes(void **state)
{
	(void)state;
	WORLD(g);
	given_autoscaled(&g, AUTOSCALED(3, ""), 3);
	g.partition_nodes = "foo=foo-[0-2];all=foo-[0-2],login1;";
	given_jobs(&g, 0, 1);
	then_down_to(&g, 1);
	then_autoscaling(&g, "True", "LastNode");
	assert_int_equal(g.plan.demand.of[ASK_PARTITIONS].need, SLURM_WHOLE);
	g.partition_nodes = "foo=foo-0,foo-future[0-4];all=foo-0,foo-future[0-4],login1;";
	when_settled(&g); /* the delay is over */
	then_replicas(&g, 0);
	then_autoscaling(&g, "True", "Following");
	assert_int_equal(g.plan.demand.of[ASK_PARTITIONS].need, SLURM_AT_REST);
}

/* slurmctld calls it no change when a partition gets nodes, or loses them. */
/* Acceptance: autoscale-20 */
static void test_what_was_known_of_partitions_a_while_ago_lets_no_last_pod_go(void **state)
{
	(void)state;
	WORLD(g);
	given_autoscaled(&g, AUTOSCALED(2, ""), 2);
	given_jobs(&g, 0, 1);
	when_settled(&g);
	assert_int_equal(g.plan.demand.of[ASK_PARTITIONS].need, SLURM_WHOLE);
	given_later(&g, DELAY_MS + 1000);
	g.partition_nodes_ms -= DELAY_MS + 3000; /* before the surplus began */
	when_settled(&g);
	then_replicas(&g, 1);
	then_autoscaling(&g, "True", "Following");
	assert_true(g.plan.again_in_ms > 0);
	g.partition_nodes_ms = g.now_ms;
	when_settled(&g);
	then_replicas(&g, 0);
}

/* A Slurm without FUTURE nodes may stay so for ever. */
/* Acceptance: autoscale-20 */
static void test_the_last_pod_waits_for_news_alone(void **state)
{
	(void)state;
	WORLD(g);
	given_autoscaled(&g, AUTOSCALED(1, ""), 1);
	g.partition_nodes = "foo=foo-0;";
	given_jobs(&g, 0, 1);
	then_down_to(&g, 1);
	then_autoscaling(&g, "True", "LastNode");
	assert_int_equal(g.plan.demand.of[ASK_NODES].need, SLURM_AT_REST);
	assert_int_equal(g.plan.again_in_ms, 0);
	given_later(&g, DELAY_MS);
	when_planned(&g);
	then_no(&g, DO(PATCH_STATUS, NODESET), NULL);
}

static void test_what_is_known_of_partitions_decides_whether_the_last_pod_stays(void **state)
{
	(void)state;
	static const struct {
		const char *nodes;
		int64_t left;
	} rows[] = {
		{ NULL, 0 }, /* not known, or Slurm takes jobs without nodes */
		{ "", 0 },   /* no room for them */
		{ "foo=;all=;", 1 },
		{ "foo=foo-0;", 1 },
		{ "foo=foo-[0-2,5];", 1 },
		{ "foo=foo-[0-2],foo-[7];", 1 },
		{ "foo=foo-[0-2],gpu[0-1];all=foo-0,gpu0;", 0 },
		{ "foo=foo-1b;all=foo-1b;", 0 },
		{ "foo=foo-future0;all=foo-future0;", 0 },
		{ "other=foo-0;", 0 },
		{ "foo=x0;all=foo-0;", 1 },
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		WORLD(g);
		given_autoscaled(&g, AUTOSCALED(2, ""), 2);
		g.partition_nodes = rows[i].nodes;
		given_jobs(&g, 0, 1);
		then_down_to(&g, rows[i].left);
	}
}

/* Both could go to zero at once; one with a minimum stays. */
static void test_pods_of_another_one_that_is_scaled_are_no_help(void **state)
{
	(void)state;
	static const char *const others[] = { "", ",\"minReplicas\":1" };
	for (int64_t i = 0; i < 2; i++) {
		WORLD(g);
		given_autoscaled(&g, AUTOSCALED(1, ""), 1);
		g.partition_nodes = "foo=foo-0,bar-0;";
		const struct json *other = given_json(&g,
			arena_printf(&g.arena,
				"{\"metadata\":{\"name\":\"bar\"},\"spec\":{\"autoscaling\":{"
				"\"maxReplicas\":2%s}}}",
				others[i]));
		g.siblings[0] = other;
		g.n_siblings = 1;
		given_jobs(&g, 0, 1);
		then_down_to(&g, 1 - i);
	}
}

static void test_a_maximum_of_none_means_none(void **state)
{
	(void)state;
	WORLD(g);
	given_autoscaled(&g, "\"replicas\":2," TEMPLATE ",\"autoscaling\":{\"maxReplicas\":0}", 2);
	g.partition_nodes = "foo=foo-[0-1];";
	given_jobs(&g, 0, 1);
	then_down_to(&g, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_replicas_that_are_left_out_are_the_pods_there_are),
		cmocka_unit_test(test_replicas_that_somebody_takes_away_are_set_again),
		cmocka_unit_test(test_jobs_bring_pods_up_where_replicas_are_left_out),
		cmocka_unit_test(test_without_pods_nothing_is_written),
		cmocka_unit_test(test_without_autoscaling_it_still_means_none),
		cmocka_unit_test(test_the_webhook_warns_of_no_replicas_without_autoscaling_only),
		cmocka_unit_test(test_the_last_pod_stays_until_slurm_has_other_nodes),
		cmocka_unit_test(test_what_was_known_of_partitions_a_while_ago_lets_no_last_pod_go),
		cmocka_unit_test(test_the_last_pod_waits_for_news_alone),
		cmocka_unit_test(
			test_what_is_known_of_partitions_decides_whether_the_last_pod_stays),
		cmocka_unit_test(test_pods_of_another_one_that_is_scaled_are_no_help),
		cmocka_unit_test(test_a_maximum_of_none_means_none),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
