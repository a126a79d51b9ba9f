/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of nodes, whole and conditional. */
#include "lib/slurm_reading.h"

#define WHOLE "GET /slurm/v0.0.42/nodes/"
/* last_update of the recorded answer is 1795271780 */
#define SINCE "GET /slurm/v0.0.42/nodes/?update_time=1795271778"

/* "n1:80010:comment:reason " */
static void each(void *ctx, const struct slurm_node *n)
{
	struct seen *s = ctx;
	str_addf(&s->text, "%s:%x:%s:%s ", n->name, (unsigned)n->state, n->comment, n->reason);
}

static void done(void *ctx, struct err err, bool changed, int64_t asked_ms)
{
	seen_done(ctx, err, changed, asked_ms);
}

static void start(struct setup *t) { slurm_nodes(t->s, each, done, &t->seen); }
static void begin(struct setup *t) { begin_reading(t, start, "reading the nodes of Slurm: "); }

static void test_nodes_of_every_version(void **state)
{
	(void)state;
	static const struct {
		const char *version, *recorded;
	} cases[] = { { "v0.0.40", "24.11/v0.0.40/nodes" }, { "v0.0.41", "24.11/v0.0.41/nodes" },
		{ "v0.0.42", "24.11/v0.0.42/nodes" }, { "v0.0.42", "26.05/v0.0.42/nodes" },
		{ "v0.0.44", "26.05/v0.0.44/nodes" }, { "v0.0.45", "26.05/v0.0.45/nodes" } };
	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct setup t = { .f = fake_slurmrestd_new() };
		char line[80], openapi[80];
		snprintf(line, sizeof(line), "GET /slurm/%s/nodes/", cases[i].version);
		snprintf(openapi, sizeof(openapi), "{\"paths\":{\"/slurm/%s/nodes/\":{}}}",
			cases[i].version);
		t.s = rest_client(t.f);
		slurm_nodes(t.s, each, done, &t.seen);
		rest_answers(t.f, "GET /openapi/v3", 200, openapi);
		rest_replays(t.f, line, cases[i].recorded);
		assert_string_equal(t.seen.err.text, "");
		assert_true(t.seen.changed);
		/* both ALLOCATED and DYNAMIC_NORM; which is first differs */
		assert_non_null(strstr(str_text(&t.seen.text), "n1:40001:"));
		assert_non_null(strstr(str_text(&t.seen.text), "n2:40001::"));
		end_reading(&t);
	}
}

static void test_names_states_comments_and_reasons(void **state)
{
	(void)state;
	struct setup t;
	begin(&t);
	rest_answers(t.f, WHOLE, 200,
		"{\"nodes\":["
		"{\"name\":\"a\",\"state\":[\"IDLE\",\"DRAIN\",\"DYNAMIC_NORM\"],\"reason\":"
		"\"slurm-operator: x\",\"comment\":\"{}\"},"
		"{\"name\":\"b\",\"state\":[\"IDLE\",\"SLEEPING\"],\"reason\":null},"
		"{\"name\":\"c\",\"state\":\"DOWN\",\"comment\":5},"
		"{\"name\":\"d\",\"state\":[]}],\"last_update\":1795271780,\"errors\":[]}");
	was_read(&t, "a:40110:{}:slurm-operator: x b:80000010:: c:2:: d:80000000:: ");
	assert_int_equal(t.seen.asked_ms, t.f->loop.now_ms - 5);
	/* last_update as a plain number serves as well */
	read_again(&t);
	rest_answers(t.f, SINCE, 304, "");
	end_reading(&t);
}

static void test_unchanged_nodes_are_304_and_keep_their_facts(void **state)
{
	(void)state;
	struct setup t;
	begin(&t);
	rest_replays(t.f, WHOLE, "24.11/v0.0.42/nodes");
	was_read(&t, "n2:40001:: n1:40001:y: ");
	for (int i = 0; i < 3; i++) {
		sim_loop_pass(&t.f->loop, 10000);
		read_again(&t);
		rest_replays(t.f, SINCE, "24.11/v0.0.42/nodes-unchanged");
		assert_int_equal(t.seen.err.kind, ERR_NONE);
		assert_false(t.seen.changed);
		assert_string_equal(str_text(&t.seen.text), "");
		assert_int_equal(t.seen.asked_ms, t.f->loop.now_ms - 5);
	}
	end_reading(&t);
}

