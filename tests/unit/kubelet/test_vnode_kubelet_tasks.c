/* SPDX-License-Identifier: Apache-2.0 */
/* Logs of an array: all of them, and that of one task. */
#include "lib/kubelet_world.h"

#include "kubelet/tasks.h"

#define LOG "/containerLogs/ns/cow-job/jt1"

static void then_given(struct world *w, const char *path, const char *body)
{
	struct client *c = get(w, path);
	until_ended(w, c);
	is_answer(c, 200, body);
}

/* Acceptance: log-10 */
static void tasks_of_an_array_that_write_to_one_file_have_one_log(void **state)
{
	struct world *w = *state;
	w->box.n_jobs = 3;
	for (int i = 0; i < 3; i++)
		w->box.jobs[i].array_id = "53";
	then_given(w, LOG, "one\ntwo\nthree\n"); /* one file for all */
}

static void given_three_tasks(struct world *w)
{
	static const char *const numbers[] = { "2", "0", "1" };
	static const char *const paths[] = { "/h/53_2", "/h/53_0", "/h/53_1" };
	w->box.n_jobs = 3;
	for (int i = 0; i < 3; i++) {
		w->box.jobs[i].array_id = "53";
		w->box.jobs[i].task = numbers[i];
		w->box.jobs[i].std_out = w->box.jobs[i].std_err = paths[i];
	}
}

#define HEAD(number) "==> task " number ": /h/53_" number " <==\n"

/* Acceptance: log-4, log-9 */
static void tasks_of_an_array_have_logs_of_their_own(void **state)
{
	struct world *w = *state;
	given_three_tasks(w);
	then_given(w, LOG,
		HEAD("0") "one\ntwo\nthree\n\n" HEAD("1") "one\ntwo\nthree\n\n" HEAD(
			"2") "one\ntwo\nthree\n");
	then_given(w, LOG "?tailLines=1",
		HEAD("0") "three\n\n" HEAD("1") "three\n\n" HEAD("2") "three\n");
	then_given(w, LOG "?limitBytes=40", HEAD("0") "one\ntwo\nthree\n\n=");
	w->box.is_older = true; /* each file is read twice */
	then_given(w, LOG "?tailLines=1",
		HEAD("0") "three\n\n" HEAD("1") "three\n\n" HEAD("2") "three\n");
	w->box.is_older = false;
	w->box.jobs[2].state = "CANCELLED"; /* one record of tasks that had not begun */
	w->box.jobs[2].task = "3-9%1";
	then_given(w, LOG "?tailLines=0", HEAD("0") "\n" HEAD("2"));
	w->box.jobs[2].task = "1";
	w->box.jobs[2].state = "PENDING";
	w->box.jobs[2].start_s = SLURM_ABSENT;
	then_given(w, LOG "?tailLines=0", HEAD("0") "\n" HEAD("2"));
	refuses(w, get(w, LOG "?follow=true"), 400,
		"job 53 is an array, and its tasks write to files of their own: leave -f out");
	refuses(w, get(w, LOG "?follow=true"), 400,
		"/nodes/slurm-x-debug/proxy/containerLogs/ns/cow-job/task-NUMBER");
	refuses(w, get(w, LOG "?sinceSeconds=1"), 400, "leave --since out");
}

/* Acceptance: log-9 */
static void a_task_is_a_container_of_its_own(void **state)
{
	struct world *w = *state;
	given_three_tasks(w);
	then_given(w, "/containerLogs/ns/cow-job/task-1", "one\ntwo\nthree\n");
	assert_string_equal(w->box.path, "/h/53_1");
	w->box.jobs[2].std_err = "/h/53_1.err";
	then_given(w, "/containerLogs/ns/cow-job/task-1?stream=Stderr", "one\ntwo\nthree\n");
	assert_string_equal(w->box.path, "/h/53_1.err");
	refuses(w, get(w, "/containerLogs/ns/cow-job/task-7"), 400,
		"Slurm shows no started task 7 of the job");
	refuses(w, get(w, "/containerLogs/ns/cow-job/task-07"), 404, "no such container");
	refuses(w, get(w, "/containerLogs/ns/cow-job/task-x"), 404, "no such container");
	w->box.jobs[2].state = "PENDING";
	refuses(w, get(w, "/containerLogs/ns/cow-job/task-1"), 400, "no started task 1");
	w->pod.container = "task-2"; /* of the pod */
	w->box.n_jobs = 1;
	then_given(w, "/containerLogs/ns/cow-job/task-2", "one\ntwo\nthree\n");
}

/* The file of the task was deleted; those of the others are there. */
/* Acceptance: log-9 */
static void a_task_without_its_file_hides_no_other(void **state)
{
	struct world *w = *state;
	given_three_tasks(w);
	w->box.missing = "/h/53_0";
	then_given(w, LOG "?tailLines=1",
		HEAD("0") "[TailLines: no such file]\n\n" HEAD("1") "three\n\n" HEAD(
			"2") "three\n");
}

/* Acceptance: log-9 */
static void an_array_of_very_many_tasks_has_a_log_of_its_first_ones(void **state)
{
	struct slurm_job_shown jobs[TASKS_MOST + 3];
	struct arena a AUTO(arena_free) = { 0 };
	(void)state;
	for (int i = 0; i < TASKS_MOST + 3; i++)
		jobs[i] = (struct slurm_job_shown){ .id = 1000 - i,
			.array_id = "7",
			.task = arena_printf(&a, "%d", TASKS_MOST + 2 - i),
			.state = "COMPLETED",
			.std_out = arena_printf(&a, "/h/%d", TASKS_MOST + 2 - i),
			.std_err = "",
			.start_s = 5 };
	assert_true(tasks_have_files(jobs, TASKS_MOST + 3, false));
	assert_false(tasks_have_files(jobs, TASKS_MOST + 3, true));
	struct task_files files = tasks_files(jobs, TASKS_MOST + 3, false, &a);
	assert_int_equal(files.n, TASKS_MOST);
	assert_int_equal(files.left_out, 3);
	assert_string_equal(files.of[0].path, "/h/0");
	assert_int_equal(files.of[TASKS_MOST - 1].number, TASKS_MOST - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KUBELET_TEST(tasks_of_an_array_that_write_to_one_file_have_one_log),
		KUBELET_TEST(tasks_of_an_array_have_logs_of_their_own),
		KUBELET_TEST(a_task_is_a_container_of_its_own),
		KUBELET_TEST(a_task_without_its_file_hides_no_other),
		cmocka_unit_test(an_array_of_very_many_tasks_has_a_log_of_its_first_ones),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
