/* SPDX-License-Identifier: Apache-2.0 */
/* Which jobs have which nodes, and until when. */
#include "lib/slurm_reading.h"

#define STATES "GET /slurm/v0.0.42/jobs/state/"
#define RUNS(id) "{\"job_id\":\"" id "\",\"state\":[\"RUNNING\"]}"
#define OVER(id) "{\"job_id\":\"" id "\",\"state\":[\"COMPLETED\"]}"
#define FAR_TOO_LARGE "99999999999999999999999999999999999999999"
#define JOB(n) "GET /slurm/v0.0.42/job/" #n

/* "15 n2 1795272036, 12 n1 never, 13 unknown never, " */
static size_t each(void *ctx, const struct slurm_job *j)
{
	struct seen *s = ctx;
	assert_true(job_state_holds(j->state));
	assert_non_null(j->user);
	str_addf(&s->text, "%lld %s ", (long long)j->id, j->nodes ? j->nodes : "unknown");
	if (j->end_s == INT64_MAX)
		str_add(&s->text, "never, ");
	else
		str_addf(&s->text, "%lld, ", (long long)j->end_s);
	return 0;
}

static void done(void *ctx, struct err err, int64_t asked_ms)
{
	seen_done(ctx, err, !failed(err), asked_ms);
}

static void start(struct setup *t) { slurm_held_jobs(t->s, each, done, &t->seen); }
static void begin(struct setup *t)
{
	begin_reading(t, start, "reading the jobs of Slurm: ");
	rest_grants_rights(t->f, "v0.0.42");
}

static void answer_states(struct setup *t, const char *list)
{
	AUTO(str_free) struct str body = { 0 };
	str_addf(&body, "{\"jobs\":[%s],\"errors\":[],\"warnings\":[]}", list);
	rest_answers(t->f, STATES, 200, str_text(&body));
}

static void answer_job(struct setup *t, const char *line, int id, const char *members)
{
	AUTO(str_free) struct str body = { 0 };
	str_addf(&body, "{\"jobs\":[{\"job_id\":%d,%s}],\"errors\":[],\"warnings\":[]}", id,
		members);
	rest_answers(t->f, line, 200, str_text(&body));
}

/* A job as most are. */
static void answer_plain_job(struct setup *t, const char *line, int id)
{
	answer_job(t, line, id,
		"\"job_state\":[\"RUNNING\"],\"nodes\":\"n1\",\"start_time\":1000,\"time_limit\":"
		"1");
}

static void test_running_jobs_with_and_without_a_limit(void **state)
{
	(void)state;
	struct setup t;
	begin(&t);
	/*
	 * 24.11: of 15 jobs four run: two parts of a heterogeneous job without a limit,
	 * two tasks of an array with one of 5 minutes
	 */
	rest_replays(t.f, STATES, "24.11/v0.0.42/jobs-state");
	assert_int_equal(rest_waiting(t.f), 4);
	int64_t asked_ms = t.f->loop.now_ms - 5;
	sim_loop_pass(&t.f->loop, 50);
	/* Lists 13 as well */
	rest_replays(t.f, JOB(12), "24.11/v0.0.42/job-12-heterogeneous-no-limit");
	rest_replays(t.f, JOB(13), "24.11/v0.0.42/job-13");
	rest_replays(t.f, JOB(15), "24.11/v0.0.42/job-15");
	rest_replays(t.f, JOB(14), "24.11/v0.0.42/job-14-array-with-limit"); /* lists 15 as well */
	was_read(&t, "12 n2 never, 13 n1 never, 15 n2 1795272036, 14 n1 1795272036, ");
	/* The time of the states: a job that they did not list was not running then */
	assert_int_equal(t.seen.asked_ms, asked_ms);
	end_reading(&t);
}

#define V40_STATES "GET /slurm/v0.0.40/jobs/state/"
#define V40_JOB(n) "GET /slurm/v0.0.40/job/" #n

