/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Outcomes that clients wait for: "kubectl wait --for=condition=Complete", a status of
 * Succeeded or Failed. And what the status says while its source does not answer.
 */
#include "lib/given_job.h"

#include "object/condition.h"

#define NODE(taints)                                                                 \
	"[{\"metadata\":{\"name\":\"slurm-login-debug\",\"labels\":{}},\"spec\":{\"" \
	"taints\":[" taints "]}}]"
#define TAINT(key, value)                                                           \
	"{\"key\":\"" key "\",\"value\":\"" value "\",\"effect\":\"NoSchedule\",\"" \
	"timeAdded\":\"2025-12-31T23:59:05Z\"}"
#define AWAY TAINT("node.kubernetes.io/unreachable", "")
#define BOX_AWAY TAINT("wlm.sylabs.io/unavailable", "red-box-away")

static const struct json *found(const struct job_world *w, const char *type)
{
	return condition_find(json_at(w->g.object, "status", "conditions"), type);
}

static void given_nodes(struct job_world *w, const char *nodes)
{
	w->view.nodes = (struct nodes_fact){ .list = given_json(&w->g, nodes) };
}

/* Acceptance: job-20 */
static void test_an_end_is_complete_or_failed(void **state)
{
	(void)state;
	static const struct {
		enum pod_phase phase;
		const char *is, *not, *reason;
	} rows[] = {
		{ POD_SUCCEEDED, "Complete", "Failed", "Succeeded" },
		{ POD_FAILED, "Failed", "Complete", "Failed" },
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		JOB(w);
		given_job(&w, JOB_KEPT, "");
		given_job_pod(&w, POD_RUNNING);
		when_job_published(&w);
		assert_null(found(&w, rows[i].is));
		w.pod.phase = rows[i].phase;
		w.pod.message = "over its limit";
		when_job_published(&w);
		then_condition(&w.g, rows[i].is, "True", rows[i].reason);
		then_says(&w.g, rows[i].is, "over its limit");
		assert_null(found(&w, rows[i].not));
		then_nothing(&w.g);
		/* The condition stays when the pod has gone. */
		w.view.pod = NULL;
		when_job_planned(&w);
		then_nothing(&w.g);
		assert_non_null(found(&w, rows[i].is));
	}
}

/* Fault 13: the columns were empty, and "kubectl wait" hung. */
/* Acceptance: job-20 */
static void test_what_is_refused_has_an_end_until_it_is_not(void **state)
{
	(void)state;
	JOB(w);
	given_job_spec(&w,
		"\"batch\":\"#!/bin/sh\",\"results\":{\"mount\":{\"name\":\"data\",\"hostPath\":{"
		"\"path\":\"/x\"}}}",
		JOB_KEPT, "");
	when_job_planned(&w);
	assert_int_equal(events_of(&w.g, "VolumeNotAllowed"), 1);
	when_job_published(&w);
	assert_string_equal(job_status(&w, "status"), "Failed");
	assert_string_equal(job_status(&w, "phase"), "Failed");
	assert_string_equal(job_status(&w, "reason"), "VolumeNotAllowed");
	then_condition(&w.g, "Ended", "True", "VolumeNotAllowed");
	then_condition(&w.g, "Failed", "True", "VolumeNotAllowed");
	then_nothing(&w.g);
	/* The administrator allows it: it is submitted, once. */
	w.options = job_options_usual;
	static const char *const volumes[] = { "hostPath", NULL };
	w.options.volumes = volumes;
	w.view.options = &w.options;
	when_job_planned(&w);
	then(&w.g, DO(CREATE, POD), "cow-job");
	given_job_pod(&w, POD_PENDING);
	when_job_published(&w);
	assert_string_equal(job_status(&w, "status"), "Pending");
	then_condition(&w.g, "Ended", "False", "Waiting");
	assert_null(found(&w, "Failed"));
}

/* Pending jobs wait for each other only: that passes. */
static void test_a_namespace_that_is_full_is_no_end(void **state)
{
	(void)state;
	JOB(w);
	given_job(&w, JOB_KEPT, "");
	w.view.in_short = true;
	when_job_published(&w);
	assert_string_equal(job_status(&w, "reason"), "NamespaceTooLarge");
	assert_string_equal(job_status(&w, "status"), "");
	assert_null(found(&w, "Failed"));
}

