/* SPDX-License-Identifier: Apache-2.0 */
/* A job that is schedulable nowhere says which partition misses what. */
#include "lib/given_job.h"
#include "plan/job/misses.h"

#define L LABEL_DOMAIN_WLM
#define LIMITS(nodes, cpus, mem, time)                                                         \
	"\"" LABEL_PARTITION_NODES "\":\"" nodes "\",\"" LABEL_PARTITION_CPUS "\":\"" cpus     \
	"\",\"" LABEL_PARTITION_MEM "\":\"" mem "\",\"" LABEL_PARTITION_WALL_TIME "\":\"" time \
	"\""
#define SMALL LIMITS("2", "4", "1000", "3600")
#define NODE(name, labels, spec)                                                                   \
	"{\"metadata\":{\"name\":\"slurm-hpc-" name "\",\"labels\":{\"type\":\""                   \
	"virtual-kubelet\",\"" LABEL_CLUSTER "\":\"hpc\",\"" LABEL_PARTITION "\":\"" name          \
	"\"," labels "}},\"spec\":{\"taints\":[{\"key\":\"" TAINT_PROVIDER "\",\"value\":\"wlm\"," \
	"\"effect\":\"NoSchedule\"}" spec "}}"
#define FREE "]"
#define TAINT(key, value, effect) \
	",{\"key\":\"" key "\",\"value\":\"" value "\",\"effect\":\"" effect "\"}]"
#define CPUS(more_than) LABEL_PARTITION_CPUS ">" more_than "\n"

static const char *misses(struct given *g, const char *wishes, const char *nodes)
{
	const struct nodes_fact fact = {
		.list = given_json(g, arena_printf(&g->arena, "[%s]", nodes)),
	};
	return job_misses(&g->arena, wishes, &fact);
}

struct row {
	const char *wishes, *labels, *spec, *text;
};

static void each_has_its_words(const struct row *rows, size_t n)
{
	for (const struct row *r = rows; r < rows + n; r++) {
		WORLD(g);
		const char *node = arena_printf(&g.arena, NODE("debug", "%s", "%s"), r->labels,
			r->spec);
		assert_string_equal(misses(&g, r->wishes, node),
			arena_printf(&g.arena, "no partition fits: hpc/debug: %s", r->text));
	}
}

/* Acceptance: job-19 */
static void test_each_label_that_is_missed_has_its_words(void **state)
{
	(void)state;
	static const struct row rows[] = {
		{ CPUS("7"), SMALL, FREE, "8 CPUs a node asked for, it has 4" },
		{ L "nodes>2\n", SMALL, FREE, "3 nodes asked for, it has 2" },
		{ L "mem-per-node>1999\n", SMALL, FREE,
			"2000 MB of memory a node asked for, it has 1000" },
		{ L "wall-time>86399\n", SMALL, FREE,
			"1-00:00:00 of time asked for, its limit is 01:00:00" },
		{ L "wall-time>9223372036854775806\n", SMALL, FREE,
			"no limit of time asked for, its limit is 01:00:00" },
		{ CPUS("7"), "\"a\":\"b\"", FREE, "8 CPUs a node asked for, its limit is unknown" },
		{ CPUS("7"), "\"" LABEL_PARTITION_CPUS "\":\"many\"", FREE,
			"8 CPUs a node asked for, its limit is unknown" },
		{ L "containers=singularity\n", SMALL, FREE, "no feature containers=singularity" },
		{ L "gpu=a100\n", "\"" L "gpu\":\"v100\"", FREE, "feature gpu is v100, not a100" },
		{ "zone=a\n", SMALL, FREE, "no label zone=a" },
		{ L "partition=long\n", SMALL, FREE,
			"label wlm.sylabs.io/partition is debug, not long" },
		{ "level>3\n", "\"level\":\"3\"", FREE, "label level is 3, not more than 3" },
		{ CPUS("x"), SMALL, FREE, "feature cpu-per-node is 4, not more than x" },
	};
	each_has_its_words(rows, LENGTH(rows));
}

