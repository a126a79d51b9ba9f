/* SPDX-License-Identifier: Apache-2.0 */
/* One node: its single read, which can say that Slurm has none, and its deletion. */
#include "lib/fake_slurmrestd.h"

#define GET "GET /slurm/v0.0.42/node/"
#define DELETE "DELETE /slurm/v0.0.42/node/"

struct seen {
	int calls;
	struct err err;
	bool node;
	char text[200]; /* "n1 10.1.2.3 host1 IDLE+DRAIN comment" */
	int64_t asked_ms, reason_since_s;
	enum tri memory_shared;
	struct slurm *free_me;
};

static void node_done(void *ctx, struct err err, const struct slurm_node *n, int64_t asked_ms)
{
	struct seen *s = ctx;
	s->calls++;
	s->err = err;
	s->node = n != NULL;
	s->asked_ms = asked_ms;
	if (n) {
		assert_int_equal(n->asked_ms, asked_ms);
		s->reason_since_s = n->reason_since_s;
		s->memory_shared = n->memory_shared;
		snprintf(s->text, sizeof(s->text), "%s %s %s %x %s", n->name, n->address,
			n->hostname, (unsigned)n->state, n->comment);
	}
	assert_null(strstr(err.text, FAKE_TOKEN));
	slurm_free(TAKE(s->free_me));
}

static void done(void *ctx, struct err err) { node_done(ctx, err, NULL, 0); }

struct setup {
	struct fake_slurmrestd *f;
	struct slurm *s;
	struct seen seen;
};

static void begin(struct setup *t, const char *name)
{
	*t = (struct setup){ .f = fake_slurmrestd_new() };
	t->s = rest_client(t->f);
	slurm_one_node(t->s, name, node_done, &t->seen);
	rest_negotiates(t->f);
}

static void begin_delete(struct setup *t, const char *name)
{
	*t = (struct setup){ .f = fake_slurmrestd_new() };
	t->s = rest_client(t->f);
	slurm_delete_node(t->s, name, done, &t->seen);
	rest_negotiates(t->f);
}

static void end(struct setup *t)
{
	slurm_free(t->s);
	fake_slurmrestd_free(t->f);
}

static void is_absent(const struct setup *t)
{
	assert_string_equal(t->seen.err.text, "");
	assert_int_equal(t->seen.calls, 1);
	assert_false(t->seen.node);
	assert_int_equal(t->seen.asked_ms, t->f->loop.now_ms - 5);
}

static void has_failed(const struct setup *t, enum err_kind kind, const char *text)
{
	assert_int_equal(t->seen.calls, 1);
	assert_int_equal(t->seen.err.kind, kind);
	assert_true(str_has_prefix(t->seen.err.text, text));
	assert_false(t->seen.node);
	assert_int_equal(t->seen.asked_ms, 0);
}

static void test_a_node_tells_where_it_is(void **state)
{
	(void)state;
	struct setup t;
	begin(&t, "n1");
	assert_int_equal(rest_oldest(t.f)->max_answer_bytes, 256 << 10);
	rest_answers(t.f, GET "n1", 200,
		"{\"nodes\":[{\"name\":\"n1\",\"address\":\"10.1.2.3\",\"hostname\":\"h1\","
		"\"state\":[\"IDLE\",\"DRAIN\"],\"comment\":\"c\"}],\"errors\":[]}");
	assert_string_equal(t.seen.text, "n1 10.1.2.3 h1 110 c");
	assert_int_equal(t.seen.asked_ms, t.f->loop.now_ms - 5);
	end(&t);
	begin(&t, "n1");
	rest_answers(t.f, GET "n1", 200, "{\"nodes\":[{\"name\":\"n1\",\"state\":[\"IDLE\"]}]}");
	assert_string_equal(t.seen.text, "n1   10 ");
	assert_int_equal(t.seen.reason_since_s, 0);
	end(&t);
	begin(&t, "busy-0");
	rest_replays(t.f, GET "busy-0", "24.11/v0.0.42/node");
	assert_true(str_has_prefix(t.seen.text, "busy-0 "));
	assert_non_null(strstr(t.seen.text, "podName"));
	assert_int_equal(t.seen.reason_since_s, 1795279920); /* its drain was set */
	end(&t);
}

/* Seen with 24.11.5: idle, with jobs by CR_Core, and by CR_Core_Memory */
/* Acceptance: autoscale-13 */
static void test_a_node_with_a_job_tells_whether_jobs_get_memory(void **state)
{
	(void)state;
	static const struct {
		const char *members;
		enum tri shared;
	} rows[] = {
		{ "\"alloc_cpus\":0,\"alloc_memory\":0", UNKNOWN },
		{ "\"alloc_cpus\":2,\"alloc_memory\":0", YES },
		{ "\"alloc_cpus\":1,\"alloc_memory\":24152", NO },
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct setup t;
		char body[200];
		snprintf(body, sizeof(body),
			"{\"nodes\":[{\"name\":\"n1\",\"state\":[\"MIXED\"],"
			"\"real_memory\":24152,%s}]}",
			rows[i].members);
		begin(&t, "n1");
		rest_answers(t.f, GET "n1", 200, body);
		assert_int_equal(t.seen.memory_shared, rows[i].shared);
		end(&t);
	}
}

