/* SPDX-License-Identifier: Apache-2.0 */
/* Documents: read, built, merged, and in canonical form. */
#include "lib/test.h"

#include "json/build.h"
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
	AUTO(json_auto) struct json_doc *doc =
		parsed("{\"metadata\":{\"name\":\"foo\",\"n\":3},\"list\":[1,2]}");
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
	static const char text[] = "{\"a\":{\"x\":[1,{\"y\":2}]},\"b\":[],\"c\":3}";
	AUTO(json_auto) struct json_doc *doc = parsed(text);
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
	static const char *const bad[] = { "", "{", "{\"a\":1,}", "nope", "{\"a\":\"\xff\"}",
		"{} {}", "[1e999]" };
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

/* {"a":{"n":{"n":... depth levels in all ...}},"b":1} */
static char *nested(int depth)
{
	struct str text = { 0 };
	str_add(&text, "{\"a\":");
	for (int i = 2; i < depth; i++)
		str_add(&text, "{\"n\":");
	str_add(&text, "[\"]}\"]");
	for (int i = 2; i < depth; i++)
		str_add(&text, "}");
	str_add(&text, ",\"b\":1}");
	return str_take(&text);
}

static void test_what_is_too_deep_and_begins_many_objects_is_refused(void **state)
{
	(void)state;
	AUTO(str_free) struct str text = { 0 };
	AUTO(json_auto) struct json_doc *doc = NULL;
	for (int i = 0; i < 1000; i++)
		str_add(&text, "{}");
	for (int i = 0; i <= JSON_OBJECT_DEPTH; i++)
		str_add(&text, "[");
	assert_true(failed(json_parse_cut(str_text(&text), text.len, SIZE_MAX, &doc)));
}

static void test_what_is_nested_too_deep_is_cut_and_the_rest_is_there(void **state)
{
	(void)state;
	const struct {
		int depth;
		bool cut;
	} rows[] = { { JSON_OBJECT_DEPTH, false }, { JSON_OBJECT_DEPTH + 1, true },
		{ 10000, true } };
	for (size_t i = 0; i < LENGTH(rows); i++) {
		AUTO(own_free) char *text = nested(rows[i].depth);
		AUTO(json_auto) struct json_doc *doc = NULL;
		assert_false(failed(json_parse_cut(text, strlen(text), SIZE_MAX, &doc)));
		assert_int_equal(json_is_cut(json_root(doc)), rows[i].cut);
		assert_int_equal(json_i64(json_get(json_root(doc), "b"), 0), 1);
		const struct json *v = json_get(json_root(doc), "a");
		int levels = 1;
		for (; json_is_obj(v); levels++)
			v = json_get(v, "n");
		assert_int_equal(levels, rows[i].cut ? JSON_OBJECT_DEPTH : rows[i].depth - 1);
		assert_int_equal(json_is_null(v), rows[i].cut);
	}
}

static void test_a_member_is_read_without_the_others(void **state)
{
	(void)state;
	const char text[] = "{ \"a\" : {\"b\":[1,{}]}, \"type\" : \"ADDED\" , \"c\": nonsense";
	AUTO(json_auto) struct json_doc *type = NULL, *none = NULL, *bad = NULL;
	assert_false(failed(json_parse_member(text, strlen(text), "type", &type)));
	assert_string_equal(json_str(json_root(type), ""), "ADDED");
	assert_false(failed(json_parse_member(text, strlen(text), "b", &none)));
	assert_null(none);
	assert_int_equal(json_parse_member(text, strlen(text), "c", &bad).kind, ERR_INVALID);
	assert_null(bad);
}

/* ---- one long array ---- */

static void write_item(void *ctx, const struct json *item)
{
	struct str *seen = ctx;
	AUTO(own_free) char *text = json_text(item, NULL);
	str_addf(seen, "%s;", text);
}

/* In pieces of so many bytes. */
static struct err list_in(size_t piece, const char *text, const struct json_list_config *limits,
	struct str *seen, struct json_doc **rest)
{
	struct json_list_config config = *limits;
	config.key = "nodes";
	config.item = write_item;
	config.ctx = seen;
	struct json_list *l = json_list_new(&config);
	str_clear(seen);
	for (size_t n = strlen(text), at = 0; at < n; at += piece)
		(void)json_list_add(l, text + at, piece < n - at ? piece : n - at);
	struct err e = json_list_end(l, rest);
	json_list_free(l);
	return e;
}

