/* SPDX-License-Identifier: Apache-2.0 */
/* Keys that a young journal does not have: many of them are looked for at once. */
#include "lib/submit_world.h"

static int under_way(const struct world *w, enum fake_kind kind)
{
	int n = 0;
	for (const struct slurm_tools_call *c = w->tools.calls; c; c = c->next)
		n += c->kind == kind;
	return n;
}

static const char *asked_last(const struct world *w) { return w->tools.calls->prev->key; }

/* A thousand jobs that come at a time are not a thousand questions. */
static void keys_that_wait_share_a_question(void **state)
{
	struct world *w = *state;
	submit(w, 0, "a");
	submit(w, 1, "b");
	submit(w, 2, "c");
	submit(w, 3, "b"); /* the same submission */
	assert_int_equal(questions(w), 1);
	slurm_says(w, FAKE_FIND, OK, 0); /* it was for a alone: it was asked before b came */
	assert_int_equal(sbatches(w), 1);
	sim_loop_pass(&w->loop, 200);
	assert_int_equal(questions(w), 2);
	assert_string_equal(asked_last(w), "b c");
	const struct slurm_job_found jobs[] = { { .id = 7, .key = "c" }, { .id = 9, .key = "c" } };
	fake_says(fake_call(&w->tools, FAKE_FIND), OK,
		&(struct slurm_tools_told){ .found = jobs, .n = 2 });
	sim_loop_pass(&w->loop, 0);
	got(&w->calls[2], 7);
	assert_int_equal(sbatches(w), 2);
	slurm_says(w, FAKE_SUBMIT, OK, 51);
	slurm_says(w, FAKE_SUBMIT, OK, 52);
	got(&w->calls[0], 51);
	got(&w->calls[1], 52);
	got(&w->calls[3], 52);
}

/* Between the decision to submit and what is written, another call finds the job. */
static void what_was_decided_is_decided_anew_when_the_job_is_found(void **state)
{
	struct world *w = *state;
	look(w, 1, "a");
	submit(w, 0, "a");
	sim_loop_pass(&w->loop, 1000); /* the first question lasts: a second one begins */
	assert_int_equal(under_way(w, FAKE_FIND), 2);
	struct slurm_tools_call *first = fake_call(&w->tools, FAKE_FIND), *second = first->next;
	const struct slurm_job_found job = { .id = 53, .key = "a" };
	fake_says(second, OK, NULL); /* it is to be submitted, and in the same turn: */
	fake_says(first, OK, &(struct slurm_tools_told){ .found = &job, .n = 1 });
	slurmctld_answers(w);
	got(&w->calls[1], 53);
	slurm_says(w, FAKE_FIND, OK, 53); /* what it said before counts no more */
	assert_int_equal(sbatches(w), 0);
	got(&w->calls[0], 53);
}

/* Nor is the job of a key that was begun. */
static void a_job_that_is_found_late_is_not_submitted_again(void **state)
{
	struct world *w = *state;
	submit(w, 0, "a");
	slurm_says(w, FAKE_FIND, OK, 0);
	slurm_says(w, FAKE_SUBMIT, lost, 0);
	time_passes(w, SUBMISSION_SETTLE_MS + 20000);
	look(w, 1, "a");
	submit(w, 0, "a");
	struct slurm_tools_call *first = fake_call(&w->tools, FAKE_FIND), *second = first->next;
	const struct slurm_job_found job = { .id = 53, .key = "a" };
	fake_says(second, OK, NULL);
	fake_says(first, OK, &(struct slurm_tools_told){ .found = &job, .n = 1 });
	slurmctld_answers(w);
	assert_int_equal(sbatches(w), 1);
	got(&w->calls[0], 53);
	got(&w->calls[1], 53);
}

/*
 * slurmctld has forgotten it, and the accounts had it a moment after the first question:
 * whose answer comes last, and is older than what is known by now.
 */
