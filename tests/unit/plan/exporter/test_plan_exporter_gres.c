/* SPDX-License-Identifier: Apache-2.0 */
/* GRES that the exporter counts for nodes, partitions, users and accounts. */
#include "lib/exporter_world.h"

#include "slurm/job_state.h"
#include "slurm/state.h"

/* ---- facts ---- */

enum { A100, FPGA, V100 };

static const char *const lists[] = { "gpus", "gpus,all", "" };
static const char *const accounts[] = { "physics", "art" };
static const char *const user_names[] = { "alice", "bob" };
static const struct exporter_gres_kind kinds[] = { { "gpu", "a100" }, { "fpga", "" },
	{ "gpu", "v\"100" } };
static const struct exporter_node nodes[] = {
	{ .name = "n0", .state = NODE_MIXED, .list = 0 },
	{ .name = "n1", .state = NODE_MIXED | NODE_DRAIN, .list = 1 },
	{ .name = "n2", .state = NODE_DOWN, .list = 1 },
	{ .name = "n3", .state = NODE_IDLE | NODE_DRAIN | NODE_UNDRAIN, .list = 2 },
};
static const struct exporter_gres of_nodes[] = {
	{ 0, A100, 4, 3 }, { 0, FPGA, 2, 0 }, { 1, A100, 4, 1 }, { 2, A100, 4, 0 },
	{ 3, V100, 8, 9 }, /* more in use than it has, while slurm.conf changes */
};
static const struct exporter_job jobs[] = {
	{ .state = JOB_RUNNING, .list = 0, .user = 0, .account = 0 },
	{ .state = JOB_SUSPENDED, .list = 1, .user = 1, .account = 0 },
	{ .state = JOB_COMPLETED, .list = 0, .user = 1, .account = 1 },
};
static const struct exporter_gres of_jobs[] = { { 0, A100, 0, 3 }, { 1, A100, 0, 1 },
	{ 1, V100, 0, 9 }, { 2, A100, 0, 100 } };
static const struct exporter_user users[] = { { "alice", 1000, 0 }, { "bob", 1001, 1 } };
static const struct exporter_partition partitions[] = { { "all", 2, 8 }, { "gpus", 3, 12 } };

static void given(struct exporter_world *w)
{
	*w = (struct exporter_world){
		.nodes = { nodes, LENGTH(nodes), { lists, LENGTH(lists) },
			{ kinds, of_nodes, LENGTH(kinds), LENGTH(of_nodes) } },
		.jobs = { jobs, LENGTH(jobs), { lists, LENGTH(lists) },
			{ accounts, LENGTH(accounts) }, { user_names, LENGTH(user_names) }, users,
			LENGTH(users), { kinds, of_jobs, LENGTH(kinds), LENGTH(of_jobs) } },
		.partitions = { partitions, LENGTH(partitions) },
	};
}

#define WORLD(w) EXPORTER_WORLD(w, given)

/* ---- nodes ---- */

/* Acceptance: exporter-15 */
static void gres_of_all_nodes_by_name_type_and_state(void **state)
{
	(void)state;
	WORLD(w);
	when_rendered(&w);
	page_has(&w.page, "slurm_nodes_gres{gres=\"gpu\",type=\"a100\"} 12");
	page_has(&w.page, "slurm_nodes_gres_alloc{gres=\"gpu\",type=\"a100\"} 4");
	page_has(&w.page, "slurm_nodes_gres_idle{gres=\"gpu\",type=\"a100\"} 8");
	page_has(&w.page, "slurm_nodes_gres_unavailable{gres=\"gpu\",type=\"a100\"} 7");
	page_has(&w.page, "slurm_nodes_gres_down{gres=\"gpu\",type=\"a100\"} 4");
	page_has(&w.page, "slurm_nodes_gres_drain{gres=\"gpu\",type=\"a100\"} 4");
	page_has(&w.page, "slurm_nodes_gres{gres=\"fpga\",type=\"\"} 2");
	page_has(&w.page, "slurm_nodes_gres_alloc{gres=\"fpga\",type=\"\"} 0");
	page_has(&w.page, "slurm_nodes_gres_idle{gres=\"gpu\",type=\"v\\\"100\"} 0");
	page_has(&w.page, "slurm_nodes_gres_unavailable{gres=\"gpu\",type=\"v\\\"100\"} 0");
}

