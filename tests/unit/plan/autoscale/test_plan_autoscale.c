/* SPDX-License-Identifier: Apache-2.0 */
/* spec.replicas follows the queue of Slurm. */
#include "lib/given_autoscaled.h"
#include "plan/nodeset/worksheet.h"

/* ---- up ---- */

/* Acceptance: autoscale-9 */
static void test_without_the_block_nothing_of_it_is_there(void **state)
{
	(void)state;
	WORLD(g);
	given_autoscaled(&g, "\"replicas\":0," TEMPLATE, 0);
	given_jobs(&g, 3, 1);
	when_settled(&g);
	then_replicas(&g, 0);
	then_autoscaling(&g, "", "(none)");
	assert_true(json_is_null(json_at(g.object, "status", "autoscaling")));
	assert_false(g.plan.demand.of[ASK_QUEUE].wanted);
}

/* Acceptance: autoscale-3 */
static void test_jobs_that_wait_bring_pods_up_at_once(void **state)
{
	(void)state;
	static const struct {
		int64_t jobs, nodes;
		int busy;
		int64_t replicas;
	} rows[] = {
		{ 3, 1, 0, 3 },
		{ 1, 4, 0, 4 },
		{ 9, 1, 0, 5 },
		{ 1, 6, 0, 1 },
		{ 2, 1, 1, 3 },
		{ 0, 1, 1, 1 },
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		WORLD(g);
		given_autoscaled(&g, AUTOSCALED(1, ""), 1);
		given_jobs(&g, rows[i].jobs, rows[i].nodes);
		given_busy(&g, rows[i].busy);
		when_settled(&g);
		then_replicas(&g, rows[i].replicas);
		assert_true(g.plan.demand.of[ASK_QUEUE].wanted);
	}
}

static void test_the_status_says_it_before_it_is_done(void **state)
{
	(void)state;
	WORLD(g);
	given_autoscaled(&g, AUTOSCALED(0, ""), 0);
	given_jobs(&g, 1, 3);
	when_planned(&g);
	assert_false(scales(&g));
	when_applied(&g, then(&g, DO(PATCH_STATUS, NODESET), "foo"));
	when_planned(&g);
	assert_true(scales(&g));
	then_no(&g, DO(PATCH_STATUS, NODESET), NULL);
	assert_string_equal(then(&g, DO(PATCH, NODESET), "foo")->event_done, "SuccessfulRescale");
	assert_string_equal(then(&g, DO(PATCH, NODESET), "foo")->why,
		"spec.replicas goes from 0 to 3: 0 nodes have jobs, and jobs that wait need 3");
}

static void test_the_minimum_and_the_buffer_are_there_without_jobs(void **state)
{
	(void)state;
	WORLD(g);
	given_autoscaled(&g, AUTOSCALED(0, ",\"minReplicas\":2"), 0);
	given_jobs(&g, 0, 1);
	when_settled(&g);
	then_replicas(&g, 2);
	WORLD(b);
	given_autoscaled(&b, AUTOSCALED(2, ",\"buffer\":2"), 2);
	given_jobs(&b, 0, 1);
	given_busy(&b, 1);
	when_settled(&b);
	then_replicas(&b, 3);
}

/* No job can start on them, so they are no help. */
static void test_nodes_that_an_administrator_drained_do_not_count(void **state)
{
	(void)state;
	WORLD(g);
	given_autoscaled(&g, AUTOSCALED(2, ""), 2);
	given_node(&g.pods[0], DRAINED, "bad disk");
	given_node(&g.pods[1], NODE_DOWN | NODE_DYNAMIC, "Not responding");
	given_jobs(&g, 1, 1);
	when_settled(&g);
	then_replicas(&g, 3);
}

