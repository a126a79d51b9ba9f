/* SPDX-License-Identifier: Apache-2.0 */
/* A job whose inputs are to be there first: nothing is submitted before. */
#include "lib/vnode_world.h"

#define W struct vnode_world *w = *state
#define PREPARE "{\"spec\":{\"prepare\":{\"to\":\".\",\"mount\":{\"name\":\"in\"}}}}"
#define NOTE(key, value) \
	"{\"metadata\":{\"annotations\":{\"wlm.sylabs.io/inputs-" key "\":\"" value "\"}}}"

#define EVICTED                                                                       \
	"{\"metadata\":{\"deletionTimestamp\":\"2026-01-01T00:00:00Z\"},\"status\":{" \
	"\"conditions\":[{\"type\":\"DisruptionTarget\",\"status\":\"True\"}]}}"

static void given_a_job_with_inputs(struct vnode_world *w)
{
	w->down = true; /* it is looked at when all of it is there */
	given_a_job(w, "cow", "SlurmJob");
	given_owner(w, "cow", PREPARE);
	given_pod_changed(w, "cow", NOTE("wanted", "true"));
	w->down = false;
}

static void when_inputs_are_there(struct vnode_world *w)
{
	given_pod_changed(w, "cow", NOTE("there", "pod-cow"));
}

static void then_waits(struct vnode_world *w)
{
	AUTO(own_free) char *pod = pod_json(w, "cow");
	then_phase(w, "cow", "Pending");
	assert_non_null(strstr(pod, "\"reason\":\"Preparing\""));
	assert_string_equal(pod_note(w, "cow", "wlm.sylabs.io/submission"), "");
	assert_int_equal(w->submits, 0);
}

/* Acceptance: input-1 */
static void test_it_is_submitted_when_its_inputs_are_there(void **state)
{
	W;
	given_a_job_with_inputs(w);
	when_time_passed(w, 60000);
	then_waits(w);
	int writes = w->pod_writes;
	when_time_passed(w, 600000);
	assert_int_equal(w->pod_writes, writes); /* once is enough */
	given_pod_changed(w, "cow", NOTE("there", "another-pod"));
	when_time_passed(w, 60000);
	then_waits(w);
	when_inputs_are_there(w);
	when_time_passed(w, 2000);
	assert_int_equal(w->sbatches, 1);
	slurm_job(w, "cow")->state = "COMPLETED";
	when_time_passed(w, 10000);
	then_phase(w, "cow", "Succeeded");
	assert_int_equal(w->sbatches, 1);
}

/* Acceptance: input-1 */
static void test_a_start_does_not_forget_that_they_are_awaited(void **state)
{
	W;
	given_a_job_with_inputs(w);
	when_time_passed(w, 2000);
	when_killed(w);
	when_begun(w);
	when_time_passed(w, 60000);
	then_waits(w);
}

/* A pod that was made without the annotation, or has lost it. */
/* Acceptance: input-1 */
static void test_what_its_owner_wishes_counts_too(void **state)
{
	W;
	w->down = true;
	given_a_job(w, "cow", "SlurmJob");
	given_owner(w, "cow", PREPARE);
	w->down = false;
	when_time_passed(w, 60000);
	then_waits(w);
	when_inputs_are_there(w);
	when_time_passed(w, 20000);
	assert_int_equal(w->sbatches, 1);
}

/* Each one that could not be read is asked for again. */
/* Acceptance: input-1 */
static void test_an_owner_that_cannot_be_read_has_nothing_submitted(void **state)
{
	W;
	w->refuses = "/slurmjobs/cow";
	given_a_job(w, "cow", "SlurmJob");
	given_owner(w, "cow", PREPARE);
	when_time_passed(w, 60000);
	assert_int_equal(w->submits, 0);
	w->refuses = NULL;
	when_time_passed(w, 60000);
	then_waits(w);
}

/* Acceptance: input-4 */
static void test_a_deletion_meanwhile_has_nothing_to_cancel(void **state)
{
	W;
	given_a_job_with_inputs(w);
	when_time_passed(w, 2000);
	given_owner(w, "cow", DELETED);
	given_pod_changed(w, "cow", DELETED);
	when_time_passed(w, 60000);
	assert_false(pod_is_there(w, "cow"));
	assert_int_equal(w->submits, 0);
	assert_int_equal(w->cancels, 0);
}

