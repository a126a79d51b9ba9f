/* SPDX-License-Identifier: Apache-2.0 */
/* Partitions of scontrol; lines of sacct and squeue; the answers of sbatch and sinfo. */
#include "lib/test.h"

#include <time.h>

#include "lib/tool_output.h"
#include "slurm/tools/printed.h"

struct world {
	struct arena a;
	struct slurm_partition_shown *partitions;
	struct slurm_step_shown *steps;
	size_t n;
	struct printed_found found;
};

static int given_utc(void **state)
{
	setenv("TZ", "UTC0", 1);
	tzset();
	*state = own_alloc(sizeof(struct world));
	return 0;
}

static int free_world(void **state)
{
	struct world *w = *state;
	arena_free(&w->a);
	free(w);
	return 0;
}

static void is_fine(struct err e)
{
	if (failed(e))
		fail_msg("%s", e.text);
}

static void says(struct err e, const char *sentence)
{
	assert_int_equal(e.kind, ERR_INVALID);
	if (!strstr(e.text, sentence))
		fail_msg("\"%s\" is not in: %s", sentence, e.text);
}

/* ---- partitions ---- */

static void partitions(struct world *w, const char *text, size_t n)
{
	is_fine(slurm_show_partitions(text, &w->a, &w->partitions, &w->n));
	assert_int_equal(w->n, n);
}

static void has(const struct slurm_partition_shown *p, int64_t nodes, int64_t cpus, int64_t memory,
	int64_t wall_s)
{
	assert_int_equal(p->nodes, nodes);
	assert_int_equal(p->cpus_per_node, cpus);
	assert_int_equal(p->memory_per_node_mb, memory);
	assert_int_equal(p->wall_s, wall_s);
}

/* Acceptance: red-box-5, word-18 */
static void test_a_partition_with_limits(void **state)
{
	struct world *w = *state;
	partitions(w,
		"\n\tPartitionName=debug\n   AllowGroups=ALL AllowAccounts=ALL AllowQos=ALL\n"
		"   MaxNodes=3 MaxTime=00:30:00 MinNodes=1 LLN=NO MaxCPUsPerNode=1\n"
		"   State=UP TotalCPUs=2 TotalNodes=8 SelectTypeParameters=NONE\n"
		"   DefMemPerNode=UNLIMITED MaxMemPerNode=512\n",
		1);
	assert_string_equal(w->partitions[0].name, "debug");
	has(&w->partitions[0], 3, 1, 512, 30 * 60);
}

/* Acceptance: red-box-5, word-18 */
static void test_a_partition_without_limits(void **state)
{
	struct world *w = *state;
	partitions(w,
		"PartitionName=debug\n   MaxNodes=UNLIMITED MaxTime=UNLIMITED MinNodes=1 LLN=NO "
		"MaxCPUsPerNode=UNLIMITED\n   State=UP TotalCPUs=2 TotalNodes=4\n"
		"   MaxMemPerNode=UNLIMITED\n",
		1);
	has(&w->partitions[0], 4, 2, SLURM_ABSENT, SLURM_ABSENT);
	partitions(w, "PartitionName=bare\n", 1);
	has(&w->partitions[0], SLURM_ABSENT, SLURM_ABSENT, SLURM_ABSENT, SLURM_ABSENT);
}

/* Acceptance: red-box-5, word-18 */
static void test_partitions_in_their_order(void **state)
{
	struct world *w = *state;
	partitions(w,
		"\n\nPartitionName=debug\n   MaxNodes=1\n\nPartitionName=debug2\n   MaxNodes=2\n\n"
		"PartitionName=De_bug.3\n   MaxNodes=3\n\n\n",
		3);
	assert_string_equal(w->partitions[0].name, "debug");
	assert_string_equal(w->partitions[1].name, "debug2");
	assert_string_equal(w->partitions[2].name, "De_bug.3");
	assert_int_equal(w->partitions[1].nodes, 2);
}

/* Acceptance: red-box-5, word-20 */
static void test_no_partition_is_none(void **state)
{
	struct world *w = *state;
	partitions(w, "No partitions in the system\n", 0);
	partitions(w, "", 0);
	partitions(w, "PartitionName=\n   MaxNodes=1\n", 0);
	says(slurm_show_partitions("PartitionName=a\n   MaxNodes=many\n", &w->a, &w->partitions,
		     &w->n),
		"MaxNodes: \"many\" is no number");
}

