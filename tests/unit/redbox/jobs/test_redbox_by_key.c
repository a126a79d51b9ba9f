/* SPDX-License-Identifier: Apache-2.0 */
/* CancelJob and JobInfo by a key: which job is meant, whatever has its number. */
#include "lib/redbox_key.h"

#include "wlm/wlm.pb-c.h"

static void job_53_is_shown(struct world *w, const char *comment)
{
	const struct slurm_job_shown job = { .id = 53, .state = "RUNNING", .comment = comment };
	struct slurm_tools_call *c = tool(w, FAKE_JOB);
	assert_int_equal(c->number, 53);
	fake_says(c, OK, &(struct slurm_tools_told){ .jobs = &job, .n = 1 });
}

static void slurmctld_was_started_anew(struct world *w)
{
	const struct slurm_tools_told told = { .controller = { 2000, 53, 300 } };
	fake_says(tool(w, FAKE_CONTROLLER), OK, &told);
	fake_says(tool(w, FAKE_FIND), OK, NULL);
}

static void a_job_is_asked_for_by_its_client_id(void **state)
{
	struct world *w = *state;
	given_a_submission(w);
	struct reply *r = whole_call(w, "JobInfo", BY_KEY, 3);
	job_53_is_shown(w, "k");
	ends(r, GRPC_OK, "");
	size_t n;
	const void *bytes = reply_message(r, 0, &n);
	Api__JobInfoResponse *m = api__job_info_response__unpack(NULL, n, bytes);
	assert_string_equal(m->info[0]->id, "53");
	assert_string_equal(m->info[0]->client_id, "k");
	assert_string_equal(m->info[0]->state, "RUNNING");
	api__job_info_response__free_unpacked(m, NULL);
}

/* Acceptance: red-box-28 */
static void a_number_that_is_another_job_by_now_is_not_it(void **state)
{
	struct world *w = *state;
	given_a_submission(w);
	struct reply *r = whole_call(w, "JobInfo", BY_KEY, 3);
	job_53_is_shown(w, "other");
	slurmctld_was_started_anew(w);
	ends(r, GRPC_NOT_FOUND, "Slurm has no job of this client_id");
}

static void a_key_that_was_never_submitted_has_no_job(void **state)
{
	struct world *w = *state;
	struct reply *r = whole_call(w, "JobInfo", BY_KEY, 3);
	fake_says(tool(w, FAKE_FIND), OK, NULL);
	ends(r, GRPC_NOT_FOUND, "Slurm has no job of this client_id");
	ends(whole_call(w, "JobInfo",
		     "\x12\x03"
		     "a b",
		     5),
		GRPC_INVALID_ARGUMENT, "letters");
}

static void only_the_job_of_its_client_id_is_cancelled(void **state)
{
	struct world *w = *state;
	given_a_submission(w);
	struct reply *r = whole_call(w, "CancelJob", BY_KEY, 3);
	slurmctld_lives(w);
	struct slurm_tools_call *c = tool(w, FAKE_CANCEL);
	assert_int_equal(c->number, 53);
	fake_says(c, OK, NULL);
	answers(r, "", 0);
	r = whole_call(w, "CancelJob", BY_KEY, 3);
	slurmctld_was_started_anew(w);
	ends(r, GRPC_NOT_FOUND, "Slurm has no job of this client_id");
	assert_int_equal(w->tools.seen[FAKE_CANCEL], 1);
}

/* ---- a number that counts for good, and is another job by now ---- */

static void job_53_is_of(struct world *w, const char *comment, const char *user)
{
	const struct slurm_job_shown job = {
		.id = 53, .state = "RUNNING", .comment = comment, .user = user
	};
	fake_says(tool(w, FAKE_JOB), OK, &(struct slurm_tools_told){ .jobs = &job, .n = 1 });
}

/* Acceptance: red-box-28 */
static void the_job_that_has_its_number_now_is_left_alone(void **state)
{
	static const char *const methods[] = { "CancelJob", "JobInfo" };
	struct world *w = *state;
	given_a_settled_job(w);
	assert_false(failed(is_accepted(w->journal, "other", 53, 2000)));
	assert_false(failed(is_begun(w->journal, "new")));
	for (size_t i = 0; i < LENGTH(methods); i++) {
		struct reply *r = whole_call(w, methods[i], BY_KEY, 3);
		job_53_is_of(w, i ? "new" : "other by hand", "");
		slurmctld_was_started_anew(w);
		ends(r, GRPC_FAILED_PRECONDITION, "now belongs to another job");
	}
	assert_int_equal(w->tools.seen[FAKE_CANCEL], 0);
	assert_int_equal(w->tools.seen[FAKE_SUBMIT], 1);
}