/* Acceptance: job-20 */
static void test_a_pod_that_was_lost_is_an_end_for_who_waits(void **state)
{
	(void)state;
	JOB(w);
	given_job(&w, JOB_KEPT, "");
	given_job_pod(&w, POD_RUNNING);
	when_job_published(&w);
	w.view.pod = NULL;
	when_job_published(&w);
	assert_string_equal(job_status(&w, "status"), "Failed");
	assert_string_equal(job_status(&w, "phase"), "Unknown");
	assert_string_equal(job_status(&w, "reason"), "PodLost");
	then_condition(&w.g, "Ended", "Unknown", "PodLost");
	then_condition(&w.g, "Failed", "True", "PodLost");
	when_job_planned(&w);
	then_nothing(&w.g);
}

/* The pod garbage collector writes Failed into the pod, and removes it a moment later. */
/* Acceptance: job-20 */
static void test_so_is_one_that_was_seen_to_go(void **state)
{
	(void)state;
	JOB(w);
	given_job(&w, JOB_KEPT, "");
	given_job_pod(&w, POD_RUNNING);
	when_job_published(&w);
	w.pod.phase = POD_FAILED;
	w.pod.unseen_end = true;
	when_job_published(&w);
	then_condition(&w.g, "Ended", "Unknown", "PodLost");
	assert_null(found(&w, "Failed")); /* it may yet say an end */
	w.view.pod = NULL;
	when_job_published(&w);
	then_condition(&w.g, "Ended", "Unknown", "PodLost");
	then_condition(&w.g, "Failed", "True", "PodLost");
	assert_string_equal(job_status(&w, "phase"), "Unknown");
	when_job_planned(&w);
	then_nothing(&w.g);
}

/* A manager of before told its end without these conditions, and its pod has gone. */
/* Acceptance: job-20 */
static void test_an_end_of_before_an_upgrade_is_complete_or_failed(void **state)
{
	(void)state;
	static const char *const rows[][2] = { { "Succeeded", "Complete" },
		{ "Failed", "Failed" } };
	for (size_t i = 0; i < LENGTH(rows); i++) {
		JOB(w);
		AUTO(str_free) struct str status = { 0 };
		str_addf(&status,
			"\"status\":{\"status\":\"%s\",\"phase\":\"%s\",\"conditions\":[{"
			"\"type\":\"Ended\",\"status\":\"True\",\"reason\":\"%s\",\"message\":"
			"\"exit code 7\",\"lastTransitionTime\":\"2025-12-31T23:59:05Z\"}]}",
			rows[i][0], rows[i][0], rows[i][0]);
		given_job(&w, JOB_KEPT, str_text(&status));
		when_job_published(&w);
		then_condition(&w.g, rows[i][1], "True", rows[i][0]);
		then_says(&w.g, rows[i][1], "exit code 7");
		then_condition(&w.g, "Ended", "True", rows[i][0]);
		when_job_planned(&w);
		then_nothing(&w.g);
	}
}

/* Acceptance: vnode-29 */
static void test_a_pod_that_is_deleted_before_a_node_had_it_was_no_job(void **state)
{
	(void)state;
	JOB(w);
	given_job(&w, JOB_KEPT, "");
	given_job_pod(&w, POD_PENDING)->node_name = "";
	w.pod.terminating = true;
	w.pod.unreported_at = 0;
	when_job_planned(&w);
	then_no(&w.g, DO(PATCH, POD), NULL); /* the status first: it cannot be told later */
	when_job_published(&w);
	then(&w.g, DO(PATCH, POD), "cow-job");
	assert_string_equal(job_status(&w, "status"), "Failed");
	assert_string_equal(job_status(&w, "reason"), "PodDeleted");
	then_condition(&w.g, "Ended", "True", "PodDeleted");
	then_condition(&w.g, "Failed", "True", "PodDeleted");
	w.view.pod = NULL;
	when_job_planned(&w);
	then_nothing(&w.g);
}

/*
 * A user removed the pod by force a moment after it was made, and its virtual node wrote
 * its end. Found by the simulator (seed 2047): the object said PodLost.
 */
/* Acceptance: vnode-29 */
static void test_a_pod_that_has_ended_is_told_before_it_may_go(void **state)
{
	(void)state;
	JOB(w);
	given_job(&w, JOB_KEPT, "");
	given_job_pod(&w, POD_PENDING)->unreported_at = 0;
	when_job_published(&w);
	w.pod.phase = POD_FAILED;
	w.pod.reason = "PodDeleted";
	w.pod.terminating = true;
	when_job_planned(&w);
	then_no(&w.g, DO(PATCH, POD), NULL);
	when_job_published(&w);
	then(&w.g, DO(PATCH, POD), "cow-job");
	assert_string_equal(job_status(&w, "phase"), "Failed");
	then_condition(&w.g, "Ended", "True", "Failed");
}

