/* SPDX-License-Identifier: Apache-2.0 */
/* How a SlurmJob goes: its pod first, and with that its job; and when by itself. */
#include "lib/given_job.h"
#include "object/condition.h"

/* Acceptance: job-10 */
static void test_a_deletion_deletes_the_pod_first_and_guards_it(void **state)
{
	(void)state;
	JOB(w);
	given_job(&w, JOB_DELETING, JOB_NOTED("Running"));
	given_job_pod(&w, POD_RUNNING);
	when_job_planned(&w);
	const struct action *a = then(&w.g, DO(DELETE, POD), "cow-job");
	assert_string_equal(a->guard.uid, "pod");
	assert_string_equal(a->guard.resource_version, "11");
	then_no(&w.g, DO(PATCH, SLURMJOB), NULL);
}

/* The virtual node cancels the job, and only then lets the pod go. */
/* Acceptance: job-10 */
static void test_it_stays_until_the_pod_has_gone_and_says_so(void **state)
{
	(void)state;
	JOB(w);
	given_job(&w, JOB_DELETING, JOB_NOTED("Running"));
	given_job_pod(&w, POD_RUNNING)->terminating = true;
	when_job_planned(&w);
	assert_int_equal(events_of(&w.g, "PodLeft"), 1);
	when_job_published(&w);
	then_nothing(&w.g);
	then_condition(&w.g, "Terminating", "True", "PodLeft");
	then_says(&w.g, "Terminating", "virtual node slurm-login-debug has to cancel the job");
	w.view.pod = NULL;
	when_job_planned(&w);
	const struct action *a = then(&w.g, DO(PATCH, SLURMJOB), "cow");
	assert_null(strstr(a->body, FINALIZER_JOB));
	assert_non_null(strstr(a->body, "\"other\""));
	assert_int_equal(a->guard.read, READ_NO_POD);
	assert_string_equal(a->guard.pod, "cow-job");
	then_no(&w.g, DO(PATCH_STATUS, SLURMJOB), NULL);
}

static void test_a_new_pod_that_goes_loses_its_finalizer(void **state)
{
	(void)state;
	JOB(w);
	given_job(&w, JOB_DELETING, "");
	given_job_pod(&w, POD_PENDING)->terminating = true;
	w.pod.unreported_at = 0;
	when_job_planned(&w);
	then(&w.g, DO(PATCH, POD), "cow-job");
	then_no(&w.g, DO(PATCH, SLURMJOB), NULL);
}

static void test_without_a_pod_it_goes_at_once_and_none_is_made(void **state)
{
	(void)state;
	JOB(w);
	given_job(&w, JOB_DELETING, "");
	when_job_planned(&w);
	then(&w.g, DO(PATCH, SLURMJOB), "cow");
	then_no(&w.g, DO(CREATE, POD), NULL);
}

/* The creation of the pod may be under way: a pod without its object would run on. */
static void test_it_does_not_go_while_its_pod_may_come(void **state)
{
	(void)state;
	JOB(w);
	given_job(&w, JOB_DELETING, "");
	given_job_pod(&w, POD_EMPTY)->in_flight = true;
	when_job_planned(&w);
	then_nothing(&w.g);
}

/* Acceptance: job-10 */
static void test_pods_of_others_are_not_deleted_with_it(void **state)
{
	(void)state;
	JOB(w);
	given_job(&w, JOB_DELETING, "");
	given_job_pod(&w, POD_RUNNING)->controller.uid = "another";
	when_job_planned(&w);
	then_no(&w.g, DO(DELETE, POD), NULL);
	then(&w.g, DO(PATCH, SLURMJOB), "cow");
}

/* Acceptance: job-10 */
static void test_with_orphan_the_pod_stays(void **state)
{
	(void)state;
	JOB(w);
	given_job(&w,
		"\"finalizers\":[\"orphan\",\"" FINALIZER_JOB
		"\"],\"deletionTimestamp\":\"2026-01-01T00:00:00Z\"",
		JOB_NOTED("Running"));
	given_job_pod(&w, POD_RUNNING);
	when_job_planned(&w);
	then_no(&w.g, DO(DELETE, POD), NULL);
	then(&w.g, DO(PATCH, SLURMJOB), "cow");
}

/*
 * While no manager ran, a user deleted its object so that it stays: the garbage collector
 * took the reference, and no other plan would take the finalizer.
 */
