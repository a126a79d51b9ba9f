/* SPDX-License-Identifier: Apache-2.0 */
/* A key stands for what was submitted with it: other content is refused, in words. */
#include "lib/submit_world.h"

#include "redbox/submit/journal_parts.h"

static struct call *submit_content(struct world *w, size_t number, const char *key, int64_t content)
{
	w->content = content;
	return submit(w, number, key);
}

static void is_refused(const struct call *c)
{
	failed_with(c, ERR_EXISTS);
	if (!strstr(c->err.text, "has been used for another job") ||
		!strstr(c->err.text, "use a client_id of its own for each job, or none"))
		fail_msg("%s", c->err.text);
}

static void given_job_of(struct world *w, int64_t content)
{
	struct call *c = submit_content(w, 0, "k", content);
	slurm_says(w, FAKE_SUBMIT, OK, 53);
	got(c, 53);
}

static void another_script_is_another_job(void **state)
{
	struct world *w = *state;
	given_job_of(w, 7);
	is_refused(submit_content(w, 1, "k", 8));
	got(submit_content(w, 1, "k", 7), 53);
	time_passes(w, 40000); /* now its number counts for good */
	is(w, SUBMISSION_DONE);
	is_refused(submit_content(w, 1, "k", 8));
	got(submit_content(w, 1, "k", 7), 53);
	assert_int_equal(sbatches(w), 1);
	assert_int_equal(questions(w), 0);
}

static void it_stands_for_it_after_a_restart(void **state)
{
	struct world *w = *state;
	given_job_of(w, -7);
	for (int i = 0; i < 2; i++) { /* as the lines came, and written anew */
		restarted(w);
		is_refused(submit_content(w, 1, "k", 8));
		got(submit_content(w, 1, "k", -7), 53);
	}
	time_passes(w, 40000);
	is(w, SUBMISSION_DONE);
	restarted(w);
	is_refused(submit_content(w, 1, "k", 8));
	assert_int_equal(sbatches(w), 1);
}

/* The call waits for sbatch: that is no answer for another job. */
static void a_call_with_other_content_does_not_join(void **state)
{
	struct world *w = *state;
	struct call *first = submit_content(w, 0, "k", 7);
	is_refused(submit_content(w, 1, "k", 8));
	struct call *same = submit_content(w, 2, "k", 7), *question = look(w, 3, "k");
	slurm_says(w, FAKE_SUBMIT, OK, 53);
	got(first, 53);
	got(same, 53);
	got(question, 53);
	assert_int_equal(sbatches(w), 1);
}

/* Two calls in one turn of the loop, and a question with each. */
static void nor_in_the_turn_of_the_first(void **state)
{
	struct world *w = *state;
	const struct submit_ask other = { { "#!/bin/sh\n", "debug", "k" }, .content = 8 };
	struct call *first = &w->calls[0];
	first->wait = submitter_submit(w->submitter,
		&(struct submit_ask){ other.submission, .content = 7 }, told, first);
	submitter_submit(w->submitter, &other, told, &w->calls[1]);
	submitter_look(w->submitter, "k", 0, DOUBT_NONE, told, &w->calls[2]);
	slurmctld_answers(w);
	is_refused(&w->calls[1]);
	slurm_says(w, FAKE_SUBMIT, OK, 53);
	got(first, 53);
	got(&w->calls[2], 53);
}

static void a_question_that_joined_such_a_call_comes_again(void **state)
{
	struct world *w = *state;
	given_job_of(w, 7);
	const struct submit_ask other = { { "#!/bin/sh\n", "debug", "k" }, .content = 8 };
	submitter_submit(w->submitter, &other, told, &w->calls[1]);
	submitter_look(w->submitter, "k", 0, DOUBT_NONE, told, &w->calls[2]);
	slurmctld_answers(w);
	is_refused(&w->calls[1]);
	failed_with(&w->calls[2], ERR_RETRY);
	got(look(w, 3, "k"), 53);
}

/* The sbatch of the key gave no answer: no other job is submitted, no Slurm asked. */
static void a_key_that_was_begun_stands_for_what_was_begun(void **state)
{
	struct world *w = *state;
	submit_content(w, 0, "k", 7);
	slurm_says(w, FAKE_SUBMIT, lost, 0);
	restarted(w);
	is_refused(submit_content(w, 1, "k", 8));
	assert_int_equal(questions(w), 0);
	struct call *c = submit_content(w, 1, "k", 7);
	slurm_says(w, FAKE_FIND, OK, 53);
	got(c, 53);
	is_refused(submit_content(w, 1, "k", 8)); /* also after its job was found */
}

/* A script with a fault in it is put right, and has no job. */
static void a_key_whose_job_slurm_refused_stands_for_nothing(void **state)
{
	struct world *w = *state;
	submit_content(w, 0, "k", 7);
	slurm_says(w, FAKE_SUBMIT, wrong, 0);
	restarted(w);
	struct call *c = submit_content(w, 1, "k", 8);
	slurm_says(w, FAKE_SUBMIT, OK, 54);
	got(c, 54);
	is_refused(submit_content(w, 2, "k", 7));
}

