/* SPDX-License-Identifier: Apache-2.0 */
/* A pod that a client removes while its object stays: the object hears how it ended. */
#include "lib/vnode_world.h"

#include "plan/vnode/pod.h"

#define W struct vnode_world *w = *state
#define DISRUPTED                                                                        \
	"{\"metadata\":{\"deletionTimestamp\":\"2026-01-01T00:00:00Z\"},\"status\":{"    \
	"\"conditions\":[{\"type\":\"DisruptionTarget\",\"status\":\"True\",\"reason\":" \
	"\"DeletionByTaintManager\"}]}}"

/* The last state of the container of cow's pod. */
static const char *ended(struct vnode_world *w, const char *member)
{
	struct json_doc *doc AUTO(json_auto) = NULL;
	static char text[512];
	char *pod AUTO(own_free) = pod_json(w, "cow");
	assert_false(failed(json_parse(pod, strlen(pod), SIZE_MAX, &doc)));
	const struct json *first = json_item(json_at(json_root(doc), "status", "containerStatuses"),
		0);
	snprintf(text, sizeof(text), "%s",
		json_str(json_get(json_at(first, "state", "terminated"), member), ""));
	return text;
}

/* Fault 7: the pod went as soon as Slurm said CANCELLED, and the object said Running. */
/* Acceptance: vnode-29 */
static void test_a_pod_that_is_deleted_tells_the_end_of_its_job_first(void **state)
{
	W;
	given_a_running_job(w);
	w->unheard = true;
	given_pod_changed(w, "cow", DELETED);
	when_time_passed(w, 5000 + VPOD_KEPT_MS);
	assert_string_equal(slurm_job(w, "cow")->state, "CANCELLED by 1000");
	then_phase(w, "cow", "Failed");
	assert_string_equal(ended(w, "reason"), "CANCELLED");
	assert_non_null(strstr(ended(w, "message"),
		"its pod was deleted, so the job was cancelled"));
	/* The pod stays until its object has heard of that. */
	when_time_passed(w, 60000);
	assert_true(pod_is_there(w, "cow"));
	given_owner(w, "cow", "{\"status\":{\"status\":\"Failed\"}}");
	when_time_passed(w, 5000);
	assert_false(pod_is_there(w, "cow"));
	assert_int_equal(w->cancels, 1);
}

/* The job ended a moment before: nothing was cancelled. */
static void test_an_end_of_its_own_is_told_as_what_it_is(void **state)
{
	W;
	given_a_running_job(w);
	w->unheard = true;
	slurm_job(w, "cow")->state = "COMPLETED";
	given_pod_changed(w, "cow", DELETED);
	when_time_passed(w, 5000 + VPOD_KEPT_MS);
	then_phase(w, "cow", "Succeeded");
	assert_string_equal(ended(w, "message"), "");
	given_owner(w, "cow", "{\"status\":{\"status\":\"Succeeded\"}}");
	when_time_passed(w, 5000);
	assert_false(pod_is_there(w, "cow"));
}

/* Nothing of it is in Slurm, and its object says so for ever. */
/* Acceptance: vnode-29 */
static void test_a_pod_without_a_job_says_that_nothing_was_submitted(void **state)
{
	W;
	w->unheard = true;
	w->down = true;
	when_time_passed(w, 11000);
	given_a_job(w, "cow", "SlurmJob");
	when_time_passed(w, 2000);
	given_pod_changed(w, "cow", DELETED);
	when_time_passed(w, 3000);
	then_phase(w, "cow", "Failed");
	assert_string_equal(pod_text(w, "cow", "status.reason"), "PodDeleted");
	given_owner(w, "cow", "{\"status\":{\"status\":\"Failed\"}}");
	when_time_passed(w, 5000);
	assert_false(pod_is_there(w, "cow"));
	assert_int_equal(w->sbatches, 0);
}

/* Likewise for a pod that was begun, and whose key red-box is told to close. */
static void test_so_does_one_whose_submission_never_came(void **state)
{
	W;
	w->unheard = true;
	w->submit_fails = ERR_LOST;
	given_a_job(w, "cow", "SlurmJob");
	when_time_passed(w, 1000);
	given_pod_changed(w, "cow", DELETED);
	when_time_passed(w, 25000);
	then_phase(w, "cow", "Failed");
	assert_string_equal(pod_text(w, "cow", "status.reason"), "PodDeleted");
	assert_true(is_closed(w, "cow"));
	given_owner(w, "cow", "{\"status\":{\"status\":\"Failed\"}}");
	when_time_passed(w, 5000);
	assert_false(pod_is_there(w, "cow"));
}

