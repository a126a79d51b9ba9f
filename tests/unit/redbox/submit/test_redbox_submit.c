/* SPDX-License-Identifier: Apache-2.0 */
/* One job for each key, whatever dies, whichever client asks again, and when. */
#include "lib/submit_world.h"

#include <signal.h>
#include <sys/resource.h>

#include "plan/vnode/room.h"

/* ---- as it should be ---- */

static void a_new_key_is_one_sbatch_and_no_question(void **state)
{
	struct world *w = *state;
	struct call *c = submit(w, 0, "k");
	assert_int_equal(questions(w), 0);
	const struct slurm_tools_call *sbatch = fake_call(&w->tools, FAKE_SUBMIT);
	assert_string_equal(sbatch->script, "#!/bin/sh\n");
	assert_string_equal(sbatch->partition, "debug");
	assert_string_equal(sbatch->key, "k");
	slurm_says(w, FAKE_SUBMIT, OK, 53);
	got(c, 53);
	assert_int_equal(submitter_under_way(w->submitter), 0);
}

/* Acceptance: red-box-27 */
static void the_same_key_gets_the_same_job(void **state)
{
	struct world *w = *state;
	submit(w, 0, "k");
	slurm_says(w, FAKE_SUBMIT, OK, 53);
	got(submit(w, 1, "k"), 53);
	restarted(w);
	got(submit(w, 0, "k"), 53);
	assert_int_equal(sbatches(w), 1);
	assert_int_equal(questions(w), 0);
}

/* Acceptance: red-box-27 */
static void two_calls_at_a_time_are_one_sbatch(void **state)
{
	struct world *w = *state;
	struct call *first = submit(w, 0, "k"), *second = submit(w, 1, "k");
	assert_int_equal(sbatches(w), 1);
	slurm_says(w, FAKE_SUBMIT, OK, 53);
	got(first, 53);
	got(second, 53);
}

static void other_keys_are_other_jobs(void **state)
{
	struct world *w = *state;
	struct call *first = submit(w, 0, "k"), *second = submit(w, 1, "l");
	assert_int_equal(sbatches(w), 2);
	slurm_says(w, FAKE_SUBMIT, OK, 1);
	slurm_says(w, FAKE_SUBMIT, OK, 2);
	got(first, 1);
	got(second, 2);
}

static void without_a_key_each_call_is_a_job(void **state)
{
	struct world *w = *state;
	struct call *first = submit(w, 0, NULL), *second = submit(w, 1, NULL);
	assert_null(fake_call(&w->tools, FAKE_SUBMIT)->key);
	slurm_says(w, FAKE_SUBMIT, OK, 1);
	slurm_says(w, FAKE_SUBMIT, OK, 2);
	got(first, 1);
	got(second, 2);
	assert_int_equal(questions(w), 0);
}

static void a_submission_outlives_its_client(void **state)
{
	struct world *w = *state;
	submit_wait_stop(submit(w, 0, "k")->wait);
	assert_int_equal(submitter_under_way(w->submitter), 1);
	slurm_says(w, FAKE_SUBMIT, OK, 53);
	assert_int_equal(w->calls[0].told, 0);
	got(submit(w, 1, "k"), 53);
	assert_int_equal(sbatches(w), 1);
}

/* ---- failures ---- */

static void what_slurm_refuses_may_be_tried_again(void **state)
{
	static const struct err *const nothing_done[] = { &wrong, &down };
	struct world *w = *state;
	for (size_t i = 0; i < LENGTH(nothing_done); i++) {
		struct call *c = submit(w, 0, "k");
		slurm_says(w, FAKE_SUBMIT, *nothing_done[i], 0);
		failed_with(c, nothing_done[i]->kind);
	}
	struct call *c = submit(w, 0, "k");
	slurm_says(w, FAKE_SUBMIT, OK, 9);
	got(c, 9);
	assert_int_equal(questions(w), 0);
}

/* Acceptance: red-box-27 */
static void a_lost_answer_is_looked_for(void **state)
{
	struct world *w = *state;
	struct call *c = submit(w, 0, "k");
	slurm_says(w, FAKE_SUBMIT, lost, 0);
	failed_with(c, ERR_LOST);
	c = submit(w, 0, "k");
	assert_int_equal(sbatches(w), 1);
	assert_string_equal(fake_call(&w->tools, FAKE_FIND)->key, "k");
	slurm_says(w, FAKE_FIND, OK, 53);
	got(c, 53);
	got(submit(w, 1, "k"), 53);
	assert_int_equal(questions(w), 1);
	assert_int_equal(sbatches(w), 1);
}