/* Acceptance: job-19 */
static void test_a_node_that_takes_nobody_says_why(void **state)
{
	(void)state;
	static const struct row rows[] = {
		{ CPUS("3"), SMALL, "],\"unschedulable\":true", "is cordoned" },
		{ CPUS("3"), SMALL, TAINT("node.kubernetes.io/unschedulable", "", "NoSchedule"),
			"is cordoned" },
		{ CPUS("3"), SMALL,
			TAINT("wlm.sylabs.io/unavailable", "red-box-away", "NoSchedule"),
			"its red-box or slurmctld does not answer" },
		{ CPUS("3"), SMALL,
			TAINT("wlm.sylabs.io/unavailable", "partition-gone", "NoSchedule"),
			"Slurm has it no more" },
		{ CPUS("3"), SMALL,
			TAINT("wlm.sylabs.io/unavailable", "partition-drain", "NoSchedule"),
			"it is in DRAIN in Slurm" },
		{ CPUS("3"), SMALL,
			TAINT("wlm.sylabs.io/unavailable", "partition-down", "NoSchedule"),
			"it is DOWN in Slurm" },
		{ CPUS("3"), SMALL,
			TAINT("wlm.sylabs.io/unavailable", "partition-inactive", "NoSchedule"),
			"it is INACTIVE in Slurm" },
		{ CPUS("3"), SMALL, TAINT("wlm.sylabs.io/unavailable", "root-only", "NoSchedule"),
			"it is for root alone in Slurm" },
		{ CPUS("3"), SMALL, TAINT("node.kubernetes.io/unreachable", "", "NoSchedule"),
			"its virtual node does not answer" },
		{ CPUS("3"), SMALL, TAINT("node.kubernetes.io/not-ready", "", "NoSchedule"),
			"is not ready" },
		{ CPUS("3"), SMALL, TAINT("maintenance", "", "NoExecute"),
			"has the taint maintenance" },
		{ CPUS("7") "zone=a\n", SMALL, "],\"unschedulable\":true",
			"8 CPUs a node asked for, it has 4, no label zone=a, is cordoned" },
		{ CPUS("7") "zone=a\ny=1\nz=1\n", SMALL, TAINT("t", "", "NoSchedule"),
			"8 CPUs a node asked for, it has 4, no label zone=a, no label y=1 "
			"and 2 more" },
	};
	each_has_its_words(rows, LENGTH(rows));
}

/* The scheduler has another reason, or has not looked yet. */
/* Acceptance: job-19 */
static void test_where_one_misses_nothing_only_the_scheduler_knows(void **state)
{
	(void)state;
	static const char *const fine[] = { FREE, TAINT("t", "", "PreferNoSchedule"),
		TAINT("node.kubernetes.io/unreachable", "", "NoExecute") };
	for (size_t i = 0; i < LENGTH(fine); i++) {
		WORLD(g);
		const char *nodes = arena_printf(&g.arena,
			NODE("debug", SMALL, FREE) "," NODE("big",
				LIMITS("9", "9223372036854775807", "1", "1"), "%s"),
			fine[i]);
		assert_null(misses(&g, CPUS("7"), nodes));
	}
}

/* Acceptance: job-19 */
static void test_what_is_not_known_is_not_told(void **state)
{
	(void)state;
	WORLD(g);
	assert_null(job_misses(&g.arena, CPUS("7"), &(struct nodes_fact){ 0 }));
	assert_null(misses(&g, "", NODE("debug", SMALL, FREE)));
	assert_non_null(strstr(misses(&g, CPUS("7"), ""), "there is no partition"));
	assert_non_null(strstr(misses(&g, CPUS("7"), "{\"metadata\":{\"name\":\"slurm-a-b\"}}"),
		"fits: slurm-a-b: 8 CPUs"));
}

/* However many there are, it is a sentence; those that miss least come first. */
/* Acceptance: job-19 */
static void test_of_many_partitions_those_that_miss_least_are_told(void **state)
{
	(void)state;
	WORLD(g);
	AUTO(str_free) struct str nodes = { 0 };
	for (int i = 0; i < 40; i++)
		str_addf(&nodes, NODE("p%d", SMALL, FREE) ",", i, i);
	str_add(&nodes, NODE("gpu", SMALL ",\"zone\":\"a\"", FREE));
	const char *text = misses(&g, CPUS("7") "zone=a\n", str_text(&nodes));
	assert_true(str_has_prefix(text,
		"no partition fits: hpc/gpu: 8 CPUs a node asked for, it has 4; hpc/p0: "));
	assert_non_null(strstr(text, "; hpc/p3: "));
	assert_null(strstr(text, "hpc/p4"));
	assert_non_null(strstr(text, "; and 36 more"));
	const struct nodes_fact some = { .list = given_json(&g, "[" NODE("debug", SMALL, FREE) "]"),
		.more = true };
	assert_string_equal(job_misses(&g.arena, CPUS("7"), &some),
		"no partition fits: hpc/debug: 8 CPUs a node asked for, it has 4; and more");
}

