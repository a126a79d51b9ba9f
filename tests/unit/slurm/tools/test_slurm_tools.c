/* SPDX-License-Identifier: Apache-2.0 */
/* Slurm's tools: how they are called, and what becomes of what they print. */
#include "lib/test.h"

#include <time.h>

#include "lib/tools_world.h"

#define SCRIPT "#!/bin/sh\necho \"$HOME\" 'x'\n"

static void submit(struct tools_world *w, const char *partition, const char *key)
{
	const struct slurm_submission s = { .script = SCRIPT, .partition = partition, .key = key };
	slurm_tools_submit(w->tools, &s, tools_told, w);
}

/* ---- submissions ---- */

static void test_a_script_is_submitted(void **state)
{
	struct tools_world *w = *state;
	tool_does(w, "sbatch", "echo 42");
	submit(w, "debug", "red-box:1");
	when_told(w);
	assert_int_equal(w->job_id, 42);
	was_called(w, "sbatch [--parsable] [--partition=debug] [--comment=red-box:1]\n");
	AUTO(own_free) char *script = tool_file(w, "sbatch.in");
	assert_string_equal(script, SCRIPT);
}

/* Acceptance: red-box-21 */
static void test_no_partition_is_no_argument(void **state)
{
	struct tools_world *w = *state;
	tool_does(w, "sbatch", "echo 42");
	submit(w, "", NULL);
	when_told(w);
	was_called(w, "sbatch [--parsable]\n");
	submit(w, NULL, NULL);
	when_told(w);
	was_called(w, "sbatch [--parsable]\n");
}

/* Acceptance: red-box-21 */
static void test_no_name_becomes_an_option(void **state)
{
	struct tools_world *w = *state;
	tool_does(w, "sbatch", "echo 42");
	submit(w, "--help x", NULL);
	when_told(w);
	was_called(w, "sbatch [--parsable] [--partition=--help x]\n");
	slurm_tools_partitions(w->tools, "--help", tools_told, w);
	when_told(w);
	was_called(w, "scontrol [--all] [show] [partition] [--] [--help]\n");
}

/* Acceptance: red-box-19 */
static void test_warnings_and_clusters_do_not_hide_the_id(void **state)
{
	struct tools_world *w = *state;
	tool_does(w, "sbatch", "echo 'sbatch: warning: 7 of 9' >&2; echo '43;cluster'");
	submit(w, NULL, NULL);
	when_told(w);
	assert_int_equal(w->job_id, 43);
	tool_does(w, "sbatch", "echo 44; exit 5"); /* #SBATCH --wait: the code of the job */
	submit(w, NULL, NULL);
	when_told(w);
	assert_int_equal(w->job_id, 44);
}

static void test_a_key_that_cannot_be_found_again_is_refused(void **state)
{
	struct tools_world *w = *state;
	submit(w, NULL, "two words");
	was_told(w, ERR_INVALID, "a key of a job is");
	slurm_tools_find(w->tools, "", SLURM_ABSENT, tools_told, w);
	was_told(w, ERR_INVALID, "a key of a job is");
	was_called(w, "");
}

static void refuses(struct tools_world *w, const char *errors, enum err_kind kind,
	const char *sentence)
{
	tool_fails(w, "sbatch", errors);
	submit(w, NULL, NULL);
	was_told(w, kind, sentence);
}

static void test_a_refusal_has_sbatchs_own_sentence(void **state)
{
	struct tools_world *w = *state;
	refuses(w,
		"sbatch: error: invalid partition specified: nosuch\n"
		"sbatch: error: Batch job submission failed: Invalid partition name specified\n",
		ERR_INVALID,
		"sbatch: invalid partition specified: nosuch; Batch job submission failed: "
		"Invalid");
	refuses(w,
		"sbatch: error: This does not look like a batch script.  The first\n"
		"sbatch: error: line must start with #! followed by the path to an interpreter.\n"
		"sbatch: error: For instance: #!/bin/sh\n",
		ERR_INVALID,
		"sbatch: This does not look like a batch script.  The first line must start with "
		"#! followed by the path to an interpreter.; For instance: #!/bin/sh");
	refuses(w, "sbatch: unrecognized option '--no\x1b[31msuch'\nTry \"sbatch --help\"\n",
		ERR_INVALID, "sbatch: unrecognized option '--no [31msuch'; Try");
	refuses(w, "sbatch: fatal: stdin: line 2: Unmatched `\"`\n", ERR_INVALID,
		"sbatch: stdin: line 2: Unmatched");
}

