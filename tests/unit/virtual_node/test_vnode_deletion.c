/* SPDX-License-Identifier: Apache-2.0 */
/* A pod of a virtual node goes when its job has ended, and not before. */
#include "lib/vnode_world.h"

#include "api/names.h"
#include "plan/vnode/pod.h"

#define W struct vnode_world *w = *state
#define DISRUPTED                                                                        \
	"{\"metadata\":{\"deletionTimestamp\":\"2026-01-01T00:00:00Z\"},\"status\":{"    \
	"\"conditions\":[{\"type\":\"DisruptionTarget\",\"status\":\"True\",\"reason\":" \
	"\"DeletionByTaintManager\"}]}}"

/* Acceptance: vnode-7 */
static void test_a_deletion_cancels_the_job_and_then_the_pod_goes(void **state)
{
	W;
	given_a_running_job(w);
	given_owner(w, "cow", DELETED);
	given_pod_changed(w, "cow", DELETED);
	when_time_passed(w, 5000);
	assert_string_equal(slurm_job(w, "cow")->state, "CANCELLED by 1000");
	assert_true(pod_is_there(w, "cow")); /* slurmctld may forget that yet */
	int infos = w->infos;
	when_time_passed(w, VPOD_KEPT_MS);
	assert_false(pod_is_there(w, "cow"));
	assert_int_equal(w->infos, infos + 1);
	assert_int_equal(w->cancels, 1);
}

/* slurmctld was killed a moment after scancel, and has the job as it was before. */
/* Acceptance: vnode-10 */
static void test_a_cancellation_that_slurmctld_forgets_is_repeated(void **state)
{
	W;
	given_a_running_job(w);
	given_owner(w, "cow", DELETED);
	given_pod_changed(w, "cow", DELETED);
	when_time_passed(w, 5000);
	assert_string_equal(slurm_job(w, "cow")->state, "CANCELLED by 1000");
	slurm_job(w, "cow")->state = "PENDING";
	when_time_passed(w, VPOD_AGAIN_MS + 5000);
	assert_string_equal(slurm_job(w, "cow")->state, "CANCELLED by 1000");
	assert_int_equal(w->cancels, 2);
	assert_true(pod_is_there(w, "cow"));
	when_time_passed(w, VPOD_KEPT_MS);
	assert_false(pod_is_there(w, "cow"));
}

/* Likewise for a job that had ended, was run again, and was cancelled then. */
static void test_so_is_that_of_a_job_that_was_requeued(void **state)
{
	W;
	given_a_running_job(w);
	slurm_job(w, "cow")->state = "FAILED";
	when_time_passed(w, 6000);
	slurm_job(w, "cow")->state = "RUNNING";
	given_pod_changed(w, "cow", DELETED);
	when_time_passed(w, 5000);
	assert_string_equal(slurm_job(w, "cow")->state, "CANCELLED by 1000");
	slurm_job(w, "cow")->state = "RUNNING";
	when_time_passed(w, VPOD_AGAIN_MS + VPOD_KEPT_MS + 5000);
	assert_int_equal(w->cancels, 2);
	assert_false(pod_is_there(w, "cow"));
}

/* scancel has said yes, and the job takes its time. */
/* Acceptance: vnode-7 */
static void test_the_pod_stays_until_slurm_says_that_the_job_has_ended(void **state)
{
	W;
	given_a_running_job(w);
	slurm_job(w, "cow")->state = "COMPLETING";
	given_pod_changed(w, "cow", DELETED);
	when_time_passed(w, 60000);
	assert_true(pod_is_there(w, "cow"));
	slurm_job(w, "cow")->state = "CANCELLED by 1000";
	when_time_passed(w, 3000 + VPOD_KEPT_MS);
	assert_false(pod_is_there(w, "cow"));
}

