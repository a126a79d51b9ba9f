/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A submission that comes to red-box long after it was sent makes no job of a pod that
 * has gone: its key is closed before.
 */
#include "lib/vnode_world.h"

#include "api/names.h"
#include "plan/vnode/pod.h"

#define W struct vnode_world *w = *state

/* The submission was sent, and its outcome is unknown. */
static void given_a_job_that_never_came(struct vnode_world *w)
{
	w->submit_fails = ERR_LOST;
	given_a_job(w, "cow", "SlurmJob");
	when_time_passed(w, 1000);
	w->submit_fails = ERR_NONE;
}

/* Acceptance: vnode-8 */
static void test_a_pod_without_a_job_goes_when_its_key_is_closed(void **state)
{
	W;
	given_a_job_that_never_came(w);
	given_owner(w, "cow", DELETED);
	given_pod_changed(w, "cow", DELETED);
	w->close_fails = ERR_RETRY;
	when_time_passed(w, 60000);
	assert_true(pod_is_there(w, "cow"));
	assert_true(event_was_told(w, "CloseFailed"));
	w->close_fails = ERR_NONE;
	when_time_passed(w, 40000);
	assert_false(pod_is_there(w, "cow"));
	assert_true(is_closed(w, "cow"));
	when_a_submission_comes_late(w, "cow");
	assert_int_equal(w->sbatches, 0);
}

/* The job comes after Slurm had none and before the key is closed. */
/* Acceptance: vnode-8 */
static void test_what_came_before_that_is_cancelled(void **state)
{
	W;
	given_a_job_that_never_came(w);
	given_owner(w, "cow", DELETED);
	given_pod_changed(w, "cow", DELETED);
	w->close_fails = ERR_RETRY;
	when_time_passed(w, 30000);
	when_a_submission_comes_late(w, "cow");
	assert_int_equal(w->sbatches, 1);
	w->close_fails = ERR_NONE;
	when_time_passed(w, 30000);
	assert_string_equal(slurm_job(w, "cow")->state, "CANCELLED by 1000");
	when_time_passed(w, 40000 + VPOD_KEPT_MS);
	assert_false(pod_is_there(w, "cow"));
}

/* A user removed the pod by force, and its object after it. */
/* Acceptance: vnode-8 */
static void test_so_it_is_for_a_pod_that_is_gone_already(void **state)
{
	W;
	given_a_job_that_never_came(w);
	given_no_owner(w, "cow");
	given_pod_gone(w, "cow");
	when_time_passed(w, 60000);
	when_a_submission_comes_late(w, "cow");
	assert_true(is_closed(w, "cow"));
	assert_int_equal(w->sbatches, 0);
}

/* The pod is not deleted, but its object is gone: that ends it, for good. */
/* Acceptance: vnode-8 */
static void test_a_pod_whose_object_has_gone_ends_with_its_key(void **state)
{
	W;
	given_a_job_that_never_came(w);
	given_no_owner(w, "cow");
	when_time_passed(w, 60000);
	then_phase(w, "cow", "Failed");
	when_a_submission_comes_late(w, "cow");
	assert_int_equal(w->sbatches, 0);
}

static void test_an_older_red_box_holds_up_no_pod(void **state)
{
	W;
	w->closes_nothing = true;
	given_a_job_that_never_came(w);
	given_owner(w, "cow", DELETED);
	given_pod_changed(w, "cow", DELETED);
	when_time_passed(w, 30000);
	assert_false(pod_is_there(w, "cow"));
	assert_false(event_was_told(w, "CloseFailed"));
}

/* The job of its key is known: whatever comes late gets that one. */
static void test_a_job_that_has_ended_needs_no_closing(void **state)
{
	W;
	given_a_running_job(w);
	given_owner(w, "cow", DELETED);
	given_pod_changed(w, "cow", DELETED);
	when_time_passed(w, 5000 + VPOD_KEPT_MS);
	assert_false(pod_is_there(w, "cow"));
	assert_false(is_closed(w, "cow"));
}

/*
 * Slurm refuses the second call for good, as while the partition is for root alone, and
 * would take the first one when it comes. Found by the simulator (seed 1419).
 */
/* Acceptance: vnode-9 */
static void test_what_is_refused_is_told_when_no_call_can_come_any_more(void **state)
{
	W;
	given_a_job_that_never_came(w);
	w->submit_fails = ERR_DENIED;
	w->submit_says = "Batch job submission failed: Access/permission denied";
	w->close_fails = ERR_RETRY;
	when_time_passed(w, 60000);
	then_phase(w, "cow", "Pending");
	w->close_fails = ERR_NONE;
	when_time_passed(w, 40000);
	then_phase(w, "cow", "Failed");
	assert_string_equal(pod_text(w, "cow", "status.reason"), "SubmissionRefused");
	w->submit_fails = ERR_NONE;
	when_a_submission_comes_late(w, "cow");
	assert_int_equal(w->sbatches, 0);
}

/* The first call came meanwhile: the pod tells of its job. */
/* Acceptance: vnode-9 */
static void test_a_job_that_came_before_the_closing_is_told(void **state)
{
	W;
	given_a_job_that_never_came(w);
	w->submit_fails = ERR_DENIED;
	w->submit_says = "Batch job submission failed: Access/permission denied";
	w->close_fails = ERR_RETRY;
	when_time_passed(w, 30000);
	w->submit_fails = w->close_fails = ERR_NONE;
	when_a_submission_comes_late(w, "cow");
	when_time_passed(w, 40000);
	assert_int_equal(w->sbatches, 1);
	assert_string_equal(pod_note(w, "cow", ANNOTATION_JOB_ID), "101");
	then_phase(w, "cow", "Pending");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		VNODE_TEST(test_a_pod_without_a_job_goes_when_its_key_is_closed),
		VNODE_TEST(test_what_came_before_that_is_cancelled),
		VNODE_TEST(test_so_it_is_for_a_pod_that_is_gone_already),
		VNODE_TEST(test_a_pod_whose_object_has_gone_ends_with_its_key),
		VNODE_TEST(test_an_older_red_box_holds_up_no_pod),
		VNODE_TEST(test_a_job_that_has_ended_needs_no_closing),
		VNODE_TEST(test_what_is_refused_is_told_when_no_call_can_come_any_more),
		VNODE_TEST(test_a_job_that_came_before_the_closing_is_told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
