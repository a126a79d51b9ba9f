/* SPDX-License-Identifier: Apache-2.0 */
/* Updates of nodes. */
#include "lib/fake_slurmrestd.h"

#define POST "POST /slurm/v0.0.42/nodes/"

struct seen {
	int calls;
	struct err err;
	struct slurm *free_me;
};

static void done(void *ctx, struct err err)
{
	struct seen *s = ctx;
	s->calls++;
	s->err = err;
	assert_null(strstr(err.text, FAKE_TOKEN));
	slurm_free(TAKE(s->free_me));
}

static void read_done(void *ctx, struct err err, const struct slurm_node *n, int64_t asked_ms)
{
	assert_null(n);
	assert_int_equal(asked_ms, 0);
	done(ctx, err);
}

struct setup {
	struct fake_slurmrestd *f;
	struct slurm *s;
	struct seen seen;
};

static const char *const two[] = { "n1", "n2" };

static void begin(struct setup *t, enum slurm_update what, const char *text)
{
	*t = (struct setup){ .f = fake_slurmrestd_new() };
	t->s = rest_client(t->f);
	slurm_update_nodes(t->s, what, two, 2, text, done, &t->seen);
	rest_negotiates(t->f);
}

static void end(struct setup *t)
{
	slurm_free(t->s);
	fake_slurmrestd_free(t->f);
}

static void test_what_is_sent(void **state)
{
	(void)state;
	static const struct {
		enum slurm_update what;
		const char *text, *body;
	} cases[] = {
		{ SLURM_DRAIN, "slurm-operator: \"x\"",
			"{\"name\":[\"n1\",\"n2\"],\"state\":[\"DRAIN\"],\"reason\":\"slurm-"
			"operator: \\\"x\\\"\"}" },
		{ SLURM_UNDRAIN, "slurm-operator: y",
			"{\"name\":[\"n1\",\"n2\"],\"state\":[\"UNDRAIN\"],\"reason\":\"slurm-"
			"operator: y\"}" },
		{ SLURM_UNDRAIN, NULL, "{\"name\":[\"n1\",\"n2\"],\"state\":[\"UNDRAIN\"]}" },
		{ SLURM_COMMENT, "c", "{\"name\":[\"n1\",\"n2\"],\"comment\":\"c\"}" },
		{ SLURM_COMMENT, "", "{\"name\":[\"n1\",\"n2\"],\"comment\":\"\"}" },
	};
	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct setup t;
		begin(&t, cases[i].what, cases[i].text);
		rest_replays(t.f, POST, "24.11/v0.0.42/update");
		assert_string_equal(t.f->last_body, cases[i].body);
		assert_string_equal(t.f->last_token, FAKE_TOKEN);
		assert_int_equal(t.seen.calls, 1);
		assert_int_equal(t.seen.err.kind, ERR_NONE);
		end(&t);
	}
}

/* Acceptance: wake-3 */
static void test_errors_of_an_update_are_told_apart(void **state)
{
	(void)state;
	static const struct {
		const char *recorded;
		enum err_kind kind;
		int code;
	} cases[] = {
		{ "24.11/v0.0.42/update-unknown-node", ERR_NOT_FOUND, 2018 }, /* 500 */
		{ "26.05/v0.0.44/update-unknown-node", ERR_NOT_FOUND, 2018 }, /* 422 */
		{ "24.11/v0.0.42/update-plain-user", ERR_DENIED, 2010 },      /* 500 */
		{ "26.05/v0.0.44/update-plain-user", ERR_DENIED, 2010 },      /* 422 */
		{ "24.11/v0.0.42/update-bad-token", ERR_DENIED, 1007 },
		{ "24.11/v0.0.42/update-slurmctld-down", ERR_RETRY, 1800 },
		{ "24.11/v0.0.42/update-bad-state", ERR_INVALID, 9207 },
		{ "24.11/v0.0.42/update-not-json", ERR_INVALID, 400 },
	};
	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct setup t;
		begin(&t, SLURM_DRAIN, "r");
		rest_replays(t.f, POST, cases[i].recorded);
		assert_int_equal(t.seen.calls, 1);
		assert_int_equal(t.seen.err.kind, cases[i].kind);
		assert_int_equal(t.seen.err.code, cases[i].code);
		assert_true(str_has_prefix(t.seen.err.text, "updating nodes of Slurm: "));
		end(&t);
	}
}

