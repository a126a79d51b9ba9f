/* SPDX-License-Identifier: Apache-2.0 */
/* A key that is closed gets no job any more, whatever comes late, and whatever dies. */
#include "lib/submit_world.h"

#include <sys/resource.h>
#include <signal.h>

static struct call *close_key(struct world *w, size_t number, const char *key)
{
	struct call *c = &w->calls[number];
	c->told = 0;
	c->wait = submitter_close(w->submitter, key, told, c);
	assert_int_equal(c->told, 0);
	sim_loop_pass(&w->loop, 0);
	return c;
}

static void given_a_closed_key(struct world *w) { got(close_key(w, 0, "k"), 0); }

/* Acceptance: vnode-8 */
static void what_comes_late_is_never_submitted(void **state)
{
	struct world *w = *state;
	given_a_closed_key(w);
	for (int life = 0; life < 3; life++) {
		struct call *c = submit(w, 1, "k");
		failed_with(c, ERR_EXISTS);
		assert_non_null(strstr(c->err.text, "closed"));
		restarted(w);
	}
	assert_int_equal(sbatches(w), 0);
	struct call *other = submit(w, 2, "l");
	slurm_says(w, FAKE_SUBMIT, OK, 53);
	got(other, 53);
}

/* Also by a journal that does not vouch, or for a client that says what it was told. */
static void nor_is_it_after_slurm_was_asked(void **state)
{
	struct world *w = *state;
	given_a_closed_key(w);
	struct call *c = submit(w, 1, "k");
	slurm_says(w, FAKE_FIND, OK, 0);
	failed_with(c, ERR_EXISTS);
	w->known_id = 200; /* which slurmctld never gave */
	c = submit(w, 1, "k");
	slurm_says(w, FAKE_FIND, OK, 0);
	failed_with(c, ERR_EXISTS);
	assert_int_equal(sbatches(w), 0);
}

static void a_question_is_told_that_there_is_none(void **state)
{
	struct world *w = *state;
	given_a_closed_key(w);
	failed_with(look(w, 1, "k"), ERR_NOT_FOUND);
}

/* A submission was about to begin, or to ask Slurm, when the key was closed. */
static void what_has_not_begun_yet_does_not_begin(void **state)
{
	struct world *w = *state;
	const struct submit_ask ask = { .submission = { "#!/bin/sh\n", "debug", "k" } };
	struct call *c = &w->calls[1];
	c->wait = submitter_submit(w->submitter, &ask, told, c);
	given_a_closed_key(w);
	failed_with(c, ERR_EXISTS);
	assert_int_equal(sbatches(w), 0);
}

static void nor_does_what_is_looked_for(void **state)
{
	struct world *w = *state;
	struct call *c = submit(w, 1, "k"), *question = look(w, 2, "k");
	given_a_closed_key(w);
	slurm_says(w, FAKE_FIND, OK, 0);
	sim_loop_pass(&w->loop, 1000); /* that answer was of before: it is asked once more */
	slurm_says(w, FAKE_FIND, OK, 0);
	failed_with(c, ERR_EXISTS);
	failed_with(question, ERR_NOT_FOUND);
	assert_int_equal(sbatches(w), 0);
}

/* The client that closed it asks for the job, and has to cancel it. */
/* Acceptance: vnode-8 */
static void an_sbatch_that_runs_is_told_of(void **state)
{
	struct world *w = *state;
	struct call *c = submit(w, 1, "k");
	given_a_closed_key(w);
	struct call *question = look(w, 2, "k");
	assert_int_equal(question->told, 0);
	slurm_says(w, FAKE_SUBMIT, OK, 53);
	got(c, 53);
	got(question, 53);
	got(submit(w, 3, "k"), 53); /* a job that is there is the answer */
	restarted(w);
	struct journal_entry e = journal_find(w->journal, "k");
	assert_int_equal(e.noted, SUBMISSION_ACCEPTED);
	assert_true(e.closed_s > 0);
}

static void one_that_nobody_heard_of_is_looked_for_as_ever(void **state)
{
	struct world *w = *state;
	submit(w, 1, "k");
	slurm_says(w, FAKE_SUBMIT, lost, 0);
	int64_t begun_s = journal_find(w->journal, "k").wall_s;
	sim_loop_pass(&w->loop, 50000);
	given_a_closed_key(w);
	assert_int_equal(journal_find(w->journal, "k").wall_s, begun_s);
	struct call *question = look(w, 2, "k");
	slurm_says(w, FAKE_FIND, OK, 0);
	failed_with(question, ERR_RETRY); /* that sbatch may be at it still */
	question = look(w, 2, "k");
	slurm_says(w, FAKE_FIND, OK, 53);
	got(question, 53);
}

static void what_slurm_has_lost_is_not_submitted_again(void **state)
{
	struct world *w = *state;
	accepted(w);
	given_a_closed_key(w);
	w->slurmctld = (struct slurm_controller_shown){ 2000, 53, 300 };
	struct call *c = submit(w, 1, "k");
	slurm_says(w, FAKE_FIND, OK, 0);
	failed_with(c, ERR_EXISTS);
	assert_int_equal(sbatches(w), 1);
}

static void what_slurm_refused_stays_closed(void **state)
{
	struct world *w = *state;
	struct call *c = submit(w, 1, "k");
	given_a_closed_key(w);
	slurm_says(w, FAKE_SUBMIT, wrong, 0);
	failed_with(c, ERR_INVALID);
	restarted(w);
	failed_with(submit(w, 1, "k"), ERR_EXISTS);
	assert_int_equal(sbatches(w), 1);
}

static void a_week_later_it_is_forgotten_and_the_journal_vouches_still(void **state)
{
	struct world *w = *state;
	given_a_closed_key(w);
	sim_loop_pass(&w->loop, (int64_t)JOURNAL_KEEP_S * 1000 - 1000);
	restarted(w);
	failed_with(submit(w, 1, "k"), ERR_EXISTS);
	given_a_closed_key(w); /* its week begins anew */
	sim_loop_pass(&w->loop, (int64_t)JOURNAL_KEEP_S * 1000 + 7200000);
	given_a_closed_key(w);
	got(close_key(w, 1, "other"), 0);
	assert_true(journal_vouches(w->journal));
}

static void room_for(rlim_t bytes)
{
	setrlimit(RLIMIT_FSIZE, &(struct rlimit){ bytes, RLIM_INFINITY });
}

/* No client gets the answer that the key is closed, and it is not. */
static void a_full_disk_closes_nothing(void **state)
{
	struct world *w = *state;
	signal(SIGXFSZ, SIG_IGN);
	room_for(0);
	failed_with(close_key(w, 0, "k"), ERR_RETRY);
	room_for(RLIM_INFINITY);
	assert_int_equal(journal_find(w->journal, "k").closed_s, 0);
	given_a_closed_key(w);
	restarted(w);
	failed_with(submit(w, 1, "k"), ERR_EXISTS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		OLD(what_comes_late_is_never_submitted),
		YOUNG(nor_is_it_after_slurm_was_asked),
		OLD(a_question_is_told_that_there_is_none),
		OLD(what_has_not_begun_yet_does_not_begin),
		YOUNG(nor_does_what_is_looked_for),
		OLD(an_sbatch_that_runs_is_told_of),
		OLD(one_that_nobody_heard_of_is_looked_for_as_ever),
		OLD(what_slurm_has_lost_is_not_submitted_again),
		OLD(what_slurm_refused_stays_closed),
		OLD(a_week_later_it_is_forgotten_and_the_journal_vouches_still),
		OLD(a_full_disk_closes_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
