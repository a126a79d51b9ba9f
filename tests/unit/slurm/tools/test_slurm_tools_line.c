/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of Slurm's tools that take several programs, wait, hang, or are given up. */
#include "lib/test.h"

#include <signal.h>
#include <unistd.h>

#include "lib/tools_world.h"

/* ---- jobs by their key ---- */

#define F "\\037"
#define QUEUED(id, comment) "\\036" id F id F "2026-11-23T07:50:03" F comment "\\n"
#define NO_ACCOUNTS "Slurm accounting storage is disabled\n"

static void find(struct tools_world *w, int64_t since_s)
{
	slurm_tools_find(w->tools, "k", since_s, tools_told, w);
}

static void queue_called(struct tools_world *w, const char *behind)
{
	AUTO(str_free) struct str calls = { 0 };
	str_addf(&calls,
		"squeue [--all] [--noheader] [--states=all] [--user=%d] "
		"[--format=\x1e%%i\x1f%%A %%T %%r %%N\x1f%%V\x1f%%k]\n%s",
		(int)geteuid(), behind);
	was_called(w, str_text(&calls));
}

static void test_slurmctld_is_asked_for_a_key(void **state)
{
	struct tools_world *w = *state;
	tool_does(w, "squeue", "printf '" QUEUED("5", "k") QUEUED("4", "a k") QUEUED("3", "x") "'");
	find(w, SLURM_ABSENT);
	when_told(w);
	assert_string_equal(str_text(&w->words), "4 5 ");
	queue_called(w, "");
	tool_does(w, "squeue", "");
	find(w, SLURM_ABSENT);
	when_told(w);
	assert_int_equal(w->n, 0);
}

static void test_accounts_are_asked_when_that_is_wanted(void **state)
{
	struct tools_world *w = *state;
	AUTO(str_free) struct str call = { 0 };
	tool_does(w, "squeue", "printf '" QUEUED("5", "k") QUEUED("7", "by hand") "'");
	tool_does(w, "sacct",
		"printf '5" F "2026-11-23T07:50:03" F F "sbatch --comment=k\\n"
		"7" F "2026-11-23T07:50:04" F F "sbatch --parsable --comment=k\\n'");
	find(w, 1700000000);
	when_told(w);
	assert_string_equal(str_text(&w->words), "5 7 ");
	assert_false(w->no_accounting);
	str_addf(&call,
		"sacct [--noheader] [--parsable2] [--delimiter=\x1f] [--allocations] "
		"[--duplicates] "
		"[--user=%d] [--starttime=uts1700000000] [--endtime=now] "
		"[--state=BF,CA,CD,DL,F,NF,OOM,PD,PR,R,RQ,S,TO] "
		"[--format=jobid,submit,comment,state,exitcode,nodelist,end,submitline]\n",
		(int)geteuid());
	queue_called(w, str_text(&call));
}

static void test_accounts_that_are_off_or_old(void **state)
{
	struct tools_world *w = *state;
	tool_does(w, "squeue", "printf '" QUEUED("5", "k") "'");
	tool_fails(w, "sacct", NO_ACCOUNTS);
	find(w, 0);
	when_told(w);
	assert_true(w->no_accounting);
	assert_string_equal(str_text(&w->words), "5 ");
	tool_does(w, "sacct",
		"case \"$*\" in *submitline*) echo 'sacct: error: Invalid field requested: "
		"\"submitline\"' >&2; exit 1;; esac\n"
		"printf '6" F "2026-11-23T07:50:03" F "k\\n'");
	find(w, 0);
	when_told(w);
	assert_false(w->no_accounting);
	assert_string_equal(str_text(&w->words), "5 6 ");
	tool_fails(w, "sacct", "sacct: error: Invalid field requested: \"comment\"\n");
	find(w, 0);
	was_told(w, ERR_RETRY, "Invalid field requested");
}

static void test_what_only_one_of_both_can_tell_is_not_known(void **state)
{
	struct tools_world *w = *state;
	tool_fails(w, "squeue", "slurm_load_jobs error: Unable to contact slurm controller\n");
	find(w, 0);
	was_told(w, ERR_RETRY, "squeue: slurm_load_jobs error: Unable to contact");
	queue_called(w, ""); /* sacct was not asked */
	tool_does(w, "squeue", "printf '" QUEUED("5", "k") "'");
	tool_fails(w, "sacct", "sacct: error: Problem talking to the database: x\n");
	find(w, 0);
	was_told(w, ERR_RETRY, "sacct: Problem talking to the database");
}

/* ---- limits ---- */

static void submit_as(struct tools_world *w, const char *client)
{
	const struct slurm_submission s = {
		.script = "#!/bin/sh\n", .key = client, .client = client
	};
	slurm_tools_submit(w->tools, &s, tools_told, w);
}

