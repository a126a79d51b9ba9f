/* SPDX-License-Identifier: Apache-2.0 */
/* A pod of a virtual node becomes one job, and its status says what becomes of that. */
#include "lib/vnode_world.h"

#include "api/names.h"

#define W struct vnode_world *w = *state

/* Acceptance: vnode-4 */
static void test_a_slurmjob_is_submitted_once_and_its_end_is_told(void **state)
{
	W;
	given_a_job(w, "cow", "SlurmJob");
	when_time_passed(w, 2000);
	then_phase(w, "cow", "Pending");
	assert_string_equal(w->script, "#!/bin/sh\nhostname\n");
	assert_string_equal(pod_note(w, "cow", ANNOTATION_JOB_KEY), "uid-cow");
	assert_string_equal(pod_note(w, "cow", ANNOTATION_JOB_ID), "101");
	assert_string_equal(pod_text(w, "cow", "status.containerStatuses.0.state.waiting.reason"),
		"Resources");
	slurm_job(w, "cow")->state = "RUNNING";
	slurm_job(w, "cow")->nodes = "n[1-2]";
	slurm_job(w, "cow")->start_s = 1767225660;
	when_time_passed(w, 6000);
	then_phase(w, "cow", "Running");
	assert_string_equal(pod_note(w, "cow", ANNOTATION_JOB_NODES), "n[1-2]");
	assert_string_equal(pod_note(w, "cow", ANNOTATION_JOB_STATE), "RUNNING");
	slurm_job(w, "cow")->state = "COMPLETED";
	slurm_job(w, "cow")->end_s = 1767225700;
	when_time_passed(w, 6000);
	then_phase(w, "cow", "Succeeded");
	assert_string_equal(pod_text(w, "cow",
				    "status.containerStatuses.0.state.terminated.finishedAt"),
		"2026-01-01T00:01:40Z");
	assert_int_equal(w->sbatches, 1);
	assert_int_equal(w->submits, 1);
}

static void test_a_wlmjob_is_submitted_with_its_image(void **state)
{
	W;
	given_a_job(w, "cow-wlm", "WlmJob");
	when_time_passed(w, 2000);
	assert_string_equal(w->image, "library://cow");
	assert_int_equal(w->sbatches, 1);
}

/* Acceptance: vnode-5, V34 */
static void test_while_nothing_changes_nothing_is_written(void **state)
{
	W;
	given_a_job(w, "cow", "SlurmJob");
	when_time_passed(w, 2000);
	int writes = w->pod_writes, node_writes = w->node_writes, infos = w->infos;
	when_time_passed(w, 60000);
	assert_int_equal(w->pod_writes, writes);
	assert_int_equal(w->node_writes, node_writes);
	assert_in_range(w->infos - infos, 28, 32);
}

/* V12 */
/* Acceptance: vnode-3, V12 */
static void test_a_submission_whose_answer_is_lost_is_repeated_with_its_key(void **state)
{
	W;
	w->forgets_answers = true;
	given_a_job(w, "cow", "SlurmJob");
	when_time_passed(w, 10000);
	assert_true(w->submits > 1);
	w->forgets_answers = false;
	when_time_passed(w, 40000);
	assert_int_equal(w->sbatches, 1);
	assert_string_equal(pod_note(w, "cow", ANNOTATION_JOB_ID), "101");
	assert_true(event_was_told(w, "SubmissionDelayed"));
}

/* Acceptance: vnode-3 */
static void test_failed_submissions_are_repeated_with_growing_pauses(void **state)
{
	W;
	w->submit_fails = ERR_RETRY;
	given_a_job(w, "cow", "SlurmJob");
	when_time_passed(w, 60000);
	assert_in_range(w->submits, 4, 8);
	then_phase(w, "cow", "Pending");
	w->submit_fails = ERR_NONE;
	when_time_passed(w, 40000);
	assert_int_equal(w->sbatches, 1);
}

/* Acceptance: vnode-3 */
static void test_what_is_refused_for_good_fails_with_the_sentence_of_slurm(void **state)
{
	W;
	w->submit_fails = ERR_INVALID;
	given_a_job(w, "cow", "SlurmJob");
	when_time_passed(w, 20000);
	then_phase(w, "cow", "Failed");
	assert_string_equal(pod_text(w, "cow", "status.reason"), "SubmissionRefused");
	assert_string_equal(pod_text(w, "cow", "status.message"), "sbatch says no");
	assert_int_equal(w->submits, 1);
}

