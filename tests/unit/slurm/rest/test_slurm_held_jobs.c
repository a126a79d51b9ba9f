/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of a job that holds nodes: its facts, how long, and the effect of a failure. */
#include "lib/held_jobs.h"

static void test_suspended_and_completing_jobs_as_24_11_tells_them(void **state)
{
	(void)state;
	struct setup t;
	begin(&t);
	rest_replays(t.f, STATES, "24.11/v0.0.42/jobs-state-suspended");
	answer(&t, JOB(1), ONE(1, "CANCELLED\",\"COMPLETING", ""));
	rest_replays(t.f, JOB(2), "24.11/v0.0.42/job-suspended");
	rest_replays(t.f, JOB(3), "24.11/v0.0.42/job-completing");
	was_read(&t,
		"1 COMPLETING CANCELLED , 2 SUSPENDED n2 root, "
		"3 COMPLETING CANCELLED n2 root, ");
	assert_string_equal(slurm_cluster_name(t.s), "lab");
	end_reading(&t);
}

static void test_a_job_is_read_again_when_its_state_has_changed(void **state)
{
	(void)state;
	struct setup t;
	given(&t, RUNS(7), JOB(7), ONE(7, "RUNNING", "n1"));
	was_read(&t, "7 RUNNING n1, ");
	read_again(&t);
	answer(&t, STATES, STANDS(7));
	answer(&t, JOB(7), ONE(7, "SUSPENDED", "n2"));
	was_read(&t, "7 SUSPENDED n2, ");
	end_reading(&t);
}

/*
 * The job was requeued with another StartTime, or went on and was resized, and stands
 * again: the node that it has now was seen free meanwhile.
 */
static void test_a_job_that_stands_is_read_behind_each_list(void **state)
{
	(void)state;
	struct setup t;
	given(&t, STANDS(7), JOB(7), ONE(7, "SUSPENDED", "n1"));
	was_read(&t, "7 SUSPENDED n1, ");
	sim_loop_pass(&t.f->loop, 1000);
	read_again(&t);
	answer(&t, STATES, STANDS(7));
	answer(&t, JOB(7), ONE(7, "SUSPENDED", "n2"));
	was_read(&t, "7 SUSPENDED n2, ");
	end_reading(&t);
}

static void test_a_job_tells_its_user_and_all_of_its_state(void **state)
{
	(void)state;
	struct setup t;
	given(&t, STANDS(7), JOB(7),
		"{\"job_id\":7,\"job_state\":[\"RUNNING\",\"SUSPENDED\"],\"nodes\":\"n1\","
		"\"user_name\":\"alice\"}");
	was_read(&t, "7 RUNNING SUSPENDED n1 alice, ");
	end_reading(&t);
}

static void test_a_job_whose_nodes_are_not_told_is_unknown_not_without_nodes(void **state)
{
	(void)state;
	struct setup t;
	begin(&t);
	answer(&t, STATES, RUNS(7) "," RUNS(8) "," RUNS(9) "," RUNS(10));
	answer(&t, JOB(7), "{\"job_id\":7,\"job_state\":[\"RUNNING\"]}");
	answer(&t, JOB(8), "{\"job_id\":8,\"job_state\":[\"RUNNING\"],\"nodes\":null}");
	answer(&t, JOB(9), ONE(9, "RUNNING", ""));
	answer(&t, JOB(10), ONE(11, "RUNNING", "n1")); /* about another */
	was_read(&t, "7 RUNNING unknown, 8 RUNNING unknown, 9 RUNNING , 10 RUNNING unknown, ");
	end_reading(&t);
}

static void test_a_job_is_given_once_however_often_the_answer_names_it(void **state)
{
	(void)state;
	struct setup t;
	AUTO(str_free) struct str list = { 0 };
	for (int i = 0; i < 3000; i++)
		str_addf(&list, "%s" ONE(7, "RUNNING", "n[0-65535]"), i ? "," : "");
	given(&t, RUNS(7), JOB(7), str_text(&list));
	was_read(&t, "7 RUNNING n[0-65535], ");
	end_reading(&t);
}

