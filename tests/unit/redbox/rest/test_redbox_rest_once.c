/* SPDX-License-Identifier: Apache-2.0 */
/* One job for each request, and for each key by REST and gRPC together. */
#include "lib/rest_world.h"

#define KEY(k) "Idempotency-Key: " k "\r\n"
static const char body[] = "{\"command\": \"x\"}";

/* Slurm accepts what is submitted as job 53. The journal is young: it is asked first. */
static void slurm_accepts(struct rest_world *r, const char *key)
{
	fake_says(tool(r->w, FAKE_FIND), OK, NULL);
	struct slurm_tools_call *sbatch = tool(r->w, FAKE_SUBMIT);
	assert_string_equal(sbatch->key, key);
	fake_says(sbatch, OK, &(struct slurm_tools_told){ .job_id = 53 });
}

static int sbatches(const struct rest_world *r) { return r->w->tools.seen[FAKE_SUBMIT]; }

/* As with sbatch: two equal scripts are two jobs. */
/* Acceptance: red-box-44 */
static void without_a_key_each_request_is_a_job(void **state)
{
	struct rest_world *r = *state;
	for (int64_t id = 53; id < 55; id++) {
		char wanted[8];
		struct raw *c = posts(r, body);
		fake_says(tool(r->w, FAKE_SUBMIT), OK, &(struct slurm_tools_told){ .job_id = id });
		snprintf(wanted, sizeof(wanted), "%d", (int)id);
		is_answered(c, 200, wanted);
	}
	assert_int_equal(sbatches(r), 2);
	assert_int_equal(journal_count(r->w->journal), 0);
}

static void one_key_is_one_job(void **state)
{
	struct rest_world *r = *state;
	slurmctld_lives(r->w);
	struct raw *c = posts_with(r, KEY("k"), body);
	slurm_accepts(r, "k");
	is_answered(c, 200, "53");
	c = posts_with(r, KEY("\"k\""), body); /* as the draft of the IETF writes it */
	slurmctld_lives(r->w);
	is_answered(c, 200, "53");
	assert_int_equal(sbatches(r), 1);
}

/* Acceptance: red-box-44 */
static void a_key_is_the_client_id_of_grpc(void **state)
{
	struct rest_world *r = *state;
	slurmctld_lives(r->w);
	struct raw *c = posts_with(r, KEY("k"), body);
	slurm_accepts(r, "k");
	is_answered(c, 200, "53");
	struct reply *by_grpc = whole_call(r->w, "SubmitJob", "\x0a\x01x\x1a\x01k", 6);
	slurmctld_lives(r->w);
	answers(by_grpc, "\x08\x35", 2);
	ends(whole_call(r->w, "SubmitJob", "\x0a\x01y\x1a\x01k", 6), GRPC_FAILED_PRECONDITION,
		"this client_id has been used for another job");
	assert_int_equal(sbatches(r), 1);
}

/* Acceptance: red-box-44 */
static void the_client_id_of_grpc_is_a_key(void **state)
{
	struct rest_world *r = *state;
	slurmctld_lives(r->w);
	struct reply *by_grpc = whole_call(r->w, "SubmitJob", "\x0a\x01x\x1a\x01k", 6);
	slurm_accepts(r, "k");
	answers(by_grpc, "\x08\x35", 2);
	struct raw *c = posts_with(r, KEY("k"), body);
	slurmctld_lives(r->w);
	is_answered(c, 200, "53");
	c = posts_with(r, KEY("k"), "{\"command\": \"y\"}");
	raw_wait(c, "this client_id has been used for another job");
	assert_true(str_has_prefix(str_text(&c->got), "HTTP/1.1 409 "));
	assert_int_equal(sbatches(r), 1);
}

