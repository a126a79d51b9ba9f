/* SPDX-License-Identifier: Apache-2.0 */
/* How many nodes the jobs that wait need: a row for each story. */
#include "lib/test.h"

#include <time.h>

#include "plan/autoscale/need.h"
#include "slurm/rest/parts.h"

#define SETS "all=ALL;debug=debug;gpu=gpu;both=debug,gpu;"

static const struct json *parsed(struct arena *a, const char *text)
{
	const struct json *v = json_parse_in(a, text, strlen(text), SIZE_MAX);
	if (!v)
		fail_msg("no JSON: %s", text);
	return v;
}

static const struct json *template_of(struct arena *a, const char *features)
{
	return parsed(a,
		arena_printf(a,
			"{\"spec\":{\"containers\":[{\"args\":[\"--conf\",\"'Features=%s "
			"Weight=2'\"]}]}}",
			features));
}

/* Members stand before those that a job has otherwise, and so win. */
static void add_job(struct slurm_queue *queue, struct arena *a, int64_t id, const char *members)
{
	slurm_queue_add(queue,
		parsed(a,
			arena_printf(a,
				"{%s%s\"job_id\":%lld,\"partition\":\"debug\","
				"\"job_state\":[\"PENDING\"],\"state_reason\":\"Resources\","
				"\"tres_req_str\":\"cpu=1,node=1\",\"cpus\":1,\"cpus_per_task\":1,"
				"\"tasks\":1,\"minimum_cpus_per_node\":1}",
				members, *members ? "," : "", (long long)id)),
		0);
}

static struct slurm_queue *queue_of(struct arena *a, const char *const *jobs)
{
	struct slurm_queue *q = arena_alloc(a, queue_bytes(QUEUE_SORTS));
	memset(q, 0, queue_bytes(QUEUE_SORTS));
	for (int64_t id = 1; *jobs; id++)
		add_job(q, a, id, *jobs++);
	return q;
}

enum { MOST_JOBS = 6 };

/* ---- one NodeSet: features "debug", nodes of 4 CPUs, 8000 MiB and two gpu:a100 ---- */

#define NODES(n) "\"tres_req_str\":\"cpu=" #n ",node=" #n "\",\"cpus\":" #n ",\"tasks\":" #n
#define CPUS(n) "\"cpus\":" #n ",\"tasks\":" #n
#define ONE_OF(n) "\"cpus\":" #n ",\"cpus_per_task\":" #n ",\"minimum_cpus_per_node\":" #n
#define MEMORY(n) "\"memory_per_node\":{\"set\":true,\"infinite\":false,\"number\":" #n "}"
#define MEMORY_CPU(n) "\"memory_per_cpu\":{\"set\":true,\"infinite\":false,\"number\":" #n "}"
#define ARRAY(tasks) "\"array_task_string\":\"" tasks "\""
#define REASON(r) "\"state_reason\":\"" r "\""
#define FEATURES(f) "\"features\":\"" f "\""
#define PARTITION(p) "\"partition\":\"" p "\""
#define EXCLUSIVE "\"shared\":[\"none\"]"

