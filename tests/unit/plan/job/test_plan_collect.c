/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Results of a job: a pod copies them after its end, and is made anew when it fails. The
 * job itself never waits for it.
 */
#include "lib/given_job.h"
#include "json/build.h"
#include "object/condition.h"

enum { SECOND = 1000, MINUTE = 60000 };
#define COLLECTOR "cow-job-collect"

static const struct json *created(struct job_world *w)
{
	return given_json(&w->g, then(&w->g, DO(CREATE, POD), COLLECTOR)->body);
}

static const char *arg_of(struct job_world *w, size_t i)
{
	const struct json *args = json_get(json_item(json_at(created(w), "spec", "containers"), 0),
		"args");
	return json_str(json_item(args, i), "");
}

static void then_tells(struct job_world *w, const char *status, const char *reason,
	const char *part)
{
	when_job_published(w);
	then_condition(&w->g, "ResultsCollected", status, reason);
	then_says(&w->g, "ResultsCollected", part);
}

/* ---- when it is made ---- */

/* V23: each job has a folder of its own. */
/* Acceptance: job-12, V23 */
static void test_the_results_of_a_job_that_succeeded_are_copied(void **state)
{
	(void)state;
	JOB(w);
	given_job_results(&w, JOB_RESULTS(""), POD_SUCCEEDED);
	when_job_planned(&w);
	assert_string_equal(arg_of(&w, 0), "results");
	assert_string_equal(arg_of(&w, 3), "--pod=ns/cow-job");
	assert_string_equal(arg_of(&w, 5), "--to=/collect/cow-job");
	assert_string_equal(json_str(json_at(created(&w), "metadata", "annotations",
					     ANNOTATION_COLLECT_ATTEMPT),
				    ""),
		"1");
	JOB(flat);
	given_job_results(&flat, JOB_RESULTS(",\"layout\":\"Flat\""), POD_SUCCEEDED);
	when_job_planned(&flat);
	assert_string_equal(arg_of(&flat, 5), "--to=/collect");
}

/* Acceptance: job-12 */
static void test_before_its_end_nothing_is_copied(void **state)
{
	(void)state;
	static const enum pod_phase phases[] = { POD_PENDING, POD_RUNNING, POD_PHASE_UNKNOWN };
	for (size_t i = 0; i <= LENGTH(phases); i++) {
		JOB(w);
		bool unseen = i == LENGTH(phases);
		given_job_results(&w, JOB_RESULTS(",\"when\":\"Ended\""),
			unseen ? POD_FAILED : phases[i]);
		w.pod.unseen_end = unseen;
		when_job_published(&w);
		then_no(&w.g, DO(CREATE, POD), NULL);
		assert_string_equal(condition_member(&w.g, "ResultsCollected", "status"), "");
	}
}

/* Acceptance: job-12, V21 */
static void test_of_a_job_that_failed_they_are_copied_when_asked_for(void **state)
{
	(void)state;
	JOB(w);
	given_job_results(&w, JOB_RESULTS(",\"when\":\"Ended\""), POD_FAILED);
	when_job_planned(&w);
	then(&w.g, DO(CREATE, POD), COLLECTOR);
	JOB(other);
	given_job_results(&other, JOB_RESULTS(""), POD_FAILED);
	when_job_planned(&other);
	then_no(&other.g, DO(CREATE, POD), NULL);
	assert_int_equal(events_of(&other.g, "JobFailed"), 0);
	then_tells(&other, "False", "JobFailed", "spec.results.when is not Ended");
}

static void test_without_results_nothing_is_copied_nor_said(void **state)
{
	(void)state;
	JOB(w);
	given_job_results(&w, "\"batch\":\"#!/bin/sh\"", POD_SUCCEEDED);
	when_job_published(&w);
	then_no(&w.g, DO(CREATE, POD), NULL);
	assert_string_equal(condition_member(&w.g, "ResultsCollected", "status"), "");
}