static void test_a_job_that_held_nothing_when_read_is_read_again(void **state)
{
	(void)state;
	struct setup t;
	/* requeued between both */
	given(&t, RUNS(7), JOB(7), ONE(7, "PENDING", ""));
	was_read(&t, "");
	read_again(&t);
	answer(&t, STATES, RUNS(7)); /* the same words: it runs again */
	answer(&t, JOB(7), ONE(7, "RUNNING", "n2"));
	was_read(&t, "7 RUNNING n2, ");
	end_reading(&t);
}

static void test_a_job_that_slurm_lists_but_does_not_know_is_unknown(void **state)
{
	(void)state;
	struct setup t;
	begin(&t);
	answer(&t, STATES, STANDS(7));
	rest_replays(t.f, JOB(7), "24.11/v0.0.42/job-unknown");
	was_read(&t, ""); /* it has ended meanwhile */
	for (int i = 0; i < 2; i++) {
		read_again(&t);
		answer(&t, STATES, STANDS(7)); /* asked later: it has not */
		rest_replays(t.f, JOB(7), "24.11/v0.0.42/job-unknown");
		was_read(&t, "7 SUSPENDED unknown, ");
		sim_loop_pass(&t.f->loop, 5000);
	}
	end_reading(&t);
}

static void test_a_job_that_is_too_large_is_read_every_five_minutes(void **state)
{
	(void)state;
	struct setup t;
	begin(&t);
	answer(&t, STATES, RUNS(14));
	assert_true(rest_oldest(t.f)->on_body);
	rest_fails(t.f, JOB(14), err_new(ERR_TOO_LARGE, "more than 16777216 bytes"));
	was_read(&t, "14 RUNNING unknown, ");
	sim_loop_pass(&t.f->loop, 5 * MINUTE - 6);
	is_remembered(&t, RUNS(14), "14 RUNNING unknown, ");
	/* not even when it changes: it would be as large */
	is_remembered(&t, STANDS(14), "14 SUSPENDED unknown, ");
	sim_loop_pass(&t.f->loop, 6);
	read_again(&t);
	answer(&t, STATES, RUNS(14));
	answer(&t, JOB(14), ONE(14, "RUNNING", "n2"));
	was_read(&t, "14 RUNNING n2, ");
	end_reading(&t);
}

static void test_sixteen_reads_in_a_row_without_an_answer_are_the_end(void **state)
{
	(void)state;
	struct setup t;
	AUTO(str_free) struct str list = { 0 };
	char line[64];
	listed(&list, 100);
	begin(&t);
	answer(&t, STATES, str_text(&list));
	for (int i = 1; i <= 16; i++) {
		assert_int_equal(t.seen.calls, 0);
		snprintf(line, sizeof(line), "GET /slurm/v0.0.42/job/%d", i);
		rest_fails(t.f, line, err_new(ERR_LOST, "time out"));
	}
	has_failed(&t, ERR_LOST);
	assert_int_equal(rest_waiting(t.f), 0); /* the others were cancelled */
	end_reading(&t);
}

static void test_large_jobs_and_single_failures_are_not_the_end(void **state)
{
	(void)state;
	struct setup t;
	AUTO(str_free) struct str list = { 0 };
	char line[64];
	listed(&list, 60);
	begin(&t);
	answer(&t, STATES, str_text(&list));
	for (int i = 1; i <= 60; i++) {
		enum err_kind kind = i % 16 ? ERR_LOST : ERR_TOO_LARGE;
		snprintf(line, sizeof(line), "GET /slurm/v0.0.42/job/%d", i);
		rest_fails(t.f, line, err_new(i < 20 ? ERR_TOO_LARGE : kind, "no"));
	}
	assert_int_equal(t.seen.calls, 1);
	assert_false(failed(t.seen.err));
	assert_true(str_has_prefix(str_text(&t.seen.text), "1 RUNNING unknown, 2 RUNNING "));
	end_reading(&t);
}