static void an_answer_that_is_older_than_what_is_known_is_none(void **state)
{
	struct world *w = *state;
	submit(w, 0, "a");
	slurm_says(w, FAKE_FIND, OK, 0);
	slurm_says(w, FAKE_SUBMIT, lost, 0);
	time_passes(w, 600000);
	look(w, 1, "a");
	submit(w, 0, "a");
	struct slurm_tools_call *of_look = fake_call(&w->tools, FAKE_FIND), *older = of_look->next;
	const struct slurm_job_found job = {
		.id = 53, .submit_s = 7, .in_accounts = true, .key = "a"
	};
	const struct slurm_job_shown ended = { .id = 53, .state = "COMPLETED", .submit_s = 7 };
	const struct slurm_tools_told told = { .jobs = &ended, .n = 1, .from_accounts = true };
	fake_says(of_look, OK, &(struct slurm_tools_told){ .found = &job, .n = 1 });
	fake_says(fake_call(&w->tools, FAKE_JOB), OK, &told);
	sim_loop_pass(&w->loop, 0);
	got(&w->calls[1], 53);
	fake_says(older, OK, &(struct slurm_tools_told){ .accounts_behind = true });
	slurmctld_answers(w);
	assert_int_equal(sbatches(w), 1);
	fake_says(fake_call(&w->tools, FAKE_FIND), OK,
		&(struct slurm_tools_told){ .found = &job, .n = 1 });
	fake_says(fake_call(&w->tools, FAKE_JOB), OK, &told);
	sim_loop_pass(&w->loop, 0);
	got(&w->calls[0], 53);
}

/* A failed call says so, and submits nothing; a later call has an answer of its own. */
static void a_question_that_fails_is_asked_again(void **state)
{
	struct world *w = *state;
	submit(w, 0, "a");
	submit(w, 1, "b");
	slurm_says(w, FAKE_FIND, down, 0);
	failed_with(&w->calls[0], ERR_RETRY);
	assert_int_equal(w->calls[1].told, 0);
	sim_loop_pass(&w->loop, 200);
	slurm_says(w, FAKE_FIND, OK, 0);
	slurm_says(w, FAKE_SUBMIT, OK, 52);
	got(&w->calls[1], 52);
	assert_int_equal(sbatches(w), 1);
}

static void a_question_that_hangs_holds_up_no_other_key(void **state)
{
	struct world *w = *state;
	static const char *const keys[] = { "a", "b", "c", "d", "e", "f", "g", "h", "i", "j" };
	for (size_t i = 0; i < LENGTH(keys); i++) {
		submit(w, i, keys[i]);
		assert_in_range(under_way(w, FAKE_FIND), i < 8 ? i : 8, i < 8 ? i + 1 : 8);
		sim_loop_pass(&w->loop, 1000);
	}
	assert_int_equal(under_way(w, FAKE_FIND), 8); /* no more hang at a time */
	slurm_says(w, FAKE_FIND, down, 0);
	failed_with(&w->calls[0], ERR_RETRY);
	assert_string_equal(asked_last(w), "i j");
	slurm_says(w, FAKE_FIND, OK, 0); /* it did not hang after all */
	slurm_says(w, FAKE_SUBMIT, OK, 52);
	got(&w->calls[1], 52);
}

/* ---- surveys ---- */

/* Slurm has a job of this key only; NULL: it has none. */
static void survey_says(struct world *w, const char *key)
{
	uint64_t mark = key ? slurm_key_mark(key) : 0;
	fake_says(fake_call(&w->tools, FAKE_FIND), OK,
		&(struct slurm_tools_told){ .words = &mark, .n_words = key ? 1 : 0 });
	sim_loop_pass(&w->loop, 0);
}

static void given_a_survey(struct world *w, const char *key)
{
	time_passes(w, SUBMISSION_SETTLE_MS);
	submit(w, 0, "a");
	survey_says(w, key);
	assert_int_equal(questions(w), 1);
	assert_int_equal(sbatches(w), 1);
}

/* All that was on its way to Slurm has come: a key that it does not have is a new one. */
static void keys_that_come_after_a_survey_are_not_looked_for(void **state)
{
	struct world *w = *state;
	given_a_survey(w, "x");
	submit(w, 1, "b");
	submit(w, 2, "c");
	assert_int_equal(questions(w), 1);
	assert_int_equal(sbatches(w), 3);
	submit(w, 3, "x"); /* it was there */
	sim_loop_pass(&w->loop, 200);
	assert_int_equal(questions(w), 2);
	assert_int_equal(sbatches(w), 3);
	/* and who only asks hears what is so now */
	look(w, 4, "d");
	survey_says(w, NULL);
	sim_loop_pass(&w->loop, 200);
	survey_says(w, NULL);
	failed_with(&w->calls[4], ERR_NOT_FOUND);
}