/* V4 */
/* Acceptance: vnode-7, V4, V35 */
static void test_a_cancel_that_fails_keeps_the_pod_and_is_repeated(void **state)
{
	W;
	given_a_running_job(w);
	w->cancel_fails = ERR_RETRY;
	given_pod_changed(w, "cow", DELETED);
	when_time_passed(w, 60000);
	assert_true(pod_is_there(w, "cow"));
	assert_true(event_was_told(w, "CancelFailed"));
	w->cancel_fails = ERR_NONE;
	when_time_passed(w, 35000 + VPOD_KEPT_MS);
	assert_false(pod_is_there(w, "cow"));
	assert_string_equal(slurm_job(w, "cow")->state, "CANCELLED by 1000");
}

/* V2 */
/* Acceptance: vnode-7, V2 */
static void test_what_was_deleted_while_nobody_was_there_is_cancelled(void **state)
{
	W;
	given_a_running_job(w);
	when_killed(w);
	given_owner(w, "cow", DELETED);
	given_pod_changed(w, "cow", DELETED);
	when_begun(w);
	when_time_passed(w, 10000 + VPOD_KEPT_MS);
	assert_string_equal(slurm_job(w, "cow")->state, "CANCELLED by 1000");
	assert_false(pod_is_there(w, "cow"));
}

/* Acceptance: vnode-7 */
static void test_while_red_box_is_away_no_pod_goes(void **state)
{
	W;
	given_a_running_job(w);
	w->down = true;
	given_pod_changed(w, "cow", DELETED);
	when_time_passed(w, 120000);
	assert_true(pod_is_there(w, "cow"));
	w->down = false;
	when_time_passed(w, 40000 + VPOD_KEPT_MS);
	assert_false(pod_is_there(w, "cow"));
}

static void test_what_was_never_submitted_goes_at_once(void **state)
{
	W;
	w->down = true;
	when_time_passed(w, 11000);
	given_a_job(w, "cow", "SlurmJob");
	when_time_passed(w, 2000);
	given_pod_changed(w, "cow", DELETED);
	when_time_passed(w, 5000);
	assert_false(pod_is_there(w, "cow"));
	assert_int_equal(w->cancels, 0);
}

/* The outcome at red-box is unknown: "there is none" counts only a while later. */
/* Acceptance: vnode-7 */
static void test_a_submission_that_may_arrive_late_keeps_the_pod(void **state)
{
	W;
	w->submit_fails = ERR_LOST;
	given_a_job(w, "cow", "SlurmJob");
	when_time_passed(w, 1000);
	assert_int_equal(w->sbatches, 0);
	given_pod_changed(w, "cow", DELETED);
	when_time_passed(w, 5000);
	assert_true(pod_is_there(w, "cow"));
	when_time_passed(w, 20000);
	assert_false(pod_is_there(w, "cow"));
}

/* Acceptance: vnode-11 */
static void test_what_kubernetes_takes_away_by_itself_goes_on(void **state)
{
	W;
	given_a_running_job(w);
	w->unheard = true;
	given_pod_changed(w, "cow", DISRUPTED);
	when_time_passed(w, 60000);
	assert_true(pod_is_there(w, "cow"));
	assert_int_equal(w->cancels, 0);
	assert_true(event_was_told(w, "Disrupted"));
	slurm_job(w, "cow")->state = "COMPLETED";
	when_time_passed(w, 20000);
	then_phase(w, "cow", "Succeeded");
	/* The end of the job is seen before the pod goes. */
	given_owner(w, "cow", "{\"status\":{\"status\":\"Succeeded\"}}");
	when_time_passed(w, 20000);
	assert_false(pod_is_there(w, "cow"));
	assert_int_equal(w->sbatches, 1);
}

/* Acceptance: vnode-11 */
static void test_what_was_taken_away_and_is_deleted_then_is_cancelled(void **state)
{
	W;
	given_a_running_job(w);
	given_pod_changed(w, "cow", DISRUPTED);
	when_time_passed(w, 20000);
	given_owner(w, "cow", DELETED);
	when_time_passed(w, 30000 + VPOD_KEPT_MS);
	assert_string_equal(slurm_job(w, "cow")->state, "CANCELLED by 1000");
	assert_false(pod_is_there(w, "cow"));
}

