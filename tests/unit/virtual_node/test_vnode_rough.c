/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Virtual nodes where much happens at once: many jobs, names that look alike, a red-box
 * that is stopped, a user who puts pods back as they were.
 */
#include "lib/vnode_world.h"

#include "api/names.h"
#include "plan/vnode/pod.h"

#define W struct vnode_world *w = *state

enum { MANY = 200 };

/* V5: NAMESPACE-NAME would be one key for both. */
/* Acceptance: vnode-13, V5 */
static void test_jobs_whose_names_join_to_the_same_are_two(void **state)
{
	W;
	given_a_job_in(w, "a-b", "c", "SlurmJob");
	given_a_job_in(w, "a", "b-c", "SlurmJob");
	when_time_passed(w, 2000);
	assert_int_equal(w->sbatches, 2);
	slurm_job(w, "c")->state = slurm_job(w, "b-c")->state = "RUNNING";
	when_time_passed(w, 6000);
	given_pod_changed(w, "c", DELETED);
	when_time_passed(w, 20000);
	assert_false(pod_is_there(w, "c"));
	assert_string_equal(slurm_job(w, "c")->state, "CANCELLED by 1000");
	then_phase(w, "b-c", "Running");
	assert_string_equal(slurm_job(w, "b-c")->state, "RUNNING");
}

#define DISRUPTED                                                                        \
	"{\"metadata\":{\"deletionTimestamp\":\"2026-01-01T00:00:00Z\"},\"status\":{"    \
	"\"conditions\":[{\"type\":\"DisruptionTarget\",\"status\":\"True\",\"reason\":" \
	"\"EvictionByEvictionAPI\"}]}}"
#define WITH_RESULTS "\"spec\":{\"results\":{\"from\":\"out\"}},"
#define ENDED "{\"type\":\"Ended\",\"status\":\"True\",\"reason\":\"Succeeded\"}"
#define COLLECTED(status, reason) \
	",{\"type\":\"ResultsCollected\",\"status\":\"" status "\",\"reason\":\"" reason "\"}"

static void given_status(struct vnode_world *w, const char *name, const char *collected)
{
	AUTO(str_free) struct str text = { 0 };
	str_addf(&text,
		"{" WITH_RESULTS "\"status\":{\"status\":\"Succeeded\",\"conditions\":[" ENDED
		"%s]}}",
		collected);
	given_owner(w, name, str_text(&text));
}

/* kubectl drain: without the pod its results do not get to the pod that copies them. */
static void then_it_stays_until(struct vnode_world *w, const char *collected)
{
	w->unheard = true;
	given_a_running_job(w);
	given_pod_changed(w, "cow", DISRUPTED);
	slurm_job(w, "cow")->state = "COMPLETED";
	when_time_passed(w, 20000);
	then_phase(w, "cow", "Succeeded");
	given_status(w, "cow", "");
	when_time_passed(w, 60000);
	assert_true(pod_is_there(w, "cow"));
	given_status(w, "cow", COLLECTED("False", "Collecting"));
	int reads = w->owner_reads;
	when_time_passed(w, 600000);
	assert_true(pod_is_there(w, "cow"));
	assert_in_range(w->owner_reads - reads, 1, 600000 / VPOD_OWNER_MS + 1);
	given_status(w, "cow", collected);
	when_time_passed(w, VPOD_OWNER_MS + 2000);
	assert_false(pod_is_there(w, "cow"));
	assert_int_equal(w->cancels, 0);
}

/* Acceptance: vnode-12 */
static void test_a_pod_that_kubernetes_takes_away_stays_until_results_are_copied(void **state)
{
	then_it_stays_until(*state, COLLECTED("True", "Collected"));
}

/* Acceptance: vnode-12 */
static void test_or_until_nobody_copies_them_any_more(void **state)
{
	then_it_stays_until(*state, COLLECTED("False", "CollectionFailed"));
}

/* No script of an ended job is kept: there is room for 64. */
/* Acceptance: vnode-12 */
static void test_many_that_wait_for_their_results_hold_up_no_other(void **state)
{
	enum { WAITING = 100 };
	W;
	char name[16];
	w->unheard = true;
	for (int i = 0; i < WAITING; i++)
		given_a_job(w, numbered(name, i), "SlurmJob");
	when_time_passed(w, 10000);
	for (int i = 0; i < WAITING; i++) {
		given_pod_changed(w, numbered(name, i), DISRUPTED);
		slurm_job(w, name)->state = "COMPLETED";
	}
	when_time_passed(w, 15000);
	for (int i = 0; i < WAITING; i++)
		given_status(w, numbered(name, i), COLLECTED("False", "CollectionDelayed"));
	when_killed(w); /* the next one knows no job of them */
	when_begun(w);
	when_time_passed(w, 20000);
	given_a_job(w, "hen", "SlurmJob");
	when_time_passed(w, 5000);
	assert_int_equal(w->sbatches, WAITING + 1);
	assert_true(pod_is_there(w, numbered(name, 0)));
}