static void submit(struct tools_world *w) { submit_as(w, NULL); }

#define HANGS "echo $$ >>\"$dir/pids\"; exec sleep 1000"

/* The stand-ins that hang are there no more. */
static void are_ended(struct tools_world *w, int n)
{
	AUTO(own_free) char *pids = tool_file(w, "pids");
	const char *at = pids;
	for (; *at; n--) {
		char *end;
		pid_t pid = (pid_t)strtol(at, &end, 10);
		assert_int_equal(kill(pid, 0), -1);
		at = end + 1;
	}
	assert_int_equal(n, 0);
}

static void test_a_tool_that_hangs_is_ended(void **state)
{
	struct tools_world *w = *state;
	begin_tools(w, (struct slurm_tools_config){ .limit_ms = 300 });
	tool_does(w, "sinfo", HANGS);
	slurm_tools_version(w->tools, tools_told, w);
	was_told(w, ERR_RETRY, "sinfo did not end in time");
	tool_does(w, "sbatch", HANGS);
	submit(w);
	was_told(w, ERR_LOST, "sbatch did not end in time");
	tool_does(w, "scancel", HANGS);
	slurm_tools_cancel(w->tools, 5, tools_told, w);
	was_told(w, ERR_LOST, "scancel did not end in time");
	are_ended(w, 3);
}

static void test_a_job_whose_sbatch_waits_for_its_end_is_there(void **state)
{
	struct tools_world *w = *state;
	begin_tools(w, (struct slurm_tools_config){ .limit_ms = 300 });
	tool_does(w, "sbatch", "echo 42; " HANGS);
	submit(w);
	when_told(w);
	assert_int_equal(w->job_id, 42);
	are_ended(w, 1);
}

static void test_too_much_output_is_refused(void **state)
{
	struct tools_world *w = *state;
	tool_does(w, "sinfo", "yes");
	slurm_tools_version(w->tools, tools_told, w);
	was_told(w, ERR_TOO_LARGE, "printed more than");
}

/* ---- the line ---- */

static void test_only_so_many_run_at_once(void **state)
{
	struct tools_world *w = *state;
	begin_tools(w, (struct slurm_tools_config){ .at_once = 2 });
	tool_does(w, "sinfo", "echo + >>\"$dir/log\"; echo slurm 1.2; echo - >>\"$dir/log\"");
	for (int i = 0; i < 12; i++)
		slurm_tools_version(w->tools, tools_told, w);
	when_so_many_told(w, 12);
	AUTO(own_free) char *log = tool_file(w, "log");
	int running = 0, begun = 0;
	for (const char *p = log; *p; p++) {
		running += *p == '+' ? 1 : *p == '-' ? -1 : 0;
		begun += *p == '+';
		assert_in_range(running, 0, 2);
	}
	assert_int_equal(begun, 12);
}

static void test_those_who_wait_have_their_turn_when_one_hangs(void **state)
{
	struct tools_world *w = *state;
	begin_tools(w, (struct slurm_tools_config){ .at_once = 1, .limit_ms = 300 });
	tool_does(w, "sinfo", HANGS);
	tool_does(w, "scontrol", "echo PartitionName=a");
	slurm_tools_version(w->tools, tools_told, w);
	slurm_tools_partitions(w->tools, NULL, tools_told, w);
	was_told(w, ERR_RETRY, "sinfo did not end in time");
	when_told(w);
	assert_string_equal(str_text(&w->words), "a ");
	was_called(w, "sinfo [-V]\nscontrol [show] [partition]\n");
}

/*
 * A burst of submissions does not take the processors from other calls, and slow ones
 * hold up no other.
 */
static void test_submissions_begin_so_many_at_a_time(void **state)
{
	struct tools_world *w = *state;
	AUTO(str_free) struct str sbatch = { 0 };
	int n = 8 * (int)sysconf(_SC_NPROCESSORS_ONLN);
	str_addf(&sbatch,
		"mkdir \"$dir/$$\"; [ \"$(ls -d \"$dir\"/[1-9]* | wc -l)\" -gt %d ] || { " HANGS
		"; }\necho 42",
		n);
	begin_tools(w, (struct slurm_tools_config){ .at_once = 2 * n });
	tool_does(w, "sbatch", str_text(&sbatch));
	tool_does(w, "sinfo", "ls -d \"$dir\"/[1-9]* | wc -l >\"$dir/begun\"; echo slurm 1.2");
	for (int i = 0; i < n + 2; i++)
		submit(w);
	slurm_tools_version(w->tools, tools_told, w);
	when_told(w);
	assert_string_equal(str_text(&w->words), "1.2");
	AUTO(own_free) char *begun = tool_file(w, "begun");
	assert_in_range(atoi(begun), 0, n);
	when_so_many_told(w, 2);
	assert_int_equal(w->job_id, 42);
}