/* V1 */
/* Acceptance: vnode-1, V1 */
static void test_whoever_starts_anew_finds_the_job_again(void **state)
{
	W;
	given_a_job(w, "cow", "SlurmJob");
	given_a_job(w, "hen", "SlurmJob");
	when_time_passed(w, 2000);
	slurm_job(w, "cow")->state = "RUNNING";
	when_killed(w);
	when_begun(w);
	when_time_passed(w, 20000);
	then_phase(w, "cow", "Running");
	then_phase(w, "hen", "Pending");
	assert_int_equal(w->sbatches, 2);
	assert_int_equal(w->submits, 2);
}

/* Killed again and again, after each tenth of a second of its life. */
/* Acceptance: vnode-1, V1 */
static void test_wherever_it_is_killed_there_is_one_job(void **state)
{
	W;
	given_a_job(w, "cow", "SlurmJob");
	for (int i = 0; i < 30; i++) {
		when_killed(w);
		when_begun(w);
		for (int k = 0; k <= i; k++)
			sim_loop_pass(&w->loop, 0);
		when_time_passed(w, 100);
	}
	when_time_passed(w, 20000);
	assert_int_equal(w->sbatches, 1);
	then_phase(w, "cow", "Pending");
}

/* The process dies while red-box works on the submission. */
/* Acceptance: vnode-1 */
static void test_a_submission_that_was_under_way_is_made_again_with_its_key(void **state)
{
	W;
	given_a_job(w, "cow", "SlurmJob");
	w->forgets_answers = true;
	when_time_passed(w, 500);
	when_killed(w);
	assert_int_equal(w->sbatches, 1);
	assert_string_equal(pod_note(w, "cow", ANNOTATION_JOB_ID), "");
	w->forgets_answers = false;
	when_begun(w);
	when_time_passed(w, 20000);
	assert_int_equal(w->sbatches, 1);
	assert_string_equal(pod_note(w, "cow", ANNOTATION_JOB_ID), "101");
}

/* Acceptance: vnode-2 */
static void test_nothing_is_submitted_before_the_pod_says_so(void **state)
{
	W;
	w->refuses = "PATCH /api/v1/namespaces/ns/pods";
	given_a_job(w, "cow", "SlurmJob");
	when_time_passed(w, 30000);
	assert_int_equal(w->submits, 0);
	w->refuses = NULL;
	when_time_passed(w, 40000);
	assert_int_equal(w->sbatches, 1);
}

/* V20 */
/* Acceptance: vnode-5, V20 */
static void test_an_end_whose_write_failed_is_written_again(void **state)
{
	W;
	given_a_job(w, "cow", "SlurmJob");
	when_time_passed(w, 2000);
	slurm_job(w, "cow")->state = "COMPLETED";
	w->refuses = "/pods/cow-job/status";
	when_time_passed(w, 10000);
	then_phase(w, "cow", "Pending");
	w->refuses = NULL;
	when_time_passed(w, 20000);
	then_phase(w, "cow", "Succeeded");
	assert_int_equal(w->sbatches, 1);
}

/* The owner is read again, because Kubernetes takes its pod away. */
static void test_what_is_asked_for_too_late_ends_no_job(void **state)
{
	W;
	given_a_job(w, "cow", "SlurmJob");
	when_time_passed(w, 2000);
	slurm_job(w, "cow")->state = "RUNNING";
	when_time_passed(w, 6000);
	when_killed(w);
	given_owner(w, "cow", "{\"spec\":{\"prepare\":{\"to\":\"x\"}}}");
	given_pod_changed(w, "cow",
		"{\"metadata\":{\"deletionTimestamp\":\"2026-01-01T00:00:00Z\"},\"status\":{"
		"\"conditions\":[{\"type\":\"DisruptionTarget\",\"status\":\"True\"}]}}");
	when_begun(w);
	when_time_passed(w, 20000);
	then_phase(w, "cow", "Running");
	assert_string_equal(slurm_job(w, "cow")->state, "RUNNING");
}

/* A slurmctld that was killed has lost it. */
/* Acceptance: vnode-6 */
static void test_what_slurm_has_lost_is_submitted_again_with_its_key(void **state)
{
	W;
	given_a_job(w, "cow", "SlurmJob");
	when_time_passed(w, 2000);
	slurm_job(w, "cow")->lost = true;
	when_time_passed(w, 20000);
	assert_int_equal(w->sbatches, 2);
	then_phase(w, "cow", "Pending");
	assert_string_equal(pod_note(w, "cow", ANNOTATION_JOB_ID), "102");
}

/* V10 */
/* Acceptance: vnode-6, V10 */
static void test_what_nobody_can_tell_any_more_is_told_so(void **state)
{
	W;
	given_a_running_job(w);
	w->info_fails = ERR_EXISTS;
	when_time_passed(w, 60000);
	then_phase(w, "cow", "Failed");
	assert_string_equal(pod_text(w, "cow", "status.reason"), "JobNotFound");
	assert_string_equal(pod_text(w, "cow", "status.containerStatuses.0.name"), "");
	assert_int_equal(w->sbatches, 1);
}