static void test_a_pod_that_is_gone_with_its_owner_has_its_job_cancelled(void **state)
{
	W;
	given_a_running_job(w);
	given_no_owner(w, "cow");
	given_pod_gone(w, "cow");
	when_time_passed(w, 30000);
	assert_string_equal(slurm_job(w, "cow")->state, "CANCELLED by 1000");
}

/* V4: the name is used again at once. */
/* Acceptance: vnode-22, V4 */
static void test_a_name_that_comes_again_is_another_job(void **state)
{
	W;
	given_a_running_job(w);
	given_pod_changed(w, "cow", DELETED);
	when_time_passed(w, 5000 + VPOD_KEPT_MS);
	assert_false(pod_is_there(w, "cow"));
	given_a_job(w, "cow", "SlurmJob");
	given_owner(w, "cow", "{\"metadata\":{\"uid\":\"uid-next\"}}");
	given_pod_changed(w, "cow",
		"{\"metadata\":{\"uid\":\"pod-next\",\"annotations\":null,\"deletionTimestamp\":"
		"null,"
		"\"ownerReferences\":[{\"apiVersion\":\"wlm.sylabs.io/v1alpha1\",\"kind\":"
		"\"SlurmJob\",\"name\":\"cow\",\"uid\":\"uid-next\",\"controller\":true}]}}");
	when_time_passed(w, 5000);
	assert_string_equal(pod_note(w, "cow", ANNOTATION_JOB_KEY), "uid-next");
	assert_int_equal(slurm_job(w, "next")->id, 102);
}

/* The watch is silent meanwhile: answers to our own writes count at once. */
/* Acceptance: vnode-1 */
static void test_a_watch_that_is_behind_makes_no_second_job(void **state)
{
	W;
	given_a_job(w, "cow", "SlurmJob");
	w->deaf = true;
	when_time_passed(w, 30000);
	assert_int_equal(w->sbatches, 1);
	assert_string_equal(pod_note(w, "cow", ANNOTATION_JOB_ID), "101");
}

static void count(void *n, const struct kubelet_pod *p)
{
	assert_string_equal(p->name, "cow-job");
	++*(int *)n;
}

/* The pod was written, removed by force, and then the answer to the write came. */
static void test_an_answer_that_is_late_brings_no_pod_back(void **state)
{
	W;
	given_a_running_job(w);
	w->keeps = "PATCH";
	slurm_job(w, "cow")->nodes = "n1";
	when_time_passed(w, 6000);
	struct http_call *late = fake_open(&w->http,
		"PATCH /api/v1/namespaces/ns/pods/cow-job/status");
	char *old AUTO(own_free) = pod_json(w, "cow");
	assert_non_null(late);
	given_pod_gone(w, "cow");
	w->keeps = NULL;
	fake_answer(late, 200, old);
	when_time_passed(w, 20000);
	int known = 0;
	vnode_each(w->vnode, count, &known);
	assert_int_equal(known, 0);
}

/* The watch broke off, and the next list does not have the pod. */
static void test_a_pod_that_a_list_does_not_have_is_gone(void **state)
{
	W;
	given_a_running_job(w);
	w->deaf = true;
	given_no_owner(w, "cow");
	given_pod_gone(w, "cow");
	w->deaf = false;
	fake_fail(fake_open(&w->http, "/pods?fieldSelector"), ERR_LOST);
	when_time_passed(w, 200000);
	assert_string_equal(slurm_job(w, "cow")->state, "CANCELLED by 1000");
}

