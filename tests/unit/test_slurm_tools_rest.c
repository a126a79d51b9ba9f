/* SPDX-License-Identifier: Apache-2.0 */
/* The tools where there is slurmrestd: what goes to it, and what an answer means. */
#include "lib/fake_slurmrestd.h"

#include "lib/tools_world.h"

struct world {
	struct tools_world *t;
	struct fake_slurmrestd *rest;
	struct slurm *slurm;
	struct timer *look;
};

/* ---- given ---- */

static int given_slurmrestd(void **state)
{
	struct world *w = own_alloc(sizeof(*w));
	void *tools;
	given_tools(&tools);
	w->t = tools;
	w->rest = fake_slurmrestd_new();
	w->slurm = rest_client(w->rest);
	begin_tools(w->t, (struct slurm_tools_config){ .slurm = w->slurm });
	tool_does(w->t, "scontrol", "echo 'ClusterName             = lab'");
	*state = w;
	return 0;
}

static int free_world(void **state)
{
	struct world *w = *state;
	void *tools = w->t;
	slurm_tools_free(TAKE(w->t->tools));
	slurm_free(w->slurm);
	fake_slurmrestd_free(w->rest);
	free_tools_world(&tools);
	free(w);
	return 0;
}

/* ---- when ---- */

static void look(void *ctx)
{
	struct world *w = ctx;
	w->look = NULL;
	if (rest_waiting(w->rest))
		loop_uv_stop(w->t->loop);
	else
		w->look = timer_start(w->t->loop, 1, look, w);
}

/* Programs have run, and slurmrestd is asked. */
static void until_asked(struct world *w)
{
	w->look = timer_start(w->t->loop, 0, look, w);
	loop_uv_run(w->t->loop);
	w->t->wanted = INT32_MAX; /* an answer is told within the call that gives it */
}

/* scontrol has told the cluster, and slurmrestd its versions. */
static void until_settled(struct world *w)
{
	until_asked(w);
	was_called(w->t, "scontrol [show] [config]\n");
	rest_negotiates(w->rest);
}

static void job(struct world *w, int64_t id) { slurm_tools_job(w->t->tools, id, tools_told, w->t); }

static void cancel(struct world *w, int64_t id)
{
	slurm_tools_cancel(w->t->tools, id, tools_told, w->t);
}

/* ---- then ---- */

static void is_told(struct world *w, int told, enum err_kind kind, const char *words)
{
	assert_int_equal(w->t->told, told);
	assert_string_equal(err_kind_name(w->t->err.kind), err_kind_name(kind));
	if (!strstr(kind == ERR_NONE ? str_text(&w->t->words) : w->t->err.text, words))
		fail_msg("\"%s\" is not in: %s, %s", words, str_text(&w->t->words), w->t->err.text);
}

/* What is told by a program, later. */
static void will_be_told(struct world *w, enum err_kind kind, const char *words)
{
	int told = w->t->told;
	when_so_many_told(w->t, 1);
	is_told(w, told + 1, kind, words);
}

#define JOB_8 "GET /slurm/v0.0.42/job/8"
#define LICENSES "GET /slurm/v0.0.42/licenses/"
#define OF_CLUSTER(c) "{\"meta\":{\"slurm\":{\"cluster\":\"" c "\"}},\"errors\":[]}"
#define OF_LAB "\"meta\":{\"slurm\":{\"cluster\":\"lab\"}},\"errors\":[]"

/* ---- a job ---- */

static void a_job_is_asked_of_slurmrestd(void **state)
{
	struct world *w = *state;
	job(w, 8);
	until_settled(w);
	rest_replays(w->rest, JOB_8, "24.11/v0.0.42/job-held");
	is_told(w, 1, ERR_NONE, "8:PENDING ");
	job(w, 20); /* what is known is not asked again */
	rest_replays(w->rest, "GET /slurm/v0.0.42/job/20", "24.11/v0.0.42/job-suspended-5s");
	is_told(w, 2, ERR_NONE, "20:SUSPENDED ");
	was_called(w->t, "");
}