static const struct story {
	const char *jobs[MOST_JOBS];
	int64_t max, nodes, unfit;
} stories[] = {
	{ { NULL }, 10, 0, 0 },
	{ { "" }, 10, 1, 0 },
	/* An 8-node job brings exactly 8 */
	{ { NODES(8) }, 10, 8, 0 },
	{ { NODES(8) }, 8, 8, 0 },
	{ { NODES(8) }, 7, 0, 1 },
	/* Small jobs share nodes; four CPUs each */
	{ { "", "", "", "" }, 10, 1, 0 },
	{ { "", "", "", "", "" }, 10, 2, 0 },
	{ { ONE_OF(3), ONE_OF(3), ONE_OF(3) }, 10, 3, 0 },
	{ { ONE_OF(2), "", "" }, 10, 1, 0 },
	{ { ONE_OF(5) }, 10, 0, 1 },
	{ { CPUS(9) }, 10, 3, 0 },
	{ { "\"cpus\":12,\"tasks\":12,\"tasks_per_node\":2" }, 10, 6, 0 },
	{ { EXCLUSIVE, EXCLUSIVE, "" }, 10, 3, 0 },
	/* Memory */
	{ { MEMORY(3000), MEMORY(3000), MEMORY(3000) }, 10, 2, 0 },
	{ { MEMORY(9000) }, 10, 0, 1 },
	{ { MEMORY_CPU(4000) "," CPUS(6) }, 10, 3, 0 },
	/* GRES: two on a node */
	{ { "\"tres_per_node\":\"gres/gpu:2\"", "\"tres_per_node\":\"gres/gpu:2\"" }, 10, 2, 0 },
	{ { "\"tres_per_node\":\"gres/gpu\"", "\"tres_per_node\":\"gres/gpu:1\"" }, 10, 1, 0 },
	{ { "\"tres_per_node\":\"gres/gpu:a100:1\"" }, 10, 1, 0 },
	{ { "\"tres_per_node\":\"gres/gpu:h100:1\"" }, 10, 0, 1 },
	{ { "\"tres_per_node\":\"gres/gpu:3\"" }, 10, 0, 1 },
	{ { "\"tres_per_job\":\"gres/gpu:5\"" }, 10, 3, 0 },
	{ { "\"tres_per_task\":\"gres/gpu:1\"," CPUS(4) }, 10, 2, 0 },
	/* The form of sbatch -c is no GRES */
	{ { "\"tres_per_task\":\"cpu=2\"," ONE_OF(2), "\"tres_per_task\":\"cpu=2,gres/gpu=1\"" },
		10, 1, 0 },
	/* Arrays */
	{ { ARRAY("0-9") }, 10, 3, 0 },
	{ { ARRAY("1,3,5-7") }, 10, 2, 0 },
	{ { ARRAY("0-2147483647,0-2147483647,0-2147483647") }, 10, 10, 0 },
	{ { ARRAY("0-9%3") "," EXCLUSIVE }, 10, 3, 0 },
	{ { ARRAY("0-99:10") "," EXCLUSIVE }, 20, 10, 0 },
	/* Never more than there may be; that is no job that does not fit */
	{ { ARRAY("0-999") "," EXCLUSIVE }, 10, 10, 0 },
	/* Which of them starts first is unknown: seed 84 of the simulator */
	{ { EXCLUSIVE, NODES(6) }, 6, 6, 0 },
	{ { EXCLUSIVE, EXCLUSIVE, NODES(6) }, 7, 6, 0 },
	{ { NODES(6), EXCLUSIVE, EXCLUSIVE }, 6, 6, 0 },
	/* A job that waits for something else brings no pod up */
	{ { REASON("AssocMaxJobsLimit"), REASON("QOSGrpCpuLimit"), REASON("Dependency"),
		  REASON("BeginTime"), REASON("JobHeldUser") },
		10, 0, 0 },
	{ { "\"required_nodes\":\"foo-3\"" }, 10, 0, 0 },
	{ { REASON("Reservation"), REASON("PartitionTimeLimit"), "\"hold\":true",
		  "\"resv_name\":\"r\"", REASON("AWordOfTomorrow") },
		10, 0, 0 },
	{ { "\"job_state\":[\"RUNNING\"]", "\"job_state\":[\"PENDING\",\"COMPLETING\"]" }, 10, 0,
		0 },
	/* Seen where a partition has no node */
	{ { REASON("ReqNodeNotAvail") "," EXCLUSIVE, REASON("PartitionConfig") "," EXCLUSIVE,
		  REASON("Priority") "," EXCLUSIVE, REASON("None") "," EXCLUSIVE },
		10, 4, 0 },
	/* Partitions and features */
	{ { PARTITION("gpu"), PARTITION("nowhere") }, 10, 0, 0 },
	{ { PARTITION("all"), PARTITION("gpu,debug"), PARTITION("both") }, 10, 1, 0 },
	{ { FEATURES("debug"), FEATURES("debug|gpu"), FEATURES("(gpu|debug)&fast") }, 10, 1, 0 },
	{ { FEATURES("gpu"), FEATURES("debug&gpu"), FEATURES("debug&(gpu") }, 10, 0, 0 },
	{ { FEATURES("[debug*2&gpu*1]") "," NODES(3) }, 10, 3, 0 },
	/* The job may have one node, and needs two */
	{ { CPUS(8) ",\"max_nodes\":1" }, 10, 0, 1 },
};