static void test_a_job_that_is_deleted_has_no_results(void **state)
{
	(void)state;
	JOB(w);
	given_job_spec(&w, JOB_RESULTS(""), JOB_DELETING, JOB_NOTED("Succeeded"));
	given_job_pod(&w, POD_SUCCEEDED)->terminating = true;
	given_collector(&w, POD_RUNNING, "1");
	when_job_planned(&w);
	then_no(&w.g, DO(CREATE, POD), NULL);
	then_no(&w.g, DO(DELETE, POD), NULL);
	w.view.pod = NULL;
	when_job_planned(&w);
	then(&w.g, DO(PATCH, SLURMJOB), "cow");
}

/* ---- what keeps it from being made ---- */

/* Acceptance: job-13 */
static void test_what_is_missing_is_said(void **state)
{
	(void)state;
	JOB(w);
	given_job_results(&w, JOB_RESULTS(""), POD_SUCCEEDED);
	w.options.image = NULL;
	when_job_planned(&w);
	then_no(&w.g, DO(CREATE, POD), NULL);
	assert_int_equal(events_of(&w.g, "NoCollectorImage"), 1);
	then_tells(&w, "False", "NoCollectorImage", "--results-image");
	w.options.image = "i";
	w.view.server.url = "";
	then_tells(&w, "False", "NoResultsServer", "virtual node slurm-login-debug does not say");
	w.view.server.trouble = "forbidden";
	then_tells(&w, "False", "NoResultsServer", "cannot be read: forbidden");
	assert_true(w.g.plan.again_in_ms > 0);
	w.view.pod = NULL;
	then_tells(&w, "False", "JobPodGone", "pod cow-job has gone");
}

/* A Node that was not read yet is no Node without results. */
static void test_what_is_not_known_of_its_node_is_asked_for(void **state)
{
	(void)state;
	JOB(w);
	given_job_results(&w, JOB_RESULTS(""), POD_SUCCEEDED);
	w.view.server = (struct job_server){ .url = "", .key = "" };
	w.view.object = w.g.object;
	assert_string_equal(job_wants_node(&w.view, w.g.wall_ms, &w.g.arena), "slurm-login-debug");
	when_job_published(&w);
	then_nothing(&w.g);
	assert_string_equal(condition_member(&w.g, "ResultsCollected", "status"), "");
}

/* Acceptance: job-13 */
static void test_a_pod_of_somebody_else_is_never_taken_over(void **state)
{
	(void)state;
	JOB(w);
	given_job_results(&w, JOB_RESULTS(""), POD_SUCCEEDED);
	given_collector(&w, POD_FAILED, "1")->controller.uid = "another";
	when_job_planned(&w);
	then_no(&w.g, DO(CREATE, POD), NULL);
	then_no(&w.g, DO(DELETE, POD), NULL);
	then_tells(&w, "False", "CollectorNameTaken", "pod cow-job-collect is there and is not");
}

/* The administrator may have allowed fewer volumes since the job began. */
/* Acceptance: job-13 */
static void test_a_volume_that_is_not_allowed_is_not_mounted_after_the_job_either(void **state)
{
	(void)state;
	static const char *const none[] = { NULL };
	JOB(w);
	given_job_results(&w, JOB_RESULTS(""), POD_SUCCEEDED);
	w.options.volumes = none;
	when_job_planned(&w);
	then_no(&w.g, DO(CREATE, POD), NULL);
	then_tells(&w, "False", "VolumeNotAllowed", "of the type persistentVolumeClaim");
	then_condition(&w.g, "Accepted", "True", "Accepted");
}

/* V21: a quota that is lifted later, say; nothing else is to be done for it then. */
/* Acceptance: job-12, V21 */
static void test_a_collector_that_is_refused_is_told_and_tried_again(void **state)
{
	(void)state;
	const struct failing_action failing = { DO(CREATE, POD), ERR_DENIED, COLLECTOR,
		"exceeded quota" };
	JOB(w);
	given_job_results(&w, JOB_RESULTS(""), POD_SUCCEEDED);
	w.view.failing = &failing;
	w.view.n_failing = 1;
	then_tells(&w, "False", "CollectorNotMade", "exceeded quota");
	then_condition(&w.g, "PodMade", "True", "PodMade");
	then_condition(&w.g, "Ended", "True", "Succeeded");
	then(&w.g, DO(CREATE, POD), COLLECTOR);
}