static void begin_v40(struct setup *t)
{
	*t = (struct setup){ .f = fake_slurmrestd_new(), .start = start };
	t->s = rest_client(t->f);
	start(t);
	rest_answers(t->f, "GET /openapi/v3", 200, "{\"paths\":{\"/slurm/v0.0.40/nodes/\":{}}}");
	rest_grants_rights(t->f, "v0.0.40");
}

static void test_v40_names_the_tasks_of_an_array_by_the_array(void **state)
{
	(void)state;
	struct setup t;
	begin_v40(&t);
	/* "14_1" and "14_2" */
	rest_replays(t.f, V40_STATES, "24.11/v0.0.40/jobs-state");
	assert_int_equal(rest_waiting(t.f), 3);
	rest_replays(t.f, V40_JOB(12), "24.11/v0.0.40/job-12-heterogeneous-no-limit");
	rest_replays(t.f, V40_JOB(13), "24.11/v0.0.42/job-13");
	rest_replays(t.f, V40_JOB(14), "24.11/v0.0.40/job-14-array-with-limit");
	assert_string_equal(t.seen.err.text, "");
	assert_string_equal(str_text(&t.seen.text),
		"12 n2 never, 13 n1 never, 14 n1 1795272036, 15 n2 1795272036, ");
	end_reading(&t);
}

static void test_v40_reads_an_array_again_when_another_task_runs(void **state)
{
	(void)state;
	struct setup t;
	begin_v40(&t);
	rest_answers(t.f, V40_STATES, 200, "{\"jobs\":[" RUNS("14_1") "]}");
	rest_replays(t.f, V40_JOB(14), "24.11/v0.0.40/job-14-array-with-limit");
	start(&t);
	rest_answers(t.f, V40_STATES, 200, "{\"jobs\":[" RUNS("14_1") "]}");
	assert_int_equal(t.seen.calls, 2); /* from memory */
	start(&t);
	rest_answers(t.f, V40_STATES, 200, "{\"jobs\":[" RUNS("14_2") "]}");
	rest_replays(t.f, V40_JOB(14), "24.11/v0.0.40/job-14-array-with-limit");
	assert_int_equal(t.seen.calls, 3);
	end_reading(&t);
}

static void test_no_jobs_at_all(void **state)
{
	(void)state;
	struct setup t;
	begin(&t);
	rest_answers(t.f, STATES, 200, "{\"jobs\":[],\"meta\":{},\"errors\":[],\"warnings\":[]}");
	was_read(&t, "");
	end_reading(&t);
}

static void test_an_empty_list_with_a_warning_is_not_no_jobs(void **state)
{
	(void)state;
	struct setup t;
	begin(&t);
	rest_replays(t.f, STATES, "24.11/v0.0.42/jobs-unchanged");
	has_failed(&t, ERR_RETRY);
	assert_non_null(strstr(t.seen.err.text, "No job changes since"));
	end_reading(&t);
}

static void test_slurmctld_down_is_500_and_null_for_jobs(void **state)
{
	(void)state;
	struct setup t;
	begin(&t);
	rest_replays(t.f, STATES, "24.11/v0.0.42/jobs-state-slurmctld-down");
	has_failed(&t, ERR_RETRY);
	read_again(&t);
	answer_states(&t, RUNS("14"));
	rest_replays(t.f, JOB(14), "24.11/v0.0.42/job-slurmctld-down");
	was_read(&t, "14 unknown never, ");
	end_reading(&t);
}

static void test_bad_token(void **state)
{
	(void)state;
	struct setup t;
	begin(&t);
	rest_replays(t.f, STATES, "24.11/v0.0.42/jobs-state-bad-token");
	has_failed(&t, ERR_DENIED);
	read_again(&t);
	answer_states(&t, RUNS("14"));
	rest_replays(t.f, JOB(14), "24.11/v0.0.42/job-bad-token");
	was_read(&t, "14 unknown never, ");
	end_reading(&t);
}