/* Acceptance: red-box-5, word-20 */
static void test_partitions_of_real_slurms(void **state)
{
	static const char *const files[] = { "24.11/tools/partitions.txt",
		"26.05/tools/partitions.txt" };
	struct world *w = *state;
	for (size_t i = 0; i < LENGTH(files); i++) {
		partitions(w, tool_output(&w->a, files[i]), 3);
		assert_string_equal(w->partitions[0].name, "all");
		assert_int_equal(w->partitions[0].wall_s, SLURM_ABSENT);
		assert_string_equal(w->partitions[1].name, "small");
		has(&w->partitions[1], 1, 1, 512, 30 * 60);
		assert_string_equal(w->partitions[2].name, "Per_CPU.x");
		has(&w->partitions[2], 1, 2, 0, 51 * 3600); /* a limit for each CPU */
	}
}

/* ---- steps ---- */

static void steps(struct world *w, const char *text, size_t n)
{
	is_fine(printed_steps(text, &w->a, &w->steps, &w->n));
	assert_int_equal(w->n, n);
}

static void is_step(const struct slurm_step_shown *s, const char *id, const char *name,
	const char *state, int exit_code)
{
	assert_string_equal(s->id, id);
	assert_string_equal(s->name, name);
	assert_string_equal(s->state, state);
	assert_int_equal(s->exit_code, exit_code);
}

/* Acceptance: red-box-6, word-21 */
static void test_a_step(void **state)
{
	struct world *w = *state;
	steps(w, "2019-02-20T11:16:55|2019-02-20T11:16:56|2:0|COMPLETED|35|test|\n", 1);
	is_step(&w->steps[0], "35", "test", "COMPLETED", 2);
	assert_int_equal(w->steps[0].start_s, 1550661415);
	assert_int_equal(w->steps[0].end_s, 1550661416);
}

/* Acceptance: red-box-6, word-21 */
static void test_three_steps(void **state)
{
	struct world *w = *state;
	steps(w,
		"2019-02-20T11:16:55|2019-02-20T11:16:55|0:0|COMPLETED|35|sbatch|\n"
		"2019-02-20T11:16:55|2019-02-20T11:16:55|0:0|COMPLETED|35.0|a|\n"
		"2019-02-20T11:16:55|unknown|0:0|RUNNING|35.1|echo 'lala'|\n",
		3);
	is_step(&w->steps[2], "35.1", "echo 'lala'", "RUNNING", 0);
	assert_int_equal(w->steps[2].end_s, SLURM_ABSENT);
}

static void refused_step(struct world *w, const char *text, const char *sentence)
{
	says(printed_steps(text, &w->a, &w->steps, &w->n), sentence);
}

/* Acceptance: red-box-6, word-22 */
static void test_steps_that_are_refused(void **state)
{
	struct world *w = *state;
	refused_step(w, "20 Feb 20109 11:16:55|2019-02-20T11:16:55|2:0|COMPLETED|35|test|",
		"no time");
	refused_step(w, "2019-02-20T11:16:55|20 Feb 20109 11:16:55|2:0|COMPLETED|35|test|",
		"no time");
	refused_step(w, "Unknown|Unknown|2:5:0|COMPLETED|35|test|", "must have 2 sections");
	refused_step(w, "Unknown|Unknown|2|COMPLETED|35|test|", "must have 2 sections");
	refused_step(w, "Unknown|Unknown|F:0|COMPLETED|35|test|", "integers");
	refused_step(w, "sacct: error: x\nUnknown|Unknown|2:0|COMPLETED|35|test|",
		"does not have 6 sections");
}

/* Acceptance: red-box-6, word-23 */
static void test_what_is_tolerated_in_steps(void **state)
{
	struct world *w = *state;
	steps(w, "", 0);
	steps(w, "\n\n", 0);
	steps(w, "None|None|0:0|CANCELLED by 1000|35|a|b|\n", 1);
	is_step(&w->steps[0], "35", "a|b", "CANCELLED", 0);
	assert_int_equal(w->steps[0].start_s, SLURM_ABSENT);
}