static void test_time_is_asked_with_a_margin_before_last_update(void **state)
{
	(void)state;
	struct setup t;
	begin(&t);
	rest_answers(t.f, WHOLE, 200,
		"{\"nodes\":[],\"last_update\":{\"set\":true,\"infinite\":false,\"number\":5000},"
		"\"errors\":[]}");
	read_again(&t);
	rest_answers(t.f, "GET /slurm/v0.0.42/nodes/?update_time=4998", 200,
		"{\"nodes\":[],\"last_update\":{\"set\":true,\"infinite\":false,\"number\":5010}}");
	read_again(&t);
	rest_answers(t.f, "GET /slurm/v0.0.42/nodes/?update_time=5008", 304, "");
	read_again(&t);
	rest_answers(t.f, "GET /slurm/v0.0.42/nodes/?update_time=5008", 304, "");
	end_reading(&t);
}

static void test_v40_and_v41_take_no_number_as_time(void **state)
{
	(void)state;
	struct fake_slurmrestd *f = fake_slurmrestd_new();
	struct seen seen = { 0 };
	struct slurm *s = rest_client(f);
	slurm_nodes(s, each, done, &seen);
	rest_answers(f, "GET /openapi/v3", 200, "{\"paths\":{\"/slurm/v0.0.41/nodes/\":{}}}");
	rest_replays(f, "GET /slurm/v0.0.41/nodes/", "24.11/v0.0.41/nodes");
	slurm_nodes(s, each, done, &seen);
	/* were it refused all the same (as a plain number is), the whole list is read */
	rest_replays(f, "GET /slurm/v0.0.41/nodes/?update_time=uts1795271775",
		"24.11/v0.0.41/nodes-number-as-time");
	rest_replays(f, "GET /slurm/v0.0.41/nodes/", "24.11/v0.0.41/nodes");
	assert_string_equal(seen.err.text, "");
	assert_int_equal(seen.calls, 2);
	slurm_free(s);
	fake_slurmrestd_free(f);
	str_free(&seen.text);
}

static void test_unable_to_query_partitions_is_read_in_full(void **state)
{
	(void)state;
	struct setup t;
	begin(&t);
	rest_replays(t.f, WHOLE, "24.11/v0.0.42/nodes");
	read_again(&t);
	rest_replays(t.f, SINCE, "24.11/v0.0.42/nodes-changed-since"); /* 500 */
	assert_int_equal(t.seen.calls, 0);
	sim_loop_pass(&t.f->loop, 7);
	rest_replays(t.f, WHOLE, "24.11/v0.0.42/nodes");
	was_read(&t, "n2:40001:: n1:40001:y: ");
	assert_int_equal(t.seen.asked_ms, t.f->loop.now_ms - 5); /* of the second request */
	read_again(&t);
	/* The next is conditional again */
	rest_replays(t.f, SINCE, "24.11/v0.0.42/nodes-unchanged");
	end_reading(&t);
}

static void test_the_full_read_is_tried_once_only(void **state)
{
	(void)state;
	struct setup t;
	begin(&t);
	rest_replays(t.f, WHOLE, "24.11/v0.0.42/nodes");
	read_again(&t);
	rest_replays(t.f, SINCE, "24.11/v0.0.42/nodes-changed-since");
	rest_replays(t.f, WHOLE, "24.11/v0.0.42/nodes-changed-since");
	has_failed(&t, ERR_RETRY);
	end_reading(&t);
}

static void test_changed_nodes_in_26_05_come_at_once(void **state)
{
	(void)state;
	struct setup t;
	begin(&t);
	rest_replays(t.f, WHOLE, "24.11/v0.0.42/nodes");
	read_again(&t);
	rest_replays(t.f, SINCE, "26.05/v0.0.42/nodes-changed-since");
	assert_true(t.seen.changed);
	assert_int_equal(t.seen.err.kind, ERR_NONE);
	end_reading(&t);
}

static void test_304_without_a_condition_is_an_error(void **state)
{
	(void)state;
	struct setup t;
	begin(&t);
	rest_answers(t.f, WHOLE, 304, "");
	has_failed(&t, ERR_RETRY);
	end_reading(&t);
}

static void test_a_cluster_without_nodes_is_an_empty_list(void **state)
{
	(void)state;
	struct setup t;
	begin(&t);
	rest_replays(t.f, WHOLE, "24.11/v0.0.42/nodes-none");
	was_read(&t, "");
	end_reading(&t);
}

