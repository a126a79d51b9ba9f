/* SPDX-License-Identifier: Apache-2.0 */
/* Partitions whose nodes have no limit of CPUs: what a node has is asked of sinfo. */
#include "lib/tools_world.h"

#include "lib/test.h"

#define SCONTROL "scontrol [--all] [show] [partition] [--] [p]\n"
#define SINFO "sinfo [--noheader] [--exact] [--partition=p] [--format=%c]\n"

static void given_partition(struct tools_world *w, const char *limit, int nodes, int cpus)
{
	AUTO(str_free) struct str script = { 0 };
	str_addf(&script,
		"echo PartitionName=p MaxCPUsPerNode=%s TotalCPUs=%d TotalNodes=%d "
		"MaxMemPerNode=UNLIMITED",
		limit, cpus, nodes);
	tool_does(w, "scontrol", str_text(&script));
}

static void a_node_has(struct tools_world *w, int64_t cpus, const char *calls)
{
	slurm_tools_partitions(w->tools, "p", tools_told, w);
	when_told(w);
	assert_int_equal(w->first_cpus, cpus);
	was_called(w, calls);
}

static void test_a_job_may_have_the_cpus_of_the_largest_node(void **state)
{
	struct tools_world *w = *state;
	tool_does(w, "sinfo", "printf '2\\n16\\n4\\n'");
	given_partition(w, "UNLIMITED", 3, 22);
	a_node_has(w, 16, SCONTROL SINFO);
	a_node_has(w, 16, SCONTROL); /* nothing has changed */

	tool_does(w, "sinfo", "echo 32");
	given_partition(w, "UNLIMITED", 4, 54);
	a_node_has(w, 32, SCONTROL SINFO);
}

static void test_where_slurm_says_it_no_node_is_looked_at(void **state)
{
	struct tools_world *w = *state;
	given_partition(w, "8", 3, 22);
	a_node_has(w, 8, SCONTROL);
	given_partition(w, "UNLIMITED", 1, 22);
	a_node_has(w, 22, SCONTROL);
}

/* As with PrivateData=nodes. */
static void test_a_slurm_that_shows_no_node_leaves_all(void **state)
{
	struct tools_world *w = *state;
	given_partition(w, "UNLIMITED", 3, 22);
	a_node_has(w, 22, SCONTROL SINFO);
	a_node_has(w, 22, SCONTROL);
}

static void test_while_the_nodes_cannot_be_told_the_partition_is_not(void **state)
{
	struct tools_world *w = *state;
	given_partition(w, "UNLIMITED", 3, 22);
	tool_fails(w, "sinfo", "slurm_load_partitions: Unable to contact slurm controller\n");
	slurm_tools_partitions(w->tools, "p", tools_told, w);
	was_told(w, ERR_RETRY, "Unable to contact slurm controller");
	tool_does(w, "sinfo", "echo 4");
	was_called(w, SCONTROL SINFO);
	a_node_has(w, 4, SCONTROL SINFO);
}

#define TOOLS_TEST(name) cmocka_unit_test_setup_teardown(name, given_tools, free_tools_world)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TOOLS_TEST(test_a_job_may_have_the_cpus_of_the_largest_node),
		TOOLS_TEST(test_where_slurm_says_it_no_node_is_looked_at),
		TOOLS_TEST(test_a_slurm_that_shows_no_node_leaves_all),
		TOOLS_TEST(test_while_the_nodes_cannot_be_told_the_partition_is_not),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