static void test_an_update_without_a_clear_answer_is_lost(void **state)
{
	(void)state;
	static const struct {
		int status;
		const char *body;
	} cases[] = {
		{ 504, "{\"errors\":[]}" },
		{ 504, "<html>gateway time-out</html>" },
		{ 500, "" },
		{ 500, "{\"errors\":[{\"error_number\":-1,\"error\":\"Unspecified error\"}]}" },
		{ 200, "{}" },
		{ 304, "" },
	};
	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct setup t;
		begin(&t, SLURM_UNDRAIN, "r");
		rest_answers(t.f, POST, cases[i].status, cases[i].body);
		assert_int_equal(t.seen.calls, 1);
		assert_int_equal(t.seen.err.kind, ERR_LOST);
		end(&t);
	}
	struct setup t;
	begin(&t, SLURM_UNDRAIN, "r");
	rest_fails(t.f, POST, err_new(ERR_LOST, "connection reset"));
	assert_int_equal(t.seen.err.kind, ERR_LOST);
	end(&t);
}

static const struct {
	int number;
	enum err_kind of_change;
} codes[] = {
	{ 104, ERR_LOST },
	{ 32, ERR_LOST },
	{ 110, ERR_LOST },
	{ 111, ERR_LOST },
	{ 11, ERR_LOST },
	{ 1000, ERR_LOST },
	{ 1001, ERR_RETRY },
	{ 1002, ERR_LOST },
	{ 1003, ERR_LOST },
	{ 1004, ERR_LOST },
	{ 1008, ERR_LOST },
	{ 1013, ERR_LOST },
	{ 1025, ERR_LOST },
	{ 1800, ERR_RETRY },
	{ 1801, ERR_LOST },
	{ 1802, ERR_LOST },
	{ 1803, ERR_LOST },
	{ 1804, ERR_RETRY },
	{ 5004, ERR_LOST },
	{ 2027, ERR_RETRY },
	{ 2131, ERR_RETRY },
	{ 1007, ERR_DENIED },
	{ 22, ERR_INVALID },
	{ 114, ERR_INVALID },
	{ 1005, ERR_INVALID },
	{ 1012, ERR_INVALID },
	{ 2028, ERR_INVALID },
};

/* 24.11.5 answered 104 while slurmctld was stopped under a request. */
static void test_a_connection_that_broke_is_lost_for_changes(void **state)
{
	(void)state;
	for (size_t i = 0; i < LENGTH(codes); i++) {
		struct setup t;
		char text[80];
		enum err_kind of_read = codes[i].of_change;
		int number = codes[i].number;
		snprintf(text, sizeof(text), "{\"errors\":[{\"error_number\":%d}]}", number);
		begin(&t, SLURM_DRAIN, "r");
		rest_answers(t.f, POST, 500, text);
		assert_int_equal(t.seen.err.kind, codes[i].of_change);
		slurm_one_node(t.s, "n1", read_done, &t.seen);
		rest_answers(t.f, "GET /slurm/v0.0.42/node/n1", 500, text);
		assert_int_equal(t.seen.err.kind, of_read == ERR_LOST ? ERR_RETRY : of_read);
		end(&t);
	}
}

static void test_errors_inside_of_a_200_are_errors(void **state)
{
	(void)state;
	struct setup t;
	begin(&t, SLURM_DRAIN, "r");
	rest_answers(t.f, POST, 200,
		"{\"errors\":[{\"description\":\"d\",\"error_number\":0,\"error\":\"No error\"},"
		"{\"description\":\"e\",\"error_number\":2018,\"error\":\"Invalid node name "
		"specified\"}]}");
	assert_int_equal(t.seen.err.kind, ERR_NOT_FOUND);
	end(&t);
	begin(&t, SLURM_DRAIN, "r");
	rest_answers(t.f, POST, 200,
		"{\"errors\":[{\"description\":\"d\",\"error_number\":0,\"error\":\"No error\"}]}");
	assert_int_equal(t.seen.err.kind, ERR_NONE);
	end(&t);
}

