/*
 * Bad input: each gives one clear sentence, nothing crashes, nothing else stops. Here what is wrong in objects; for peers that are not what they
 * should be see test_bad_peer.c.
 */
#include "engine/pod.h"
#include "unit/given.h"

/* ---- bytes that no API server would send, found by fuzzing ---- */

static void test_bad_input_labels_that_are_a_list_are_read_without_harm(void **state)
{
	(void)state;
	WORLD(g);
	AUTO(own_free) struct pod_fact *p = pod_fact_new(given_json(&g,
		"{\"metadata\":{\"name\":\"foo-0\",\"labels\":[\"app\",1],\"annotations\":[null]},\"spec\":{\"volumes\":3},\"status\":[]}"));
	assert_null(pod_label(p, "app"));
	assert_null(pod_annotation(p, "app"));
	assert_string_equal(p->name, "foo-0");
}

static void test_bad_input_counts_beyond_all_bounds_stay_numbers(void **state)
{
	(void)state;
	WORLD(g);
	AUTO(own_free) struct pod_fact *p = pod_fact_new(given_json(&g, "{\"status\":{\"containerStatuses\":["
		"{\"restartCount\":9223372036854775807},{\"restartCount\":9223372036854775807},{\"restartCount\":-9223372036854775808}]}}"));
	assert_true(p->restarts > 0);

	given_nodeset(&g, "\"replicas\":1");
	given_pods(&g, 1);
	given_revision(&g, "other", INT64_MAX, "{\"spec\":{\"template\":{\"other\":1}}}");
	when_planned(&g);
	const struct action *a = then(&g, ACT_PATCH_REVISION, NULL);
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
	assert_string_equal(json_str(json_get(given_json(&g, text), "a"), ""), "caf\xef\xbf\xbd \xef\xbf\xbd");
	assert_non_null(strstr(json_str(json_get(given_json(&g, text), "b"), ""), "\xf0\x9f\x98\x80 \xef\xbf\xbd"));
}

static void test_bad_input_a_long_sentence_is_cut_between_two_characters(void **state)
{
	(void)state;
	WORLD(g);
	struct str wide = { 0 };
	for (int i = 0; i < 300; i++)
		str_add(&wide, "\xc3\xa9");
	given_nodeset(&g, arena_printf(&g.arena, "\"selector\":{\"matchLabels\":{\"x%s\":\"y\"}}", str_text(&wide)));
	str_free(&wide);
	when_settled(&g);
	assert_non_null(strstr(condition_member(&g, "Degraded", "message"), "\xc3\xa9..."));
	assert_null(strstr(condition_member(&g, "Degraded", "message"), "\xef\xbf\xbd"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bad_input_labels_that_are_a_list_are_read_without_harm),
		cmocka_unit_test(test_bad_input_counts_beyond_all_bounds_stay_numbers),
		cmocka_unit_test(test_bad_input_text_that_is_no_utf8_is_written_all_the_same),
		cmocka_unit_test(test_bad_input_a_long_sentence_is_cut_between_two_characters),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