static void many_are_asked_at_once_and_answered_in_any_order(void **state)
{
	struct world *w = *state;
	job(w, 8);
	until_settled(w);
	for (int i = 0; i < 9; i++)
		job(w, 20);
	cancel(w, 7);
	assert_int_equal(rest_waiting(w->rest), 11);
	fake_answer(fake_open(&w->rest->http, "licenses"), 200, "{\"licenses\":[]," OF_LAB "}");
	fake_answer(fake_open(&w->rest->http, "DELETE"), 200, "{\"status\":[]," OF_LAB "}");
	is_told(w, 1, ERR_NONE, "");
	rest_replays(w->rest, JOB_8, "24.11/v0.0.42/job-held");
	is_told(w, 2, ERR_NONE, "8:PENDING ");
	while (rest_waiting(w->rest))
		rest_replays(w->rest, "GET /slurm/v0.0.42/job/20", "24.11/v0.0.42/job-resumed");
	is_told(w, 11, ERR_NONE, "20:RUNNING ");
}

/* Only slurmctld says that a job is not there; then the accounts may know it. */
static void a_job_that_slurmctld_forgot_is_asked_of_the_accounts(void **state)
{
	struct world *w = *state;
	tool_fails(w->t, "sacct", "Slurm accounting storage is disabled\n");
	job(w, 99999);
	until_settled(w);
	rest_replays(w->rest, "GET /slurm/v0.0.42/job/99999", "24.11/v0.0.42/job-unknown");
	will_be_told(w, ERR_NOT_FOUND, "Invalid job id specified");
	AUTO(own_free) char *calls = tool_file(w->t, "calls");
	assert_non_null(strstr(calls, "sacct "));
	assert_non_null(strstr(calls, "[--jobs=99999]"));
}

static void of_an_array_that_has_ended_the_accounts_know_more_tasks(void **state)
{
	struct world *w = *state;
	tool_fails(w->t, "sacct", "sacct: error: Problem talking to the database: x\n");
	job(w, 4);
	until_settled(w);
	rest_replays(w->rest, "GET /slurm/v0.0.42/job/4", "24.11/v0.0.42/job-array-ended");
	will_be_told(w, ERR_RETRY, "Problem talking to the database");
	tool_fails(w->t, "sacct", "Slurm accounting storage is disabled\n");
	job(w, 4);
	rest_replays(w->rest, "GET /slurm/v0.0.42/job/4", "24.11/v0.0.42/job-array-ended");
	will_be_told(w, ERR_NONE, "4:FAILED 13:FAILED 12:FAILED 11:FAILED 9:FAILED ");
	job(w, 18);
	rest_replays(w->rest, "GET /slurm/v0.0.42/job/18", "24.11/v0.0.42/job-array");
	is_told(w, 3, ERR_NONE, "18:PENDING 19:RUNNING ");
}

/* None of these says that there is no such job. */
static void what_slurmrestd_does_not_say_is_unknown(void **state)
{
	static const struct {
		int status;
		const char *body;
	} rows[] = {
		{ 200, "{\"jobs\":[]," OF_LAB ",\"warnings\":[{\"description\":\"x\"}]}" },
		{ 200, "{" OF_LAB "}" },
		{ 200, "{\"jobs\":[{}]," OF_LAB "}" },
		{ 200, "{\"jobs\":[{\"job_id\":8" },
		{ 200, "" },
		{ 200, "<html></html>" },
		{ 304, "" },
		{ 401, "Authentication failure" },
		{ 503, "<html>later</html>" },
		{ 404, "{\"jobs\":[]," OF_LAB "}" },
	};
	struct world *w = *state;
	job(w, 8);
	until_settled(w);
	rest_replays(w->rest, JOB_8, "24.11/v0.0.42/job-held");
	for (size_t i = 0; i < LENGTH(rows); i++) {
		job(w, 8);
		if (!rest_oldest(w->rest))
			sim_loop_pass(&w->rest->loop, 0);
		rest_answers(w->rest, JOB_8, rows[i].status, rows[i].body);
		while (rest_oldest(w->rest)) { /* it asks for the versions anew, or once more */
			if (strstr(rest_oldest(w->rest)->path, "openapi"))
				rest_negotiates(w->rest);
			else
				rest_answers(w->rest, JOB_8, rows[i].status, rows[i].body);
		}
		sim_loop_pass(&w->rest->loop, 0);
		assert_int_equal(w->t->told, 2 + (int)i);
		assert_true(w->t->err.kind == ERR_RETRY || w->t->err.kind == ERR_INVALID);
	}
	was_called(w->t, "");
}

