/* SPDX-License-Identifier: Apache-2.0 */
/* Partitions whose nodes have no limit of CPUs: what a node has is asked of sinfo. */
#include "lib/fake_slurmrestd.h"

#include "lib/tools_world.h"

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

/* ---- where there is slurmrestd ---- */

#define PARTITION                                                                 \
	"{\"partitions\":[{\"name\":\"p\",\"maximums\":{\"cpus_per_node\":{"      \
	"\"set\":false,\"infinite\":true,\"number\":0}},\"cpus\":{\"total\":22}," \
	"\"nodes\":{\"total\":3}}],\"meta\":{\"slurm\":{\"cluster\":\"lab\"}},"   \
	"\"errors\":[]}"

struct look {
	struct tools_world *w;
	struct fake_slurmrestd *rest;
};

static void stop_when_asked(void *ctx)
{
	struct look *l = ctx;
	if (rest_waiting(l->rest))
		loop_uv_stop(l->w->loop);
	else
		timer_start(l->w->loop, 1, stop_when_asked, l);
}

static void until_asked(struct tools_world *w, struct fake_slurmrestd *rest)
{
	struct look l = { w, rest };
	timer_start(w->loop, 0, stop_when_asked, &l);
	loop_uv_run(w->loop);
}

static void test_slurmrestd_leaves_the_size_of_nodes_to_sinfo(void **state)
{
	struct tools_world *w = *state;
	struct fake_slurmrestd *rest = fake_slurmrestd_new();
	struct slurm *slurm = rest_client(rest);
	begin_tools(w, (struct slurm_tools_config){ .slurm = slurm });
	tool_does(w, "scontrol", "echo 'ClusterName = lab'");
	tool_does(w, "sinfo", "echo 16");
	slurm_tools_partitions(w->tools, "p", tools_told, w);
	until_asked(w, rest);
	rest_negotiates(rest);
	rest_answers(rest, "GET /slurm/v0.0.42/partitions/?flags=ALL", 200, PARTITION);
	when_told(w);
	assert_int_equal(w->first_cpus, 16);
	was_called(w, "scontrol [show] [config]\n" SINFO);
	slurm_tools_free(TAKE(w->tools));
	slurm_free(slurm);
	fake_slurmrestd_free(rest);
}

#define TOOLS_TEST(name) cmocka_unit_test_setup_teardown(name, given_tools, free_tools_world)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TOOLS_TEST(test_a_job_may_have_the_cpus_of_the_largest_node),
		TOOLS_TEST(test_where_slurm_says_it_no_node_is_looked_at),
		TOOLS_TEST(test_a_slurm_that_shows_no_node_leaves_all),
		TOOLS_TEST(test_while_the_nodes_cannot_be_told_the_partition_is_not),
		TOOLS_TEST(test_slurmrestd_leaves_the_size_of_nodes_to_sinfo),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
