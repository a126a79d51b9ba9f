/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A SlurmJob or WlmJob has one pod ever: when it is made, when it may go, and when the
 * object may.
 */
#include "lib/given_job.h"
#include "object/condition.h"

static void test_the_finalizer_comes_before_the_pod(void **state)
{
	(void)state;
	JOB(w);
	given_job(&w, "", "");
	when_job_planned(&w);
	const struct action *a = then(&w.g, DO(PATCH, SLURMJOB), "cow");
	assert_non_null(strstr(a->body, FINALIZER_JOB));
	then_no(&w.g, DO(CREATE, POD), NULL);
	when_applied(&w.g, a);
	when_job_planned(&w);
	then(&w.g, DO(CREATE, POD), "cow-job");
}

static void test_the_pod_is_made_only_after_its_job_was_read_once_more(void **state)
{
	(void)state;
	JOB(w);
	given_job(&w, JOB_KEPT, "");
	when_job_planned(&w);
	const struct action *a = then(&w.g, DO(CREATE, POD), "cow-job");
	assert_int_equal(a->guard.read, READ_PLANNED);
	assert_string_equal(a->guard.uid, "job");
	assert_string_equal(a->guard.resource_version, "7");
	assert_non_null(strstr(a->body, FINALIZER_UNREPORTED));
}

static void test_a_wlmjob_has_a_pod_of_its_own_name(void **state)
{
	(void)state;
	JOB(w);
	given_job_spec(&w, "\"image\":\"library://cow\"", JOB_KEPT, "");
	when_job_planned(&w);
	then(&w.g, DO(CREATE, POD), "cow-wlm-job");
}

/* The original ran a job again that had ended, after a user deleted its pod. */
/* Acceptance: job-3 */
static void test_what_has_had_a_pod_never_gets_another_one(void **state)
{
	(void)state;
	static const char *const phases[] = { "Pending", "Running", "Succeeded", "Failed",
		"Unknown" };
	for (size_t i = 0; i < LENGTH(phases); i++) {
		JOB(w);
		given_job(&w, JOB_KEPT, "");
		given_edited(&w.g,
			arena_printf(&w.g.arena, "{\"status\":{\"status\":\"%s\"}}", phases[i]));
		when_job_planned(&w);
		then_no(&w.g, DO(CREATE, POD), NULL);
		when_job_published(&w);
		then_nothing(&w.g);
	}
}

static void test_nothing_is_made_while_something_is_under_way_or_not_known(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++) {
		JOB(w);
		given_job(&w, JOB_KEPT, "");
		w.view.in_flight = i == 0;
		w.view.pod_overtaken = i == 1;
		w.view.pods_known = i != 2;
		if (i == 3)
			given_job_pod(&w, POD_EMPTY)->in_flight = true;
		when_job_planned(&w);
		then_nothing(&w.g);
	}
}

/* Until the status knows of it, it cannot go: so it is not made again. */
/* Acceptance: job-3 */
static void test_a_new_pod_is_told_before_it_may_go(void **state)
{
	(void)state;
	JOB(w);
	given_job(&w, JOB_KEPT, "");
	given_job_pod(&w, POD_PENDING)->unreported_at = 1;
	when_job_planned(&w);
	then_no(&w.g, DO(PATCH, POD), NULL);
	when_job_published(&w);
	assert_string_equal(job_status(&w, "status"), "Pending");
	const struct action *a = then(&w.g, DO(PATCH, POD), "cow-job");
	assert_non_null(strstr(a->body, "{\"op\":\"remove\",\"path\":\"/metadata/finalizers/1\"}"));
	assert_non_null(strstr(a->body, "\"/metadata/resourceVersion\",\"value\":\"11\""));
	w.pod.unreported_at = -1;
	when_job_planned(&w);
	then_nothing(&w.g);
}

/* SlurmJob a-wlm and WlmJob a want the same pod; the original took the one it found. */
/* Acceptance: job-4 */
static void test_a_pod_of_others_is_never_taken_over(void **state)
{
	(void)state;
	JOB(w);
	given_job(&w, JOB_KEPT, "");
	given_job_pod(&w, POD_RUNNING)->controller = (struct owner_fact){ "SlurmJob", "cow",
		"an older one", true, RES_SLURMJOB };
	when_job_published(&w);
	then_nothing(&w.g);
	then_condition(&w.g, "PodMade", "False", "NameTaken");
	then_says(&w.g, "PodMade", "pod cow-job is there and is not of this SlurmJob");
	assert_string_equal(job_status(&w, "status"), "");
	assert_int_equal(w.g.plan.again_in_ms, 30000);
	w.view.pod = NULL;
	when_job_planned(&w);
	then(&w.g, DO(CREATE, POD), "cow-job");
}