/* ---- what becomes of it ---- */

/* Acceptance: job-12, V21, V35 */
static void test_what_was_copied_is_told_once(void **state)
{
	(void)state;
	JOB(w);
	given_job_results(&w, JOB_RESULTS(""), POD_SUCCEEDED);
	given_collector(&w, POD_RUNNING, "1");
	then_tells(&w, "False", "Collecting", "pod cow-job-collect copies the results");
	w.collector.phase = POD_SUCCEEDED;
	w.collector.message = "3 files, 17 bytes";
	when_job_planned(&w);
	assert_int_equal(events_of(&w.g, "Collected"), 1);
	then_tells(&w, "True", "Collected", "3 files, 17 bytes");
	assert_int_equal(json_i64(json_at(w.g.object, "status", "collector", "attempts"), 0), 1);
	w.view.collector = NULL; /* what has ended may be cleaned up */
	when_job_planned(&w);
	then_nothing(&w.g);
	then_condition(&w.g, "ResultsCollected", "True", "Collected");
}

/* Acceptance: job-12 */
static void test_one_that_failed_makes_room_for_the_next_after_a_pause(void **state)
{
	(void)state;
	static const struct {
		const char *attempt;
		int64_t pause_ms;
	} rows[] = {
		{ "1", 10 * SECOND },
		{ "2", 20 * SECOND },
		{ "5", 160 * SECOND },
		{ "6", 5 * MINUTE },
		{ "1000000", 5 * MINUTE },
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		JOB(w);
		given_job_results(&w, JOB_RESULTS(""), POD_SUCCEEDED);
		given_collector(&w, POD_FAILED, rows[i].attempt)->exit_code = 1;
		w.collector.ended_ms = w.g.wall_ms -
			(int64_t)(i % 2) * MINUTE; /* a clock is behind */
		w.collector.message = "no space left";
		then_tells(&w, "False", "CollectionDelayed", "exit code 1: no space left");
		then_no(&w.g, DO(DELETE, POD), NULL);
		assert_int_equal(w.g.plan.again_in_ms, rows[i].pause_ms + 1);
		w.g.wall_ms += rows[i].pause_ms;
		when_job_planned(&w);
		const struct action *a = then(&w.g, DO(DELETE, POD), COLLECTOR);
		assert_string_equal(a->guard.uid, "collector");
		assert_string_equal(a->guard.resource_version, "21");
		then_no(&w.g, DO(CREATE, POD), NULL);
		w.view.collector = NULL;
		when_job_planned(&w);
		then(&w.g, DO(CREATE, POD), COLLECTOR);
	}
}

/* The clock of its machine is some seconds or minutes ahead of that of the manager. */
/* Acceptance: job-12 */
static void test_a_clock_that_is_ahead_takes_no_pause_away(void **state)
{
	static const int64_t ahead_ms[] = { 1, 2 * SECOND, 5 * MINUTE };
	(void)state;
	for (size_t i = 0; i < LENGTH(ahead_ms); i++) {
		JOB(w);
		given_job_results(&w, JOB_RESULTS(""), POD_SUCCEEDED);
		given_collector(&w, POD_FAILED, "6")->exit_code = 1;
		w.collector.ended_ms = w.g.wall_ms + ahead_ms[i];
		when_job_planned(&w);
		then_no(&w.g, DO(DELETE, POD), NULL);
		assert_int_equal(w.g.plan.again_in_ms, ahead_ms[i] + 5 * MINUTE + 1);
		w.g.wall_ms += ahead_ms[i] + 5 * MINUTE;
		when_job_planned(&w);
		then(&w.g, DO(DELETE, POD), COLLECTOR);
	}
	/* nor does one that was set back by a day make it one */
	JOB(w);
	given_job_results(&w, JOB_RESULTS(""), POD_SUCCEEDED);
	given_collector(&w, POD_FAILED, "6")->exit_code = 1;
	w.g.wall_ms -= 24 * 60 * MINUTE;
	when_job_planned(&w);
	then(&w.g, DO(DELETE, POD), COLLECTOR);
}