/* Acceptance: autoscale-3 */
static void test_jobs_bring_up_the_nodes_that_they_need(void **state)
{
	(void)state;
	for (size_t i = 0; i < LENGTH(stories); i++) {
		const struct story *s = &stories[i];
		AUTO(arena_free) struct arena a = { 0 };
		const struct autoscale_set set = { "foo", template_of(&a, "debug,fast"), 1, s->max,
			0, { 4, 8000, "gpu:a100:2(S:0-1)", true } };
		struct autoscale_need n = autoscale_need(queue_of(&a, s->jobs), SETS, &set, 1, 0,
			&a);
		if (n.nodes != s->nodes || n.unfit != s->unfit)
			fail_msg("story %zu (%s): %lld nodes, job %lld does not fit: %s", i,
				s->jobs[0], (long long)n.nodes, (long long)n.unfit, n.unfit_why);
		assert_int_equal(n.unfit != 0, *n.unfit_why != '\0');
	}
}

/* The size of a node is unknown until it registers: the first ones show it. */
static void test_nodes_of_unknown_shape_are_the_largest_job(void **state)
{
	(void)state;
	AUTO(arena_free) struct arena a = { 0 };
	const struct autoscale_set set = { "foo", template_of(&a, "debug"), 1, 10, 0, { 0 } };
	static const char *const jobs[] = { ARRAY("0-99"), NODES(3), ONE_OF(64), NULL };
	assert_int_equal(autoscale_need(queue_of(&a, jobs), SETS, &set, 1, 0, &a).nodes, 3);
}

static void test_busy_nodes_leave_less_room(void **state)
{
	(void)state;
	AUTO(arena_free) struct arena a = { 0 };
	const struct autoscale_set set = { "foo", template_of(&a, "debug"), 1, 10, 8,
		{ 4, 0, "" } };
	static const char *const jobs[] = { ARRAY("0-99") "," EXCLUSIVE, NULL };
	static const char *const large[] = { NODES(3), NULL };
	assert_int_equal(autoscale_need(queue_of(&a, jobs), SETS, &set, 1, 0, &a).nodes, 2);
	/* The job waits until there is room for all of it, and does fit */
	struct autoscale_need n = autoscale_need(queue_of(&a, large), SETS, &set, 1, 0, &a);
	assert_int_equal(n.nodes, 0);
	assert_int_equal(n.unfit, 0);
}

/* As it is by default in Slurm: DefMemPerNode and SelectTypeParameters are not set */
/* Acceptance: autoscale-13 */
static void test_a_job_that_asks_for_no_memory_gets_all_of_a_node(void **state)
{
	(void)state;
	AUTO(arena_free) struct arena a = { 0 };
	struct autoscale_set set = { "foo", template_of(&a, "debug"), 1, 10, 0, { 4, 8000, "" } };
	static const char *const none[] = { "", "", ARRAY("0-2"), NULL },
				 *const some[] = { MEMORY(2000), MEMORY(2000), MEMORY_CPU(1000),
					 NULL };
	assert_int_equal(autoscale_need(queue_of(&a, none), SETS, &set, 1, 0, &a).nodes, 5);
	assert_int_equal(autoscale_need(queue_of(&a, some), SETS, &set, 1, 0, &a).nodes, 1);
	set.shape.memory_shared = true;
	assert_int_equal(autoscale_need(queue_of(&a, none), SETS, &set, 1, 0, &a).nodes, 2);
}

/* ---- several NodeSets ---- */

static void needs(const char *const *jobs, const int64_t nodes[3], int64_t unfit)
{
	AUTO(arena_free) struct arena a = { 0 };
	const struct autoscale_set sets[] = {
		{ "dear", template_of(&a, "debug,big"), 9, 10, 0, { 16, 64000, "" } },
		{ "cheap", template_of(&a, "debug"), 1, 4, 0, { 4, 8000, "", true } },
		{ "gpu", template_of(&a, "gpu"), 1, 4, 0, { 4, 8000, "gpu:2", true } },
	};
	for (size_t i = 0; i < LENGTH(sets); i++) {
		struct autoscale_need n = autoscale_need(queue_of(&a, jobs), SETS, sets,
			LENGTH(sets), i, &a);
		if (n.nodes != nodes[i])
			fail_msg("%s: %lld nodes", sets[i].name, (long long)n.nodes);
		if (i < 2)
			assert_int_equal(n.unfit, unfit);
	}
}

