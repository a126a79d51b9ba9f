/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays: what Slurm forgets task by task the pod remembers, of that very array. */
#include "lib/vnode_world.h"

#include "api/names.h"
#include "plan/vnode/pod.h"

#define W struct vnode_world *w = *state

/* V11 */
/* Acceptance: vnode-4, V11 */
static void test_an_array_ends_when_its_last_task_has(void **state)
{
	W;
	struct slurm_job other = { .id = 102,
		.state = "RUNNING",
		.reason = "None",
		.exit_code = "0:0",
		.array_id = "101",
		.nodes = "n1" };
	given_a_job(w, "cow", "SlurmJob");
	when_time_passed(w, 2000);
	slurm_job(w, "cow")->array_id = "101";
	slurm_job(w, "cow")->state = "FAILED";
	slurm_job(w, "cow")->exit_code = "1:0";
	slurm_job(w, "cow")->next_task = &other;
	when_time_passed(w, 6000);
	then_phase(w, "cow", "Running");
	assert_string_equal(pod_note(w, "cow", ANNOTATION_JOB_ARRAY),
		"pending=0,running=1,succeeded=0,failed=1");
	other.state = "COMPLETED";
	when_time_passed(w, 6000);
	then_phase(w, "cow", "Failed");
}

/* The next one has the same ids: slurmctld came back from an old state. */
/* Acceptance: V11 */
static void test_the_tasks_of_a_lost_array_are_not_those_of_the_next(void **state)
{
	W;
	given_a_job(w, "cow", "SlurmJob");
	when_time_passed(w, 2000);
	slurm_job(w, "cow")->array_id = "101";
	slurm_job(w, "cow")->state = "FAILED,COMPLETING";
	when_time_passed(w, 6000);
	given_pod_changed(w, "cow",
		"{\"metadata\":{\"annotations\":{\"" ANNOTATION_JOB_ARRAY
		"\":\"pending=0,running=1,succeeded=0,failed=1\",\"" ANNOTATION_JOB_ENDED
		"\":\"succeeded= failed=103\"}}}");
	slurm_job(w, "cow")->lost = true;
	when_time_passed(w, 20000);
	assert_int_equal(w->sbatches, 2);
	slurm_job(w, "cow")[1].array_id = "102";
	slurm_job(w, "cow")[1].state = "COMPLETED";
	when_time_passed(w, 6000);
	then_phase(w, "cow", "Succeeded");
}

static struct slurm_job task_of(int64_t id, const char *state)
{
	return (struct slurm_job){ .id = id,
		.state = state,
		.reason = "None",
		.exit_code = "0:0",
		.array_id = "101",
		.nodes = "n1" };
}

/* Task 102 has failed, and slurmctld has forgotten it. There are no accounts. */
static void given_an_array_with_a_forgotten_failure(struct vnode_world *w)
{
	struct slurm_job failed = task_of(102, "FAILED");
	given_a_job(w, "cow", "SlurmJob");
	when_time_passed(w, 2000);
	slurm_job(w, "cow")->array_id = "101";
	slurm_job(w, "cow")->state = "RUNNING";
	slurm_job(w, "cow")->next_task = &failed;
	failed.exit_code = "5:0";
	when_time_passed(w, 6000);
	assert_string_equal(pod_note(w, "cow", ANNOTATION_JOB_ENDED), "succeeded= failed=102");
	slurm_job(w, "cow")->next_task = NULL;
	when_time_passed(w, 6000);
	assert_string_equal(pod_note(w, "cow", ANNOTATION_JOB_ENDED), "succeeded= failed=102");
}

static void then_the_failure_counts_when_the_rest_completes(struct vnode_world *w)
{
	assert_int_equal(w->sbatches, 1);
	slurm_job(w, "cow")->state = "COMPLETED";
	when_time_passed(w, 6000);
	then_phase(w, "cow", "Failed");
	/* Fault 10: it was "COMPLETED, exit code 0". */
	char *pod AUTO(own_free) = pod_json(w, "cow");
	assert_non_null(strstr(pod, "\"exitCode\":5,\"reason\":\"FAILED\""));
	assert_non_null(strstr(pod, "job 102 ended as FAILED"));
}