static void test_a_node_that_slurm_does_not_have_is_absent(void **state)
{
	(void)state;
	static const char *const recorded[] = { "24.11/v0.0.40/node-nosuch",
		"24.11/v0.0.42/node-nosuch", "26.05/v0.0.42/node-nosuch",
		"26.05/v0.0.44/node-nosuch", "26.05/v0.0.45/node-nosuch" };
	static const struct {
		int status;
		const char *body;
	} answers[] = {
		{ 200, "{\"nodes\":[],\"errors\":[{\"error_number\":0,\"error\":\"No error\"}]}" },
		{ 200, "{\"nodes\":null,\"errors\":[{\"error_number\":0}]}" },
		{ 500, "{\"errors\":[{\"error_number\":2018,\"error\":\"Invalid node name\"}]}" },
		{ 422, "{\"errors\":[{\"error_number\":0},{\"error_number\":2018}]}" },
		{ 404, "{\"errors\":[{\"error_number\":2018}]}" },
	};
	struct setup t;
	for (size_t i = 0; i < LENGTH(recorded); i++) {
		begin(&t, "NOSUCH");
		rest_replays(t.f, GET "NOSUCH", recorded[i]);
		is_absent(&t);
		end(&t);
	}
	for (size_t i = 0; i < LENGTH(answers); i++) {
		begin(&t, "NOSUCH");
		rest_answers(t.f, GET "NOSUCH", answers[i].status, answers[i].body);
		is_absent(&t);
		end(&t);
	}
}

#define NODE "{\"name\":\"n1\",\"state\":[\"IDLE\"]}"

static void test_no_other_failure_is_taken_for_absence(void **state)
{
	(void)state;
	static const struct {
		int status;
		enum err_kind kind;
		const char *body;
	} answers[] = {
		{ 200, ERR_INVALID, "{}" },
		{ 200, ERR_INVALID, "{\"errors\":[]}" },
		{ 200, ERR_INVALID, "{\"nodes\":[],\"errors\":[]}" },
		{ 200, ERR_RETRY, "{\"nodes\":[],\"warnings\":[{\"description\":\"w\"}]}" },
		{ 200, ERR_RETRY, "{\"nodes\":{},\"errors\":[{\"error_number\":0}]}" },
		{ 200, ERR_RETRY, "{\"nodes\":[" NODE "],\"errors\":[{\"error_number\":0}]}" },
		{ 200, ERR_RETRY, "{\"errors\":[{\"description\":\"without a number\"}]}" },
		{ 200, ERR_RETRY, "{\"errors\":[{\"error_number\":0},{\"error_number\":-1}]}" },
		{ 200, ERR_RETRY, "{\"errors\":[{\"error_number\":0},{\"error_number\":11}]}" },
		{ 200, ERR_NOT_FOUND, "{\"errors\":[{\"error_number\":2018}]}" },
		{ 502, ERR_NOT_FOUND, "{\"errors\":[{\"error_number\":2018}]}" },
		{ 504, ERR_RETRY, "{\"errors\":[{\"error_number\":2018}]}" },
		{ 500, ERR_NOT_FOUND, "{\"errors\":[{\"error_number\":2017}]}" },
		{ 500, ERR_RETRY, "{\"errors\":[{\"error_number\":0}]}" },
		{ 500, ERR_RETRY, "{\"errors\":[{\"error_number\":104}]}" },
		{ 500, ERR_RETRY, "{\"errors\":[{\"error_number\":-1}]}" },
		{ 200, ERR_INVALID, "{\"nodes\":[" NODE "," NODE "],\"errors\":[]}" },
		{ 200, ERR_INVALID, "{\"nodes\":[{\"name\":\"n1\",\"state\":3}],\"errors\":[]}" },
		{ 304, ERR_INVALID, "" },
		{ 200, ERR_INVALID, "" },
	};
	for (size_t i = 0; i < LENGTH(answers); i++) {
		struct setup t;
		begin(&t, "n1");
		rest_answers(t.f, GET "n1", answers[i].status, answers[i].body);
		has_failed(&t, answers[i].kind, "reading node n1 of Slurm: ");
		end(&t);
	}
}

/* A proxy mixes answers up: what is said of another node says nothing of this one. */
static void test_bad_input_an_answer_about_another_node_is_not_taken(void **state)
{
	(void)state;
	struct setup t;
	begin(&t, "idle-0");
	rest_replays(t.f, GET "idle-0", "24.11/v0.0.42/node"); /* of busy-0 */
	has_failed(&t, ERR_INVALID, "reading node idle-0 of Slurm: the answer is about");
	end(&t);
}