static const struct json_list_config no_limits = {
	.max_bytes = SIZE_MAX, .max_item_bytes = SIZE_MAX, .max_rest_bytes = SIZE_MAX
};

/* The same comes out however the text is cut. */
static struct err list_of(const char *text, struct str *seen, struct json_doc **rest)
{
	struct err whole = list_in(SIZE_MAX, text, &no_limits, seen, rest);
	for (size_t piece = 1; piece < 8; piece++) {
		AUTO(str_free) struct str cut = { 0 };
		AUTO(json_auto) struct json_doc *cut_rest = NULL;
		struct err e = list_in(piece, text, &no_limits, &cut, &cut_rest);
		assert_int_equal(e.kind, whole.kind);
		assert_string_equal(str_text(&cut), str_text(seen));
		assert_true(failed(e) || json_equal(json_root(cut_rest), json_root(*rest)));
	}
	return whole;
}

static void test_a_list_in_pieces_has_limits_of_all_of_an_item_and_of_the_rest(void **state)
{
	(void)state;
	static const char text[] = "{\"nodes\":[\"12345\",\"123\"],\"z\":\"1\"}"; /* 33 bytes */
	static const struct {
		struct json_list_config limits;
		bool good;
	} rows[] = {
		{ { .max_bytes = 33, .max_item_bytes = 7, .max_rest_bytes = 20 }, true },
		{ { .max_bytes = 32, .max_item_bytes = 7, .max_rest_bytes = 20 }, false },
		{ { .max_bytes = 33, .max_item_bytes = 6, .max_rest_bytes = 20 }, false },
		{ { .max_bytes = 33, .max_item_bytes = 7, .max_rest_bytes = 19 }, false },
	};
	AUTO(str_free) struct str seen = { 0 };
	for (size_t i = 0; i < LENGTH(rows); i++)
		for (size_t piece = 1; piece < sizeof(text); piece++) {
			AUTO(json_auto) struct json_doc *rest = NULL;
			struct err e = list_in(piece, text, &rows[i].limits, &seen, &rest);
			assert_int_equal(e.kind, rows[i].good ? ERR_NONE : ERR_TOO_LARGE);
			assert_int_equal(rest != NULL, rows[i].good);
		}
}

/* The limit is of each item by itself; the content of texts is no value. */
static void test_a_list_has_a_limit_of_the_values_of_an_item(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		bool good;
	} rows[] = {
		{ "{\"nodes\":[[0,0,0],[0,0,0],{\"a\":{\"b\":1}}]}", true },
		{ "{\"nodes\":[[\",,,,::::[[[[{{{{\"]]}", true },
		{ "{\"nodes\":[[0,0,0,0,0,0,0,0]]}", false },
		{ "{\"nodes\":[1,{\"a\":{\"b\":{\"c\":1}},\"d\":2}]}", false },
	};
	struct json_list_config limits = no_limits;
	limits.max_item_values = 6;
	AUTO(str_free) struct str seen = { 0 };
	for (size_t i = 0; i < LENGTH(rows); i++)
		for (size_t piece = 1; piece < strlen(rows[i].text); piece++) {
			AUTO(json_auto) struct json_doc *rest = NULL;
			struct err e = list_in(piece, rows[i].text, &limits, &seen, &rest);
			assert_int_equal(e.kind, rows[i].good ? ERR_NONE : ERR_TOO_LARGE);
		}
}

