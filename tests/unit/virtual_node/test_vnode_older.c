/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs of SlurmJobs of the older group, which are objects of another resource. */
#include "lib/vnode_world.h"

#include "plan/vnode/pod.h"

#define W struct vnode_world *w = *state
#define OLDER "slurm.sylabs.io"

/* The script is read from the own object, and Events are about that. */
/* Acceptance: job-16 */
static void test_a_job_of_the_older_group_is_submitted_once(void **state)
{
	W;
	w->group = OLDER;
	w->submit_fails = ERR_RETRY;
	given_a_job(w, "cow", "SlurmJob");
	when_time_passed(w, 3000);
	assert_true(event_was_told(w, "SubmissionDelayed"));
	w->submit_fails = ERR_NONE;
	when_time_passed(w, 30000);
	assert_int_equal(w->sbatches, 1);
	assert_string_equal(w->script, "#!/bin/sh\nhostname\n");
	assert_string_equal(w->event_about, OLDER "/v1alpha1");
	when_killed(w);
	when_begun(w);
	when_time_passed(w, 30000);
	slurm_job(w, "cow")->state = "COMPLETED";
	when_time_passed(w, 6000);
	assert_int_equal(w->sbatches, 1);
	then_phase(w, "cow", "Succeeded");
}

/* Acceptance: job-16 */
static void test_its_deletion_cancels_the_job(void **state)
{
	W;
	w->group = OLDER;
	given_a_running_job(w);
	given_no_owner(w, "cow");
	given_pod_changed(w, "cow", DELETED);
	when_time_passed(w, 5000 + VPOD_KEPT_MS);
	assert_string_equal(slurm_job(w, "cow")->state, "CANCELLED by 1000");
	assert_false(pod_is_there(w, "cow"));
}

/* The one that is there has its name, and even the uid that the pod names. */
/* Acceptance: job-17 */
static void test_an_object_of_the_other_group_is_not_its_owner(void **state)
{
	static const char *const groups[][2] = { { OLDER, "wlm.sylabs.io" },
		{ "wlm.sylabs.io", OLDER } };
	W;
	for (size_t i = 0; i < 2; i++) {
		const char *name = i ? "dog" : "cow";
		w->group = groups[i][0];
		given_a_job(w, name, "SlurmJob");
		w->pods[i].group = groups[i][1];
		when_time_passed(w, 20000);
		then_phase(w, name, "Failed");
		assert_string_equal(pod_text(w, name, "status.reason"), "OwnerGone");
	}
	assert_int_equal(w->submits, 0);
}

/* While its kind cannot be read, nothing is known of its object. */
/* Acceptance: job-17 */
static void test_without_the_crd_of_its_group_it_waits(void **state)
{
	W;
	w->group = OLDER;
	w->no_crd = true;
	given_a_job(w, "cow", "SlurmJob");
	when_time_passed(w, 60000);
	then_phase(w, "cow", "Pending");
	assert_int_equal(w->submits, 0);
	w->no_crd = false;
	when_time_passed(w, 60000);
	assert_int_equal(w->sbatches, 1);
}

/* Acceptance: job-17 */
static void test_a_pod_of_a_foreign_group_is_rejected(void **state)
{
	W;
	w->group = "example.com";
	given_a_job(w, "cow", "SlurmJob");
	when_time_passed(w, 20000);
	then_phase(w, "cow", "Failed");
	assert_string_equal(pod_text(w, "cow", "status.reason"), "NotAJob");
	assert_int_equal(w->submits, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		VNODE_TEST(test_a_job_of_the_older_group_is_submitted_once),
		VNODE_TEST(test_its_deletion_cancels_the_job),
		VNODE_TEST(test_an_object_of_the_other_group_is_not_its_owner),
		VNODE_TEST(test_without_the_crd_of_its_group_it_waits),
		VNODE_TEST(test_a_pod_of_a_foreign_group_is_rejected),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
