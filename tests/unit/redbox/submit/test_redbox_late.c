/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs that have ended by the accounts ran once, however late they are asked for. */
#include "lib/submit_world.h"

/* As sacct with --state and --starttime: of those that have ended, who ended since. */
static void accounts_find(struct world *w, int64_t submit_s, int64_t end_s)
{
	struct slurm_tools_call *c = fake_call(&w->tools, FAKE_FIND);
	AUTO(own_free) char *key = own_strdup(c->key);
	const struct slurm_job_found job = {
		.id = 53, .submit_s = submit_s, .in_accounts = true, .key = key, .first_s = submit_s
	};
	const struct slurm_tools_told t = { .found = &job, .n = end_s >= c->number };
	fake_says(c, OK, &t);
	sim_loop_pass(&w->loop, 0);
}

static void accounts_say_it_has_ended(struct world *w, enum fake_kind kind, int64_t submit_s)
{
	const struct slurm_job_shown job = {
		.id = 53, .state = "COMPLETED", .comment = "", .submit_s = submit_s
	};
	fake_says(fake_call(&w->tools, kind), OK,
		&(struct slurm_tools_told){ .jobs = &job, .n = 1, .from_accounts = true });
	sim_loop_pass(&w->loop, 0);
}

static bool fake_has(struct world *w, enum fake_kind kind)
{
	for (struct slurm_tools_call *c = w->tools.calls; c; c = c->next)
		if (c->kind == kind)
			return true;
	return false;
}

static int64_t wall(struct world *w) { return loop_wall_ms(&w->loop.loop) / 1000; }

/* sbatch was not heard of. Its job ended after ten minutes, and is found after hours. */
static int64_t given_an_ended_job_that_is_found_late(struct world *w)
{
	int64_t submit_s = wall(w);
	submit(w, 0, "k");
	slurm_says(w, FAKE_SUBMIT, lost, 0);
	sim_loop_pass(&w->loop, 3 * 3600 * 1000);
	struct call *c = submit(w, 1, "k");
	accounts_find(w, submit_s, submit_s + 600);
	accounts_say_it_has_ended(w, FAKE_JOB, submit_s);
	got(c, 53);
	return submit_s;
}

/* The accounts have its end, and it is the answer. */
static void gets_its_end(struct world *w, struct call *c, int64_t submit_s)
{
	accounts_find(w, submit_s, submit_s + 600);
	accounts_say_it_has_ended(w, FAKE_JOB, submit_s);
	got(c, 53);
}

/* For every call: Slurm and its accounts have nothing of the job any more. */
static void is_not_submitted_for_nothing_is_found(struct world *w)
{
	int before = sbatches(w);
	struct call *c = submit(w, 2, "k");
	slurm_says(w, FAKE_FIND, OK, 0);
	assert_int_equal(sbatches(w), before);
	failed_with(c, ERR_EXISTS);
}

/* virtual-node asks next what became of it. */
/* Acceptance: red-box-28 */
static void the_end_of_a_job_that_was_found_late_is_told(void **state)
{
	struct world *w = *state;
	int64_t submit_s = given_an_ended_job_that_is_found_late(w);
	gets_its_end(w, look(w, 2, "k"), submit_s);
}

/* Acceptance: red-box-28 */
static void a_job_that_was_found_late_runs_once(void **state)
{
	struct world *w = *state;
	slurmctld_is_killed(w, 10); /* it began without any state */
	int64_t submit_s = given_an_ended_job_that_is_found_late(w);
	gets_its_end(w, look(w, 2, "k"), submit_s);
	gets_its_end(w, submit(w, 3, "k"), submit_s);
	assert_int_equal(sbatches(w), 1);
}

static struct call *doubt(struct world *w, size_t number, enum submission_doubt doubt)
{
	struct call *c = &w->calls[number];
	c->told = 0;
	submitter_known(w->submitter, "k"); /* as JobInfo does first */
	c->wait = submitter_look(w->submitter, "k", 53, doubt, told, c);
	slurmctld_answers(w);
	return c;
}

static void given_a_job_that_is_done(struct world *w)
{
	accepted(w);
	time_passes(w, 40 * 1000);
	is(w, SUBMISSION_DONE);
}

