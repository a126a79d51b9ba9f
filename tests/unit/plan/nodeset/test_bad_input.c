/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bad input: each gives one clear sentence, nothing crashes, nothing else stops. Here
 * what is wrong in objects; for peers that are not what they should be see
 * test_cmd_operator.c, test_link.c and test_net_*.c.
 */
#include "engine/pod/pod.h"
#include "lib/given.h"
#include "json/build.h"

/* ---- bytes that no API server would send, found by fuzzing ---- */

static void test_bad_input_labels_that_are_a_list_are_read_without_harm(void **state)
{
	(void)state;
	WORLD(g);
	AUTO(own_free) struct pod_fact *p = pod_fact_new(given_json(&g,
		"{\"metadata\":{\"name\":\"foo-0\",\"labels\":[\"app\",1],\"annotations\":[null]},"
		"\"spec\":{\"volumes\":3},\"status\":[]}"));
	assert_null(pod_label(p, "app"));
	assert_null(pod_annotation(p, "app"));
	assert_string_equal(p->name, "foo-0");
}

static void test_bad_input_counts_beyond_all_bounds_stay_numbers(void **state)
{
	(void)state;
	WORLD(g);
	AUTO(own_free) struct pod_fact *p = pod_fact_new(given_json(&g,
		"{\"status\":{\"containerStatuses\":["
		"{\"restartCount\":9223372036854775807},{\"restartCount\":9223372036854775807},{"
		"\"restartCount\":-9223372036854775808}]}}"));
	assert_true(p->restarts > 0);

	given_at_rest(&g, 1);
	given_revision(&g, "other", INT64_MAX, "{\"spec\":{\"template\":{\"other\":1}}}");
	when_planned(&g);
	const struct action *a = then(&g, DO(PATCH, REVISION), NULL);
	assert_true(json_i64(json_get(given_json(&g, a->body), "revision"), 0) > 0);
}

static void test_bad_input_text_that_is_no_utf8_is_written_all_the_same(void **state)
{
	(void)state;
	WORLD(g);
	g.d = jdoc_new(&g.arena);
	struct jval *o = j_obj(g.d);
	j_set_str(g.d, o, "a", "caf\xe9 \xc3");
	j_set_str(g.d, o, "b", "\xf0\x9f\x98\x80 \xed\xa0\x80\xc0\xaf");
	const char *text = j_text(g.d, o);
	assert_non_null(text);
	assert_string_equal(json_str(json_get(given_json(&g, text), "a"), ""),
		"caf\xef\xbf\xbd \xef\xbf\xbd");
	assert_non_null(strstr(json_str(json_get(given_json(&g, text), "b"), ""),
		"\xf0\x9f\x98\x80 \xef\xbf\xbd"));
}

static void test_bad_input_a_long_sentence_is_cut_between_two_characters(void **state)
{
	(void)state;
	WORLD(g);
	struct str wide = { 0 };
	for (int i = 0; i < 300; i++)
		str_add(&wide, "\xc3\xa9");
	given_nodeset(&g,
		arena_printf(&g.arena, "\"selector\":{\"matchLabels\":{\"x%s\":\"y\"}}",
			str_text(&wide)));
	str_free(&wide);
	when_settled(&g);
	assert_non_null(strstr(condition_member(&g, "Degraded", "message"), "\xc3\xa9..."));
	assert_null(strstr(condition_member(&g, "Degraded", "message"), "\xef\xbf\xbd"));
}

/* ---- NodeSets that people write ---- */

/* Nothing is touched, and one Event and one condition say why. */
static void then_refused(struct given *g, const char *reason, const char *wrong, const char *right)
{
	when_planned(g);
	const struct action *event = then(g, DO(TELL, EVENT), "foo");
	assert_string_equal(event->reason, reason);
	assert_int_equal(g->plan.n, 2);
	when_settled(g);
	then_nothing(g);
	then_condition(g, "Degraded", "True", reason);
	const char *message = condition_member(g, "Degraded", "message");
	if (!strstr(message, wrong) || !strstr(message, right))
		fail_msg("\"%s\" lacks \"%s\" or \"%s\"", message, wrong, right);
}

static void given_bad(struct given *g, const char *spec)
{
	given_nodeset(g, "\"replicas\":1");
	given_pods(g, 3);
	g->object = given_json(g,
		arena_printf(&g->arena,
			"{\"metadata\":{\"namespace\":\"ns\",\"name\":\"foo\",\"uid\":\"set\","
			"\"resourceVersion\":\"7\"," GIVEN_FINALIZER "},"
			"\"spec\":{\"clusterName\":\"slurm\",\"serviceName\":\"svc\","
			"\"template\":" GIVEN_TEMPLATE ",%s}}",
			spec));
}

#define MATCHING ",\"selector\":{\"matchLabels\":{\"app\":\"slurmd\"}}"

static void test_bad_input_empty_selector_touches_nothing(void **state)
{
	(void)state;
	WORLD(g);
	given_bad(&g, "\"replicas\":1,\"selector\":{}");
	then_refused(&g, "SelectingAll", "every pod of namespace ns", "labels of spec.template");
}