static void test_items_of_a_long_array_come_one_by_one_and_the_rest_behind_them(void **state)
{
	(void)state;
	static const struct {
		const char *text, *items, *rest;
	} rows[] = {
		{ " {\"a\": [1, {\"nodes\": [9]}], \"nodes\" : [ {\"n\":\"]},\\\"\"} , 2,[3 ]] , "
		  "\"z\":true} ",
			"{\"n\":\"]},\\\"\"};2;[3];",
			"{\"a\":[1,{\"nodes\":[9]}],\"nodes\":[],\"z\":true}" },
		{ "{\"nodes\":[]}", "", "{\"nodes\":[]}" },
		{ "{\"nodes\":{\"nodes\":[1]}}", "", "{\"nodes\":{\"nodes\":[1]}}" },
		{ "{}", "", "{}" },
		{ "[{\"nodes\":[1]}]", "", "[{\"nodes\":[1]}]" },
		/* read as every other array, or a list of that name would look empty */
		{ "{\"nod\\u0065s\":[1,2]}", "1;2;", "{\"nodes\":[1,2]}" },
	};
	AUTO(str_free) struct str seen = { 0 };
	for (size_t i = 0; i < LENGTH(rows); i++) {
		AUTO(json_auto) struct json_doc *rest = NULL;
		assert_false(failed(list_of(rows[i].text, &seen, &rest)));
		assert_string_equal(str_text(&seen), rows[i].items);
		AUTO(own_free) char *text = json_text(json_root(rest), NULL);
		assert_string_equal(text, rows[i].rest);
	}
}

static void test_bad_input_a_long_array_with_a_fault_anywhere_is_refused(void **state)
{
	(void)state;
	static const char *const bad[] = { "{\"nodes\":[1,]}", "{\"nodes\":[,1]}",
		"{\"nodes\":[1 2]}", "{\"nodes\":[{]}", "{\"nodes\":[{}{}]}", "{\"nodes\":[1",
		"{\"nodes\":[\"", "{\"nodes\":[1]", "{\"nodes\":[1]} x", "{\"nodes\":[1],}",
		"{\"nodes\":[\"\xff\"]}", "{\"nodes\":[nope]}", "{\"a\":1 \"nodes\":[1]}",
		"{\"nodes\" [1]}", "{\"nodes\":[1}]", "" };
	AUTO(str_free) struct str seen = { 0 };
	for (size_t i = 0; i < LENGTH(bad); i++) {
		struct json_doc *rest = NULL;
		assert_int_equal(list_of(bad[i], &seen, &rest).kind, ERR_INVALID);
		assert_null(rest);
	}
}

static void test_an_item_may_nest_as_deep_as_in_the_whole_document(void **state)
{
	(void)state;
	AUTO(str_free) struct str seen = { 0 };
	for (int depth = 62; depth <= 63; depth++) {
		AUTO(str_free) struct str text = { 0 };
		AUTO(json_auto) struct json_doc *rest = NULL, *whole = NULL;
		str_add(&text, "{\"nodes\":[");
		for (int i = 0; i < depth; i++)
			str_add(&text, "[");
		for (int i = 0; i < depth; i++)
			str_add(&text, "]");
		str_add(&text, "]}");
		assert_int_equal(failed(list_of(str_text(&text), &seen, &rest)), depth == 63);
		assert_int_equal(failed(json_parse(text.text, text.len, 1 << 20, &whole)),
			depth == 63);
	}
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
	assert_string_equal(j_text_sorted(d, o),
		"{\"a\":{\"z\":\"q\\\"\"},\"b\":2,\"list\":[true]}");
	j_del(o, "a");
	assert_null(j_get(o, "a"));
	arena_free(&a);
}

static void test_yaml_becomes_json(void **state)
{
	(void)state;
	static const char text[] =
		"apiVersion: v1\nn: 3\nyes: yes\nt: true\nnothing:\nlist:\n- {a: 1.5}\n- \"2\"\n";
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
	static const char *const bad[] = { "a: 1\na: 2\n", "a: [1\n", "a: &x [*x]\n",
		"? [1]\n: 2\n",
		("a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c "
		 "[*b,*b,*b,*b,*b,*b,*b,*b,*b]\n"
		 "d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: "
		 "[*e,*e,*e,*e,*e,*e,*e,*e,*e]\n") };
	for (size_t i = 0; i < LENGTH(bad); i++) {
		struct json_doc *doc = NULL;
		struct err e = yaml_to_json(bad[i], strlen(bad[i]), &doc);
		assert_int_equal(e.kind, ERR_INVALID);
		assert_non_null(strstr(e.text, "YAML line"));
		assert_null(doc);
	}
}

/*
 * Each right side is what kube-apiserver 1.34 made of the left one in a patch, or left as
 * it is.
 */
