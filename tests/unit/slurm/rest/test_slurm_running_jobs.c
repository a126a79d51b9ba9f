/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs that just run: their nodes look busy, so they are read last, and not for long. */
#include "lib/held_jobs.h"

static void test_jobs_that_a_node_does_not_show_are_read_first(void **state)
{
	(void)state;
	struct setup t;
	AUTO(str_free) struct str list = { 0 };
	char line[64];
	listed(&list, 100);
	str_add(&list, "," STANDS(200) "," LISTED(201, "\"CANCELLED\",\"COMPLETING\""));
	begin(&t);
	answer(&t, STATES, str_text(&list));
	answer(&t, JOB(200), ONE(200, "SUSPENDED", "n2"));
	answer(&t, JOB(201), ONE(201, "COMPLETED", ""));
	for (int i = 1; i <= 100; i++) {
		snprintf(line, sizeof(line), "GET /slurm/v0.0.42/job/%d", i);
		answer(&t, line, "");
	}
	assert_int_equal(t.seen.calls, 1);
	assert_non_null(strstr(str_text(&t.seen.text), ", 200 SUSPENDED n2, "));
	end_reading(&t);
}

static void test_jobs_that_just_run_hold_up_the_answer_for_two_seconds(void **state)
{
	(void)state;
	struct setup t;
	AUTO(str_free) struct str list = { 0 };
	listed(&list, 40);
	str_add(&list, "," STANDS(200));
	begin(&t);
	answer(&t, STATES, str_text(&list));
	sim_loop_pass(&t.f->loop, 2000); /* what matters is waited for */
	answer(&t, JOB(200), ONE(200, "SUSPENDED", "n2"));
	read_running(&t, 1, 15);
	assert_int_equal(t.seen.calls, 1);
	assert_non_null(strstr(str_text(&t.seen.text), ", 15 RUNNING n, 16 RUNNING unknown, "));
	assert_non_null(strstr(str_text(&t.seen.text), ", 40 RUNNING unknown, 200 SUSPENDED n2, "));
	read_again(&t); /* behind the next list it goes on */
	answer(&t, STATES, str_text(&list));
	answer(&t, JOB(200), ONE(200, "SUSPENDED", "n2"));
	read_running(&t, 16, 20);
	sim_loop_pass(&t.f->loop, 1999);
	read_running(&t, 21, 40);
	assert_int_equal(t.seen.calls, 1);
	assert_null(strstr(str_text(&t.seen.text), "unknown"));
	end_reading(&t);
}

/* Jobs 1 to 20 run, and what they are is known. */
static void given_20_that_are_known(struct setup *t, struct str *list)
{
	listed(list, 20);
	begin(t);
	answer(t, STATES, str_text(list));
	read_running(t, 1, 20);
}

static void test_what_was_read_of_a_running_job_serves_until_it_is_read_again(void **state)
{
	(void)state;
	struct setup t;
	AUTO(str_free) struct str list = { 0 };
	given_20_that_are_known(&t, &list);
	sim_loop_pass(&t.f->loop, 5 * MINUTE);
	read_again(&t);
	answer(&t, STATES, str_text(&list));
	sim_loop_pass(&t.f->loop, 2000);
	read_running(&t, 1, 16); /* slowly: the others are not asked for */
	assert_int_equal(t.seen.calls, 1);
	assert_non_null(strstr(str_text(&t.seen.text), ", 20 RUNNING n, "));
	end_reading(&t);
}

/* Acceptance: removal-15 */
static void test_a_running_job_is_read_again_when_nobody_asked_for_a_while(void **state)
{
	(void)state;
	struct setup t;
	given(&t, RUNS(7), JOB(7), ONE(7, "RUNNING", "n1"));
	sim_loop_pass(&t.f->loop, 4000);
	is_remembered(&t, RUNS(7), "7 RUNNING n1, ");
	sim_loop_pass(&t.f->loop, 5000);
	read_again(&t);
	answer(&t, STATES, RUNS(7));
	answer(&t, JOB(7), ONE(7, "RUNNING", "n2"));
	was_read(&t, "7 RUNNING n2, ");
	end_reading(&t);
}

/* The known facts of a job serve until then. */
static void test_what_nobody_knows_is_read_before_what_may_have_moved(void **state)
{
	(void)state;
	struct setup t;
	AUTO(str_free) struct str list = { 0 };
	given_20_that_are_known(&t, &list);
	sim_loop_pass(&t.f->loop, 5000);
	str_clear(&list);
	listed(&list, 40);
	read_again(&t);
	answer(&t, STATES, str_text(&list));
	read_running(&t, 21, 40);
	sim_loop_pass(&t.f->loop, 2000);
	read_running(&t, 1, 16); /* they were on their way */
	assert_int_equal(t.seen.calls, 1);
	assert_null(strstr(str_text(&t.seen.text), "unknown"));
	end_reading(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_jobs_that_a_node_does_not_show_are_read_first),
		cmocka_unit_test(test_jobs_that_just_run_hold_up_the_answer_for_two_seconds),
		cmocka_unit_test(test_what_was_read_of_a_running_job_serves_until_it_is_read_again),
		cmocka_unit_test(test_a_running_job_is_read_again_when_nobody_asked_for_a_while),
		cmocka_unit_test(test_what_nobody_knows_is_read_before_what_may_have_moved),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