/* A moment ago its owner was there. */
static void test_whether_its_owner_is_there_is_read_anew_when_a_pod_is_gone(void **state)
{
	W;
	given_a_running_job(w);
	given_pod_changed(w, "cow", DISRUPTED);
	when_time_passed(w, 1000);
	assert_true(event_was_told(w, "Disrupted"));
	given_no_owner(w, "cow");
	given_pod_gone(w, "cow");
	when_time_passed(w, 5000);
	assert_string_equal(slurm_job(w, "cow")->state, "CANCELLED by 1000");
}

/* The pod garbage collector says so of a pod whose node it did not find. */
static void test_an_end_that_nobody_has_seen_is_no_end(void **state)
{
	W;
	given_a_running_job(w);
	when_killed(w);
	given_pod_changed(w, "cow",
		"{\"status\":{\"phase\":\"Failed\",\"conditions\":[{\"type\":"
		"\"DisruptionTarget\",\"status\":\"True\",\"reason\":\"DeletionByPodGC\"}]}}");
	when_begun(w);
	when_time_passed(w, 10000);
	then_phase(w, "cow", "Running");
	assert_int_equal(w->cancels, 0);
}

static void test_what_somebody_takes_from_the_pod_is_said_again(void **state)
{
	W;
	given_a_running_job(w);
	given_pod_changed(w, "cow", "{\"metadata\":{\"annotations\":null}}");
	when_time_passed(w, 6000);
	assert_string_equal(pod_note(w, "cow", ANNOTATION_JOB_KEY), "uid-cow");
	assert_string_equal(pod_note(w, "cow", ANNOTATION_JOB_ID), "101");
	assert_int_equal(w->submits, 1);
}

/* A pod that was removed while no process ran: its owner is its key. */
static void test_a_pod_that_says_nothing_of_its_job_has_it_cancelled(void **state)
{
	W;
	given_a_running_job(w);
	when_killed(w);
	given_pod_changed(w, "cow", "{\"metadata\":{\"annotations\":null}}");
	given_pod_changed(w, "cow", DELETED);
	when_begun(w);
	when_time_passed(w, 20000 + VPOD_KEPT_MS);
	assert_string_equal(slurm_job(w, "cow")->state, "CANCELLED by 1000");
	assert_false(pod_is_there(w, "cow"));
}

/* ---- a job that has ended, and that a user has had Slurm run again ---- */

static void given_a_requeued_job(struct vnode_world *w)
{
	given_a_running_job(w);
	slurm_job(w, "cow")->state = "FAILED";
	when_time_passed(w, 6000);
	then_phase(w, "cow", "Failed");
	slurm_job(w, "cow")->state = "RUNNING"; /* scontrol requeue */
	when_time_passed(w, 20000);
}

static void test_a_deletion_cancels_a_job_that_was_requeued_after_its_end(void **state)
{
	W;
	given_a_requeued_job(w);
	given_owner(w, "cow", DELETED);
	given_pod_changed(w, "cow", DELETED);
	when_time_passed(w, 10000 + VPOD_KEPT_MS);
	assert_string_equal(slurm_job(w, "cow")->state, "CANCELLED by 1000");
	assert_int_equal(w->cancels, 1);
	assert_false(pod_is_there(w, "cow"));
}

/* The API server takes a pod that has ended away at once. */
static void test_one_whose_pod_went_at_once_is_cancelled_with_its_owner(void **state)
{
	W;
	given_a_requeued_job(w);
	given_pod_gone(w, "cow");
	when_time_passed(w, 20000);
	assert_int_equal(w->cancels, 0); /* a user still wants it */
	given_a_job(w, "dog", "SlurmJob");
	when_time_passed(w, 6000);
	slurm_job(w, "dog")->state = "COMPLETED";
	when_time_passed(w, 6000);
	slurm_job(w, "dog")->state = "RUNNING";
	given_no_owner(w, "dog");
	given_pod_gone(w, "dog");
	when_time_passed(w, 20000);
	assert_string_equal(slurm_job(w, "dog")->state, "CANCELLED by 1000");
	assert_int_equal(w->cancels, 1);
}

