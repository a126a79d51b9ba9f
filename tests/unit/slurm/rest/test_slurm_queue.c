/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jobs that wait for nodes that do not exist, as two Slurms gave them by three versions
 * of their API each: a partition "auto" of eight FUTURE nodes of 4 CPUs, 8000 MiB and
 * gpu:2, "big" of one FUTURE node, and "fixed" of a node that is up. The name of each job
 * says what it was submitted with.
 */
#include "lib/fake_slurmrestd.h"

#include "slurm/rest/parts.h"
#include "slurm/rest/queue.h"

/* "three-nodes: 1 of auto, nodes 3, cpus 12"; a job that waits for no node: "held: -" */
static void add_line(struct str *all, const struct json *job)
{
	AUTO(own_free) struct slurm_queue *one = own_alloc(queue_bytes(QUEUE_SORTS));
	slurm_queue_add(one, job, 0);
	str_addf(all, "%s: ", json_str(json_get(job, "name"), ""));
	if (!one->n) {
		str_add(all, "-\n");
		return;
	}
	const struct queued_sort *s = &one->sorts[0];
	const struct queued *q = &s->job;
	str_addf(all, "%lld of %s", (long long)s->count, q->partitions);
	const struct {
		const char *what;
		int64_t n, usual;
	} numbers[] = {
		{ "nodes", q->nodes, 1 },
		{ "at most", q->nodes_most, 0 },
		{ "cpus", q->cpus, 1 },
		{ "a task", q->cpus_task, 1 },
		{ "a node", q->cpus_node, 1 },
		{ "tasks", q->tasks, 1 },
		{ "tasks a node", q->tasks_node, 0 },
		{ "MiB a node", q->memory_node, 0 },
		{ "MiB a CPU", q->memory_cpu, 0 },
	};
	for (size_t i = 0; i < LENGTH(numbers); i++)
		if (numbers[i].n != numbers[i].usual)
			str_addf(all, ", %s %lld", numbers[i].what, (long long)numbers[i].n);
	const char *const texts[] = { q->features, q->gres_node, q->gres_job, q->gres_task };
	static const char *const of[] = { "feature", "each node", "the job", "each task" };
	for (size_t i = 0; i < LENGTH(texts); i++)
		if (*texts[i])
			str_addf(all, ", %s %s", of[i], texts[i]);
	str_add(all, q->exclusive ? ", exclusive\n" : "\n");
}

/* The text without the words, wherever they stand. */
static void leave_out(const char *text, const char *words, struct str *out)
{
	for (const char *at; (at = strstr(text, words)); text = at + strlen(words))
		str_add_bytes(out, text, (size_t)(at - text));
	str_add(out, text);
}

static void jobs_are(const char *recorded, const char *wanted)
{
	int status;
	AUTO(json_auto) struct json_doc *doc = NULL;
	AUTO(str_free) struct str all = { 0 };
	AUTO(own_free) char *body = recorded_answer(recorded, &status);
	assert_int_equal(status, 200);
	assert_false(failed(json_parse(body, strlen(body), 1 << 20, &doc)));
	struct json_iter it = json_iter(json_get(json_root(doc), "jobs"));
	while (json_next(&it))
		add_line(&all, it.value);
	assert_string_equal(str_text(&all), wanted);
}

/* Acceptance: autoscale-12 */
static void test_what_24_11_says(void **state)
{
	(void)state;
	static const char *const recorded[] = { "24.11/v0.0.40/jobs-waiting",
		"24.11/v0.0.41/jobs-waiting", "24.11/v0.0.42/jobs-waiting" };
	for (size_t i = 0; i < LENGTH(recorded); i++)
		jobs_are(recorded[i],
			"plain: 1 of auto\n"
			"three-nodes: 1 of auto, nodes 3, at most 3, cpus 12, a task 2, a node 4, "
			"tasks 6, tasks a node 2, each task cpu=2\n"
			"nodes-2-to-4: 1 of auto, nodes 2, at most 4, cpus 8, tasks 8\n"
			"array: 10 of auto\n"
			"array-limit: 3 of auto\n"
			"gres-node: 1 of auto, each node gres/gpu:2\n"
			"gpus: 1 of auto, the job gres/gpu:4\n"
			"gpus-per-task: 1 of auto, cpus 4, tasks 4, each task gres/gpu=1\n"
			"exclusive: 1 of auto, nodes 2, at most 2, cpus 2, tasks 2, exclusive\n"
			"memory: 1 of auto, cpus 2, a task 2, a node 2, MiB a node 3000, each task "
			"cpu=2\n"
			"memory-cpu: 1 of auto, cpus 6, tasks 6, MiB a CPU 1500\n"
			"after: -\n"
			"begin: -\n"
			"held: -\n"
			"limit-1: 1 of auto\n"
			"limit-2: -\n"
			"two-partitions: 1 of auto,big\n"
			"constraint: 1 of auto, feature auto\n"
			"by-name: -\n"
			"nine-nodes: -\n"
			"five-cpus: -\n"
			"big: 1 of big, cpus 5, a task 5, a node 5, MiB a node 900000, each task "
			"cpu=5\n"
			"big-exclusive: 1 of big, exclusive\n"
			"big-gres: -\n"
			"fixed-runs: -\n"
			"fixed-waits: -\n"
			"fixed-array: -\n"
			"reserved: -\n"
			"fixed-array: -\n"
			"limited-runs: 1 of fixed\n");
}