static void another_has_its_number(struct world *w)
{
	const struct slurm_job_shown job = {
		.id = 53, .state = "RUNNING", .comment = "", .submit_s = wall(w) - 60
	};
	fake_says(fake_call(&w->tools, FAKE_JOB), OK,
		&(struct slurm_tools_told){ .jobs = &job, .n = 1, .from_accounts = true });
	sim_loop_pass(&w->loop, 0);
}

/* The end of the job is found behind the other one. */
static void gets_its_hidden_end(struct world *w, enum submission_doubt why, int64_t submit_s,
	int64_t end_s)
{
	struct call *c = doubt(w, 1, why);
	accounts_find(w, submit_s, end_s);
	another_has_its_number(w);
	accounts_say_it_has_ended(w, FAKE_ACCOUNT, submit_s);
	got(c, 53);
}

/* No client asked for two days; the job ended in between. */
static void an_end_of_yesterday_is_found(struct world *w, enum submission_doubt why)
{
	int64_t submit_s = wall(w);
	given_a_job_that_is_done(w);
	sim_loop_pass(&w->loop, 2 * 86400 * 1000);
	slurmctld_is_killed(w, 53);
	gets_its_hidden_end(w, why, submit_s, submit_s + 86400);
}

/* Acceptance: red-box-28 */
static void an_end_of_yesterday_is_found_behind_one_that_never_ends(void **state)
{
	an_end_of_yesterday_is_found(*state, DOUBT_UNENDED);
}

/* Acceptance: red-box-28 */
static void an_end_of_yesterday_is_found_behind_another_job(void **state)
{
	an_end_of_yesterday_is_found(*state, DOUBT_DISPLACED);
}

/* The job counted for good before, and was never to be submitted again. */
/* Acceptance: red-box-28 */
static void what_counted_for_good_is_never_submitted_again(void **state)
{
	struct world *w = *state;
	int64_t submit_s = wall(w);
	given_a_job_that_is_done(w);
	sim_loop_pass(&w->loop, 4060 * 1000);
	submitter_known(w->submitter, "k"); /* a JobInfo that is told its end */
	sim_loop_pass(&w->loop, 2900 * 1000);
	slurmctld_is_killed(w, 53); /* and another job with its number is lost */
	gets_its_hidden_end(w, DOUBT_UNENDED, submit_s, submit_s + 600);
	gets_its_end(w, look(w, 2, "k"), submit_s);
	gets_its_end(w, submit(w, 3, "k"), submit_s);
	assert_int_equal(sbatches(w), 1);
}

/* Nor is it when the accounts have been purged, however they are asked. */
/* Acceptance: red-box-28 */
static void nor_when_the_accounts_were_purged(void **state)
{
	struct world *w = *state;
	int64_t submit_s = wall(w);
	given_a_job_that_is_done(w);
	slurmctld_is_killed(w, 53);
	gets_its_hidden_end(w, DOUBT_UNENDED, submit_s, submit_s + 600);
	is_not_submitted_for_nothing_is_found(w);
}

/* The journal was lost. Its job is looked for in a week of the accounts, once. */
/* Acceptance: red-box-28 */
static void after_a_lost_journal_the_end_is_told_each_time(void **state)
{
	struct world *w = *state;
	int64_t submit_s = wall(w) - 4 * 3600;
	for (int i = 0; i < 2; i++)
		gets_its_end(w, look(w, 1, "k"), submit_s);
}

/* slurmctld may have forgotten the job after its end, and no client asked meanwhile. */
static void given_one_of_which_nobody_can_tell(struct world *w)
{
	accepted(w);
	restarted(w);
	slurmctld_is_killed(w, 60);
	sim_loop_pass(&w->loop, 240 * 1000);
}

static struct call *look_in_vain(struct world *w)
{
	struct call *c = look(w, 1, "k");
	slurm_says(w, FAKE_FIND, OK, 0);
	return c;
}

/*
 * The client lets the pod end. Later slurmctld comes back with an old state, and by its
 * next number the job was lost: a call that is late makes it no second time.
 */
/* Acceptance: red-box-28 */
static void what_nobody_could_tell_of_is_not_submitted_later(void **state)
{
	struct world *w = *state;
	given_one_of_which_nobody_can_tell(w);
	failed_with(look_in_vain(w), ERR_EXISTS);
	restarted(w);
	slurmctld_is_killed(w, 53);
	is_not_submitted_for_nothing_is_found(w);
	/* The job is reported all the same, should Slurm have it */
	struct call *c = look(w, 1, "k");
	slurm_says(w, FAKE_FIND, OK, 53);
	got(c, 53);
}