static void sbatch_runs_again_only_when_the_first_must_have_ended(void **state)
{
	struct world *w = *state;
	submit(w, 0, "k");
	sim_loop_pass(&w->loop, 60000);
	slurm_says(w, FAKE_SUBMIT, lost, 0);
	sim_loop_pass(&w->loop, SUBMISSION_SETTLE_MS - 1);
	struct call *c = submit(w, 0, "k");
	slurm_says(w, FAKE_FIND, OK, 0);
	failed_with(c, ERR_RETRY);
	sim_loop_pass(&w->loop, 1);
	c = submit(w, 0, "k");
	slurm_says(w, FAKE_FIND, OK, 0);
	assert_int_equal(sbatches(w), 2);
	slurm_says(w, FAKE_SUBMIT, OK, 54);
	got(c, 54);
}

static void nothing_is_submitted_while_slurm_cannot_be_asked(void **state)
{
	struct world *w = *state;
	submit(w, 0, "k");
	slurm_says(w, FAKE_SUBMIT, lost, 0);
	sim_loop_pass(&w->loop, 10 * SUBMISSION_SETTLE_MS);
	struct call *c = submit(w, 0, "k");
	slurm_says(w, FAKE_FIND, down, 0);
	failed_with(c, ERR_RETRY);
	assert_int_equal(sbatches(w), 1);
}

static void a_slurm_that_forgets_is_not_believed_for_long(void **state)
{
	struct world *w = *state;
	const struct slurm_tools_told none = { .no_accounting = true };
	submit(w, 0, "k");
	slurm_says(w, FAKE_SUBMIT, lost, 0);
	sim_loop_pass(&w->loop, 240 * 1000); /* MinJobAge, less what clocks may be wrong */
	struct call *c = submit(w, 0, "k");
	fake_says(fake_call(&w->tools, FAKE_FIND), OK, &none);
	sim_loop_pass(&w->loop, 0);
	failed_with(c, ERR_EXISTS);
	assert_int_equal(sbatches(w), 1);
}

static struct call *asked_while(struct world *w, bool behind)
{
	const struct slurm_tools_told none = { .accounts_behind = behind };
	struct call *c = submit(w, 0, "k");
	fake_says(fake_call(&w->tools, FAKE_FIND), OK, &none);
	sim_loop_pass(&w->loop, 0);
	return c;
}

/* slurmdbd is just back, and has not been told yet of a job that ended meanwhile. */
static void accounts_that_are_behind_are_waited_for(void **state)
{
	struct world *w = *state;
	submit(w, 0, "k");
	slurm_says(w, FAKE_SUBMIT, lost, 0);
	sim_loop_pass(&w->loop, 3600 * 1000);
	failed_with(asked_while(w, true), ERR_RETRY);
	assert_int_equal(sbatches(w), 1);
	asked_while(w, false);
	slurm_says(w, FAKE_SUBMIT, OK, 54);
	got(&w->calls[0], 54);
}

/* A busy Slurm has something to tell them at any time: what is old has been told. */
static void accounts_that_are_always_behind_count_at_last(void **state)
{
	struct world *w = *state;
	submit(w, 0, "k");
	slurm_says(w, FAKE_SUBMIT, lost, 0);
	sim_loop_pass(&w->loop, 3600 * 1000);
	failed_with(asked_while(w, true), ERR_RETRY);
	sim_loop_pass(&w->loop, SUBMISSION_BEHIND_MS - 1);
	failed_with(asked_while(w, true), ERR_RETRY);
	sim_loop_pass(&w->loop, 1);
	asked_while(w, true);
	slurm_says(w, FAKE_SUBMIT, OK, 54);
	got(&w->calls[0], 54);
}

static void what_slurmctld_itself_remembers_waits_for_no_accounts(void **state)
{
	struct world *w = *state;
	submit(w, 0, "k");
	slurm_says(w, FAKE_SUBMIT, lost, 0);
	sim_loop_pass(&w->loop, SUBMISSION_SETTLE_MS);
	asked_while(w, true);
	slurm_says(w, FAKE_SUBMIT, OK, 54);
	got(&w->calls[0], 54);
}

static void of_several_jobs_the_first_counts(void **state)
{
	struct world *w = *state;
	const struct slurm_job_found jobs[] = { { .id = 60, .key = "k" }, { .id = 53, .key = "k" },
		{ .id = 61, .key = "k" } };
	submit(w, 0, "k");
	slurm_says(w, FAKE_SUBMIT, lost, 0);
	struct call *c = submit(w, 0, "k");
	fake_says(fake_call(&w->tools, FAKE_FIND), OK,
		&(struct slurm_tools_told){ .found = jobs, .n = 3 });
	sim_loop_pass(&w->loop, 0);
	got(c, 53);
}