static void test_a_long_refusal_is_cut(void **state)
{
	struct tools_world *w = *state;
	AUTO(str_free) struct str errors = { 0 };
	str_add(&errors, "sbatch: error: ");
	for (int i = 0; i < 1000; i++)
		str_add(&errors, "x\xff\n");
	refuses(w, str_text(&errors), ERR_INVALID, "...");
	assert_true(strlen(w->err.text) < 320);
}

static void test_an_upgrade_of_slurm_refuses_nothing(void **state)
{
	struct tools_world *w = *state;
	refuses(w,
		"sbatch: error while loading shared libraries: libslurmfull.so: cannot open shared "
		"object file: No such file or directory\n",
		ERR_RETRY, "error while loading shared libraries");
	refuses(w, "sbatch: fatal: failed to initialize auth plugin\n", ERR_RETRY,
		"failed to initialize auth plugin");
	refuses(w,
		"sbatch: error: Batch job submission failed: Incompatible versions of client and "
		"server code\n",
		ERR_RETRY, "Incompatible versions");
}

static void test_what_may_be_tried_again_and_what_nobody_knows(void **state)
{
	struct tools_world *w = *state;
	refuses(w,
		"sbatch: error: Batch job submission failed: Unable to contact slurm controller "
		"(connect failure)\n",
		ERR_RETRY, "Unable to contact slurm controller");
	refuses(w,
		"sbatch: error: QOSMaxSubmitJobPerUserLimit\nsbatch: error: Batch job submission "
		"failed: Job violates accounting/QOS policy\n",
		ERR_RETRY, "QOSMaxSubmitJobPerUserLimit");
	/* MaxJobCount, as 26.05 prints it */
	refuses(w, "sbatch: error: Batch job submission failed: MaxJobCount limit reached\n",
		ERR_RETRY, "MaxJobCount");
	refuses(w, "sbatch: error: Batch job submission failed: Access/permission denied\n",
		ERR_DENIED, "Access/permission denied");
	/* an unknown sentence: it may be one of the connection */
	refuses(w, "sbatch: error: Batch job submission failed: Something new\n", ERR_LOST,
		"Something new");
	refuses(w,
		"sbatch: error: Batch job submission failed: Socket timed out on send/recv "
		"operation\n",
		ERR_LOST, "Socket timed out");
	refuses(w,
		"sbatch: error: Slurm temporarily unable to accept job, sleeping and retrying\n"
		"sbatch: error: Batch job submission failed: Zero Bytes were transmitted or "
		"received\n",
		ERR_LOST, "Zero Bytes");
	refuses(w, "sbatch: error: Batch job submission failed: Protocol authentication error\n",
		ERR_LOST, "Protocol authentication error");
	refuses(w, "", ERR_LOST, "sbatch ended with code 1, without a message");
	tool_does(w, "sbatch", "kill -9 $$");
	submit(w, NULL, NULL);
	was_told(w, ERR_LOST, "sbatch was ended by signal 9");
	tool_does(w, "sbatch", "echo Submitted");
	submit(w, NULL, NULL);
	was_told(w, ERR_LOST, "printed no job id");
	tool_does(w, "sbatch", "echo 'sbatch: Job 17 to start at 2026-01-01T00:00:00' >&2");
	submit(w, NULL, NULL);
	was_told(w, ERR_INVALID, "--test-only");
}

/* ---- environment ---- */

/* Acceptance: red-box-4, word-16 */
static void test_our_variables_do_not_change_what_tools_do(void **state)
{
	struct tools_world *w = *state;
	setenv("SLURM_TIME_FORMAT", "relative", 1);
	setenv("SLURM_JOB_ID", "7", 1);
	setenv("SBATCH_PARTITION", "theirs", 1);
	setenv("SQUEUE_FORMAT", "%i", 1);
	setenv("NOTIFY_SOCKET", "/run/systemd/notify", 1);
	setenv("SLURM_CONF", "/etc/other/slurm.conf", 1);
	setenv("LC_ALL", "de_DE.UTF-8", 1);
	begin_tools(w, (struct slurm_tools_config){ 0 });
	tool_does(w, "sbatch", "echo 42");
	submit(w, NULL, NULL);
	when_told(w);
	AUTO(own_free) char *of_jobs = tool_file(w, "sbatch.env");
	assert_null(strstr(of_jobs, "SBATCH_PARTITION"));
	assert_null(strstr(of_jobs, "SLURM_TIME_FORMAT"));
	assert_null(strstr(of_jobs, "SLURM_JOB_ID"));
	assert_null(strstr(of_jobs, "NOTIFY_SOCKET"));
	assert_non_null(strstr(of_jobs, "SLURM_CONF=/etc/other/slurm.conf\n"));
	assert_non_null(strstr(of_jobs, "LC_ALL=de_DE.UTF-8\n")); /* the job's locale */
	tool_does(w, "sinfo", "echo slurm 24.11.5");
	slurm_tools_version(w->tools, tools_told, w);
	when_told(w);
	assert_string_equal(str_text(&w->words), "24.11.5");
	AUTO(own_free) char *to_read = tool_file(w, "sinfo.env");
	assert_null(strstr(to_read, "SQUEUE_FORMAT"));
	assert_null(strstr(to_read, "relative"));
	assert_null(strstr(to_read, "de_DE"));
	assert_non_null(strstr(to_read, "SLURM_TIME_FORMAT=standard\n"));
	assert_non_null(strstr(to_read, "LC_ALL=C\n"));
	assert_non_null(strstr(to_read, "SLURM_BITSTR_LEN=16384\n"));
	was_called(w, "sbatch [--parsable]\nsinfo [-V]\n");
	unsetenv("SLURM_CONF");
	unsetenv("LC_ALL");
}

