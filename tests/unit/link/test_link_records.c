/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes of Slurm that name a pod that is gone, and their removal. */
#include "lib/link_world.h"

#define NODE(name, state, comment) \
	"{\"name\":\"" name "\",\"state\":[" state "],\"reason\":\"x\",\"comment\":\"" comment "\"}"
#define OF(ns, pod) "{\\\"namespace\\\":\\\"" ns "\\\",\\\"podName\\\":\\\"" pod "\\\"}"
#define LEFT "\"IDLE\",\"DRAIN\",\"DYNAMIC_NORM\""

struct seen {
	const char *has; /* a pod that is there */
	char text[200];
	int64_t since_ms;
};

static bool has_pod(void *ctx, const char *node, const char *pod)
{
	(void)node;
	return str_eq(((struct seen *)ctx)->has, pod);
}

static void each(void *ctx, const struct slurm_record *r)
{
	struct seen *s = ctx;
	size_t n = strlen(s->text);
	snprintf(s->text + n, sizeof(s->text) - n, "%s=%s ", r->node, r->pod);
	s->since_ms = r->podless_since_ms;
}

static struct seen records(struct world *w, const char *has)
{
	struct seen s = { .has = has };
	slurm_link_each_record(w->link, "ns", 0, has_pod, each, &s);
	return s;
}

static void test_records_are_drained_nodes_that_name_a_pod_that_is_gone(void **state)
{
	struct world *w = *state;
	w->nodes = NODES(NODE("a", LEFT, OF("ns", "foo-1")) "," NODE("b", LEFT,
		OF("other", "foo-2")) "," NODE("c", LEFT, "rack 3") "," NODE("d", LEFT,
		"") "," NODE("e", "\"IDLE\"", OF("ns", "foo-3")) "," NODE("f", LEFT,
		OF("ns", "foo-4")));
	given_up(w);
	assert_string_equal(records(w, "foo-4").text, "a=foo-1 d=d ");
}

static void test_the_time_without_a_pod_is_unbroken(void **state)
{
	struct world *w = *state;
	w->nodes = NODES(NODE("a", LEFT, OF("ns", "foo-1")));
	given_up(w);
	int64_t first_ms = records(w, NULL).since_ms;
	when_passed(w, 5000);
	assert_int_equal(records(w, NULL).since_ms, first_ms);
	assert_string_equal(records(w, "foo-1").text, "");
	when_passed(w, 1000);
	assert_true(records(w, NULL).since_ms > first_ms + 5000);
}

static void test_a_comment_that_changes_is_read_anew(void **state)
{
	struct world *w = *state;
	w->nodes = NODES(NODE("a", LEFT, OF("ns", "foo-1")));
	given_up(w);
	assert_string_equal(records(w, NULL).text, "a=foo-1 ");
	w->nodes = NODES(NODE("a", LEFT, "mine (alice)"));
	when_passed(w, 11000);
	assert_string_equal(records(w, NULL).text, "");
}

static void told(void *ctx, struct err err) { *(enum err_kind *)ctx = err.kind; }

static struct http_call *removal(struct world *w)
{
	for (int i = 0; i < w->rest.n; i++)
		if (w->rest.calls[i].open && str_eq(w->rest.calls[i].method, "DELETE"))
			return &w->rest.calls[i];
	fail_msg("no removal is open");
	return NULL;
}

static void test_a_node_that_is_removed_is_in_flight_until_it_is_seen_gone(void **state)
{
	struct world *w = *state;
	enum err_kind kind = ERR_INTERNAL;
	w->nodes = NODES(NODE("a", LEFT, OF("ns", "foo-1")) "," IDLE);
	given_up(w);
	slurm_link_delete_node(w->link, "a", told, &kind);
	assert_true(node(w, "a").in_flight);
	w->nodes = NODES(IDLE);
	answer(w, removal(w), 200, "{\"errors\":[],\"warnings\":[]}");
	assert_int_equal(kind, ERR_NONE);
	when_passed(w, 1000);
	assert_int_equal(node(w, "a").known, NO);
	assert_string_equal(records(w, NULL).text, "");
}

/* The removal may yet arrive, and would take the node of a new pod. */
static void test_a_removal_without_an_answer_is_in_flight_for_as_long_as_it_may_come(void **state)
{
	struct world *w = *state;
	enum err_kind kind = ERR_NONE;
	w->nodes = NODES(NODE("a", LEFT, OF("ns", "foo-1")));
	given_up(w);
	slurm_link_delete_node(w->link, "a", told, &kind);
	fake_fail(removal(w), ERR_LOST);
	assert_int_equal(kind, ERR_LOST);
	when_passed(w, SLURM_LATE_MS - 2000);
	assert_true(node(w, "a").in_flight);
	when_passed(w, 15000);
	assert_false(node(w, "a").in_flight);
}

/* Plans expect the nodes of their pods in one order, nearly always. */
static void test_in_whatever_order_nodes_are_expected_each_is_found(void **state)
{
	struct world *w = *state;
	static const char *const rounds[] = { "abc", "abc", "cab", "aab", "c", "ba", "cba" };
	w->nodes = NODES(NODE("a", LEFT, "of a") "," NODE("b", LEFT, "of b") "," NODE("c", LEFT,
		"of c"));
	given_up(w);
	for (size_t i = 0; i < LENGTH(rounds); i++) {
		slurm_link_begin(w->link);
		for (const char *at = rounds[i]; *at; at++) {
			char name[] = { *at, '\0' }, comment[] = "of ?";
			comment[3] = *at;
			assert_string_equal(node(w, name).comment, comment);
		}
	}
}

static void test_a_node_that_was_forgotten_is_expected_anew(void **state)
{
	enum { FORGOTTEN_MS = 700000 };
	struct world *w = *state;
	w->nodes = NODES(NODE("a", LEFT, "") "," NODE("b", LEFT, ""));
	given_up(w);
	for (int i = 0; i < 2; i++) {
		slurm_link_begin(w->link);
		assert_int_equal(node(w, "a").known, YES);
		assert_int_equal(node(w, "b").known, YES);
	}
	w->nodes = NODES(NODE("a", LEFT, ""));
	when_passed(w, FORGOTTEN_MS);
	slurm_link_begin(w->link);
	assert_int_equal(node(w, "a").known, YES);
	assert_int_equal(node(w, "b").known, NO);
}

/* That it has its pod is known by the plan's own word. */
static void test_a_node_that_is_expected_has_its_pod(void **state)
{
	struct world *w = *state;
	struct seen s = { 0 };
	w->nodes = NODES(NODE("a", LEFT, "") "," NODE("b", LEFT, ""));
	given_up(w);
	uint64_t before = slurm_link_begin(w->link);
	node(w, "a");
	uint64_t round = slurm_link_begin(w->link);
	node(w, "b");
	assert_true(round != before);
	slurm_link_each_record(w->link, "ns", round, has_pod, each, &s);
	assert_string_equal(s.text, "a=a ");
}

#define T(name) cmocka_unit_test_setup_teardown(name, given_a_link, free_world)
int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_records_are_drained_nodes_that_name_a_pod_that_is_gone),
		T(test_the_time_without_a_pod_is_unbroken),
		T(test_a_comment_that_changes_is_read_anew),
		T(test_in_whatever_order_nodes_are_expected_each_is_found),
		T(test_a_node_that_was_forgotten_is_expected_anew),
		T(test_a_node_that_is_expected_has_its_pod),
		T(test_a_node_that_is_removed_is_in_flight_until_it_is_seen_gone),
		T(test_a_removal_without_an_answer_is_in_flight_for_as_long_as_it_may_come),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