/* squeue and sacct call a task by the number of its array and its own. */
static void test_a_failed_task_has_the_number_that_users_see(void **state)
{
	W;
	struct slurm_job failed = task_of(102, "FAILED");
	given_a_job(w, "cow", "SlurmJob");
	when_time_passed(w, 2000);
	slurm_job(w, "cow")->array_id = "101";
	slurm_job(w, "cow")->task = "1";
	slurm_job(w, "cow")->state = "COMPLETED";
	slurm_job(w, "cow")->next_task = &failed;
	failed.task = "2";
	failed.exit_code = "5:0";
	when_time_passed(w, 6000);
	then_phase(w, "cow", "Failed");
	char *pod AUTO(own_free) = pod_json(w, "cow");
	assert_non_null(strstr(pod, "job 101_2 ended as FAILED"));
}

/* A user takes the key of the pod away: it is marked anew, and the job runs. */
/* Acceptance: job-21, V11 */
static void test_a_mark_forgets_no_failed_task(void **state)
{
	W;
	given_an_array_with_a_forgotten_failure(w);
	given_pod_changed(w, "cow",
		"{\"metadata\":{\"annotations\":{\"" ANNOTATION_JOB_KEY "\":null}}}");
	when_time_passed(w, 6000);
	then_the_failure_counts_when_the_rest_completes(w);
}

/* red-box says once that Slurm has none, and then has the same job. */
/* Acceptance: V11 */
static void test_nor_does_one_of_a_job_that_is_there_again(void **state)
{
	W;
	given_an_array_with_a_forgotten_failure(w);
	w->info_fails = ERR_NOT_FOUND;
	when_time_passed(w, 20000);
	w->info_fails = ERR_NONE;
	when_time_passed(w, 20000);
	then_the_failure_counts_when_the_rest_completes(w);
}

/* A user takes the counts away, and the ids stay. */
/* Acceptance: V11 */
static void test_the_ids_of_a_lost_array_go_without_its_counts(void **state)
{
	W;
	given_a_job(w, "cow", "SlurmJob");
	when_time_passed(w, 2000);
	slurm_job(w, "cow")->array_id = "101";
	slurm_job(w, "cow")->lost = true;
	given_pod_changed(w, "cow",
		"{\"metadata\":{\"annotations\":{\"" ANNOTATION_JOB_ENDED
		"\":\"succeeded= failed=103\"}}}");
	when_time_passed(w, 20000);
	assert_int_equal(w->sbatches, 2);
	slurm_job(w, "cow")[1].array_id = "102";
	slurm_job(w, "cow")[1].state = "COMPLETED";
	when_time_passed(w, 6000);
	then_phase(w, "cow", "Succeeded");
}

/* slurmctld has forgotten all of it, and keeps no accounts: what was seen stays. */
/* Acceptance: V11 */
static void test_what_was_seen_of_a_forgotten_array_stays(void **state)
{
	W;
	given_an_array_with_a_forgotten_failure(w);
	w->info_fails = ERR_NOT_FOUND;
	when_time_passed(w, 200000);
	then_phase(w, "cow", "Failed");
	assert_string_equal(pod_text(w, "cow", "status.reason"), "JobNotFound");
	assert_int_equal(w->sbatches, 1);
	assert_string_equal(pod_note(w, "cow", ANNOTATION_JOB_ARRAY),
		"pending=0,running=1,succeeded=0,failed=1");
}

/* A user takes the number away, and the virtual node begins anew: it finds the job. */
/* Acceptance: V11 */
static void test_nor_does_a_start_forget_a_failed_task(void **state)
{
	W;
	given_an_array_with_a_forgotten_failure(w);
	when_killed(w);
	given_pod_changed(w, "cow",
		"{\"metadata\":{\"annotations\":{\"" ANNOTATION_JOB_ID "\":null}}}");
	when_begun(w);
	when_time_passed(w, 20000);
	then_the_failure_counts_when_the_rest_completes(w);
}

/* red-box knows none for a while, and meanwhile its running task is requeued. */
/* Acceptance: V11 */
static void test_a_requeued_array_that_is_there_again_forgets_no_failure(void **state)
{
	W;
	given_an_array_with_a_forgotten_failure(w);
	w->info_fails = ERR_NOT_FOUND;
	when_time_passed(w, 20000);
	w->info_fails = ERR_NONE;
	slurm_job(w, "cow")->later_s = 20;
	slurm_job(w, "cow")->restarts = "1";
	slurm_job(w, "cow")->state = "PENDING";
	when_time_passed(w, 20000);
	then_the_failure_counts_when_the_rest_completes(w);
}