/* Both at the same time: the second joins the first. */
/* Acceptance: red-box-44 */
static void both_generations_at_once_are_one_job(void **state)
{
	struct rest_world *r = *state;
	slurmctld_lives(r->w);
	struct raw *c = posts_with(r, KEY("k"), body);
	tool(r->w, FAKE_FIND);
	struct reply *by_grpc = whole_call(r->w, "SubmitJob", "\x0a\x01x\x1a\x01k", 6);
	for (int i = 0; i < 20; i++)
		client_turn(r->w->client);
	slurm_accepts(r, "k");
	is_answered(c, 200, "53");
	answers(by_grpc, "\x08\x35", 2);
	assert_int_equal(sbatches(r), 1);
}

static void a_client_that_left_finds_its_job_again(void **state)
{
	struct rest_world *r = *state;
	slurmctld_lives(r->w);
	struct raw *c = posts_with(r, KEY("k"), body);
	fake_says(tool(r->w, FAKE_FIND), OK, NULL);
	tool(r->w, FAKE_SUBMIT);
	raw_close(c);
	while (rest_under_way(r->rest))
		raw_turn(r->w->loop);
	fake_says(tool(r->w, FAKE_SUBMIT), OK, &(struct slurm_tools_told){ .job_id = 53 });
	c = posts_with(r, KEY("k"), body);
	slurmctld_lives(r->w);
	is_answered(c, 200, "53");
	assert_int_equal(sbatches(r), 1);
}

/* As socat and nc do: the end of the request is no end of the client. */
/* Acceptance: red-box-44 */
static void a_client_that_sends_nothing_more_gets_its_id(void **state)
{
	struct rest_world *r = *state;
	struct raw *c = posts(r, body);
	assert_int_equal(shutdown(c->fd, SHUT_WR), 0);
	tool(r->w, FAKE_SUBMIT);
	for (int turn = 0; turn < 20; turn++)
		raw_turn(r->w->loop);
	fake_says(tool(r->w, FAKE_SUBMIT), OK, &(struct slurm_tools_told){ .job_id = 53 });
	is_answered(c, 200, "53");
	raw_wait_end(c);
	asks(r, GET("/tail?path=f")); /* a tail ends then, because it would never end else */
	raw_wait(&r->client, "\r\n\r\n");
	assert_int_equal(shutdown(r->client.fd, SHUT_WR), 0);
	raw_wait_end(&r->client);
	assert_int_equal(rest_under_way(r->rest), 0);
}

/* red-box ends when no request is under way: the id has to be on its way before. */
/* Acceptance: red-box-44 */
static void a_request_is_under_way_until_its_answer_is_sent(void **state)
{
	struct rest_world *r = *state;
	struct raw *c = posts(r, body);
	fake_says(tool(r->w, FAKE_SUBMIT), OK, &(struct slurm_tools_told){ .job_id = 53 });
	while (rest_under_way(r->rest))
		raw_turn(r->w->loop);
	rest_free(TAKE(r->rest));
	raw_read(c);
	assert_non_null(strstr(str_text(&c->got), "\r\n\r\n53"));
}

/* The answer of sbatch was lost. The same request finds out, if it has a key. */
/* Acceptance: red-box-44 */
static void an_unknown_outcome_is_said(void **state)
{
	static const struct err lost = { .kind = ERR_LOST, .text = "sbatch gave no answer" };
	struct rest_world *r = *state;
	struct raw *c = posts(r, body);
	fake_says(tool(r->w, FAKE_SUBMIT), lost, NULL);
	is_refused(c, 500,
		"it is unknown whether Slurm has a job of this request: sbatch gave no answer");
	slurmctld_lives(r->w);
	c = posts_with(r, KEY("k"), body);
	fake_says(tool(r->w, FAKE_FIND), OK, NULL);
	fake_says(tool(r->w, FAKE_SUBMIT), lost, NULL);
	is_refused(c, 503,
		"it is unknown whether Slurm has a job of this request: sbatch gave no answer");
	const struct slurm_job_found job = { .id = 53, .key = "k" };
	c = posts_with(r, KEY("k"), body);
	slurmctld_lives(r->w);
	fake_says(tool(r->w, FAKE_FIND), OK, &(struct slurm_tools_told){ .found = &job, .n = 1 });
	is_answered(c, 200, "53");
	assert_int_equal(sbatches(r), 2);
}

