/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs are believed only when the token's user may see them all. */
#include "lib/slurm_reading.h"

#define WHETHER "reading the jobs of Slurm: checking whether the token's user sees "
#define RIGHTS "POST /slurm/v0.0.42/node/slurm-operator-rights"

static size_t each(void *ctx, const struct slurm_job *j)
{
	(void)ctx;
	fail_msg("job %lld is given", (long long)j->id);
	return 0;
}

static void done(void *ctx, struct err err, int64_t asked_ms)
{
	seen_done(ctx, err, !failed(err), asked_ms);
}

static size_t count(void *ctx, const struct slurm_job *j)
{
	struct seen *s = ctx;
	str_addf(&s->text, "%lld ", (long long)j->id);
	return 0;
}

static void start_counting(struct setup *t) { slurm_held_jobs(t->s, count, done, &t->seen); }
static void start(struct setup *t) { slurm_held_jobs(t->s, each, done, &t->seen); }

static void answer_none(struct setup *t)
{
	rest_answers(t->f, "GET /slurm/v0.0.42/jobs/state/", 200, "{\"jobs\":[],\"errors\":[]}");
}

/* Without a further question. */
static void reads_again(struct setup *t)
{
	read_again(t);
	answer_none(t);
	was_read(t, "");
}

/* PrivateData=jobs: Slurm hides the jobs of others, and the list is good and empty. */
static void test_a_token_that_may_not_change_nodes_may_not_see_all_jobs(void **state)
{
	(void)state;
	static const char *const recorded[] = { "24.11/v0.0.42/update-plain-user",
		"26.05/v0.0.44/update-plain-user" };
	for (size_t i = 0; i < LENGTH(recorded); i++) {
		struct setup t;
		begin_reading(&t, start, WHETHER);
		assert_string_equal(rest_oldest(t.f)->body, "{\"comment\":\"\"}");
		rest_replays(t.f, RIGHTS, recorded[i]);
		has_failed(&t, ERR_DENIED);
		read_again(&t); /* it is asked anew: rights are given while a token lives */
		rest_grants_rights(t.f, "v0.0.42");
		answer_none(&t);
		was_read(&t, "");
		reads_again(&t);
		slurm_set_token(t.s, FAKE_TOKEN);
		reads_again(&t);
		slurm_set_token(t.s, "another");
		read_again(&t);
		rest_grants_rights(t.f, "v0.0.42");
		answer_none(&t);
		end_reading(&t);
	}
}

static void test_nothing_is_told_of_jobs_before_the_rights_are_clear(void **state)
{
	(void)state;
	static const struct {
		int status;
		enum err_kind kind;
		const char *body;
	} answers[] = {
		{ 502, ERR_RETRY, "{\"errors\":[{\"error_number\":1800}]}" },
		{ 500, ERR_LOST, "{\"errors\":[{\"error_number\":104}]}" },
		{ 500, ERR_NOT_FOUND, "{\"errors\":[{\"error_number\":2017}]}" },
		{ 500, ERR_INVALID, "{\"errors\":[{\"error_number\":2028}]}" },
		{ 511, ERR_DENIED, "{\"errors\":[{\"error_number\":1007}]}" },
		{ 200, ERR_LOST, "{}" },
		{ 304, ERR_LOST, "" },
	};
	for (size_t i = 0; i < LENGTH(answers); i++) {
		struct setup t;
		begin_reading(&t, start, WHETHER);
		rest_answers(t.f, RIGHTS, answers[i].status, answers[i].body);
		has_failed(&t, answers[i].kind);
		read_again(&t);
		rest_answers(t.f, RIGHTS, 200,
			"{\"errors\":[]}"); /* there is a node of that name */
		answer_none(&t);
		was_read(&t, "");
		end_reading(&t);
	}
}

static void updated(void *ctx, struct err err)
{
	(void)ctx;
	(void)err;
}

static void test_the_rights_of_an_old_token_are_not_those_of_the_new(void **state)
{
	(void)state;
	struct setup t;
	begin_reading(&t, start, WHETHER);
	slurm_set_token(t.s, "another"); /* while the question is on its way */
	rest_grants_rights(t.f, "v0.0.42");
	assert_string_equal(t.f->last_token, FAKE_TOKEN);
	rest_replays(t.f, RIGHTS, "24.11/v0.0.42/update-plain-user");
	assert_string_equal(t.f->last_token, "another");
	has_failed(&t, ERR_DENIED);
	end_reading(&t);
}

/* To whom jobs are hidden, Slurm says of each of them that there is none. */
static void test_what_another_token_does_not_see_has_not_ended(void **state)
{
	(void)state;
	struct setup t;
	begin_reading(&t, start, "reading the jobs of Slurm: the token has changed");
	rest_grants_rights(t.f, "v0.0.42");
	rest_answers(t.f, "GET /slurm/v0.0.42/jobs/state/", 200,
		"{\"jobs\":[{\"job_id\":\"7\",\"state\":[\"SUSPENDED\"]}],\"errors\":[]}");
	slurm_set_token(t.s, "another");
	rest_answers(t.f, "GET /slurm/v0.0.42/job/7", 404,
		"{\"errors\":[{\"error_number\":2017}]}");
	has_failed(&t, ERR_RETRY);
	end_reading(&t);
}

