/* SPDX-License-Identifier: Apache-2.0 */
/* Counts and labels that the exporter makes of facts. */
#include "lib/exporter_world.h"

#include "plan/exporter/counts.h"
#include "slurm/job_state.h"
#include "slurm/state.h"

enum { NOW_S = 1795715300, A_DAY_S = 86400 };

/* ---- facts ---- */

static const char *const node_lists[] = { "first", "second", "first,second,first,gone", "" };
static const char *const job_lists[] = { "first", "second", "first,second", "gone", "" };
static const char *const accounts[] = { "physics", "" };
static const char *const user_names[] = { "alice", "bob \"the\\\n builder\"" };

/* The partitions of the acceptance cases, and one without anything. */
static const struct exporter_node nodes[] = {
	{ "f1", NODE_ALLOCATED, 0, 16, 15, 12, 4, 4096, 512, 2500, 100 },
	{ "f2", NODE_ALLOCATED, 0, 16, 15, 12, 4, 4096, 512, 2500, 5140 },
	{ "f3", NODE_IDLE | NODE_DRAIN, 0, 8, 8, 0, 8, 2048, 0, 0, -1 },
	{ "s1", NODE_ALLOCATED | NODE_COMPLETING, 1, 10, 10, 10, 0, 2048, 0, 2000, 48 },
	{ "s2", NODE_ALLOCATED, 1, 10, 10, 10, 0, 2048, 0, 2000, 48 },
	{ "s3", NODE_MIXED | NODE_DRAIN, 1, 10, 10, 8, 2, 3072, 0, 1800, 1272 },
};
static const struct exporter_job jobs[] = {
	{ JOB_RUNNING, false, 0, 0, 0, 2, 1, 24, 5000 },
	{ JOB_PENDING, true, 0, 0, 0, 9, 0, 0, 0 },
	{ JOB_RUNNING, false, 1, 1, 1, 3, 1, 28, 5800 },
	{ JOB_PENDING, false, 1, 1, 1, 2, NOW_S - A_DAY_S, 0, 0 },
	{ JOB_PENDING, true, 1, 1, 1, 7, 0, 0, 0 },
};
static const struct exporter_user users[] = { { "alice", 1000, 0 },
	{ "bob \"the\\\n builder\"", 1001, 1 }, { "alice", 1002, 0 } };
static const struct exporter_partition partitions[] = { { "empty", 0, 0 }, { "first", 3, 40 },
	{ "second", 3, 30 } };

static void given(struct exporter_world *w)
{
	*w = (struct exporter_world){
		.nodes = { nodes, LENGTH(nodes), { node_lists, LENGTH(node_lists) } },
		.jobs = { jobs, LENGTH(jobs), { job_lists, LENGTH(job_lists) },
			{ accounts, LENGTH(accounts) },
			{ user_names, LENGTH(user_names) },
			users,
			LENGTH(users), },
		.partitions = { partitions, LENGTH(partitions) },
	};
}

#define WORLD(w)                  \
	EXPORTER_WORLD(w, given); \
	w.facts.now_s = NOW_S

/* ---- the acceptance cases ---- */

/* "slurm_partition_nodes_idle_total{partition="first"} 1" */
struct expected {
	const char *name;
	double first, second;
};

static void then_both(const struct exporter_world *w, const struct expected *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char line[160];
		const char *name = rows[i].name;
		snprintf(line, sizeof(line), "%s{partition=\"first\"} %.17g", name, rows[i].first);
		page_has(&w->page, line);
		snprintf(line, sizeof(line), "%s{partition=\"second\"} %.17g", name,
			rows[i].second);
		page_has(&w->page, line);
	}
}

