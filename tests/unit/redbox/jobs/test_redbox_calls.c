/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of jobs as a client sees them. */
#include "lib/redbox_world.h"

#include "wlm/wlm.pb-c.h"

/* ---- jobs ---- */

static void a_job_is_submitted(void **state)
{
	struct world *w = *state;
	struct reply *r = whole_call(w, "SubmitJob",
		"\x0a\x01x\x12\x05"
		"debug",
		10);
	struct slurm_tools_call *c = tool(w, FAKE_SUBMIT);
	assert_string_equal(c->script, "x");
	assert_string_equal(c->partition, "debug");
	assert_null(c->key);
	fake_says(c, OK, &(struct slurm_tools_told){ .job_id = 53 });
	answers(r, "\x08\x35", 2);
}

static void a_key_is_looked_at_first(void **state)
{
	struct world *w = *state;
	slurmctld_lives(w);
	ends(whole_call(w, "SubmitJob", "", 0), GRPC_INVALID_ARGUMENT, "the script is empty");
	ends(whole_call(w, "SubmitJob",
		     "\x0a\x01x\x1a\x03"
		     "a b",
		     8),
		GRPC_INVALID_ARGUMENT, "letters");
	struct reply *r = whole_call(w, "SubmitJob", "\x0a\x01x\x1a\x01k", 6);
	fake_says(tool(w, FAKE_FIND), OK, NULL); /* the journal is young */
	fake_says(tool(w, FAKE_SUBMIT), OK, &(struct slurm_tools_told){ .job_id = 53 });
	answers(r, "\x08\x35", 2);
	r = whole_call(w, "SubmitJob", "\x0a\x01x\x1a\x01k", 6);
	slurmctld_lives(w);
	answers(r, "\x08\x35", 2);
	assert_int_equal(w->tools.seen[FAKE_SUBMIT], 1);
}

/* A name of that many letters, or this name. */
static void is_no_partition(struct world *w, size_t letters, const char *name)
{
	AUTO(str_free) struct str partition = { 0 };
	for (size_t i = 0; i < letters; i++)
		str_add(&partition, "p");
	str_add(&partition, name);
	PACKED(Api__SubmitJobRequest, API__SUBMIT_JOB_REQUEST__INIT,
		m_.script = (char *)(uintptr_t)"x", m_.partition = partition.text);
	ends(whole_call(w, "SubmitJob", request.text, request.len), GRPC_INVALID_ARGUMENT,
		"a partition has 1024 bytes at most");
	str_free(&request);
}

/* Acceptance: red-box-21 */
static void a_partition_is_looked_at_first(void **state)
{
	struct world *w = *state;
	is_no_partition(w, 1024, "p");
	is_no_partition(w, 200000, "");
	is_no_partition(w, 0, "a\nb");
	ends(whole_call(w, "Resources",
		     "\x0a\x03"
		     "a\nb",
		     5),
		GRPC_INVALID_ARGUMENT, "no control characters");
	assert_int_equal(w->tools.seen[FAKE_SUBMIT], 0);
	assert_int_equal(w->tools.seen[FAKE_PARTITIONS], 0);
}

static void a_client_that_left_finds_its_job_again(void **state)
{
	struct world *w = *state;
	slurmctld_lives(w);
	struct reply *r = whole_call(w, "SubmitJob", "\x0a\x01x\x1a\x01k", 6);
	fake_says(tool(w, FAKE_FIND), OK, NULL);
	tool(w, FAKE_SUBMIT);
	client_cancel(r);
	for (int i = 0; i < 1000 && grpc_server_under_way(w->server); i++)
		client_turn(w->client);
	assert_int_equal(grpc_server_under_way(w->server), 0);
	fake_says(tool(w, FAKE_SUBMIT), OK, &(struct slurm_tools_told){ .job_id = 53 });
	r = whole_call(w, "SubmitJob", "\x0a\x01x\x1a\x01k", 6);
	slurmctld_lives(w);
	answers(r, "\x08\x35", 2);
}

