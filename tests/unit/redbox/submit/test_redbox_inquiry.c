/* SPDX-License-Identifier: Apache-2.0 */
/* A question about a key: one call of Slurm's tools, one answer, no decision. */
#include "lib/fake_slurm_tools.h"
#include "lib/journal_steps.h"
#include "lib/redbox_folder.h"
#include "lib/sim_loop.h"

#include "redbox/submit/key_query.h"

struct world {
	struct sim_loop loop;
	struct fake_tools tools;
	struct test_folder folder;
	struct inquirer all;
	int told;
	struct key_query_answer answer;
};

static const struct err down = { .kind = ERR_RETRY, .text = "slurmctld is away" };
static const struct err unknown = { .kind = ERR_NOT_FOUND, .text = "Invalid job id" };
static const struct key_query_question controller = { SUBMISSION_ASK_CONTROLLER, "k", 0, { 0 } },
				       key = { SUBMISSION_ASK_KEY, "k", 5000, { 0 } },
				       new_key = { SUBMISSION_ASK_KEY, "k", -1, { 0 } },
				       number = { SUBMISSION_ASK_NUMBER, "k", 0,
					       { .id = 53, .submit_s = 7 } },
				       account = { SUBMISSION_ASK_ACCOUNT, "k", 0,
					       { .id = 53, .submit_s = 7 } };

static int given(void **state)
{
	struct world *w = own_alloc(sizeof(*w));
	sim_loop_init(&w->loop, SIM_LOOP_WALL_MS);
	w->folder = folder_make();
	w->all.tools = (struct slurm_tools *)&w->tools;
	assert_false(failed(journal_open(&w->loop.loop, w->folder.path, &w->all.journal)));
	w->all.search = key_search_new(&w->loop.loop, w->all.tools);
	*state = w;
	return 0;
}

static int done(void **state)
{
	struct world *w = *state;
	key_search_free(w->all.search);
	journal_free(w->all.journal);
	folder_remove(&w->folder);
	assert_null(w->tools.calls);
	assert_int_equal(sim_loop_end(&w->loop), 0);
	free(w);
	return 0;
}

static void answered(void *ctx, const struct key_query_answer *a)
{
	struct world *w = ctx;
	w->told++;
	w->answer = *a;
}

/* The answer to the question when Slurm says this; nothing further is asked. */
static struct key_query_answer asked(struct world *w, const struct key_query_question *q,
	struct err e, const struct slurm_tools_told *told)
{
	w->told = 0;
	assert_non_null(key_query_begin(&w->all, q, answered, w));
	sim_loop_pass(&w->loop, 0);
	assert_int_equal(w->told, 0);
	assert_non_null(w->tools.calls);
	fake_says(w->tools.calls, e, told);
	sim_loop_pass(&w->loop, 10000);
	assert_int_equal(w->told, 1);
	assert_null(w->tools.calls);
	assert_int_equal(w->answer.what, q->what);
	return w->answer;
}

/* Acceptance: rule-3 */
static void a_question_that_fails_says_nothing(void **state)
{
	struct world *w = *state;
	assert_int_equal(asked(w, &controller, down, NULL).controller.answered, NO_ANSWER);
	assert_int_equal(asked(w, &key, down, NULL).key.answered, NO_ANSWER);
	assert_int_equal(asked(w, &new_key, down, NULL).key.answered, NO_ANSWER);
	assert_int_equal(asked(w, &number, down, NULL).number.answered, NO_ANSWER);
	assert_int_equal(asked(w, &account, unknown, NULL).account.answered, NO_ANSWER);
}

/* Acceptance: rule-3 */
static void a_number_that_slurm_does_not_know_is_an_answer(void **state)
{
	struct key_query_answer a = asked(*state, &number, unknown, NULL);
	assert_int_equal(a.number.answered, ANSWERED);
	assert_false(a.number.exists);
}

/* A job was lost and submitted again: the accounts have both, slurmctld the second. */
/* Acceptance: rule-3 */
static void the_best_job_of_a_key_is_found(void **state)
{
	struct slurm_job_found jobs[] = {
		{ .id = 53, .submit_s = 7, .in_accounts = true, .key = "k" },
		{ .id = 60, .submit_s = 9, .key = "k" },
	};
	const struct slurm_tools_told told = { .found = jobs, .n = 2, .no_accounting = true };
	struct key_query_answer a = asked(*state, &key, OK, &told);
	assert_int_equal(a.key.answered, ANSWERED);
	assert_true(a.key.found && a.key.no_accounting);
	assert_int_equal(a.key.job.id, 60);
	assert_int_equal(a.job.id, 60);
	jobs[1].in_accounts = true;
	assert_int_equal(asked(*state, &key, OK, &told).key.job.id, 60);
	jobs[1].submit_s = 6;
	assert_int_equal(asked(*state, &key, OK, &told).key.job.id, 53);
}

/* Also of a job that only the accounts have, and whose number is another job's by now. */
/* Acceptance: rule-3 */
static void a_number_is_not_asked_for_by_itself(void **state)
{
	struct slurm_job_shown job = {
		.id = 53, .state = "RUNNING", .comment = "k", .submit_s = 7
	};
	const struct slurm_tools_told told = { .jobs = &job, .n = 1 };
	struct submission_number n = asked(*state, &number, OK, &told).number;
	assert_true(n.exists && n.same && n.shown.has_key && !n.ended && !n.from_accounts);
	job.comment = "by hand";
	job.submit_s = 8;
	n = asked(*state, &number, OK, &told).number;
	assert_true(n.exists && !n.same && !n.shown.has_key);
	job.state = "TIMEOUT";
	assert_true(asked(*state, &account, OK, &told).account.ended);
}

/* Acceptance: rule-3 */
static void an_inquiry_that_is_cancelled_is_not_answered(void **state)
{
	struct world *w = *state;
	key_query_cancel(key_query_begin(&w->all, &controller, answered, w));
	key_query_cancel(key_query_begin(&w->all, &new_key, answered, w)); /* still waits */
	struct key_query *searched = key_query_begin(&w->all, &new_key, answered, w);
	sim_loop_pass(&w->loop, 0);
	key_query_cancel(searched);
	fake_says(fake_call(&w->tools, FAKE_FIND), OK, NULL);
	key_query_cancel(NULL);
	assert_int_equal(w->told, 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, given, done)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_question_that_fails_says_nothing),
		TEST(a_number_that_slurm_does_not_know_is_an_answer),
		TEST(the_best_job_of_a_key_is_found),
		TEST(a_number_is_not_asked_for_by_itself),
		TEST(an_inquiry_that_is_cancelled_is_not_answered),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