static void test_states_that_are_no_list_of_words_are_an_error(void **state)
{
	(void)state;
	static const char *const states[] = { "3", "{}", "null", "true" };
	for (size_t i = 0; i < LENGTH(states); i++) {
		struct setup t;
		AUTO(str_free) struct str list = { 0 };
		begin(&t);
		str_addf(&list, "{\"job_id\":\"7\",\"state\":%s}", states[i]);
		answer(&t, STATES, str_text(&list));
		has_failed(&t, ERR_INVALID);
		end_reading(&t);
	}
	struct setup t;
	begin(&t);
	answer(&t, STATES, LISTED(7, "")); /* no base state: it may hold nodes */
	answer(&t, JOB(7), ONE(7, "RUNNING", "n1"));
	was_read(&t, "7 RUNNING n1, ");
	read_again(&t);
	rest_answers(t.f, STATES, 304, "");
	has_failed(&t, ERR_RETRY);
	end_reading(&t);
}

static void begin_v40(struct setup *t)
{
	*t = (struct setup){ .f = fake_slurmrestd_new(), .start = start };
	t->s = rest_client(t->f);
	start(t);
	rest_answers(t->f, "GET /openapi/v3", 200, "{\"paths\":{\"/slurm/v0.0.40/nodes/\":{}}}");
	rest_grants_rights(t->f, "v0.0.40");
}

#define STATES40 "GET /slurm/v0.0.40/jobs/state/"
#define ARRAY40 "GET /slurm/v0.0.40/job/14"
#define TASK(id, state, nodes)                     \
	"{\"job_id\":" #id ",\"array_job_id\":14," \
	"\"job_state\":[\"" state "\"],\"nodes\":\"" nodes "\"}"

static void test_v40_reads_an_array_again_when_one_of_its_tasks_is_suspended(void **state)
{
	(void)state;
	struct setup t;
	begin_v40(&t);
	answer(&t, STATES40, RUNS(14_1) "," RUNS(14_2) "," LISTED(14_3, "\"PENDING\""));
	answer(&t, ARRAY40,
		TASK(15, "RUNNING", "n1") "," TASK(16, "RUNNING", "n2") "," TASK(14, "PENDING",
			""));
	was_read(&t, "15 RUNNING n1, 16 RUNNING n2, ");
	read_again(&t);
	answer(&t, STATES40, RUNS(14_1) "," RUNS(14_2));
	was_read(&t, "15 RUNNING n1, 16 RUNNING n2, ");
	read_again(&t);
	answer(&t, STATES40, STANDS(14_1) "," RUNS(14_2));
	answer(&t, ARRAY40, TASK(15, "SUSPENDED", "n1") "," TASK(16, "RUNNING", "n2"));
	was_read(&t, "15 SUSPENDED n1, 16 RUNNING n2, ");
	sim_loop_pass(&t.f->loop, 5000); /* one of them stands */
	read_again(&t);
	answer(&t, STATES40, STANDS(14_1) "," RUNS(14_2));
	/* both had ended by then, and one begins again */
	answer(&t, ARRAY40, TASK(15, "COMPLETED", "n1") "," TASK(16, "RUNNING", "n2"));
	was_read(&t, "16 RUNNING n2, ");
	read_again(&t);
	answer(&t, STATES40, STANDS(14_1) "," RUNS(14_2));
	answer(&t, ARRAY40, TASK(15, "SUSPENDED", "n3") "," TASK(16, "RUNNING", "n2"));
	was_read(&t, "15 SUSPENDED n3, 16 RUNNING n2, ");
	end_reading(&t);
}

static void test_v40_an_array_with_too_many_tasks_is_unknown(void **state)
{
	(void)state;
	struct setup t;
	AUTO(str_free) struct str list = { 0 };
	for (int i = 0; i <= 2048; i++)
		str_addf(&list,
			"%s{\"job_id\":%d,\"array_job_id\":14,\"job_state\":[\"RUNNING\"],"
			"\"nodes\":\"n1\"}",
			i ? "," : "", 100 + i);
	begin_v40(&t);
	answer(&t, STATES40, RUNS(14_1));
	answer(&t, ARRAY40, str_text(&list));
	was_read(&t, "14 RUNNING unknown, ");
	end_reading(&t);
}

