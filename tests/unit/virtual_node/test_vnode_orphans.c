/* SPDX-License-Identifier: Apache-2.0 */
/* A deletion of an object with "--cascade=orphan" leaves its pod, and the job goes on. */
#include "lib/vnode_world.h"

#include "plan/vnode/pod.h"

#define W struct vnode_world *w = *state
#define DISRUPTED                                                                        \
	"{\"metadata\":{\"deletionTimestamp\":\"2026-01-01T00:00:00Z\"},\"status\":{"    \
	"\"conditions\":[{\"type\":\"DisruptionTarget\",\"status\":\"True\",\"reason\":" \
	"\"DeletionByTaintManager\"}]}}"

/* kubectl delete --cascade=orphan */
static void test_without_its_owner_the_job_goes_on_until_the_pod_is_deleted(void **state)
{
	W;
	given_a_running_job(w);
	given_no_owner(w, "cow");
	given_pod_changed(w, "cow", "{\"metadata\":{\"ownerReferences\":null}}");
	when_time_passed(w, 30000);
	then_phase(w, "cow", "Running");
	given_pod_changed(w, "cow", DELETED);
	when_time_passed(w, 5000 + VPOD_KEPT_MS);
	assert_string_equal(slurm_job(w, "cow")->state, "CANCELLED by 1000");
	assert_false(pod_is_there(w, "cow"));
}

#define ORPHANED "{\"metadata\":{\"ownerReferences\":null}}"

/* The object is deleted while Kubernetes takes the pod away; or it is the other way. */
/* Acceptance: vnode-10 */
static void test_an_orphan_that_kubernetes_takes_away_goes_on(void **state)
{
	W;
	for (int first = 0; first < 2; first++) {
		const char *name = first ? "dog" : "cow";
		given_a_job(w, name, "SlurmJob");
		when_time_passed(w, 6000);
		slurm_job(w, name)->state = "RUNNING";
		when_time_passed(w, 6000);
		given_pod_changed(w, name, first ? ORPHANED : DISRUPTED);
		given_no_owner(w, name);
		given_pod_changed(w, name, first ? DISRUPTED : ORPHANED);
		when_time_passed(w, 60000);
		assert_string_equal(slurm_job(w, name)->state, "RUNNING");
		assert_true(pod_is_there(w, name));
		slurm_job(w, name)->state = "COMPLETED";
		when_time_passed(w, 20000);
		assert_false(pod_is_there(w, name));
	}
	assert_int_equal(w->cancels, 0);
	assert_true(event_was_told(w, "Disrupted"));
}

/* The object says so first, and then the reference is taken away. */
static void test_so_does_one_whose_object_is_about_to_leave_it(void **state)
{
	W;
	given_a_running_job(w);
	given_pod_changed(w, "cow", DISRUPTED);
	given_owner(w, "cow",
		"{\"metadata\":{\"deletionTimestamp\":\"2026-01-01T00:00:00Z\",\"finalizers\":["
		"\"orphan\"]}}");
	when_time_passed(w, 40000);
	assert_int_equal(w->cancels, 0);
	assert_string_equal(slurm_job(w, "cow")->state, "RUNNING");
}

/*
 * Nothing controls the pod any more, and the watch has not told that yet. Its object has
 * gone; or it is there still, for our own finalizer, and says no more that the pod stays.
 */
/* Acceptance: vnode-10 */
static void test_a_watch_that_is_behind_cancels_no_orphan(void **state)
{
	W;
	given_a_running_job(w);
	given_pod_changed(w, "cow", DISRUPTED);
	when_time_passed(w, 1000);
	w->deaf = true;
	given_pod_changed(w, "cow", ORPHANED);
	given_owner(w, "cow", "{\"metadata\":{\"deletionTimestamp\":\"2026-01-01T00:00:00Z\"}}");
	when_time_passed(w, 40000);
	given_no_owner(w, "cow");
	when_time_passed(w, 40000);
	assert_int_equal(w->cancels, 0);
	assert_string_equal(slurm_job(w, "cow")->state, "RUNNING");
}

/* The orphan meets another process: there is no owner that could be read. */
static void test_a_pod_without_an_owner_is_forgotten_when_it_has_gone(void **state)
{
	W;
	given_a_running_job(w);
	when_killed(w);
	given_no_owner(w, "cow");
	given_pod_changed(w, "cow", "{\"metadata\":{\"ownerReferences\":null}}");
	when_begun(w);
	when_time_passed(w, 6000);
	w->keeps = "/slurmjobs";
	given_pod_gone(w, "cow");
	when_time_passed(w, 5000);
	assert_null(fake_open(&w->http, "/slurmjobs"));
	assert_string_equal(slurm_job(w, "cow")->state, "CANCELLED by 1000");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		VNODE_TEST(test_without_its_owner_the_job_goes_on_until_the_pod_is_deleted),
		VNODE_TEST(test_a_pod_without_an_owner_is_forgotten_when_it_has_gone),
		VNODE_TEST(test_an_orphan_that_kubernetes_takes_away_goes_on),
		VNODE_TEST(test_so_does_one_whose_object_is_about_to_leave_it),
		VNODE_TEST(test_a_watch_that_is_behind_cancels_no_orphan),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