/* The job did not count for good. Its end is reported, and the accounts are purged. */
/* Acceptance: red-box-28 */
static void what_was_told_as_ended_never_runs_again(void **state)
{
	struct world *w = *state;
	int64_t submit_s = wall(w);
	accepted(w);
	slurmctld_is_killed(w, 53);
	struct call *c = look(w, 1, "k");
	accounts_find(w, submit_s, submit_s + 5);
	accounts_say_it_has_ended(w, FAKE_JOB, submit_s);
	got(c, 53);
	assert_true(c->forgotten);
	is_not_submitted_for_nothing_is_found(w);
}

static void another_key_comes(struct world *w, size_t n, const char *key)
{
	struct call *c = submit(w, n, key);
	if (!c->told && fake_has(w, FAKE_FIND)) {
		slurm_says(w, FAKE_FIND, OK, 0);
		sim_loop_pass(&w->loop, 0);
	}
	slurm_says(w, FAKE_SUBMIT, OK, 90 + (int64_t)n);
}

/* A call every four days, of a job that has ended by the accounts. */
/* Acceptance: red-box-28 */
static void the_week_of_what_has_ended_begins_anew_with_each_call(void **state)
{
	struct world *w = *state;
	int64_t submit_s = wall(w);
	given_a_job_that_is_done(w);
	slurmctld_is_killed(w, 53);
	gets_its_hidden_end(w, DOUBT_UNENDED, submit_s, submit_s + 600);
	for (size_t i = 0; i < 2; i++) {
		sim_loop_pass(&w->loop, 4 * 86400 * 1000);
		another_key_comes(w, 5 + i, i ? "b" : "a");
		int before = sbatches(w);
		struct call *c = submit(w, 2, "k");
		accounts_find(w, submit_s, submit_s + 600);
		accounts_say_it_has_ended(w, FAKE_JOB, submit_s);
		assert_int_equal(sbatches(w), before);
		got(c, 53);
	}
}

/* Nor is a job that had not counted for good when its end was reported. */
/* Acceptance: red-box-28 */
static void so_does_that_of_one_whose_end_was_told_early(void **state)
{
	struct world *w = *state;
	accepted(w);
	submitter_ended(w->submitter, "k");
	for (int i = 0; i < 2; i++) {
		sim_loop_pass(&w->loop, 4 * 86400 * 1000);
		submitter_known(w->submitter, "k");
		another_key_comes(w, 5 + (size_t)i, i ? "b" : "a");
		is(w, SUBMISSION_ACCEPTED);
	}
}

/* So it is for a key whose job has an unknown fate. */
/* Acceptance: red-box-28 */
static void what_was_given_up_stays_so_with_each_call(void **state)
{
	struct world *w = *state;
	given_one_of_which_nobody_can_tell(w);
	failed_with(look_in_vain(w), ERR_EXISTS);
	for (size_t i = 0; i < 2; i++) {
		sim_loop_pass(&w->loop, 4 * 86400 * 1000);
		another_key_comes(w, 5 + i, i ? "b" : "a");
		is_not_submitted_for_nothing_is_found(w);
	}
}

/* A pod has the number of a copy; the journal vouches that its key never began. */
/* Acceptance: red-box-28 */
static void a_question_with_a_strange_number_closes_no_key(void **state)
{
	struct world *w = *state;
	w->known_id = 17;
	struct call *c = look(w, 1, "k");
	slurm_says(w, FAKE_FIND, OK, 0);
	failed_with(c, ERR_EXISTS);
	w->known_id = 0;
	c = submit(w, 2, "k");
	assert_int_equal(sbatches(w), 1);
	slurm_says(w, FAKE_SUBMIT, OK, 53);
	got(c, 53);
}

/* The journal was lost, and Slurm does not tell when the job was submitted. */
/* Acceptance: red-box-28 */
static void the_accounts_are_asked_though_no_time_was_told(void **state)
{
	struct world *w = *state;
	struct call *c = look(w, 1, "k");
	slurm_says(w, FAKE_FIND, OK, 53); /* submit_s 0 */
	got(c, 53);
	slurmctld_is_killed(w, 53);
	c = look(w, 1, "k");
	struct slurm_tools_call *f = fake_call(&w->tools, FAKE_FIND);
	int64_t number = f->number;
	slurm_says(w, FAKE_FIND, OK, 0);
	assert_true(number >= 0); /* below 0: slurmctld alone is asked */
}