static void given_a_second_array(struct vnode_world *w, int64_t later_s)
{
	given_an_array_with_a_forgotten_failure(w);
	slurm_job(w, "cow")->lost = true;
	w->forgets_answers = true;
	for (int i = 0; i < 1000 && w->sbatches < 2; i++)
		when_time_passed(w, 100);
	w->forgets_answers = false;
	assert_int_equal(w->sbatches, 2);
	struct slurm_job *j = &w->jobs[1];
	j->id = 205;
	j->array_id = "205";
	j->later_s = later_s == NOT_TOLD ? NOT_TOLD : later_s - 104;
	j->state = "COMPLETED";
	when_time_passed(w, 20000);
}

/* The clock of Slurm has gone back by a minute. */
/* Acceptance: V11 */
static void test_another_number_is_another_array_though_the_clock_went_back(void **state)
{
	W;
	given_a_second_array(w, -60);
	then_phase(w, "cow", "Succeeded");
}

/* The time of the submission is unknown. */
/* Acceptance: V11 */
static void test_another_number_is_another_array_though_its_time_is_not_told(void **state)
{
	W;
	given_a_second_array(w, NOT_TOLD);
	then_phase(w, "cow", "Succeeded");
}

/* Acceptance: V11 */
static void test_a_later_array_is_another_one(void **state)
{
	W;
	given_a_second_array(w, 60);
	then_phase(w, "cow", "Succeeded");
}

/* Fault 9: scancel 101_[1-4] while task 0 runs. */
/* Acceptance: vnode-31 */
static void test_an_array_with_tasks_that_were_cancelled_has_failed(void **state)
{
	W;
	struct slurm_job waits = task_of(101, "PENDING");
	given_a_job(w, "cow", "SlurmJob");
	when_time_passed(w, 2000);
	waits.task = "1-4%1";
	slurm_job(w, "cow")->id = 102;
	slurm_job(w, "cow")->array_id = "101";
	slurm_job(w, "cow")->task = "0";
	slurm_job(w, "cow")->state = "RUNNING";
	slurm_job(w, "cow")->next_task = &waits;
	when_time_passed(w, 6000);
	assert_string_equal(pod_note(w, "cow", ANNOTATION_JOB_ARRAY),
		"pending=4,running=1,succeeded=0,failed=0");
	slurm_job(w, "cow")->next_task = NULL;
	slurm_job(w, "cow")->state = "COMPLETED";
	when_time_passed(w, 6000);
	then_phase(w, "cow", "Failed");
	assert_string_equal(pod_note(w, "cow", ANNOTATION_JOB_ARRAY),
		"pending=0,running=0,succeeded=1,failed=0,missing=4");
	char *pod AUTO(own_free) = pod_json(w, "cow");
	assert_non_null(strstr(pod, "\"exitCode\":0,\"reason\":\"CANCELLED\""));
	assert_non_null(strstr(pod, "Slurm shows no end of 4 more tasks of the array"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		VNODE_TEST(test_an_array_ends_when_its_last_task_has),
		VNODE_TEST(test_the_tasks_of_a_lost_array_are_not_those_of_the_next),
		VNODE_TEST(test_a_failed_task_has_the_number_that_users_see),
		VNODE_TEST(test_a_mark_forgets_no_failed_task),
		VNODE_TEST(test_nor_does_one_of_a_job_that_is_there_again),
		VNODE_TEST(test_the_ids_of_a_lost_array_go_without_its_counts),
		VNODE_TEST(test_what_was_seen_of_a_forgotten_array_stays),
		VNODE_TEST(test_nor_does_a_start_forget_a_failed_task),
		VNODE_TEST(test_a_requeued_array_that_is_there_again_forgets_no_failure),
		VNODE_TEST(test_another_number_is_another_array_though_the_clock_went_back),
		VNODE_TEST(test_another_number_is_another_array_though_its_time_is_not_told),
		VNODE_TEST(test_a_later_array_is_another_one),
		VNODE_TEST(test_an_array_with_tasks_that_were_cancelled_has_failed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