/* No status gets it: the object is being deleted, too. */
static void test_with_its_object_it_goes_at_once(void **state)
{
	W;
	given_a_running_job(w);
	w->unheard = true;
	given_owner(w, "cow", DELETED);
	given_pod_changed(w, "cow", DELETED);
	when_time_passed(w, 5000 + VPOD_KEPT_MS);
	assert_false(pod_is_there(w, "cow"));
}

/* A user removed its kind, and with it each object of that: no status ever gets it. */
/* Acceptance: vnode-29 */
static void test_without_its_kind_it_goes_after_a_while(void **state)
{
	W;
	given_a_running_job(w);
	w->unheard = true;
	given_pod_changed(w, "cow", DELETED);
	when_time_passed(w, 5000 + VPOD_KEPT_MS);
	w->no_crd = true;
	when_time_passed(w, VPOD_UNSERVED_MS);
	assert_true(pod_is_there(w, "cow")); /* an API server that starts says so, too */
	when_time_passed(w, 90000);
	assert_false(pod_is_there(w, "cow"));
	assert_int_equal(w->cancels, 1);
}

/* An API server that starts says the same of each kind, and then there is the object. */
/* Acceptance: vnode-29 */
static void test_a_kind_that_comes_back_hears_it(void **state)
{
	W;
	given_a_running_job(w);
	w->unheard = true;
	given_pod_changed(w, "cow", DELETED);
	when_time_passed(w, 5000 + VPOD_KEPT_MS);
	for (int i = 0; i < 5; i++) {
		w->no_crd = true;
		when_time_passed(w, VPOD_UNSERVED_MS - 60000);
		w->no_crd = false;
		when_time_passed(w, 60000);
	}
	assert_true(pod_is_there(w, "cow"));
}

/* kubectl delete pod --force */
/* Acceptance: vnode-29 */
static void test_a_pod_that_is_removed_by_force_has_its_job_cancelled(void **state)
{
	W;
	given_a_running_job(w);
	given_pod_gone(w, "cow");
	when_time_passed(w, 30000);
	assert_int_equal(w->cancels, 1);
	assert_true(event_was_told(w, "PodRemoved"));
}

/* The pod garbage collector takes it, or a list does not have it: that is no wish. */
/* Acceptance: vnode-29 */
static void test_one_that_goes_otherwise_leaves_the_job_to_its_owner(void **state)
{
	W;
	given_a_running_job(w);
	given_pod_changed(w, "cow", DISRUPTED);
	given_pod_gone(w, "cow");
	given_a_job(w, "dog", "SlurmJob");
	when_time_passed(w, 6000);
	slurm_job(w, "dog")->state = "RUNNING";
	when_time_passed(w, 6000);
	w->deaf = true;
	given_pod_gone(w, "dog");
	w->deaf = false;
	fake_fail(fake_open(&w->http, "/pods?fieldSelector"), ERR_LOST);
	when_time_passed(w, 200000);
	assert_int_equal(w->cancels, 0);
	assert_string_equal(slurm_job(w, "dog")->state, "RUNNING");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		VNODE_TEST(test_a_pod_that_is_deleted_tells_the_end_of_its_job_first),
		VNODE_TEST(test_an_end_of_its_own_is_told_as_what_it_is),
		VNODE_TEST(test_a_pod_without_a_job_says_that_nothing_was_submitted),
		VNODE_TEST(test_so_does_one_whose_submission_never_came),
		VNODE_TEST(test_with_its_object_it_goes_at_once),
		VNODE_TEST(test_without_its_kind_it_goes_after_a_while),
		VNODE_TEST(test_a_kind_that_comes_back_hears_it),
		VNODE_TEST(test_a_pod_that_is_removed_by_force_has_its_job_cancelled),
		VNODE_TEST(test_one_that_goes_otherwise_leaves_the_job_to_its_owner),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
