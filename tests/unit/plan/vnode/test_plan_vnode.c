/* SPDX-License-Identifier: Apache-2.0 */
/* Virtual nodes: words of Slurm, names of nodes, and what a pod says of its job. */
#include "lib/test.h"

#include <sys/resource.h>

#include "object/dns.h"
#include "plan/vnode/sheet.h"

/* The table of states: what waits, runs and has ended. */
/* Acceptance: vnode-4, V8 */
static void test_each_word_of_slurm_has_its_phase(void **state)
{
	(void)state;
	static const struct {
		enum vjob_phase phase;
		const char *words;
	} rows[] = {
		{ VJOB_PENDING,
			"PENDING,CONFIGURING,REQUEUED,REQUEUE_HOLD,SPECIAL_EXIT,REQUEUE_FED" },
		{ VJOB_RUNNING,
			"RUNNING,COMPLETING,SUSPENDED,STOPPED,SIGNALING,RESIZING,STAGE_OUT" },
		{ VJOB_SUCCEEDED, "COMPLETED" },
		{ VJOB_FAILED,
			"FAILED,TIMEOUT,OUT_OF_MEMORY,NODE_FAIL,BOOT_FAIL,DEADLINE,PREEMPTED,"
			"CANCELLED,REVOKED,LAUNCH_FAILED" },
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		char words[256], *rest = words;
		snprintf(words, sizeof(words), "%s", rows[i].words);
		for (char *word; (word = strsep(&rest, ","));)
			if (vjob_phase_of(word) != rows[i].phase)
				fail_msg("%s is %d", word, (int)vjob_phase_of(word));
	}
}

/* Acceptance: vnode-4 */
static void test_what_nobody_knows_has_not_ended(void **state)
{
	(void)state;
	static const char *const words[] = { "", "NEW_WORD", "COMPLETED,COMPLETING",
		"COMPLETED+NEW_WORD", " ", "by" };
	for (size_t i = 0; i < LENGTH(words); i++)
		assert_int_equal(vjob_phase_of(words[i]), VJOB_RUNNING);
	assert_int_equal(vjob_phase_of("CANCELLED by 1000"), VJOB_FAILED);
	assert_int_equal(vjob_phase_of("PENDING,COMPLETING"), VJOB_PENDING);
}

/* Acceptance: V9 */
static void test_the_exit_code_is_that_of_the_exit_or_of_the_signal(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		int64_t code;
	} rows[] = { { "7:0", 7 }, { "0:9", 137 }, { "0:0", 0 }, { "", 0 }, { "2:15", 2 },
		{ "0:-1", 0 }, { "x", 0 }, { "99999999999:0", 0 } };
	for (size_t i = 0; i < LENGTH(rows); i++)
		assert_int_equal(vjob_exit_code(rows[i].text), rows[i].code);
}

#define TASK(word) { .id = 1, .state = (word), .array_id = "1", .exit_code = "0:0" }

#define RECORD(number, word) \
	{ .id = (number), .state = (word), .array_id = "1", .exit_code = "0:0" }

/* Slurm forgets tasks that ended while others run. */
/* Acceptance: vnode-4, V11 */
static void test_a_task_that_has_failed_stays_failed_when_it_is_forgotten(void **state)
{
	(void)state;
	struct arena a AUTO(arena_free) = { 0 };
	const struct slurm_job_shown all[] = { RECORD(100, "FAILED"), RECORD(101, "RUNNING"),
		RECORD(102, "COMPLETED"), RECORD(103, "COMPLETED") };
	const struct slurm_job_shown rest[] = { RECORD(101, "COMPLETED"),
		RECORD(103, "COMPLETED") };
	struct vjob_sum sum = vjob_sum_of(&a, all, LENGTH(all), &(struct vjob_before){ "", "", 0 });
	assert_string_equal(sum.ended, "succeeded=102-103 failed=100");
	assert_int_equal(sum.phase, VJOB_RUNNING);
	const struct vjob_before before = { vjob_counts(&a, &sum), sum.ended, 0 };
	sum = vjob_sum_of(&a, rest, LENGTH(rest), &before);
	assert_string_equal(sum.ended, "succeeded=101-103 failed=100");
	assert_string_equal(vjob_counts(&a, &sum), "pending=0,running=0,succeeded=3,failed=1");
	assert_int_equal(sum.phase, VJOB_FAILED);
}