/* Acceptance: red-box-6 */
static void test_steps_of_real_slurms(void **state)
{
	struct world *w = *state;
	steps(w, tool_output(&w->a, "24.11/tools/steps-done.txt"), 4);
	is_step(&w->steps[0], "33", "q|r s", "COMPLETED", 0);
	is_step(&w->steps[1], "33.batch", "batch", "COMPLETED", 0);
	is_step(&w->steps[2], "33.0", "st|ep", "COMPLETED", 0);
	is_step(&w->steps[3], "33.1", "a b", "FAILED", 1);
	steps(w, tool_output(&w->a, "24.11/tools/steps-bars-done.txt"), 4); /* with -p */
	is_step(&w->steps[2], "33.0", "st|ep", "COMPLETED", 0);
	steps(w, tool_output(&w->a, "24.11/tools/steps-can.txt"), 2);
	is_step(&w->steps[0], "31", "sbatch", "CANCELLED", 0);
	steps(w, tool_output(&w->a, "24.11/tools/steps-lines.txt"), 1);
	is_step(&w->steps[0], "28", "two\nlines|JobId=7", "PENDING", 0);
	steps(w, tool_output(&w->a, "26.05/tools/steps-arr.txt"), 3);
	is_step(&w->steps[2], "4_[5-8%1]", "sbatch", "PENDING", 0);
}

/* ---- jobs by their key ---- */

/* The ids that were found, and a blank behind each. */
static void finds(struct world *w, const char *queue, const char *accounts, const char *key,
	const char *ids)
{
	struct str all AUTO(str_free) = { 0 };
	is_fine(printed_look_for(key, &w->a, &w->found));
	is_fine(printed_queue(queue, &w->a, &w->found));
	is_fine(printed_accounts(accounts, &w->a, &w->found));
	for (size_t i = 0; i < w->found.n; i++)
		str_addf(&all, "%lld ", (long long)w->found.jobs[i].id);
	assert_string_equal(str_text(&all), ids);
}

static void test_jobs_of_real_slurms_by_their_key(void **state)
{
	struct world *w = *state;
	const char *queue = tool_output(&w->a, "24.11/tools/squeue-keys.txt");
	const char *accounts = tool_output(&w->a, "24.11/tools/sacct-keys.txt");
	finds(w, queue, "", "key-run", "23 ");
	assert_int_equal(w->found.jobs[0].submit_s, 1795420203);
	finds(w, queue, "", "key-array", "26 ");
	finds(w, queue, "", "key-het", "29 "); /* of two components */
	finds(w, queue, "", "key-name", "27 ");
	finds(w, queue, "", "key-lines", "28 ");
	finds(w, queue, "", "key-5", "4 ");
	finds(w, queue, "", "key-cancelled", "31 ");
	finds(w, queue, accounts, "key-run", "23 ");
	finds(w, queue, accounts, "key-array", "26 ");
	finds(w, "", accounts, "key-cancelled", "31 ");
	finds(w, queue, accounts, "key", "");
	finds(w, queue, accounts, "ey-run", "");
	finds(w, queue, accounts, "key-runs", "");
	finds(w, tool_output(&w->a, "26.05/tools/squeue-keys.txt"),
		tool_output(&w->a, "26.05/tools/sacct-keys.txt"), "key-het", "7 ");
}

#define F PRINTED_FIELD
#define QUEUED(shown, raw, comment) \
	PRINTED_RECORD shown F raw F "2026-11-23T07:50:03" F comment "\n"

static void test_a_key_is_a_whole_word_of_a_comment(void **state)
{
	struct world *w = *state;
	finds(w, QUEUED("1", "1", "k"), "", "k", "1 ");
	finds(w, QUEUED("1", "1", "mine;k, yours"), "", "k", "1 ");
	finds(w, QUEUED("1", "1", "k-1 k.2 ak k2 k:"), "", "k", "");
	finds(w, QUEUED("2", "2", "k") QUEUED("1", "1", "k") QUEUED("1_[4-5]", "1", "k"), "", "k",
		"1 2 ");
}

static void test_several_keys_are_looked_for_at_once(void **state)
{
	struct world *w = *state;
	finds(w, QUEUED("2", "2", "k-1") QUEUED("1", "1", "x k-2 k") QUEUED("3", "3", "k-"),
		"4" F "2026-11-23T07:50:03" F F "sbatch --comment=k --comment=k-11\n",
		"k k-1 k-2 z", "1 1 2 4 ");
	static const char *const keys[] = { "k", "k-2", "k-1", "k" };
	for (size_t i = 0; i < LENGTH(keys); i++)
		assert_string_equal(w->found.jobs[i].key, keys[i]);
	says(printed_look_for("k ", &w->a, &w->found), "a key of a job is");
	says(printed_look_for("k  l", &w->a, &w->found), "a key of a job is");
}

