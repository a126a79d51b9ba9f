/* SPDX-License-Identifier: Apache-2.0 */
/* Which Slurm answers: its ClusterName is in every JSON answer. */
#include "lib/slurm_reading.h"

#define V "/slurm/v0.0.42"
#define META(name) "\"meta\":{\"slurm\":{\"release\":\"24.11.5\",\"cluster\":\"" name "\"}}"
#define NODES(name)                                                                 \
	"{\"nodes\":[{\"name\":\"n1\",\"state\":[\"IDLE\"]}],\"last_update\":5000," \
	"\"errors\":[]," META(name) "}"
#define JOBS(name) \
	"{\"jobs\":[{\"job_id\":\"7\",\"state\":[\"RUNNING\"]}],\"errors\":[]," META(name) "}"
#define JOB(name)                                                                  \
	"{\"jobs\":[{\"job_id\":7,\"job_state\":[\"RUNNING\"],\"nodes\":\"n1\"}]," \
	"\"errors\":[]," META(name) "}"
#define FAILED(number, name) "{\"errors\":[{\"error_number\":" #number "}]," META(name) "}"
#define UP(name) "{\"pings\":[{\"responding\":true}]," META(name) "}"

static void each_node(void *ctx, const struct slurm_node *n)
{
	struct seen *s = ctx;
	str_addf(&s->text, "%s ", n->name);
}

static size_t each_job(void *ctx, const struct slurm_job *j)
{
	struct seen *s = ctx;
	str_addf(&s->text, "%lld %s ", (long long)j->id, j->nodes);
	return 0;
}

static void nodes_done(void *ctx, struct err err, bool changed, int64_t asked_ms)
{
	seen_done(ctx, err, changed, asked_ms);
}

static void node_done(void *ctx, struct err err, const struct slurm_node *n, int64_t asked_ms)
{
	if (n)
		each_node(ctx, n);
	seen_done(ctx, err, n != NULL, asked_ms);
}

static void jobs_done(void *ctx, struct err err, int64_t asked_ms)
{
	seen_done(ctx, err, !failed(err), asked_ms);
}

static void done(void *ctx, struct err err) { seen_done(ctx, err, !failed(err), 0); }

static void ping_done(void *ctx, enum slurm_health health, struct err err, const char *version)
{
	struct seen *s = ctx;
	str_addf(&s->text, "health %d version %s", (int)health, version ? version : "none");
	seen_done(ctx, err, false, 0);
}

static const char *const n1[] = { "n1" };

static void read_nodes(struct setup *t) { slurm_nodes(t->s, each_node, nodes_done, &t->seen); }
static void read_node(struct setup *t) { slurm_one_node(t->s, "n1", node_done, &t->seen); }
static void read_jobs(struct setup *t) { slurm_held_jobs(t->s, each_job, jobs_done, &t->seen); }
#define RIGHTS "POST " V "/node/slurm-operator-rights"
static void delete_node(struct setup *t) { slurm_delete_node(t->s, "n1", done, &t->seen); }
static void drain(struct setup *t)
{
	slurm_update_nodes(t->s, SLURM_DRAIN, n1, 1, "r", done, &t->seen);
}
static void comment(struct setup *t)
{
	slurm_update_nodes(t->s, SLURM_COMMENT, n1, 1, "c", done, &t->seen);
}

static const char *name_after(const char *start, const char *body)
{
	static char name[300];
	struct setup t;
	begin_reading(&t, read_nodes, "");
	assert_string_equal(slurm_cluster_name(t.s), start);
	rest_answers(t.f, "GET " V "/nodes/", 200, body);
	snprintf(name, sizeof(name), "%s", slurm_cluster_name(t.s));
	end_reading(&t);
	return name;
}

static void test_the_name_is_that_of_the_newest_answer(void **state)
{
	(void)state;
	assert_string_equal(name_after("", NODES("a")), "a");
	assert_string_equal(name_after("", "{\"nodes\":[],\"meta\":{\"slurm\":{}}}"), "");
	assert_string_equal(name_after("", "{\"meta\":{\"slurm\":{\"cluster\":3}}}"), "");
	assert_string_equal(name_after("", "{\"nodes\":[],\"meta\":[]}"), "");
	struct setup t;
	begin_reading(&t, read_nodes, "");
	rest_answers(t.f, "GET " V "/nodes/", 200, NODES("a"));
	read_again(&t);
	/* an error has it too; the name of old answers stays */
	rest_answers(t.f, "GET " V "/nodes/?update_time=4998", 511,
		"{\"errors\":[{\"error_number\":1007}]," META("b") "}");
	assert_int_equal(t.seen.err.kind, ERR_DENIED);
	assert_string_equal(slurm_cluster_name(t.s), "b");
	read_again(&t);
	rest_answers(t.f, "GET " V "/nodes/", 502, "{\"errors\":[{\"error_number\":1800}]}");
	assert_string_equal(slurm_cluster_name(t.s), "b");
	end_reading(&t);
}