static void a_key_that_is_none_is_refused(void **state)
{
	static const char *const keys[] = { KEY(""), KEY("a b"), KEY("\"\""), KEY("k\""),
		KEY("\xc3\xa4") };
	struct rest_world *r = *state;
	for (size_t i = 0; i < LENGTH(keys); i++)
		is_refused(posts_with(r, keys[i], body), 400,
			"an Idempotency-Key has 1 to 128 letters, digits and ._:/@+-");
	assert_int_equal(sbatches(r), 0);
}

/* A request of which a part is missing submits nothing. */
/* Acceptance: red-box-44 */
static void half_a_request_submits_nothing(void **state)
{
	static const char chunked[] =
		"POST /sbatch HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
		"10\r\n{\"command\": \"x\"}\r\n";
	static const char *const halves[] = {
		"POST /sbatch HTTP/1.1\r\nHost: x\r\nContent-Length: 17\r\n\r\n{\"command\": \"x\"}",
		chunked,
		"POST /sbatch HTTP/1.1\r\nHost: x\r\n",
	};
	struct rest_world *r = *state;
	for (size_t i = 0; i < LENGTH(halves); i++) {
		asks(r, halves[i]);
		for (int turn = 0; turn < 20; turn++)
			raw_turn(r->w->loop);
		raw_close(&r->client);
		for (int turn = 0; turn < 20 || rest_under_way(r->rest); turn++)
			raw_turn(r->w->loop);
	}
	assert_int_equal(sbatches(r), 0);
	struct raw *c = posts(r, body);
	fake_says(tool(r->w, FAKE_SUBMIT), OK, &(struct slurm_tools_told){ .job_id = 53 });
	is_answered(c, 200, "53");
}

/* Two requests in one write are two jobs, in their order. */
static void a_pipeline_is_answered_in_order(void **state)
{
	static const char one[] = "POST /sbatch HTTP/1.1\r\nHost: x\r\nContent-Length: 16\r\n\r\n";
	AUTO(str_free) struct str both = { 0 };
	struct rest_world *r = *state;
	str_addf(&both, "%s%s%s%s", one, body, one, "{\"command\": \"y\"}");
	struct raw *c = asks(r, str_text(&both));
	struct slurm_tools_call *first = tool(r->w, FAKE_SUBMIT);
	assert_string_equal(first->script, "x");
	fake_says(first, OK, &(struct slurm_tools_told){ .job_id = 53 });
	struct slurm_tools_call *second = tool(r->w, FAKE_SUBMIT);
	assert_string_equal(second->script, "y");
	fake_says(second, OK, &(struct slurm_tools_told){ .job_id = 54 });
	raw_wait(c, "\r\n\r\n54");
	assert_non_null(strstr(str_text(&c->got), "\r\n\r\n53HTTP/1.1 200 "));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		REST_TEST(without_a_key_each_request_is_a_job),
		REST_TEST(one_key_is_one_job),
		REST_TEST(a_key_is_the_client_id_of_grpc),
		REST_TEST(the_client_id_of_grpc_is_a_key),
		REST_TEST(both_generations_at_once_are_one_job),
		REST_TEST(a_client_that_left_finds_its_job_again),
		REST_TEST(a_client_that_sends_nothing_more_gets_its_id),
		REST_TEST(a_request_is_under_way_until_its_answer_is_sent),
		REST_TEST(an_unknown_outcome_is_said),
		REST_TEST(a_key_that_is_none_is_refused),
		REST_TEST(half_a_request_submits_nothing),
		REST_TEST(a_pipeline_is_answered_in_order),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