/* The image x, the key u1, no options. */
static const char container[] = "\x0a\x01"
				"x\x3a\x02"
				"u1";

/* Acceptance: red-box-13 */
static void a_container_is_submitted_once(void **state)
{
	struct world *w = *state;
	slurmctld_lives(w);
	struct reply *r = whole_call(w, "SubmitJobContainer", container, sizeof(container) - 1);
	fake_says(tool(w, FAKE_FIND), OK, NULL); /* the journal is young */
	struct slurm_tools_call *submit = tool(w, FAKE_SUBMIT);
	assert_string_equal(submit->key, "u1");
	assert_non_null(strstr(submit->script, "\nsrun singularity run 'red-box-"));
	fake_says(submit, OK, &(struct slurm_tools_told){ .job_id = 53 });
	answers(r, "\x08\x35", 2);
	r = whole_call(w, "SubmitJobContainer", container, sizeof(container) - 1);
	slurmctld_lives(w);
	answers(r, "\x08\x35", 2);
	assert_int_equal(w->tools.seen[FAKE_SUBMIT], 1);
}

/* Another script, another partition, and a container with the key of a script. */
/* Acceptance: red-box-34 */
static void a_key_that_is_used_for_another_job_is_refused(void **state)
{
	static const struct {
		const char *method, *bytes;
	} others[] = {
		{ "SubmitJob", "\x0a\x01y\x1a\x01k" },
		{ "SubmitJob", "\x0a\x01x\x12\x01p\x1a\x01k" },
		{ "SubmitJobContainer", "\x0a\x01x\x3a\x01k" },
	};
	struct world *w = *state;
	slurmctld_lives(w);
	struct reply *r = whole_call(w, "SubmitJob", "\x0a\x01x\x1a\x01k", 6);
	fake_says(tool(w, FAKE_FIND), OK, NULL); /* the journal is young */
	fake_says(tool(w, FAKE_SUBMIT), OK, &(struct slurm_tools_told){ .job_id = 53 });
	answers(r, "\x08\x35", 2);
	for (size_t i = 0; i < LENGTH(others); i++)
		ends(whole_call(w, others[i].method, others[i].bytes, strlen(others[i].bytes)),
			GRPC_FAILED_PRECONDITION,
			"this client_id has been used for another job (another script, partition "
			"or container), and stands for that one: nothing was submitted; use a "
			"client_id of its own for each job, or none: without one each call is a "
			"job");
	assert_int_equal(w->tools.seen[FAKE_SUBMIT], 1);
}

/* Acceptance: red-box-11 */
static void each_pulled_image_has_its_own_name(void **state)
{
	struct world *w = *state;
	AUTO(own_free) char *first = NULL;
	w->config.container_command = "apptainer";
	for (int i = 0; i < 2; i++) {
		struct reply *r = whole_call(w, "SubmitJobContainer", "\x0a\x01x", 3);
		struct slurm_tools_call *submit = tool(w, FAKE_SUBMIT);
		assert_non_null(strstr(submit->script, "apptainer pull"));
		if (first)
			assert_string_not_equal(first, submit->script);
		else
			first = own_strdup(submit->script);
		fake_says(submit, OK, &(struct slurm_tools_told){ .job_id = 53 });
		ends(r, GRPC_OK, "");
	}
}

static void a_job_is_cancelled(void **state)
{
	struct world *w = *state;
	struct reply *r = whole_call(w, "CancelJob", "\x08\x35", 2);
	struct slurm_tools_call *c = tool(w, FAKE_CANCEL);
	assert_int_equal(c->number, 53);
	fake_says(c, OK, NULL);
	answers(r, "", 0);
	r = whole_call(w, "CancelJob", "\x08\x35", 2);
	fake_says(tool(w, FAKE_CANCEL), err_new(ERR_DENIED, "it is not yours"), NULL);
	ends(r, GRPC_PERMISSION_DENIED, "CancelJob of job 53: it is not yours");
}