static void test_a_job_that_has_ended_meanwhile_is_left_out(void **state)
{
	(void)state;
	struct setup t;
	begin(&t);
#define RUNS_8 ",{\"job_id\":8,\"state\":\"RUNNING\"}," /* in other words */
	answer_states(&t, RUNS("99999") RUNS_8 RUNS("9"));
	rest_replays(t.f, JOB(99999), "24.11/v0.0.42/job-unknown"); /* 404, 2017 */
	answer_job(&t, JOB(8), 8,
		"\"job_state\":[\"COMPLETED\"],\"nodes\":\"n1\",\"start_time\":1000,\"time_limit\":"
		"1");
	answer_plain_job(&t, JOB(9), 9);
	was_read(&t, "9 n1 1060, ");
	end_reading(&t);
}

static void test_jobs_that_have_begun_and_not_ended_are_read(void **state)
{
	(void)state;
	struct setup t;
	begin(&t);
	answer_states(&t,
		"{\"job_id\":\"1\",\"state\":[\"PENDING\"]},"
		"{\"job_id\":\"2\",\"state\":[\"SUSPENDED\"]},"
		"{\"job_id\":\"4_*\",\"state\":[\"CANCELLED\"]},"
		"{\"job_id\":\"3\",\"state\":[\"COMPLETED\",\"COMPLETING\"]},"
		"{\"job_id\":\"5\",\"state\":[\"RUNNING\",\"CONFIGURING\"]},"
		"{\"job_id\":\"6\",\"state\":[\"PENDING\",\"REQUEUED\"]}");
	assert_int_equal(rest_waiting(t.f), 3);
	answer_job(&t, JOB(2), 2,
		"\"job_state\":[\"SUSPENDED\"],\"nodes\":\"n2\","
		"\"start_time\":1000,\"time_limit\":1");
	answer_job(&t, JOB(3), 3, "\"job_state\":[\"COMPLETED\",\"COMPLETING\"],\"nodes\":\"n3\"");
	answer_plain_job(&t, JOB(5), 5);
	was_read(&t, "2 n2 never, 3 n3 never, 5 n1 1060, ");
	end_reading(&t);
}

static void test_ends_of_jobs(void **state)
{
	(void)state;
	static const struct {
		const char *members, *expected;
	} cases[] = {
		{ "\"start_time\":{\"set\":true,\"infinite\":false,\"number\":5000},\"time_limit\":"
		  "{\"set\":true,\"infinite\":false,\"number\":2}",
			"7 n1 5120, " },
		{ "\"start_time\":5000,\"time_limit\":{\"set\":false,\"infinite\":true,\"number\":"
		  "0}",
			"7 n1 never, " },
		{ "\"start_time\":5000,\"time_limit\":{\"set\":true,\"infinite\":true,\"number\":"
		  "4294967295}",
			"7 n1 never, " },
		{ "\"start_time\":5000,\"time_limit\":{\"set\":false,\"infinite\":false,\"number\":"
		  "0}",
			"7 n1 never, " },
		{ "\"start_time\":5000,\"time_limit\":4294967295", "7 n1 never, " },
		{ "\"start_time\":5000,\"time_limit\":4294967294", "7 n1 never, " },
		{ "\"start_time\":5000,\"time_limit\":0", "7 n1 5000, " },
		{ "\"start_time\":5000", "7 n1 never, " },
		{ "\"time_limit\":5", "7 n1 never, " },
		{ "\"start_time\":9223372036854775807,\"time_limit\":5", "7 n1 never, " },
		{ "\"start_time\":\"soon\",\"time_limit\":5", "7 n1 never, " },
	};
	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct setup t;
		AUTO(str_free) struct str members = { 0 };
		str_addf(&members, "\"job_state\":[\"RUNNING\"],\"nodes\":\"n1\",%s",
			cases[i].members);
		begin(&t);
		answer_states(&t, RUNS("7"));
		answer_job(&t, JOB(7), 7, str_text(&members));
		was_read(&t, cases[i].expected);
		end_reading(&t);
	}
}