static void test_a_key_that_is_used_up_is_told_so(void **state)
{
	W;
	w->submit_fails = ERR_EXISTS;
	given_a_job(w, "cow", "SlurmJob");
	when_time_passed(w, 10000);
	then_phase(w, "cow", "Failed");
	assert_string_equal(pod_text(w, "cow", "status.reason"), "JobNotFound");
	assert_int_equal(w->submits, 1);
}

/* The facts of a pod for the kubelet API. */
static void test_pods_are_shown_with_what_is_known_of_their_jobs(void **state)
{
	W;
	struct kubelet_pod shown;
	given_a_job(w, "cow", "SlurmJob");
	when_time_passed(w, 2000);
	slurm_job(w, "cow")->state = "RUNNING";
	slurm_job(w, "cow")->start_s = 1767225660;
	when_time_passed(w, 6000);
	assert_true(vnode_find(w->vnode, "ns", "cow-job", &shown));
	assert_true(shown.is_job);
	assert_false(shown.ended);
	assert_string_equal(shown.key, "uid-cow");
	assert_string_equal(shown.container, "jt1");
	assert_string_equal(shown.std_out, "/home/a/slurm.out");
	assert_int_equal(shown.job_id, 101);
	assert_int_equal(shown.start_s, 1767225660);
	assert_false(vnode_find(w->vnode, "other", "cow-job", &shown));
}

/* Fault 11: the virtual node was started anew, and Slurm has forgotten the job. */
/* Acceptance: log-13 */
static void test_the_file_of_a_forgotten_job_is_known_after_a_start(void **state)
{
	W;
	struct kubelet_pod shown;
	w->unheard = true;
	given_a_job(w, "cow", "SlurmJob");
	when_time_passed(w, 2000);
	slurm_job(w, "cow")->state = "COMPLETED";
	when_time_passed(w, 6000);
	then_phase(w, "cow", "Succeeded");
	when_killed(w);
	w->info_fails = ERR_NOT_FOUND;
	when_begun(w);
	when_time_passed(w, 6000);
	assert_true(vnode_find(w->vnode, "ns", "cow-job", &shown));
	assert_string_equal(shown.std_out, "/home/a/slurm.out");
	/* A user who may change a pod writes its annotations, and not its status. */
	char *pod AUTO(own_free) = pod_json(w, "cow");
	const char *status = strstr(pod, "\"status\":");
	assert_non_null(strstr(status, CONDITION_JOB_OUTPUT));
	assert_int_equal(strstr(pod, "/home/a/slurm.out") > status, 1);
}

/* Slurm has no accounts: its number is known, and nothing else. */
/* Acceptance: vnode-6, V10 */
static void test_a_job_that_slurm_has_forgotten_is_told_so_after_a_while(void **state)
{
	W;
	given_a_job(w, "cow", "SlurmJob");
	when_time_passed(w, 2000);
	w->info_fails = ERR_NOT_FOUND;
	when_time_passed(w, 30000);
	then_phase(w, "cow", "Pending");
	when_time_passed(w, 90000);
	then_phase(w, "cow", "Failed");
	assert_string_equal(pod_text(w, "cow", "status.reason"), "JobNotFound");
	assert_int_equal(w->sbatches, 1);
}

/*
 * slurmctld was killed right after it had taken the job once more, and lost the number
 * with it: so the same number is given again, and it is another submission.
 */
/* Acceptance: vnode-6 */
static void test_what_slurm_lost_again_while_it_was_away_is_not_given_up(void **state)
{
	W;
	given_a_job(w, "cow", "SlurmJob");
	when_time_passed(w, 2000);
	/* given: it was not found for a while, and then Slurm was away */
	w->info_fails = ERR_NOT_FOUND;
	when_time_passed(w, 30000);
	w->info_fails = ERR_RETRY;
	when_time_passed(w, 60000);
	/* when: Slurm is there, and does not know it; then: it is submitted once more */
	int submits = w->submits;
	w->info_fails = ERR_NOT_FOUND;
	when_time_passed(w, 50000);
	then_phase(w, "cow", "Pending");
	assert_true(w->submits > submits);
	/* and: that has an end, too */
	when_time_passed(w, 120000);
	then_phase(w, "cow", "Failed");
	assert_string_equal(pod_text(w, "cow", "status.reason"), "JobNotFound");
}