/* A task has a number of its own; the journal has that of its array. */
/* Acceptance: red-box-28 */
static void a_task_that_has_its_number_now_is_left_alone(void **state)
{
	struct world *w = *state;
	const struct slurm_job_shown task = {
		.id = 53, .array_id = "51", .state = "RUNNING", .comment = "other", .user = ""
	};
	given_a_settled_job(w);
	assert_false(failed(is_begun(w->journal, "other")));
	assert_false(failed(is_accepted(w->journal, "other", 51, 2000)));
	struct reply *r = whole_call(w, "CancelJob", BY_KEY, 3);
	fake_says(tool(w, FAKE_JOB), OK, &(struct slurm_tools_told){ .jobs = &task, .n = 1 });
	slurmctld_was_started_anew(w);
	ends(r, GRPC_FAILED_PRECONDITION, "now belongs to another job");
	assert_int_equal(w->tools.seen[FAKE_CANCEL], 0);
}

/*
 * Likewise a component of a heterogeneous job: the journal has the number of the first
 * one. Found by the simulator (seed 5002922).
 */
/* Acceptance: red-box-28 */
static void a_component_that_has_its_number_now_is_left_alone(void **state)
{
	struct world *w = *state;
	const struct slurm_job_shown component = { .id = 53,
		.array_id = "",
		.het_id = "52",
		.state = "RUNNING",
		.comment = "other",
		.user = "" };
	given_a_settled_job(w);
	assert_false(failed(is_begun(w->journal, "other")));
	assert_false(failed(is_accepted(w->journal, "other", 52, 2000)));
	struct reply *r = whole_call(w, "CancelJob", BY_KEY, 3);
	fake_says(tool(w, FAKE_JOB), OK, &(struct slurm_tools_told){ .jobs = &component, .n = 1 });
	slurmctld_was_started_anew(w);
	ends(r, GRPC_FAILED_PRECONDITION, "now belongs to another job");
	assert_int_equal(w->tools.seen[FAKE_CANCEL], 0);
}

static void its_job_is_found_under_another_number(void **state)
{
	struct world *w = *state;
	const struct slurm_tools_told lives = { .controller = { 2000, 60, 300 } };
	const struct slurm_job_found found = { .id = 57, .submit_s = 1, .key = "k" };
	given_a_settled_job(w);
	assert_false(failed(is_begun(w->journal, "other")));
	struct reply *r = whole_call(w, "CancelJob", BY_KEY, 3);
	job_53_is_of(w, "other", "");
	fake_says(tool(w, FAKE_CONTROLLER), OK, &lives);
	fake_says(tool(w, FAKE_FIND), OK, &(struct slurm_tools_told){ .found = &found, .n = 1 });
	struct slurm_tools_call *c = tool(w, FAKE_CANCEL);
	assert_int_equal(c->number, 57);
	fake_says(c, OK, NULL);
	answers(r, "", 0);
}

static void while_nobody_can_look_for_it_nothing_is_done(void **state)
{
	struct world *w = *state;
	const struct err away = err_new(ERR_RETRY, "slurmctld is away");
	given_a_settled_job(w);
	assert_false(failed(is_begun(w->journal, "other")));
	struct reply *r = whole_call(w, "CancelJob", BY_KEY, 3);
	fake_says(tool(w, FAKE_JOB), away, NULL);
	ends(r, GRPC_UNAVAILABLE, "still the job of the client_id: slurmctld is away");
	r = whole_call(w, "JobInfo", BY_KEY, 3);
	job_53_is_of(w, "other", "");
	fake_says(tool(w, FAKE_CONTROLLER), away, NULL);
	fake_says(tool(w, FAKE_FIND), away, NULL);
	ends(r, GRPC_UNAVAILABLE, "the result of an earlier call");
	assert_int_equal(w->tools.seen[FAKE_CANCEL], 0);
}

