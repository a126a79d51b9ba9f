/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inputs of a job: a pod brings them as soon as the job's pod has its virtual node,
 * is made anew when it fails, and the job's pod hears when they are there. Before that
 * its virtual node submits nothing.
 */
#include "lib/given_job.h"
#include "api/job_inputs.h"
#include "api/names.h"
#include "object/condition.h"

enum { SECOND = 1000 };
#define PREPARER "cow-job-prepare"
#define VOLUME "\"name\":\"inputs\",\"persistentVolumeClaim\":{\"claimName\":\"c\"}"
#define INPUTS(to) "\"batch\":\"#!/bin/sh\",\"prepare\":{\"to\":\"" to "\",\"mount\":{" VOLUME "}}"

/* The pod is on its virtual node, and waits there. */
static void given_inputs(struct job_world *w)
{
	given_job_results(w, INPUTS("."), POD_PENDING);
	given_edited(&w->g, "{\"status\":{\"status\":\"Pending\"}}");
}

static struct pod_fact *given_inputs_pod(struct job_world *w, enum pod_phase phase)
{
	given_collector(w, phase, "1");
	w->view.collector = NULL;
	w->collector.name = PREPARER;
	w->collector.uid = "preparer";
	w->view.inputs_pod = &w->collector;
	return &w->collector;
}

static const struct json *created(struct job_world *w)
{
	return given_json(&w->g, then(&w->g, DO(CREATE, POD), PREPARER)->body);
}

static void then_tells(struct job_world *w, const char *status, const char *reason,
	const char *part)
{
	when_job_published(w);
	then_condition(&w->g, "InputsPrepared", status, reason);
	then_says(&w->g, "InputsPrepared", part);
}

static const char *note_of(struct job_world *w, const char *key)
{
	const struct action *a = then(&w->g, DO(PATCH, POD), "cow-job");
	assert_string_equal(a->guard.uid, w->pod.uid);
	assert_string_equal(a->guard.resource_version, w->pod.resource_version);
	return json_str(json_at(given_json(&w->g, a->body), "metadata", "annotations", key), "");
}

/* Acceptance: input-1 */
static void test_the_pod_of_a_job_says_that_it_waits_for_inputs(void **state)
{
	(void)state;
	JOB(w);
	given_job_spec(&w, INPUTS("."), JOB_KEPT, "");
	when_job_planned(&w);
	const struct json *pod = given_json(&w.g, then(&w.g, DO(CREATE, POD), "cow-job")->body);
	assert_string_equal(json_str(json_at(pod, "metadata", "annotations",
					     ANNOTATION_INPUTS_WANTED),
				    ""),
		"true");
	JOB(none);
	given_job(&none, JOB_KEPT, "");
	when_job_planned(&none);
	pod = given_json(&none.g, then(&none.g, DO(CREATE, POD), "cow-job")->body);
	assert_true(json_is_null(json_at(pod, "metadata", "annotations")));
}

/* Acceptance: input-3, V28 */
static void test_they_are_brought_when_its_virtual_node_is_known(void **state)
{
	(void)state;
	static const char *const args[] = { "prepare", NULL, NULL, "--pod=ns/cow-job", NULL,
		"--from=/prepare" };
	JOB(w);
	given_inputs(&w);
	w.pod.node_name = "";
	when_job_planned(&w);
	then_no(&w.g, DO(CREATE, POD), NULL);
	w.pod.node_name = "slurm-login-debug";
	when_job_planned(&w);
	const struct json *spec = json_get(created(&w), "spec");
	const struct json *box = json_item(json_get(spec, "containers"), 0);
	for (size_t i = 0; i < LENGTH(args); i++)
		if (args[i])
			assert_string_equal(json_str(json_item(json_get(box, "args"), i), ""),
				args[i]);
	const struct json *mount = json_item(json_get(box, "volumeMounts"), 0);
	assert_string_equal(json_str(json_get(mount, "mountPath"), ""), "/prepare");
	assert_true(json_bool(json_get(mount, "readOnly"), false));
	const struct json *token = json_item(json_get(spec, "volumes"), 1);
	const struct json *source = json_item(json_at(token, "projected", "sources"), 0);
	assert_string_equal(json_str(json_at(source, "serviceAccountToken", "audience"), ""),
		"wlm.sylabs.io/prepare");
	/* V28: it needs neither root nor a file system of its own */
	const struct json *rights = json_get(box, "securityContext");
	assert_true(json_bool(json_get(rights, "readOnlyRootFilesystem"), false));
	assert_true(json_bool(json_at(spec, "securityContext", "runAsNonRoot"), false));
	assert_true(json_i64(json_at(spec, "securityContext", "runAsUser"), 0) > 0);
}