static void test_tools_that_are_missing_are_all_named(void **state)
{
	struct tools_world *w = *state;
	struct slurm_tools *none = NULL;
	struct err e = slurm_tools_new(w->loop,
		&(struct slurm_tools_config){ .folder = "/nonexistent" }, &none);
	assert_int_equal(e.kind, ERR_INVALID);
	assert_non_null(strstr(e.text,
		"missing in /nonexistent: sacct, sbatch, scancel, scontrol, sinfo, squeue"));
	AUTO(own_free) char *path = own_strdup(getenv("PATH"));
	setenv("PATH", "/nonexistent", 1);
	e = slurm_tools_new(w->loop, &(struct slurm_tools_config){ 0 }, &none);
	assert_non_null(strstr(e.text, "missing in the PATH: sacct, sbatch"));
	AUTO(str_free) struct str with = { 0 };
	str_addf(&with, "/nonexistent:%s", w->folder);
	setenv("PATH", str_text(&with), 1);
	e = slurm_tools_new(w->loop, &(struct slurm_tools_config){ 0 }, &none);
	assert_false(failed(e));
	slurm_tools_free(none);
	setenv("PATH", path, 1);
}

static void test_a_tool_that_has_gone_may_come_back(void **state)
{
	struct tools_world *w = *state;
	AUTO(str_free) struct str path = { 0 };
	str_addf(&path, "%s/sbatch", w->folder);
	remove(str_text(&path));
	submit(w, NULL, NULL);
	was_told(w, ERR_RETRY, "sbatch cannot be started: there is no such program");
}

/* ---- questions ---- */

#define JOB                                                                                       \
	"cat <<E\nJobId=5 JobName=x\n   UserId=u(1)\n   JobState=OUT_OF_MEMORY Reason=x\n"        \
	"   Requeue=1 ExitCode=0:9\n   RunTime=00:01:00 TimeLimit=Partition_Limit\n"              \
	"   SubmitTime=2019-04-16T11:49:19 EligibleTime=Unknown\n   StartTime=None EndTime=N/A\n" \
	"   Partition=p AllocNode:Sid=a:1\n   NodeList=n\n   NumNodes=1\n   WorkDir=/w\nE\n"

/* Acceptance: red-box-4 */
static void test_a_job_is_shown_in_the_zone_of_the_machine(void **state)
{
	struct tools_world *w = *state;
	setenv("TZ", "Europe/Berlin", 1);
	tzset();
	tool_does(w, "scontrol", JOB);
	slurm_tools_job(w->tools, 5, tools_told, w);
	when_told(w);
	was_called(w, "scontrol [show] [jobid] [5]\n");
	assert_string_equal(str_text(&w->words), "5:OUT_OF_MEMORY ");
	assert_int_equal(w->first_submit_s, 1555415359 - 7200);
	assert_int_equal(w->first_limit_s, SLURM_ABSENT);
	setenv("TZ", "UTC0", 1);
	tzset();
}

static void test_a_job_that_is_not_there(void **state)
{
	struct tools_world *w = *state;
	tool_fails(w, "scontrol", "slurm_load_jobs error: Invalid job id specified\n");
	slurm_tools_job(w->tools, 5, tools_told, w);
	was_told(w, ERR_NOT_FOUND, "scontrol: slurm_load_jobs error: Invalid job id specified");
	tool_does(w, "scontrol", "echo 'No jobs in the system'");
	slurm_tools_job(w->tools, 5, tools_told, w);
	was_told(w, ERR_NOT_FOUND, "no job 5");
	tool_fails(w, "scontrol", "slurm_load_jobs error: Unable to contact slurm controller\n");
	slurm_tools_job(w->tools, 5, tools_told, w);
	was_told(w, ERR_RETRY, "Unable to contact");
}

