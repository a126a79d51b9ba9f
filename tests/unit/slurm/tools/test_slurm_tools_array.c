/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks of an array that slurmctld has forgotten while others ran on. */
#include "lib/tools_world.h"

#include <unistd.h>

#include "lib/test.h"
#include "slurm/tools/printed.h"

/* One record of scontrol, of task 101_N whose own number is ID. */
#define TASK(id, task, word)                                                               \
	"JobId=" id " ArrayJobId=101 ArrayTaskId=" task " JobName=x\n   UserId=u(1)\n"     \
	"   JobState=" word " Reason=x\n   Requeue=1 ExitCode=0:0\n"                       \
	"   RunTime=00:01:00 TimeLimit=Partition_Limit\n"                                  \
	"   SubmitTime=2019-04-16T11:49:19 EligibleTime=Unknown\n   StartTime=None "       \
	"EndTime=N/A\n   Partition=p AllocNode:Sid=a:1\n   NodeList=n\n   NumNodes=1\n   " \
	"WorkDir=/w\n\n"
/* A task of today, which has been requeued so often. */
#define TASK_NOW(id, task, word, restarts)                                                 \
	"JobId=" id " ArrayJobId=101 ArrayTaskId=" task " JobName=x\n   UserId=u(1)\n"     \
	"   JobState=" word " Reason=x\n   Requeue=1 Restarts=" restarts " BatchFlag=1 "   \
	"Reboot=0 ExitCode=0:0\n   RunTime=00:01:00 TimeLimit=Partition_Limit\n"           \
	"   SubmitTime=2026-04-16T11:49:19 EligibleTime=Unknown\n   StartTime=None "       \
	"EndTime=N/A\n   Partition=p AllocNode:Sid=a:1\n   NodeList=n\n   NumNodes=1\n   " \
	"WorkDir=/w\n\n"
#define SHOWS(records) "cat <<E\n" records "E\n"

/* One record of sacct. */
#define ACCOUNT(id, job, word)                                                              \
	"printf '" id "\\037" job "\\037" word "\\0371:0\\037p\\037n\\0371\\037"            \
	"2019-04-16T11:49:19\\0372019-04-16T11:49:20\\0372019-04-16T11:50:20\\03760\\03725" \
	"\\037u\\0371\\037/w\\0370\\037/w/5.out\\037\\037a name\\n'\n"

static void asks_of_101(struct tools_world *w)
{
	w->told = 0;
	slurm_tools_job(w->tools, 101, tools_told, w);
}

static void test_a_task_that_was_forgotten_is_counted(void **state)
{
	struct tools_world *w = *state;
	tool_does(w, "scontrol",
		SHOWS(TASK("101", "3", "COMPLETED") TASK("103", "2", "COMPLETED")));
	tool_does(w, "sacct",
		ACCOUNT("102", "101_1", "FAILED") ACCOUNT("103", "101_2", "COMPLETED")
			ACCOUNT("101", "101_3", "RUNNING") ACCOUNT("7", "7", "RUNNING"));
	asks_of_101(w);
	when_told(w);
	assert_string_equal(str_text(&w->words), "101:COMPLETED 103:COMPLETED 102:FAILED ");
}

/* The accounts live on when slurmctld's state is lost, and numbers come again. */
static void test_a_task_of_an_older_array_is_not_counted(void **state)
{
	struct tools_world *w = *state;
	tool_does(w, "scontrol",
		SHOWS(TASK_NOW("101", "2", "COMPLETED", "1")
				TASK_NOW("102", "1", "COMPLETED", "0")));
	tool_does(w, "sacct", ACCOUNT("104", "101_3", "FAILED") ACCOUNT("105", "101_4", "RUNNING"));
	asks_of_101(w);
	when_told(w);
	assert_string_equal(str_text(&w->words), "101:COMPLETED 102:COMPLETED ");
}

static void test_what_was_requeued_says_nothing_of_the_others(void **state)
{
	struct tools_world *w = *state;
	tool_does(w, "scontrol", SHOWS(TASK_NOW("101", "2", "COMPLETED", "1")));
	tool_does(w, "sacct", ACCOUNT("104", "101_3", "FAILED"));
	asks_of_101(w);
	when_told(w);
	assert_string_equal(str_text(&w->words), "101:COMPLETED 104:FAILED ");
}

/* Each of them costs slurmdbd a question. */
static void test_while_a_task_runs_the_accounts_are_not_asked(void **state)
{
	struct tools_world *w = *state;
	tool_does(w, "scontrol", SHOWS(TASK("101", "3", "RUNNING") TASK("103", "2", "COMPLETED")));
	asks_of_101(w);
	when_told(w);
	was_called(w, "scontrol [show] [jobid] [101]\n");
	assert_string_equal(str_text(&w->words), "101:RUNNING 103:COMPLETED ");
}