/* Acceptance: exporter-15 */
static void gres_of_each_node_and_partition(void **state)
{
	(void)state;
	WORLD(w);
	when_rendered(&w);
	page_has(&w.page, "slurm_node_gres{node=\"n0\",gres=\"gpu\",type=\"a100\"} 4");
	page_has(&w.page, "slurm_node_gres_alloc{node=\"n0\",gres=\"gpu\",type=\"a100\"} 3");
	page_has(&w.page, "slurm_node_gres_idle{node=\"n1\",gres=\"gpu\",type=\"a100\"} 3");
	page_has(&w.page, "slurm_node_gres_alloc{node=\"n0\",gres=\"fpga\",type=\"\"} 0");
	page_lacks(&w.page, "node=\"n1\",gres=\"fpga\"");
	page_has(&w.page,
		"slurm_partition_nodes_gres{partition=\"gpus\",gres=\"gpu\",type=\"a100\"} 12");
	page_has(&w.page,
		"slurm_partition_nodes_gres{partition=\"all\",gres=\"gpu\",type=\"a100\"} 8");
	page_has(&w.page,
		"slurm_partition_nodes_gres_alloc{partition=\"all\",gres=\"gpu\",type=\"a100\"} 1");
	page_lacks(&w.page, "partition=\"all\",gres=\"fpga\"");
}

/* ---- jobs ---- */

/* Acceptance: exporter-15 */
static void gres_that_jobs_have_count_for_user_account_and_partition(void **state)
{
	(void)state;
	WORLD(w);
	when_rendered(&w);
	page_has(&w.page, "slurm_jobs_gres_alloc{gres=\"gpu\",type=\"a100\"} 4");
	page_has(&w.page,
		"slurm_user_jobs_gres_alloc{userid=\"1000\",username=\"alice\",gres="
		"\"gpu\",type=\"a100\"} 3");
	page_has(&w.page,
		"slurm_user_jobs_gres_alloc{userid=\"1001\",username=\"bob\",gres="
		"\"gpu\",type=\"v\\\"100\"} 9");
	page_has(&w.page,
		"slurm_account_jobs_gres_alloc{account=\"physics\",gres=\"gpu\",type=\"a100\"} 4");
	page_has(&w.page,
		"slurm_partition_jobs_gres_alloc{partition=\"all\",gres=\"gpu\",type=\"a100\"} 1");
	page_has(&w.page,
		"slurm_partition_jobs_gres_alloc{partition=\"gpus\",gres=\"gpu\",type=\"a100\"} 4");
	/* A job that has ended has none */
	page_lacks(&w.page, "account=\"art\",gres");
}

/* ---- limits ---- */

/* Acceptance: exporter-16 */
static void of_too_many_kinds_those_there_are_most_of_are_shown(void **state)
{
	(void)state;
	WORLD(w);
	w.facts.limits = (struct exporter_limits){ .nodes = 1, .users = 1, .gres = 1 };
	when_rendered(&w);
	page_has(&w.page, "slurm_exporter_left_out{of=\"gres\"} 2");
	page_lacks(&w.page, "fpga");
	page_has(&w.page, "slurm_node_gres{node=\"n0\",gres=\"gpu\",type=\"a100\"} 4");
	page_lacks(&w.page, "node=\"n1\"");
	page_lacks(&w.page, "slurm_account_jobs_gres_alloc");
	page_lacks(&w.page, "slurm_user_jobs_gres_alloc{userid=\"1000\"");
	w.facts.limits.gres = 0;
	when_rendered(&w);
	page_lacks(&w.page, "_gres");
	page_has(&w.page, "slurm_exporter_left_out{of=\"gres\"} 3");
}

/* Acceptance: exporter-16 */
static void what_is_not_known_has_no_gres(void **state)
{
	(void)state;
	WORLD(w);
	w.facts.nodes = NULL;
	w.facts.partitions = NULL;
	when_rendered(&w);
	page_lacks(&w.page, "nodes_gres");
	page_lacks(&w.page, "of=\"gres\"");
	page_lacks(&w.page, "partition");
	page_has(&w.page, "slurm_jobs_gres_alloc{gres=\"gpu\",type=\"a100\"} 4");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gres_of_all_nodes_by_name_type_and_state),
		cmocka_unit_test(gres_of_each_node_and_partition),
		cmocka_unit_test(gres_that_jobs_have_count_for_user_account_and_partition),
		cmocka_unit_test(of_too_many_kinds_those_there_are_most_of_are_shown),
		cmocka_unit_test(what_is_not_known_has_no_gres),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
