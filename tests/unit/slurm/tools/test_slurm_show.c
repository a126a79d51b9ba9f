/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jobs of scontrol: those of old Slurms as they were printed then, those of 24.11.5 and
 * 26.05.5 as real ones printed them.
 */
#include "lib/test.h"

#include <time.h>

#include "lib/tool_output.h"
#include "slurm/tools/show.h"

struct world {
	struct arena a;
	struct slurm_job_shown *jobs;
	size_t n;
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

static void shown(struct world *w, const char *text, size_t n)
{
	struct err e = slurm_show_jobs(text, &w->a, &w->jobs, &w->n);
	if (failed(e))
		fail_msg("%s", e.text);
	assert_int_equal(w->n, n);
}

static void recorded(struct world *w, const char *name, size_t n)
{
	shown(w, tool_output(&w->a, name), n);
}

static void is_refused(struct world *w, const char *text, const char *sentence)
{
	struct err e = slurm_show_jobs(text, &w->a, &w->jobs, &w->n);
	assert_int_equal(e.kind, ERR_INVALID);
	if (!strstr(e.text, sentence))
		fail_msg("\"%s\" is not in: %s", sentence, e.text);
}

/* ---- Slurm 17 and 18 ---- */

/* A job as scontrol of 18.08 shows it. */
#define JOB_18(first, state, times, nodes, out)                                          \
	first "\n   UserId=vagrant(1000) GroupId=vagrant(1000) MCS_label=N/A\n"          \
	      "   Priority=4294901757 Nice=0 Account=(null) QOS=(null)\n"                \
	      "   JobState=" state " Reason=None Dependency=(null)\n"                    \
	      "   Requeue=1 Restarts=0 BatchFlag=1 Reboot=0 ExitCode=0:0\n" times        \
	      "   Deadline=N/A\n   PreemptTime=None SuspendTime=None SecsPreSuspend=0\n" \
	      "   LastSchedEval=2019-04-16T11:49:20\n"                                   \
	      "   Partition=debug AllocNode:Sid=vagrant:2166\n"                          \
	      "   ReqNodeList=(null) ExcNodeList=(null)\n" nodes                         \
	      " NumCPUs=2 NumTasks=1 CPUs/Task=1 ReqB:S:C:T=0:0:*:*\n"                   \
	      "   TRES=cpu=2,node=1,billing=2\n"                                         \
	      "   Socks/Node=* NtasksPerN:B:S:C=0:0:*:* CoreSpec=*\n"                    \
	      "   MinCPUsNode=1 MinMemoryNode=0 MinTmpDiskNode=0\n"                      \
	      "   Features=(null) DelayBoot=00:00:00\n"                                  \
	      "   OverSubscribe=OK Contiguous=0 Licenses=(null) Network=(null)\n"        \
	      "   Command=(null)\n   WorkDir=/home/vagrant\n"                            \
	      "   StdErr=/home/vagrant/" out "\n   StdIn=/dev/null\n"                    \
	      "   StdOut=/home/vagrant/" out "\n   Power=\n"

#define RUNNING_TIMES                                                          \
	"   RunTime=00:00:30 TimeLimit=1-01:00:00 TimeMin=N/A\n"               \
	"   SubmitTime=2019-04-16T11:49:19 EligibleTime=2019-04-16T11:49:19\n" \
	"   StartTime=2019-04-16T11:49:20 EndTime=2019-04-17T12:49:20"
#define PENDING_TIMES                                                          \
	"   RunTime=00:00:00 TimeLimit=UNLIMITED TimeMin=N/A\n"                \
	"   SubmitTime=2019-04-16T11:45:01 EligibleTime=2019-04-16T11:45:01\n" \
	"   StartTime=Unknown EndTime=Unknown"
#define ON_VAGRANT "   NodeList=vagrant\n   BatchHost=vagrant\n   NumNodes=1"

/* Acceptance: red-box-2, word-14 */
static void test_a_running_job_of_old(void **state)
{
	struct world *w = *state;
	shown(w,
		JOB_18("JobId=53 JobName=sbatch", "RUNNING", RUNNING_TIMES, ON_VAGRANT,
			"slurm-53.out") "\n\n",
		1);
	const struct slurm_job_shown *j = w->jobs;
	assert_int_equal(j->id, 53);
	assert_string_equal(j->array_id, "");
	assert_string_equal(j->name, "sbatch");
	assert_string_equal(j->user, "vagrant(1000)");
	assert_string_equal(j->state, "RUNNING");
	assert_string_equal(j->exit_code, "0:0");
	assert_int_equal(j->run_s, 30);
	assert_int_equal(j->limit_s, 25 * 3600);
	assert_int_equal(j->submit_s, 1555415359);
	assert_int_equal(j->start_s, 1555415360);
	assert_int_equal(j->end_s, 1555505360);
	assert_string_equal(j->partition, "debug");
	assert_string_equal(j->nodes, "vagrant");
	assert_string_equal(j->batch_host, "vagrant");
	assert_string_equal(j->node_count, "1");
	assert_string_equal(j->work_dir, "/home/vagrant");
	assert_string_equal(j->std_out, "/home/vagrant/slurm-53.out");
	assert_string_equal(j->std_err, "/home/vagrant/slurm-53.out");
}

/* Acceptance: red-box-2, word-14 */
static void test_a_pending_job_of_old(void **state)
{
	struct world *w = *state;
	shown(w,
		JOB_18("JobId=52 JobName=sbatch", "PENDING", PENDING_TIMES,
			"   NodeList=(null)\n   NumNodes=1-1", "slurm-52.out"),
		1);
	const struct slurm_job_shown *j = w->jobs;
	assert_int_equal(j->start_s, SLURM_ABSENT);
	assert_int_equal(j->end_s, SLURM_ABSENT);
	assert_int_equal(j->run_s, 0); /* there, and zero */
	assert_int_equal(j->limit_s, SLURM_ABSENT);
	assert_string_equal(j->nodes, "(null)");
	assert_string_equal(j->batch_host, "");
	assert_string_equal(j->node_count, "1-1");
}

/* Acceptance: red-box-2, word-14 */
static void test_an_array_of_old_in_its_order(void **state)
{
	struct world *w = *state;
	shown(w,
		JOB_18("JobId=192 ArrayJobId=192 ArrayTaskId=5-8 JobName=sbatch", "PENDING",
			PENDING_TIMES, "   NodeList=(null)\n   NumNodes=1-1",
			"slurm-192_4294967294.out") "\n" JOB_18("JobId=196 ArrayJobId=192 "
								"ArrayTaskId=4 JobName=sbatch",
			"RUNNING", RUNNING_TIMES, ON_VAGRANT, "slurm-192_4.out") "\n\n",
		2);
	assert_int_equal(w->jobs[0].id, 192);
	assert_int_equal(w->jobs[1].id, 196);
	assert_string_equal(w->jobs[0].array_id, "192");
	assert_string_equal(w->jobs[1].array_id, "192");
	assert_string_equal(w->jobs[0].node_count, "1-1");
	assert_string_equal(w->jobs[0].state, "PENDING");
	assert_string_equal(w->jobs[1].state, "RUNNING");
	assert_string_equal(w->jobs[1].std_out, "/home/vagrant/slurm-192_4.out");
}

/* Acceptance: red-box-4, word-16 */
static void test_words_for_no_limit_and_no_time(void **state)
{
	struct world *w = *state;
	shown(w,
		JOB_18("JobId=1 JobName=x", "PENDING",
			"   RunTime=00:00:00 TimeLimit=Partition_Limit TimeMin=N/A\n"
			"   SubmitTime=2019-04-16T11:45:01 EligibleTime=Unknown\n"
			"   StartTime=None EndTime=N/A",
			"   NodeList=\n   NumNodes=1", "o"),
		1);
	assert_int_equal(w->jobs[0].limit_s, SLURM_ABSENT);
	assert_int_equal(w->jobs[0].start_s, SLURM_ABSENT);
	assert_int_equal(w->jobs[0].end_s, SLURM_ABSENT);
}

/* Acceptance: red-box-3, word-15 */
static void test_a_name_that_looks_like_keys(void **state)
{
	struct world *w = *state;
	shown(w,
		JOB_18("JobId=1 JobName=a b=c JobState=COMPLETED  NodeList=x", "RUNNING",
			RUNNING_TIMES, ON_VAGRANT, "a b=c StdOut=/etc/passwd"),
		1);
	assert_string_equal(w->jobs[0].name, "a b=c JobState=COMPLETED  NodeList=x");
	assert_string_equal(w->jobs[0].state, "RUNNING");
	assert_string_equal(w->jobs[0].nodes, "vagrant");
	assert_string_equal(w->jobs[0].std_out, "/home/vagrant/a b=c StdOut=/etc/passwd");
}

/* Acceptance: red-box-3, word-15 */
static void test_a_name_with_lines_that_look_like_ours(void **state)
{
	struct world *w = *state;
	shown(w,
		JOB_18("JobId=1 JobName=a\n   JobState=COMPLETED Reason=x\n\nJobId=2 is b\n   c",
			"FAILED", RUNNING_TIMES, ON_VAGRANT, "o"),
		1);
	assert_string_equal(w->jobs[0].name,
		"a\n   JobState=COMPLETED Reason=x\n\nJobId=2 is b\n   c");
	assert_string_equal(w->jobs[0].state, "FAILED");
}

/* Acceptance: word-17 */
static void test_all_in_one_line(void **state)
{
	struct world *w = *state;
	shown(w,
		"JobId=7 JobName=a JobState=X b UserId=u(1) GroupId=u(1) JobState=NODE_FAIL "
		"Reason=None ExitCode=1:0 RunTime=01:00 TimeLimit=2:00 "
		"SubmitTime=2019-04-16T11:49:19 StartTime=None EndTime=Unknown Partition=p "
		"NodeList=n[1-2] NumNodes=2 NewInTheMiddle=1 WorkDir=/a b=c StdErr=/e StdOut=/o",
		1);
	assert_string_equal(w->jobs[0].name, "a JobState=X b");
	assert_string_equal(w->jobs[0].state, "NODE_FAIL");
	assert_string_equal(w->jobs[0].nodes, "n[1-2]");
	assert_string_equal(w->jobs[0].work_dir, "/a b=c");
	assert_string_equal(w->jobs[0].std_err, "/e");
	assert_string_equal(w->jobs[0].std_out, "/o");
}

/* Acceptance: red-box-3, word-17 */
static void test_new_keys_and_new_lines_hide_nothing(void **state)
{
	struct world *w = *state;
	shown(w,
		"JobId=7 NewId=3 JobName=x\n   NewFirst=1 UserId=u(1) Newer=2\n"
		"   NewLine=JobState=FAILED WorkDir=/no\n   JobState=RUNNING New=1\n"
		"   Before=1 ExitCode=0:0 Behind=2\n   RunTime=00:01:00 TimeLimit=1\n"
		"   SubmitTime=2019-04-16T11:49:19\n   StartTime=Unknown EndTime=Unknown\n"
		"   Partition=p\n   NodeList=n\n   NumNodes=1\n   Command=/c d\n"
		"   NewCommand=e f\n   WorkDir=/w\n   Comment=x\n   NewText=y\n   StdOut=/o\n",
		1);
	assert_string_equal(w->jobs[0].name, "x");
	assert_string_equal(w->jobs[0].user, "u(1)");
	assert_string_equal(w->jobs[0].state, "RUNNING");
	assert_string_equal(w->jobs[0].exit_code, "0:0");
	assert_string_equal(w->jobs[0].work_dir, "/w");
	assert_string_equal(w->jobs[0].std_out, "/o");
}

static void test_what_is_no_job_is_none(void **state)
{
	struct world *w = *state;
	shown(w, "", 0);
	shown(w, "\n\n", 0);
	shown(w, "No jobs in the system\n", 0);
	shown(w, "JobId=7 is not known\n", 0);
	is_refused(w, "JobId=x JobName=y\n", "JobId: \"x\" is no number");
	is_refused(w, "JobId=7 JobName=y\n   RunTime=soon\n", "RunTime: \"soon\"");
	is_refused(w, "JobId=7 JobName=y\n   StartTime=20 Feb 20109 11:16:55\n", "StartTime");
}

/* Fault 6: slurmctld leaves these to slurmd. */
/* Acceptance: log-12 */
static void test_patterns_of_a_file_are_expanded(void **state)
{
	struct world *w = *state;
	shown(w,
		JOB_18("JobId=53 JobName=sbatch", "RUNNING", RUNNING_TIMES, ON_VAGRANT,
			"x-%N-%2t-%s-%J"),
		1);
	assert_string_equal(w->jobs[0].std_out, "/home/vagrant/x-vagrant-00-batch-53");
	assert_string_equal(w->jobs[0].std_err, "/home/vagrant/x-vagrant-00-batch-53");
}

/* ---- Slurm 24.11 and 26.05 ---- */

static const char *const versions[] = { "24.11", "26.05" };

static const char *of(struct world *w, size_t version, const char *name)
{
	return arena_printf(&w->a, "%s/tools/%s.txt", versions[version], name);
}

static void test_a_running_job(void **state)
{
	struct world *w = *state;
	for (size_t v = 0; v < LENGTH(versions); v++) {
		recorded(w, of(w, v, "job-run"), 1);
		assert_string_equal(w->jobs[0].state, "RUNNING");
		assert_string_equal(w->jobs[0].user, "alice(1000)");
		assert_int_equal(w->jobs[0].limit_s, 25 * 3600);
		assert_int_equal(w->jobs[0].end_s - w->jobs[0].start_s, 25 * 3600);
		assert_string_equal(w->jobs[0].nodes, w->jobs[0].batch_host);
		assert_string_equal(w->jobs[0].work_dir, "/tmp");
	}
}

static void test_one_file_for_output_and_errors(void **state)
{
	struct world *w = *state;
	recorded(w, "24.11/tools/job-run.txt", 1);
	assert_string_equal(w->jobs[0].std_err, "/tmp/slurm-23.out");
	recorded(w, "26.05/tools/job-run.txt", 1); /* prints StdErr= */
	assert_string_equal(w->jobs[0].std_err, "/tmp/slurm-1.out");
	assert_string_equal(w->jobs[0].std_out, "/tmp/slurm-1.out");
}

static void test_a_job_that_waits(void **state)
{
	struct world *w = *state;
	for (size_t v = 0; v < LENGTH(versions); v++) {
		recorded(w, of(w, v, "job-pend"), 1);
		assert_string_equal(w->jobs[0].state, "PENDING");
		assert_string_equal(w->jobs[0].nodes, "");
		assert_string_equal(w->jobs[0].node_count, "1-1");
		assert_int_equal(w->jobs[0].limit_s, SLURM_ABSENT);
		assert_int_equal(w->jobs[0].start_s, SLURM_ABSENT);
		recorded(w, of(w, v, "job-limit"), 1);
		assert_string_equal(w->jobs[0].partition, "small");
		assert_int_equal(w->jobs[0].limit_s, 30 * 60);
	}
}

static void test_jobs_that_have_ended(void **state)
{
	struct world *w = *state;
	for (size_t v = 0; v < LENGTH(versions); v++) {
		recorded(w, of(w, v, "job-fail"), 1);
		assert_string_equal(w->jobs[0].state, "FAILED");
		assert_string_equal(w->jobs[0].exit_code, "3:0");
		recorded(w, of(w, v, "job-can"), 1);
		assert_string_equal(w->jobs[0].state, "CANCELLED");
		recorded(w, of(w, v, "job-done"), 1);
		assert_string_equal(w->jobs[0].name, "q|r s");
	}
}

/* Acceptance: red-box-3, word-15 */
static void test_names_and_comments_of_all_kinds(void **state)
{
	struct world *w = *state;
	for (size_t v = 0; v < LENGTH(versions); v++) {
		recorded(w, of(w, v, "job-name"), 1);
		assert_string_equal(w->jobs[0].name, "a b=c JobState=COMPLETED x");
		assert_string_equal(w->jobs[0].state, "PENDING");
		assert_string_equal(w->jobs[0].work_dir, "/tmp");
		assert_true(str_has_prefix(w->jobs[0].std_out, "/tmp/o p="));
		recorded(w, of(w, v, "job-lines"), 1);
		assert_string_equal(w->jobs[0].name, "two\nlines|JobId=7");
		assert_string_equal(w->jobs[0].work_dir, "/tmp");
		assert_true(str_has_prefix(w->jobs[0].std_out, "/tmp/slurm-"));
	}
}

/* Acceptance: red-box-3, word-17 */
static void test_arrays_and_heterogeneous_jobs(void **state)
{
	struct world *w = *state;
	for (size_t v = 0; v < LENGTH(versions); v++) {
		recorded(w, of(w, v, "job-arr"), 2);
		assert_string_equal(w->jobs[0].array_id, w->jobs[1].array_id);
		assert_string_equal(w->jobs[0].state, "PENDING");
		assert_string_equal(w->jobs[1].state, "RUNNING");
		assert_non_null(strstr(w->jobs[0].std_out, "4294967294"));
		assert_string_equal(w->jobs[0].task, "5-8%1");
		assert_string_equal(w->jobs[1].task, "4");
		recorded(w, of(w, v, "job-het"), 2);
		assert_string_equal(w->jobs[0].name, "het");
		assert_int_equal(w->jobs[0].id + 1, w->jobs[1].id);
		assert_string_equal(w->jobs[0].het_id, v ? w->jobs[1].het_id : "29");
		assert_string_equal(w->jobs[1].het_id, w->jobs[0].het_id);
		assert_string_equal(w->jobs[0].array_id, "");
	}
}

#define SHOW_TEST(name) cmocka_unit_test_setup_teardown(name, given_utc, free_world)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SHOW_TEST(test_a_running_job_of_old),
		SHOW_TEST(test_a_pending_job_of_old),
		SHOW_TEST(test_an_array_of_old_in_its_order),
		SHOW_TEST(test_words_for_no_limit_and_no_time),
		SHOW_TEST(test_a_name_that_looks_like_keys),
		SHOW_TEST(test_a_name_with_lines_that_look_like_ours),
		SHOW_TEST(test_all_in_one_line),
		SHOW_TEST(test_new_keys_and_new_lines_hide_nothing),
		SHOW_TEST(test_what_is_no_job_is_none),
		SHOW_TEST(test_a_running_job),
		SHOW_TEST(test_one_file_for_output_and_errors),
		SHOW_TEST(test_a_job_that_waits),
		SHOW_TEST(test_jobs_that_have_ended),
		SHOW_TEST(test_names_and_comments_of_all_kinds),
		SHOW_TEST(test_patterns_of_a_file_are_expanded),
		SHOW_TEST(test_arrays_and_heterogeneous_jobs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