/* Acceptance: input-5, V27 */
static void test_a_wlmjob_has_no_inputs(void **state)
{
	(void)state;
	JOB(w);
	given_job_results(&w, "\"image\":\"x\",\"prepare\":{\"to\":\".\",\"mount\":{" VOLUME "}}",
		POD_PENDING);
	when_job_published(&w);
	then_no(&w.g, DO(CREATE, POD), NULL);
	assert_string_equal(condition_member(&w.g, "InputsPrepared", "status"), "");
}

/* Acceptance: input-1 */
static void test_the_pod_hears_that_they_are_there_once(void **state)
{
	(void)state;
	JOB(w);
	given_inputs(&w);
	given_inputs_pod(&w, POD_RUNNING);
	then_tells(&w, "False", "Preparing", "pod cow-job-prepare brings the inputs");
	then_no(&w.g, DO(PATCH, POD), NULL);
	w.collector.phase = POD_SUCCEEDED;
	w.collector.message = "3 files with 17 bytes";
	when_job_planned(&w);
	assert_string_equal(note_of(&w, ANNOTATION_INPUTS_THERE), w.pod.uid);
	assert_int_equal(events_of(&w.g, "Prepared"), 1);
	then_tells(&w, "True", "Prepared", "3 files with 17 bytes");
	assert_int_equal(json_i64(json_at(w.g.object, "status", "preparer", "attempts"), 0), 1);

	/* and nothing is brought again, whatever becomes of the pod */
	given_job_annotation(&w, ANNOTATION_INPUTS_THERE, w.pod.uid);
	w.view.inputs_pod = NULL;
	when_job_planned(&w);
	then_no(&w.g, DO(CREATE, POD), NULL);
	then_no(&w.g, DO(PATCH, POD), NULL);
	then_condition(&w.g, "InputsPrepared", "True", "Prepared");
}

/* The inputs of another pod of this name, which a copy of it would have. */
/* Acceptance: input-2 */
static void test_what_was_there_for_another_pod_is_brought_anew(void **state)
{
	(void)state;
	JOB(w);
	given_inputs(&w);
	given_job_annotation(&w, ANNOTATION_INPUTS_THERE, "another");
	when_job_planned(&w);
	then(&w.g, DO(CREATE, POD), PREPARER);
}

/* Acceptance: input-2 */
static void test_to_a_job_that_was_submitted_nothing_is_brought(void **state)
{
	(void)state;
	static const char *const notes[] = { ANNOTATION_JOB_KEY, ANNOTATION_JOB_ID };
	for (size_t i = 0; i <= LENGTH(notes); i++) {
		JOB(w);
		given_inputs(&w);
		if (i < LENGTH(notes))
			given_job_annotation(&w, notes[i], "x");
		else
			w.pod.phase = POD_RUNNING;
		when_job_planned(&w);
		then_no(&w.g, DO(CREATE, POD), NULL);
		given_inputs_pod(&w, POD_SUCCEEDED);
		when_job_planned(&w);
		then_no(&w.g, DO(PATCH, POD), NULL);
	}
}