static void test_what_the_accounts_do_not_know_yet_is_waited_for(void **state)
{
	struct tools_world *w = *state;
	tool_does(w, "scontrol", SHOWS(TASK("101", "3", "COMPLETED")));
	tool_does(w, "sacct", ACCOUNT("102", "101_1", "RUNNING"));
	asks_of_101(w);
	was_told(w, ERR_RETRY,
		"task 102 of the array, and the accounts do not have the end of that task");
	tool_fails(w, "sacct", "sacct: error: Problem talking to the database: x\n");
	asks_of_101(w);
	was_told(w, ERR_RETRY, "Problem talking to the database");
}

/* No other source knows more than slurmctld. */
static void test_without_accounts_it_is_as_slurmctld_says(void **state)
{
	static const char *const errors[] = { "Slurm accounting storage is disabled\n",
		"sacct: error: Access/permission denied\n" };
	struct tools_world *w = *state;
	tool_does(w, "scontrol", SHOWS(TASK("101", "3", "COMPLETED")));
	for (size_t i = 0; i < LENGTH(errors); i++) {
		tool_fails(w, "sacct", errors[i]);
		asks_of_101(w);
		when_told(w);
		assert_string_equal(str_text(&w->words), "101:COMPLETED ");
	}
	tool_does(w, "sacct", "echo 'slurm is down today'");
	asks_of_101(w);
	when_told(w);
	assert_string_equal(str_text(&w->words), "101:COMPLETED ");
}

#define TOOLS_TEST(f) cmocka_unit_test_setup_teardown(f, given_tools, free_tools_world)

/* ---- a number that several jobs have had ---- */

/* A record of sacct, submitted at second 26 of this minute of 2026. */
#define REQUEUED(id, job, word, minute, restarts)                                     \
	"printf '" id "\\037" job "\\037" word "\\0371:0\\037p\\037n\\0371\\037"      \
	"2026-04-16T11:" minute                                                       \
	":26\\037None\\037None\\0370\\03725\\037u\\0371\\037/w\\037" restarts "\\037" \
	"/w/5.out\\037\\037name\\n'\n"
#define RECORD(id, job, word, minute) REQUEUED(id, job, word, minute, "0")

static void asks_of_the_former_101(struct tools_world *w)
{
	struct slurm_job_found job = { .id = 101, .in_accounts = true };
	assert_false(failed(slurm_time_parse("2026-04-16T11:20:26", &job.first_s)));
	assert_false(failed(slurm_time_parse("2026-04-16T11:40:26", &job.submit_s)));
	w->told = 0;
	slurm_tools_account(w->tools, &job, tools_told, w);
}

static void test_the_accounts_tell_of_a_job_that_had_a_number_before(void **state)
{
	struct tools_world *w = *state;
	AUTO(str_free) struct str call = { 0 };
	tool_does(w, "sacct",
		RECORD("101", "101", "RUNNING", "50") RECORD("101", "101", "FAILED", "40")
			RECORD("101", "101", "REQUEUED", "30")
				RECORD("101", "101", "COMPLETED", "10"));
	asks_of_the_former_101(w);
	when_told(w);
	assert_string_equal(str_text(&w->words), "101:FAILED ");
	str_addf(&call,
		"sacct [--noheader] [--parsable2] [--delimiter=\x1f] [--allocations] "
		"[--duplicates] [--user=%d] [--jobs=101] "
		"[--format=" PRINTED_JOBS_NEW "]\n",
		(int)geteuid());
	was_called(w, str_text(&call));
}

static void test_of_an_array_each_task_has_its_last_record(void **state)
{
	struct tools_world *w = *state;
	tool_does(w, "sacct",
		RECORD("102", "101_0", "FAILED", "20") RECORD("101", "101_1", "REQUEUED", "20")
			RECORD("101", "101_1", "COMPLETED", "35")
				RECORD("103", "101_7", "TIMEOUT", "05"));
	asks_of_the_former_101(w);
	when_told(w);
	assert_string_equal(str_text(&w->words), "101:COMPLETED 102:FAILED ");
}

static void test_what_the_accounts_do_not_have_is_not_found(void **state)
{
	struct tools_world *w = *state;
	tool_does(w, "sacct", RECORD("101", "101", "RUNNING", "50"));
	asks_of_the_former_101(w);
	was_told(w, ERR_NOT_FOUND, "do not have that job 101");
	tool_fails(w, "sacct", "Slurm accounting storage is disabled\n");
	asks_of_the_former_101(w);
	was_told(w, ERR_NOT_FOUND, "keeps no accounts");
	tool_fails(w, "sacct", "sacct: error: Problem talking to the database: x\n");
	asks_of_the_former_101(w);
	was_told(w, ERR_RETRY, "Problem talking to the database");
}

/* ---- an array that slurmctld has forgotten wholly ---- */

static void given_only_accounts(struct tools_world *w)
{
	tool_fails(w, "scontrol", "slurm_load_jobs error: Invalid job id specified\n");
}