static void test_one_look_is_enough_for_what_has_ended(void **state)
{
	W;
	given_a_running_job(w);
	slurm_job(w, "cow")->state = "COMPLETED";
	when_time_passed(w, 6000);
	int infos = w->infos;
	given_pod_changed(w, "cow", DELETED);
	when_time_passed(w, 2000);
	assert_false(pod_is_there(w, "cow"));
	assert_int_equal(w->infos, infos + 1);
	assert_int_equal(w->cancels, 0);
}

static void test_what_has_ended_goes_also_while_slurm_is_away(void **state)
{
	static const struct {
		bool down;
		enum err_kind info_fails;
		bool lost;
	} rows[] = { { true, ERR_NONE, false }, { false, ERR_RETRY, false },
		{ false, ERR_NONE, true } };
	W;
	for (size_t i = 0; i < LENGTH(rows); i++) {
		const char *const names[] = { "cow", "dog", "cat" };
		given_a_job(w, names[i], "SlurmJob");
		when_time_passed(w, 6000);
		slurm_job(w, names[i])->state = "COMPLETED";
		when_time_passed(w, 6000);
		then_phase(w, names[i], "Succeeded");
		w->down = rows[i].down;
		w->info_fails = rows[i].info_fails;
		slurm_job(w, names[i])->lost = rows[i].lost;
		when_time_passed(w, 30000);
		given_pod_changed(w, names[i], DELETED);
		when_time_passed(w, 5000);
		assert_false(pod_is_there(w, names[i]));
		w->down = false;
		w->info_fails = ERR_NONE;
		when_time_passed(w, 30000);
	}
	assert_int_equal(w->cancels, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		VNODE_TEST(test_a_deletion_cancels_the_job_and_then_the_pod_goes),
		VNODE_TEST(test_a_cancellation_that_slurmctld_forgets_is_repeated),
		VNODE_TEST(test_so_is_that_of_a_job_that_was_requeued),
		VNODE_TEST(test_the_pod_stays_until_slurm_says_that_the_job_has_ended),
		VNODE_TEST(test_a_cancel_that_fails_keeps_the_pod_and_is_repeated),
		VNODE_TEST(test_what_was_deleted_while_nobody_was_there_is_cancelled),
		VNODE_TEST(test_while_red_box_is_away_no_pod_goes),
		VNODE_TEST(test_what_was_never_submitted_goes_at_once),
		VNODE_TEST(test_a_submission_that_may_arrive_late_keeps_the_pod),
		VNODE_TEST(test_what_kubernetes_takes_away_by_itself_goes_on),
		VNODE_TEST(test_what_was_taken_away_and_is_deleted_then_is_cancelled),
		VNODE_TEST(test_a_pod_that_is_gone_with_its_owner_has_its_job_cancelled),
		VNODE_TEST(test_a_name_that_comes_again_is_another_job),
		VNODE_TEST(test_a_watch_that_is_behind_makes_no_second_job),
		VNODE_TEST(test_an_answer_that_is_late_brings_no_pod_back),
		VNODE_TEST(test_a_pod_that_a_list_does_not_have_is_gone),
		VNODE_TEST(test_whether_its_owner_is_there_is_read_anew_when_a_pod_is_gone),
		VNODE_TEST(test_an_end_that_nobody_has_seen_is_no_end),
		VNODE_TEST(test_what_somebody_takes_from_the_pod_is_said_again),
		VNODE_TEST(test_a_pod_that_says_nothing_of_its_job_has_it_cancelled),
		VNODE_TEST(test_a_deletion_cancels_a_job_that_was_requeued_after_its_end),
		VNODE_TEST(test_one_whose_pod_went_at_once_is_cancelled_with_its_owner),
		VNODE_TEST(test_one_look_is_enough_for_what_has_ended),
		VNODE_TEST(test_what_has_ended_goes_also_while_slurm_is_away),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