/* Acceptance: exporter-2 */
static void nodes_of_a_partition_as_exporter_03_counts_them(void **state)
{
	(void)state;
	static const struct expected rows[] = {
		{ "slurm_partition_nodes_total", 3, 3 },
		{ "slurm_partition_nodes_allocated_total", 2, 2 },
		{ "slurm_partition_nodes_idle_total", 1, 0 },
		{ "slurm_partition_nodes_mixed_total", 0, 1 },
		{ "slurm_partition_nodes_down_total", 0, 0 },
		{ "slurm_partition_nodes_unknown_total", 0, 0 },
		{ "slurm_partition_nodes_completing_total", 0, 1 },
		{ "slurm_partition_nodes_drain_total", 1, 1 },
		{ "slurm_partition_nodes_cpus_total", 40, 30 },
		{ "slurm_partition_nodes_cpus_effective_total", 38, 30 },
		{ "slurm_partition_nodes_cpus_alloc_total", 24, 28 },
		{ "slurm_partition_nodes_cpus_idle_total", 16, 2 },
		{ "slurm_partition_nodes_memory_bytes", 10240, 7168 },
		{ "slurm_partition_nodes_memory_effective_bytes", 9216, 7168 },
		{ "slurm_partition_nodes_memory_alloc_bytes", 5000, 5800 },
		{ "slurm_partition_nodes_memory_free_bytes", 5240, 1368 },
		/* The metrics with the right names */
		{ "slurm_partition_nodes_idle", 1, 0 },
		{ "slurm_partition_nodes_drained", 1, 0 },
		{ "slurm_partition_nodes_draining", 0, 1 },
		{ "slurm_partition_nodes_memory_usable_bytes", 9216. * 1048576, 7168. * 1048576 },
		{ "slurm_partition_nodes_memory_unused_bytes", 5240. * 1048576, 1368. * 1048576 },
		/* The older names */
		{ "slurm_partition_nodes", 3, 3 },
		{ "slurm_partition_cpus", 40, 30 },
		{ "slurm_partition_idle_cpus", 16, 2 },
		{ "slurm_partition_alloc_cpus", 24, 28 },
	};
	WORLD(w);
	when_rendered(&w);
	then_both(&w, rows, LENGTH(rows));
}

/* Acceptance: exporter-2 */
static void jobs_of_a_partition_as_exporter_03_counts_them(void **state)
{
	(void)state;
	static const struct expected rows[] = {
		{ "slurm_partition_jobs_total", 2, 3 },
		{ "slurm_partition_jobs_running_total", 1, 1 },
		{ "slurm_partition_jobs_pending_total", 1, 2 },
		{ "slurm_partition_jobs_hold_total", 1, 1 },
		{ "slurm_partition_jobs_completed_total", 0, 0 },
		{ "slurm_partition_jobs_cpus_alloc_total", 24, 28 },
		{ "slurm_partition_jobs_memory_alloc_bytes", 5000, 5800 },
		{ "slurm_partition_jobs_pending_maxnodecount_total", 0, 2 },
		{ "slurm_partition_jobs_pending", 1, 2 },
		{ "slurm_partition_jobs_known", 2, 3 },
		{ "slurm_partition_jobs_waiting", 0, 1 },
		{ "slurm_partition_jobs_memory_allocated_bytes", 5000. * 1048576, 5800. * 1048576 },
		{ "slurm_partition_jobs_pending_max_nodes", 0, 2 },
		{ "slurm_partition_jobs", 2, 3 },
		{ "slurm_partition_pending_jobs", 0, 1 },
		{ "slurm_partition_running_jobs", 1, 1 },
		{ "slurm_partition_hold_jobs", 1, 1 },
		{ "slurm_partition_max_pending_nodes", 0, 2 },
	};
	WORLD(w);
	when_rendered(&w);
	then_both(&w, rows, LENGTH(rows));
}

/* The second partition has a job that has waited for a day; those held do not wait. */
/* Acceptance: exporter-12, exporter-18 */
static void the_longest_wait_of_a_partition(void **state)
{
	(void)state;
	WORLD(w);
	static const struct exporter_job waiting[] = {
		{ JOB_PENDING, false, 2, 0, 0, 1, NOW_S - 60, 0, 0 },
		{ JOB_PENDING, false, 1, 1, 1, 1, NOW_S - A_DAY_S, 0, 0 },
		{ JOB_PENDING, false, 1, 1, 1, 1, NOW_S + 60, 0, 0 }, /* --begin */
		{ JOB_PENDING, false, 1, 1, 1, 1, 0, 0, 0 },          /* a dependency */
		{ JOB_PENDING, true, 1, 1, 1, 1, NOW_S - 2 * A_DAY_S, 0, 0 },
		{ JOB_CANCELLED, true, 1, 1, 1, 1, 0, 0, 0 }, /* it stays "hold" */
		{ JOB_RUNNING, false, 0, 0, 0, 1, NOW_S - 2 * A_DAY_S, 0, 0 },
	};
	w.jobs.v = waiting;
	w.jobs.n = LENGTH(waiting);
	when_rendered(&w);
	char first[120], second[120];
	snprintf(first, sizeof(first), "%s{partition=\"first\"} %d",
		"slurm_partition_jobs_waiting_since_timestamp_seconds", NOW_S - 60);
	snprintf(second, sizeof(second), "%s{partition=\"second\"} %d",
		"slurm_partition_jobs_waiting_since_timestamp_seconds", NOW_S - A_DAY_S);
	page_has(&w.page, "slurm_jobs_waiting 4");
	page_has(&w.page, "slurm_user_jobs_waiting{userid=\"1000\",username=\"alice\"} 1");
	page_has(&w.page, "slurm_account_jobs_waiting{account=\"\"} 3");
	page_has(&w.page, "slurm_partition_jobs_waiting{partition=\"second\"} 4");
	page_has(&w.page, first);
	page_has(&w.page, second);
	page_lacks(&w.page,
		"slurm_partition_jobs_waiting_since_timestamp_seconds{partition=\"empty\"}");
	page_lacks(&w.page, "slurm_user_jobs_waiting_since_timestamp_seconds{userid=\"1002\"");
}