static void test_a_pod_that_stays_untold_is_held_no_longer(void **state)
{
	(void)state;
	JOB(w);
	given_job(&w, JOB_DELETING, "");
	given_job_pod(&w, POD_RUNNING)->controller = (struct owner_fact){ "", "", "", false };
	w.pod.unreported_at = 0;
	when_job_planned(&w);
	const struct action *a = then(&w.g, DO(PATCH, POD), "cow-job");
	assert_non_null(strstr(a->body, "/metadata/finalizers/0"));
	then_no(&w.g, DO(PATCH, SLURMJOB), NULL);
	w.pod.unreported_at = -1;
	when_job_planned(&w);
	then(&w.g, DO(PATCH, SLURMJOB), "cow");
	then_no(&w.g, DO(DELETE, POD), NULL);
}

/* A pod may have been created that no list has shown yet. */
static void test_with_orphan_a_pod_is_looked_for_all_the_same(void **state)
{
	(void)state;
	JOB(w);
	given_job(&w,
		"\"finalizers\":[\"orphan\",\"" FINALIZER_JOB
		"\"],\"deletionTimestamp\":\"2026-01-01T00:00:00Z\"",
		"");
	when_job_planned(&w);
	const struct action *a = then(&w.g, DO(PATCH, SLURMJOB), "cow");
	assert_int_equal(a->guard.read, READ_NO_POD);
}

/* ---- what is left of an object that has gone ---- */

static void test_a_pod_whose_object_has_gone_is_held_no_longer(void **state)
{
	(void)state;
	JOB(w);
	given_job(&w, "", "");
	given_job_pod(&w, POD_PENDING)->unreported_at = 2;
	w.pod.unreported_seen_ms = 1000;
	w.g.plan = (struct plan){ .arena = &w.g.arena };
	const struct job_left_view view = { &w.pod, 1001 };
	job_left_plan(&view, 1000 + DELETION_LATE_MS, &w.g.plan);
	const struct action *a = then(&w.g, DO(PATCH, POD), "cow-job");
	assert_non_null(strstr(a->body, "/metadata/finalizers/2"));
	assert_non_null(strstr(a->body, "\"/metadata/resourceVersion\",\"value\":\"11\""));
	assert_int_equal(a->guard.read, READ_GONE);
	assert_string_equal(a->guard.gone.name, "cow");
	assert_string_equal(a->guard.gone.uid, "job");
}

/* An unknown object, or one that is not known for long, lets no pod go. */
static void test_a_pod_whose_object_may_be_there_is_held(void **state)
{
	static const struct {
		int unreported_at;
		bool in_flight;
		int64_t seen_ms, now_ms;
	} rows[] = {
		{ -1, false, 1001, 1000 + DELETION_LATE_MS },
		{ 0, true, 1001, 1000 + DELETION_LATE_MS },
		{ 0, false, 1000, 1000 + DELETION_LATE_MS },
		{ 0, false, 1001, 999 + DELETION_LATE_MS },
	};
	(void)state;
	for (size_t i = 0; i < LENGTH(rows); i++) {
		JOB(w);
		given_job(&w, "", "");
		given_job_pod(&w, POD_PENDING)->unreported_at = rows[i].unreported_at;
		w.pod.in_flight = rows[i].in_flight;
		w.pod.unreported_seen_ms = 1000;
		w.g.plan = (struct plan){ .arena = &w.g.arena };
		const struct job_left_view view = { &w.pod, rows[i].seen_ms };
		job_left_plan(&view, rows[i].now_ms, &w.g.plan);
		then_nothing(&w.g);
	}
}

static void test_without_our_finalizer_nothing_is_done(void **state)
{
	(void)state;
	JOB(w);
	given_job(&w, "\"deletionTimestamp\":\"2026-01-01T00:00:00Z\"", JOB_NOTED("Running"));
	given_job_pod(&w, POD_RUNNING);
	when_job_planned(&w);
	then_nothing(&w.g);
}

/* ---- in time ---- */

#define MINUTE INT64_C(60000)

static void given_ended(struct job_world *w, const char *spec)
{
	given_job_spec(w, spec, JOB_KEPT, "");
	given_job_pod(w, POD_FAILED)->exit_code = 7;
	when_job_published(w);
}

/* Acceptance: job-11 */
static void test_so_long_after_its_end_it_is_deleted(void **state)
{
	(void)state;
	JOB(w);
	given_ended(&w, "\"batch\":\"#!/bin/sh\",\"ttlSecondsAfterFinished\":120");
	then_nothing(&w.g);
	assert_int_equal(w.g.plan.again_in_ms, 2 * MINUTE);
	w.g.wall_ms += 2 * MINUTE;
	when_job_planned(&w);
	const struct action *a = then(&w.g, DO(DELETE, SLURMJOB), "cow");
	assert_string_equal(a->guard.uid, "job");
	assert_string_equal(a->guard.resource_version, "7");
	then_no(&w.g, DO(DELETE, POD), NULL);
}