static void test_what_comments_do_to_records(void **state)
{
	struct world *w = *state;
	finds(w, QUEUED("1", "1", "a" PRINTED_RECORD "x" F "y" F "z" F "k") QUEUED("2", "2", "k"),
		"", "k", "2 ");
	finds(w, QUEUED("6+1", "7", "k") QUEUED("6+0", "6", "k"),
		"7" F "2026-11-23T07:50:03" F F "sbatch --comment=k\n", "k", "6 ");
	says(printed_queue("slurm is down today\n", &w->a, &w->found), "no record");
	says(printed_accounts("slurm is down today\n", &w->a, &w->found), "no record");
}

/* A requeue makes one more record, and a number may have been given again. */
static void test_of_several_records_of_a_job_the_times_are_kept(void **state)
{
	struct world *w = *state;
	int64_t first_s, last_s;
	is_fine(slurm_time_parse("2026-11-23T07:50:03", &first_s));
	is_fine(slurm_time_parse("2026-11-23T08:50:03", &last_s));
	finds(w, "",
		"5" F "2026-11-23T08:50:03" F "k" F "\n5" F "2026-11-23T07:50:03" F "k" F "\n"
		"5" F "2026-11-23T09:50:03" F "other" F "\n",
		"k", "5 ");
	assert_int_equal(w->found.jobs[0].first_s, first_s);
	assert_int_equal(w->found.jobs[0].submit_s, last_s);
	finds(w, QUEUED("5", "5", "k"), "5" F "2026-11-23T09:50:03" F "k" F "\n", "k", "5 ");
	assert_false(w->found.jobs[0].in_accounts);
	assert_int_equal(w->found.jobs[0].submit_s, first_s);
}

static void test_news_of_a_job_have_another_mark(void **state)
{
	struct world *w = *state;
	struct slurm_job_mark *before, *after;
	size_t n;
	is_fine(printed_marks(PRINTED_RECORD "42_[4-5]" F "PENDING None\n" PRINTED_RECORD "42_3" F
					     "RUNNING a\n" PRINTED_RECORD "7" F "RUNNING b\n",
		&w->a, &before, &n));
	assert_int_equal(n, 3);
	assert_int_equal(before[0].id, 42);
	assert_int_equal(before[1].id, 42);
	assert_int_equal(before[2].id, 7);
	is_fine(printed_marks(PRINTED_RECORD "42_3" F "COMPLETED a\n" PRINTED_RECORD "7" F
					     "RUNNING b\n",
		&w->a, &after, &n));
	assert_int_equal(n, 2);
	assert_true(after[0].mark != before[1].mark);
	assert_true(after[1].mark == before[2].mark);
	is_fine(printed_marks("", &w->a, &after, &n));
	assert_int_equal(n, 0);
	says(printed_marks("slurm is down today\n", &w->a, &after, &n), "no record");
}

static uint64_t mark_of(struct world *w, const char *fields)
{
	struct slurm_job_mark *marks;
	size_t n;
	const char *record = arena_printf(&w->a, PRINTED_RECORD "7" F "%s\n", fields);
	is_fine(printed_marks(record, &w->a, &marks, &n));
	assert_int_equal(n, 1);
	return marks[0].mark;
}

static void test_when_a_waiting_job_may_start_is_no_news(void **state)
{
	struct world *w = *state;
	uint64_t waits = mark_of(w, "PENDING" F "T10 T20" F "Priority"),
		 runs = mark_of(w, "RUNNING" F "T10 T20" F "None");
	assert_true(mark_of(w, "PENDING" F "T11 T21" F "Priority") == waits);
	assert_true(mark_of(w, "PENDING" F "T11 T21" F "Resources") != waits);
	assert_true(mark_of(w, "REQUEUED" F "T10 T20" F "Priority") != waits);
	assert_true(mark_of(w, "RUNNING" F "T11 T20" F "None") != runs);
}

static void test_accounts_know_the_command_and_perhaps_the_comment(void **state)
{
	struct world *w = *state;
	static const char *const begin = "5" F "2026-11-23T07:50:03" F;
	finds(w, "", arena_printf(&w->a, "%s" F "sbatch --comment=k --parsable\n", begin), "k",
		"5 ");
	finds(w, "", arena_printf(&w->a, "%s" F "sbatch --parsable --comment=k\n", begin), "k",
		"5 ");
	finds(w, "", arena_printf(&w->a, "%s" F "sbatch -J k --comment=kk\n", begin), "k", "");
	finds(w, "", arena_printf(&w->a, "%sa k b\nc" F "sbatch\n", begin), "k", "5 ");
	finds(w, "", arena_printf(&w->a, "%sa\nk b" F "sbatch\n", begin), "k", "5 ");
	finds(w, "", arena_printf(&w->a, "%sk\n", begin), "k", "5 "); /* before 21.08 */
	finds(w, "", arena_printf(&w->a, "%sx\n6" F "None" F "k" F "\n", begin), "k", "6 ");
}