#define SACCT(fields)                                                                         \
	"sacct [--noheader] [--parsable2] [--delimiter=\x1f] [--allocations] "                \
	"[--duplicates] " fields "[--jobs=5] "                                                \
	"[--format=jobidraw,jobid,state,exitcode,partition,nodelist,nnodes,submit,start,end," \
	"elapsedraw,timelimitraw,user,uid,workdir,"
#define ACCOUNT                                                                                  \
	"printf '5\\0375\\037CANCELLED by 7\\0370:0\\037p\\037n\\0371\\037"                      \
	"2019-04-16T11:49:19\\0372019-04-16T11:49:20\\0372019-04-16T11:50:20\\03760\\03725\\037" \
	"u\\0371\\037/w\\0370\\037/w/5.out\\037\\037a name\\n'"

/* Acceptance: V10 */
static void test_a_job_that_slurmctld_forgot_is_in_the_accounts(void **state)
{
	struct tools_world *w = *state;
	tool_fails(w, "scontrol", "slurm_load_jobs error: Invalid job id specified\n");
	tool_does(w, "sacct", ACCOUNT);
	slurm_tools_job(w->tools, 5, tools_told, w);
	when_told(w);
	assert_string_equal(str_text(&w->words), "5:CANCELLED ");
	assert_int_equal(w->first_submit_s, 1555415359);
	assert_int_equal(w->first_limit_s, 25 * 60);
	was_called(w,
		"scontrol [show] [jobid] [5]\n" SACCT("") "restarts,stdout,stderr,jobname]\n");
	tool_does(w, "sacct", "echo 'slurm is down today'");
	slurm_tools_job(w->tools, 5, tools_told, w);
	was_told(w, ERR_NOT_FOUND, "Invalid job id specified");
	tool_fails(w, "sacct", "Slurm accounting storage is disabled\n");
	slurm_tools_job(w->tools, 5, tools_told, w);
	was_told(w, ERR_NOT_FOUND, "scontrol: slurm_load_jobs error: Invalid job id specified");
	tool_fails(w, "sacct", "sacct: error: Problem talking to the database: x\n");
	slurm_tools_job(w->tools, 5, tools_told, w);
	was_told(w, ERR_RETRY, "Problem talking to the database");
}

static void test_slurmctld_says_since_when_it_runs(void **state)
{
	struct tools_world *w = *state;
	tool_does(w, "scontrol",
		"printf 'Configuration data as of 2026-11-23T10:00:00\\n"
		"BOOT_TIME               = 2019-04-16T11:49:19\\nMinJobAge               = 300 "
		"sec\\n"
		"NEXT_JOB_ID             = 13\\n\\nSlurmctld(primary) at x is UP\\n'");
	slurm_tools_controller(w->tools, tools_told, w);
	when_told(w);
	was_called(w, "scontrol [show] [config]\n");
	assert_int_equal(w->controller.boot_s, 1555415359);
	assert_int_equal(w->controller.next_job_id, 13);
	assert_int_equal(w->controller.min_job_age_s, 300);
	tool_does(w, "scontrol", "printf 'BOOT_TIME               = 2019-04-16T11:49:19\\n'");
	slurm_tools_controller(w->tools, tools_told, w);
	when_told(w);
	assert_int_equal(w->controller.next_job_id, SLURM_ABSENT);
	assert_int_equal(w->controller.min_job_age_s, SLURM_ABSENT);
	tool_does(w, "scontrol", "echo 'XBOOT_TIME = 2019-04-16T11:49:19'");
	slurm_tools_controller(w->tools, tools_told, w);
	was_told(w, ERR_INVALID, "when slurmctld was started");
}

static void test_ids_that_slurm_would_take_for_others_are_not_asked(void **state)
{
	static const int64_t ids[] = { 0, -1, INT64_C(4294967296), INT64_C(4294967295), INT64_MAX };
	struct tools_world *w = *state;
	for (size_t i = 0; i < LENGTH(ids); i++) {
		slurm_tools_job(w->tools, ids[i], tools_told, w);
		was_told(w, ERR_NOT_FOUND, "no job can have the id");
		slurm_tools_cancel(w->tools, ids[i], tools_told, w);
		was_told(w, ERR_NOT_FOUND, "no job can have the id");
	}
	was_called(w, "");
}