/* The pod stays until that job must have ended, and nothing new starts there. */
/* Acceptance: autoscale-2 */
static void test_a_node_that_was_forgotten_with_a_job_counts_as_busy(void **state)
{
	(void)state;
	static const struct {
		const char *until;
		int64_t replicas;
	} rows[] = { { "9999-12-31T23:59:59Z", 3 }, { "2025-12-31T00:00:00Z", 2 } };
	for (size_t i = 0; i < LENGTH(rows); i++) {
		WORLD(g);
		given_autoscaled(&g, AUTOSCALED(2, ""), 2);
		given_absent(&g, &g.pods[0], 30000);
		given_annotation(&g.pods[0], ANNOTATION_POD_DEADLINE, rows[i].until);
		given_jobs(&g, 1, 2);
		when_settled(&g);
		then_replicas(&g, rows[i].replicas);
	}
}

/* slurmctld has not pinged it since its drain was lifted. */
/* Acceptance: autoscale-16 */
static void test_a_new_node_that_does_not_respond_yet_will_do(void **state)
{
	(void)state;
	static const struct {
		int64_t ready_for_ms, replicas;
	} rows[] = { { 2000, 1 }, { REGISTER_GRACE_MS, 2 } };
	for (size_t i = 0; i < LENGTH(rows); i++) {
		WORLD(g);
		given_autoscaled(&g, AUTOSCALED(1, ""), 1);
		given_node(&g.pods[0], NODE_IDLE | NODE_NOT_RESPONDING | NODE_DYNAMIC, "");
		g.pods[0].fact.ready_since_ms = g.wall_ms - rows[i].ready_for_ms;
		given_jobs(&g, 1, 1);
		when_settled(&g);
		then_replicas(&g, rows[i].replicas);
	}
}

/*
 * Seen on the real Slurm: auto-0 was made anew, and the node of its predecessor was DOWN
 */
static void test_what_a_pod_before_has_left_is_not_in_the_way(void **state)
{
	(void)state;
	for (int i = 0; i < 3; i++) {
		WORLD(g);
		given_autoscaled(&g, AUTOSCALED(1, ""), 1);
		given_node(&g.pods[0], i < 2 ? NODE_DOWN | NODE_DYNAMIC : DRAINED,
			i < 2 ? "Not responding" : OUR_REASON);
		if (i == 0)
			g.pods[0].fact.ready = false;
		else if (i == 1)
			g.pods[0].node.address = "10.9.9.9";
		given_jobs(&g, 1, 1);
		when_settled(&g);
		then_replicas(&g, 1);
	}
}

/* One job: it had begun when the nodes were listed, and waited when the queue was */
static void test_a_job_is_not_counted_on_its_node_and_as_waiting(void **state)
{
	(void)state;
	WORLD(g);
	given_autoscaled(&g, AUTOSCALED(1, ""), 1);
	given_jobs(&g, 1, 1);
	given_busy(&g, 1);
	g.slurm.whole_seen_ms = g.queue.seen_ms + 1;
	when_settled(&g);
	then_replicas(&g, 1);
	g.queue.seen_ms = g.slurm.whole_seen_ms;
	when_settled(&g);
	then_replicas(&g, 2);
}

/* A Slurm whose nodes change each second: the next plan has newer nodes than queue. */
/* Acceptance: autoscale-1 */
static void test_what_was_announced_is_done_beside_newer_nodes(void **state)
{
	(void)state;
	for (int waits = 1; waits >= 0; waits--) {
		WORLD(g);
		given_autoscaled(&g, AUTOSCALED(1, ""), 1);
		given_jobs(&g, 1, 3);
		when_planned(&g);
		when_applied(&g, then(&g, DO(PATCH_STATUS, NODESET), "foo"));
		g.slurm.whole_seen_ms = g.queue.seen_ms + 1;
		if (!waits)
			given_jobs(&g, 0, 3);
		when_settled(&g);
		then_replicas(&g, waits ? 3 : 1);
	}
}

/* Slurm lists its jobs so slowly that its nodes have always changed meanwhile */
/* Acceptance: autoscale-14 */
static void test_a_slow_queue_brings_pods_up_as_of_when_it_was_asked_for(void **state)
{
	(void)state;
	WORLD(g);
	given_autoscaled(&g, AUTOSCALED(2, ""), 2);
	given_jobs(&g, 2, 1);
	given_busy(&g, 2);
	g.pods[0].node.busy_since_ms = g.queue.seen_ms - 5000;
	g.pods[1].node.busy_since_ms = g.queue.seen_ms + 1; /* by one of the two, perhaps */
	g.slurm.whole_seen_ms = g.queue.seen_ms + 1;
	when_settled(&g);
	then_replicas(&g, 2);
	g.queue.overtaken = true;
	when_settled(&g);
	then_replicas(&g, 3);
}