enum { MANY = 2500 };

static void begin_many(struct setup *t, const char *const *names)
{
	*t = (struct setup){ .f = fake_slurmrestd_new() };
	t->s = rest_client(t->f);
	slurm_update_nodes(t->s, SLURM_DRAIN, names, MANY, "r", done, &t->seen);
	rest_negotiates(t->f);
}

static size_t names_in(const char *body)
{
	AUTO(json_auto) struct json_doc *doc = NULL;
	assert_false(failed(json_parse(body, strlen(body), 1 << 20, &doc)));
	return json_count(json_get(json_root(doc), "name"));
}

static void a_refused_one_is_told_rather_than_an_unknown_one(const char *const *list)
{
	struct setup t;
	begin_many(&t, list);
	rest_replays(t.f, POST, "24.11/v0.0.42/update-bad-state");
	rest_replays(t.f, POST, "24.11/v0.0.42/update-unknown-node");
	assert_int_equal(t.seen.calls, 0);
	rest_replays(t.f, POST, "24.11/v0.0.42/update");
	assert_non_null(strstr(t.f->last_body, "[\"n-2000\""));
	assert_int_equal(t.seen.calls, 1);
	assert_int_equal(t.seen.err.kind, ERR_INVALID);
	end(&t);
}

static void a_slurm_that_is_down_ends_it(const char *const *list)
{
	struct setup t;
	begin_many(&t, list);
	rest_replays(t.f, POST, "24.11/v0.0.42/update-unknown-node");
	/* Worse than an unknown node: ends it */
	rest_replays(t.f, POST, "24.11/v0.0.42/update-slurmctld-down");
	assert_int_equal(t.seen.calls, 1);
	assert_int_equal(t.seen.err.kind, ERR_RETRY);
	assert_int_equal(rest_waiting(t.f), 0);
	end(&t);
}

static void test_many_nodes_go_in_thousands_one_after_the_other(void **state)
{
	(void)state;
	static char names[MANY][16];
	const char *list[MANY];
	for (int i = 0; i < MANY; i++) {
		snprintf(names[i], sizeof(names[i]), "n-%d", i);
		list[i] = names[i];
	}
	struct setup t;
	begin_many(&t, list);
	assert_int_equal(rest_waiting(t.f), 1);
	rest_replays(t.f, POST, "24.11/v0.0.42/update");
	assert_int_equal(names_in(t.f->last_body), 1000);
	assert_non_null(strstr(t.f->last_body, "\"n-999\"]"));
	assert_int_equal(rest_waiting(t.f), 1);
	/*
	 * an unknown node in the second thousand does not keep the third from being sent
	 */
	rest_replays(t.f, POST, "24.11/v0.0.42/update-unknown-node");
	assert_int_equal(t.seen.calls, 0);
	rest_replays(t.f, POST, "24.11/v0.0.42/update");
	assert_int_equal(names_in(t.f->last_body), 500);
	assert_non_null(strstr(t.f->last_body, "[\"n-2000\""));
	assert_int_equal(t.seen.calls, 1);
	assert_int_equal(t.seen.err.kind, ERR_NOT_FOUND);
	end(&t);

	a_refused_one_is_told_rather_than_an_unknown_one(list);
	a_slurm_that_is_down_ends_it(list);
}

static void is_refused(enum slurm_update what, const char *const *names, size_t n, const char *text,
	const char *part_of_error)
{
	struct fake_slurmrestd *f = fake_slurmrestd_new();
	struct seen seen = { 0 };
	struct slurm *s = rest_client(f);
	slurm_update_nodes(s, what, names, n, text, done, &seen);
	assert_int_equal(seen.calls, 0); /* never from within */
	assert_int_equal(rest_waiting(f), 0);
	sim_loop_pass(&f->loop, 0);
	assert_int_equal(seen.calls, 1);
	assert_int_equal(seen.err.kind, ERR_INVALID);
	if (!strstr(seen.err.text, part_of_error))
		fail_msg("\"%s\" lacks \"%s\"", seen.err.text, part_of_error);
	slurm_free(s);
	fake_slurmrestd_free(f);
}