static void test_only_the_plain_name_of_one_node_is_asked_for_or_deleted(void **state)
{
	(void)state;
	static const char *const names[] = { "", "n[1-9]", "a,b", "../jobs", "ALL", "a b", NULL };
	for (size_t i = 0; i < LENGTH(names); i++) {
		struct setup t = { .f = fake_slurmrestd_new() };
		t.s = rest_client(t.f);
		slurm_one_node(t.s, names[i], node_done, &t.seen);
		slurm_delete_node(t.s, names[i], done, &t.seen);
		assert_int_equal(t.seen.calls, 0);
		sim_loop_pass(&t.f->loop, 0);
		assert_int_equal(t.seen.calls, 2);
		assert_int_equal(t.seen.err.kind, ERR_INVALID);
		end(&t); /* and nothing was sent */
	}
}

static void test_a_deletion_that_finds_no_node_is_done(void **state)
{
	(void)state;
	struct setup t;
	begin_delete(&t, "n1");
	rest_answers(t.f, DELETE "n1", 200, "{\"errors\":[],\"warnings\":[]}");
	assert_null(t.f->last_body);
	assert_int_equal(t.seen.calls, 1);
	assert_false(failed(t.seen.err));
	end(&t);
	begin_delete(&t, "NOSUCH");
	rest_replays(t.f, DELETE "NOSUCH", "24.11/v0.0.42/node-delete-unknown");
	assert_int_equal(t.seen.calls, 1);
	assert_false(failed(t.seen.err));
	end(&t);
}

static void test_a_deletion_that_was_not_done_says_so(void **state)
{
	(void)state;
	static const struct {
		int status;
		enum err_kind kind;
		const char *body;
	} answers[] = {
		{ 200, ERR_LOST, "{}" },
		{ 304, ERR_LOST, "" },
		{ 500, ERR_LOST, "{\"errors\":[{\"error_number\":104}]}" },
		{ 502, ERR_RETRY, "{\"errors\":[{\"error_number\":1800}]}" },
		{ 422, ERR_CONFLICT, "{\"errors\":[{\"error_number\":2016}]}" },
		{ 500, ERR_DENIED, "{\"errors\":[{\"error_number\":2010}]}" },
		{ 500, ERR_INVALID, "{\"errors\":[{\"error_number\":2028}]}" },
	};
	struct setup t;
	begin_delete(&t, "n2");
	rest_replays(t.f, DELETE "n2", "24.11/v0.0.42/node-delete-busy");
	has_failed(&t, ERR_CONFLICT, "deleting node n2 of Slurm: Slurm says that a node is busy");
	end(&t);
	for (size_t i = 0; i < LENGTH(answers); i++) {
		begin_delete(&t, "n1");
		rest_answers(t.f, DELETE "n1", answers[i].status, answers[i].body);
		has_failed(&t, answers[i].kind, "deleting node n1 of Slurm: ");
		end(&t);
	}
}

static void test_a_new_version_is_asked_again(void **state)
{
	(void)state;
	struct setup t;
	begin(&t, "n1");
	slurm_delete_node(t.s, "n2", done, &t.seen);
	rest_replays(t.f, GET "n1", "24.11/unknown-path");
	rest_replays(t.f, DELETE "n2", "24.11/unknown-path");
	rest_replays(t.f, "GET /openapi/v3", "26.05/openapi");
	rest_answers(t.f, "GET /slurm/v0.0.45/node/n1", 200,
		"{\"nodes\":[" NODE "],\"errors\":[]}");
	assert_true(t.seen.node);
	sim_loop_pass(&t.f->loop, 0);
	assert_int_equal(t.seen.calls, 2);
	assert_int_equal(t.seen.err.kind, ERR_RETRY); /* a deletion is not repeated there */
	end(&t);
}

static void test_freed_in_the_middle_and_from_within_done(void **state)
{
	(void)state;
	struct setup t;
	begin(&t, "n1");
	slurm_delete_node(t.s, "n2", done, &t.seen);
	end(&t);
	assert_int_equal(t.seen.calls, 0);

	begin(&t, "busy-0");
	t.seen.free_me = t.s;
	rest_replays(t.f, GET "busy-0", "24.11/v0.0.42/node");
	fake_slurmrestd_free(t.f);

	begin_delete(&t, "n1");
	t.seen.free_me = t.s;
	rest_answers(t.f, DELETE "n1", 200, "{\"errors\":[]}");
	fake_slurmrestd_free(t.f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_node_tells_where_it_is),
		cmocka_unit_test(test_a_node_with_a_job_tells_whether_jobs_get_memory),
		cmocka_unit_test(test_a_node_that_slurm_does_not_have_is_absent),
		cmocka_unit_test(test_no_other_failure_is_taken_for_absence),
		cmocka_unit_test(test_bad_input_an_answer_about_another_node_is_not_taken),
		cmocka_unit_test(test_only_the_plain_name_of_one_node_is_asked_for_or_deleted),
		cmocka_unit_test(test_a_deletion_that_finds_no_node_is_done),
		cmocka_unit_test(test_a_deletion_that_was_not_done_says_so),
		cmocka_unit_test(test_a_new_version_is_asked_again),
		cmocka_unit_test(test_freed_in_the_middle_and_from_within_done),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
