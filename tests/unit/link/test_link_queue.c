/* SPDX-License-Identifier: Apache-2.0 */
/* The jobs that wait for nodes: read each second while they are wanted. */
#include "lib/link_world.h"

#define JOB(id, state, reason)                                                              \
	"{\"job_id\":" id ",\"job_state\":[\"" state "\"],\"state_reason\":\"" reason "\"," \
	"\"partition\":\"all\",\"node_count\":{\"set\":true,\"infinite\":false,\"number\":2}}"
#define JOBS(list)                                                                          \
	"{\"jobs\":[" list "],\"last_update\":{\"set\":true,\"infinite\":false,\"number\":" \
	"1767225600},\"errors\":[],\"warnings\":[]}"
#define NO_JOBS                                                                     \
	"{\"jobs\":[],\"last_update\":{\"set\":true,\"infinite\":false,\"number\":" \
	"1767225600},\"errors\":[],\"warnings\":[{\"description\":\"Zero jobs to dump\"}]}"

static const char somebody[] = "somebody";

static void given_asked(struct world *w, const char *queue)
{
	struct demand d = { 0 };
	demand_need(&d, ASK_QUEUE, SLURM_AT_REST);
	w->queue = queue;
	given_up(w);
	slurm_link_demand(w->link, somebody, &d);
}

static void test_nobody_asks_for_the_queue_unasked(void **state)
{
	struct world *w = *state;
	w->queue = JOBS("");
	given_up(w);
	when_passed(w, 60000);
	assert_int_equal(w->queue_reads, 0);
	assert_false(slurm_link_queue(w->link).known);
}

static void test_the_queue_is_read_each_second_and_only_news_wake(void **state)
{
	struct world *w = *state;
	given_asked(w,
		JOBS(JOB("5", "PENDING", "Resources") "," JOB("6", "RUNNING", "None") "," JOB("7",
			"PENDING", "Dependency")));
	when_passed(w, 25000);
	struct queue_fact f = slurm_link_queue(w->link);
	assert_true(f.known);
	assert_int_equal(f.queue->n, 1);
	assert_int_equal(f.queue->sorts[0].first_id, 5);
	assert_int_equal(f.queue->sorts[0].job.nodes, 2);
	w->unchanged = true;
	int reads = w->queue_reads, changes = w->changes;
	when_passed(w, 10000);
	assert_in_range(w->queue_reads - reads, 9, 11);
	assert_int_equal(w->changes, changes);
	int64_t changed_ms = f.changed_ms;
	w->queue = NO_JOBS;
	w->unchanged = false;
	int lists = w->lists;
	when_passed(w, 2000);
	assert_true(w->changes > changes);
	assert_true(w->lists > lists); /* a job has begun or ended: on some node */
	assert_int_equal(slurm_link_queue(w->link).queue->n, 0);
	assert_true(slurm_link_queue(w->link).changed_ms > changed_ms);
}

static void test_a_slow_queue_takes_a_sixth_of_the_time(void **state)
{
	struct world *w = *state;
	w->queue_takes_ms = 2000;
	given_asked(w, JOBS(""));
	when_passed(w, 20000);
	int reads = w->queue_reads;
	when_passed(w, 120000);
	assert_in_range(w->queue_reads - reads, 8, 12);
	assert_true(slurm_link_queue(w->link).known);
}

static void test_what_is_not_answered_is_unknown_in_time(void **state)
{
	struct world *w = *state;
	given_asked(w, JOBS(JOB("5", "PENDING", "Resources")));
	when_passed(w, 15000);
	w->queue = NULL;
	when_passed(w, 5000);
	assert_true(slurm_link_queue(w->link).known);
	when_passed(w, 10000);
	assert_false(slurm_link_queue(w->link).known);
	assert_null(slurm_link_queue(w->link).queue);
	assert_int_equal(slurm_link_slurm(w->link).usable, YES);
	int changes = w->changes;
	w->queue = JOBS(JOB("5", "PENDING", "Resources"));
	when_passed(w, 3000);
	assert_true(slurm_link_queue(w->link).known);
	assert_true(w->changes > changes);
}