/* A user saw the failure, removed its cause, and had Slurm requeue the task. */
/* Acceptance: V11 */
static void test_a_task_that_was_requeued_has_not_failed(void **state)
{
	(void)state;
	struct arena a AUTO(arena_free) = { 0 };
	const struct vjob_before before = { "pending=0,running=1,succeeded=0,failed=1",
		"succeeded= failed=100" };
	const struct slurm_job_shown runs[] = { RECORD(100, "RUNNING"), RECORD(101, "COMPLETED") };
	const struct slurm_job_shown ended[] = { RECORD(100, "COMPLETED"),
		RECORD(101, "COMPLETED") };
	struct vjob_sum sum = vjob_sum_of(&a, runs, 2, &before);
	assert_string_equal(vjob_counts(&a, &sum), "pending=0,running=1,succeeded=1,failed=0");
	assert_string_equal(sum.ended, "succeeded=101 failed=");
	const struct vjob_before then = { vjob_counts(&a, &sum), sum.ended, 0 };
	assert_int_equal(vjob_sum_of(&a, ended, 2, &then).phase, VJOB_SUCCEEDED);
}

#define TASKS(number, word, list) \
	{ .id = (number), .state = (word), .array_id = "1", .exit_code = "0:0", .task = (list) }

static struct vjob_sum summed(struct arena *a, struct vjob_before *before,
	const struct slurm_job_shown *records, size_t n)
{
	struct vjob_sum sum = vjob_sum_of(a, records, n, before);
	*before = (struct vjob_before){ vjob_counts(a, &sum), sum.ended, before->tasks };
	return sum;
}

/* Fault 9: scancel 1_[4-9]. Slurm keeps no record of them. */
/* Acceptance: vnode-31 */
static void test_tasks_that_are_cancelled_while_they_wait_are_missed(void **state)
{
	(void)state;
	struct arena a AUTO(arena_free) = { 0 };
	const struct slurm_job_shown at_first[] = { TASKS(1, "PENDING", "1-9%1"),
		TASKS(2, "RUNNING", "0") };
	const struct slurm_job_shown then[] = { TASKS(1, "PENDING", "2-3%1"),
		TASKS(2, "COMPLETED", "0"), TASKS(3, "RUNNING", "1") };
	const struct slurm_job_shown ended[] = { TASKS(4, "COMPLETED", "2"),
		TASKS(1, "COMPLETED", "3"), TASKS(3, "COMPLETED", "1") };
	struct vjob_before before = { "", "", 0 };
	summed(&a, &before, at_first, 2);
	assert_string_equal(before.counts, "pending=9,running=1,succeeded=0,failed=0");
	summed(&a, &before, then, 3);
	assert_string_equal(before.counts, "pending=2,running=1,succeeded=1,failed=0,missing=6");
	struct vjob_sum sum = summed(&a, &before, ended, 3);
	assert_string_equal(before.counts, "pending=0,running=0,succeeded=4,failed=0,missing=6");
	assert_int_equal(sum.phase, VJOB_FAILED);
	sum = summed(&a, &before, ended, 3); /* as it was */
	assert_int_equal(sum.missing, 6);
}

/* A user cancels tasks 4 to 9 before Slurm is queried: only the script names them. */
/* Acceptance: vnode-31 */
static void test_tasks_of_the_script_that_slurm_never_showed_are_missed(void **state)
{
	(void)state;
	struct arena a AUTO(arena_free) = { 0 };
	const struct slurm_job_shown at_first[] = { TASKS(1, "PENDING", "1-3%1"),
		TASKS(2, "RUNNING", "0") };
	const struct slurm_job_shown ended[] = { TASKS(1, "COMPLETED", "3") };
	struct vjob_before before = { "", "", 10 };
	summed(&a, &before, at_first, 2);
	assert_string_equal(before.counts, "pending=3,running=1,succeeded=0,failed=0,missing=6");
	struct vjob_before of_more = { "", "", 2 }, known = { "", "", 4 }, unknown = { "", "", 0 };
	summed(&a, &of_more, at_first, 2);
	assert_string_equal(of_more.counts, "pending=3,running=1,succeeded=0,failed=0");
	assert_int_equal(summed(&a, &unknown, ended, 1).phase, VJOB_SUCCEEDED);
	assert_int_equal(summed(&a, &known, ended, 1).phase, VJOB_FAILED);
}

