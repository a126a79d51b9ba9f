/* SPDX-License-Identifier: Apache-2.0 */
/* A job whose comment a user has changed: a new slurmctld does not say whose it is. */
#include "lib/submit_world.h"

static int64_t now_s(struct world *w) { return loop_wall_ms(&w->loop.loop) / 1000; }

/* The next slurmctld has this next id, and its clock is ours; MinJobAge is 300 s. */
static void slurmctld_is_killed_now(struct world *w, int64_t next_job_id)
{
	w->slurmctld.boot_s = now_s(w);
	w->slurmctld.next_job_id = next_job_id;
}

/* Sets the job that slurmctld shows under the number, or the record of the accounts. */
static void number_53_is(struct world *w, struct err e, const char *comment, int64_t submit_s,
	bool from_accounts)
{
	const struct slurm_job_shown job = {
		.id = 53, .state = "RUNNING", .comment = comment, .submit_s = submit_s
	};
	struct slurm_tools_call *c = fake_call(&w->tools, FAKE_JOB);
	assert_int_equal(c->number, 53);
	fake_says(c, e,
		&(struct slurm_tools_told){ .jobs = &job, .n = 1, .from_accounts = from_accounts });
	sim_loop_pass(&w->loop, 0);
}

static void also_when_its_number_is_another_job(void **state)
{
	struct world *w = *state;
	accepted(w);
	slurmctld_is_killed_now(w, 60);
	struct call *c = submit(w, 1, "k");
	slurm_says(w, FAKE_FIND, OK, 0);
	number_53_is(w, OK, "somebody else's", w->slurmctld.boot_s + 1, false);
	slurm_says(w, FAKE_SUBMIT, OK, 60);
	got(c, 60);
	assert_int_equal(sbatches(w), 2);
}

static void a_job_whose_comment_was_changed_is_not_run_again(void **state)
{
	struct world *w = *state;
	accepted(w);
	slurmctld_is_killed_now(w, 60);
	struct call *c = submit(w, 1, "k");
	slurm_says(w, FAKE_FIND, OK, 0);
	number_53_is(w, OK, "for the accounts of the group", now_s(w) - 2, false);
	got(c, 53);
	assert_int_equal(sbatches(w), 1);
	assert_int_equal(journal_find(w->journal, "k").noted, SUBMISSION_ACCEPTED);
}

/* The answer of sbatch was lost; a later call found the job by its key. */
static void nor_one_that_was_found_long_after_it_was_submitted(void **state)
{
	struct world *w = *state;
	int64_t submitted_s = now_s(w);
	submit(w, 0, "k");
	slurm_says(w, FAKE_SUBMIT, lost, 0);
	sim_loop_pass(&w->loop, SUBMISSION_SETTLE_MS);
	struct call *c = submit(w, 1, "k");
	slurm_says(w, FAKE_FIND, OK, 53);
	got(c, 53);
	sim_loop_pass(&w->loop, 5000);
	slurmctld_is_killed_now(w, 60);
	c = submit(w, 2, "k");
	slurm_says(w, FAKE_FIND, OK, 0);
	number_53_is(w, OK, "for the accounts of the group", submitted_s, false);
	got(c, 53);
	assert_int_equal(sbatches(w), 1);
}

/* "#SBATCH --wait": sbatch tells the number at once, and is given up after a minute. */
static void nor_one_whose_sbatch_waited_for_its_end(void **state)
{
	struct world *w = *state;
	int64_t submitted_s = now_s(w);
	struct call *c = submit(w, 0, "k");
	sim_loop_pass(&w->loop, 61000);
	slurm_says(w, FAKE_SUBMIT, OK, 53);
	got(c, 53);
	sim_loop_pass(&w->loop, 2000);
	slurmctld_is_killed_now(w, 60);
	c = submit(w, 1, "k");
	slurm_says(w, FAKE_FIND, OK, 0);
	number_53_is(w, OK, "by the site", submitted_s, false);
	got(c, 53);
	assert_int_equal(sbatches(w), 1);
}

/* An id below 0: its scontrol does not print NEXT_JOB_ID. */
/* Acceptance: rule-2 */
static void nor_one_of_a_slurmctld_that_does_not_tell_its_next_id(void **state)
{
	struct world *w = *state;
	accepted(w);
	slurmctld_is_killed_now(w, -1);
	struct call *c = submit(w, 1, "k");
	slurm_says(w, FAKE_FIND, OK, 0);
	number_53_is(w, OK, "for the accounts of the group", now_s(w) - 2, false);
	got(c, 53);
	assert_int_equal(sbatches(w), 1);
}

static void what_has_its_number_otherwise_is_another_job(void **state)
{
	static const struct {
		const char *comment;
		int64_t submitted_s; /* after slurmctld was started */
		bool accounts;
	} rows[] = { { "", 1, false }, { "", -SUBMISSION_KEEP_S - 100, false },
		{ "other", -2, false }, { "", -2, true } };
	for (size_t i = 0; i < LENGTH(rows); i++) {
		if (i) {
			free_world(state);
			given_an_old_journal(state);
		}
		struct world *w = *state;
		accepted(w);
		assert_false(failed(is_begun(w->journal, "other")));
		slurmctld_is_killed_now(w, 60);
		struct call *c = submit(w, 1, "k");
		slurm_says(w, FAKE_FIND, OK, 0);
		number_53_is(w, OK, rows[i].comment, now_s(w) + rows[i].submitted_s,
			rows[i].accounts);
		slurm_says(w, FAKE_SUBMIT, OK, 60);
		got(c, 60);
	}
}

static void while_its_number_cannot_be_shown_nothing_is_submitted(void **state)
{
	struct world *w = *state;
	accepted(w);
	slurmctld_is_killed_now(w, 60);
	struct call *c = submit(w, 1, "k");
	slurm_says(w, FAKE_FIND, OK, 0);
	number_53_is(w, down, "", 0, false);
	got(c, 53);
	c = look(w, 2, "k");
	slurm_says(w, FAKE_FIND, OK, 0);
	number_53_is(w, down, "", 0, false);
	failed_with(c, ERR_RETRY);
	assert_int_equal(sbatches(w), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		OLD(also_when_its_number_is_another_job),
		OLD(a_job_whose_comment_was_changed_is_not_run_again),
		OLD(nor_one_that_was_found_long_after_it_was_submitted),
		OLD(nor_one_whose_sbatch_waited_for_its_end),
		OLD(nor_one_of_a_slurmctld_that_does_not_tell_its_next_id),
		OLD(what_has_its_number_otherwise_is_another_job),
		OLD(while_its_number_cannot_be_shown_nothing_is_submitted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