/* Acceptance: autoscale-3 */
static void test_the_cheapest_one_that_can_serves_a_job(void **state)
{
	(void)state;
	needs((const char *[]){ EXCLUSIVE, EXCLUSIVE, NULL }, (int64_t[]){ 0, 2, 0 }, 0);
	needs((const char *[]){ ONE_OF(8), NULL }, (int64_t[]){ 1, 0, 0 }, 0);
	needs((const char *[]){ FEATURES("big"), NULL }, (int64_t[]){ 1, 0, 0 }, 0);
	needs((const char *[]){ PARTITION("gpu"), NULL }, (int64_t[]){ 0, 0, 1 }, 0);
}

static void test_what_has_no_room_in_the_cheapest_goes_to_the_next(void **state)
{
	(void)state;
	needs((const char *[]){ ARRAY("1-6") "," EXCLUSIVE, NULL }, (int64_t[]){ 2, 4, 0 }, 0);
	needs((const char *[]){ NODES(6), NULL }, (int64_t[]){ 6, 0, 0 }, 0);
}

static void test_a_job_too_large_for_each_is_shared_out(void **state)
{
	(void)state;
	needs((const char *[]){ NODES(13), NULL }, (int64_t[]){ 9, 4, 0 }, 0);
	needs((const char *[]){ NODES(15), NULL }, (int64_t[]){ 0, 0, 0 }, 1);
}

static void test_the_sentence_says_what_is_too_small(void **state)
{
	(void)state;
	AUTO(arena_free) struct arena a = { 0 };
	const struct autoscale_set set = { "foo", template_of(&a, "debug"), 1, 4, 0,
		{ 4, 8000, "gpu:2", true } };
	static const struct {
		const char *jobs[2], *says;
	} rows[] = {
		{ { NODES(8) }, "it asks for 8 nodes, and there can be at most 4" },
		{ { ONE_OF(5) }, "it asks for 5 CPUs on a node, which has 4" },
		{ { MEMORY(9000) }, "it asks for 9000 MiB on a node, which has 8000" },
		{ { "\"tres_per_node\":\"gres/gpu:3\"" },
			"it asks for 3 of the GRES gpu on a node, which has 2" },
		{ { CPUS(8) ",\"max_nodes\":1" },
			"it may use at most 1 nodes, and needs 2 of this size" },
	};
	for (size_t i = 0; i < LENGTH(rows); i++)
		assert_string_equal(autoscale_need(queue_of(&a, rows[i].jobs), SETS, &set, 1, 0, &a)
					    .unfit_why,
			rows[i].says);
}

/* ---- foreign texts ---- */

static void test_alike_jobs_are_one_sort(void **state)
{
	(void)state;
	AUTO(arena_free) struct arena a = { 0 };
	struct slurm_queue *q = queue_of(&a, (const char *[]){ NULL });
	for (int64_t id = 500; id > 0; id--)
		add_job(q, &a, id, id % 2 ? NODES(2) : ARRAY("0-3"));
	assert_int_equal(q->n, 2);
	assert_int_equal(q->sorts[0].count, 1000);
	assert_int_equal(q->sorts[0].first_id, 2);
	assert_int_equal(q->sorts[1].count, 250);
}

static void test_more_sorts_than_have_room_are_counted(void **state)
{
	(void)state;
	AUTO(arena_free) struct arena a = { 0 };
	struct slurm_queue *q = queue_of(&a, (const char *[]){ NULL });
	char text[400], name[200];
	for (int64_t i = 1; i <= QUEUE_SORTS + 10; i++) {
		snprintf(text, sizeof(text), "\"cpus\":%lld", (long long)i);
		add_job(q, &a, i, text);
	}
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	snprintf(text, sizeof(text), PARTITION("%s"), name);
	add_job(q, &a, 1000, text);
	assert_int_equal(q->n, QUEUE_SORTS);
	assert_int_equal(q->left_out, 11);
}