/* Fault 9: all that still waited were cancelled. One record tells of them. */
/* Acceptance: vnode-31 */
static void test_a_record_of_several_cancelled_tasks_counts_each(void **state)
{
	(void)state;
	struct arena a AUTO(arena_free) = { 0 };
	const struct slurm_job_shown all[] = { TASKS(1, "CANCELLED", "2-9%1"),
		TASKS(2, "COMPLETED", "0"), TASKS(3, "COMPLETED", "1") };
	struct vjob_before before = { "", "", 0 };
	struct vjob_sum sum = summed(&a, &before, all, 3);
	assert_string_equal(before.counts, "pending=0,running=0,succeeded=2,failed=1,missing=7");
	assert_string_equal(sum.of->state, "CANCELLED");
	summed(&a, &before, &all[1], 2); /* it is forgotten */
	assert_string_equal(before.counts, "pending=0,running=0,succeeded=2,failed=1,missing=7");
}

/* The accounts are asked when all have ended, and tell of tasks that slurmctld forgot. */
/* Acceptance: vnode-31 */
static void test_tasks_that_are_shown_again_are_missed_no_more(void **state)
{
	(void)state;
	struct arena a AUTO(arena_free) = { 0 };
	const struct slurm_job_shown at_first[] = { TASKS(1, "PENDING", "1-3"),
		TASKS(2, "RUNNING", "0") };
	const struct slurm_job_shown later[] = { TASKS(1, "RUNNING", "3") };
	const struct slurm_job_shown ended[] = { TASKS(1, "COMPLETED", "3"),
		TASKS(2, "COMPLETED", "0"), TASKS(3, "COMPLETED", "1"),
		TASKS(4, "COMPLETED", "2") };
	struct vjob_before before = { "", "", 0 };
	summed(&a, &before, at_first, 2);
	struct vjob_sum sum = summed(&a, &before, later, 1);
	assert_int_equal(sum.missing, 3);
	assert_int_equal(sum.phase, VJOB_RUNNING);
	sum = summed(&a, &before, ended, 4);
	assert_string_equal(before.counts, "pending=0,running=0,succeeded=4,failed=0");
	assert_int_equal(sum.phase, VJOB_SUCCEEDED);
}

/* An older red-box, or a list that scontrol has cut: nothing is concluded. */
/* Acceptance: vnode-31 */
static void test_of_an_unknown_number_of_tasks_none_is_missed(void **state)
{
	(void)state;
	struct arena a AUTO(arena_free) = { 0 };
	const struct slurm_job_shown at_first[] = { TASKS(1, "PENDING", "1-9%1"),
		TASKS(2, "RUNNING", "0") };
	const struct slurm_job_shown cut[] = { TASKS(1, "PENDING", "1,3,...%1"),
		TASKS(2, "RUNNING", "0") };
	const struct slurm_job_shown older[] = { RECORD(1, "COMPLETED"), RECORD(2, "COMPLETED") };
	struct vjob_before before = { "", "", 0 };
	summed(&a, &before, at_first, 2);
	struct vjob_before same = before;
	assert_int_equal(summed(&a, &before, cut, 2).missing, 0);
	assert_int_equal(summed(&a, &same, older, 2).phase, VJOB_SUCCEEDED);
}

/* An older virtual node has written how many have failed, and not which. */
/* Acceptance: V11 */
static void test_what_an_older_one_has_counted_counts_for_good(void **state)
{
	(void)state;
	struct arena a AUTO(arena_free) = { 0 };
	const struct slurm_job_shown rest[] = { TASK("COMPLETED"), TASK("COMPLETED") };
	struct vjob_before before = { "pending=1,running=2,succeeded=0,failed=2", "" };
	for (int i = 0; i < 2; i++) {
		struct vjob_sum sum = vjob_sum_of(&a, rest, 2, &before);
		assert_int_equal(sum.phase, VJOB_FAILED);
		assert_string_equal(sum.ended, "succeeded=1 failed=...");
		before = (struct vjob_before){ vjob_counts(&a, &sum), sum.ended };
		assert_string_equal(before.counts, "pending=0,running=0,succeeded=1,failed=2");
	}
}

