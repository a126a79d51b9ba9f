/* SPDX-License-Identifier: Apache-2.0 */
/* A slurmctld that is killed loses what it accepted in its last seconds. */
#include "lib/submit_world.h"

/* slurmctld does not have the job: sbatch runs again, once. */
static void is_submitted_again(struct world *w, int64_t id)
{
	struct call *c = submit(w, 1, "k");
	slurm_says(w, FAKE_FIND, OK, 0);
	assert_int_equal(sbatches(w), 2);
	slurm_says(w, FAKE_SUBMIT, OK, id);
	got(c, id);
	got(submit(w, 2, "k"), id);
	assert_int_equal(sbatches(w), 2);
}

static void a_job_that_slurmctld_lost_is_submitted_again(void **state)
{
	struct world *w = *state;
	accepted(w);
	slurmctld_is_killed(w, 53);
	is_submitted_again(w, 53);
}

static void a_job_that_slurmctld_kept_is_not(void **state)
{
	struct world *w = *state;
	accepted(w);
	slurmctld_is_killed(w, 60);
	struct call *c = submit(w, 1, "k");
	slurm_says(w, FAKE_FIND, OK, 53);
	got(c, 53);
	assert_int_equal(sbatches(w), 1);
}

/*
 * The client still has the number of the lost job, which is another job's soon. That was
 * lost for certain, and the sbatch that was refused made none.
 */
static void one_that_was_refused_then_is_submitted_still(void **state)
{
	struct world *w = *state;
	accepted(w);
	w->known_id = 53;
	slurmctld_is_killed(w, 53);
	struct call *c = submit(w, 1, "k");
	slurm_says(w, FAKE_FIND, OK, 0);
	slurm_says(w, FAKE_SUBMIT, down, 0);
	failed_with(c, ERR_RETRY);
	restarted(w);
	slurmctld_is_killed(w, 60);
	struct call *look_for = look(w, 0, "k");
	sim_loop_pass(&w->loop, 0);
	failed_with(look_for, ERR_NOT_FOUND);
	c = submit(w, 1, "k");
	slurm_says(w, FAKE_SUBMIT, OK, 61);
	got(c, 61);
	assert_int_equal(sbatches(w), 3);
}

static void what_may_have_ended_is_not_submitted_again(void **state)
{
	struct world *w = *state;
	accepted(w);
	restarted(w); /* no client asks meanwhile */
	slurmctld_is_killed(w, 60);
	sim_loop_pass(&w->loop, 240 * 1000);
	struct call *c = submit(w, 1, "k");
	slurm_says(w, FAKE_FIND, OK, 0);
	failed_with(c, ERR_EXISTS);
	assert_int_equal(sbatches(w), 1);
}

/* sbatch was not heard of. When its job was found it may have ended already. */
static void given_a_job_that_was_found(struct world *w, int64_t after_ms)
{
	submit(w, 0, "k");
	slurm_says(w, FAKE_SUBMIT, lost, 0);
	sim_loop_pass(&w->loop, after_ms);
	struct call *c = submit(w, 1, "k");
	slurm_says(w, FAKE_FIND, OK, 53);
	got(c, 53);
	is(w, SUBMISSION_ACCEPTED);
}

/* Acceptance: vnode-6 */
static void one_that_was_found_is_as_old_as_its_submission(void **state)
{
	struct world *w = *state;
	given_a_job_that_was_found(w, 200 * 1000);
	restarted(w);
	slurmctld_is_killed(w, 60);
	sim_loop_pass(&w->loop, 150 * 1000);
	struct call *c = submit(w, 1, "k");
	slurm_says(w, FAKE_FIND, OK, 0);
	failed_with(c, ERR_EXISTS);
	assert_int_equal(sbatches(w), 1);
}