static void slurmctld_down_and_a_refused_token_are_unknown(void **state)
{
	struct world *w = *state;
	job(w, 8);
	until_settled(w);
	rest_replays(w->rest, JOB_8, "24.11/v0.0.42/job-slurmctld-down");
	is_told(w, 1, ERR_RETRY, "slurmctld");
	job(w, 8);
	rest_replays(w->rest, JOB_8, "24.11/v0.0.42/job-bad-token");
	is_told(w, 2, ERR_RETRY, "Slurm refused the token");
	job(w, 8);
	rest_fails(w->rest, JOB_8, err_new(ERR_LOST, "no whole answer within 30000 ms"));
	is_told(w, 3, ERR_RETRY, "no whole answer");
	job(w, 8);
	rest_fails(w->rest, JOB_8, err_new(ERR_RETRY, "connecting: Connection refused"));
	is_told(w, 4, ERR_RETRY, "Connection refused");
}

static void nothing_is_taken_of_an_answer_about_other_jobs(void **state)
{
	struct world *w = *state;
	job(w, 9);
	until_settled(w);
	rest_replays(w->rest, "GET /slurm/v0.0.42/job/9", "24.11/v0.0.42/job-held");
	is_told(w, 1, ERR_RETRY, "tells of other jobs than 9");
}

/* ---- the cluster ---- */

static void a_slurmrestd_of_another_cluster_is_no_use(void **state)
{
	struct world *w = *state;
	tool_does(w->t, "scontrol", "echo 'ClusterName             = other'");
	job(w, 8);
	until_settled(w);
	rest_replays(w->rest, JOB_8, "24.11/v0.0.42/job-held");
	is_told(w, 1, ERR_RETRY, "\"lab\" answers where \"other\" is expected");
}

static void nothing_is_asked_before_the_cluster_is_known(void **state)
{
	struct world *w = *state;
	tool_fails(w->t, "scontrol",
		"slurm_load_ctl_conf error: Unable to contact slurm controller");
	job(w, 8);
	will_be_told(w, ERR_RETRY, "Unable to contact");
	tool_does(w->t, "scontrol", "echo SlurmctldPort = 6817");
	job(w, 8);
	will_be_told(w, ERR_RETRY, "does not say which cluster");
	assert_int_equal(w->rest->http.n, 0);
}

/* ---- a cancellation ---- */

#define CANCEL_8 "DELETE /slurm/v0.0.42/job/8"

/* It is asked each time of which cluster it is. */
static void cancel_8(struct world *w)
{
	cancel(w, 8);
	if (!rest_waiting(w->rest))
		until_settled(w);
	rest_replays(w->rest, LICENSES, "24.11/v0.0.42/licenses");
}

static void a_job_is_cancelled_by_slurmrestd(void **state)
{
	struct world *w = *state;
	cancel_8(w);
	rest_replays(w->rest, CANCEL_8, "24.11/v0.0.42/cancel");
	is_told(w, 1, ERR_NONE, "");
	cancel_8(w);
	rest_replays(w->rest, CANCEL_8, "24.11/v0.0.42/cancel-ended");
	is_told(w, 2, ERR_NONE, "");
	cancel_8(w);
	rest_replays(w->rest, CANCEL_8, "24.11/v0.0.42/cancel-unknown");
	is_told(w, 3, ERR_NOT_FOUND, "Invalid job id specified");
	cancel_8(w);
	rest_replays(w->rest, CANCEL_8, "24.11/v0.0.42/cancel-denied");
	is_told(w, 4, ERR_DENIED, "Access/permission denied");
	was_called(w->t, "");
	cancel(w, 8); /* it has become another one */
	rest_answers(w->rest, LICENSES, 200, OF_CLUSTER("other"));
	is_told(w, 5, ERR_RETRY, "\"other\" answers where \"lab\" is expected");
	assert_int_equal(rest_waiting(w->rest), 0);
}

