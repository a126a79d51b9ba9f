/* SPDX-License-Identifier: Apache-2.0 */
/* A text that a user writes or copies into a pod gives it no job of another pod. */
#include "lib/vnode_world.h"

#include "api/names.h"

#define W struct vnode_world *w = *state

/* kubectl debug cow-job --copy-to=hen-job: annotations are copied, owners are not. */
static void given_a_copy(struct vnode_world *w)
{
	when_killed(w);
	given_a_job(w, "hen", "SlurmJob");
	given_no_owner(w, "hen");
	given_pod_changed(w, "hen",
		"{\"metadata\":{\"ownerReferences\":null,\"namespace\":\"ns\",\"annotations\":{"
		"\"" ANNOTATION_JOB_KEY "\":\"uid-cow\"}}}");
	when_begun(w);
	when_time_passed(w, 10000);
}

static void test_a_copy_is_no_job(void **state)
{
	W;
	given_a_running_job(w);
	given_a_copy(w);
	then_phase(w, "hen", "Failed");
	given_pod_changed(w, "hen", DELETED);
	when_time_passed(w, 20000);
	assert_string_equal(slurm_job(w, "cow")->state, "RUNNING");
}

static void test_a_copy_shows_no_log(void **state)
{
	W;
	struct kubelet_pod shown;
	given_a_running_job(w);
	given_a_copy(w);
	assert_true(vnode_find(w->vnode, "ns", "hen-job", &shown));
	assert_string_not_equal(shown.key, "uid-cow");
}

/* The user changes the notes of the pod. */
static void test_a_changed_note_shows_no_log_of_others(void **state)
{
	W;
	struct kubelet_pod shown;
	given_a_running_job(w);
	given_a_job(w, "hen", "SlurmJob");
	when_time_passed(w, 3000);
	given_pod_changed(w, "hen",
		"{\"metadata\":{\"annotations\":{\"" ANNOTATION_JOB_KEY "\":\"uid-cow\"}}}");
	when_time_passed(w, 10000);
	assert_true(vnode_find(w->vnode, "ns", "hen-job", &shown));
	assert_string_equal(shown.key, "uid-hen");
}

/* The user changes the notes, and another process reads them. */
static void test_a_changed_note_cancels_its_own_job(void **state)
{
	W;
	given_a_running_job(w);
	given_a_job(w, "hen", "SlurmJob");
	when_time_passed(w, 3000);
	slurm_job(w, "hen")->state = "RUNNING";
	when_killed(w);
	given_pod_changed(w, "hen",
		"{\"metadata\":{\"annotations\":{\"" ANNOTATION_JOB_KEY "\":\"uid-cow\"}}}");
	when_begun(w);
	when_time_passed(w, 10000);
	given_owner(w, "hen", DELETED);
	given_pod_changed(w, "hen", DELETED);
	when_time_passed(w, 20000);
	assert_string_equal(slurm_job(w, "cow")->state, "RUNNING");
	assert_string_equal(slurm_job(w, "hen")->state, "CANCELLED by 1000");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		VNODE_TEST(test_a_copy_is_no_job),
		VNODE_TEST(test_a_copy_shows_no_log),
		VNODE_TEST(test_a_changed_note_shows_no_log_of_others),
		VNODE_TEST(test_a_changed_note_cancels_its_own_job),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