/* Acceptance: exporter-4 */
static void a_partition_without_jobs_and_nodes_is_shown_with_zeros(void **state)
{
	(void)state;
	WORLD(w);
	when_rendered(&w);
	page_has(&w.page, "slurm_partition_pending_jobs{partition=\"empty\"} 0");
	page_has(&w.page, "slurm_partition_jobs_pending_total{partition=\"empty\"} 0");
	page_has(&w.page, "slurm_partition_nodes_total{partition=\"empty\"} 0");
	w.jobs.n = 0;
	w.nodes.n = 0;
	when_rendered(&w);
	page_has(&w.page, "slurm_partition_pending_jobs{partition=\"first\"} 0");
	page_has(&w.page, "slurm_nodes_total 0");
	page_has(&w.page, "slurm_jobs_total 0");
}

static void all_nodes_and_each(void **state)
{
	(void)state;
	WORLD(w);
	when_rendered(&w);
	page_has(&w.page, "slurm_nodes_total 6");
	page_has(&w.page, "slurm_node_total 6");
	page_has(&w.page, "slurm_alloc_nodes 4");
	page_has(&w.page, "slurm_drain_nodes 2");
	page_has(&w.page, "slurm_mixed_nodes 1");
	page_has(&w.page, "slurm_node_cpus_effective_total{node=\"f1\"} 15");
	page_has(&w.page, "slurm_node_alloc_cpus{node=\"f1\"} 12");
	page_has(&w.page, "slurm_node_memory_effective_bytes{node=\"f1\"} 3584");
	/* A missing value is 0 under the old name, and absent under the right one */
	page_has(&w.page, "slurm_node_memory_free_bytes{node=\"f3\"} 0");
	page_lacks(&w.page, "slurm_node_memory_unused_bytes{node=\"f3\"}");
	page_has(&w.page, "slurm_node_memory_unused_bytes{node=\"f1\"} 104857600");
}

/* Acceptance: exporter-3 */
static void a_node_is_in_one_base_state(void **state)
{
	(void)state;
	static const uint32_t states[] = { NODE_IDLE | NODE_DOWN | NODE_DRAIN, 0, NODE_OTHER,
		NODE_EXTERNAL, NODE_ALLOCATED | NODE_MIXED, NODE_POWER | NODE_POWERED_DOWN,
		NODE_INVALID_REG | NODE_IDLE | NODE_PLANNED, NODE_UNKNOWN };
	AUTO(arena_free) struct arena a = { 0 };
	for (size_t i = 0; i < LENGTH(states); i++) {
		const struct exporter_node n = { .name = "n", .state = states[i] };
		const struct exporter_nodes one = { &n, 1, { node_lists, 1 } };
		struct exporter_counts c;
		exporter_count(&(struct exporter_facts){ .nodes = &one }, &a, &c);
		double all = 0;
		for (int m = NODES_ALLOCATED; m <= NODES_UNKNOWN; m++)
			all += (*c.nodes)[m];
		assert_true(all == 1);
		assert_true((*c.nodes)[NODES_POWERED_DOWN] == !!(states[i] & NODE_POWERED_DOWN));
		assert_true((*c.nodes)[NODES_INVALID_REG] == !!(states[i] & NODE_INVALID_REG));
		assert_true((*c.nodes)[NODES_PLANNED] == !!(states[i] & NODE_PLANNED));
	}
}