/* An older virtual node ran in between, counted one, and left the list as it was. */
/* Acceptance: V11 */
static void test_what_an_older_one_counted_in_between_counts(void **state)
{
	(void)state;
	struct arena a AUTO(arena_free) = { 0 };
	const struct vjob_before before = { "pending=0,running=1,succeeded=0,failed=1",
		"succeeded= failed=" };
	const struct slurm_job_shown rest[] = { RECORD(101, "COMPLETED") };
	assert_int_equal(vjob_sum_of(&a, rest, 1, &before).phase, VJOB_FAILED);
}

/* Ranges that lie over each other are one before they are compared with what is shown. */
/* Acceptance: V11 */
static void test_a_hostile_list_takes_little_memory(void **state)
{
	(void)state;
	enum { TASKS = 2000, RANGES = 4000 };
	struct arena a AUTO(arena_free) = { 0 };
	struct str text AUTO(str_free) = { 0 };
	struct slurm_job_shown *all = arena_array(&a, struct slurm_job_shown, TASKS);
	for (int i = 0; i < TASKS; i++)
		all[i] = (struct slurm_job_shown)RECORD(1000 + 2 * i,
			i % 2 ? "COMPLETED" : "RUNNING");
	str_add(&text, "failed=");
	for (int i = 0; i < RANGES; i++)
		str_addf(&text, "%s1-99999", i ? "," : "");
	const struct vjob_before before = { "", str_text(&text) };
	struct rusage was, is;
	getrusage(RUSAGE_SELF, &was);
	struct vjob_sum sum = vjob_sum_of(&a, all, TASKS, &before);
	assert_int_equal(sum.counts[VJOB_FAILED], 99999 - TASKS);
	getrusage(RUSAGE_SELF, &is);
	assert_true(is.ru_maxrss - was.ru_maxrss < 64 << 10); /* KiB */
}

/* A user who may change a pod writes its annotations. */
/* Acceptance: V11 */
static void test_what_is_no_list_of_ids_is_none(void **state)
{
	(void)state;
	struct arena a AUTO(arena_free) = { 0 };
	static const struct {
		const char *ended;
		int64_t failed;
	} rows[] = { { "failed", 0 }, { "failed=", 0 }, { "failed=x", 0 }, { "failed=7-5", 0 },
		{ "failed=-5", 0 }, { "failed=5-", 0 }, { "failed=5,x", 1 }, { "failed=5,6", 2 },
		{ "failed=5-6,6-8", 4 }, { "failed=99999999999999999999", 0 },
		{ "failed=1-4294967295", 4294967294 }, { "succeeded=5 failed=6-7 more", 2 } };
	const struct slurm_job_shown one[] = { RECORD(1, "RUNNING") };
	for (size_t i = 0; i < LENGTH(rows); i++) {
		const struct vjob_before before = { "", rows[i].ended };
		struct vjob_sum sum = vjob_sum_of(&a, one, 1, &before);
		if (sum.counts[VJOB_FAILED] != rows[i].failed)
			fail_msg("%s: %lld", rows[i].ended, (long long)sum.counts[VJOB_FAILED]);
	}
}

/* Every second task has failed: a pod has no room for all their ids. */
/* Acceptance: V11 */
static void test_of_a_long_list_the_number_is_kept(void **state)
{
	(void)state;
	enum { TASKS = 4000 };
	struct arena a AUTO(arena_free) = { 0 };
	struct slurm_job_shown *all = arena_array(&a, struct slurm_job_shown, TASKS);
	for (int i = 0; i < TASKS; i++)
		all[i] = (struct slurm_job_shown)RECORD(1000 + i, i % 2 ? "FAILED" : "RUNNING");
	struct vjob_sum sum = vjob_sum_of(&a, all, TASKS, &(struct vjob_before){ "", "" });
	assert_true(strlen(sum.ended) < 5000);
	assert_non_null(strstr(sum.ended, ",..."));
	const struct vjob_before before = { vjob_counts(&a, &sum), sum.ended };
	sum = vjob_sum_of(&a, all, 1, &before);
	assert_int_equal(sum.counts[VJOB_FAILED], TASKS / 2);
}

/*
 * Jobs of others have every second number, so the pod has no room for all ids; each task
 * was seen when it had succeeded, and none was cancelled.
 */