/* Acceptance: vnode-6 */
static void one_that_was_found_at_once_is_submitted_again(void **state)
{
	struct world *w = *state;
	static const struct err unknown = { .kind = ERR_NOT_FOUND, .text = "Invalid job id" };
	given_a_job_that_was_found(w, 1000);
	slurmctld_is_killed(w, 60);
	struct call *c = submit(w, 1, "k");
	slurm_says(w, FAKE_FIND, OK, 0);
	slurm_says(w, FAKE_JOB, unknown, 0);
	slurm_says(w, FAKE_SUBMIT, OK, 60);
	got(c, 60);
}

static void what_slurmctld_has_written_down_is_kept(void **state)
{
	struct world *w = *state;
	accepted(w);
	time_passes(w, SUBMISSION_SAVED_MS + 10000);
	is(w, SUBMISSION_DONE);
	slurmctld_is_killed(w, 1);
	got(submit(w, 1, "k"), 53);
	restarted(w);
	got(submit(w, 1, "k"), 53);
	assert_int_equal(questions(w), 0);
	int asked = w->tools.seen[FAKE_CONTROLLER];
	time_passes(w, 3600 * 1000);
	assert_int_equal(w->tools.seen[FAKE_CONTROLLER], asked);
}

static void red_box_may_be_killed_before_it_knows_that(void **state)
{
	struct world *w = *state;
	accepted(w);
	time_passes(w, SUBMISSION_SAVED_MS / 2);
	restarted(w);
	time_passes(w, SUBMISSION_SAVED_MS / 2);
	is(w, SUBMISSION_ACCEPTED);
	time_passes(w, SUBMISSION_SAVED_MS);
	is(w, SUBMISSION_DONE);
	assert_int_equal(questions(w), 0);
}

/* slurmctld accepted the job, and was started anew between our two questions. */
static void another_slurmctld_vouches_for_nothing(void **state)
{
	struct world *w = *state;
	accepted(w);
	slurmctld_is_killed(w, 60);
	time_passes(w, 10 * SUBMISSION_SAVED_MS);
	is(w, SUBMISSION_ACCEPTED);
	submitter_saw(w->submitter, "k");
	is(w, SUBMISSION_DONE);
}

static void a_job_that_was_seen_at_once_may_still_be_lost(void **state)
{
	struct world *w = *state;
	accepted(w);
	submitter_saw(w->submitter, "k");
	is(w, SUBMISSION_ACCEPTED);
}

static void while_slurmctld_is_away_its_word_counts(void **state)
{
	struct world *w = *state;
	accepted(w);
	w->slurmctld.boot_s = 0;
	struct call *c = submit(w, 1, "k");
	slurm_says(w, FAKE_FIND, down, 0);
	got(c, 53);
	assert_int_equal(sbatches(w), 1);
}

static void an_unheard_key_waits_for_a_slurmctld_that_speaks(void **state)
{
	struct world *w = *state;
	submit(w, 0, "k");
	slurm_says(w, FAKE_SUBMIT, lost, 0);
	sim_loop_pass(&w->loop, SUBMISSION_SETTLE_MS);
	w->slurmctld.boot_s = 0;
	struct call *c = submit(w, 0, "k");
	slurm_says(w, FAKE_FIND, OK, 0);
	failed_with(c, ERR_RETRY);
	assert_int_equal(sbatches(w), 1);
}

/* ---- a journal that is lost ---- */

/* A login node that was made anew: its clients know of a job, and it does not. */
static void given_a_lost_journal(struct world *w, int64_t next_job_id)
{
	accepted(w);
	time_passes(w, SUBMISSION_SAVED_MS + 10000);
	end(w);
	assert_int_equal(unlink(folder_path(&w->folder, "journal")), 0);
	w->slurmctld.next_job_id = next_job_id;
	begin(w);
	w->known_id = 53;
}

static void a_job_that_its_client_knows_has_ended_and_is_not_run_again(void **state)
{
	struct world *w = *state;
	given_a_lost_journal(w, 60);
	struct call *c = submit(w, 1, "k");
	slurm_says(w, FAKE_FIND, OK, 0);
	failed_with(c, ERR_EXISTS);
	c = look(w, 1, "k");
	slurm_says(w, FAKE_FIND, OK, 0);
	failed_with(c, ERR_EXISTS);
	assert_int_equal(sbatches(w), 1);
}