/* No status is to have an end that the virtual node has not seen. */
/* Acceptance: vnode-29 */
static void test_an_end_that_was_not_seen_holds_no_pod(void **state)
{
	(void)state;
	JOB(w);
	given_job(&w, JOB_KEPT, "");
	given_job_pod(&w, POD_PENDING)->unreported_at = 0;
	when_job_published(&w);
	w.pod.phase = POD_FAILED;
	w.pod.unseen_end = true;
	when_job_published(&w);
	then(&w.g, DO(PATCH, POD), "cow-job");
}

/* Fault 8: 75 s after the virtual node had gone the object said that it runs. */
/* Acceptance: job-21 */
static void test_what_is_old_says_since_when(void **state)
{
	(void)state;
	static const struct {
		const char *taint, *reason, *says;
	} rows[] = {
		{ NODE(AWAY), "VirtualNodeAway",
			"it ran when virtual node slurm-login-debug last reported it; virtual node "
			"slurm-login-debug does not answer, as was seen at 2025-12-31T23:59:05Z" },
		{ NODE(BOX_AWAY), "RedBoxAway",
			"does not hear from its red-box or from slurmctld" },
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		JOB(w);
		given_job(&w, JOB_KEPT, "");
		given_job_pod(&w, POD_RUNNING);
		given_nodes(&w, NODE(""));
		when_job_published(&w);
		assert_true(w.g.plan.asks_nodes);
		then_says(&w.g, "Ended", "reports that it runs");
		given_nodes(&w, rows[i].taint);
		when_job_published(&w);
		then_condition(&w.g, "Ended", "False", "Running");
		then_says(&w.g, "Ended", rows[i].says);
		assert_string_equal(job_status(&w, "reason"), rows[i].reason);
		then_nothing(&w.g);
		given_nodes(&w, NODE(""));
		when_job_planned(&w);
		assert_int_equal(events_of(&w.g, "Started"), 0);
		when_job_published(&w);
		assert_string_equal(job_status(&w, "reason"), "");
		then_says(&w.g, "Ended", "reports that it runs");
	}
}

static void test_one_that_waits_says_so_as_well(void **state)
{
	(void)state;
	JOB(w);
	given_job(&w, JOB_KEPT, "");
	given_job_pod(&w, POD_PENDING);
	given_nodes(&w, NODE(BOX_AWAY));
	when_job_published(&w);
	then_condition(&w.g, "Ended", "False", "Waiting");
	then_says(&w.g, "Ended", "nothing is submitted");
	assert_string_equal(job_status(&w, "reason"), "RedBoxAway");
	w.pod.phase = POD_SUCCEEDED;
	w.pod.reason = "Job finished";
	when_job_published(&w);
	assert_string_equal(job_status(&w, "reason"), "Job finished");
	assert_false(w.g.plan.asks_nodes);
}

/* Fault 15: it had a node, and "waited for its Kubernetes node" for twelve minutes. */
/* Acceptance: job-21 */
static void test_a_collector_names_the_volume_that_it_waits_for(void **state)
{
	(void)state;
	JOB(w);
	given_job_results(&w, JOB_RESULTS(""), POD_SUCCEEDED);
	given_collector(&w, POD_PENDING, "1");
	when_job_published(&w);
	then_says(&w.g, "ResultsCollected",
		"Kubernetes node machine has it, and makes its volume (persistentVolumeClaim c)");
	then_says(&w.g, "ResultsCollected", "FailedMount");
	w.collector.node_name = "";
	when_job_published(&w);
	then_says(&w.g, "ResultsCollected", "waits: for its Kubernetes node");
}

#define T(name) cmocka_unit_test(name)
int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_an_end_is_complete_or_failed),
		T(test_what_is_refused_has_an_end_until_it_is_not),
		T(test_a_namespace_that_is_full_is_no_end),
		T(test_a_pod_that_was_lost_is_an_end_for_who_waits),
		T(test_so_is_one_that_was_seen_to_go),
		T(test_an_end_of_before_an_upgrade_is_complete_or_failed),
		T(test_a_pod_that_is_deleted_before_a_node_had_it_was_no_job),
		T(test_a_pod_that_has_ended_is_told_before_it_may_go),
		T(test_an_end_that_was_not_seen_holds_no_pod),
		T(test_what_is_old_says_since_when),
		T(test_one_that_waits_says_so_as_well),
		T(test_a_collector_names_the_volume_that_it_waits_for),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