/* An sbatch of a red-box before us may still be on its way to Slurm. */
static void no_survey_counts_in_our_first_two_minutes(void **state)
{
	struct world *w = *state;
	time_passes(w, SUBMISSION_SETTLE_MS - 1000);
	submit(w, 0, "a");
	survey_says(w, NULL);
	submit(w, 1, "b");
	sim_loop_pass(&w->loop, 200);
	assert_int_equal(questions(w), 2);
	assert_int_equal(sbatches(w), 1);
	/* nor one that was asked before them: it is for those who come later */
	time_passes(w, 2000);
	submit(w, 2, "c");
	assert_int_equal(sbatches(w), 1);
}

/* The client may have been with another red-box, whose sbatch is on its way. */
static void no_survey_counts_for_a_client_that_has_just_come(void **state)
{
	struct world *w = *state;
	given_a_survey(w, NULL);
	w->since_ms = loop_now_ms(&w->loop.loop);
	submit(w, 1, "b");
	sim_loop_pass(&w->loop, 200);
	assert_int_equal(questions(w), 2);
	assert_int_equal(sbatches(w), 1);
	w->since_ms = 0; /* but for one that has been there */
	submit(w, 2, "c");
	assert_int_equal(sbatches(w), 2);
	/* the same key of both: the one that has come counts */
	submit(w, 3, "b");
	assert_int_equal(sbatches(w), 2);
}

static void a_survey_is_made_anew(void **state)
{
	struct world *w = *state;
	given_a_survey(w, NULL);
	sim_loop_pass(&w->loop, SUBMISSION_AGAIN_MS);
	submit(w, 1, "b"); /* goes through, and has the next one begin */
	submit(w, 2, "c");
	assert_int_equal(sbatches(w), 3);
	assert_int_equal(questions(w), 2);
	survey_says(w, "d");
	submit(w, 3, "d");
	sim_loop_pass(&w->loop, 200);
	assert_int_equal(sbatches(w), 3);
	assert_int_equal(questions(w), 3);
	survey_says(w, NULL);
	assert_int_equal(sbatches(w), 4);
}

static const struct err dbd_away = { .kind = ERR_RETRY,
	.text = "sacct: slurm_persist_conn_open: failed to open persistent connection to "
		"host:db:6819: Connection refused" };

static void accounts_are_away(struct world *w)
{
	fake_says(fake_call(&w->tools, FAKE_FIND), dbd_away,
		&(struct slurm_tools_told){ .accounts_silent = true });
	sim_loop_pass(&w->loop, 0);
}

/* slurmdbd is away, for hours: what is known to be new is submitted at once. */
/* Acceptance: red-box-35 */
static void a_survey_counts_while_no_other_can_be_made(void **state)
{
	struct world *w = *state;
	given_a_survey(w, "x");
	for (int i = 1; i < 6; i++) {
		const char key[] = { (char)('a' + i), '\0' };
		time_passes(w, 3600 * 1000);
		submit(w, 1, key);
		assert_int_equal(sbatches(w), 1 + i);
		slurm_says(w, FAKE_SUBMIT, OK, 53 + i);
		accounts_are_away(w); /* of the next survey */
	}
	submit(w, 2, "x"); /* it was there: it waits for the accounts */
	sim_loop_pass(&w->loop, 200);
	accounts_are_away(w);
	failed_with(&w->calls[2], ERR_RETRY);
	assert_int_equal(sbatches(w), 6);
}

/* No call with a key has come yet, and when the first one comes the accounts are away. */
/* Acceptance: red-box-35 */
static void a_client_that_has_come_is_expected(void **state)
{
	struct world *w = *state;
	time_passes(w, 5000);
	int64_t came_ms = loop_now_ms(&w->loop.loop);
	submitter_meets(w->submitter, came_ms);
	submitter_meets(w->submitter, came_ms);
	sim_loop_pass(&w->loop, SUBMISSION_SETTLE_MS - 1);
	assert_int_equal(questions(w), 0);
	sim_loop_pass(&w->loop, 1);
	assert_int_equal(questions(w), 1);
	accounts_are_away(w); /* tried again, until they answer */
	sim_loop_pass(&w->loop, 60000);
	assert_int_equal(questions(w), 2);
	survey_says(w, "x");
	sim_loop_pass(&w->loop, 3600 * 1000);
	assert_int_equal(questions(w), 2);
	w->since_ms = came_ms;
	submit(w, 1, "b");
	assert_int_equal(sbatches(w), 1);
}

