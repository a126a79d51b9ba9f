#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/own.h"
#include "base/str.h"
#include "json/json.h"
#include "json/yaml.h"

static struct json_doc *parsed(const char *text)
{
	struct json_doc *doc = NULL;
	struct err e = json_parse(text, strlen(text), 1 << 20, &doc);
	assert_false(failed(e));
	return doc;
}

static void test_absent_members_give_the_fallback(void **state)
{
	(void)state;
	AUTO(json_auto) struct json_doc *doc = parsed("{\"metadata\":{\"name\":\"foo\",\"n\":3},\"list\":[1,2]}");
	const struct json *root = json_root(doc);
	assert_string_equal(json_str(json_at(root, "metadata", "name"), "-"), "foo");
	assert_string_equal(json_str(json_at(root, "no", "such", "path"), "-"), "-");
	assert_int_equal(json_i64(json_at(root, "metadata", "name"), -1), -1);
	assert_int_equal(json_i64(json_at(root, "metadata", "n"), -1), 3);
	assert_int_equal(json_count(json_get(root, "list")), 2);
	assert_true(json_is_null(json_get(root, "absent")));
}

static void test_iteration_visits_each_member_once(void **state)
{
	(void)state;
	AUTO(json_auto) struct json_doc *doc = parsed("{\"a\":{\"x\":[1,{\"y\":2}]},\"b\":[],\"c\":3}");
	struct str seen = { 0 };
	struct json_iter it = json_iter(json_root(doc));
	while (json_next(&it))
		str_addf(&seen, "%s%d ", it.key, (int)json_count(it.value));
	assert_string_equal(str_text(&seen), "a1 b0 c0 ");
	it = json_iter(json_at(json_root(doc), "a", "x"));
	assert_true(json_next(&it));
	assert_int_equal(json_i64(it.value, 0), 1);
	assert_true(json_next(&it));
	assert_int_equal(json_i64(json_get(it.value, "y"), 0), 2);
	assert_false(json_next(&it));
	str_free(&seen);
}

static void test_bad_input_hostile_json_gets_one_sentence(void **state)
{
	(void)state;
	struct str deep = { 0 };
	for (int i = 0; i < 100000; i++)
		str_add(&deep, "[");
	static const char *const bad[] = { "", "{", "{\"a\":1,}", "nope", "{\"a\":\"\xff\"}", "{} {}", "[1e999]" };
	for (size_t i = 0; i < LENGTH(bad); i++) {
		struct json_doc *doc = NULL;
		struct err e = json_parse(bad[i], strlen(bad[i]), 1 << 20, &doc);
		assert_int_equal(e.kind, ERR_INVALID);
		assert_null(doc);
	}
	struct json_doc *doc = NULL;
	struct err e = json_parse(deep.text, deep.len, 1 << 20, &doc);
	assert_int_equal(e.kind, ERR_INVALID);
	assert_non_null(strstr(e.text, "nested deeper than 64"));
	assert_int_equal(json_parse("[1,2,3]", 7, 6, &doc).kind, ERR_TOO_LARGE);
	str_free(&deep);
}

static void test_brackets_inside_strings_are_no_nesting(void **state)
{
	(void)state;
	struct str text = { 0 };
	str_add(&text, "[\"\\\"");
	for (int i = 0; i < 200; i++)
		str_add(&text, "[");
	str_add(&text, "\"]");
	AUTO(json_auto) struct json_doc *doc = parsed(text.text);
	assert_int_equal(json_count(json_root(doc)), 1);
	str_free(&text);
}

static void test_building_replaces_members_and_sorts_on_demand(void **state)
{
	(void)state;
	struct arena a = { 0 };
	struct jdoc *d = jdoc_new(&a);
	struct jval *o = j_obj(d);
	j_set_int(d, o, "b", 1);
	j_set_int(d, o, "b", 2);
	j_set_str(d, j_child(d, o, "a"), "z", "q\"");
	j_push(d, j_set(d, o, "list", j_arr(d)), j_bool(d, true));
	assert_string_equal(j_text(d, o), "{\"b\":2,\"a\":{\"z\":\"q\\\"\"},\"list\":[true]}");
	assert_string_equal(j_text_sorted(d, o), "{\"a\":{\"z\":\"q\\\"\"},\"b\":2,\"list\":[true]}");
	j_del(o, "a");
	assert_null(j_get(o, "a"));
	arena_free(&a);
}

static void test_yaml_becomes_json(void **state)
{
	(void)state;
	static const char text[] = "apiVersion: v1\nn: 3\nyes: yes\nt: true\nnothing:\nlist:\n- {a: 1.5}\n- \"2\"\n";
	struct json_doc *raw = NULL;
	assert_false(failed(yaml_to_json(text, strlen(text), &raw)));
	AUTO(json_auto) struct json_doc *doc = raw;
	const struct json *root = json_root(doc);
	assert_int_equal(json_i64(json_get(root, "n"), 0), 3);
	assert_string_equal(json_str(json_get(root, "yes"), ""), "yes");
	assert_true(json_bool(json_get(root, "t"), false));
	assert_true(json_is_null(json_get(root, "nothing")));
	assert_string_equal(json_str(json_item(json_get(root, "list"), 1), ""), "2");
}

static void test_bad_input_hostile_yaml_gets_a_line_number(void **state)
{
	(void)state;
	static const char *const bad[] = { "a: 1\na: 2\n", "a: [1\n", "a: &x [*x]\n", "? [1]\n: 2\n",
		("a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\n"
		"d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: [*e,*e,*e,*e,*e,*e,*e,*e,*e]\n") };
	for (size_t i = 0; i < LENGTH(bad); i++) {
		struct json_doc *doc = NULL;
		struct err e = yaml_to_json(bad[i], strlen(bad[i]), &doc);
		assert_int_equal(e.kind, ERR_INVALID);
		assert_non_null(strstr(e.text, "YAML line"));
		assert_null(doc);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_absent_members_give_the_fallback),
		cmocka_unit_test(test_iteration_visits_each_member_once),
		cmocka_unit_test(test_bad_input_hostile_json_gets_one_sentence),
		cmocka_unit_test(test_brackets_inside_strings_are_no_nesting),
		cmocka_unit_test(test_building_replaces_members_and_sorts_on_demand),
		cmocka_unit_test(test_yaml_becomes_json),
		cmocka_unit_test(test_bad_input_hostile_yaml_gets_a_line_number),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
