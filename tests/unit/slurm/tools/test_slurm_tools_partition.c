/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Questions to sinfo about a partition: the size of a node, where there is no limit of
 * CPUs, and for all partitions at once the number of nodes that run jobs.
 */
#include "lib/tools_world.h"

#include "lib/test.h"

#define SCONTROL "scontrol [--all] [show] [partition] [--] [p]\n"
#define SINFO "sinfo [--noheader] [--exact] [--partition=p] [--format=%c]\n"
#define USABLE "sinfo [--noheader] [--all] [--format=%R|%F]\n"

static void given_partition(struct tools_world *w, const char *limit, int nodes, int cpus)
{
	AUTO(str_free) struct str script = { 0 };
	str_addf(&script,
		"echo PartitionName=p MaxCPUsPerNode=%s State=UP TotalCPUs=%d TotalNodes=%d "
		"MaxMemPerNode=UNLIMITED",
		limit, cpus, nodes);
	tool_does(w, "scontrol", str_text(&script));
}

/* The same stand-in answers both questions. */
static void given_sinfo(struct tools_world *w, const char *sizes, const char *usable)
{
	AUTO(str_free) struct str script = { 0 };
	str_addf(&script, "case \"$*\" in *%%c*) printf '%s' ;; *) printf '%s' ;; esac", sizes,
		usable);
	tool_does(w, "sinfo", str_text(&script));
}

static void a_node_has(struct tools_world *w, int64_t cpus, const char *calls)
{
	slurm_tools_partitions(w->tools, "p", tools_told, w);
	when_told(w);
	assert_int_equal(w->first_cpus, cpus);
	was_called(w, calls);
}

/* Acceptance: word-19 */
static void test_a_job_may_have_the_cpus_of_the_largest_node(void **state)
{
	struct tools_world *w = *state;
	given_sinfo(w, "2\\n16\\n4\\n", "");
	given_partition(w, "UNLIMITED", 3, 22);
	a_node_has(w, 16, SCONTROL SINFO USABLE);
	a_node_has(w, 16, SCONTROL); /* nothing has changed */

	given_sinfo(w, "32\\n", "");
	given_partition(w, "UNLIMITED", 4, 54);
	a_node_has(w, 32, SCONTROL SINFO);
}

/* Acceptance: word-19 */
static void test_where_slurm_says_it_no_node_is_looked_at(void **state)
{
	struct tools_world *w = *state;
	given_partition(w, "8", 3, 22);
	a_node_has(w, 8, SCONTROL USABLE);
	given_partition(w, "UNLIMITED", 1, 22);
	a_node_has(w, 22, SCONTROL);
}

/* As with PrivateData=nodes. */
static void test_a_slurm_that_shows_no_node_leaves_all(void **state)
{
	struct tools_world *w = *state;
	given_partition(w, "UNLIMITED", 3, 22);
	a_node_has(w, 22, SCONTROL SINFO USABLE);
	a_node_has(w, 22, SCONTROL);
	assert_int_equal(w->first_usable, SLURM_ABSENT);
}

static void test_while_the_nodes_cannot_be_told_the_partition_is_not(void **state)
{
	struct tools_world *w = *state;
	given_partition(w, "UNLIMITED", 3, 22);
	tool_fails(w, "sinfo", "slurm_load_partitions: Unable to contact slurm controller\n");
	slurm_tools_partitions(w->tools, "p", tools_told, w);
	was_told(w, ERR_RETRY, "Unable to contact slurm controller");
	given_sinfo(w, "4\\n", "");
	was_called(w, SCONTROL SINFO);
	a_node_has(w, 4, SCONTROL SINFO USABLE);
}

static void test_one_question_a_minute_says_how_many_nodes_run_jobs(void **state)
{
	struct tools_world *w = *state;
	given_partition(w, "8", 3, 22);
	given_sinfo(w, "", "q|9/9/0/18\\np|1/1/1/3\\n");
	a_node_has(w, 8, SCONTROL USABLE);
	assert_int_equal(w->first_usable, 2);
	a_node_has(w, 8, SCONTROL);
	assert_int_equal(w->first_usable, 2);
	/* that it has no node at all needs no sinfo */
	given_partition(w, "8", 0, 0);
	a_node_has(w, 8, SCONTROL);
	assert_int_equal(w->first_usable, 0);
}

static void test_a_sinfo_that_fails_harms_no_other_fact(void **state)
{
	struct tools_world *w = *state;
	given_partition(w, "8", 3, 22);
	tool_fails(w, "sinfo", "slurm_load_partitions: Unable to contact slurm controller\n");
	a_node_has(w, 8, SCONTROL USABLE);
	assert_int_equal(w->first_usable, SLURM_ABSENT);
	a_node_has(w, 8, SCONTROL); /* nor is it asked again at once */
}

#define TOOLS_TEST(name) cmocka_unit_test_setup_teardown(name, given_tools, free_tools_world)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TOOLS_TEST(test_a_job_may_have_the_cpus_of_the_largest_node),
		TOOLS_TEST(test_where_slurm_says_it_no_node_is_looked_at),
		TOOLS_TEST(test_a_slurm_that_shows_no_node_leaves_all),
		TOOLS_TEST(test_while_the_nodes_cannot_be_told_the_partition_is_not),
		TOOLS_TEST(test_one_question_a_minute_says_how_many_nodes_run_jobs),
		TOOLS_TEST(test_a_sinfo_that_fails_harms_no_other_fact),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
