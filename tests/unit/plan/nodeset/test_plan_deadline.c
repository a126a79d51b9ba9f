/* SPDX-License-Identifier: Apache-2.0 */
/* The annotation on a pod that says when the work on its node ends. */
#include "lib/given.h"

static void busy_until(struct given *g, struct given_pod *p, int64_t until_s)
{
	p->node.state = NODE_ALLOCATED;
	p->node.busy_until_s = until_s;
	when_planned(g);
}

/* Acceptance: status-7 */
static void test_deadline_is_the_end_of_the_work_and_written_once(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 1);
	busy_until(&g, &g.pods[0], GIVEN_WALL_MS / 1000 + 60);
	assert_true(g.plan.demand.of[ASK_JOBS].wanted);
	assert_non_null(strstr(then(&g, DO(PATCH, POD), "foo-0")->body,
		"pod-deadline\":\"2026-01-01T00:01:00Z\""));
	when_settled(&g);
	then_nothing(&g);

	given_node(&g.pods[0], NODE_IDLE, "");
	when_planned(&g);
	assert_non_null(strstr(then(&g, DO(PATCH, POD), "foo-0")->body, "pod-deadline\":null"));
	assert_false(g.plan.demand.of[ASK_JOBS].wanted);
}

/* Acceptance: status-7 */
static void test_deadline_without_limit_is_far_and_does_not_move(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 1);
	busy_until(&g, &g.pods[0], INT64_MAX);
	assert_non_null(strstr(then(&g, DO(PATCH, POD), "foo-0")->body, "9999-12-31T23:59:59Z"));
	when_settled(&g);
	g.wall_ms += 3600000;
	when_settled(&g);
	then_nothing(&g);
}

/*
 * The pod would carry it when the old node is gone: "Slurm forgot the node with its
 * work", and with a broken image, which never registers, would stay for ever (seeds
 * 31005435 and 31006216).
 */
static void test_a_new_pod_does_not_inherit_the_work_of_a_predecessor(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":1");
	struct given_pod *p = given_pod(&g, 0);
	given_node(p, NODE_ALLOCATED, "");
	p->node.busy_until_s = GIVEN_WALL_MS / 1000 + 60;
	p->fact.phase = POD_PENDING;
	p->fact.ready = false;
	when_planned(&g);
	then_no(&g, DO(PATCH, POD), NULL);
	p->fact.phase = POD_RUNNING;
	p->fact.phase_seen_ms = p->node.seen_ms + 1;
	when_planned(&g);
	then_no(&g, DO(PATCH, POD), NULL);
	p->node.seen_ms = p->fact.phase_seen_ms;
	when_planned(&g);
	then(&g, DO(PATCH, POD), "foo-0");
}

static void test_deadline_stays_while_nobody_knows(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 1);
	given_annotation(&g.pods[0], ANNOTATION_POD_DEADLINE, "2026-01-01T00:01:00Z");
	given_slurm_silent(&g);
	when_settled(&g);
	then_nothing(&g);
	g.slurm = (struct slurm_fact){ YES, g.now_ms, 0, "" };
	g.pods[0].node = (struct slurm_node_fact){
		.known = YES,
		.seen_ms = g.now_ms,
		.named_ms = g.now_ms,
		.state = NODE_ALLOCATED,
		.reason = "",
		.comment = "x",
	};
	when_settled(&g);
	then_nothing(&g);
}

/*
 * A manager that has just begun has not heard of the jobs yet, and Slurm may not say
 * which nodes one has: the work that is written down may stand suspended there.
 */
static void test_deadline_stays_on_an_idle_node_while_nobody_knows_its_jobs(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 1);
	given_annotation(&g.pods[0], ANNOTATION_POD_DEADLINE, "9999-12-31T23:59:59Z");
	g.pods[0].node.held = UNKNOWN;
	when_planned(&g);
	then_no(&g, DO(PATCH, POD), NULL);
	assert_true(g.plan.demand.of[ASK_JOBS].wanted);

	g.pods[0].node.held = NO;
	when_planned(&g);
	assert_non_null(strstr(then(&g, DO(PATCH, POD), "foo-0")->body, "pod-deadline\":null"));
	assert_false(g.plan.demand.of[ASK_JOBS].wanted);
}

/*
 * A task of an array that has the array's own id, whose answer is too large for ever: its
 * node looks busy, and is in no answer about jobs.
 */
static void test_a_job_that_nobody_can_read_has_no_end(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 1);
	busy_until(&g, &g.pods[0], 0);
	then_no(&g, DO(PATCH, POD), NULL);

	g.slurm.jobs_unread = true;
	when_planned(&g);
	assert_non_null(strstr(then(&g, DO(PATCH, POD), "foo-0")->body, "9999-12-31T23:59:59Z"));
	when_settled(&g);
	then_nothing(&g);
	given_annotation(&g.pods[0], ANNOTATION_POD_DEADLINE, "2026-01-01T00:01:00Z");
	when_planned(&g);
	then_no(&g, DO(PATCH, POD), NULL); /* an end to come stays: its job may not be read yet */
	g.wall_ms += 60000;
	when_planned(&g);
	assert_non_null(strstr(then(&g, DO(PATCH, POD), "foo-0")->body, "9999-12-31T23:59:59Z"));

	busy_until(&g, &g.pods[0], GIVEN_WALL_MS / 1000 + 120);
	assert_non_null(strstr(then(&g, DO(PATCH, POD), "foo-0")->body, "2026-01-01T00:02:00Z"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_deadline_is_the_end_of_the_work_and_written_once),
		cmocka_unit_test(test_deadline_without_limit_is_far_and_does_not_move),
		cmocka_unit_test(test_a_new_pod_does_not_inherit_the_work_of_a_predecessor),
		cmocka_unit_test(test_deadline_stays_while_nobody_knows),
		cmocka_unit_test(test_deadline_stays_on_an_idle_node_while_nobody_knows_its_jobs),
		cmocka_unit_test(test_a_job_that_nobody_can_read_has_no_end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