/* The machine died, say, and the pod with it. */
/* Acceptance: job-12 */
static void test_one_that_went_is_made_anew_and_counted(void **state)
{
	(void)state;
	JOB(w);
	given_job_results(&w, JOB_RESULTS(""), POD_SUCCEEDED);
	given_collector(&w, POD_RUNNING, "2");
	when_job_published(&w);
	w.view.collector = NULL;
	when_job_planned(&w);
	then_no(&w.g, DO(CREATE, POD), NULL);
	then_tells(&w, "False", "CollectionDelayed", "has gone; it is recreated after ");
	w.g.wall_ms += 20 * SECOND;
	when_job_planned(&w);
	assert_string_equal(json_str(json_at(created(&w), "metadata", "annotations",
					     ANNOTATION_COLLECT_ATTEMPT),
				    ""),
		"3");
}

/* The collector is deleted already, or the outcome of its creation is unknown. */
static void test_one_that_comes_or_goes_is_left_alone(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		JOB(w);
		given_job_results(&w, JOB_RESULTS(""), POD_SUCCEEDED);
		given_collector(&w, POD_FAILED, "1");
		w.collector.terminating = i == 0;
		w.collector.in_flight = i == 1;
		w.g.wall_ms += MINUTE;
		when_job_planned(&w);
		then_no(&w.g, DO(DELETE, POD), NULL);
		then_no(&w.g, DO(CREATE, POD), NULL);
	}
}

static void test_one_that_failed_for_good_stays_until_somebody_deletes_it(void **state)
{
	(void)state;
	JOB(w);
	given_job_results(&w, JOB_RESULTS(""), POD_SUCCEEDED);
	given_collector(&w, POD_FAILED, "1")->exit_code = 2;
	w.collector.message = "there is no out.txt";
	then_tells(&w, "False", "CollectionFailed", "exit code 2: there is no out.txt");
	w.g.wall_ms += 60 * MINUTE;
	when_job_planned(&w);
	then_nothing(&w.g);
	w.view.collector = NULL;
	when_job_planned(&w);
	then(&w.g, DO(CREATE, POD), COLLECTOR);
}

/* A virtual node that started anew has another address, or another certificate. */
static void test_one_that_asks_where_nobody_is_any_more_is_made_anew(void **state)
{
	(void)state;
	JOB(w);
	given_job_results(&w, JOB_RESULTS(""), POD_SUCCEEDED);
	given_collector(&w, POD_RUNNING, "1");
	w.view.object = w.g.object;
	assert_non_null(job_wants_node(&w.view, w.g.wall_ms, &w.g.arena));
	when_job_published(&w);
	assert_true(w.g.plan.again_in_ms > 0 && w.g.plan.again_in_ms <= MINUTE);
	w.view.server.key = "sha256//another=";
	w.g.wall_ms += 10 * SECOND;
	when_job_planned(&w);
	then(&w.g, DO(DELETE, POD), COLLECTOR);
}

/* The virtual node of wlm-operator creates it itself, in its own way. */
static void test_the_collector_of_another_virtual_node_is_told_and_let_be(void **state)
{
	(void)state;
	JOB(w);
	given_job_results(&w, JOB_RESULTS(""), POD_SUCCEEDED);
	w.options.image = NULL;
	given_collector(&w, POD_RUNNING, "1")->n_annotations = 0;
	then_tells(&w, "False", "Collecting", COLLECTOR);
	w.collector.phase = POD_FAILED;
	w.collector.exit_code = 1;
	w.g.wall_ms += 60 * MINUTE;
	when_job_planned(&w);
	then_no(&w.g, DO(DELETE, POD), NULL);
	then_tells(&w, "False", "CollectionFailed", "exit code 1");
	w.collector.phase = POD_SUCCEEDED;
	then_tells(&w, "True", "Collected", "pod cow-job-collect has copied the results");
}

/* ---- the end of the object ---- */