static const char of_26_05[] =
	"plain: 1 of auto\n"
	"three-nodes: 1 of auto, nodes 3, at most 3, cpus 12, a task 2, a node 4, tasks 6, tasks a "
	"node 2, each task cpu=2\n"
	"nodes-2-to-4: 1 of auto, nodes 2, at most 4, cpus 8, tasks 8\n"
	"array: 10 of auto\n"
	"array-limit: 3 of auto\n"
	"gres-node: 1 of auto, each node gres/gpu:2\n"
	"gpus: 1 of auto, at most 1, the job gres/gpu:4\n"
	"gpus-per-task: 1 of auto, at most 4, cpus 4, tasks 4, each task gres/gpu=1\n"
	"exclusive: 1 of auto, nodes 2, at most 2, cpus 2, tasks 2, exclusive\n"
	"memory: 1 of auto, cpus 2, a task 2, a node 2, MiB a node 3000, each task cpu=2\n"
	"memory-cpu: 1 of auto, at most 6, cpus 6, tasks 6, MiB a CPU 1500\n"
	"after: -\n"
	"begin: -\n"
	"held: -\n"
	"limit-1: 1 of auto\n"
	"limit-2: -\n"
	"two-partitions: 1 of auto,big\n"
	"constraint: 1 of auto, feature auto\n"
	"by-name: -\n"
	"nine-nodes: -\n"
	"five-cpus: -\n"
	"big: 1 of big, cpus 5, a task 5, a node 5, MiB a node 900000, each task cpu=5\n"
	"big-exclusive: 1 of big, exclusive\n"
	"big-gres: -\n"
	"fixed-runs: -\n"
	"fixed-waits: -\n"
	"fixed-array: -\n"
	"reserved: -\n"
	"fixed-array: -\n"
	"limited-runs: 1 of fixed\n";

/* Acceptance: autoscale-12 */
static void test_what_26_05_says(void **state)
{
	(void)state;
	jobs_are("26.05/v0.0.42/jobs-waiting", of_26_05);
	jobs_are("26.05/v0.0.44/jobs-waiting", of_26_05);
	/* By v0.0.45 of 26.05.5 the field "shared" of an exclusive job is empty */
	AUTO(str_free) struct str
		not_exclusive = { 0 };
	leave_out(of_26_05, ", exclusive", &not_exclusive);
	jobs_are("26.05/v0.0.45/jobs-waiting", str_text(&not_exclusive));
}

/* As 24.11.5 gave them right after their submission. */
/* Acceptance: autoscale-15 */
static void test_a_job_that_is_not_eligible_waits_for_no_nodes(void **state)
{
	(void)state;
	enum { NOW = 1795751495 };
	static const struct {
		const char *eligible;
		bool counts;
	} rows[] = {
		{ "1795751495", true }, { "0", false }, /* a dependency */
		{ "1795752095", false },                /* --begin=now+600 */
		{ "1795751540", true },                 /* in less than a minute */
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		AUTO(arena_free) struct arena a = { 0 };
		AUTO(own_free) struct slurm_queue *q = own_alloc(queue_bytes(QUEUE_SORTS));
		const char *text = arena_printf(&a,
			"{\"job_id\":2,\"partition\":\"debug\",\"job_state\":[\"PENDING\"],"
			"\"state_reason\":\"ReqNodeNotAvail\",\"cpus\":1,\"eligible_time\":{"
			"\"set\":"
			"true,\"number\":%s},\"submit_time\":{\"set\":true,\"number\":1795751495}}",
			rows[i].eligible);
		slurm_queue_add(q, json_parse_in(&a, text, strlen(text), 4096), NOW);
		assert_int_equal(q->n, rows[i].counts);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_job_that_is_not_eligible_waits_for_no_nodes),
		cmocka_unit_test(test_what_24_11_says),
		cmocka_unit_test(test_what_26_05_says),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