static void test_numbers_and_texts_from_outside_overflow_nothing(void **state)
{
	(void)state;
	AUTO(arena_free) struct arena a = { 0 };
	const struct autoscale_set set = { "foo", template_of(&a, "debug"), 1, 65536, 0,
		{ INT32_MAX, INT32_MAX, "gpu:999999999,gpu:x:999999999," } };
	static const char *const jobs[] = { "\"cpus\":9223372036854775807",
		"\"tres_req_str\":\"node=9223372036854775807\"",
		"\"cpus\":2147483647,\"tasks\":2147483647,\"cpus_per_task\":2147483647,"
		"\"minimum_cpus_per_node\":9223372036854775807",
		ARRAY("0-2147483647:0,9-1,%%%,-") "," MEMORY(9223372036854775807),
		"\"tres_per_task\":\"gres/gpu:999999999,gres:gpu:::(((,,\",\"tasks\":2147483647",
		FEATURES("((((((((((((((((((((((((debug") "," ARRAY("0-2147483647"),
		PARTITION(",,debug,,") "," ARRAY("0-2147483646") "," NODES(65536), NULL };
	struct autoscale_need n = autoscale_need(queue_of(&a, jobs), SETS ";;=x;broken", &set, 1, 0,
		&a);
	assert_true(n.nodes >= 0 && n.nodes <= 65536);
}

/* Sums of jobs that nothing bounds, and numbers of a node that Slurm invents */
static void test_numbers_of_any_node_overflow_nothing(void **state)
{
	(void)state;
	AUTO(arena_free) struct arena a = { 0 };
	struct autoscale_set set = { "foo", template_of(&a, "debug"), 1, 65536, 0, { 0 } };
	struct slurm_queue *q = queue_of(&a, (const char *[]){ NULL });
	for (int64_t i = 0; i < QUEUE_SORTS - 1; i++)
		add_job(q, &a, i + 1,
			arena_printf(&a,
				ARRAY("0-2147483646") ",\"tres_req_str\":\"cpu=9,node=%d\"",
				65000 + (int)i));
	add_job(q, &a, 1000,
		"\"minimum_cpus_per_node\":4611686018427387904," MEMORY_CPU(2147483647));
	assert_int_equal(autoscale_need(q, SETS, &set, 1, 0, &a).nodes, 65254);
	set.shape = (struct node_shape){ INT64_MAX, 0, "", true };
	int64_t nodes = autoscale_need(q, SETS, &set, 1, 0, &a).nodes;
	assert_true(nodes >= 0 && nodes <= 65536);
}

/* A tenant's template may have a megabyte, and his jobs may be of QUEUE_SORTS kinds. */
/* Acceptance: autoscale-17 */
static void test_a_large_template_is_not_read_for_each_job(void **state)
{
	enum { BYTES = 200000, MOST_S = 1 };
	(void)state;
	AUTO(arena_free) struct arena a = { 0 };
	char *word = arena_alloc(&a, BYTES + 1);
	memset(word, 'x', BYTES);
	const struct json *template = parsed(&a,
		arena_printf(&a, "{\"spec\":{\"containers\":[{\"args\":[\"%s\"]}]}}", word));
	const struct autoscale_set set = { "foo", template, 1, 10, 0, { 4, 0, "" } };
	struct slurm_queue *q = queue_of(&a, (const char *[]){ NULL });
	for (int64_t i = 1; i <= QUEUE_SORTS; i++)
		add_job(q, &a, i, arena_printf(&a, "\"cpus\":%lld", (long long)i));
	clock_t began = clock();
	assert_int_equal(autoscale_need(q, SETS, &set, 1, 0, &a).nodes, 0);
	assert_true(clock() - began < MOST_S * CLOCKS_PER_SEC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_jobs_bring_up_the_nodes_that_they_need),
		cmocka_unit_test(test_nodes_of_unknown_shape_are_the_largest_job),
		cmocka_unit_test(test_busy_nodes_leave_less_room),
		cmocka_unit_test(test_a_job_that_asks_for_no_memory_gets_all_of_a_node),
		cmocka_unit_test(test_the_cheapest_one_that_can_serves_a_job),
		cmocka_unit_test(test_what_has_no_room_in_the_cheapest_goes_to_the_next),
		cmocka_unit_test(test_a_job_too_large_for_each_is_shared_out),
		cmocka_unit_test(test_the_sentence_says_what_is_too_small),
		cmocka_unit_test(test_alike_jobs_are_one_sort),
		cmocka_unit_test(test_more_sorts_than_have_room_are_counted),
		cmocka_unit_test(test_numbers_and_texts_from_outside_overflow_nothing),
		cmocka_unit_test(test_numbers_of_any_node_overflow_nothing),
		cmocka_unit_test(test_a_large_template_is_not_read_for_each_job),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
