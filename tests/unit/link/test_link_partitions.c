/* SPDX-License-Identifier: Apache-2.0 */
/* Whether jobs can start at all: read rarely, on demand, and not trusted for long. */
#include "lib/link_world.h"

enum { MINUTE_MS = 60000 };

#define PARTITION(name, state) "{\"name\":\"" name "\",\"partition\":{\"state\":[\"" state "\"]}}"
#define PARTITIONS(list)                                                                          \
	"{\"partitions\":[" list "],\"last_update\":{\"set\":true,\"infinite\":false,\"number\":" \
	"1767225600},\"errors\":[],\"warnings\":[]}"

static const char somebody[] = "somebody";

static void given_asked(struct world *w, const char *partitions)
{
	struct demand d = { 0 };
	demand_need(&d, ASK_PARTITIONS, SLURM_AT_REST);
	w->partitions = partitions;
	given_up(w);
	slurm_link_demand(w->link, somebody, &d);
}

static void test_nobody_asks_for_partitions_unasked(void **state)
{
	struct world *w = *state;
	w->partitions = PARTITIONS(PARTITION("a", "UP"));
	given_up(w);
	when_passed(w, 2 * MINUTE_MS);
	assert_int_equal(w->partition_reads, 0);
	assert_false(slurm_link_partitions(w->link).known);
}

/* Acceptance: cluster-5 */
static void test_partitions_are_read_once_a_minute(void **state)
{
	struct world *w = *state;
	given_asked(w, PARTITIONS(PARTITION("a", "UP") "," PARTITION("b", "DOWN")));
	when_passed(w, 20000);
	assert_int_equal(w->partition_reads, 1);
	struct partitions_fact f = slurm_link_partitions(w->link);
	assert_true(f.known);
	assert_int_equal(f.n, 2);
	assert_int_equal(f.up, 1);
	assert_string_equal(f.others, "b (DOWN)");
	when_passed(w, 5 * MINUTE_MS);
	assert_in_range(w->partition_reads, 4, 6);
}

static void test_what_has_not_changed_stays_known_and_wakes_nobody(void **state)
{
	struct world *w = *state;
	given_asked(w, PARTITIONS(PARTITION("a", "DRAIN")));
	when_passed(w, 20000);
	w->unchanged = true;
	int changes = w->changes, reads = w->partition_reads;
	when_passed(w, 10 * MINUTE_MS);
	w->partitions_again = true;
	when_passed(w, 10 * MINUTE_MS);
	assert_true(w->partition_reads > reads + 10);
	assert_int_equal(w->changes, changes);
	w->partitions = PARTITIONS(PARTITION("a", "DOWN"));
	when_passed(w, 2 * MINUTE_MS);
	assert_int_equal(w->changes, changes + 1);
	w->partitions = PARTITIONS(PARTITION("a", "DRAIN"));
	when_passed(w, 2 * MINUTE_MS);
	assert_true(slurm_link_partitions(w->link).known);
	assert_string_equal(slurm_link_partitions(w->link).others, "a (DRAIN)");
}

/* An asker waits for nodes of partitions, whose coming slurmctld calls no change. */
/* Acceptance: autoscale-20 */
static void test_who_asks_for_their_nodes_gets_whole_answers(void **state)
{
	struct world *w = *state;
	struct demand d = { 0 };
	given_asked(w, PARTITIONS("{\"name\":\"a\",\"nodes\":{\"configured\":\"n1\"}}"));
	when_passed(w, 20000);
	w->unchanged = true;
	w->partitions = PARTITIONS("{\"name\":\"a\",\"nodes\":{\"configured\":\"n[1-2]\"}}");
	when_passed(w, 2 * MINUTE_MS);
	assert_string_equal(slurm_link_partitions(w->link).nodes, "a=n1;");
	int changes = w->changes;
	demand_need(&d, ASK_PARTITIONS, SLURM_WHOLE);
	int64_t before_ms = slurm_link_partitions(w->link).nodes_ms;
	when_passed(w, 20000);
	int reads = w->partition_reads;
	slurm_link_demand(w->link, somebody, &d);
	when_passed(w, 1000); /* it waits for no list of nodes */
	assert_int_equal(w->partition_reads, reads + 1);
	assert_string_equal(slurm_link_partitions(w->link).nodes, "a=n[1-2];");
	assert_true(slurm_link_partitions(w->link).nodes_ms > before_ms);
	assert_int_equal(w->changes, changes + 1);
	assert_false(slurm_link_partitions(w->link).takes_empty);
}

static void test_a_read_that_fails_is_no_trouble_and_in_time_nothing_is_known(void **state)
{
	struct world *w = *state;
	given_asked(w, PARTITIONS(PARTITION("a", "INACTIVE")));
	when_passed(w, 20000);
	w->partitions = NULL;
	when_passed(w, MINUTE_MS);
	assert_true(slurm_link_partitions(w->link).known);
	assert_int_equal(slurm_link_slurm(w->link).usable, YES);
	when_passed(w, 4 * MINUTE_MS);
	assert_false(slurm_link_partitions(w->link).known);
	assert_int_equal(slurm_link_slurm(w->link).usable, YES);
	w->partitions = PARTITIONS(PARTITION("a", "UP"));
	when_passed(w, 2 * MINUTE_MS);
	assert_int_equal(slurm_link_partitions(w->link).up, 1);
}

static void test_partitions_of_another_slurm_are_forgotten(void **state)
{
	struct world *w = *state;
	given_asked(w, PARTITIONS(PARTITION("a", "DOWN")));
	when_passed(w, 20000);
	assert_true(slurm_link_partitions(w->link).known);
	slurm_link_set(w->link, "http://other:6820", "t");
	assert_false(slurm_link_partitions(w->link).known);
}

int main(void)
{
#define LINK_TEST(name) cmocka_unit_test_setup_teardown(name, given_a_link, free_world)
	const struct CMUnitTest tests[] = {
		LINK_TEST(test_nobody_asks_for_partitions_unasked),
		LINK_TEST(test_partitions_are_read_once_a_minute),
		LINK_TEST(test_what_has_not_changed_stays_known_and_wakes_nobody),
		LINK_TEST(test_who_asks_for_their_nodes_gets_whole_answers),
		LINK_TEST(test_a_read_that_fails_is_no_trouble_and_in_time_nothing_is_known),
		LINK_TEST(test_partitions_of_another_slurm_are_forgotten),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