/* ---- many long lists ---- */

struct turns {
	const struct sim_loop *loop;
	uint64_t turn;
	size_t bytes, most_bytes; /* of host lists, in this turn; in any */
	bool ended;
};

/* As a host list with a fault at its end: all of it is looked at, and it has no name. */
static size_t note_bytes(void *ctx, const struct slurm_job *j)
{
	struct turns *n = ctx;
	n->bytes = n->turn == n->loop->steps ? n->bytes : 0;
	n->turn = n->loop->steps;
	n->bytes += j->nodes ? strlen(j->nodes) : 0;
	n->most_bytes = n->bytes > n->most_bytes ? n->bytes : n->most_bytes;
	return 0;
}

static void note_end(void *ctx, struct err e, int64_t asked_ms)
{
	struct turns *n = ctx;
	(void)asked_ms;
	assert_false(failed(e));
	n->ended = true;
}

static void test_of_long_host_lists_each_turn_has_one(void **state)
{
	enum { JOBS = 8, LIST_BYTES = 1000000 };
	(void)state;
	struct setup t;
	begin(&t);
	AUTO(str_free) struct str states = { 0 };
	for (int i = 1; i <= JOBS; i++)
		str_addf(&states, "%s{\"job_id\":%d,\"state\":\"SUSPENDED\"}", i > 1 ? "," : "", i);
	/* the read that begin has begun is given up for one of our own */
	slurm_free(t.s);
	t.s = rest_client(t.f);
	struct turns n = { .loop = &t.f->loop };
	slurm_held_jobs(t.s, note_bytes, note_end, &n);
	rest_negotiates(t.f);
	rest_grants_rights(t.f, "v0.0.42");
	answer(&t, STATES, str_text(&states));
	for (int i = 1; i <= JOBS; i++) {
		AUTO(str_free) struct str line = { 0 }, job = { 0 };
		str_addf(&line, "GET /slurm/v0.0.42/job/%d", i);
		str_addf(&job, "{\"job_id\":%d,\"job_state\":\"SUSPENDED\",\"nodes\":\"%0*d\"}", i,
			LIST_BYTES, i);
		answer(&t, str_text(&line), str_text(&job));
	}
	sim_loop_pass(&t.f->loop, 1000);
	assert_true(n.ended);
	assert_in_range(n.most_bytes, LIST_BYTES, LIST_BYTES);
	end_reading(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_suspended_and_completing_jobs_as_24_11_tells_them),
		cmocka_unit_test(test_a_job_is_read_again_when_its_state_has_changed),
		cmocka_unit_test(test_a_job_that_stands_is_read_behind_each_list),
		cmocka_unit_test(test_a_job_tells_its_user_and_all_of_its_state),
		cmocka_unit_test(test_a_job_whose_nodes_are_not_told_is_unknown_not_without_nodes),
		cmocka_unit_test(test_a_job_is_given_once_however_often_the_answer_names_it),
		cmocka_unit_test(test_a_job_that_held_nothing_when_read_is_read_again),
		cmocka_unit_test(test_a_job_that_slurm_lists_but_does_not_know_is_unknown),
		cmocka_unit_test(test_a_job_that_is_too_large_is_read_every_five_minutes),
		cmocka_unit_test(test_sixteen_reads_in_a_row_without_an_answer_are_the_end),
		cmocka_unit_test(test_large_jobs_and_single_failures_are_not_the_end),
		cmocka_unit_test(test_states_that_are_no_list_of_words_are_an_error),
		cmocka_unit_test(test_v40_reads_an_array_again_when_one_of_its_tasks_is_suspended),
		cmocka_unit_test(test_v40_an_array_with_too_many_tasks_is_unknown),
		cmocka_unit_test(test_of_long_host_lists_each_turn_has_one),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