static void test_a_job_is_remembered_while_it_runs(void **state)
{
	(void)state;
	struct setup t;
	begin(&t);
	answer_states(&t, RUNS("7"));
	answer_plain_job(&t, JOB(7), 7);
	was_read(&t, "7 n1 1060, ");
	sim_loop_pass(&t.f->loop, 4000);
	read_again(&t);
	answer_states(&t, RUNS("7") "," RUNS("8"));
	assert_int_equal(rest_waiting(t.f), 1); /* the new one only */
	answer_plain_job(&t, JOB(8), 8);
	was_read(&t, "7 n1 1060, 8 n1 1060, ");
	read_again(&t);
	answer_states(&t, OVER("7") "," RUNS("8"));
	was_read(&t, "8 n1 1060, ");
	/* it was requeued and runs again: what was known is void */
	read_again(&t);
	answer_states(&t, RUNS("7") "," RUNS("8"));
	answer_plain_job(&t, JOB(7), 7);
	assert_int_equal(t.seen.calls, 1);
	end_reading(&t);
}

static void test_a_remembered_job_is_read_again_after_five_minutes(void **state)
{
	(void)state;
	struct setup t;
	begin(&t);
	answer_states(&t, RUNS("7"));
	answer_plain_job(&t, JOB(7), 7);
	for (int i = 1; i < 75; i++) { /* so often that it cannot be elsewhere meanwhile */
		sim_loop_pass(&t.f->loop, 4000);
		read_again(&t);
		answer_states(&t, RUNS("7"));
		was_read(&t, "7 n1 1060, ");
	}
	sim_loop_pass(&t.f->loop, 4000);
	read_again(&t);
	answer_states(&t, RUNS("7"));
	/* The limit was raised */
	answer_job(&t, JOB(7), 7,
		"\"job_state\":[\"RUNNING\"],\"nodes\":\"n1\",\"start_time\":1000,\"time_limit\":"
		"60");
	was_read(&t, "7 n1 4600, ");
	end_reading(&t);
}

static void test_one_read_that_fails_leaves_the_others(void **state)
{
	(void)state;
	static const char list[] = "{\"job_id\":7,\"state\":\"RUNNING\"},"
				   "{\"job_id\":8,\"state\":\"RUNNING\"}";
	struct setup t;
	begin(&t);
	answer_states(&t, list);
	rest_fails(t.f, JOB(7), err_new(ERR_LOST, "connection reset"));
	answer_plain_job(&t, JOB(8), 8);
	was_read(&t, "7 unknown never, 8 n1 1060, ");
	sim_loop_pass(&t.f->loop, 1999);
	read_again(&t);
	answer_states(&t, list);
	was_read(&t, "7 unknown never, 8 n1 1060, ");
	sim_loop_pass(&t.f->loop, 1);
	read_again(&t);
	answer_states(&t, list);
	answer_plain_job(&t, JOB(7), 7);
	was_read(&t, "7 n1 1060, 8 n1 1060, ");
	end_reading(&t);
}

static void test_at_most_16_jobs_are_read_at_a_time(void **state)
{
	(void)state;
	struct setup t;
	AUTO(str_free) struct str list = { 0 };
	for (int i = 1; i <= 100; i++)
		str_addf(&list, "%s{\"job_id\":\"%d\",\"state\":[\"RUNNING\"]}", i > 1 ? "," : "",
			i);
	begin(&t);
	answer_states(&t, str_text(&list));
	for (int i = 1; i <= 100; i++) {
		char line[64];
		assert_int_equal(rest_waiting(t.f), 101 - i < 16 ? 101 - i : 16);
		assert_int_equal(t.seen.calls, 0);
		snprintf(line, sizeof(line), "GET /slurm/v0.0.42/job/%d", i);
		answer_plain_job(&t, line, i);
	}
	assert_int_equal(t.seen.calls, 1);
	assert_true(str_has_prefix(str_text(&t.seen.text), "1 n1 1060, 2 n1 1060, "));
	end_reading(&t);
}