static void a_job_that_its_client_knows_and_slurm_never_gave_is_submitted(void **state)
{
	struct world *w = *state;
	given_a_lost_journal(w, 53);
	struct call *c = submit(w, 1, "k");
	slurm_says(w, FAKE_FIND, OK, 0);
	slurm_says(w, FAKE_SUBMIT, OK, 53);
	got(c, 53);
}

static void the_journal_knows_better_than_its_clients(void **state)
{
	struct world *w = *state;
	accepted(w);
	w->known_id = 50;
	got(submit(w, 1, "k"), 53);
	assert_int_equal(questions(w), 0);
}

/* ---- jobs that only the accounts have ---- */

static struct call *in_accounts(struct world *w, const char *state, int64_t submit_s)
{
	const struct slurm_job_found old = {
		.id = 53, .submit_s = 7, .in_accounts = true, .key = "k"
	};
	const struct slurm_job_shown job = { .id = 53, .state = state, .submit_s = submit_s };
	struct call *c = submit(w, 1, "k");
	fake_says(fake_call(&w->tools, FAKE_FIND), OK,
		&(struct slurm_tools_told){ .found = &old, .n = 1 });
	struct slurm_tools_call *asked = fake_call(&w->tools, FAKE_JOB);
	assert_int_equal(asked->number, 53);
	fake_says(asked, OK,
		&(struct slurm_tools_told){ .jobs = &job, .n = 1, .from_accounts = true });
	sim_loop_pass(&w->loop, 0);
	return c;
}

static void a_job_that_has_ended_is_in_the_accounts(void **state)
{
	struct world *w = *state;
	accepted(w);
	slurmctld_is_killed(w, 60);
	got(in_accounts(w, "COMPLETED", 7), 53);
	assert_int_equal(sbatches(w), 1);
}

static void accounts_that_never_heard_of_its_loss_are_not_believed(void **state)
{
	struct world *w = *state;
	accepted(w);
	slurmctld_is_killed(w, 60);
	struct call *c = in_accounts(w, "RUNNING", 7);
	assert_int_equal(sbatches(w), 2);
	slurm_says(w, FAKE_SUBMIT, OK, 60);
	got(c, 60);
}

/* The number is another job's: the accounts say this of the key's own job. */
static void the_former_is(struct world *w, struct err e, const char *state)
{
	const struct slurm_job_shown job = { .id = 53, .state = state, .submit_s = 7 };
	struct slurm_tools_call *asked = fake_call(&w->tools, FAKE_ACCOUNT);
	assert_int_equal(asked->number, 53);
	fake_says(asked, e,
		&(struct slurm_tools_told){ .jobs = &job, .n = 1, .from_accounts = true });
	sim_loop_pass(&w->loop, 0);
}

/* slurmctld lost a job without an end in the accounts: its number was given again. */
/* Acceptance: red-box-28 */
static void a_number_in_the_accounts_may_be_another_job(void **state)
{
	struct world *w = *state;
	accepted(w);
	slurmctld_is_killed(w, 60);
	struct call *c = in_accounts(w, "COMPLETED", 8);
	the_former_is(w, OK, "RUNNING");
	assert_int_equal(sbatches(w), 2);
	slurm_says(w, FAKE_SUBMIT, OK, 60);
	got(c, 60);
	assert_false(c->forgotten);
}

/* The head node was made anew: journal and slurmctld's state are gone, accounts stay. */
static void what_has_ended_by_the_accounts_is_not_run_again(void **state)
{
	struct world *w = *state;
	for (int told = 0; told < 2; told++) {
		end(w);
		unlink(folder_path(&w->folder, "journal"));
		begin(w);
		w->known_id = told ? 53 : 0;
		slurmctld_is_killed(w, 60);
		struct call *c = in_accounts(w, "RUNNING", 8);
		the_former_is(w, OK, "COMPLETED");
		got(c, 53);
		assert_true(c->forgotten);
		assert_int_equal(sbatches(w), 0);
		is(w, SUBMISSION_ACCEPTED);
		time_passes(w, 2 * SUBMISSION_SAVED_MS); /* who lives did not accept it */
		is(w, SUBMISSION_ACCEPTED);
	}
}