static void test_no_operation_takes_the_answer_of_another_cluster(void **state)
{
	(void)state;
	static const struct {
		void (*start)(struct setup *t);
		const char *line, *answer;
		int status;
	} cases[] = {
		{ read_nodes, "GET " V "/nodes/", NODES("b"), 200 },
		{ read_node, "GET " V "/node/n1", NODES("b"), 200 },
		{ read_node, "GET " V "/node/n1", FAILED(0, "b"), 200 },
		{ read_node, "GET " V "/node/n1", FAILED(2018, "b"), 500 },
		{ read_jobs, RIGHTS, FAILED(2018, "b"), 500 },
		{ drain, "POST " V "/nodes/", "{\"errors\":[]," META("b") "}", 200 },
		{ drain, "POST " V "/nodes/", FAILED(2018, "b"), 500 },
		{ comment, "POST " V "/nodes/", "{\"errors\":[]," META("b") "}", 200 },
		{ delete_node, "DELETE " V "/node/n1", "{\"errors\":[]," META("b") "}", 200 },
		{ delete_node, "DELETE " V "/node/n1", FAILED(2018, "b"), 500 },
	};
	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct setup t;
		begin_reading(&t, cases[i].start, "");
		slurm_expect_cluster(t.s, "a"); /* it counts when the answer comes */
		rest_answers(t.f, cases[i].line, cases[i].status, cases[i].answer);
		has_failed(&t, ERR_INVALID);
		assert_non_null(strstr(t.seen.err.text,
			"Slurm cluster \"b\" answers where \"a\" is expected"));
		assert_string_equal(slurm_cluster_name(t.s), "b");
		end_reading(&t);
	}
}

/* A soak: a comment was answered by the first one, just after the second was heard. */
static void test_an_answer_that_was_asked_for_before_does_not_bring_a_cluster_back(void **state)
{
	(void)state;
	struct setup t;
	begin_reading(&t, read_nodes, "");
	slurm_expect_cluster(t.s, "a");
	rest_answers(t.f, "GET " V "/nodes/", 200, NODES("b"));
	assert_string_equal(slurm_cluster_name(t.s), "b");
	read_again(&t);
	rest_answers(t.f, "GET " V "/nodes/", 200, NODES("a"));
	assert_string_equal(slurm_cluster_name(t.s), "b");
	assert_int_equal(t.seen.err.kind, ERR_INVALID);

	t.f->loop.now_ms += 10;
	read_again(&t);
	rest_answers(t.f, "GET " V "/nodes/", 200, NODES("a"));
	assert_string_equal(slurm_cluster_name(t.s), "a");
	end_reading(&t);
}

static void test_a_ping_tells_another_cluster(void **state)
{
	(void)state;
	struct setup t = { .f = fake_slurmrestd_new(), .errors_begin = "Slurm cluster " };
	t.s = rest_client(t.f);
	slurm_expect_cluster(t.s, "a");
	slurm_ping(t.s, ping_done, &t.seen);
	rest_negotiates(t.f);
	rest_answers(t.f, "GET " V "/ping/", 200, UP("b"));
	assert_int_equal(t.seen.err.kind, ERR_INVALID);
	assert_string_equal(str_text(&t.seen.text), "health 7 version v0.0.42");
	str_clear(&t.seen.text);
	slurm_expect_cluster(t.s, "b"); /* a user said that it is meant */
	slurm_ping(t.s, ping_done, &t.seen);
	rest_answers(t.f, "GET " V "/ping/", 200, UP("b"));
	rest_answers(t.f, "GET " V "/nodes/?update_time=4000000000", 304, "");
	assert_string_equal(str_text(&t.seen.text), "health 0 version v0.0.42");
	end_reading(&t);
}

static void test_without_an_expectation_or_a_name_everything_is_taken(void **state)
{
	(void)state;
	static const char *const any[] = { NULL, "" };
	struct setup t;
	for (size_t i = 0; i < LENGTH(any); i++) {
		begin_reading(&t, read_nodes, "");
		slurm_expect_cluster(t.s, "x");
		slurm_expect_cluster(t.s, any[i]);
		rest_answers(t.f, "GET " V "/nodes/", 200, NODES("b"));
		was_read(&t, "n1 ");
		end_reading(&t);
	}
	begin_reading(&t, read_nodes, "");
	slurm_expect_cluster(t.s, "a");
	rest_answers(t.f, "GET " V "/nodes/", 200, NODES(""));
	was_read(&t, "n1 ");
	read_again(&t);
	rest_answers(t.f, "GET " V "/nodes/?update_time=4998", 304, "");
	assert_false(failed(t.seen.err));
	end_reading(&t);
}