static void test_the_shape_of_a_node_is_remembered(void **state)
{
	(void)state;
	WORLD(g);
	given_autoscaled(&g, AUTOSCALED(1, ""), 1);
	given_jobs(&g, 0, 1);
	when_settled(&g);
	const struct json *node = json_at(json_get(g.object, "status"), "autoscaling", "node");
	assert_int_equal(json_i64(json_get(node, "cpus"), 0), 4);
	assert_int_equal(json_i64(json_get(node, "memory"), 0), 8000);
	assert_string_equal(json_str(json_get(node, "hash"), ""), g.hash);
}

/* Only a node with a job shows whether jobs get memory. */
/* Acceptance: autoscale-13 */
static void test_how_jobs_get_memory_is_remembered(void **state)
{
	(void)state;
	static const enum tri shown[] = { UNKNOWN, YES, UNKNOWN, NO, UNKNOWN };
	static const bool shared[] = { false, true, true, false, false };
	WORLD(g);
	given_autoscaled(&g, AUTOSCALED(1, ",\"minReplicas\":1"), 1);
	given_jobs(&g, 0, 1);
	for (size_t i = 0; i < LENGTH(shown); i++) {
		g.pods[0].node.memory_shared = shown[i];
		when_settled(&g);
		const struct json *status = json_get(g.object, "status");
		assert_true(json_bool(json_at(json_get(status, "autoscaling"), "node",
					      "memoryShared"),
				    !shared[i]) == shared[i]);
	}
}

/* ---- down ---- */

/* Acceptance: autoscale-4 */
static void test_what_is_too_much_goes_after_the_delay_without_a_break(void **state)
{
	(void)state;
	WORLD(g);
	given_autoscaled(&g, AUTOSCALED(4, ""), 4);
	given_jobs(&g, 0, 1);
	given_busy(&g, 1);
	when_settled(&g);
	then_replicas(&g, 4);
	assert_true(g.plan.again_in_ms > 0 && g.plan.again_in_ms <= DELAY_MS + 1000);
	given_later(&g, DELAY_MS - 1000);
	when_settled(&g);
	then_replicas(&g, 4);
	given_later(&g, 2000);
	when_settled(&g);
	then_replicas(&g, 1);
}

static void test_a_job_in_between_begins_the_delay_anew(void **state)
{
	(void)state;
	WORLD(g);
	given_autoscaled(&g, AUTOSCALED(3, ""), 3);
	given_jobs(&g, 0, 1);
	when_settled(&g);
	given_later(&g, DELAY_MS / 2);
	given_jobs(&g, 3, 1);
	when_settled(&g);
	given_later(&g, DELAY_MS / 2 + 2000);
	given_jobs(&g, 0, 1);
	when_settled(&g);
	then_replicas(&g, 3);
	given_later(&g, DELAY_MS + 2000);
	when_settled(&g);
	then_replicas(&g, 0);
}

/* Acceptance: autoscale-4 */
static void test_as_many_stay_as_were_wanted_meanwhile(void **state)
{
	(void)state;
	WORLD(g);
	given_autoscaled(&g, AUTOSCALED(4, ""), 4);
	given_jobs(&g, 0, 1);
	when_settled(&g);
	given_later(&g, DELAY_MS / 2);
	given_jobs(&g, 2, 1);
	when_settled(&g);
	given_later(&g, DELAY_MS / 4);
	given_jobs(&g, 0, 1);
	when_settled(&g);
	given_later(&g, DELAY_MS / 2);
	when_settled(&g);
	then_replicas(&g, 2);
}