static void test_bad_input_selector_that_does_not_match_its_template_touches_nothing(void **state)
{
	(void)state;
	WORLD(g);
	given_bad(&g, "\"replicas\":1,\"selector\":{\"matchLabels\":{\"app\":\"x\"}}");
	then_refused(&g, "SelectorMismatch", "does not match the labels of spec.template",
		"make them agree");
}

static void test_bad_input_replicas_beyond_their_bounds_touch_nothing(void **state)
{
	(void)state;
	static const char *const bad[] = { "-1", "-9223372036854775808", "65537", "2147483648",
		"9223372036854775807" };
	for (size_t i = 0; i < LENGTH(bad); i++) {
		WORLD(g);
		given_bad(&g, arena_printf(&g.arena, "\"replicas\":%s" MATCHING, bad[i]));
		then_refused(&g, "InvalidReplicas", bad[i], "from 0 to 65536");
	}
	WORLD(g);
	given_bad(&g, "\"replicas\":1e30" MATCHING);
	then_refused(&g, "InvalidReplicas", "spec.replicas", "whole number");
}

static void test_bad_input_missing_rolling_update_means_one_at_a_time(void **state)
{
	(void)state;
	static const char *const forms[] = { "{\"type\":\"RollingUpdate\"}", "{}", "null",
		"{\"rollingUpdate\":null}", "{\"rollingUpdate\":{}}" };
	for (size_t i = 0; i < LENGTH(forms); i++) {
		WORLD(g);
		given_nodeset(&g,
			arena_printf(&g.arena, "\"replicas\":3,\"updateStrategy\":%s", forms[i]));
		given_pods(&g, 3);
		for (int n = 0; n < 3; n++)
			given_old(&g.pods[n]);
		when_planned(&g);
		assert_int_equal(then(&g, DO(DRAIN, SLURM_NODE), NULL)->n_nodes, 1);
		when_settled(&g);
		then_condition(&g, "Degraded", "False", "AsExpected");
	}
}

static void test_bad_input_in_one_nodeset_does_not_stop_its_deletion(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset_meta(&g, "\"replicas\":-1", GIVEN_DELETING);
	given_pods(&g, 1);
	given_leaving(&g.pods[0], NODE_IDLE | NODE_DRAIN);
	when_planned(&g);
	then(&g, DO(DELETE, POD), "foo-0");
}

/* ---- clocks ---- */

static void test_bad_input_a_clock_that_jumps_changes_nothing_at_rest(void **state)
{
	(void)state;
	static const int64_t jumps_ms[] = { -86400000, INT64_C(-3650) * 86400000, 86400000,
		INT64_C(3650) * 86400000 };
	WORLD(g);
	given_nodeset(&g, "\"replicas\":2,\"minReadySeconds\":30");
	given_pods(&g, 2);
	when_settled(&g);
	for (size_t i = 0; i < LENGTH(jumps_ms); i++) {
		g.wall_ms = GIVEN_WALL_MS + jumps_ms[i];
		when_planned(&g);
		then_no(&g, DO(DELETE, POD), NULL);
		then_no(&g, DO(CREATE, POD), NULL);
		then_no(&g, DO(DRAIN, SLURM_NODE), NULL);
		/*
		 * Back: how long it has been ready cannot be told, so it is looked at
		 * again soon.
		 */
		assert_in_range(g.plan.again_in_ms, jumps_ms[i] < 0, jumps_ms[i] < 0 ? 31000 : 0);
	}
}

static void test_bad_input_a_clock_that_jumps_ends_no_drain_early(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":0");
	struct given_pod *p = given_pod(&g, 0);
	given_leaving(p, NODE_ALLOCATED | NODE_DRAIN);
	given_annotation(p, ANNOTATION_POD_DEADLINE, "2026-01-01T01:00:00Z");
	g.wall_ms += INT64_C(365) * 86400000; /* long after the end that was written */
	when_planned(&g);
	then_no(&g, DO(DELETE, POD), NULL);
	given_absent(&g, p, 500); /* absence is timed by the clock that never jumps */
	when_planned(&g);
	then_no(&g, DO(DELETE, POD), NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bad_input_labels_that_are_a_list_are_read_without_harm),
		cmocka_unit_test(test_bad_input_counts_beyond_all_bounds_stay_numbers),
		cmocka_unit_test(test_bad_input_text_that_is_no_utf8_is_written_all_the_same),
		cmocka_unit_test(test_bad_input_a_long_sentence_is_cut_between_two_characters),
		cmocka_unit_test(test_bad_input_empty_selector_touches_nothing),
		cmocka_unit_test(
			test_bad_input_selector_that_does_not_match_its_template_touches_nothing),
		cmocka_unit_test(test_bad_input_replicas_beyond_their_bounds_touch_nothing),
		cmocka_unit_test(test_bad_input_missing_rolling_update_means_one_at_a_time),
		cmocka_unit_test(test_bad_input_in_one_nodeset_does_not_stop_its_deletion),
		cmocka_unit_test(test_bad_input_a_clock_that_jumps_changes_nothing_at_rest),
		cmocka_unit_test(test_bad_input_a_clock_that_jumps_ends_no_drain_early),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