static void test_what_can_be_a_key(void **state)
{
	char long_one[130];
	(void)state;
	memset(long_one, 'k', sizeof(long_one));
	long_one[129] = '\0';
	says(printed_key_check(long_one), "a key of a job is");
	long_one[128] = '\0';
	is_fine(printed_key_check(long_one));
	is_fine(printed_key_check("red-box:0f3a_9/B.c@d+e"));
	says(printed_key_check(""), "a key of a job is");
	says(printed_key_check("a b"), "a key of a job is");
	says(printed_key_check("a=b"), "a key of a job is");
	says(printed_key_check("\xc3\xa4"), "a key of a job is");
}

/* ---- sbatch and sinfo ---- */

/* Acceptance: red-box-19 */
static void test_the_answer_of_sbatch(void **state)
{
	int64_t id = 0;
	(void)state;
	assert_true(printed_submitted("42\n", &id) && id == 42);
	assert_true(printed_submitted("43;cluster\n", &id) && id == 43);
	assert_true(printed_submitted("welcome to site 7\n\n  44\n", &id) && id == 44);
	assert_true(printed_submitted("45", &id) && id == 45);
	assert_true(printed_submitted("47\n3 of 10 jobs are used\n", &id) && id == 47);
	assert_false(printed_submitted("3 of 10 jobs are used\n5;x y\n", &id));
	assert_false(printed_submitted("", &id));
	assert_false(printed_submitted("Submitted batch job x\n0\n-1\n4294967296\n", &id));
}

/* Acceptance: red-box-25 */
static void test_the_version(void **state)
{
	struct world *w = *state;
	assert_string_equal(printed_version("slurm 19.05.3-2\n", &w->a), "19.05.3-2");
	assert_string_equal(printed_version("slurm-wlm 24.11.5\r\n", &w->a), "24.11.5");
	assert_string_equal(printed_version(tool_output(&w->a, "26.05/tools/version.txt"), &w->a),
		"26.05.5");
	assert_null(printed_version("", &w->a));
	assert_null(printed_version("slurm\n", &w->a));
}

static void test_the_largest_node_counts(void **state)
{
	(void)state;
	assert_int_equal(printed_most_cpus("2\n32\n 8 \n"), 32);
	assert_int_equal(printed_most_cpus("96+\n1K\n"), 1024);
	assert_int_equal(printed_most_cpus(""), SLURM_ABSENT);
	assert_int_equal(printed_most_cpus("n/a\n0\n-4\n99999999999\nslurm 24.11.5\n"),
		SLURM_ABSENT);
}

#define LINES_TEST(name) cmocka_unit_test_setup_teardown(name, given_utc, free_world)

int main(void)
{
	const struct CMUnitTest tests[] = {
		LINES_TEST(test_a_partition_with_limits),
		LINES_TEST(test_a_partition_without_limits),
		LINES_TEST(test_partitions_in_their_order),
		LINES_TEST(test_no_partition_is_none),
		LINES_TEST(test_partitions_of_real_slurms),
		LINES_TEST(test_a_step),
		LINES_TEST(test_three_steps),
		LINES_TEST(test_steps_that_are_refused),
		LINES_TEST(test_what_is_tolerated_in_steps),
		LINES_TEST(test_steps_of_real_slurms),
		LINES_TEST(test_jobs_of_real_slurms_by_their_key),
		LINES_TEST(test_a_key_is_a_whole_word_of_a_comment),
		LINES_TEST(test_several_keys_are_looked_for_at_once),
		LINES_TEST(test_what_comments_do_to_records),
		LINES_TEST(test_of_several_records_of_a_job_the_times_are_kept),
		LINES_TEST(test_news_of_a_job_have_another_mark),
		LINES_TEST(test_when_a_waiting_job_may_start_is_no_news),
		LINES_TEST(test_accounts_know_the_command_and_perhaps_the_comment),
		LINES_TEST(test_what_can_be_a_key),
		LINES_TEST(test_the_answer_of_sbatch),
		LINES_TEST(test_the_version),
		LINES_TEST(test_the_largest_node_counts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