static void test_a_body_without_nodes_is_never_an_empty_list(void **state)
{
	(void)state;
	static const struct {
		const char *body;
		enum err_kind kind;
	} cases[] = {
		{ "{\"errors\":[],\"warnings\":[]}", ERR_INVALID },
		{ "{\"nodes\":null,\"errors\":[]}", ERR_INVALID },
		{ "{\"nodes\":{},\"errors\":[]}", ERR_INVALID },
		{ "{\"nodes\":[],\"errors\":[{\"description\":\"d\",\"error_number\":9999,"
		  "\"error\":\"e\"}]}",
			ERR_INVALID },
		{ "{\"nodes\":[],\"errors\":[{\"description\":\"without a number\"}]}", ERR_RETRY },
		{ "{\"nodes\":[{\"name\":\"a\",\"state\":[\"IDLE\"]}],\"errors\":[{\"error_"
		  "number\":0,\"description\":\"half of it\"}]}",
			ERR_RETRY },
		{ "{\"nodes\":[],\"errors\":[],\"warnings\":[{\"description\":\"No changes\"}]}",
			ERR_RETRY },
		{ "{\"nodes\":[{\"state\":[\"IDLE\"]}],\"errors\":[]}", ERR_INVALID },
		{ "{\"nodes\":[{\"name\":\"a\",\"state\":[\"IDLE\"]},{\"name\":\"b\"}],\"errors\":["
		  "]}",
			ERR_INVALID },
		{ "{\"nodes\":[{\"name\":\"a b\",\"state\":[]}],\"errors\":[]}", ERR_INVALID },
		{ "{\"nodes\":[{\"name\":\"a\",\"state\":[\"IDLE\"]},{\"name\":\"\",\"state\":[]}],"
		  "\"errors\":[]}",
			ERR_INVALID },
		{ "[]", ERR_INVALID },
		{ "", ERR_INVALID },
		{ "<html></html>", ERR_INVALID },
	};
	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct setup t;
		begin(&t);
		rest_answers(t.f, WHOLE, 200, cases[i].body);
		has_failed(&t, cases[i].kind);
		read_again(&t);
		rest_replays(t.f, WHOLE, "24.11/v0.0.42/nodes"); /* nothing was remembered */
		end_reading(&t);
	}
}

static void test_bad_input_an_answer_cut_anywhere_gives_no_node(void **state)
{
	(void)state;
	int status;
	AUTO(own_free) char *body = recorded_answer("24.11/v0.0.42/nodes", &status);
	for (size_t n = strrchr(body, '}') - body; n; n--) {
		struct setup t;
		body[n] = '\0';
		begin(&t);
		rest_answers(t.f, WHOLE, status, body);
		has_failed(&t, ERR_INVALID);
		end_reading(&t);
	}
}

static void test_an_absent_node_is_200_without_the_key(void **state)
{
	(void)state;
	struct setup t;
	begin(&t);
	rest_replays(t.f, WHOLE, "24.11/v0.0.42/node-nosuch");
	has_failed(&t, ERR_RETRY);
	end_reading(&t);
}

static void test_errors_of_reading(void **state)
{
	(void)state;
	static const struct {
		const char *recorded;
		enum err_kind kind;
		int code;
	} cases[] = {
		{ "24.11/v0.0.42/nodes-bad-token", ERR_DENIED, 1007 },
		{ "26.05/v0.0.44/nodes-bad-token", ERR_DENIED, 1007 },
		{ "24.11/no-token", ERR_DENIED, 401 },
		{ "24.11/v0.0.42/nodes-slurmctld-down", ERR_RETRY, 1800 },
		{ "24.11/accept-html", ERR_INVALID, 415 },
	};
	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct setup t;
		begin(&t);
		rest_replays(t.f, WHOLE, cases[i].recorded);
		has_failed(&t, cases[i].kind);
		assert_int_equal(t.seen.err.code, cases[i].code);
		end_reading(&t);
	}
}

static void test_transport_errors_are_passed_on(void **state)
{
	(void)state;
	static const enum err_kind kinds[] = { ERR_RETRY, ERR_LOST, ERR_DENIED, ERR_TOO_LARGE };
	for (size_t i = 0; i < LENGTH(kinds); i++) {
		struct setup t;
		begin(&t);
		rest_fails(t.f, WHOLE, err_new(kinds[i], "it did not work"));
		has_failed(&t, kinds[i]);
		end_reading(&t);
	}
}

