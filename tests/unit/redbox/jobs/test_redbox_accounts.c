/* SPDX-License-Identifier: Apache-2.0 */
/* JobInfo and CancelJob of a job that only the accounts have, with its number reused. */
#include "lib/redbox_key.h"

#include "wlm/wlm.pb-c.h"

/* The job has ended, and another job has its number now. */
static void the_accounts_have_job_53(struct world *w, int64_t submit_s)
{
	const struct slurm_job_found found = {
		.id = 53, .submit_s = 7, .in_accounts = true, .key = "k"
	};
	const struct slurm_job_shown other = {
		.id = 53, .state = "RUNNING", .comment = "by hand", .submit_s = submit_s
	};
	const struct slurm_job_shown own = {
		.id = 53, .state = "TIMEOUT", .comment = "", .submit_s = 7
	};
	fake_says(tool(w, FAKE_FIND), OK, &(struct slurm_tools_told){ .found = &found, .n = 1 });
	fake_says(tool(w, FAKE_JOB), OK, &(struct slurm_tools_told){ .jobs = &other, .n = 1 });
	fake_says(tool(w, FAKE_ACCOUNT), OK,
		&(struct slurm_tools_told){ .jobs = &own, .n = 1, .from_accounts = true });
}

/* Acceptance: red-box-28 */
static void its_own_end_is_told_whatever_has_its_number(void **state)
{
	struct world *w = *state;
	const struct slurm_job_shown own = {
		.id = 53, .state = "TIMEOUT", .comment = "", .submit_s = 7
	};
	slurmctld_lives(w);
	struct reply *r = whole_call(w, "JobInfo", BY_KEY, 3);
	the_accounts_have_job_53(w, 2000);
	fake_says(tool(w, FAKE_ACCOUNT), OK,
		&(struct slurm_tools_told){ .jobs = &own, .n = 1, .from_accounts = true });
	ends(r, GRPC_OK, "");
	size_t n;
	const void *bytes = reply_message(r, 0, &n);
	Api__JobInfoResponse *m = api__job_info_response__unpack(NULL, n, bytes);
	assert_string_equal(m->info[0]->client_id, "k");
	assert_string_equal(m->info[0]->state, "TIMEOUT");
	api__job_info_response__free_unpacked(m, NULL);
}

/*
 * JobInfo of key k: the number of its job shows something else, and its own end, of that
 * time, is found behind it. next_id: of slurmctld.
 */
static void its_own_end_is_told(struct world *w, const struct slurm_tools_told *shown,
	int64_t submit_s, int64_t next_id)
{
	const struct slurm_job_found found = {
		.id = 53, .submit_s = submit_s, .in_accounts = true, .key = "k"
	};
	const struct slurm_job_shown own = {
		.id = 53, .state = "TIMEOUT", .comment = "", .submit_s = submit_s
	};
	const struct slurm_tools_told end = { .jobs = &own, .n = 1, .from_accounts = true };
	struct reply *r = whole_call(w, "JobInfo", BY_KEY, 3);
	fake_says(tool(w, FAKE_JOB), OK, shown);
	fake_says(tool(w, FAKE_CONTROLLER), OK,
		&(struct slurm_tools_told){ .controller = { 2000, next_id, 300 } });
	fake_says(tool(w, FAKE_FIND), OK, &(struct slurm_tools_told){ .found = &found, .n = 1 });
	fake_says(tool(w, FAKE_JOB), OK, shown);
	for (int i = 0; i < 2; i++)
		fake_says(tool(w, FAKE_ACCOUNT), OK, &end);
	ends(r, GRPC_OK, "");
}

/* slurmctld has forgotten the other one too, and the accounts tell no comments. */
/* Acceptance: red-box-28 */
static void of_two_that_had_a_number_each_has_its_own_end(void **state)
{
	struct world *w = *state;
	const struct slurm_job_shown last = {
		.id = 53, .state = "COMPLETED", .comment = "", .submit_s = 2000
	};
	const struct slurm_tools_told told = { .jobs = &last, .n = 1, .from_accounts = true };
	given_a_settled_job(w);
	assert_false(failed(journal_done(w->journal, "other", 53)));
	its_own_end_is_told(w, &told, 7, 60);
}

/* slurmctld was killed between the two questions, and has lost it. */
/* Acceptance: red-box-28 */
static void nor_is_another_job_told_that_got_its_number_meanwhile(void **state)
{
	struct world *w = *state;
	const struct slurm_job_found found = { .id = 53, .submit_s = 7, .key = "k" };
	const struct slurm_job_shown other = {
		.id = 53, .state = "TIMEOUT", .comment = "other", .submit_s = 2000
	};
	given_a_submission(w);
	assert_false(failed(journal_done(w->journal, "other", 53)));
	struct reply *r = whole_call(w, "JobInfo", BY_KEY, 3);
	const struct slurm_tools_told told = { .jobs = &other, .n = 1 };
	fake_says(tool(w, FAKE_JOB), OK, &told);
	fake_says(tool(w, FAKE_CONTROLLER), OK,
		&(struct slurm_tools_told){ .controller = { 2000, 60, 300 } });
	fake_says(tool(w, FAKE_FIND), OK, &(struct slurm_tools_told){ .found = &found, .n = 1 });
	fake_says(tool(w, FAKE_JOB), OK, &told);
	ends(r, GRPC_UNAVAILABLE, "its job id now belongs to another job");
}

/*
 * slurmctld began without any state and gave the number again. slurmctld lost that job
 * before any client got its number, and the accounts wait for its end ever since.
 */