/* Acceptance: exporter-3 */
static void a_job_is_in_one_base_state_and_has_any_flags(void **state)
{
	(void)state;
	static const uint32_t states[] = { JOB_RUNNING | JOB_COMPLETING, JOB_PENDING | JOB_REQUEUED,
		JOB_CANCELLED | JOB_COMPLETED, JOB_RUNNING | JOB_CONFIGURING | JOB_POWER_UP_NODE,
		JOB_FAILED | JOB_STAGE_OUT };
	AUTO(arena_free) struct arena a = { 0 };
	for (size_t i = 0; i < LENGTH(states); i++) {
		struct exporter_job j = { .state = states[i], .cpus = 4 };
		const struct exporter_jobs one = { &j, 1, { job_lists, 1 }, { accounts, 1 },
			{ user_names, 1 }, users, 1 };
		struct exporter_counts c;
		exporter_count(&(struct exporter_facts){ .jobs = &one }, &a, &c);
		double all = 0;
		for (int m = JOBS_BOOT_FAIL; m <= JOBS_OUT_OF_MEMORY; m++)
			all += (*c.jobs)[m];
		assert_true(all == 1);
		assert_true((*c.jobs)[JOBS_COMPLETING] == !!(states[i] & JOB_COMPLETING));
		assert_true((*c.jobs)[JOBS_STAGE_OUT] == !!(states[i] & JOB_STAGE_OUT));
		assert_true((*c.jobs)[JOBS_OPEN] ==
			!(states[i] & (JOB_COMPLETING | JOB_COMPLETED | JOB_CANCELLED)));
	}
}

/* Slurm tells what an ended job had: 0.3 counted that as allocated. */
static void a_job_that_has_ended_has_nothing(void **state)
{
	(void)state;
	static const struct exporter_job ended[] = {
		{ .state = JOB_COMPLETED, .cpus = 8, .memory = 100 },
		{ .state = JOB_RUNNING, .cpus = 2, .memory = 10 },
	};
	WORLD(w);
	w.jobs.v = ended;
	w.jobs.n = LENGTH(ended);
	when_rendered(&w);
	page_has(&w.page, "slurm_jobs_cpus_alloc_total 10");
	page_has(&w.page, "slurm_jobs_cpus_alloc 2");
	page_has(&w.page, "slurm_jobs_memory_alloc_bytes 110");
	page_has(&w.page, "slurm_jobs_memory_allocated_bytes 10485760");
}

/* Acceptance: exporter-5 */
static void a_job_of_several_partitions_counts_in_each(void **state)
{
	(void)state;
	static const struct exporter_job both[] = { { JOB_PENDING, false, 2, 0, 0, 4, 0, 0, 0 },
		{ JOB_PENDING, false, 3, 0, 0, 9, 0, 0, 0 } };
	WORLD(w);
	w.jobs.v = both;
	w.jobs.n = LENGTH(both);
	when_rendered(&w);
	page_has(&w.page, "slurm_partition_jobs_pending_total{partition=\"first\"} 1");
	page_has(&w.page, "slurm_partition_jobs_pending_total{partition=\"second\"} 1");
	page_has(&w.page,
		"slurm_partition_jobs_pending_maxnodecount_total{partition=\"second\"} 4");
	/* 0.1 left them out, and those of a partition that is not there */
	page_has(&w.page, "slurm_partition_pending_jobs{partition=\"first\"} 0");
	page_has(&w.page, "slurm_jobs_pending_total 2");
	page_lacks(&w.page, "gone");
}

static void a_node_counts_once_in_each_of_its_partitions(void **state)
{
	(void)state;
	static const struct exporter_node both = { "b", NODE_IDLE, 2, 8, 8, 0, 8, 64, 0, 0, -1 };
	WORLD(w);
	w.nodes.v = &both;
	w.nodes.n = 1;
	when_rendered(&w);
	page_has(&w.page, "slurm_partition_nodes_cpus_total{partition=\"first\"} 8");
	page_has(&w.page, "slurm_partition_nodes_cpus_total{partition=\"second\"} 8");
}

/* An unset time is none, and so is one of long ago. */
static void the_age_rule_of_the_older_name(void **state)
{
	(void)state;
	static const struct exporter_job waiting[] = {
		{ JOB_PENDING, false, 0, 0, 0, 4, 0, 0, 0 },
		{ JOB_PENDING, false, 0, 0, 0, 5, NOW_S - 366 * A_DAY_S, 0, 0 },
		{ JOB_PENDING, false, 0, 0, 0, 3, NOW_S - 364 * A_DAY_S, 0, 0 },
		{ JOB_PENDING, true, 0, 0, 0, 8, NOW_S, 0, 0 },
	};
	WORLD(w);
	w.jobs.v = waiting;
	w.jobs.n = LENGTH(waiting);
	when_rendered(&w);
	page_has(&w.page, "slurm_partition_max_pending_nodes{partition=\"first\"} 3");
	page_has(&w.page, "slurm_partition_jobs_pending_max_nodes{partition=\"first\"} 5");
}