static void test_names_that_slurm_would_expand_are_refused(void **state)
{
	(void)state;
	/*
	 * Slurm 24.11.5 takes "ALL" in any case for every node, and "n1,n2" and "n[1-2]"
	 * for two.
	 */
	static const char *const bad[] = { "n[1-2]", "n1,n2", "ALL", "all", "", "n1 ", "n\n1",
		"n1;x", "-\"", "n\xc3\xa9", NULL };
	for (size_t i = 0; i < LENGTH(bad); i++) {
		const char *names[] = { "n1", bad[i] };
		is_refused(SLURM_COMMENT, names, 2, "c",
			bad[i] && strcasecmp(bad[i], "all") == 0 ? "means every node"
								 : "not the name of one node");
	}
	char longest[255];
	memset(longest, 'n', 254);
	longest[254] = '\0';
	const char *names[] = { longest };
	is_refused(SLURM_COMMENT, names, 1, "c", "longer than 253");
	is_refused(SLURM_COMMENT, NULL, 0, "c", "no node is named");
}

static void test_texts_with_a_line_end_are_refused(void **state)
{
	(void)state;
	char long_text[4200];
	memset(long_text, 'x', sizeof(long_text));
	long_text[sizeof(long_text) - 1] = '\0';
	is_refused(SLURM_DRAIN, two, 2, "a\nb",
		"the reason has a line end or another control character at position 2");
	is_refused(SLURM_COMMENT, two, 2, "a\tb", "the comment has");
	is_refused(SLURM_UNDRAIN, two, 2, "\x7f", "the reason has");
	is_refused(SLURM_DRAIN, two, 2, "", "needs a reason");
	is_refused(SLURM_DRAIN, two, 2, NULL, "needs a reason");
	is_refused(SLURM_COMMENT, two, 2, long_text, "4199 bytes");
}

static void test_an_update_is_not_repeated_in_another_version(void **state)
{
	(void)state;
	struct setup t;
	begin(&t, SLURM_DRAIN, "r");
	rest_replays(t.f, POST, "26.05/unknown-path");
	sim_loop_pass(&t.f->loop, 0);
	assert_int_equal(t.seen.calls, 1);
	assert_int_equal(t.seen.err.kind, ERR_RETRY);
	assert_int_equal(rest_waiting(t.f), 0);
	slurm_update_nodes(t.s, SLURM_DRAIN, two, 2, "r", done, &t.seen);
	rest_replays(t.f, "GET /openapi/v3", "26.05/openapi");
	rest_replays(t.f, "POST /slurm/v0.0.45/nodes/", "24.11/v0.0.42/update");
	assert_int_equal(t.seen.calls, 2);
	assert_int_equal(t.seen.err.kind, ERR_NONE);
	end(&t);
}

static void test_freed_while_on_its_way_and_from_within_done(void **state)
{
	(void)state;
	struct setup t;
	begin(&t, SLURM_DRAIN, "r");
	end(&t);
	assert_int_equal(t.seen.calls, 0);
	begin(&t, SLURM_DRAIN, "r");
	t.seen.free_me = t.s;
	rest_replays(t.f, POST, "24.11/v0.0.42/update");
	t.s = NULL;
	end(&t);

	struct fake_slurmrestd *f = fake_slurmrestd_new();
	struct seen seen = { 0 };
	struct slurm *s = rest_client(f);
	slurm_update_nodes(s, SLURM_DRAIN, two, 2, "", done, &seen); /* refused, but not told yet */
	slurm_free(s);
	assert_int_equal(seen.calls, 0);
	fake_slurmrestd_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_sent),
		cmocka_unit_test(test_errors_of_an_update_are_told_apart),
		cmocka_unit_test(test_an_update_without_a_clear_answer_is_lost),
		cmocka_unit_test(test_a_connection_that_broke_is_lost_for_changes),
		cmocka_unit_test(test_errors_inside_of_a_200_are_errors),
		cmocka_unit_test(test_many_nodes_go_in_thousands_one_after_the_other),
		cmocka_unit_test(test_names_that_slurm_would_expand_are_refused),
		cmocka_unit_test(test_texts_with_a_line_end_are_refused),
		cmocka_unit_test(test_an_update_is_not_repeated_in_another_version),
		cmocka_unit_test(test_freed_while_on_its_way_and_from_within_done),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