static void test_without_a_time_it_stays(void **state)
{
	(void)state;
	JOB(w);
	given_ended(&w, "\"batch\":\"#!/bin/sh\"");
	w.g.wall_ms += INT64_C(100000) * MINUTE;
	when_job_planned(&w);
	then_nothing(&w.g);
}

/* Acceptance: job-11 */
static void test_what_has_not_ended_is_never_deleted_in_time(void **state)
{
	(void)state;
	static const enum pod_phase phases[] = { POD_PENDING, POD_RUNNING, POD_PHASE_UNKNOWN };
	for (size_t i = 0; i <= LENGTH(phases); i++) {
		JOB(w);
		given_job_spec(&w, "\"batch\":\"#!/bin/sh\",\"ttlSecondsAfterFinished\":0",
			JOB_KEPT, JOB_NOTED("Running"));
		if (i < LENGTH(phases)) /* otherwise the pod is lost */
			given_job_pod(&w, phases[i]);
		when_job_published(&w);
		w.g.wall_ms += INT64_C(100000) * MINUTE;
		when_job_planned(&w);
		then_no(&w.g, DO(DELETE, SLURMJOB), NULL);
	}
}

/* Acceptance: job-11 */
static void test_it_is_not_deleted_while_results_are_copied(void **state)
{
	(void)state;
	JOB(w);
	given_ended(&w, "\"batch\":\"#!/bin/sh\",\"ttlSecondsAfterFinished\":0");
	given_collector(&w, POD_RUNNING, "1");
	when_job_planned(&w);
	then_nothing(&w.g);
	w.collector.phase = POD_SUCCEEDED;
	when_job_planned(&w);
	then(&w.g, DO(DELETE, SLURMJOB), "cow");
}

/* A drain, say: its virtual node keeps the pod until they are copied. */
/* Acceptance: vnode-12 */
static void test_a_pod_that_kubernetes_takes_away_has_its_results_copied(void **state)
{
	(void)state;
	for (int disrupted = 0; disrupted < 2; disrupted++) {
		JOB(w);
		given_job_results(&w, JOB_RESULTS(""), POD_SUCCEEDED);
		w.pod.terminating = true;
		w.pod.disrupted = disrupted;
		when_job_planned(&w);
		if (disrupted)
			then(&w.g, DO(CREATE, POD), "cow-job-collect");
		else
			then_no(&w.g, DO(CREATE, POD), NULL);
		assert_int_equal(events_of(&w.g, "JobPodGone"), !disrupted);
	}
}

static void test_a_clock_that_is_set_back_ends_no_job_s_time(void **state)
{
	(void)state;
	JOB(w);
	given_ended(&w, "\"batch\":\"#!/bin/sh\",\"ttlSecondsAfterFinished\":9223372036854775807");
	w.g.wall_ms -= 2 * MINUTE;
	when_job_planned(&w);
	then_nothing(&w.g);
}

#define T(name) cmocka_unit_test(name)
int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_a_pod_that_kubernetes_takes_away_has_its_results_copied),
		T(test_a_clock_that_is_set_back_ends_no_job_s_time),
		T(test_a_deletion_deletes_the_pod_first_and_guards_it),
		T(test_it_stays_until_the_pod_has_gone_and_says_so),
		T(test_a_new_pod_that_goes_loses_its_finalizer),
		T(test_without_a_pod_it_goes_at_once_and_none_is_made),
		T(test_it_does_not_go_while_its_pod_may_come),
		T(test_pods_of_others_are_not_deleted_with_it),
		T(test_with_orphan_the_pod_stays),
		T(test_a_pod_that_stays_untold_is_held_no_longer),
		T(test_with_orphan_a_pod_is_looked_for_all_the_same),
		T(test_a_pod_whose_object_has_gone_is_held_no_longer),
		T(test_a_pod_whose_object_may_be_there_is_held),
		T(test_without_our_finalizer_nothing_is_done),
		T(test_so_long_after_its_end_it_is_deleted),
		T(test_without_a_time_it_stays),
		T(test_what_has_not_ended_is_never_deleted_in_time),
		T(test_it_is_not_deleted_while_results_are_copied),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