/* The array was submitted at minute 40, and one of more tasks at minute 10. */
#define OLDER RECORD("104", "101_3", "FAILED", "10") REQUEUED("105", "101_4", "FAILED", "15", "1")

static void test_of_a_forgotten_array_older_tasks_do_not_count(void **state)
{
	struct tools_world *w = *state;
	given_only_accounts(w);
	tool_does(w, "sacct",
		RECORD("101", "101_5", "FAILED", "10") OLDER RECORD("102", "101_0", "REQUEUED",
			"40") RECORD("101", "101_1", "COMPLETED", "40")
			REQUEUED("102", "101_0", "COMPLETED", "50", "1"));
	asks_of_101(w);
	when_told(w);
	assert_string_equal(str_text(&w->words), "101:COMPLETED 102:COMPLETED ");
}

/* The only task was requeued: its first record says when it was submitted. */
static void test_nor_do_they_when_all_of_its_tasks_were_requeued(void **state)
{
	struct tools_world *w = *state;
	given_only_accounts(w);
	tool_does(w, "sacct",
		OLDER RECORD("101", "101_0", "REQUEUED", "40")
			REQUEUED("101", "101_0", "COMPLETED", "50", "1"));
	asks_of_101(w);
	when_told(w);
	assert_string_equal(str_text(&w->words), "101:COMPLETED ");
}

/* As of 24.11.5, where all were requeued while they waited. */
static void test_nor_when_nothing_says_when_it_was_submitted(void **state)
{
	struct tools_world *w = *state;
	given_only_accounts(w);
	tool_does(w, "sacct",
		RECORD("102", "101_0", "FAILED", "10") RECORD("103", "101_1", "FAILED", "10")
			RECORD("104", "101_2", "FAILED", "10") RECORD("101", "101_3", "FAILED",
				"10") REQUEUED("102", "101_0", "COMPLETED", "40", "1")
				REQUEUED("103", "101_1", "COMPLETED", "40", "1")
					REQUEUED("101", "101_2", "COMPLETED", "40", "1"));
	asks_of_101(w);
	when_told(w);
	assert_string_equal(str_text(&w->words), "101:COMPLETED 102:COMPLETED 103:COMPLETED ");
}

static void test_nor_for_a_job_that_is_no_array(void **state)
{
	struct tools_world *w = *state;
	given_only_accounts(w);
	tool_does(w, "sacct", OLDER RECORD("101", "101", "COMPLETED", "40"));
	asks_of_101(w);
	when_told(w);
	assert_string_equal(str_text(&w->words), "101:COMPLETED ");
}

/* Components of a heterogeneous job are submitted one after the other. */
static void test_components_are_of_one_job(void **state)
{
	struct tools_world *w = *state;
	given_only_accounts(w);
	tool_does(w, "sacct",
		RECORD("101", "101+0", "COMPLETED", "40") RECORD("102", "101+1", "FAILED", "41"));
	asks_of_101(w);
	when_told(w);
	assert_string_equal(str_text(&w->words), "101:COMPLETED 102:FAILED ");
}

/* A sacct without that field shows all records. */
static void test_an_older_sacct_says_nothing_of_requeues(void **state)
{
	struct tools_world *w = *state;
	given_only_accounts(w);
	tool_does(w, "sacct",
		"case \"$*\" in *restarts*) echo 'Invalid field requested: \"restarts\"' >&2; exit "
		"1;; esac\n" OLDER RECORD("101", "101_0", "COMPLETED", "40"));
	asks_of_101(w);
	when_told(w);
	assert_string_equal(str_text(&w->words), "101:COMPLETED 104:FAILED 105:FAILED ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TOOLS_TEST(test_a_task_that_was_forgotten_is_counted),
		TOOLS_TEST(test_a_task_of_an_older_array_is_not_counted),
		TOOLS_TEST(test_what_was_requeued_says_nothing_of_the_others),
		TOOLS_TEST(test_while_a_task_runs_the_accounts_are_not_asked),
		TOOLS_TEST(test_what_the_accounts_do_not_know_yet_is_waited_for),
		TOOLS_TEST(test_without_accounts_it_is_as_slurmctld_says),
		TOOLS_TEST(test_the_accounts_tell_of_a_job_that_had_a_number_before),
		TOOLS_TEST(test_of_an_array_each_task_has_its_last_record),
		TOOLS_TEST(test_what_the_accounts_do_not_have_is_not_found),
		TOOLS_TEST(test_of_a_forgotten_array_older_tasks_do_not_count),
		TOOLS_TEST(test_nor_do_they_when_all_of_its_tasks_were_requeued),
		TOOLS_TEST(test_nor_when_nothing_says_when_it_was_submitted),
		TOOLS_TEST(test_nor_for_a_job_that_is_no_array),
		TOOLS_TEST(test_components_are_of_one_job),
		TOOLS_TEST(test_an_older_sacct_says_nothing_of_requeues),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