static void nor_while_the_accounts_do_not_say_so(void **state)
{
	struct world *w = *state;
	end(w);
	unlink(folder_path(&w->folder, "journal"));
	begin(w);
	struct call *c = in_accounts(w, "RUNNING", 8);
	the_former_is(w, down, "");
	failed_with(c, ERR_RETRY);
	assert_int_equal(sbatches(w), 0);
}

/* A task of it that waited again has another time. */
static void one_record_of_its_time_is_enough(void **state)
{
	struct world *w = *state;
	const struct slurm_job_found old = {
		.id = 53, .submit_s = 7, .in_accounts = true, .key = "k"
	};
	const struct slurm_job_shown tasks[] = {
		{ .id = 54, .array_id = "53", .state = "COMPLETED", .submit_s = 9 },
		{ .id = 53, .array_id = "53", .state = "COMPLETED", .submit_s = 7 },
	};
	accepted(w);
	slurmctld_is_killed(w, 60);
	struct call *c = submit(w, 1, "k");
	fake_says(fake_call(&w->tools, FAKE_FIND), OK,
		&(struct slurm_tools_told){ .found = &old, .n = 1 });
	fake_says(fake_call(&w->tools, FAKE_JOB), OK,
		&(struct slurm_tools_told){ .jobs = tasks, .n = 2, .from_accounts = true });
	sim_loop_pass(&w->loop, 0);
	got(c, 53);
	assert_int_equal(sbatches(w), 1);
}

/* A plug-in of the site, or a user, has written another comment: it is the same job. */
static void a_live_job_with_another_comment_is_known_by_its_time(void **state)
{
	struct world *w = *state;
	const struct slurm_job_found old = {
		.id = 53, .submit_s = 7, .in_accounts = true, .key = "k"
	};
	const struct slurm_job_shown job = {
		.id = 53, .state = "RUNNING", .submit_s = 7, .comment = "by the site"
	};
	accepted(w);
	slurmctld_is_killed(w, 60);
	struct call *c = submit(w, 1, "k");
	fake_says(fake_call(&w->tools, FAKE_FIND), OK,
		&(struct slurm_tools_told){ .found = &old, .n = 1 });
	fake_says(fake_call(&w->tools, FAKE_JOB), OK,
		&(struct slurm_tools_told){ .jobs = &job, .n = 1 });
	got(c, 53);
	assert_int_equal(sbatches(w), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		OLD(a_job_that_slurmctld_lost_is_submitted_again),
		OLD(a_job_that_slurmctld_kept_is_not),
		OLD(one_that_was_refused_then_is_submitted_still),
		OLD(what_may_have_ended_is_not_submitted_again),
		OLD(one_that_was_found_is_as_old_as_its_submission),
		OLD(one_that_was_found_at_once_is_submitted_again),
		OLD(what_slurmctld_has_written_down_is_kept),
		OLD(red_box_may_be_killed_before_it_knows_that),
		OLD(another_slurmctld_vouches_for_nothing),
		OLD(a_job_that_was_seen_at_once_may_still_be_lost),
		OLD(while_slurmctld_is_away_its_word_counts),
		OLD(an_unheard_key_waits_for_a_slurmctld_that_speaks),
		OLD(a_job_that_its_client_knows_has_ended_and_is_not_run_again),
		OLD(a_job_that_its_client_knows_and_slurm_never_gave_is_submitted),
		OLD(the_journal_knows_better_than_its_clients),
		OLD(a_job_that_has_ended_is_in_the_accounts),
		OLD(accounts_that_never_heard_of_its_loss_are_not_believed),
		OLD(a_number_in_the_accounts_may_be_another_job),
		OLD(what_has_ended_by_the_accounts_is_not_run_again),
		OLD(nor_while_the_accounts_do_not_say_so),
		OLD(a_live_job_with_another_comment_is_known_by_its_time),
		OLD(one_record_of_its_time_is_enough),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