static void nobody_knows_of_a_cancellation_whose_answer_is_lost(void **state)
{
	struct world *w = *state;
	cancel_8(w);
	rest_fails(w->rest, CANCEL_8, err_new(ERR_LOST, "the connection broke"));
	is_told(w, 1, ERR_LOST, "the connection broke");
	cancel_8(w);
	rest_answers(w->rest, CANCEL_8, 200, "{\"status\":[]}");
	is_told(w, 2, ERR_LOST, "does not say whether it was done");
	cancel_8(w);
	rest_answers(w->rest, CANCEL_8, 200, "<html>");
	is_told(w, 3, ERR_LOST, "not a slurmrestd");
	cancel_8(w);
	rest_replays(w->rest, CANCEL_8, "24.11/v0.0.42/job-bad-token");
	is_told(w, 4, ERR_RETRY, "Slurm refused the token"); /* nothing was done */
	cancel_8(w);
	rest_fails(w->rest, CANCEL_8, err_new(ERR_RETRY, "connecting: Connection refused"));
	is_told(w, 5, ERR_RETRY, "Connection refused");
}

/* Before v0.0.42 slurmrestd says of a refused cancellation that all is well. */
static void what_an_old_slurmrestd_does_not_say_scancel_does(void **state)
{
	struct world *w = *state;
	tool_fails(w->t, "scancel",
		"scancel: error: Kill job error on job id 8: Access/permission denied\n");
	cancel_8(w);
	rest_replays(w->rest, CANCEL_8, "24.11/v0.0.41/cancel-denied");
	will_be_told(w, ERR_DENIED, "Access/permission denied");
	was_called(w->t, "scancel [8]\n");
}

static void one_that_names_no_cluster_cancels_nothing(void **state)
{
	struct world *w = *state;
	cancel(w, 8);
	until_settled(w);
	rest_answers(w->rest, LICENSES, 200, "{\"errors\":[]}");
	will_be_told(w, ERR_NONE, "");
	was_called(w->t, "scancel [8]\n");
}

static void a_number_that_no_job_can_have_is_not_asked_for(void **state)
{
	struct world *w = *state;
	cancel(w, 0);
	will_be_told(w, ERR_NOT_FOUND, "no job can have the id 0");
	job(w, INT64_C(4294967296));
	will_be_told(w, ERR_NOT_FOUND, "no job can have the id 4294967296");
	assert_int_equal(w->rest->http.n, 0);
}

/* ---- partitions, the version ---- */

static void hidden_partitions_are_told_by_name_only(void **state)
{
	struct world *w = *state;
	slurm_tools_partitions(w->t->tools, NULL, tools_told, w->t);
	until_settled(w);
	rest_replays(w->rest, "GET /slurm/v0.0.42/partitions/?flags=DETAIL",
		"24.11/v0.0.42/partitions");
	is_told(w, 1, ERR_NONE, "all ");
	assert_int_equal(w->t->n, 1);
	slurm_tools_partitions(w->t->tools, "hid", tools_told, w->t);
	rest_replays(w->rest, "GET /slurm/v0.0.42/partitions/?flags=ALL",
		"24.11/v0.0.42/partitions-all");
	is_told(w, 2, ERR_NONE, "hid ");
	assert_int_equal(w->t->n, 1);
	slurm_tools_partitions(w->t->tools, "nosuch", tools_told, w->t);
	rest_replays(w->rest, "GET /slurm/v0.0.42/partitions/?flags=ALL",
		"24.11/v0.0.42/partitions-all");
	is_told(w, 3, ERR_NONE, "");
	assert_int_equal(w->t->n, 0);
}