/* Acceptance: input-3, V26 */
static void test_one_that_fails_is_made_anew_after_a_pause(void **state)
{
	(void)state;
	JOB(w);
	given_inputs(&w);
	given_inputs_pod(&w, POD_FAILED)->exit_code = 1;
	w.collector.ended_ms = w.g.wall_ms;
	then_tells(&w, "False", "PreparationDelayed", "exit code 1");
	then_no(&w.g, DO(PATCH, POD), NULL);
	w.g.wall_ms += 10 * SECOND;
	when_job_planned(&w);
	then(&w.g, DO(DELETE, POD), PREPARER);
	w.view.inputs_pod = NULL;
	when_job_planned(&w);
	then(&w.g, DO(CREATE, POD), PREPARER);
}

/* V26: a user deletes the pod while it brings them. */
/* Acceptance: V26 */
static void test_one_that_went_is_made_anew(void **state)
{
	(void)state;
	JOB(w);
	given_inputs(&w);
	given_inputs_pod(&w, POD_RUNNING);
	then_tells(&w, "False", "Preparing", PREPARER);
	w.view.inputs_pod = NULL;
	then_tells(&w, "False", "PreparationDelayed", "has gone; it is recreated after ");
	then_no(&w.g, DO(PATCH, POD), NULL);
	w.g.wall_ms += 20 * SECOND;
	when_job_planned(&w);
	then(&w.g, DO(CREATE, POD), PREPARER);
	then_no(&w.g, DO(PATCH, POD), NULL);
}

/* Acceptance: input-3, V26 */
static void test_what_nobody_can_bring_ends_the_job(void **state)
{
	(void)state;
	JOB(w);
	given_inputs(&w);
	given_inputs_pod(&w, POD_FAILED)->exit_code = 2;
	w.collector.message = "x has more than 1 GiB";
	when_job_planned(&w);
	assert_string_equal(note_of(&w, ANNOTATION_INPUTS_FAILED),
		"pod cow-job-prepare failed: exit code 2: x has more than 1 GiB");
	then_tells(&w, "False", "PreparationFailed", "nothing is submitted");

	/* which is said also when the pod has it */
	given_job_annotation(&w, ANNOTATION_INPUTS_FAILED, "x");
	when_job_planned(&w);
	then_no(&w.g, DO(PATCH, POD), NULL);
	then_condition(&w.g, "InputsPrepared", "False", "PreparationFailed");
}

/* Acceptance: job-13 */
static void test_what_is_missing_is_said(void **state)
{
	(void)state;
	const struct failing_action failing = { DO(CREATE, POD), ERR_DENIED, PREPARER,
		"exceeded quota" };
	JOB(w);
	given_inputs(&w);
	w.view.failing = &failing;
	w.view.n_failing = 1;
	then_tells(&w, "False", "PreparerNotMade", "exceeded quota");
	w.view.n_failing = 0;
	w.options.image = NULL;
	then_tells(&w, "False", "NoPreparerImage", "--results-image");
	w.options.image = "i";
	w.view.server.url = "";
	then_tells(&w, "False", "NoInputsServer", "does not say where it takes inputs");
	given_inputs_pod(&w, POD_SUCCEEDED)->controller.uid = "another";
	then_tells(&w, "False", "PreparerNameTaken", "pod cow-job-prepare is there and is not");
	then_no(&w.g, DO(PATCH, POD), NULL);
}

/* Acceptance: input-4 */
static void test_of_a_job_that_is_deleted_nothing_is_brought(void **state)
{
	(void)state;
	JOB(w);
	given_job_spec(&w, INPUTS("."), JOB_DELETING, JOB_NOTED("Pending"));
	given_job_pod(&w, POD_PENDING);
	when_job_planned(&w);
	then_no(&w.g, DO(CREATE, POD), NULL);
	then(&w.g, DO(DELETE, POD), "cow-job");
	w.pod.terminating = true;
	given_inputs_pod(&w, POD_SUCCEEDED);
	when_job_planned(&w);
	then_no(&w.g, DO(PATCH, POD), NULL);
}