/* ---- crashes ---- */

/* Acceptance: red-box-27, V12 */
static void after_a_crash_at_sbatch_slurm_is_asked(void **state)
{
	struct world *w = *state;
	submit(w, 0, "k");
	restarted(w);
	struct call *c = submit(w, 0, "k"), *second = submit(w, 1, "k");
	assert_int_equal(sbatches(w), 1);
	assert_int_equal(questions(w), 1);
	slurm_says(w, FAKE_FIND, OK, 53);
	got(c, 53);
	got(second, 53);
	restarted(w);
	got(submit(w, 0, "k"), 53);
	assert_int_equal(questions(w), 1);
}

static void calls_within_a_week_of_each_other_are_one_job(void **state)
{
	struct world *w = *state;
	struct call *c = submit(w, 0, "k");
	slurm_says(w, FAKE_SUBMIT, OK, 53);
	got(c, 53);
	time_passes(w, 40000);
	for (int i = 0; i < 4; i++) {
		sim_loop_pass(&w->loop, (int64_t)JOURNAL_KEEP_S * 1000 * 3 / 4);
		restarted(w);
		got(submit(w, 0, "k"), 53);
	}
	assert_int_equal(sbatches(w), 1);
}

/* The job of a key waits and runs for weeks, and the client asks for it all the time. */
static void a_job_that_is_asked_for_for_weeks_is_not_forgotten(void **state)
{
	struct world *w = *state;
	submit(w, 0, "k");
	slurm_says(w, FAKE_SUBMIT, OK, 53);
	time_passes(w, 40000);
	for (int hour = 0; hour < 24 * 21; hour++) {
		sim_loop_pass(&w->loop, 3600 * 1000);
		assert_int_equal(submitter_known(w->submitter, "k").job_id, 53);
	}
	submit(w, 1, "other");
	slurm_says(w, FAKE_SUBMIT, OK, 54);
	restarted(w);
	got(look(w, 2, "k"), 53);
	got(submit(w, 0, "k"), 53);
	assert_int_equal(sbatches(w), 2);
}

static void a_key_that_nobody_heard_of_is_asked_for_after_weeks(void **state)
{
	struct world *w = *state;
	submit(w, 0, "k");
	slurm_says(w, FAKE_SUBMIT, lost, 0);
	for (int day = 0; day < 9; day++) {
		sim_loop_pass(&w->loop, 86400000);
		submit(w, 0, "k");
		slurm_says(w, FAKE_FIND, down, 0);
		failed_with(&w->calls[0], ERR_RETRY);
	}
	submit(w, 1, "other");
	slurm_says(w, FAKE_SUBMIT, wrong, 0);
	restarted(w);
	struct call *c = submit(w, 0, "k");
	assert_int_equal(sbatches(w), 2);
	slurm_says(w, FAKE_FIND, OK, 53);
	got(c, 53);
}

static void a_young_journal_has_each_new_key_looked_for(void **state)
{
	struct world *w = *state;
	struct call *c = submit(w, 0, "k");
	const struct slurm_tools_call *find = fake_call(&w->tools, FAKE_FIND);
	assert_int_equal(find->number, loop_wall_ms(&w->loop.loop) / 1000 - JOURNAL_KEEP_S);
	assert_int_equal(sbatches(w), 0);
	slurm_says(w, FAKE_FIND, OK, 0);
	slurm_says(w, FAKE_SUBMIT, OK, 53);
	got(c, 53);
}

/* Acceptance: red-box-27 */
static void a_lost_journal_loses_no_job(void **state)
{
	struct world *w = *state;
	submit(w, 0, "k");
	slurm_says(w, FAKE_SUBMIT, OK, 53);
	end(w);
	assert_int_equal(unlink(folder_path(&w->folder, "journal")), 0);
	begin(w);
	struct call *c = submit(w, 0, "k");
	slurm_says(w, FAKE_FIND, OK, 53);
	got(c, 53);
	assert_int_equal(sbatches(w), 1);
}

/* Acceptance: red-box-27 */
static void a_full_disk_is_told_before_sbatch_runs(void **state)
{
	struct world *w = *state;
	struct stat st;
	assert_int_equal(stat(folder_path(&w->folder, "journal"), &st), 0);
	signal(SIGXFSZ, SIG_IGN);
	struct rlimit room = { (rlim_t)st.st_size + 10, RLIM_INFINITY };
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &room), 0);
	failed_with(submit(w, 0, "k"), ERR_RETRY);
	assert_int_equal(sbatches(w), 0);
	room.rlim_cur = RLIM_INFINITY;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &room), 0);
	struct call *c = submit(w, 0, "k");
	slurm_says(w, FAKE_SUBMIT, OK, 5);
	got(c, 5);
}

