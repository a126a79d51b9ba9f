/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pods that copy results and bring inputs, where a mesh puts a container beside
 * theirs that never ends: their own one says how it went.
 */
#include "lib/given_job.h"
#include "object/condition.h"

#define COLLECTOR "cow-job-collect"
enum { MINUTE = 60000 };

/* The own container of the collector is the first, and has ended so. */
static void given_an_end(struct job_world *w, int exit_code, const char *message)
{
	given_job_results(w, JOB_RESULTS(",\"when\":\"Ended\""), POD_SUCCEEDED);
	given_collector(w, POD_RUNNING, "1")->exit_code = exit_code;
	w->collector.reason = exit_code ? "Error" : "Completed";
	w->collector.message = message;
}

static void then_tells(struct job_world *w, const char *status, const char *reason,
	const char *part)
{
	when_job_published(w);
	then_condition(&w->g, "ResultsCollected", status, reason);
	then_says(&w->g, "ResultsCollected", part);
}

/* Acceptance: job-12 */
static void test_what_was_copied_is_told_though_its_pod_runs_on(void **state)
{
	(void)state;
	JOB(w);
	given_an_end(&w, 0, "3 files with 17 bytes are in the volume");
	then_tells(&w, "True", "Collected", "3 files with 17 bytes");
	then_no(&w.g, DO(CREATE, POD), NULL);
	then_no(&w.g, DO(DELETE, POD), NULL);
}

/* Acceptance: job-12 */
static void test_one_that_failed_makes_room_though_its_pod_runs_on(void **state)
{
	(void)state;
	JOB(w);
	given_an_end(&w, 1, "no space left");
	then_tells(&w, "False", "CollectionDelayed", "Error, exit code 1: no space left");
	w.g.wall_ms += MINUTE;
	when_job_planned(&w);
	then(&w.g, DO(DELETE, POD), COLLECTOR);
}

/* Acceptance: job-12 */
static void test_one_that_failed_for_good_is_told_though_its_pod_runs_on(void **state)
{
	(void)state;
	JOB(w);
	given_an_end(&w, 2, "there is no out.txt");
	then_tells(&w, "False", "CollectionFailed", "exit code 2: there is no out.txt");
	w.g.wall_ms += MINUTE;
	when_job_planned(&w);
	then_no(&w.g, DO(DELETE, POD), NULL);
}

#define T(name) cmocka_unit_test(name)
int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_what_was_copied_is_told_though_its_pod_runs_on),
		T(test_one_that_failed_makes_room_though_its_pod_runs_on),
		T(test_one_that_failed_for_good_is_told_though_its_pod_runs_on),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