static void test_malformed_states_are_errors(void **state)
{
	(void)state;
	static const char *const bodies[] = {
		"{\"errors\":[]}",
		"{\"jobs\":null,\"errors\":[]}",
		"{\"jobs\":[{\"job_id\":\"7\"}],\"errors\":[]}",
		"{\"jobs\":[{\"state\":[\"RUNNING\"]}],\"errors\":[]}",
		"{\"jobs\":[{\"job_id\":\"x7\",\"state\":[\"RUNNING\"]}],\"errors\":[]}",
		("{\"jobs\":[" RUNS(FAR_TOO_LARGE) "],\"errors\":[]}"),
		"{\"jobs\":[{\"job_id\":0,\"state\":[\"RUNNING\"]}],\"errors\":[]}",
		"{\"jobs\":[{\"job_id\":-4,\"state\":[\"RUNNING\"]}],\"errors\":[]}",
	};
	for (size_t i = 0; i < LENGTH(bodies); i++) {
		struct setup t;
		begin(&t);
		rest_answers(t.f, STATES, 200, bodies[i]);
		has_failed(&t, ERR_INVALID);
		end_reading(&t);
	}
}

static void test_a_second_reader_is_refused_while_the_first_reads(void **state)
{
	(void)state;
	struct setup t;
	struct seen other = { 0 };
	begin(&t);
	slurm_held_jobs(t.s, each, done, &other);
	assert_int_equal(other.calls, 0);
	sim_loop_pass(&t.f->loop, 0);
	assert_int_equal(other.calls, 1);
	assert_int_equal(other.err.kind, ERR_RETRY);
	answer_states(&t, "");
	was_read(&t, "");
	read_again(&t);
	answer_states(&t, "");
	was_read(&t, "");
	end_reading(&t);
}

static void test_a_new_version_in_the_middle_starts_over(void **state)
{
	(void)state;
	struct setup t;
	begin(&t);
	answer_states(&t, RUNS("7") "," RUNS("8"));
	answer_plain_job(&t, JOB(7), 7);
	rest_replays(t.f, JOB(8), "26.05/unknown-path");
	assert_int_equal(rest_waiting(t.f), 1);
	rest_replays(t.f, "GET /openapi/v3", "26.05/openapi");
	rest_answers(t.f, "GET /slurm/v0.0.45/jobs/state/", 200,
		"{\"jobs\":[" RUNS("7") "," OVER("8") "],\"errors\":[]}");
	answer_plain_job(&t, "GET /slurm/v0.0.45/job/7", 7); /* read anew */
	was_read(&t, "7 n1 1060, ");
	end_reading(&t);
}

static void test_freed_in_the_middle_and_from_within_done(void **state)
{
	(void)state;
	struct setup t;
	begin(&t);
	answer_states(&t, RUNS("7") "," RUNS("8"));
	answer_plain_job(&t, JOB(7), 7);
	end_reading(&t);
	assert_int_equal(t.seen.calls, 0);

	begin(&t);
	answer_states(&t, RUNS("7"));
	t.seen.free_me = t.s;
	answer_plain_job(&t, JOB(7), 7);
	t.s = NULL;
	end_reading(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_running_jobs_with_and_without_a_limit),
		cmocka_unit_test(test_v40_names_the_tasks_of_an_array_by_the_array),
		cmocka_unit_test(test_v40_reads_an_array_again_when_another_task_runs),
		cmocka_unit_test(test_no_jobs_at_all),
		cmocka_unit_test(test_an_empty_list_with_a_warning_is_not_no_jobs),
		cmocka_unit_test(test_slurmctld_down_is_500_and_null_for_jobs),
		cmocka_unit_test(test_bad_token),
		cmocka_unit_test(test_a_job_that_has_ended_meanwhile_is_left_out),
		cmocka_unit_test(test_jobs_that_have_begun_and_not_ended_are_read),
		cmocka_unit_test(test_ends_of_jobs),
		cmocka_unit_test(test_a_job_is_remembered_while_it_runs),
		cmocka_unit_test(test_a_remembered_job_is_read_again_after_five_minutes),
		cmocka_unit_test(test_one_read_that_fails_leaves_the_others),
		cmocka_unit_test(test_at_most_16_jobs_are_read_at_a_time),
		cmocka_unit_test(test_malformed_states_are_errors),
		cmocka_unit_test(test_a_second_reader_is_refused_while_the_first_reads),
		cmocka_unit_test(test_a_new_version_in_the_middle_starts_over),
		cmocka_unit_test(test_freed_in_the_middle_and_from_within_done),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