/* A virtual node may have as many calls under way, and all may be questions. */
static void questions_leave_room_for_submissions(void **state)
{
	struct world *w = *state;
	for (int i = 0; i < VROOM_CALLS; i++) {
		char key[16];
		snprintf(key, sizeof(key), "q%d", i);
		submit_wait_stop(submitter_look(w->submitter, key, 0, DOUBT_NONE, told, NULL));
	}
	submit(w, 0, "k");
	assert_int_equal(sbatches(w), 1);
}

/* Clients that have a place each, however many they are. */
static void submissions_leave_room_for_questions(void **state)
{
	struct world *w = *state;
	accepted(w);
	for (int i = 0; i < SUBMIT_MOST; i++) {
		char who[16];
		snprintf(who, sizeof(who), "%d", i);
		const struct submit_ask ask = { .submission = { "x", "", NULL, who } };
		submit_wait_stop(submitter_submit(w->submitter, &ask, told, NULL));
	}
	got(look(w, 1, "k"), 53);
}

static void too_much_at_a_time_is_refused(void **state)
{
	struct world *w = *state;
	const struct submit_ask ask = { .submission = { "x", "", NULL } };
	for (int i = 0; i < SUBMIT_MOST / 2; i++)
		submit_wait_stop(submitter_submit(w->submitter, &ask, told, NULL));
	struct call *c = submit(w, 0, "k");
	failed_with(c, ERR_TOO_LARGE);
	assert_int_equal(sbatches(w), SUBMIT_MOST / 2);
	slurm_says(w, FAKE_SUBMIT, OK, 1);
	c = submit(w, 0, "k");
	assert_int_equal(sbatches(w), SUBMIT_MOST / 2 + 1);
}

/* Acceptance: vnode-18 */
static void submissions_of_a_client_leave_room_for_others(void **state)
{
	enum { BYTES = 256 << 10 };
	struct world *w = *state;
	AUTO(own_free) char *script = own_alloc(BYTES + 1);
	memset(script, 'x', BYTES);
	const struct submit_ask many = { .submission = { "x", "", NULL, "many" } };
	const struct submit_ask large = { .submission = { script, "", NULL, "large" } };
	for (int i = 0; i < SUBMIT_MOST; i++)
		submit_wait_stop(submitter_submit(w->submitter, &many, told, NULL));
	for (int i = 0; i < 2 * SUBMIT_SCRIPTS_BYTES / BYTES; i++)
		submit_wait_stop(submitter_submit(w->submitter, &large, told, NULL));
	submit(w, 0, "k");
	int before = sbatches(w);
	submit(w, 1, "l");
	assert_int_equal(sbatches(w), before + 1);
	assert_in_range(before, SUBMIT_MOST / 2, SUBMIT_MOST - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		OLD(a_new_key_is_one_sbatch_and_no_question),
		OLD(the_same_key_gets_the_same_job),
		OLD(two_calls_at_a_time_are_one_sbatch),
		OLD(other_keys_are_other_jobs),
		OLD(without_a_key_each_call_is_a_job),
		OLD(a_submission_outlives_its_client),
		OLD(what_slurm_refuses_may_be_tried_again),
		OLD(a_lost_answer_is_looked_for),
		OLD(sbatch_runs_again_only_when_the_first_must_have_ended),
		OLD(nothing_is_submitted_while_slurm_cannot_be_asked),
		OLD(a_slurm_that_forgets_is_not_believed_for_long),
		OLD(accounts_that_are_behind_are_waited_for),
		OLD(accounts_that_are_always_behind_count_at_last),
		OLD(what_slurmctld_itself_remembers_waits_for_no_accounts),
		OLD(of_several_jobs_the_first_counts),
		OLD(after_a_crash_at_sbatch_slurm_is_asked),
		OLD(calls_within_a_week_of_each_other_are_one_job),
		OLD(a_job_that_is_asked_for_for_weeks_is_not_forgotten),
		OLD(a_key_that_nobody_heard_of_is_asked_for_after_weeks),
		YOUNG(a_young_journal_has_each_new_key_looked_for),
		OLD(a_lost_journal_loses_no_job),
		OLD(a_full_disk_is_told_before_sbatch_runs),
		OLD(too_much_at_a_time_is_refused),
		OLD(submissions_of_a_client_leave_room_for_others),
		OLD(questions_leave_room_for_submissions),
		OLD(submissions_leave_room_for_questions),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
