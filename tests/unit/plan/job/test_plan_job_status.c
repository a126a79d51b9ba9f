/* SPDX-License-Identifier: Apache-2.0 */
/* The status of a SlurmJob: that of its pod, once, and how it ended. */
#include "lib/given_job.h"
#include "object/condition.h"

/* Acceptance: job-6 */
static void test_the_status_is_the_phase_of_the_pod_word_for_word(void **state)
{
	(void)state;
	static const struct {
		enum pod_phase phase;
		const char *word;
	} rows[] = {
		{ POD_EMPTY, "Pending" },
		{ POD_PENDING, "Pending" },
		{ POD_RUNNING, "Running" },
		{ POD_SUCCEEDED, "Succeeded" },
		{ POD_FAILED, "Failed" },
		{ POD_PHASE_UNKNOWN, "Unknown" },
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		JOB(w);
		given_job(&w, JOB_KEPT, "");
		given_job_pod(&w, rows[i].phase);
		when_job_published(&w);
		then_nothing(&w.g);
		assert_string_equal(job_status(&w, "status"), rows[i].word);
		assert_string_equal(job_status(&w, "phase"), rows[i].word);
	}
}

/* Acceptance: job-6, V7 */
static void test_a_job_that_waits_has_the_reason_of_slurm(void **state)
{
	(void)state;
	JOB(w);
	given_job(&w, JOB_KEPT, "");
	given_job_pod(&w, POD_PENDING)->reason = "Resources";
	w.pod.why = "Resources: it waits for nodes";
	when_job_published(&w);
	assert_string_equal(job_status(&w, "reason"), "Resources");
	then_condition(&w.g, "Ended", "False", "Waiting");
	then_says(&w.g, "Ended", "it waits for nodes");
	w.pod.phase = POD_RUNNING;
	w.pod.reason = w.pod.why = "";
	when_job_published(&w);
	assert_string_equal(job_status(&w, "reason"), "");
	then_condition(&w.g, "Ended", "False", "Running");
}

static void test_what_no_virtual_node_has_says_why_it_is_not_scheduled(void **state)
{
	(void)state;
	JOB(w);
	given_job(&w, JOB_KEPT, "");
	given_job_pod(&w, POD_PENDING)->node_name = "";
	when_job_published(&w);
	then_says(&w.g, "Ended", "its pod waits for a virtual node");
	w.pod.why = "Unschedulable: 0/3 nodes are available";
	when_job_published(&w);
	then_says(&w.g, "Ended", "0/3 nodes are available");
}

/* Acceptance: job-6, V8 */
static void test_how_it_ended_is_told(void **state)
{
	(void)state;
	JOB(w);
	given_job(&w, JOB_KEPT, "");
	given_job_pod(&w, POD_FAILED)->exit_code = 7;
	w.pod.reason = "TIMEOUT";
	w.pod.message = "over its limit";
	w.pod.begun_ms = GIVEN_WALL_MS;
	w.pod.ended_ms = GIVEN_WALL_MS + 5000;
	when_job_planned(&w);
	assert_int_equal(events_of(&w.g, "Failed"), 1);
	when_job_published(&w);
	assert_int_equal(json_i64(json_at(w.g.object, "status", "exitCode"), -1), 7);
	assert_string_equal(job_status(&w, "reason"), "TIMEOUT");
	assert_string_equal(job_status(&w, "startTime"), "2026-01-01T00:00:00Z");
	assert_string_equal(job_status(&w, "endTime"), "2026-01-01T00:00:05Z");
	then_condition(&w.g, "Ended", "True", "Failed");
	then_says(&w.g, "Ended", "TIMEOUT, exit code 7: over its limit");
	then_nothing(&w.g);
}

/* Acceptance: job-7, V35 */
static void test_what_the_virtual_node_says_of_the_job_is_shown(void **state)
{
	(void)state;
	JOB(w);
	given_job(&w, JOB_KEPT, "");
	given_job_pod(&w, POD_RUNNING);
	given_job_annotation(&w, ANNOTATION_JOB_ID, "42");
	given_job_annotation(&w, ANNOTATION_JOB_NODES, "node[1-4]");
	given_job_annotation(&w, ANNOTATION_JOB_STATE, "RUNNING");
	given_job_annotation(&w, ANNOTATION_JOB_SUBMITTED, "2025-12-31T23:00:00Z");
	given_job_annotation(&w, ANNOTATION_JOB_ARRAY, "pending=3,running=12,failed=0");
	when_job_planned(&w);
	assert_int_equal(events_of(&w.g, "Submitted"), 1);
	when_job_published(&w);
	assert_int_equal(events_of(&w.g, "Submitted"), 0);
	assert_string_equal(job_status(&w, "jobId"), "42");
	assert_string_equal(job_status(&w, "nodeList"), "node[1-4]");
	assert_string_equal(job_status(&w, "slurmState"), "RUNNING");
	assert_string_equal(job_status(&w, "submitTime"), "2025-12-31T23:00:00Z");
	const struct json *array = json_at(w.g.object, "status", "array");
	assert_int_equal(json_i64(json_get(array, "pending"), -1), 3);
	assert_int_equal(json_i64(json_get(array, "running"), -1), 12);
	assert_int_equal(json_i64(json_get(array, "failed"), -1), 0);
	assert_null(json_get(array, "succeeded"));
	w.pod.n_annotations = 0; /* what was known stays */
	when_job_planned(&w);
	then_nothing(&w.g);
}