/* Acceptance: red-box-35 */
static void what_is_waited_for_is_named(void **state)
{
	struct world *w = *state;
	submit(w, 1, "b");
	accounts_are_away(w);
	failed_with(&w->calls[1], ERR_RETRY);
	assert_string_equal(w->calls[1].err.text,
		"Slurm's accounting (slurmdbd) does not answer, so it is unknown whether this "
		"client_id has had a job, because red-box has kept its journal for less than a "
		"week: try again in a minute (sacct: slurm_persist_conn_open: failed to open "
		"persistent connection to host:db:6819: Connection refused)");
	sim_loop_pass(&w->loop, 200);
	submit(w, 1, "c");
	slurm_says(w, FAKE_FIND, down, 0);
	failed_with(&w->calls[1], ERR_RETRY);
	assert_non_null(strstr(w->calls[1].err.text, "Slurm does not answer, so it is unknown"));
	assert_non_null(strstr(w->calls[1].err.text, "(slurmctld is away)"));
}

/* A key that was begun may have a job that has ended: only the accounts know it. */
/* Acceptance: red-box-35 */
static void a_key_that_was_begun_waits_for_the_accounts(void **state)
{
	struct world *w = *state;
	given_a_survey(w, NULL);
	slurm_says(w, FAKE_SUBMIT, lost, 0);
	time_passes(w, 3600 * 1000);
	submit(w, 1, "a");
	accounts_are_away(w);
	failed_with(&w->calls[1], ERR_RETRY);
	assert_non_null(strstr(w->calls[1].err.text,
		"Slurm's accounting (slurmdbd) does not answer, so the result of an earlier call "
		"with this client_id is unknown"));
	assert_int_equal(sbatches(w), 1);
}

/* The clock went back: the journal may have let keys go before their time. */
static void no_survey_counts_that_is_older_than_a_loss_of_the_journal(void **state)
{
	struct world *w = *state;
	given_a_survey(w, NULL);
	w->loop.wall_ms -= 2 * 3600 * 1000;
	submit(w, 1, "b");
	sim_loop_pass(&w->loop, 200);
	assert_int_equal(questions(w), 2);
	survey_says(w, NULL); /* it is noted, and the journal begins anew */
	assert_int_equal(sbatches(w), 2);
	submit(w, 2, "c");
	assert_int_equal(sbatches(w), 2);
}

/* Each costs Slurm a list of all jobs of a week. */
static void no_survey_is_made_where_the_journal_vouches(void **state)
{
	struct world *w = *state;
	int64_t week_ms = (int64_t)JOURNAL_KEEP_S * 1000;
	sim_loop_pass(&w->loop, week_ms - SUBMISSION_SETTLE_MS - 1000);
	given_a_survey(w, NULL);
	sim_loop_pass(&w->loop, SUBMISSION_AGAIN_MS);
	submit(w, 1, "b");
	assert_int_equal(sbatches(w), 2);
	assert_int_equal(questions(w), 1);
}

/* Slurm tells more words than are kept. */
static void an_answer_without_all_words_is_no_survey(void **state)
{
	struct world *w = *state;
	time_passes(w, SUBMISSION_SETTLE_MS);
	submit(w, 0, "a");
	slurm_says(w, FAKE_FIND, OK, 0);
	submit(w, 1, "b");
	sim_loop_pass(&w->loop, 200);
	assert_int_equal(questions(w), 2);
	assert_int_equal(sbatches(w), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		YOUNG(keys_that_wait_share_a_question),
		YOUNG(what_was_decided_is_decided_anew_when_the_job_is_found),
		YOUNG(a_job_that_is_found_late_is_not_submitted_again),
		YOUNG(an_answer_that_is_older_than_what_is_known_is_none),
		YOUNG(a_question_that_fails_is_asked_again),
		YOUNG(a_question_that_hangs_holds_up_no_other_key),
		YOUNG(keys_that_come_after_a_survey_are_not_looked_for),
		YOUNG(no_survey_counts_in_our_first_two_minutes),
		YOUNG(no_survey_counts_for_a_client_that_has_just_come),
		YOUNG(a_survey_is_made_anew),
		YOUNG(a_survey_counts_while_no_other_can_be_made),
		YOUNG(a_client_that_has_come_is_expected),
		YOUNG(what_is_waited_for_is_named),
		YOUNG(a_key_that_was_begun_waits_for_the_accounts),
		YOUNG(no_survey_counts_that_is_older_than_a_loss_of_the_journal),
		YOUNG(no_survey_is_made_where_the_journal_vouches),
		YOUNG(an_answer_without_all_words_is_no_survey),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