static void test_nothing_is_changed_in_another_cluster(void **state)
{
	(void)state;
	static void (*const changes[])(struct setup *t) = { drain, comment, delete_node };
	for (size_t i = 0; i < LENGTH(changes); i++) {
		struct setup t;
		begin_reading(&t, read_nodes, "");
		rest_answers(t.f, "GET " V "/nodes/", 200, NODES("b"));
		slurm_expect_cluster(t.s, "a");
		read_again(&t);
		rest_answers(t.f, "GET " V "/nodes/?update_time=4998", 200, NODES("b"));
		t.seen.calls = 0;
		changes[i](&t);
		assert_int_equal(rest_waiting(t.f), 0);
		sim_loop_pass(&t.f->loop, 0);
		has_failed(&t, ERR_INVALID);
		/* a is back */
		t.f->loop.now_ms += 10;
		read_again(&t);
		rest_answers(t.f, "GET " V "/nodes/?update_time=4998", 200, NODES("a"));
		changes[i](&t);
		assert_int_equal(rest_waiting(t.f), 1);
		end_reading(&t);
	}
}

static void test_nothing_is_changed_before_a_new_version_tells_its_cluster(void **state)
{
	(void)state;
	struct setup t;
	begin_reading(&t, read_nodes, "");
	slurm_expect_cluster(t.s, "a");
	rest_answers(t.f, "GET " V "/nodes/", 200, NODES("a"));
	read_again(&t);
	rest_replays(t.f, "GET " V "/nodes/?update_time=4998", "24.11/unknown-path");
	rest_replays(t.f, "GET /openapi/v3", "26.05/openapi");
	t.seen.calls = 0;
	drain(&t);
	sim_loop_pass(&t.f->loop, 0);
	has_failed(&t, ERR_RETRY);
	rest_answers(t.f, "GET /slurm/v0.0.45/nodes/", 200, NODES("a"));
	drain(&t);
	assert_int_equal(rest_waiting(t.f), 1);
	end_reading(&t);
}

static void test_another_cluster_makes_the_next_list_a_whole_one(void **state)
{
	(void)state;
	struct setup t;
	begin_reading(&t, read_nodes, "reading the nodes of Slurm: ");
	rest_answers(t.f, "GET " V "/nodes/", 200, NODES("a"));
	slurm_expect_cluster(t.s, "a");
	/* a list is on its way when a single read meets the other one */
	read_again(&t);
	read_node(&t);
	fake_answer(fake_open(&t.f->http, "GET " V "/node/n1"), 200, NODES("b"));
	assert_int_equal(t.seen.err.kind, ERR_INVALID);
	t.seen.calls = 0;
	/* "not modified" says that nothing has changed in b since some time of a */
	rest_answers(t.f, "GET " V "/nodes/?update_time=4998", 304, "");
	rest_answers(t.f, "GET " V "/nodes/", 200, NODES("b"));
	has_failed(&t, ERR_INVALID);
	end_reading(&t);
}

static void test_jobs_of_two_clusters_are_not_mixed(void **state)
{
	(void)state;
	struct setup t;
	begin_reading(&t, read_jobs, "reading the jobs of Slurm: ");
	rest_answers(t.f, RIGHTS, 500, FAILED(2018, "a"));
	rest_answers(t.f, "GET " V "/jobs/state/", 200, JOBS("a"));
	/* nothing is expected, but it has changed */
	rest_answers(t.f, "GET " V "/job/7", 200, JOB("b"));
	has_failed(&t, ERR_RETRY);
	assert_non_null(strstr(t.seen.err.text, "a different Slurm cluster answers now, \"b\""));
	read_again(&t); /* the token may mean another user there */
	rest_answers(t.f, RIGHTS, 500, FAILED(2018, "b"));
	rest_answers(t.f, "GET " V "/jobs/state/", 200, JOBS("b"));
	rest_answers(t.f, "GET " V "/job/7", 200, JOB("b"));
	was_read(&t, "7 n1 ");
	read_again(&t);
	/* back to a: its job 7 is another one */
	rest_answers(t.f, "GET " V "/jobs/state/", 200, JOBS("a"));
	slurm_expect_cluster(t.s, "a");
	rest_answers(t.f, "GET " V "/job/7", 200, JOB("b"));
	has_failed(&t, ERR_INVALID);
	end_reading(&t);
}

static void test_bad_input_a_name_of_any_length_is_cut(void **state)
{
	(void)state;
	AUTO(str_free) struct str body = { 0 };
	str_add(&body, "{\"nodes\":[],\"meta\":{\"slurm\":{\"cluster\":\"");
	for (int i = 0; i < 1000; i++)
		str_add(&body, "a");
	str_add(&body, "\"}}}");
	assert_int_equal(strlen(name_after("", str_text(&body))), 255);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_an_answer_that_was_asked_for_before_does_not_bring_a_cluster_back),
		cmocka_unit_test(test_the_name_is_that_of_the_newest_answer),
		cmocka_unit_test(test_no_operation_takes_the_answer_of_another_cluster),
		cmocka_unit_test(test_a_ping_tells_another_cluster),
		cmocka_unit_test(test_without_an_expectation_or_a_name_everything_is_taken),
		cmocka_unit_test(test_nothing_is_changed_in_another_cluster),
		cmocka_unit_test(test_nothing_is_changed_before_a_new_version_tells_its_cluster),
		cmocka_unit_test(test_another_cluster_makes_the_next_list_a_whole_one),
		cmocka_unit_test(test_jobs_of_two_clusters_are_not_mixed),
		cmocka_unit_test(test_bad_input_a_name_of_any_length_is_cut),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