/* A plug-in of the site writes comments, and one may be a key of another job. */
static void a_comment_that_says_nothing_of_another_job_does_not_count(void **state)
{
	static const char *const comments[] = { "k", "project=7", "", "elsewhere", "k, other" };
	struct world *w = *state;
	given_a_settled_job(w);
	assert_false(failed(is_begun(w->journal, "other")));
	assert_false(failed(journal_done(w->journal, "elsewhere", 54)));
	for (size_t i = 0; i < LENGTH(comments); i++) {
		struct reply *r = whole_call(w, "CancelJob", BY_KEY, 3);
		job_53_is_of(w, comments[i], "");
		fake_says(tool(w, FAKE_CANCEL), OK, NULL);
		answers(r, "", 0);
	}
	struct reply *r = whole_call(w, "JobInfo", BY_KEY, 3);
	job_53_is_of(w, comments[1], "");
	ends(r, GRPC_OK, "");
}

static void one_that_slurm_has_forgotten_is_cancelled_all_the_same(void **state)
{
	struct world *w = *state;
	given_a_settled_job(w);
	struct reply *r = whole_call(w, "CancelJob", BY_KEY, 3);
	fake_says(tool(w, FAKE_JOB), err_new(ERR_NOT_FOUND, "no such job"), NULL);
	fake_says(tool(w, FAKE_CANCEL), OK, NULL);
	answers(r, "", 0);
}

/* As a user other than root: a job that root submits may run as another user. */
static void a_job_of_another_user_is_not_it(void **state)
{
	struct world *w = *state;
	bool root = geteuid() == 0;
	char self[32], other[32];
	given_a_settled_job(w);
	if (root && seteuid(1000) != 0)
		skip();
	snprintf(self, sizeof(self), "alice(%d)", (int)geteuid());
	snprintf(other, sizeof(other), "bob(%d)", (int)geteuid() + 1);
	struct reply *r = whole_call(w, "JobInfo", BY_KEY, 3);
	job_53_is_of(w, "k", other);
	slurmctld_was_started_anew(w);
	ends(r, GRPC_FAILED_PRECONDITION, "now belongs to another job");
	r = whole_call(w, "JobInfo", BY_KEY, 3);
	job_53_is_of(w, "(null)", self);
	ends(r, GRPC_OK, "");
	if (!root)
		return;
	assert_int_equal(seteuid(0), 0);
	r = whole_call(w, "JobInfo", BY_KEY, 3);
	job_53_is_of(w, "k", other);
	ends(r, GRPC_OK, "");
}

/* ---- a key that is closed ---- */

static void a_key_that_is_closed_gets_no_job_any_more(void **state)
{
	struct world *w = *state;
	answers(whole_call(w, "CloseSubmission", "\x0a\x01k", 3), "", 0);
	struct reply *r = whole_call(w, "SubmitJob", "\x0a\x01x\x1a\x01k", 6);
	fake_says(tool(w, FAKE_FIND), OK, NULL); /* the journal is young */
	ends(r, GRPC_FAILED_PRECONDITION, "this client_id was closed");
	assert_int_equal(w->tools.seen[FAKE_SUBMIT], 0);
	ends(whole_call(w, "CloseSubmission", "", 0), GRPC_INVALID_ARGUMENT, "letters");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KEY_TEST(a_job_is_asked_for_by_its_client_id),
		KEY_TEST(a_number_that_is_another_job_by_now_is_not_it),
		KEY_TEST(a_key_that_was_never_submitted_has_no_job),
		KEY_TEST(only_the_job_of_its_client_id_is_cancelled),
		KEY_TEST(the_job_that_has_its_number_now_is_left_alone),
		KEY_TEST(a_task_that_has_its_number_now_is_left_alone),
		KEY_TEST(a_component_that_has_its_number_now_is_left_alone),
		KEY_TEST(its_job_is_found_under_another_number),
		KEY_TEST(while_nobody_can_look_for_it_nothing_is_done),
		KEY_TEST(a_comment_that_says_nothing_of_another_job_does_not_count),
		KEY_TEST(one_that_slurm_has_forgotten_is_cancelled_all_the_same),
		KEY_TEST(a_job_of_another_user_is_not_it),
		KEY_TEST(a_key_that_is_closed_gets_no_job_any_more),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
