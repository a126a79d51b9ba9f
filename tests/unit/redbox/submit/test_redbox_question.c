/* SPDX-License-Identifier: Apache-2.0 */
/* A question for the job of a key submits none, and gets only what is so now. */
#include "lib/submit_world.h"

static void a_question_submits_nothing(void **state)
{
	struct world *w = *state;
	failed_with(look(w, 0, "k"), ERR_NOT_FOUND);
	accepted(w);
	got(look(w, 1, "k"), 53);
	slurmctld_is_killed(w, 53);
	struct call *c = look(w, 1, "k");
	slurm_says(w, FAKE_FIND, OK, 0);
	failed_with(c, ERR_NOT_FOUND);
	assert_int_equal(sbatches(w), 1);
}

/* The number may be of another job by now, which must not be cancelled. */
static void a_question_gets_no_number_that_slurm_does_not_confirm(void **state)
{
	struct world *w = *state;
	accepted(w);
	slurmctld_is_killed(w, 60);
	struct call *c = look(w, 1, "k");
	slurm_says(w, FAKE_FIND, down, 0);
	failed_with(c, ERR_RETRY);
	w->slurmctld.boot_s = 0;
	c = look(w, 1, "k");
	slurm_says(w, FAKE_FIND, OK, 0);
	failed_with(c, ERR_RETRY);
}

static void nor_one_that_its_client_claims(void **state)
{
	struct world *w = *state;
	w->known_id = 17;
	struct call *c = look(w, 1, "k");
	slurm_says(w, FAKE_FIND, down, 0);
	failed_with(c, ERR_RETRY);
}

static void a_question_waits_for_the_submission(void **state)
{
	struct world *w = *state;
	struct call *first = submit(w, 0, "k"), *second = look(w, 1, "k");
	assert_int_equal(second->told, 0);
	slurm_says(w, FAKE_SUBMIT, OK, 53);
	got(first, 53);
	got(second, 53);
}

/* A submission gets the number though it is not certain: it asks for the job next. */
/* Acceptance: red-box-28 */
static void but_gets_no_number_that_only_a_submission_gets(void **state)
{
	struct world *w = *state;
	accepted(w);
	slurmctld_is_killed(w, 60);
	w->slurmctld.boot_s = 0;
	struct call *submission = submit(w, 1, "k"), *question = look(w, 2, "k");
	slurm_says(w, FAKE_FIND, OK, 0);
	got(submission, 53);
	failed_with(question, ERR_RETRY);
}

static void a_submission_does_not_join_a_question(void **state)
{
	struct world *w = *state;
	submit(w, 0, "k");
	slurm_says(w, FAKE_SUBMIT, lost, 0);
	sim_loop_pass(&w->loop, SUBMISSION_SETTLE_MS);
	struct call *question = look(w, 1, "k"), *c = submit(w, 2, "k");
	slurm_says(w, FAKE_FIND, OK, 0);
	failed_with(question, ERR_NOT_FOUND);
	slurm_says(w, FAKE_FIND, OK, 0);
	slurm_says(w, FAKE_SUBMIT, OK, 54);
	got(c, 54);
}

/* Two questions join one submission, and the second one has no doubt. */
/* Acceptance: red-box-28 */
static void a_later_question_takes_no_doubt_away(void **state)
{
	struct world *w = *state;
	const struct submit_ask ask = { { "#!/bin/sh\n", "debug", "k" }, .known_id = 53 };
	accepted(w);
	time_passes(w, 40 * 1000);
	assert_int_equal(journal_find(w->journal, "k").noted, SUBMISSION_DONE);
	slurmctld_is_killed(w, 60);
	submitter_submit(w->submitter, &ask, told, &w->calls[1]);
	submitter_look(w->submitter, "k", 53, DOUBT_DISPLACED, told, &w->calls[2]);
	slurmctld_answers(w); /* now Slurm is asked for jobs with the key */
	assert_int_equal(w->calls[2].told, 0);
	submitter_look(w->submitter, "k", 53, DOUBT_NONE, told, &w->calls[3]);
	slurm_says(w, FAKE_FIND, OK, 0);
	failed_with(&w->calls[2], ERR_EXISTS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		OLD(a_question_submits_nothing),
		OLD(a_question_gets_no_number_that_slurm_does_not_confirm),
		OLD(nor_one_that_its_client_claims),
		OLD(a_question_waits_for_the_submission),
		OLD(but_gets_no_number_that_only_a_submission_gets),
		OLD(a_submission_does_not_join_a_question),
		OLD(a_later_question_takes_no_doubt_away),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