static void test_a_list_that_is_none_tells_nothing(void **state)
{
	struct world *w = *state;
	static const char *const bad[] = { "{}", "[]", "{\"jobs\":7,\"errors\":[]}",
		"{\"jobs\":[],\"errors\":[{\"error_number\":1}]}", "<html>" };
	for (size_t i = 0; i < LENGTH(bad); i++) {
		given_asked(w, bad[i]);
		when_passed(w, 15000);
		assert_false(slurm_link_queue(w->link).known);
	}
}

static void test_a_demand_that_ends_ends_the_reads(void **state)
{
	struct world *w = *state;
	given_asked(w, JOBS(""));
	when_passed(w, 15000);
	assert_true(slurm_link_queue(w->link).known);
	slurm_link_demand(w->link, somebody, NULL);
	when_passed(w, 2000);
	int reads = w->queue_reads;
	when_passed(w, 30000);
	assert_int_equal(w->queue_reads, reads);
	assert_false(slurm_link_queue(w->link).known);
}

/* A wait for a queue that is newer than the nodes would never end. */
/* Acceptance: autoscale-14 */
static void test_a_queue_that_is_slower_than_the_nodes_is_overtaken(void **state)
{
	struct world *w = *state;
	struct demand d = { 0 };
	w->nodes = NODES(IDLE);
	given_asked(w, JOBS(JOB("5", "PENDING", "Resources")));
	demand_need(&d, ASK_QUEUE, SLURM_AT_REST);
	demand_need(&d, ASK_NODES, SLURM_SOON);
	slurm_link_demand(w->link, somebody, &d);
	when_passed(w, 15000);
	assert_true(slurm_link_queue(w->link).known);
	assert_false(slurm_link_queue(w->link).overtaken);
	w->queue_later_ms = 3000;
	when_passed(w, 60000);
	assert_true(slurm_link_queue(w->link).known);
	assert_true(slurm_link_queue(w->link).overtaken);
	w->unchanged = true; /* no node any more, either */
	when_passed(w, 60000);
	assert_false(slurm_link_queue(w->link).overtaken);
}

static void test_a_node_is_busy_since_the_first_answer_that_says_so(void **state)
{
	struct world *w = *state;
	w->nodes = NODES(IDLE);
	given_up(w);
	assert_int_equal(node(w, "foo-0").busy_since_ms, 0);
	w->nodes = NODES("{\"name\":\"foo-0\",\"state\":[\"ALLOCATED\"],\"reason\":\"\"}");
	when_passed(w, 15000);
	int64_t since_ms = node(w, "foo-0").busy_since_ms;
	assert_in_range(since_ms, 1, w->loop.now_ms);
	when_passed(w, 30000);
	assert_true(node(w, "foo-0").seen_ms > since_ms);
	assert_int_equal(node(w, "foo-0").busy_since_ms, since_ms);
	w->nodes = NODES(IDLE);
	when_passed(w, 15000);
	assert_int_equal(node(w, "foo-0").busy_since_ms, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_nobody_asks_for_the_queue_unasked,
			given_a_link, free_world),
		cmocka_unit_test_setup_teardown(
			test_the_queue_is_read_each_second_and_only_news_wake, given_a_link,
			free_world),
		cmocka_unit_test_setup_teardown(test_a_slow_queue_takes_a_sixth_of_the_time,
			given_a_link, free_world),
		cmocka_unit_test_setup_teardown(test_what_is_not_answered_is_unknown_in_time,
			given_a_link, free_world),
		cmocka_unit_test_setup_teardown(test_a_list_that_is_none_tells_nothing,
			given_a_link, free_world),
		cmocka_unit_test_setup_teardown(test_a_demand_that_ends_ends_the_reads,
			given_a_link, free_world),
		cmocka_unit_test_setup_teardown(
			test_a_queue_that_is_slower_than_the_nodes_is_overtaken, given_a_link,
			free_world),
		cmocka_unit_test_setup_teardown(
			test_a_node_is_busy_since_the_first_answer_that_says_so, given_a_link,
			free_world),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