/* slurmctld takes seconds for each submission, and there are many. */
/* Acceptance: vnode-18 */
static void test_submissions_that_last_leave_programs_for_questions(void **state)
{
	enum { AT_ONCE = 4, MANY = 8 };
	struct tools_world *w = *state;
	begin_tools(w, (struct slurm_tools_config){ .at_once = AT_ONCE });
	tool_does(w, "sbatch", HANGS);
	tool_does(w, "sinfo", "echo slurm 1.2");
	for (int i = 0; i < MANY; i++)
		submit(w);
	slurm_tools_version(w->tools, tools_told, w);
	when_told(w);
	assert_string_equal(str_text(&w->words), "1.2");
}

/* A client with many submissions in line: one of another client is the next to begin. */
/* Acceptance: vnode-18 */
static void test_clients_submit_in_turn(void **state)
{
	enum { AT_ONCE = 2, MANY = 6 };
	struct tools_world *w = *state;
	begin_tools(w, (struct slurm_tools_config){ .at_once = AT_ONCE });
	tool_does(w, "sbatch", "sleep 0.2; echo 42");
	for (int i = 0; i < MANY; i++)
		submit_as(w, "many");
	submit_as(w, "one");
	when_so_many_told(w, MANY + 1);
	AUTO(own_free) char *calls = tool_file(w, "calls");
	const char *at = strstr(calls, "--comment=one");
	int before = 0;
	assert_non_null(at);
	for (const char *p = calls; p < at; p++)
		before += *p == '\n';
	assert_in_range(before, 1, AT_ONCE);
}

/* ---- calls that are given up ---- */

static void test_who_is_gone_hears_nothing(void **state)
{
	struct tools_world *w = *state;
	struct slurm_tools_call *calls[4];
	begin_tools(w, (struct slurm_tools_config){ .at_once = 2 });
	tool_does(w, "sinfo", "exec sleep 1000");
	tool_does(w, "scontrol", "echo PartitionName=a");
	calls[0] = slurm_tools_version(w->tools, tools_told, w); /* runs */
	calls[1] = slurm_tools_version(w->tools, tools_told, w);
	calls[2] = slurm_tools_partitions(w->tools, "a", tools_told, w); /* waits */
	calls[3] = slurm_tools_job(w->tools, 0, tools_told, w);          /* has failed */
	slurm_tools_call_cancel(calls[2]);
	slurm_tools_call_cancel(calls[3]);
	slurm_tools_call_cancel(calls[0]);
	slurm_tools_call_cancel(NULL);
	slurm_tools_partitions(w->tools, NULL, tools_told, w); /* in the place of the first */
	when_told(w);
	assert_int_equal(w->told, 1);
	assert_string_equal(str_text(&w->words), "a ");
	slurm_tools_call_cancel(calls[1]);
	slurm_tools_version(w->tools, tools_told, w); /* is cancelled with the tools */
}

static void test_a_submission_that_runs_is_not_torn(void **state)
{
	struct tools_world *w = *state;
	const struct slurm_submission s = { .script = "#!/bin/sh\n" };
	begin_tools(w, (struct slurm_tools_config){ .at_once = 1 });
	tool_does(w, "sbatch", "echo 42; echo whole >\"$dir/taken\"");
	tool_does(w, "sinfo", "echo slurm 1.2");
	struct slurm_tools_call *call = slurm_tools_submit(w->tools, &s, tools_told, w);
	slurm_tools_call_cancel(call);
	slurm_tools_version(w->tools, tools_told, w); /* waits until sbatch has ended */
	when_told(w);
	assert_int_equal(w->told, 1);
	AUTO(own_free) char *taken = tool_file(w, "taken");
	assert_string_equal(taken, "whole\n");
}

static void test_a_second_program_that_is_not_there_holds_up_nobody(void **state)
{
	struct tools_world *w = *state;
	begin_tools(w, (struct slurm_tools_config){ .at_once = 1 });
	tool_does(w, "squeue", "rm \"${0%/*}/sacct\"");
	tool_does(w, "sinfo", "echo slurm 1.2");
	find(w, 0);
	slurm_tools_version(w->tools, tools_told, w); /* waits */
	was_told(w, ERR_RETRY, "sacct cannot be started");
	when_told(w);
	assert_string_equal(str_text(&w->words), "1.2");
}

static void free_them(void *ctx, struct err err, const struct slurm_tools_told *told)
{
	struct tools_world *w = ctx;
	tools_told(w, err, told);
	slurm_tools_free(TAKE(w->tools));
}