/* V6: one thread does all of it, so no step comes between two steps of another. */
/* Acceptance: vnode-13, V6 */
static void test_many_jobs_that_come_and_go_at_once_are_one_each(void **state)
{
	W;
	char name[16];
	for (int i = 0; i < MANY; i++) {
		given_a_job(w, numbered(name, i), "SlurmJob");
		if (i % 10 == 9)
			when_time_passed(w, 100);
		if (i % 2)
			given_pod_changed(w, numbered(name, i / 2), DELETED);
	}
	when_time_passed(w, 60000);
	for (int i = 0; i < MANY; i++)
		assert_int_equal(pod_is_there(w, numbered(name, i)), i >= MANY / 2);
	for (size_t i = 0; i < w->n_jobs; i++) /* each key has one job, sbatch counts them */
		assert_int_equal(!strcmp(w->jobs[i].state, "PENDING"),
			strcmp(w->jobs[i].key, "uid-m100") >= 0);
	assert_true(w->sbatches >= MANY / 2 && w->sbatches <= MANY);
}

/* V19: what red-box makes of so many questions is in test_redbox_desk. */
/* Acceptance: vnode-13, V19, V24 */
static void test_of_many_jobs_each_end_is_told_within_15_s(void **state)
{
	W;
	char name[16];
	for (int i = 0; i < MANY; i++)
		given_a_job(w, numbered(name, i), "SlurmJob");
	when_time_passed(w, 10000);
	for (int i = 0; i < MANY; i++)
		slurm_job(w, numbered(name, i))->state = i % 2 ? "COMPLETED" : "FAILED";
	when_time_passed(w, 15000);
	for (int i = 0; i < MANY; i++)
		then_phase(w, numbered(name, i), i % 2 ? "Succeeded" : "Failed");
	assert_int_equal(w->sbatches, MANY);
}

static bool is_being_submitted(const struct vnode_world *w, const char *name)
{
	char key[64];
	snprintf(key, sizeof(key), "uid-%s", name);
	for (int i = 0; i < WORLD_CALLS; i++)
		if (w->calls[i].open && w->calls[i].kind == WLM_SUBMIT_JOB &&
			str_eq(w->calls[i].key, key))
			return true;
	return false;
}

/* red-box cannot reach Slurm for it, and says so. */
static void when_one_submission_fails(struct vnode_world *w)
{
	static const struct wlm_answer nothing = { 0 };
	struct wlm_call *c = w->calls;
	while (!c->open || c->kind != WLM_SUBMIT_JOB)
		c++;
	struct wlm_caller by = c->by;
	free(TAKE(c->key));
	free(TAKE(c->script));
	c->open = false;
	by.done(by.ctx, err_new(ERR_RETRY, "slurmctld is away"), &nothing);
}

/* V13: red-box was stopped, and goes on. */
/* Acceptance: vnode-14, V13 */
static void test_a_deletion_waits_for_a_red_box_that_says_nothing(void **state)
{
	W;
	given_a_running_job(w);
	w->holds = true;
	given_pod_changed(w, "cow", DELETED);
	when_time_passed(w, 120000);
	assert_true(pod_is_there(w, "cow"));
	assert_int_equal(w->cancels, 0);
	w->holds = false;
	when_time_passed(w, 10000 + VPOD_KEPT_MS);
	assert_false(pod_is_there(w, "cow"));
	assert_int_equal(w->cancels, 1);
}

/* More of them wait than are taken at a time, and each that ends makes room for one. */
static void test_many_jobs_of_one_namespace_keep_no_other_waiting(void **state)
{
	enum { GREEDY = 250 };
	W;
	char name[16];
	w->boxes[0].holds = true;
	for (int i = 0; i < GREEDY; i++)
		given_a_job_in(w, "greedy", numbered(name, i), "SlurmJob");
	when_time_passed(w, 5000);
	given_a_job_in(w, "modest", "hen", "SlurmJob");
	when_time_passed(w, 5000);
	assert_false(is_being_submitted(w, "hen"));
	when_one_submission_fails(w);
	when_time_passed(w, 2000);
	assert_true(is_being_submitted(w, "hen"));
}

/* A controller that wants the pod as it was, say. */
/* Acceptance: vnode-21 */
static void test_who_takes_it_away_each_time_makes_no_storm(void **state)
{
	static const char *const strips[] = {
		"{\"metadata\":{\"annotations\":{\"" ANNOTATION_JOB_KEY "\":null}}}",
		"{\"status\":{\"conditions\":null}}",
	};
	W;
	for (size_t i = 0; i < LENGTH(strips); i++) {
		given_a_running_job(w);
		w->strips = strips[i];
		given_pod_changed(w, "cow", strips[i]);
		int writes = w->pod_writes;
		when_time_passed(w, 60000);
		assert_in_range(w->pod_writes - writes, 5, 2 * 60 + 5);
		slurm_job(w, "cow")->state = "COMPLETED";
		when_time_passed(w, 10000);
		then_phase(w, "cow", "Succeeded");
		assert_int_equal(w->submits, 1);
		free_vnodes(state);
		given_vnodes(state);
		w = *state;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		VNODE_TEST(test_a_pod_that_kubernetes_takes_away_stays_until_results_are_copied),
		VNODE_TEST(test_or_until_nobody_copies_them_any_more),
		VNODE_TEST(test_many_that_wait_for_their_results_hold_up_no_other),
		VNODE_TEST(test_jobs_whose_names_join_to_the_same_are_two),
		VNODE_TEST(test_many_jobs_that_come_and_go_at_once_are_one_each),
		VNODE_TEST(test_of_many_jobs_each_end_is_told_within_15_s),
		VNODE_TEST(test_many_jobs_of_one_namespace_keep_no_other_waiting),
		VNODE_TEST(test_a_deletion_waits_for_a_red_box_that_says_nothing),
		VNODE_TEST(test_who_takes_it_away_each_time_makes_no_storm),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