static void test_canonical_text_is_what_go_writes(void **state)
{
	(void)state;
	static const struct {
		const char *given, *text;
	} rows[] = {
		{ "{\"b\":1,\"a\":{\"z\":[],\"$y\":{}}}", "{\"a\":{\"$y\":{},\"z\":[]},\"b\":1}" },
		{ "[null,true,false]", "[null,true,false]" },
		{ "\"a<b>c&d/'\"", "\"a\\u003cb\\u003ec\\u0026d/'\"" },
		{ "\"\\u2028\\u2029\\u20ac\\u0001\\u001f\\u007f\"",
			"\"\\u2028\\u2029\u20ac\\u0001\\u001f\x7f\"" },
		{ "\"\\b\\f\\n\\r\\t\\\"\\\\\"", "\"\\b\\f\\n\\r\\t\\\"\\\\\"" },
		{ "[0,-1,9223372036854775807,-9223372036854775808]",
			"[0,-1,9223372036854775807,-9223372036854775808]" },
		{ "[9223372036854775808,18446744073709551615]",
			"[9223372036854776000,18446744073709552000]" },
		{ "[1.0,1e3,-0.0,0.5,-2.25,0.1]", "[1,1000,0,0.5,-2.25,0.1]" },
		{ "[1e20,1e21,1.5e+300,123456789012345680000]",
			"[100000000000000000000,1e+21,1.5e+300,123456789012345680000]" },
		{ "[0.000001,0.0000001,1.25e-9,5e-324]", "[0.000001,1e-7,1.25e-9,5e-324]" },
		{ "[0.30000000000000004,1.7976931348623157e308]",
			"[0.30000000000000004,1.7976931348623157e+308]" },
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		AUTO(arena_free) struct arena a = { 0 };
		AUTO(json_auto) struct json_doc *doc = parsed(rows[i].given);
		const char *text = j_text_canonical(&a, j_copy(jdoc_new(&a), json_root(doc)));
		assert_string_equal(text, rows[i].text);
		AUTO(json_auto) struct json_doc *again = parsed(text);
		assert_string_equal(j_text_canonical(&a, j_copy(jdoc_new(&a), json_root(again))),
			text);
	}
}

static void test_a_planner_parses_into_its_arena(void **state)
{
	(void)state;
	struct arena a = { 0 };
	AUTO(str_free) struct str text = { 0 };
	str_add(&text, "{\"list\":[0");
	for (int i = 1; i < 5000; i++)
		str_addf(&text, ",\"item %d\"", i);
	str_add(&text, "]}");
	const struct json *list = json_get(json_parse_in(&a, str_text(&text), text.len, SIZE_MAX),
		"list");
	assert_int_equal(json_count(list), 5000);
	assert_null(json_parse_in(&a, str_text(&text), text.len, text.len - 1));
	assert_null(json_parse_in(&a, "{\"a\":", 5, SIZE_MAX));
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_planner_parses_into_its_arena),
		cmocka_unit_test(test_absent_members_give_the_fallback),
		cmocka_unit_test(test_iteration_visits_each_member_once),
		cmocka_unit_test(test_bad_input_hostile_json_gets_one_sentence),
		cmocka_unit_test(test_brackets_inside_strings_are_no_nesting),
		cmocka_unit_test(test_what_is_nested_too_deep_is_cut_and_the_rest_is_there),
		cmocka_unit_test(test_what_is_too_deep_and_begins_many_objects_is_refused),
		cmocka_unit_test(test_a_member_is_read_without_the_others),
		cmocka_unit_test(
			test_items_of_a_long_array_come_one_by_one_and_the_rest_behind_them),
		cmocka_unit_test(test_bad_input_a_long_array_with_a_fault_anywhere_is_refused),
		cmocka_unit_test(
			test_a_list_in_pieces_has_limits_of_all_of_an_item_and_of_the_rest),
		cmocka_unit_test(test_a_list_has_a_limit_of_the_values_of_an_item),
		cmocka_unit_test(test_an_item_may_nest_as_deep_as_in_the_whole_document),
		cmocka_unit_test(test_building_replaces_members_and_sorts_on_demand),
		cmocka_unit_test(test_yaml_becomes_json),
		cmocka_unit_test(test_bad_input_hostile_yaml_gets_a_line_number),
		cmocka_unit_test(test_canonical_text_is_what_go_writes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