/* An eviction, say: its virtual node keeps it, and its job is still wished. */
/* Acceptance: input-4 */
static void test_a_pod_that_kubernetes_takes_away_gets_its_inputs(void **state)
{
	(void)state;
	JOB(w);
	given_inputs(&w);
	w.pod.terminating = true;
	when_job_planned(&w);
	then(&w.g, DO(CREATE, POD), PREPARER);
	given_inputs_pod(&w, POD_SUCCEEDED);
	when_job_planned(&w);
	assert_string_equal(note_of(&w, ANNOTATION_INPUTS_THERE), w.pod.uid);
}

static const struct {
	const char *prepare, *reason, *part;
} faults[] = {
	{ "{\"to\":\"x\"}", "InvalidPrepare", "spec.prepare.mount is missing" },
	{ "{\"mount\":{" VOLUME "}}", "InvalidPrepare", "spec.prepare.to has 0 bytes" },
	{ "{\"to\":\"a/../b\",\"mount\":{" VOLUME "}}", "InvalidPrepare", "may not have \"..\"" },
	{ "{\"to\":\"..\",\"mount\":{" VOLUME "}}", "InvalidPrepare", "may not have \"..\"" },
	{ "{\"to\":\".\",\"mount\":{\"name\":\"d\",\"hostPath\":{\"path\":\"/\"}}}",
		"VolumeNotAllowed", "spec.prepare.mount is of the type hostPath" },
};

/* Acceptance: input-5, word-10 */
static void test_what_cannot_be_is_refused_before_its_pod_is_made(void **state)
{
	(void)state;
	for (size_t i = 0; i < LENGTH(faults); i++) {
		JOB(w);
		const char *spec = arena_printf(&w.g.arena,
			"\"batch\":\"#!/bin/sh\",\"prepare\":%s", faults[i].prepare);
		given_job_spec(&w, spec, JOB_KEPT, "");
		when_job_published(&w);
		then_no(&w.g, DO(CREATE, POD), NULL);
		then_condition(&w.g, "Accepted", "False", faults[i].reason);
		then_says(&w.g, "Accepted", faults[i].part);
	}
}

/* As in the fork of wlm-operator that has them: inputs/foo.txt. */
/* Acceptance: input-6 */
static void test_they_come_into_a_folder_of_the_name_of_the_volume(void **state)
{
	(void)state;
	static const char *const rows[][2] = {
		{ ".", "inputs" },
		{ "./", "inputs" },
		{ "a/b", "a/b/inputs" },
		{ "/home/a//", "/home/a/inputs" },
		{ "/", "/inputs" },
		{ "./a", "./a/inputs" },
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct arena a AUTO(arena_free) = { 0 };
		static const char mount[] = "{\"name\":\"inputs\"}";
		const struct job_inputs p = { true,
			json_parse_in(&a, mount, sizeof(mount) - 1, SIZE_MAX), rows[i][0] };
		assert_string_equal(job_inputs_folder(&a, &p), rows[i][1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_pod_of_a_job_says_that_it_waits_for_inputs),
		cmocka_unit_test(test_they_are_brought_when_its_virtual_node_is_known),
		cmocka_unit_test(test_a_wlmjob_has_no_inputs),
		cmocka_unit_test(test_the_pod_hears_that_they_are_there_once),
		cmocka_unit_test(test_what_was_there_for_another_pod_is_brought_anew),
		cmocka_unit_test(test_to_a_job_that_was_submitted_nothing_is_brought),
		cmocka_unit_test(test_one_that_fails_is_made_anew_after_a_pause),
		cmocka_unit_test(test_one_that_went_is_made_anew),
		cmocka_unit_test(test_what_nobody_can_bring_ends_the_job),
		cmocka_unit_test(test_what_is_missing_is_said),
		cmocka_unit_test(test_of_a_job_that_is_deleted_nothing_is_brought),
		cmocka_unit_test(test_a_pod_that_kubernetes_takes_away_gets_its_inputs),
		cmocka_unit_test(test_what_cannot_be_is_refused_before_its_pod_is_made),
		cmocka_unit_test(test_they_come_into_a_folder_of_the_name_of_the_volume),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