/* slurmctld lost it, or they have not heard of its end yet. */
static void accounts_by_which_a_job_runs_are_not_believed(void **state)
{
	struct world *w = *state;
	const struct slurm_job_shown job = { .id = 7, .state = "RUNNING" };
	struct slurm_tools_told told = { .jobs = &job, .n = 1, .from_accounts = true };
	struct reply *r = whole_call(w, "JobInfo", "\x08\x07", 2);
	fake_says(tool(w, FAKE_JOB), OK, &told);
	ends(r, GRPC_UNAVAILABLE, "accounting shows no end of it");
}

static void what_slurm_tells_of_a_job_comes_back(void **state)
{
	struct world *w = *state;
	const struct slurm_job_shown jobs[] = { { .id = 7, .state = "RUNNING" },
		{ .id = 8, .state = "PENDING" } };
	struct reply *r = whole_call(w, "JobInfo", "\x08\x07", 2);
	fake_says(tool(w, FAKE_JOB), OK, &(struct slurm_tools_told){ .jobs = jobs, .n = 2 });
	ends(r, GRPC_OK, "");
	size_t n;
	const void *bytes = reply_message(r, 0, &n);
	Api__JobInfoResponse *m = api__job_info_response__unpack(NULL, n, bytes);
	assert_non_null(m);
	assert_int_equal(m->n_info, 2);
	assert_string_equal(m->info[1]->id, "8");
	api__job_info_response__free_unpacked(m, NULL);
	r = whole_call(w, "JobInfo", "\x08\x07", 2);
	fake_says(tool(w, FAKE_JOB), OK, NULL);
	ends(r, GRPC_NOT_FOUND, "Slurm has no record of it");
}

/* Acceptance: word-23 */
static void steps_may_be_none(void **state)
{
	struct world *w = *state;
	struct reply *r = whole_call(w, "JobSteps", "\x08\x07", 2);
	fake_says(tool(w, FAKE_STEPS), OK, NULL);
	answers(r, "", 0);
}

static void partitions_come_in_slurms_order(void **state)
{
	struct world *w = *state;
	const struct slurm_partition_shown rows[] = { { .name = "b" }, { .name = "a" } };
	struct reply *r = whole_call(w, "Partitions", "", 0);
	struct slurm_tools_call *c = tool(w, FAKE_PARTITIONS);
	assert_null(c->key);
	fake_says(c, OK, &(struct slurm_tools_told){ .partitions = rows, .n = 2 });
	answers(r,
		"\x0a\x01"
		"b\x0a\x01"
		"a",
		6);
}

static void resources_are_merged(void **state)
{
	struct world *w = *state;
	const struct slurm_partition_shown row = { "debug", 8, 1, 512, 1800 };
	struct reply *r = whole_call(w, "Resources",
		"\x0a\x05"
		"debug",
		7);
	struct slurm_tools_call *c = tool(w, FAKE_PARTITIONS);
	assert_string_equal(c->key, "debug");
	fake_says(c, OK, &(struct slurm_tools_told){ .partitions = &row, .n = 1 });
	answers(r,
		"\x08\x02\x10\x01\x18\x80\x04\x20\x88\x0e\x2a\x0a\x0a\x04"
		"cuda\x12\x02"
		"10",
		22);
	ends(whole_call(w, "Resources", "", 0), GRPC_INVALID_ARGUMENT, "no partition");
}