/* Acceptance: job-4 */
static void test_a_pod_without_an_owner_is_not_taken_over_either(void **state)
{
	(void)state;
	JOB(w);
	given_job(&w, JOB_KEPT, "");
	given_job_pod(&w, POD_RUNNING)->controller = (struct owner_fact){ "", "", "", false };
	when_job_published(&w);
	then_condition(&w.g, "PodMade", "False", "NameTaken");
	w.pod.unreported_at = 0;
	when_job_planned(&w);
	then_nothing(&w.g);
}

/* Acceptance: job-8 */
static void test_a_pod_that_went_before_its_end_is_told_and_not_made_again(void **state)
{
	(void)state;
	JOB(w);
	given_job(&w, JOB_KEPT, "\"status\":{\"status\":\"Running\",\"jobId\":\"42\"}");
	when_job_planned(&w);
	assert_int_equal(events_of(&w.g, "PodLost"), 1);
	when_job_published(&w);
	then_nothing(&w.g);
	then_condition(&w.g, "Ended", "Unknown", "PodLost");
	then_says(&w.g, "Ended", "in Slurm it is job 42; it is not submitted again");
	assert_string_equal(job_status(&w, "status"),
		"Failed"); /* who waits for that waits no more */
	assert_string_equal(job_status(&w, "phase"), "Unknown");
}

static void test_a_pod_that_went_after_its_end_changes_nothing(void **state)
{
	(void)state;
	JOB(w);
	given_job(&w, JOB_KEPT, "");
	given_job_pod(&w, POD_SUCCEEDED)->exit_code = 0;
	when_job_published(&w);
	w.view.pod = NULL;
	when_job_planned(&w);
	then_nothing(&w.g);
	assert_string_equal(job_status(&w, "phase"), "Succeeded");
	then_condition(&w.g, "Ended", "True", "Succeeded");
}

/* ---- what cannot be ---- */

enum { NAME_MOST = 241 };

static const struct {
	const char *spec, *reason, *part;
} faults[] = {
	{ "\"batch\":\"#!/bin/sh\\n#SBATCH --time=foo\\n\"", "InvalidScript", "line 2" },
	{ "\"batch\":\"hostname\"", "InvalidScript", "line 1" },
	{ "\"batch\":\"#!/bin/sh\\nhostname\\n\\u0000srun x\\n\"", "InvalidScript",
		"spec.batch: line 3: it has a NUL byte" },
	{ "\"batch\":\"#!/bin/sh\\u0000\"", "InvalidScript", "line 1: it has a NUL byte" },
	{ "\"batch\":\"#!/bin/sh\\r\\nhostname\\r\\n\"", "InvalidScript",
		"line 1: it ends with CR LF" },
	{ "\"image\":\"\"", "InvalidImage", "spec.image is empty" },
	{ "\"image\":\"x\",\"resources\":{\"nodes\":-1}", "InvalidResources",
		"spec.resources.nodes" },
	{ "\"batch\":\"#!/bin/sh\",\"nodeSelector\":{\"cuda\":[]}", "InvalidNodeSelector",
		"of cuda in spec.nodeSelector is neither a text nor a whole number" },
	{ "\"batch\":\"#!/bin/sh\",\"results\":{\"mount\":{\"name\":\"red-box-sock\"}}",
		"InvalidVolume", "choose another name" },
	{ "\"batch\":\"#!/bin/sh\",\"results\":{\"mount\":{\"name\":\"results-token\"}}",
		"InvalidVolume", "choose another name" },
	{ "\"batch\":\"#!/bin/sh\",\"prepare\":{\"mount\":{\"name\":\"A b\"}}", "InvalidVolume",
		"spec.prepare.mount.name" },
	{ "\"batch\":\"#!/bin/sh\",\"results\":{}", "InvalidResults",
		"spec.results.mount is missing" },
	{ JOB_RESULTS(",\"when\":\"Always\""), "InvalidResults",
		"spec.results.when is \"Always\", and must be Succeeded or Ended" },
	{ JOB_RESULTS(",\"layout\":1"), "InvalidResults",
		"spec.results.layout is \"\", and must be PerJob or Flat" },
	{ JOB_RESULTS(",\"from\":\".\""), "InvalidResults",
		"spec.results.from is \".\", and should end with the name of a file or folder" },
	{ JOB_RESULTS(",\"from\":\"/home/a/..//\""), "InvalidResults",
		"should end with the name of a file or folder" },
	{ JOB_RESULTS(",\"from\":\"/\""), "InvalidResults", "should end with the name" },
	{ "\"image\":\"x\",\"results\":{\"mount\":{\"name\":\"d\",\"hostPath\":{"
	  "\"path\":\"/etc\"}}}",
		"VolumeNotAllowed",
		"of the type hostPath; only volumes of these types are mounted" },
	{ "\"image\":\"x\",\"results\":{\"mount\":{\"name\":\"d\"}}", "VolumeNotAllowed",
		"names no type of a volume" },
};