/* After each start: the journal is written anew then. */
static void since_is(struct world *w, enum submission_noted noted, int64_t since_s, int64_t boot_s)
{
	restarted(w);
	struct journal_entry e = journal_find(w->journal, "k");
	assert_int_equal(e.noted, noted);
	assert_int_equal(e.since_s, since_s);
	assert_int_equal(e.boot_s, boot_s);
}

/* Acceptance: red-box-28 */
static void since_when_it_is_there_stays_with_each_step(void **state)
{
	struct world *w = *state;
	const char *k = "k";
	int64_t begun_s = wall(w);
	struct journal_job job = { .key = k, .job_id = 53, .boot_s = 7 };
	assert_false(failed(is_begun(w->journal, k)));
	sim_loop_pass(&w->loop, 50000);
	assert_false(failed(journal_accepted(w->journal, &job, 1)));
	since_is(w, SUBMISSION_ACCEPTED, begun_s, 7);
	since_is(w, SUBMISSION_ACCEPTED, begun_s, 7);
	sim_loop_pass(&w->loop, 5000000);
	assert_false(failed(journal_close(w->journal, &k, 1)));
	int64_t closed_s = wall(w);
	for (int i = 0; i < 2; i++) {
		sim_loop_pass(&w->loop, 5000000);
		assert_false(failed(journal_done(w->journal, k, 53)));
		since_is(w, SUBMISSION_DONE, begun_s, 0);
		since_is(w, SUBMISSION_DONE, begun_s, 0);
	}
	job = (struct journal_job){ k, 53, SUBMISSION_ENDED, .since_s = begun_s };
	assert_false(failed(journal_accepted(w->journal, &job, 1)));
	since_is(w, SUBMISSION_ACCEPTED, begun_s, SUBMISSION_ENDED);
	assert_int_equal(journal_find(w->journal, k).closed_s, closed_s);
	assert_true(journal_vouches(w->journal));
}

/* Three calls of a key with an unknown fate. It is not yet noted as closed. */
static struct call *given_calls_that_are_given_up(struct world *w)
{
	given_one_of_which_nobody_can_tell(w);
	struct call *c = look(w, 1, "k");
	submit(w, 3, "k");
	look(w, 4, "k");
	for (int n = 0; n < 2; n++)
		fake_says(fake_call(&w->tools, FAKE_FIND), OK, NULL);
	return c;
}

/* Acceptance: red-box-28 */
static void calls_that_are_given_up_may_be_stopped(void **state)
{
	struct world *w = *state;
	submit_wait_stop(given_calls_that_are_given_up(w)->wait);
	sim_loop_pass(&w->loop, 0);
	failed_with(&w->calls[3], ERR_EXISTS);
	failed_with(&w->calls[4], ERR_EXISTS);
	assert_int_equal(w->calls[1].told, 0);
}

/* Acceptance: red-box-28 */
static void nor_do_they_outlive_the_process(void **state)
{
	struct world *w = *state;
	given_calls_that_are_given_up(w);
	restarted(w);
	assert_int_equal(journal_find(w->journal, "k").closed_s, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		OLD(the_end_of_a_job_that_was_found_late_is_told),
		OLD(a_job_that_was_found_late_runs_once),
		OLD(an_end_of_yesterday_is_found_behind_one_that_never_ends),
		OLD(an_end_of_yesterday_is_found_behind_another_job),
		OLD(what_counted_for_good_is_never_submitted_again),
		YOUNG(after_a_lost_journal_the_end_is_told_each_time),
		OLD(nor_when_the_accounts_were_purged),
		OLD(what_nobody_could_tell_of_is_not_submitted_later),
		OLD(a_question_with_a_strange_number_closes_no_key),
		YOUNG(the_accounts_are_asked_though_no_time_was_told),
		OLD(since_when_it_is_there_stays_with_each_step),
		OLD(calls_that_are_given_up_may_be_stopped),
		OLD(nor_do_they_outlive_the_process),
		OLD(what_was_told_as_ended_never_runs_again),
		OLD(the_week_of_what_has_ended_begins_anew_with_each_call),
		OLD(so_does_that_of_one_whose_end_was_told_early),
		OLD(what_was_given_up_stays_so_with_each_call),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