static void test_a_cancelled_job(void **state)
{
	struct tools_world *w = *state;
	slurm_tools_cancel(w->tools, 5, tools_told, w);
	when_told(w);
	was_called(w, "scancel [5]\n");
	tool_fails(w, "scancel",
		"scancel: error: Kill job error on job id 5: Job/step already completing or "
		"completed\n");
	slurm_tools_cancel(w->tools, 5, tools_told, w);
	when_told(w);
	tool_fails(w, "scancel",
		"scancel: error: Kill job error on job id 5: Access/permission denied\n");
	slurm_tools_cancel(w->tools, 5, tools_told, w);
	was_told(w, ERR_DENIED, "scancel: Kill job error on job id 5: Access/permission denied");
}

static void test_steps_are_those_of_the_accounts(void **state)
{
	struct tools_world *w = *state;
	tool_does(w, "sacct", "printf 'None\\037None\\0370:0\\037CANCELLED by 1\\0375\\037a|b\\n'");
	slurm_tools_steps(w->tools, 5, tools_told, w);
	when_told(w);
	assert_string_equal(str_text(&w->words), "5:CANCELLED ");
	was_called(w,
		"sacct [--noheader] [--parsable2] [--delimiter=\x1f] [--jobs=5] "
		"[--format=start,end,exitcode,state,jobid,jobname]\n");
	tool_does(w, "sacct", "");
	slurm_tools_steps(w->tools, 5, tools_told, w);
	when_told(w);
	assert_int_equal(w->n, 0);
	tool_fails(w, "sacct", "Slurm accounting storage is disabled\n");
	slurm_tools_steps(w->tools, 5, tools_told, w);
	when_told(w);
	assert_true(w->no_accounting);
	tool_fails(w, "sacct", "sacct: error: Problem talking to the database: x\n");
	slurm_tools_steps(w->tools, 5, tools_told, w);
	was_told(w, ERR_RETRY, "Problem talking to the database");
}

static void test_partitions(void **state)
{
	struct tools_world *w = *state;
	tool_does(w, "scontrol", "printf 'PartitionName=a\\n\\nPartitionName=B_c\\n'");
	slurm_tools_partitions(w->tools, NULL, tools_told, w);
	when_told(w);
	assert_string_equal(str_text(&w->words), "a B_c ");
	was_called(w, "scontrol [show] [partition]\n");
	tool_does(w, "scontrol", "echo 'No partitions in the system'");
	slurm_tools_partitions(w->tools, NULL, tools_told, w);
	when_told(w);
	assert_int_equal(w->n, 0);
	tool_does(w, "scontrol", "echo 'Partition x not found'; exit 1");
	slurm_tools_partitions(w->tools, "x", tools_told, w);
	was_told(w, ERR_NOT_FOUND, "scontrol: Partition x not found");
}

#define TOOLS_TEST(name) cmocka_unit_test_setup_teardown(name, given_tools, free_tools_world)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TOOLS_TEST(test_a_script_is_submitted),
		TOOLS_TEST(test_no_partition_is_no_argument),
		TOOLS_TEST(test_no_name_becomes_an_option),
		TOOLS_TEST(test_warnings_and_clusters_do_not_hide_the_id),
		TOOLS_TEST(test_a_key_that_cannot_be_found_again_is_refused),
		TOOLS_TEST(test_a_refusal_has_sbatchs_own_sentence),
		TOOLS_TEST(test_a_long_refusal_is_cut),
		TOOLS_TEST(test_an_upgrade_of_slurm_refuses_nothing),
		TOOLS_TEST(test_what_may_be_tried_again_and_what_nobody_knows),
		TOOLS_TEST(test_our_variables_do_not_change_what_tools_do),
		TOOLS_TEST(test_tools_that_are_missing_are_all_named),
		TOOLS_TEST(test_a_tool_that_has_gone_may_come_back),
		TOOLS_TEST(test_a_job_is_shown_in_the_zone_of_the_machine),
		TOOLS_TEST(test_a_job_that_is_not_there),
		TOOLS_TEST(test_a_job_that_slurmctld_forgot_is_in_the_accounts),
		TOOLS_TEST(test_slurmctld_says_since_when_it_runs),
		TOOLS_TEST(test_ids_that_slurm_would_take_for_others_are_not_asked),
		TOOLS_TEST(test_a_cancelled_job),
		TOOLS_TEST(test_steps_are_those_of_the_accounts),
		TOOLS_TEST(test_partitions),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