/* Acceptance: vnode-31 */
static void test_of_a_long_list_no_task_is_missing(void **state)
{
	(void)state;
	enum { ALL = 2000, AT_ONCE = 100 };
	struct arena a AUTO(arena_free) = { 0 };
	struct vjob_before before = { "", "", 0 };
	struct vjob_sum sum = { 0 };
	for (int done = AT_ONCE; done <= ALL; done += AT_ONCE / 2) {
		struct slurm_job_shown *shown = arena_array(&a, struct slurm_job_shown,
			AT_ONCE + 1);
		size_t n = 0;
		for (int i = done - AT_ONCE; i < done; i++)
			shown[n++] = (struct slurm_job_shown)TASKS(1001 + 2 * i, "COMPLETED",
				arena_printf(&a, "%d", i));
		if (done < ALL)
			shown[n++] = (struct slurm_job_shown)TASKS(1, "PENDING",
				arena_printf(&a, "%d-%d", done, ALL - 1));
		sum = summed(&a, &before, shown, n);
	}
	assert_non_null(strstr(before.ended, ",..."));
	assert_null(strstr(before.counts, "missing"));
	assert_int_equal(sum.phase, VJOB_SUCCEEDED);
}

static void test_an_array_waits_only_while_no_task_has_begun(void **state)
{
	(void)state;
	struct arena a AUTO(arena_free) = { 0 };
	const struct slurm_job_shown one[] = { TASK("PENDING"), TASK("COMPLETED") };
	const struct vjob_before nothing = { "", "" };
	assert_int_equal(vjob_sum_of(&a, one, 1, &nothing).phase, VJOB_PENDING);
	assert_int_equal(vjob_sum_of(&a, one, 2, &nothing).phase, VJOB_RUNNING);
	assert_false(vjobs_ended(one, 2));
	assert_true(vjobs_ended(one + 1, 1));
}

/* ---- names ---- */

/* Acceptance: vnode-23, word-20 */
static void test_a_name_is_legal_and_no_two_partitions_share_one(void **state)
{
	(void)state;
	struct arena a AUTO(arena_free) = { 0 };
	static const char *const partitions[] = { "debug", "Debug", "gpu_big", "gpu.big", "gpu-big",
		"gpu-", "",
		"a-very-long-name-of-a-partition-that-does-not-fit-into-the-name-of-a-node",
		"a-very-long-name-of-a-partition-that-does-not-fit-into-the-name-of-a-nodf" };
	assert_string_equal(vnode_name(&a, "hpc", "debug"), "slurm-hpc-debug");
	assert_string_equal(vnode_name(&a, "hpc", "gpu-big"), "slurm-hpc-gpu-big");
	for (size_t i = 0; i < LENGTH(partitions); i++) {
		const char *name = vnode_name(&a, "hpc", partitions[i]);
		if (!is_dns_label(name))
			fail_msg("%s is no name", name);
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(name, vnode_name(&a, "hpc", partitions[k]));
	}
}

/* ---- patches ---- */

static void test_what_the_api_server_adds_is_no_difference(void **state)
{
	(void)state;
	struct arena a AUTO(arena_free) = { 0 };
	static const struct {
		const char *old, *new;
		bool same;
	} rows[] = {
		{ "{\"a\":1,\"b\":2}", "{\"a\":1}", true },
		{ "{\"a\":[{\"x\":\"1\",\"y\":null}]}", "{\"a\":[{\"x\":\"1\",\"z\":\"\"}]}",
			true },
		{ "{\"a\":[1,2]}", "{\"a\":[1]}", false },
		{ "{}", "{\"a\":null,\"b\":\"\",\"c\":{}}", true },
		{ "{\"a\":1}", "{\"a\":null}", false },
		{ "{\"a\":\"x\"}", "{\"a\":\"\"}", false },
		{ "{}", "{\"a\":false}", false },
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		const struct json *old = json_parse_in(&a, rows[i].old, strlen(rows[i].old), 1000);
		const struct json *new = json_parse_in(&a, rows[i].new, strlen(rows[i].new), 1000);
		if (vnode_says(old, new) != rows[i].same)
			fail_msg("%s, %s", rows[i].old, rows[i].new);
	}
}

/* ---- whose pod it is ---- */

static const struct json *pod_with(struct arena *a, const char *name, const char *owner)
{
	const char *text = arena_printf(a,
		"{\"metadata\":{\"name\":\"%s\",\"ownerReferences\":[%s]}}", name, owner);
	return json_parse_in(a, text, strlen(text), 10000);
}