static const struct slurm_job_shown endless = {
	.id = 53, .state = "RUNNING", .comment = "", .submit_s = 2000
};

static void the_accounts_tell_of_an_endless_job(struct world *w)
{
	fake_says(tool(w, FAKE_JOB), OK,
		&(struct slurm_tools_told){ .jobs = &endless, .n = 1, .from_accounts = true });
}

/* Acceptance: red-box-28 */
static void its_own_end_is_found_behind_a_job_that_never_ends(void **state)
{
	struct world *w = *state;
	const struct slurm_tools_told told = { .jobs = &endless, .n = 1, .from_accounts = true };
	given_a_settled_job(w);
	its_own_end_is_told(w, &told, 7, 53);
}

/* slurmctld has forgotten it, and slurmdbd has not heard of its end yet. */
/* Acceptance: red-box-28 */
static void news_that_are_late_are_waited_for(void **state)
{
	struct world *w = *state;
	const struct slurm_job_found found = {
		.id = 53, .submit_s = 2000, .in_accounts = true, .key = "k"
	};
	given_a_settled_job(w);
	for (size_t n = 0; n < 2; n++) { /* with and without comments in the accounts */
		struct reply *r = whole_call(w, "JobInfo", BY_KEY, 3);
		the_accounts_tell_of_an_endless_job(w);
		fake_says(tool(w, FAKE_CONTROLLER), OK,
			&(struct slurm_tools_told){ .controller = { 2000, 60, 300 } });
		fake_says(tool(w, FAKE_FIND), OK,
			&(struct slurm_tools_told){ .found = &found, .n = n });
		if (n)
			the_accounts_tell_of_an_endless_job(w);
		ends(r, GRPC_UNAVAILABLE, "accounting shows no end of it");
	}
}

/* The other number was never reported; its job came later, and was never requeued. */
/* Acceptance: red-box-28 */
static void a_later_job_of_its_number_is_not_it(void **state)
{
	struct world *w = *state;
	const int64_t now_s = loop_wall_ms(w->loop) / 1000;
	const struct slurm_job_shown later = {
		.id = 53, .state = "FAILED", .comment = "", .restarts = "0", .submit_s = now_s + 600
	};
	const struct slurm_tools_told told = { .jobs = &later, .n = 1, .from_accounts = true };
	given_a_settled_job(w);
	its_own_end_is_told(w, &told, now_s, 60);
	assert_int_equal(w->tools.seen[FAKE_ACCOUNT], 2);
}

/* Slurm tells of one that was requeued when that was. */
/* Acceptance: red-box-28 */
static void its_own_end_may_be_that_of_a_requeue(void **state)
{
	struct world *w = *state;
	const int64_t now_s = loop_wall_ms(w->loop) / 1000;
	const char *const restarts[] = { "1", "" };
	given_a_settled_job(w);
	for (size_t i = 0; i < LENGTH(restarts); i++) {
		const struct slurm_job_shown own = { .id = 53,
			.state = "FAILED",
			.comment = "",
			.restarts = restarts[i],
			.submit_s = now_s + 600 };
		struct reply *r = whole_call(w, "JobInfo", BY_KEY, 3);
		fake_says(tool(w, FAKE_JOB), OK,
			&(struct slurm_tools_told){ .jobs = &own, .n = 1, .from_accounts = true });
		ends(r, GRPC_OK, "");
	}
}

/*
 * The end of the job is reported. Then slurmctld comes back with an old state, to which
 * the number is new, and a call arrives that was sent before: the job has run.
 */
/* Acceptance: red-box-28 */
static void what_was_told_to_have_ended_is_not_submitted_again(void **state)
{
	struct world *w = *state;
	const struct slurm_job_shown ended = { .id = 53, .state = "FAILED", .comment = "k" };
	given_a_submission(w);
	struct reply *r = whole_call(w, "JobInfo", BY_KEY, 3);
	fake_says(tool(w, FAKE_JOB), OK, &(struct slurm_tools_told){ .jobs = &ended, .n = 1 });
	ends(r, GRPC_OK, "");
	r = whole_call(w, "SubmitJob", "\x0a\x01x\x1a\x01k", 6);
	fake_says(tool(w, FAKE_CONTROLLER), OK,
		&(struct slurm_tools_told){ .controller = { 2000, 53, 300 } });
	fake_says(tool(w, FAKE_FIND), OK, NULL);
	ends(r, GRPC_FAILED_PRECONDITION, "it can never be known");
	assert_int_equal(w->tools.seen[FAKE_SUBMIT], 1);
}

/* Acceptance: red-box-28 */
static void what_has_its_number_is_not_cancelled(void **state)
{
	struct world *w = *state;
	slurmctld_lives(w);
	struct reply *r = whole_call(w, "CancelJob", BY_KEY, 3);
	the_accounts_have_job_53(w, 2000);
	answers(r, "", 0);
	assert_int_equal(w->tools.seen[FAKE_CANCEL], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KEY_TEST(its_own_end_is_told_whatever_has_its_number),
		KEY_TEST(of_two_that_had_a_number_each_has_its_own_end),
		KEY_TEST(nor_is_another_job_told_that_got_its_number_meanwhile),
		KEY_TEST(its_own_end_is_found_behind_a_job_that_never_ends),
		KEY_TEST(news_that_are_late_are_waited_for),
		KEY_TEST(a_later_job_of_its_number_is_not_it),
		KEY_TEST(its_own_end_may_be_that_of_a_requeue),
		KEY_TEST(what_was_told_to_have_ended_is_not_submitted_again),
		KEY_TEST(what_has_its_number_is_not_cancelled),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