/* Fault 9: while the array goes on they may only be forgotten. */
/* Acceptance: vnode-31 */
static void test_missing_tasks_of_an_array_that_has_ended_have_failed(void **state)
{
	(void)state;
	static const struct {
		enum pod_phase phase;
		int64_t failed;
	} rows[] = { { POD_RUNNING, 1 }, { POD_FAILED, 9 } };
	for (size_t i = 0; i < LENGTH(rows); i++) {
		JOB(w);
		given_job(&w, JOB_KEPT, "");
		given_job_pod(&w, rows[i].phase);
		given_job_annotation(&w, ANNOTATION_JOB_ID, "42");
		given_job_annotation(&w, ANNOTATION_JOB_ARRAY,
			"pending=0,running=0,succeeded=2,failed=1,missing=8");
		when_job_published(&w);
		const struct json *array = json_at(w.g.object, "status", "array");
		assert_int_equal(json_i64(json_get(array, "failed"), -1), rows[i].failed);
		assert_int_equal(json_i64(json_get(array, "succeeded"), -1), 2);
	}
}

/* A user who may patch pods may write anything there. */
/* Acceptance: job-7 */
static void test_bad_input_of_annotations_only_what_is_meant_is_taken(void **state)
{
	(void)state;
	static const char *const counts[] = { "", "pending", "pending=", "pending=x,,=", "=1",
		"pending=99999999999999999999999", "pendings=1", "pending=-1" };
	for (size_t i = 0; i < LENGTH(counts); i++) {
		JOB(w);
		given_job(&w, JOB_KEPT, "");
		given_job_pod(&w, POD_RUNNING);
		given_job_annotation(&w, ANNOTATION_JOB_ARRAY, counts[i]);
		given_job_annotation(&w, ANNOTATION_JOB_SUBMITTED, "yesterday");
		given_job_annotation(&w, ANNOTATION_JOB_ID, "4\n2");
		when_job_published(&w);
		assert_null(json_at(w.g.object, "status", "array"));
		assert_string_equal(job_status(&w, "submitTime"), "");
		assert_string_equal(job_status(&w, "jobId"), "4 2");
	}
}

/* A manager that is started again finds the status as it is, and tells nothing twice. */
/* Acceptance: job-9, V35 */
static void test_each_event_is_told_once(void **state)
{
	(void)state;
	static const struct {
		enum pod_phase phase;
		const char *event;
	} rows[] = { { POD_RUNNING, "Started" }, { POD_SUCCEEDED, "Succeeded" } };
	JOB(w);
	given_job(&w, JOB_KEPT, "");
	given_job_pod(&w, POD_PENDING);
	when_job_planned(&w);
	then_no(&w.g, DO(TELL, EVENT), NULL);
	when_job_published(&w);
	for (size_t i = 0; i < LENGTH(rows); i++) {
		w.pod.phase = rows[i].phase;
		when_job_planned(&w);
		assert_int_equal(events_of(&w.g, rows[i].event), 1);
		assert_true(then(&w.g, DO(TELL, EVENT), "cow")->with_status);
		when_job_published(&w);
		then_nothing(&w.g);
	}
}

static void test_conditions_of_others_stay(void **state)
{
	(void)state;
	JOB(w);
	given_job(&w, JOB_KEPT,
		"\"status\":{\"status\":\"Running\",\"conditions\":[{\"type\":\"Mine\",\"status\":"
		"\"True\"}]}");
	given_job_pod(&w, POD_RUNNING);
	when_job_published(&w);
	then_condition(&w.g, "Mine", "True", "");
	then_condition(&w.g, "PodMade", "True", "PodMade");
}

/* The pods of the operator that was there before are as good as our own. */
/* Acceptance: job-15 */
static void test_a_job_of_the_operator_before_is_taken_over(void **state)
{
	(void)state;
	JOB(w);
	given_job(&w, "", JOB_NOTED("Running"));
	given_job_pod(&w, POD_RUNNING);
	when_job_planned(&w);
	when_applied(&w.g, then(&w.g, DO(PATCH, SLURMJOB), "cow"));
	then_no(&w.g, DO(CREATE, POD), NULL);
	when_job_published(&w);
	then_nothing(&w.g);
}

static void test_counts_that_become_fewer_are_written_once(void **state)
{
	(void)state;
	JOB(w);
	given_job(&w, JOB_KEPT, "");
	given_job_pod(&w, POD_RUNNING);
	given_job_annotation(&w, "wlm.sylabs.io/array-counts", "pending=3,running=1");
	when_job_published(&w);
	w.pod.n_annotations = 0;
	given_job_annotation(&w, "wlm.sylabs.io/array-counts", "running=4");
	when_job_published(&w);
	then_nothing(&w.g);
}

#define T(name) cmocka_unit_test(name)
int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_counts_that_become_fewer_are_written_once),
		T(test_the_status_is_the_phase_of_the_pod_word_for_word),
		T(test_a_job_that_waits_has_the_reason_of_slurm),
		T(test_what_no_virtual_node_has_says_why_it_is_not_scheduled),
		T(test_how_it_ended_is_told),
		T(test_what_the_virtual_node_says_of_the_job_is_shown),
		T(test_missing_tasks_of_an_array_that_has_ended_have_failed),
		T(test_bad_input_of_annotations_only_what_is_meant_is_taken),
		T(test_each_event_is_told_once),
		T(test_conditions_of_others_stay),
		T(test_a_job_of_the_operator_before_is_taken_over),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