static void the_version_is_that_of_slurmrestd(void **state)
{
	struct world *w = *state;
	slurm_tools_version(w->t->tools, tools_told, w->t);
	until_settled(w);
	rest_replays(w->rest, LICENSES, "24.11/v0.0.42/licenses");
	is_told(w, 1, ERR_NONE, "24.11.5");
}

/* ---- what stays with the tools ---- */

static void what_decides_about_submissions_is_asked_of_the_tools(void **state)
{
	struct world *w = *state;
	const struct slurm_submission submission = { .script = "#!/bin/sh\n", .key = "k" };
	tool_does(w->t, "sbatch", "echo 42");
	slurm_tools_submit(w->t->tools, &submission, tools_told, w->t);
	when_told(w->t);
	slurm_tools_find(w->t->tools, "k", SLURM_ABSENT, tools_told, w->t);
	when_told(w->t);
	slurm_tools_marks(w->t->tools, tools_told, w->t);
	when_told(w->t);
	tool_does(w->t, "scontrol", "echo 'BOOT_TIME               = 2019-04-16T11:49:19'");
	slurm_tools_controller(w->t->tools, tools_told, w->t);
	when_told(w->t);
	assert_int_equal(w->rest->http.n, 0);
}

/* ---- the end ---- */

static void a_call_may_be_cancelled_wherever_it_is(void **state)
{
	struct world *w = *state;
	struct slurm_tools_call *first = slurm_tools_job(w->t->tools, 8, tools_told, w->t);
	slurm_tools_call_cancel(first); /* scontrol runs */
	struct slurm_tools_call *second = slurm_tools_job(w->t->tools, 8, tools_told, w->t);
	until_asked(w);
	slurm_tools_call_cancel(second);
	rest_negotiates(w->rest);
	struct slurm_tools_call *third = slurm_tools_job(w->t->tools, 8, tools_told, w->t);
	assert_int_equal(rest_waiting(w->rest), 1);
	slurm_tools_call_cancel(third);
	assert_int_equal(rest_waiting(w->rest), 0);
	assert_int_equal(w->t->told, 0);
}

static void the_tools_may_go_with_requests_under_way(void **state)
{
	struct world *w = *state;
	job(w, 8);
	until_settled(w);
	cancel(w, 8);
	slurm_tools_free(TAKE(w->t->tools));
	assert_int_equal(rest_waiting(w->rest), 0);
	assert_int_equal(w->t->told, 0);
}

#define REST_TEST(name) cmocka_unit_test_setup_teardown(name, given_slurmrestd, free_world)

int main(void)
{
	const struct CMUnitTest tests[] = {
		REST_TEST(a_job_is_asked_of_slurmrestd),
		REST_TEST(many_are_asked_at_once_and_answered_in_any_order),
		REST_TEST(a_job_that_slurmctld_forgot_is_asked_of_the_accounts),
		REST_TEST(of_an_array_that_has_ended_the_accounts_know_more_tasks),
		REST_TEST(what_slurmrestd_does_not_say_is_unknown),
		REST_TEST(slurmctld_down_and_a_refused_token_are_unknown),
		REST_TEST(nothing_is_taken_of_an_answer_about_other_jobs),
		REST_TEST(a_slurmrestd_of_another_cluster_is_no_use),
		REST_TEST(nothing_is_asked_before_the_cluster_is_known),
		REST_TEST(a_job_is_cancelled_by_slurmrestd),
		REST_TEST(nobody_knows_of_a_cancellation_whose_answer_is_lost),
		REST_TEST(what_an_old_slurmrestd_does_not_say_scancel_does),
		REST_TEST(one_that_names_no_cluster_cancels_nothing),
		REST_TEST(a_number_that_no_job_can_have_is_not_asked_for),
		REST_TEST(hidden_partitions_are_told_by_name_only),
		REST_TEST(the_version_is_that_of_slurmrestd),
		REST_TEST(what_decides_about_submissions_is_asked_of_the_tools),
		REST_TEST(a_call_may_be_cancelled_wherever_it_is),
		REST_TEST(the_tools_may_go_with_requests_under_way),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