/* Acceptance: input-3, V26 */
static void test_it_fails_when_they_will_never_be_there(void **state)
{
	W;
	given_a_job_with_inputs(w);
	when_time_passed(w, 2000);
	then_waits(w);
	given_pod_changed(w, "cow", NOTE("failed", "the volume is gone"));
	when_time_passed(w, 60000);
	then_phase(w, "cow", "Failed");
	assert_string_equal(pod_text(w, "cow", "status.reason"), "InputsFailed");
	assert_string_equal(pod_text(w, "cow", "status.message"), "the volume is gone");
	assert_string_equal(pod_text(w, "cow", "status.containerStatuses.0.name"),
		""); /* which waited for them */
	assert_true(event_was_told(w, "InputsFailed"));
	when_inputs_are_there(w);
	when_time_passed(w, 60000);
	assert_int_equal(w->submits, 0);
}

/* A job that was submitted with its inputs is followed, whatever its pod says later. */
/* Acceptance: input-2 */
static void test_a_job_that_runs_is_not_held_up(void **state)
{
	W;
	given_a_job_with_inputs(w);
	when_inputs_are_there(w);
	when_time_passed(w, 2000);
	given_pod_changed(w, "cow",
		"{\"metadata\":{\"annotations\":{\"wlm.sylabs.io/inputs-there\":null}}}");
	slurm_job(w, "cow")->state = "RUNNING";
	when_time_passed(w, 60000);
	then_phase(w, "cow", "Running");
	slurm_job(w, "cow")->lost = true; /* and is not submitted again without them */
	when_time_passed(w, 60000);
	assert_int_equal(w->sbatches, 1);
	when_inputs_are_there(w);
	when_time_passed(w, 60000);
	assert_int_equal(w->sbatches, 2);
}

/* An eviction, say: no user wants its end. */
/* Acceptance: input-4 */
static void test_what_kubernetes_takes_away_waits_for_its_inputs(void **state)
{
	W;
	given_a_job_with_inputs(w);
	when_time_passed(w, 2000);
	given_pod_changed(w, "cow", EVICTED);
	when_time_passed(w, 60000);
	assert_true(pod_is_there(w, "cow"));
	assert_int_equal(w->submits, 0);
	when_inputs_are_there(w);
	when_time_passed(w, 60000);
	assert_int_equal(w->sbatches, 1);
}

/* Nothing about the pod changes then. */
static void test_one_that_was_taken_away_goes_with_its_owner(void **state)
{
	W;
	given_a_job_with_inputs(w);
	when_time_passed(w, 2000);
	given_pod_changed(w, "cow", EVICTED);
	when_time_passed(w, 60000);
	then_waits(w);
	given_owner(w, "cow", DELETED);
	when_time_passed(w, 20000);
	assert_false(pod_is_there(w, "cow"));
	assert_int_equal(w->submits, 0);
}

/* Scripts that were read too early are not kept: there is room for some only. */
static void test_many_that_wait_hold_up_no_other_job(void **state)
{
	W;
	enum { MANY = 80 };
	char name[16];
	for (int i = 0; i < MANY; i++) {
		w->down = true;
		given_a_job(w, numbered(name, i), "SlurmJob");
		given_owner(w, name, PREPARE);
		given_pod_changed(w, name, NOTE("wanted", "true"));
		given_pod_changed(w, name, EVICTED);
		w->down = false;
	}
	when_time_passed(w, 60000);
	assert_int_equal(w->submits, 0);
	given_a_job(w, "other", "SlurmJob");
	when_time_passed(w, 60000);
	assert_int_equal(w->sbatches, 1);
}

/* Acceptance: input-5, V27 */
static void test_a_wlmjob_has_none(void **state)
{
	W;
	w->down = true;
	given_a_job(w, "cow-wlm", "WlmJob");
	given_owner(w, "cow-wlm", PREPARE);
	w->down = false;
	when_time_passed(w, 60000);
	assert_int_equal(w->sbatches, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		VNODE_TEST(test_it_is_submitted_when_its_inputs_are_there),
		VNODE_TEST(test_a_start_does_not_forget_that_they_are_awaited),
		VNODE_TEST(test_what_its_owner_wishes_counts_too),
		VNODE_TEST(test_an_owner_that_cannot_be_read_has_nothing_submitted),
		VNODE_TEST(test_a_deletion_meanwhile_has_nothing_to_cancel),
		VNODE_TEST(test_it_fails_when_they_will_never_be_there),
		VNODE_TEST(test_a_job_that_runs_is_not_held_up),
		VNODE_TEST(test_what_kubernetes_takes_away_waits_for_its_inputs),
		VNODE_TEST(test_one_that_was_taken_away_goes_with_its_owner),
		VNODE_TEST(test_many_that_wait_hold_up_no_other_job),
		VNODE_TEST(test_a_wlmjob_has_none),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