#define IN_TIME ",\"ttlSecondsAfterFinished\":0"
static void test_the_object_is_not_deleted_in_time_before_they_are_copied(void **state)
{
	(void)state;
	JOB(w);
	given_job_results(&w, JOB_RESULTS("") IN_TIME, POD_SUCCEEDED);
	w.view.server = (struct job_server){ .url = "", .key = "" };
	when_job_published(&w);
	w.g.wall_ms += MINUTE;
	when_job_planned(&w);
	then_no(&w.g, DO(DELETE, SLURMJOB), NULL);
	given_collector(&w, POD_SUCCEEDED, "1");
	when_job_planned(&w);
	then(&w.g, DO(DELETE, SLURMJOB), "cow");
}

static void test_what_cannot_be_copied_keeps_no_object(void **state)
{
	(void)state;
	JOB(w);
	given_job_results(&w, JOB_RESULTS("") IN_TIME, POD_SUCCEEDED);
	w.options.image = NULL;
	when_job_published(&w);
	then(&w.g, DO(DELETE, SLURMJOB), "cow");
}

static void test_when_results_are_wished_no_more_nothing_is_said_of_them(void **state)
{
	(void)state;
	JOB(w);
	given_job_results(&w, JOB_RESULTS(""), POD_SUCCEEDED);
	w.options.image = NULL;
	when_job_published(&w);
	const char *was = arena_printf(&w.g.arena, "\"status\":%s",
		j_text(w.g.d, j_copy(w.g.d, json_get(w.g.object, "status"))));
	given_job_spec(&w, "\"batch\":\"#!/bin/sh\"", JOB_KEPT, was);
	when_job_published(&w);
	assert_string_equal(condition_member(&w.g, "ResultsCollected", "status"), "");
}

/* A person can remove each cause that keeps them from being copied. */
static void test_results_that_are_to_be_copied_keep_the_object(void **state)
{
	static const struct job_server servers[] = {
		{ .known = true, .url = "", .key = "" },
		{ .known = true, .trouble = "forbidden", .url = "", .key = "" },
	};
	(void)state;
	for (size_t i = 0; i < LENGTH(servers); i++) {
		JOB(w);
		given_job_results(&w, JOB_RESULTS("") ",\"ttlSecondsAfterFinished\":0",
			POD_SUCCEEDED);
		w.view.server = servers[i];
		when_job_published(&w);
		w.g.wall_ms += 60000;
		when_job_planned(&w);
		then_no(&w.g, DO(DELETE, SLURMJOB), NULL);
	}
}

#define T(name) cmocka_unit_test(name)
int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_the_results_of_a_job_that_succeeded_are_copied),
		T(test_before_its_end_nothing_is_copied),
		T(test_of_a_job_that_failed_they_are_copied_when_asked_for),
		T(test_without_results_nothing_is_copied_nor_said),
		T(test_a_job_that_is_deleted_has_no_results),
		T(test_what_is_missing_is_said),
		T(test_what_is_not_known_of_its_node_is_asked_for),
		T(test_a_pod_of_somebody_else_is_never_taken_over),
		T(test_a_volume_that_is_not_allowed_is_not_mounted_after_the_job_either),
		T(test_a_collector_that_is_refused_is_told_and_tried_again),
		T(test_what_was_copied_is_told_once),
		T(test_one_that_failed_makes_room_for_the_next_after_a_pause),
		T(test_a_clock_that_is_ahead_takes_no_pause_away),
		T(test_one_that_went_is_made_anew_and_counted),
		T(test_one_that_comes_or_goes_is_left_alone),
		T(test_one_that_failed_for_good_stays_until_somebody_deletes_it),
		T(test_one_that_asks_where_nobody_is_any_more_is_made_anew),
		T(test_the_collector_of_another_virtual_node_is_told_and_let_be),
		T(test_the_object_is_not_deleted_in_time_before_they_are_copied),
		T(test_what_cannot_be_copied_keeps_no_object),
		T(test_when_results_are_wished_no_more_nothing_is_said_of_them),
		T(test_results_that_are_to_be_copied_keep_the_object),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