/* Acceptance: vnode-2, V29 */
static void test_only_jobs_of_our_groups_are_submitted(void **state)
{
	(void)state;
	struct arena a AUTO(arena_free) = { 0 };
#define OWNER(version, kind, controls)                                                        \
	"{\"apiVersion\":\"" version "\",\"kind\":\"" kind "\",\"name\":\"a\",\"uid\":\"u\"," \
	"\"controller\":" controls "}"
	static const struct {
		const char *name, *owner, *key;
	} rows[] = {
		{ "a-job", OWNER("wlm.sylabs.io/v1alpha1", "SlurmJob", "true"), "u" },
		{ "a-wlm-job", OWNER("wlm.sylabs.io/v2", "WlmJob", "true"), "u" },
		{ "a-job", OWNER("wlm.sylabs.io/v1alpha1", "SlurmJob", "false"), "" },
		{ "a-job", OWNER("slurm.sylabs.io/v1alpha1", "SlurmJob", "true"), "u" },
		{ "a-wlm-job", OWNER("slurm.sylabs.io/v1alpha1", "WlmJob", "true"), "" },
		{ "a-job", OWNER("example.com/v1alpha1", "SlurmJob", "true"), "" },
		{ "a-job", OWNER("slinky.slurm.net/v1alpha1", "SlurmJob", "true"), "" },
		{ "a-job", OWNER("wlm.sylabs.io.example.com/v1", "SlurmJob", "true"), "" },
		{ "a-job", OWNER("xslurm.sylabs.io/v1alpha1", "SlurmJob", "true"), "" },
		{ "a-job", OWNER("slurm.sylabs.io", "SlurmJob", "true"), "" },
		{ "a-job", OWNER("slinky.slurm.net/v1alpha1", "NodeSet", "true"), "" },
		{ "a-job", OWNER("apps/v1", "DaemonSet", "true"), "" },
		{ "a-job", OWNER("v1", "SlurmJob", "true"), "" },
		{ "a-job", "", "" },
		/* the pod that copies results, and copies: their deletion ends no job */
		{ "a-job-collect", OWNER("wlm.sylabs.io/v1alpha1", "SlurmJob", "true"), "" },
		{ "a-job-2", OWNER("wlm.sylabs.io/v1alpha1", "SlurmJob", "true"), "" },
		{ "b-job", OWNER("wlm.sylabs.io/v1alpha1", "SlurmJob", "true"), "" },
		{ "a-job", OWNER("wlm.sylabs.io/v1alpha1", "WlmJob", "true"), "" },
	};
	for (size_t i = 0; i < LENGTH(rows); i++)
		assert_string_equal(vpod_wanted_key(pod_with(&a, rows[i].name, rows[i].owner)),
			rows[i].key);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_word_of_slurm_has_its_phase),
		cmocka_unit_test(test_what_nobody_knows_has_not_ended),
		cmocka_unit_test(test_the_exit_code_is_that_of_the_exit_or_of_the_signal),
		cmocka_unit_test(test_a_task_that_has_failed_stays_failed_when_it_is_forgotten),
		cmocka_unit_test(test_a_task_that_was_requeued_has_not_failed),
		cmocka_unit_test(test_tasks_that_are_cancelled_while_they_wait_are_missed),
		cmocka_unit_test(test_tasks_of_the_script_that_slurm_never_showed_are_missed),
		cmocka_unit_test(test_a_record_of_several_cancelled_tasks_counts_each),
		cmocka_unit_test(test_tasks_that_are_shown_again_are_missed_no_more),
		cmocka_unit_test(test_of_an_unknown_number_of_tasks_none_is_missed),
		cmocka_unit_test(test_what_an_older_one_has_counted_counts_for_good),
		cmocka_unit_test(test_what_is_no_list_of_ids_is_none),
		cmocka_unit_test(test_of_a_long_list_the_number_is_kept),
		cmocka_unit_test(test_what_an_older_one_counted_in_between_counts),
		cmocka_unit_test(test_a_hostile_list_takes_little_memory),
		cmocka_unit_test(test_of_a_long_list_no_task_is_missing),
		cmocka_unit_test(test_an_array_waits_only_while_no_task_has_begun),
		cmocka_unit_test(test_a_name_is_legal_and_no_two_partitions_share_one),
		cmocka_unit_test(test_what_the_api_server_adds_is_no_difference),
		cmocka_unit_test(test_only_jobs_of_our_groups_are_submitted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