static void test_the_tools_may_go_within_a_call(void **state)
{
	struct tools_world *w = *state;
	tool_does(w, "sinfo", "echo slurm 1.2");
	tool_does(w, "scontrol", "exec sleep 1000");
	slurm_tools_partitions(w->tools, NULL, tools_told, w);
	slurm_tools_version(w->tools, free_them, w);
	when_told(w);
	assert_string_equal(str_text(&w->words), "1.2");
	assert_null(w->tools);
}

/* "#SBATCH --wait": sbatch prints the number, and waits for the end of the job. */
/* Acceptance: red-box-36 */
static void test_the_end_of_a_job_is_not_waited_for(void **state)
{
	struct tools_world *w = *state;
	tool_does(w, "sbatch",
		"trap 'echo TERM >$(dirname $0)/ended; exit 9' TERM; echo 45; sleep 100 & wait");
	slurm_tools_submit(w->tools, &(struct slurm_submission){ .script = "" }, tools_told, w);
	int64_t from_ms = loop_now_ms(w->loop);
	when_told(w);
	assert_int_equal(w->job_id, 45);
	assert_true(loop_now_ms(w->loop) - from_ms < 20000); /* its limit is 60 s */
	AUTO(own_free) char *how = tool_file(w, "ended");
	assert_string_equal(how, "TERM\n");
}

/* A line of a filter of the site is no number of a job, and does not end sbatch. */
/* Acceptance: red-box-36 */
static void test_a_line_that_begins_with_a_number_is_no_job(void **state)
{
	struct tools_world *w = *state;
	tool_does(w, "sbatch", "echo '3 of 10 jobs are used'; sleep 2; echo 46");
	slurm_tools_submit(w->tools, &(struct slurm_submission){ .script = "" }, tools_told, w);
	when_told(w);
	assert_int_equal(w->job_id, 46);
	tool_does(w, "sbatch",
		"echo '3 of 10 jobs are used'; echo 'sbatch: error: Batch job submission "
		"failed: Invalid qos specification' >&2; exit 1");
	slurm_tools_submit(w->tools, &(struct slurm_submission){ .script = "" }, tools_told, w);
	was_told(w, ERR_INVALID, "Invalid qos");
}

/* Words of the site come first. A virtual node judges the refusal by those behind. */
/* Acceptance: red-box-38 */
static void test_what_slurmctld_says_is_not_cut_off(void **state)
{
	struct tools_world *w = *state;
	AUTO(str_free) struct str errors = { 0 };
	str_add(&errors, "sbatch: error: Welcome to the site.");
	for (int i = 0; i < 100; i++)
		str_add(&errors, " Please read the rules.");
	str_add(&errors,
		"\nsbatch: error: invalid partition specified: nosuch"
		"\nsbatch: error: Batch job submission failed: Invalid partition name "
		"specified\n");
	tool_fails(w, "sbatch", str_text(&errors));
	slurm_tools_submit(w->tools, &(struct slurm_submission){ .script = "" }, tools_told, w);
	was_told(w, ERR_INVALID,
		"nosuch; Batch job submission failed: Invalid partition name specified");
	assert_true(strlen(w->err.text) < 320);
}

#define TOOLS_TEST(name) cmocka_unit_test_setup_teardown(name, given_tools, free_tools_world)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TOOLS_TEST(test_the_end_of_a_job_is_not_waited_for),
		TOOLS_TEST(test_a_line_that_begins_with_a_number_is_no_job),
		TOOLS_TEST(test_what_slurmctld_says_is_not_cut_off),
		TOOLS_TEST(test_slurmctld_is_asked_for_a_key),
		TOOLS_TEST(test_accounts_are_asked_when_that_is_wanted),
		TOOLS_TEST(test_accounts_that_are_off_or_old),
		TOOLS_TEST(test_what_only_one_of_both_can_tell_is_not_known),
		TOOLS_TEST(test_a_tool_that_hangs_is_ended),
		TOOLS_TEST(test_a_job_whose_sbatch_waits_for_its_end_is_there),
		TOOLS_TEST(test_too_much_output_is_refused),
		TOOLS_TEST(test_only_so_many_run_at_once),
		TOOLS_TEST(test_those_who_wait_have_their_turn_when_one_hangs),
		TOOLS_TEST(test_submissions_begin_so_many_at_a_time),
		TOOLS_TEST(test_submissions_that_last_leave_programs_for_questions),
		TOOLS_TEST(test_clients_submit_in_turn),
		TOOLS_TEST(test_who_is_gone_hears_nothing),
		TOOLS_TEST(test_a_second_program_that_is_not_there_holds_up_nobody),
		TOOLS_TEST(test_a_submission_that_runs_is_not_torn),
		TOOLS_TEST(test_the_tools_may_go_within_a_call),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