#define LISTED(id, state) "{\"job_id\":\"" #id "\",\"state\":[\"" state "\"]}"

static void answer_states(struct setup *t, const char *list)
{
	AUTO(str_free) struct str body = { 0 };
	str_addf(&body, "{\"jobs\":[%s],\"errors\":[]}", list);
	rest_answers(t->f, "GET /slurm/v0.0.42/jobs/state/", 200, str_text(&body));
}

/* With the rights that a token had weeks ago: an administrator may take them away. */
static void test_a_job_that_is_missing_may_be_hidden_by_now(void **state)
{
	(void)state;
	struct setup t;
	begin_reading(&t, start_counting, WHETHER);
	rest_grants_rights(t.f, "v0.0.42");
	answer_states(&t, LISTED(7, "SUSPENDED"));
	rest_answers(t.f, "GET /slurm/v0.0.42/job/7", 200,
		"{\"jobs\":[{\"job_id\":7,\"job_state\":\"SUSPENDED\",\"nodes\":\"n1\"}],"
		"\"errors\":[]}");
	was_read(&t, "7 ");
	read_again(&t);
	answer_states(&t, "");
	rest_replays(t.f, RIGHTS, "24.11/v0.0.42/update-plain-user");
	has_failed(&t, ERR_DENIED);
	end_reading(&t);
}

static void test_of_a_job_that_is_listed_as_ended_nothing_is_asked(void **state)
{
	(void)state;
	struct setup t;
	begin_reading(&t, start_counting, WHETHER);
	rest_grants_rights(t.f, "v0.0.42");
	answer_states(&t, LISTED(7, "RUNNING") "," LISTED(8, "RUNNING"));
	rest_answers(t.f, "GET /slurm/v0.0.42/job/7", 404,
		"{\"errors\":[{\"error_number\":2017}]}");
	rest_answers(t.f, "GET /slurm/v0.0.42/job/8", 404,
		"{\"errors\":[{\"error_number\":2017}]}");
	was_read(&t, "");
	read_again(&t);
	answer_states(&t, LISTED(7, "COMPLETED") "," LISTED(8, "PENDING"));
	was_read(&t, "");
	end_reading(&t);
}

/* Slurm forgot the job as soon as it had ended, or it was not read for long. */
static void test_who_still_may_goes_on_with_a_list_behind_the_answer(void **state)
{
	(void)state;
	struct setup t;
	begin_reading(&t, start_counting, WHETHER);
	rest_grants_rights(t.f, "v0.0.42");
	answer_states(&t, LISTED(7, "RUNNING"));
	rest_answers(t.f, "GET /slurm/v0.0.42/job/7", 404,
		"{\"errors\":[{\"error_number\":2017}]}");
	read_again(&t);
	answer_states(&t, "");
	sim_loop_pass(&t.f->loop, 100);
	rest_grants_rights(t.f, "v0.0.42");
	assert_int_equal(t.seen.calls, 0);
	int64_t before = t.f->loop.now_ms;
	answer_states(&t, "");
	was_read(&t, "");
	assert_true(t.seen.asked_ms >= before - 5);
	reads_again(&t);
	end_reading(&t);
}

static void test_a_refused_update_makes_the_rights_be_asked_for_again(void **state)
{
	(void)state;
	static const char *const n1[] = { "n1" };
	struct setup t;
	begin_reading(&t, start, WHETHER);
	rest_grants_rights(t.f, "v0.0.42");
	answer_none(&t);
	slurm_update_nodes(t.s, SLURM_DRAIN, n1, 1, "r", updated, NULL);
	rest_replays(t.f, "POST /slurm/v0.0.42/nodes/", "24.11/v0.0.42/update");
	reads_again(&t);
	slurm_update_nodes(t.s, SLURM_DRAIN, n1, 1, "r", updated, NULL);
	rest_replays(t.f, "POST /slurm/v0.0.42/nodes/", "24.11/v0.0.42/update-plain-user");
	read_again(&t);
	rest_replays(t.f, RIGHTS, "24.11/v0.0.42/update-plain-user");
	has_failed(&t, ERR_DENIED);
	end_reading(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_token_that_may_not_change_nodes_may_not_see_all_jobs),
		cmocka_unit_test(test_nothing_is_told_of_jobs_before_the_rights_are_clear),
		cmocka_unit_test(test_the_rights_of_an_old_token_are_not_those_of_the_new),
		cmocka_unit_test(test_what_another_token_does_not_see_has_not_ended),
		cmocka_unit_test(test_a_job_that_is_missing_may_be_hidden_by_now),
		cmocka_unit_test(test_of_a_job_that_is_listed_as_ended_nothing_is_asked),
		cmocka_unit_test(test_who_still_may_goes_on_with_a_list_behind_the_answer),
		cmocka_unit_test(test_a_refused_update_makes_the_rights_be_asked_for_again),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