/* Acceptance: job-5, job-13, V22, word-10, word-11 */
static void test_of_what_cannot_be_nothing_is_made_and_the_reason_is_told(void **state)
{
	(void)state;
	for (size_t i = 0; i < LENGTH(faults); i++) {
		JOB(w);
		given_job_spec(&w, faults[i].spec, JOB_KEPT, "");
		when_job_planned(&w);
		then_no(&w.g, DO(CREATE, POD), NULL);
		assert_int_equal(events_of(&w.g, faults[i].reason), 1);
		when_applied(&w.g,
			then(&w.g, (struct operation){ VERB_PATCH_STATUS, w.view.resource }, NULL));
		then_condition(&w.g, "Accepted", "False", faults[i].reason);
		then_says(&w.g, "Accepted", faults[i].part);
		assert_string_equal(job_status(&w, "phase"), "Failed");
		then_condition(&w.g, "Failed", "True", faults[i].reason);
		when_job_planned(&w);
		then_nothing(&w.g);
	}
}

/* The store keeps no script of what was refused: large ones would hold up others. */
static void test_a_refusal_stands_when_the_script_is_forgotten(void **state)
{
	(void)state;
	JOB(w);
	given_job_spec(&w, faults[0].spec, JOB_KEPT, "");
	when_job_published(&w);
	const char *said = arena_strdup(&w.g.arena, condition_member(&w.g, "Accepted", "message"));
	given_edited(&w.g, "{\"spec\":{\"batch\":null}}");
	w.view.object = w.g.object;
	when_job_planned(&w);
	then_nothing(&w.g);
	then_says(&w.g, "Accepted", said);
	given_edited(&w.g, "{\"metadata\":{\"generation\":2},\"spec\":{\"batch\":\"#!/bin/sh\"}}");
	when_job_planned(&w);
	then(&w.g, DO(CREATE, POD), "cow-job");
}

static void test_a_name_leaves_room_for_those_of_its_pods(void **state)
{
	(void)state;
	for (int more = 0; more < 2; more++) {
		JOB(w);
		given_job(&w, JOB_KEPT, "");
		given_edited(&w.g,
			arena_printf(&w.g.arena, "{\"metadata\":{\"name\":\"%0*d\"}}",
				NAME_MOST + more, 0));
		when_job_planned(&w);
		assert_int_equal(count_actions(&w.g, DO(CREATE, POD)), 1 - more);
		assert_int_equal(events_of(&w.g, "NameTooLong"), more);
	}
}

/* A value-less option at the end of a line ended the process of the original. */
/* Acceptance: job-5, word-6 */
static void test_directives_of_sbatch_are_no_faults(void **state)
{
	(void)state;
	static const char *const scripts[] = { "#SBATCH --exclusive", "#SBATCH -N 2 # nodes",
		"#SBATCH --mem=4G", "hostname", "# a comment\\n#SBATCH -N 3" };
	for (size_t i = 0; i < LENGTH(scripts); i++) {
		JOB(w);
		given_job_spec(&w,
			arena_printf(&w.g.arena, "\"batch\":\"#!/bin/sh\\n%s\\n\"", scripts[i]),
			JOB_KEPT, "");
		when_job_planned(&w);
		then(&w.g, DO(CREATE, POD), "cow-job");
	}
}

/* In their shape: comments that look like directives, numbers, host paths. */
static void test_specs_that_wlm_operator_took_are_taken(void **state)
{
	(void)state;
	static const char *const specs[] = {
		"\"batch\":\"#!/bin/sh\\n##SBATCH --nodes=1\\nsrun pull x\\n\","
		"\"nodeSelector\":{\"slurm.sylabs.io/containers\":\"singularity\"},"
		"\"results\":{\"mount\":{\"name\":\"data\",\"hostPath\":{\"path\":\"/home/"
		"job-results\",\"type\":\"DirectoryOrCreate\"}},\"from\":\"slurm-4.out\"}",
		"\"batch\":\"#!/bin/sh\\n#SBATCH --nodes=1 --cpus-per-task=1\\nsleep 60\\n\","
		"\"nodeSelector\":{\"wlm.sylabs.io/cuda\":10}",
		"\"batch\":\"#!/bin/bash\\n#SBATCH -J fox\\n#SBATCH -N 2 # total number of "
		"nodes\\n#SBATCH --time=00:30:00\\n\",\"results\":{\"mount\":{\"name\":\"nfs\","
		"\"nfs\":{\"server\":\"s\",\"path\":\"/p\"}},\"from\":\"fox.tar.gz\"}",
	};
	static const char *const volumes[] = { "hostPath", "nfs", NULL };
	const struct job_options options = { .volumes = volumes };
	for (size_t i = 0; i < LENGTH(specs); i++) {
		JOB(w);
		given_job_spec(&w, specs[i], JOB_KEPT, "");
		w.view.options = &options;
		when_job_planned(&w);
		then(&w.g, DO(CREATE, POD), "cow-job");
	}
}