/* ---- users, accounts, labels ---- */

static void users_and_accounts(void **state)
{
	(void)state;
	WORLD(w);
	when_rendered(&w);
	page_has(&w.page, "slurm_user_jobs_total{userid=\"1000\",username=\"alice\"} 2");
	page_has(&w.page, "slurm_user_jobs_total{userid=\"1002\",username=\"alice\"} 0");
	page_has(&w.page,
		"slurm_user_jobs_pending_total{userid=\"1001\",username=\"bob \\\"the\\\\\\n "
		"builder\\\"\"} 2");
	page_has(&w.page, "slurm_account_jobs_running_total{account=\"physics\"} 1");
	page_has(&w.page, "slurm_account_jobs_running_total{account=\"\"} 1");
	page_lacks(&w.page, "slurm_user_pending_jobs");
	w.facts.per_user_names = true;
	when_rendered(&w);
	page_has(&w.page, "slurm_job_total{user=\"alice\"} 2");
	page_has(&w.page, "slurm_user_hold_jobs{user=\"alice\"} 1");
}

/* Acceptance: exporter-9 */
static void of_too_many_those_with_the_most_jobs_are_shown(void **state)
{
	(void)state;
	WORLD(w);
	w.facts.limits = (struct exporter_limits){ 2, 1, 1, 1 };
	when_rendered(&w);
	page_has(&w.page, "slurm_exporter_left_out{of=\"nodes\"} 4");
	page_has(&w.page, "slurm_exporter_left_out{of=\"users\"} 2");
	page_has(&w.page, "slurm_exporter_left_out{of=\"accounts\"} 1");
	page_has(&w.page, "slurm_account_jobs_total{account=\"\"} 3");
	page_lacks(&w.page, "physics");
	page_lacks(&w.page, "alice");
	page_has(&w.page, "slurm_node_cpus{node=\"f2\"} 16");
	page_lacks(&w.page, "\"f3\"");
	/* Nodes and jobs without series of their own are counted all the same */
	page_has(&w.page, "slurm_nodes_total 6");
	page_has(&w.page, "slurm_jobs_total 5");
}

static void what_is_not_known_has_no_samples(void **state)
{
	(void)state;
	WORLD(w);
	w.facts.jobs = NULL;
	when_rendered(&w);
	page_lacks(&w.page, "_jobs");
	page_lacks(&w.page, "of=\"users\"");
	page_has(&w.page, "slurm_nodes_total 6");
	w.facts.jobs = &w.jobs;
	w.facts.partitions = NULL;
	when_rendered(&w);
	page_lacks(&w.page, "slurm_partition");
	page_has(&w.page, "slurm_jobs_total 5");
	w.facts.nodes = NULL;
	w.facts.jobs = NULL;
	when_rendered(&w);
	assert_string_equal(str_text(&w.page), "");
}

static void names_are_foreign_bytes(void **state)
{
	(void)state;
	static const struct exporter_node strange = { "n\xff\"{}\\", NODE_IDLE, 3, 1, 1, 0, 1, 1, 0,
		0, -1 };
	WORLD(w);
	w.nodes.v = &strange;
	w.nodes.n = 1;
	when_rendered(&w);
	page_has(&w.page, "slurm_node_cpus{node=\"n\xef\xbf\xbd\\\"{}\\\\\"} 1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nodes_of_a_partition_as_exporter_03_counts_them),
		cmocka_unit_test(jobs_of_a_partition_as_exporter_03_counts_them),
		cmocka_unit_test(a_partition_without_jobs_and_nodes_is_shown_with_zeros),
		cmocka_unit_test(the_longest_wait_of_a_partition),
		cmocka_unit_test(all_nodes_and_each),
		cmocka_unit_test(a_node_is_in_one_base_state),
		cmocka_unit_test(a_job_is_in_one_base_state_and_has_any_flags),
		cmocka_unit_test(a_job_that_has_ended_has_nothing),
		cmocka_unit_test(a_job_of_several_partitions_counts_in_each),
		cmocka_unit_test(a_node_counts_once_in_each_of_its_partitions),
		cmocka_unit_test(the_age_rule_of_the_older_name),
		cmocka_unit_test(users_and_accounts),
		cmocka_unit_test(of_too_many_those_with_the_most_jobs_are_shown),
		cmocka_unit_test(what_is_not_known_has_no_samples),
		cmocka_unit_test(names_are_foreign_bytes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