/* slurmctld has lost the job, and refuses it now. */
static void a_key_that_has_had_a_job_stands_for_it(void **state)
{
	struct world *w = *state;
	given_job_of(w, 7);
	slurmctld_is_killed(w, 50);
	submit_content(w, 1, "k", 7);
	slurm_says(w, FAKE_FIND, OK, 0);
	slurm_says(w, FAKE_SUBMIT, wrong, 0);
	is(w, SUBMISSION_VOID);
	for (int i = 0; i < 2; i++) {
		is_refused(submit_content(w, 1, "k", 8));
		restarted(w);
	}
	submit_content(w, 1, "k", 7);
	slurm_says(w, FAKE_SUBMIT, OK, 60);
	got(&w->calls[1], 60);
}

static void a_closed_key_stands_for_its_job(void **state)
{
	struct world *w = *state;
	given_job_of(w, 7);
	submitter_close(w->submitter, "k", told, &w->calls[1]);
	sim_loop_pass(&w->loop, 0);
	for (int i = 0; i < 2; i++) {
		is_refused(submit_content(w, 2, "k", 8));
		got(submit_content(w, 2, "k", 7), 53);
		restarted(w);
	}
}

/* An older red-box noted none, and a question has none. */
static void what_is_not_known_is_not_different(void **state)
{
	struct world *w = *state;
	given_job_of(w, 0);
	got(submit_content(w, 1, "k", 8), 53);
	got(submit_content(w, 1, "k", 9), 53);
	submit_content(w, 2, "l", 7);
	slurm_says(w, FAKE_SUBMIT, OK, 54);
	got(submit_content(w, 1, "l", 0), 54);
	got(look(w, 1, "l"), 54);
	assert_int_equal(sbatches(w), 2);
}

/* The journal was lost: the content of the job that is found is unknown. */
static void a_job_that_is_found_takes_no_content(void **state)
{
	struct world *w = *state;
	w->known_id = 53;
	struct call *c = submit_content(w, 0, "k", 8);
	slurm_says(w, FAKE_FIND, OK, 53);
	got(c, 53);
	got(submit_content(w, 1, "k", 7), 53);
	assert_int_equal(journal_find(w->journal, "k").content, 0);
}

static void without_a_key_content_is_not_looked_at(void **state)
{
	struct world *w = *state;
	for (int i = 0; i < 2; i++) {
		struct call *c = submit_content(w, 0, NULL, 7 + i);
		slurm_says(w, FAKE_SUBMIT, OK, 53 + i);
		got(c, 53 + i);
	}
}

/* ---- the journal ---- */

static void lines_of_before_are_read_as_before(void **state)
{
	struct world *w = *state;
	AUTO(str_free) struct str text = { 0 };
	const struct journal_line lines[] = {
		{ .step = JOURNAL_WHOLE, .wall_s = 5 },
		{ .step = JOURNAL_BEGIN, .wall_s = loop_wall_ms(&w->loop.loop) / 1000, .key = "b" },
		{ .step = JOURNAL_DONE,
			.wall_s = loop_wall_ms(&w->loop.loop) / 1000,
			.job_id = 53,
			.key = "k" },
	};
	for (size_t i = 0; i < LENGTH(lines); i++)
		journal_line_add(&text, &lines[i]);
	end(w);
	folder_put(&w->folder, "journal", "w", str_text(&text));
	begin(w);
	assert_true(journal_vouches(w->journal));
	got(submit_content(w, 1, "k", 8), 53);
	assert_int_equal(journal_find(w->journal, "b").content, 0);
}

/* The machine dies between the two lines of a key: it has begun, with unknown content. */
static void a_line_that_is_torn_leaves_the_content_unknown(void **state)
{
	struct world *w = *state;
	submit_content(w, 0, "k", 7);
	end(w);
	AUTO(own_free) char *text = folder_get(&w->folder, "journal");
	text[strlen(text) - 3] = '\0';
	folder_put(&w->folder, "journal", "w", text);
	begin(w);
	is(w, SUBMISSION_BEGUN);
	assert_true(journal_vouches(w->journal));
	assert_int_equal(journal_find(w->journal, "k").content, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		OLD(another_script_is_another_job),
		OLD(it_stands_for_it_after_a_restart),
		OLD(a_call_with_other_content_does_not_join),
		OLD(nor_in_the_turn_of_the_first),
		OLD(a_question_that_joined_such_a_call_comes_again),
		OLD(a_key_that_was_begun_stands_for_what_was_begun),
		OLD(a_key_whose_job_slurm_refused_stands_for_nothing),
		OLD(a_key_that_has_had_a_job_stands_for_it),
		OLD(a_closed_key_stands_for_its_job),
		OLD(what_is_not_known_is_not_different),
		OLD(a_job_that_is_found_takes_no_content),
		OLD(without_a_key_content_is_not_looked_at),
		OLD(lines_of_before_are_read_as_before),
		OLD(a_line_that_is_torn_leaves_the_content_unknown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