static void test_of_a_namespace_without_room_nothing_is_made(void **state)
{
	(void)state;
	JOB(w);
	given_job(&w, JOB_KEPT, "");
	w.view.in_short = true;
	when_job_published(&w);
	then_nothing(&w.g);
	then_condition(&w.g, "Accepted", "False", "NamespaceTooLarge");
}

/* Another version of the operator does not judge a running job again. */
static void test_what_has_a_pod_has_no_fault(void **state)
{
	(void)state;
	JOB(w);
	given_job_spec(&w, "\"batch\":\"#!/bin/sh\\n#SBATCH --time=foo\\n\"", JOB_KEPT,
		JOB_NOTED("Running"));
	given_job_pod(&w, POD_RUNNING);
	when_job_published(&w);
	then_condition(&w.g, "Accepted", "True", "Accepted");
}

static void test_a_pod_that_is_refused_is_told(void **state)
{
	(void)state;
	JOB(w);
	const struct failing_action failing = { DO(CREATE, POD), ERR_DENIED, "cow-job",
		"exceeded quota" };
	given_job(&w, JOB_KEPT, "");
	w.view.failing = &failing;
	w.view.n_failing = 1;
	when_job_published(&w);
	then(&w.g, DO(CREATE, POD), "cow-job");
	then_condition(&w.g, "PodMade", "False", "NotMade");
	then_says(&w.g, "PodMade", "exceeded quota");
}

/* The object before had this name, and went without its finalizers. */
static void test_a_held_pod_of_the_object_before_goes(void **state)
{
	(void)state;
	JOB(w);
	given_job(&w, JOB_KEPT, "");
	given_job_pod(&w, POD_PENDING)->controller = (struct owner_fact){ "SlurmJob", "cow",
		"an older one", true, RES_SLURMJOB };
	w.pod.terminating = true;
	w.pod.unreported_at = 0;
	when_job_planned(&w);
	const struct action *a = then(&w.g, DO(PATCH, POD), "cow-job");
	assert_int_equal(a->guard.read, READ_PLANNED);
	assert_string_equal(a->guard.uid, "job");
	assert_non_null(strstr(a->body, "/metadata/finalizers/0"));
}

/* The outcome of the creation of another object wakes no object here. */
static void test_while_the_name_is_being_taken_it_is_looked_at_again(void **state)
{
	(void)state;
	JOB(w);
	given_job(&w, JOB_KEPT, "");
	given_job_pod(&w, POD_EMPTY)->controller = (struct owner_fact){ "WlmJob", "c", "wlm",
		true };
	w.pod.in_flight = true;
	when_job_planned(&w);
	then_nothing(&w.g);
	assert_int_equal(w.g.plan.again_in_ms, 30000);
}

#define T(name) cmocka_unit_test(name)
int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_a_held_pod_of_the_object_before_goes),
		T(test_while_the_name_is_being_taken_it_is_looked_at_again),
		T(test_the_finalizer_comes_before_the_pod),
		T(test_the_pod_is_made_only_after_its_job_was_read_once_more),
		T(test_a_wlmjob_has_a_pod_of_its_own_name),
		T(test_what_has_had_a_pod_never_gets_another_one),
		T(test_nothing_is_made_while_something_is_under_way_or_not_known),
		T(test_a_new_pod_is_told_before_it_may_go),
		T(test_a_pod_of_others_is_never_taken_over),
		T(test_a_pod_without_an_owner_is_not_taken_over_either),
		T(test_a_pod_that_went_before_its_end_is_told_and_not_made_again),
		T(test_a_pod_that_went_after_its_end_changes_nothing),
		T(test_of_what_cannot_be_nothing_is_made_and_the_reason_is_told),
		T(test_a_refusal_stands_when_the_script_is_forgotten),
		T(test_a_name_leaves_room_for_those_of_its_pods),
		T(test_directives_of_sbatch_are_no_faults),
		T(test_specs_that_wlm_operator_took_are_taken),
		T(test_of_a_namespace_without_room_nothing_is_made),
		T(test_what_has_a_pod_has_no_fault),
		T(test_a_pod_that_is_refused_is_told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