static void test_forget_makes_the_next_read_a_full_one(void **state)
{
	(void)state;
	struct setup t;
	begin(&t);
	rest_replays(t.f, WHOLE, "24.11/v0.0.42/nodes");
	slurm_nodes_forget(t.s);
	read_again(&t);
	slurm_nodes_forget(t.s); /* an answer on its way when it is called is not remembered */
	rest_replays(t.f, WHOLE, "24.11/v0.0.42/nodes");
	read_again(&t);
	rest_replays(t.f, WHOLE, "24.11/v0.0.42/nodes");
	read_again(&t);
	rest_replays(t.f, SINCE, "24.11/v0.0.42/nodes-unchanged");
	end_reading(&t);
}

static void test_not_modified_counts_only_while_the_earlier_list_does(void **state)
{
	(void)state;
	struct setup t;
	begin(&t);
	rest_replays(t.f, WHOLE, "24.11/v0.0.42/nodes");
	read_again(&t);
	slurm_nodes_forget(t.s); /* after the question went out */
	rest_replays(t.f, SINCE, "24.11/v0.0.42/nodes-unchanged");
	assert_int_equal(t.seen.calls, 0);
	rest_replays(t.f, WHOLE, "24.11/v0.0.42/nodes");
	was_read(&t, "n2:40001:: n1:40001:y: ");
	end_reading(&t);
}

static void test_a_whole_list_is_read_every_half_hour(void **state)
{
	(void)state;
	struct setup t;
	begin(&t);
	rest_replays(t.f, WHOLE, "24.11/v0.0.42/nodes");
	sim_loop_pass(&t.f->loop, 29 * 60 * 1000);
	read_again(&t);
	rest_replays(t.f, SINCE, "24.11/v0.0.42/nodes-unchanged");
	sim_loop_pass(&t.f->loop, 60 * 1000);
	read_again(&t);
	rest_replays(t.f, WHOLE, "24.11/v0.0.42/nodes");
	end_reading(&t);
}

static void test_a_new_version_reads_in_full(void **state)
{
	(void)state;
	struct setup t;
	begin(&t);
	rest_replays(t.f, WHOLE, "24.11/v0.0.42/nodes");
	read_again(&t);
	rest_replays(t.f, SINCE, "24.11/unknown-path");
	rest_replays(t.f, "GET /openapi/v3", "26.05/openapi");
	rest_replays(t.f, "GET /slurm/v0.0.45/nodes/", "26.05/v0.0.45/nodes");
	assert_true(t.seen.changed);
	assert_int_equal(t.seen.err.kind, ERR_NONE);
	end_reading(&t);
}

static void test_large_lists_have_time_and_are_not_gathered(void **state)
{
	(void)state;
	struct setup t;
	begin(&t);
	assert_true(rest_oldest(t.f)->on_body);
	assert_true(rest_oldest(t.f)->timeout_ms >= 60000);
	rest_replays(t.f, WHOLE, "24.11/v0.0.42/nodes");
	end_reading(&t);
}

static void test_freed_from_within_done(void **state)
{
	(void)state;
	struct setup t;
	begin(&t);
	t.seen.free_me = t.s;
	rest_replays(t.f, WHOLE, "24.11/v0.0.42/nodes");
	t.s = NULL;
	end_reading(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nodes_of_every_version),
		cmocka_unit_test(test_names_states_comments_and_reasons),
		cmocka_unit_test(test_unchanged_nodes_are_304_and_keep_their_facts),
		cmocka_unit_test(test_time_is_asked_with_a_margin_before_last_update),
		cmocka_unit_test(test_v40_and_v41_take_no_number_as_time),
		cmocka_unit_test(test_unable_to_query_partitions_is_read_in_full),
		cmocka_unit_test(test_the_full_read_is_tried_once_only),
		cmocka_unit_test(test_changed_nodes_in_26_05_come_at_once),
		cmocka_unit_test(test_304_without_a_condition_is_an_error),
		cmocka_unit_test(test_a_cluster_without_nodes_is_an_empty_list),
		cmocka_unit_test(test_a_body_without_nodes_is_never_an_empty_list),
		cmocka_unit_test(test_bad_input_an_answer_cut_anywhere_gives_no_node),
		cmocka_unit_test(test_an_absent_node_is_200_without_the_key),
		cmocka_unit_test(test_errors_of_reading),
		cmocka_unit_test(test_transport_errors_are_passed_on),
		cmocka_unit_test(test_forget_makes_the_next_read_a_full_one),
		cmocka_unit_test(test_not_modified_counts_only_while_the_earlier_list_does),
		cmocka_unit_test(test_a_whole_list_is_read_every_half_hour),
		cmocka_unit_test(test_a_new_version_reads_in_full),
		cmocka_unit_test(test_large_lists_have_time_and_are_not_gathered),
		cmocka_unit_test(test_freed_from_within_done),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