/* A missing answer of red-box has no meaning. */
/* Acceptance: vnode-24 */
static void test_while_red_box_is_away_nothing_changes(void **state)
{
	W;
	given_a_job(w, "cow", "SlurmJob");
	when_time_passed(w, 2000);
	w->down = true;
	given_a_job(w, "hen", "SlurmJob");
	when_time_passed(w, 120000);
	then_phase(w, "cow", "Pending");
	then_phase(w, "hen", "Pending");
	assert_int_equal(w->sbatches, 1);
	w->down = false;
	slurm_job(w, "cow")->state = "COMPLETED";
	when_time_passed(w, 45000);
	then_phase(w, "cow", "Succeeded");
	assert_int_equal(w->sbatches, 2);
}

/* V25, V29 */
/* Acceptance: vnode-2, V25, V29 */
static void test_a_pod_that_is_no_job_is_refused(void **state)
{
	W;
	given_a_job(w, "cow", "DaemonSet");
	when_time_passed(w, 5000);
	then_phase(w, "cow", "Failed");
	assert_string_equal(pod_text(w, "cow", "status.reason"), "NotAJob");
	assert_string_equal(pod_text(w, "cow", "status.conditions.3.status"), "False");
	assert_int_equal(w->submits, 0);
}

/* Acceptance: vnode-2, V29 */
static void test_a_pod_whose_owner_is_another_one_is_not_submitted(void **state)
{
	W;
	w->down = true;
	when_time_passed(w, 11000);
	given_a_job(w, "cow", "SlurmJob");
	given_owner(w, "cow", "{\"metadata\":{\"uid\":\"another\"}}");
	w->down = false;
	when_time_passed(w, 10000);
	then_phase(w, "cow", "Failed");
	assert_string_equal(pod_text(w, "cow", "status.reason"), "OwnerGone");
	assert_int_equal(w->submits, 0);
}

/* The CRD of the owner is not there yet, or was removed. */
static void test_a_kind_that_is_not_known_says_nothing_of_an_object(void **state)
{
	W;
	w->no_crd = true;
	given_a_job(w, "cow", "SlurmJob");
	when_time_passed(w, 20000);
	then_phase(w, "cow", "Pending");
	w->no_crd = false;
	when_time_passed(w, 40000);
	assert_int_equal(w->sbatches, 1);
}

/* A pod of wlm-operator: its job is not known here. */
/* Acceptance: vnode-2 */
static void test_a_pod_that_another_virtual_node_has_run_is_left_alone(void **state)
{
	W;
	when_killed(w);
	given_a_job(w, "cow", "SlurmJob");
	given_pod_changed(w, "cow", "{\"status\":{\"phase\":\"Running\"}}");
	when_begun(w);
	when_time_passed(w, 10000);
	assert_int_equal(w->submits, 0);
	then_phase(w, "cow", "Running");
	assert_true(event_was_told(w, "RunByOthers"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		VNODE_TEST(test_a_slurmjob_is_submitted_once_and_its_end_is_told),
		VNODE_TEST(test_a_wlmjob_is_submitted_with_its_image),
		VNODE_TEST(test_while_nothing_changes_nothing_is_written),
		VNODE_TEST(test_a_submission_whose_answer_is_lost_is_repeated_with_its_key),
		VNODE_TEST(test_failed_submissions_are_repeated_with_growing_pauses),
		VNODE_TEST(test_what_is_refused_for_good_fails_with_the_sentence_of_slurm),
		VNODE_TEST(test_whoever_starts_anew_finds_the_job_again),
		VNODE_TEST(test_wherever_it_is_killed_there_is_one_job),
		VNODE_TEST(test_a_submission_that_was_under_way_is_made_again_with_its_key),
		VNODE_TEST(test_nothing_is_submitted_before_the_pod_says_so),
		VNODE_TEST(test_an_end_whose_write_failed_is_written_again),
		VNODE_TEST(test_what_is_asked_for_too_late_ends_no_job),
		VNODE_TEST(test_what_slurm_has_lost_is_submitted_again_with_its_key),
		VNODE_TEST(test_what_nobody_can_tell_any_more_is_told_so),
		VNODE_TEST(test_a_key_that_is_used_up_is_told_so),
		VNODE_TEST(test_the_file_of_a_forgotten_job_is_known_after_a_start),
		VNODE_TEST(test_pods_are_shown_with_what_is_known_of_their_jobs),
		VNODE_TEST(test_a_job_that_slurm_has_forgotten_is_told_so_after_a_while),
		VNODE_TEST(test_what_slurm_lost_again_while_it_was_away_is_not_given_up),
		VNODE_TEST(test_while_red_box_is_away_nothing_changes),
		VNODE_TEST(test_a_pod_that_is_no_job_is_refused),
		VNODE_TEST(test_a_pod_whose_owner_is_another_one_is_not_submitted),
		VNODE_TEST(test_a_kind_that_is_not_known_says_nothing_of_an_object),
		VNODE_TEST(test_a_pod_that_another_virtual_node_has_run_is_left_alone),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