/* Acceptance: red-box-25 */
static void the_version_is_told(void **state)
{
	struct world *w = *state;
	struct reply *r = whole_call(w, "WorkloadInfo", "", 0);
	fake_says(tool(w, FAKE_VERSION), OK, &(struct slurm_tools_told){ .version = "24.11.5" });
	ends(r, GRPC_OK, "");
	size_t n;
	const void *bytes = reply_message(r, 0, &n);
	Api__WorkloadInfoResponse *m = api__workload_info_response__unpack(NULL, n, bytes);
	assert_string_equal(m->name, "slurm");
	assert_string_equal(m->version, "24.11.5");
	assert_int_equal(m->uid, geteuid());
	api__workload_info_response__free_unpacked(m, NULL);
}

/* Acceptance: red-box-18 */
static void calls_without_sense_are_refused(void **state)
{
	struct world *w = *state;
	ends(whole_call(w, "JobInfo", "", 0), GRPC_INVALID_ARGUMENT, "number from 1 on");
	ends(whole_call(w, "JobInfo", "\xff", 1), GRPC_INVALID_ARGUMENT, "no JobInfoRequest");
	struct reply *r = client_call(w->client, "/api.WorkloadManager/JobInfo", NULL);
	client_end(r);
	ends(r, GRPC_INVALID_ARGUMENT, "no message came");
	r = call(w, "JobInfo", "\x08\x07", 2);
	client_send(r, "\x08\x07", 2);
	ends(r, GRPC_INVALID_ARGUMENT, "a second message came");
	assert_false(is_called(w, FAKE_JOB)); /* its question was given up */
	ends(whole_call(w, "SubmitJobContainer", "", 0), GRPC_INVALID_ARGUMENT,
		"imageName is empty");
	ends(whole_call(w, "Zip", "", 0), GRPC_INVALID_ARGUMENT, "no path is given");
	ends(whole_call(w, "Unzip", "", 0), GRPC_INVALID_ARGUMENT, "no path is given");
}

static void a_question_ends_with_its_client(void **state)
{
	struct world *w = *state;
	struct reply *r = whole_call(w, "JobInfo", "\x08\x07", 2);
	tool(w, FAKE_JOB);
	client_cancel(r);
	for (int i = 0; i < 1000 && is_called(w, FAKE_JOB); i++)
		client_turn(w->client);
	assert_int_equal(w->tools.cancelled, 1);
}

static void strangers_are_not_admitted(void **state)
{
	struct world *w = *state;
	const struct grpc_peer self = { 1, geteuid(), getegid() }, root = { 1, 0, 0 },
			       friend = { 1, 4711, 100 }, stranger = { 1, 4712, 100 };
	assert_true(service_admits(w->service, &stranger)); /* the socket's mode decides */
	w->user = 4711;
	restart(w, 1);
	assert_true(service_admits(w->service, &self));
	assert_true(service_admits(w->service, &root));
	assert_true(service_admits(w->service, &friend));
	assert_false(service_admits(w->service, &stranger));
}

#define CALLS_TEST(f) cmocka_unit_test_setup_teardown(f, given_a_service, free_world)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CALLS_TEST(a_job_is_submitted),
		CALLS_TEST(a_key_is_looked_at_first),
		CALLS_TEST(a_partition_is_looked_at_first),
		CALLS_TEST(a_client_that_left_finds_its_job_again),
		CALLS_TEST(a_container_is_submitted_once),
		CALLS_TEST(a_key_that_is_used_for_another_job_is_refused),
		CALLS_TEST(each_pulled_image_has_its_own_name),
		CALLS_TEST(a_job_is_cancelled),
		CALLS_TEST(accounts_by_which_a_job_runs_are_not_believed),
		CALLS_TEST(what_slurm_tells_of_a_job_comes_back),
		CALLS_TEST(steps_may_be_none),
		CALLS_TEST(partitions_come_in_slurms_order),
		CALLS_TEST(resources_are_merged),
		CALLS_TEST(the_version_is_told),
		CALLS_TEST(calls_without_sense_are_refused),
		CALLS_TEST(a_question_ends_with_its_client),
		CALLS_TEST(strangers_are_not_admitted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
