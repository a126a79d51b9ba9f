/* SPDX-License-Identifier: Apache-2.0 */
/* A pod is ready only while its job runs, and says how that ended, when and why. */
#include "lib/vnode_world.h"

#define W struct vnode_world *w = *state

/* V8: each word that is an end. */
/* Acceptance: vnode-4, V8 */
static void test_each_end_is_told_with_its_word(void **state)
{
	W;
	static const char *const words[] = { "FAILED", "TIMEOUT", "OUT_OF_MEMORY", "NODE_FAIL",
		"BOOT_FAIL", "DEADLINE", "PREEMPTED" };
	for (size_t i = 0; i < LENGTH(words); i++) {
		char name[16];
		snprintf(name, sizeof(name), "j%zu", i);
		given_a_job(w, name, "SlurmJob");
		when_time_passed(w, 2000);
		slurm_job(w, name)->state = words[i];
		when_time_passed(w, 6000);
		then_phase(w, name, "Failed");
		assert_string_equal(pod_text(w, name,
					    "status.containerStatuses.0.state.terminated.reason"),
			words[i]);
	}
}

/* "False False" of ContainersReady and Ready, and of the container. */
static void then_is_not_ready(struct vnode_world *w, const char *name)
{
	static const char *const types[] = { "\"ContainersReady\"", "\"Ready\"" };
	AUTO(own_free) char *pod = pod_json(w, name);
	for (size_t i = 0; i < LENGTH(types); i++) {
		const char *at = strstr(pod, types[i]);
		assert_non_null(at);
		assert_true(str_has_prefix(strstr(at, "\"status\":"), "\"status\":\"False\""));
	}
	assert_non_null(strstr(pod, "\"ready\":false"));
	assert_null(strstr(pod, "\"ready\":true"));
}

/* V7 */
/* Acceptance: V7 */
static void test_a_job_that_is_held_is_neither_running_nor_ready(void **state)
{
	W;
	given_a_job(w, "cow", "SlurmJob");
	when_time_passed(w, 2000);
	slurm_job(w, "cow")->reason = "JobHeldUser";
	when_time_passed(w, 60000);
	then_phase(w, "cow", "Pending");
	assert_string_equal(pod_text(w, "cow", "status.containerStatuses.0.state.waiting.reason"),
		"JobHeldUser");
	then_is_not_ready(w, "cow");
}

/* V9 */
/* Acceptance: vnode-4, V9 */
static void test_the_exit_code_is_that_of_the_job(void **state)
{
	W;
	given_a_job(w, "cow", "SlurmJob");
	when_time_passed(w, 2000);
	slurm_job(w, "cow")->state = "FAILED";
	slurm_job(w, "cow")->exit_code = "7:0";
	slurm_job(w, "cow")->start_s = 1767225660;
	slurm_job(w, "cow")->end_s = 1767225700;
	when_time_passed(w, 6000);
#define ENDED "status.containerStatuses.0.state.terminated."
	assert_string_equal(pod_text(w, "cow", ENDED "exitCode"), "7");
	assert_string_equal(pod_text(w, "cow", ENDED "reason"), "FAILED");
	assert_string_equal(pod_text(w, "cow", ENDED "startedAt"), "2026-01-01T00:01:00Z");
	assert_string_equal(pod_text(w, "cow", ENDED "finishedAt"), "2026-01-01T00:01:40Z");
	then_is_not_ready(w, "cow");
}

/* Slurm reports 0:53 when slurmd cannot open a working directory or an output file. */
static void test_a_directory_that_is_missing_is_named_as_the_cause(void **state)
{
	W;
	given_a_job(w, "cow", "SlurmJob");
	when_time_passed(w, 2000);
	slurm_job(w, "cow")->state = "FAILED";
	slurm_job(w, "cow")->exit_code = "0:53";
	when_time_passed(w, 6000);
	assert_string_equal(pod_text(w, "cow", ENDED "exitCode"), "181");
	assert_non_null(strstr(pod_text(w, "cow", ENDED "message"),
		": its working directory or its output file /home/a/slurm.out could not be opened "
		"on the node"));
}

/* Fault 19: a requeue left no trace. */
/* Acceptance: vnode-30 */
static void test_requeues_are_counted_as_restarts(void **state)
{
	W;
	given_a_running_job(w);
	slurm_job(w, "cow")->restarts = "2";
	when_time_passed(w, 6000);
	char *pod AUTO(own_free) = pod_json(w, "cow");
	assert_non_null(strstr(pod, "\"restartCount\":2"));
}

static void test_another_signal_names_no_cause(void **state)
{
	W;
	given_a_job(w, "cow", "SlurmJob");
	when_time_passed(w, 2000);
	slurm_job(w, "cow")->state = "FAILED";
	slurm_job(w, "cow")->exit_code = "0:9";
	when_time_passed(w, 6000);
	assert_null(strstr(pod_text(w, "cow", ENDED "message"), "could not be opened"));
}

/* Fault 4: it was told in an Event alone, which goes after an hour. */
/* Acceptance: vnode-30 */
static void test_why_a_submission_waits_stands_in_the_pod(void **state)
{
	W;
	w->submit_fails = ERR_RETRY;
	given_a_job(w, "cow", "SlurmJob");
	when_time_passed(w, 10000);
	assert_true(event_was_told(w, "SubmissionDelayed"));
	then_phase(w, "cow", "Pending");
	char *pod AUTO(own_free) = pod_json(w, "cow");
	assert_non_null(strstr(pod,
		"\"waiting\":{\"reason\":\"SubmissionDelayed\",\"message\":\""));
	/* Written once, while it stays the same. */
	int writes = w->pod_writes;
	when_time_passed(w, 600000);
	assert_int_equal(w->pod_writes, writes);
	/* The pod goes when Slurm has the job. */
	w->submit_fails = ERR_NONE;
	when_time_passed(w, 40000);
	assert_int_equal(w->sbatches, 1);
	char *later AUTO(own_free) = pod_json(w, "cow");
	assert_null(strstr(later, "SubmissionDelayed"));
}

/* A red-box that starts anew is no news. */
static void test_one_failure_is_not_written(void **state)
{
	W;
	w->submit_fails = ERR_RETRY;
	given_a_job(w, "cow", "SlurmJob");
	when_time_passed(w, 500);
	w->submit_fails = ERR_NONE;
	when_time_passed(w, 5000);
	char *pod AUTO(own_free) = pod_json(w, "cow");
	assert_null(strstr(pod, "SubmissionDelayed"));
	assert_int_equal(w->sbatches, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		VNODE_TEST(test_each_end_is_told_with_its_word),
		VNODE_TEST(test_a_job_that_is_held_is_neither_running_nor_ready),
		VNODE_TEST(test_the_exit_code_is_that_of_the_job),
		VNODE_TEST(test_a_directory_that_is_missing_is_named_as_the_cause),
		VNODE_TEST(test_requeues_are_counted_as_restarts),
		VNODE_TEST(test_another_signal_names_no_cause),
		VNODE_TEST(test_why_a_submission_waits_stands_in_the_pod),
		VNODE_TEST(test_one_failure_is_not_written),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