/* ---- its condition ---- */

static void given_unschedulable(struct job_world *w)
{
	given_job(w, JOB_KEPT, "");
	given_job_pod(w, POD_PENDING)->node_name = "";
	w->pod.why = "Unschedulable: 0/3 nodes are available";
	w->pod.wishes = CPUS("7");
}

static void given_partitions(struct job_world *w, const char *node)
{
	w->view.nodes.list = given_json(&w->g, node);
}

/* Acceptance: job-19 */
static void test_the_condition_says_which_partition_misses_what(void **state)
{
	(void)state;
	JOB(w);
	given_unschedulable(&w);
	when_job_published(&w);
	assert_true(w.g.plan.asks_nodes);
	then_condition(&w.g, "Ended", "False", "Waiting");
	then_says(&w.g, "Ended", "0/3 nodes are available");
	given_partitions(&w, "[" NODE("debug", SMALL, FREE) "]");
	when_job_planned(&w);
	assert_int_equal(events_of(&w.g, "NoPartitionFits"), 1);
	when_job_published(&w);
	then_condition(&w.g, "Ended", "False", "NoPartitionFits");
	assert_string_equal(json_str(json_at(w.g.object, "status", "reason"), ""),
		"NoPartitionFits");
	when_job_planned(&w);
	then_nothing(&w.g);
	then_says(&w.g, "Ended", "no partition fits: hpc/debug: 8 CPUs a node asked for, it has 4");
	given_partitions(&w, "[" NODE("debug", LIMITS("2", "6", "1", "1"), FREE) "]");
	when_job_planned(&w);
	assert_int_equal(events_of(&w.g, "NoPartitionFits"), 0);
	when_job_published(&w);
	then_says(&w.g, "Ended", "it has 6");
}

/* Acceptance: job-19 */
static void test_what_was_said_stays_until_an_answer_comes(void **state)
{
	(void)state;
	JOB(w);
	given_unschedulable(&w);
	given_partitions(&w, "[" NODE("debug", SMALL, FREE) "]");
	when_job_published(&w);
	w.view.nodes.list = NULL; /* a manager that has just begun */
	when_job_planned(&w);
	then_nothing(&w.g);
	assert_true(w.g.plan.asks_nodes);
	w.view.nodes.refused = true;
	when_job_published(&w);
	then_condition(&w.g, "Ended", "False", "Waiting");
	then_says(&w.g, "Ended", "0/3 nodes are available");
}

/* Acceptance: job-19 */
static void test_the_sentence_goes_when_the_pod_has_a_node(void **state)
{
	(void)state;
	JOB(w);
	given_unschedulable(&w);
	given_partitions(&w, "[" NODE("debug", SMALL, FREE) "]");
	when_job_published(&w);
	w.pod.node_name = "slurm-hpc-debug";
	w.pod.why = w.pod.wishes = "";
	when_job_published(&w);
	assert_true(w.g.plan.asks_nodes); /* whether that one answers */
	then_condition(&w.g, "Ended", "False", "Waiting");
	then_says(&w.g, "Ended", "virtual node slurm-hpc-debug has the pod");
	assert_string_equal(json_str(json_at(w.g.object, "status", "reason"), "?"), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_label_that_is_missed_has_its_words),
		cmocka_unit_test(test_a_node_that_takes_nobody_says_why),
		cmocka_unit_test(test_where_one_misses_nothing_only_the_scheduler_knows),
		cmocka_unit_test(test_what_is_not_known_is_not_told),
		cmocka_unit_test(test_of_many_partitions_those_that_miss_least_are_told),
		cmocka_unit_test(test_the_condition_says_which_partition_misses_what),
		cmocka_unit_test(test_what_was_said_stays_until_an_answer_comes),
		cmocka_unit_test(test_the_sentence_goes_when_the_pod_has_a_node),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
