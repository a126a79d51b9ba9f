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

/* virtual-node asks next what became of it. */
static void the_end_of_a_job_that_was_found_late_is_told(void **state)
{
	struct world *w = *state;
	int64_t submit_s = given_an_ended_job_that_is_found_late(w);
	struct call *c = look(w, 2, "k");
	accounts_find(w, submit_s, submit_s + 600);
	if (!c->told)
		accounts_say_it_has_ended(w, FAKE_JOB, submit_s);
	got(c, 53);
}

static void a_job_that_was_found_late_runs_once(void **state)
{
	struct world *w = *state;
	slurmctld_is_killed(w, 10); /* it began without any state */
	int64_t submit_s = given_an_ended_job_that_is_found_late(w);
	struct call *question = look(w, 2, "k");
	accounts_find(w, submit_s, submit_s + 600);
	if (!question->told)
		accounts_say_it_has_ended(w, FAKE_JOB, submit_s);
	submit(w, 3, "k");
	accounts_find(w, submit_s, submit_s + 600);
	sim_loop_pass(&w->loop, 0);
	if (sbatches(w) == 2)
		slurm_says(w, FAKE_SUBMIT, OK, 10);
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

/* Nobody asked for two days; it ended in between. */
static void given_two_days_of_silence(struct world *w, enum submission_doubt why)
{
	int64_t submit_s = wall(w);
	given_a_job_that_is_done(w);
	sim_loop_pass(&w->loop, 2 * 86400 * 1000);
	slurmctld_is_killed(w, 53);
	struct call *c = doubt(w, 1, why);
	accounts_find(w, submit_s, submit_s + 86400);
	if (!c->told) {
		another_has_its_number(w);
		accounts_say_it_has_ended(w, FAKE_ACCOUNT, submit_s);
	}
	got(c, 53);
}

static void an_end_of_yesterday_is_found_behind_one_that_never_ends(void **state)
{
	given_two_days_of_silence(*state, DOUBT_UNENDED);
}

static void an_end_of_yesterday_is_found_behind_another_job(void **state)
{
	given_two_days_of_silence(*state, DOUBT_DISPLACED);
}

/* It counted for good before, and was never to be submitted again. */
static void what_counted_for_good_is_never_submitted_again(void **state)
{
	struct world *w = *state;
	int64_t submit_s = wall(w);
	given_a_job_that_is_done(w);
	sim_loop_pass(&w->loop, 4060 * 1000);
	submitter_known(w->submitter, "k"); /* a JobInfo that is told its end */
	sim_loop_pass(&w->loop, 2900 * 1000);
	slurmctld_is_killed(w, 53); /* and another job with its number is lost */
	struct call *c = doubt(w, 1, DOUBT_UNENDED);
	accounts_find(w, submit_s, submit_s + 600);
	another_has_its_number(w);
	accounts_say_it_has_ended(w, FAKE_ACCOUNT, submit_s);
	got(c, 53);
	c = look(w, 2, "k");
	accounts_find(w, submit_s, submit_s + 600);
	if (!c->told)
		return;
	c = submit(w, 3, "k");
	if (!c->told)
		accounts_find(w, submit_s, submit_s + 600);
	sim_loop_pass(&w->loop, 0);
	if (sbatches(w) == 2)
		slurm_says(w, FAKE_SUBMIT, OK, 53);
	assert_int_equal(sbatches(w), 1);
}

/* The same when the accounts have been purged, however they are asked. */
static void nor_when_the_accounts_were_purged(void **state)
{
	struct world *w = *state;
	int64_t submit_s = wall(w);
	given_a_job_that_is_done(w);
	slurmctld_is_killed(w, 53);
	struct call *c = doubt(w, 1, DOUBT_UNENDED);
	accounts_find(w, submit_s, submit_s + 600);
	another_has_its_number(w);
	accounts_say_it_has_ended(w, FAKE_ACCOUNT, submit_s);
	got(c, 53);
	c = submit(w, 2, "k");
	if (!c->told)
		slurm_says(w, FAKE_FIND, OK, 0);
	sim_loop_pass(&w->loop, 0);
	if (sbatches(w) == 2)
		slurm_says(w, FAKE_SUBMIT, OK, 53);
	assert_int_equal(sbatches(w), 1);
}

/* The journal was lost. Its job is looked for in a week of the accounts, once. */
static void after_a_lost_journal_the_end_is_told_each_time(void **state)
{
	struct world *w = *state;
	int64_t submit_s = wall(w) - 4 * 3600;
	for (int i = 0; i < 2; i++) {
		struct call *c = look(w, 1, "k");
		accounts_find(w, submit_s, submit_s + 600);
		if (!c->told)
			accounts_say_it_has_ended(w, FAKE_JOB, submit_s);
		got(c, 53);
	}
}

/*
 * Its client lets the pod end. Later slurmctld comes back with an old state, and by its
 * next number the job was lost: a call that is late makes it no second time.
 */
static void what_nobody_could_tell_of_is_not_submitted_later(void **state)
{
	struct world *w = *state;
	accepted(w);
	restarted(w); /* nobody asks meanwhile */
	slurmctld_is_killed(w, 60);
	sim_loop_pass(&w->loop, 240 * 1000);
	struct call *c = look(w, 1, "k");
	slurm_says(w, FAKE_FIND, OK, 0);
	failed_with(c, ERR_EXISTS);
	restarted(w);
	slurmctld_is_killed(w, 53);
	c = submit(w, 1, "k");
	slurm_says(w, FAKE_FIND, OK, 0);
	sim_loop_pass(&w->loop, 0);
	failed_with(c, ERR_EXISTS);
	assert_int_equal(sbatches(w), 1);
	/* It is told of all the same, should Slurm have it */
	c = look(w, 1, "k");
	slurm_says(w, FAKE_FIND, OK, 53);
	got(c, 53);
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
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