/* The job of the queue has begun, and the list of nodes does not know it yet. */
static void test_nodes_must_be_newer_than_the_queue(void **state)
{
	(void)state;
	WORLD(g);
	given_autoscaled(&g, AUTOSCALED(2, ",\"scaleDownDelay\":\"0\""), 2);
	given_jobs(&g, 0, 1);
	g.slurm.nodes_seen_ms = g.now_ms - 1;
	when_settled(&g);
	then_replicas(&g, 2);
	assert_int_equal(g.plan.demand.of[ASK_NODES].need, SLURM_SOON);
	g.slurm.nodes_seen_ms = g.now_ms;
	given_busy(&g, 1);
	when_settled(&g);
	then_replicas(&g, 1);
}

/* Jobs of others come and go each second, and a list of nodes takes longer */
/* Acceptance: autoscale-14 */
static void test_a_queue_that_changes_all_the_time_keeps_no_pods(void **state)
{
	static const struct {
		int64_t took_ms, age_ms, replicas;
	} rows[] = { { 1500, 2000, 1 }, { 8000, 20000, 1 }, { 1500, 9000, 2 } };
	(void)state;
	for (size_t i = 0; i < LENGTH(rows); i++) {
		WORLD(g);
		given_autoscaled(&g, AUTOSCALED(2, ""), 2);
		given_jobs(&g, 0, 1);
		given_busy(&g, 1);
		when_settled(&g);
		given_later(&g, DELAY_MS + 1000);
		g.slurm.list_took_ms = rows[i].took_ms;
		g.slurm.nodes_seen_ms = g.now_ms - rows[i].age_ms;
		g.queue.changed_ms = g.queue.seen_ms = g.now_ms;
		when_settled(&g);
		then_replicas(&g, rows[i].replicas);
	}
}

/* Acceptance: autoscale-5 */
static void test_what_is_unknown_changes_nothing(void **state)
{
	(void)state;
	enum { QUEUE, PARTITIONS, SLURM, ALL };
	for (int what = 0; what < ALL; what++) {
		WORLD(g);
		given_autoscaled(&g, AUTOSCALED(3, ",\"scaleDownDelay\":\"0\""), 3);
		given_jobs(&g, 0, 1);
		if (what == QUEUE)
			g.queue = (struct queue_fact){ 0 };
		else if (what == PARTITIONS)
			g.partition_sets = NULL;
		else
			given_slurm_silent(&g);
		when_settled(&g);
		then_replicas(&g, 3);
		if (what != SLURM)
			then_autoscaling(&g, "Unknown", "QueueUnknown");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_without_the_block_nothing_of_it_is_there),
		cmocka_unit_test(test_jobs_that_wait_bring_pods_up_at_once),
		cmocka_unit_test(test_the_status_says_it_before_it_is_done),
		cmocka_unit_test(test_the_minimum_and_the_buffer_are_there_without_jobs),
		cmocka_unit_test(test_nodes_that_an_administrator_drained_do_not_count),
		cmocka_unit_test(test_a_node_that_was_forgotten_with_a_job_counts_as_busy),
		cmocka_unit_test(test_a_new_node_that_does_not_respond_yet_will_do),
		cmocka_unit_test(test_what_a_pod_before_has_left_is_not_in_the_way),
		cmocka_unit_test(test_a_job_is_not_counted_on_its_node_and_as_waiting),
		cmocka_unit_test(test_what_was_announced_is_done_beside_newer_nodes),
		cmocka_unit_test(test_a_slow_queue_brings_pods_up_as_of_when_it_was_asked_for),
		cmocka_unit_test(test_the_shape_of_a_node_is_remembered),
		cmocka_unit_test(test_how_jobs_get_memory_is_remembered),
		cmocka_unit_test(test_what_is_too_much_goes_after_the_delay_without_a_break),
		cmocka_unit_test(test_a_job_in_between_begins_the_delay_anew),
		cmocka_unit_test(test_as_many_stay_as_were_wanted_meanwhile),
		cmocka_unit_test(test_nodes_must_be_newer_than_the_queue),
		cmocka_unit_test(test_a_queue_that_changes_all_the_time_keeps_no_pods),
		cmocka_unit_test(test_what_is_unknown_changes_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
