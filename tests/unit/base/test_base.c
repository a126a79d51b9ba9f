/* SPDX-License-Identifier: Apache-2.0 */
/* Errors, text, times, arenas, codecs, log and metrics. */
#include "lib/test.h"

#include <math.h>

#include "base/arena.h"
#include "base/budget.h"
#include "base/codec.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/metric.h"
#include "base/time.h"

static void test_error_sentence_grows_in_front_and_keeps_its_kind(void **state)
{
	(void)state;
	struct err inner = err_new(ERR_CONFLICT, "the object changed");
	inner.code = 409;
	struct err e = err_wrap(inner, "patching pod %s", "foo-0");
	assert_string_equal(e.text, "patching pod foo-0: the object changed");
	assert_int_equal(e.kind, ERR_CONFLICT);
	assert_int_equal(e.code, 409);
}

static void test_error_too_long_is_cut_with_dots(void **state)
{
	(void)state;
	char long_text[2 * ERR_TEXT_BYTES];
	memset(long_text, 'x', sizeof(long_text) - 1);
	long_text[sizeof(long_text) - 1] = '\0';
	struct err e = err_wrap(err_new(ERR_INVALID, "%s", long_text), "here");
	assert_int_equal(strlen(e.text), ERR_TEXT_BYTES - 1);
	assert_string_equal(e.text + ERR_TEXT_BYTES - 4, "...");
}

/*
 * Texts of peers and users are part of our sentences: they must not move the cursor of
 * the reader, nor begin a line of their own.
 */
/* Acceptance: cluster-8 */
static void test_no_control_character_of_a_foreign_text_is_taken_over(void **state)
{
	(void)state;
	static const struct {
		const char *text, *taken;
	} rows[] = {
		{ "a\r\nb\x1b[2Jc\x7f", "a  b [2Jc " },
		{ "\xc2\x9b"
		  "31mred",
			" 31mred" }, /* CSI of C1 */
		{ "\xc2\x85"
		  "b\xc2\xa0"
		  "c",
			" b\xc2\xa0"
			"c" }, /* next line; no-break space */
		{ "\xe2\x80\xae"
		  "drawkcab",
			" drawkcab" }, /* right-to-left override */
		{ "\xe2\x81\xa6"
		  "a\xe2\x81\xa9",
			" a " },         /* isolates */
		{ "\xe2\x80\xa8", " " }, /* line separator */
		{ "\xe2\x80\xa7\xe2\x81\xaa", "\xe2\x80\xa7\xe2\x81\xaa" },
		{ "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80",
			"caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80" },
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		AUTO(str_free) struct str s = { 0 };
		str_add_foreign(&s, rows[i].text, 100);
		assert_string_equal(str_text(&s), rows[i].taken);
		struct err e = err_wrap(err_new(ERR_INVALID, "%s", rows[i].text), "%s",
			rows[i].text);
		str_clear(&s);
		str_addf(&s, "%s: %s", rows[i].taken, rows[i].taken);
		assert_string_equal(e.text, str_text(&s));
	}
}

/* Acceptance: status-8 */
static void test_numbers_of_annotations_are_whole_and_in_range(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		bool good;
		int64_t value;
	} rows[] = {
		{ "0", true, 0 },
		{ "-7", true, -7 },
		{ "2147483647", true, INT32_MAX },
		{ "2147483648", false, 0 },
		{ "+5", false, 0 },
		{ "007", false, 0 },
		{ "-0", false, 0 },
		{ "", false, 0 },
		{ "-", false, 0 },
		{ "1 ", false, 0 },
		{ "0x1", false, 0 },
		{ NULL, false, 0 },
		{ "99999999999999999999", false, 0 },
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		int64_t value = 0;
		assert_int_equal(str_to_i64(rows[i].text, INT32_MIN, INT32_MAX, &value),
			rows[i].good);
		if (rows[i].good)
			assert_int_equal(value, rows[i].value);
	}
}

static void test_numbers_reach_to_the_ends_of_64_bits(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		bool fits;
		int64_t value;
	} ends[] = {
		{ "9223372036854775807", true, INT64_MAX },
		{ "-9223372036854775808", true, INT64_MIN },
		{ "9223372036854775808", false, 0 },
		{ "-9223372036854775809", false, 0 },
		{ "99999999999999999999999", false, 0 },
	};
	for (size_t i = 0; i < LENGTH(ends); i++) {
		int64_t value = 0;
		assert_int_equal(str_to_i64(ends[i].text, INT64_MIN, INT64_MAX, &value),
			ends[i].fits);
		assert_true(value == ends[i].value);
	}
}

/* Acceptance: status-8 */
static void test_times_round_trip_and_offsets_count(void **state)
{
	(void)state;
	int64_t ms;
	char text[TIME_RFC3339_BYTES];
	assert_true(time_parse("2026-11-21T13:00:00Z", &ms));
	time_format(ms, text);
	assert_string_equal(text, "2026-11-21T13:00:00Z");
	int64_t shifted;
	assert_true(time_parse("2026-11-21T15:00:00.250+02:00", &shifted));
	assert_int_equal(shifted, ms + 250);
	static const char *const bad[] = { "", "2026", "2026-13-01T00:00:00Z",
		"2026-11-21T13:00:00", "2026-11-21T13:00:00Zx", "2026-11-21T13:00:00.Z" };
	for (size_t i = 0; i < LENGTH(bad); i++)
		assert_false(time_parse(bad[i], &ms));
}

static void test_base64_decodes_and_refuses(void **state)
{
	(void)state;
	static const struct {
		const char *in, *out;
	} rows[] = { { "", "" }, { "Zg==", "f" }, { "Zm8=", "fo" }, { "Zm9v", "foo" },
		{ "Zm9v\nYmFy", "foobar" } };
	for (size_t i = 0; i < LENGTH(rows); i++) {
		AUTO(own_free) char *out = NULL;
		size_t n;
		assert_true(base64_decode(rows[i].in, strlen(rows[i].in), &out, &n));
		assert_string_equal(out, rows[i].out);
	}
	static const char *const bad[] = { "Zg", "Z===", "Zg==Zg==", "Zm9*", "=" };
	for (size_t i = 0; i < LENGTH(bad); i++) {
		char *out = NULL;
		size_t n;
		assert_false(base64_decode(bad[i], strlen(bad[i]), &out, &n));
	}
}

static void test_fnv1_is_the_first_variant(void **state)
{
	(void)state;
	/* Published vectors of FNV-1, 32 bits: multiply first. */
	assert_int_equal(fnv1_32(FNV1_START, "", 0), 0x811c9dc5);
	assert_int_equal(fnv1_32(FNV1_START, "a", 1), 0x050c5d7e);
	assert_int_equal(fnv1_32(FNV1_START, "foobar", 6), 0x31f0b262);
}

static void test_metrics_render_their_series(void **state)
{
	(void)state;
	static struct metric m = { "things_total", METRIC_COUNTER, "Things.", "kind,outcome" };
	metric_add(&m, 2, "a", "say \"hi\"");
	metric_add(&m, 1, "a", "say \"hi\"");
	struct str out = { 0 };
	metric_render(&out);
	assert_non_null(strstr(str_text(&out),
		"# TYPE things_total counter\nthings_total{kind=\"a\",outcome=\"say \\\"hi\\\"\"} "
		"3\n"));
	str_free(&out);
	metric_free_all();
}

static void test_a_metric_may_have_any_value(void **state)
{
	static const struct {
		double value;
		const char *line;
	} rows[] = {
		{ 0, "\nlevel 0\n" },
		{ -3, "\nlevel -3\n" },
		{ 1.5, "\nlevel 1.5\n" },
		{ 9007199254740991, "\nlevel 9007199254740991\n" },
		{ 1e300, "\nlevel 1.0000000000000001e+300\n" },
		{ -1e-9, "\nlevel -1.0000000000000001e-09\n" },
		{ INFINITY, "\nlevel inf\n" },
		{ NAN, "nan\n" },
	};
	static struct metric m = { "level", METRIC_GAUGE, "Level.", "" };
	(void)state;
	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct str out AUTO(str_free) = { 0 };
		metric_set(&m, rows[i].value);
		metric_render(&out);
		assert_non_null(strstr(str_text(&out), rows[i].line));
	}
	metric_free_all();
}

static void test_a_metric_may_have_a_hundred_thousand_series(void **state)
{
	enum { PAIRS = 500000 };
	(void)state;
	struct str out AUTO(str_free) = { 0 };
	static struct metric m = { "many", METRIC_GAUGE, "Many.", "node,user" };
	char node[32];
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < PAIRS; i++) {
			snprintf(node, sizeof(node), "node-%d", i / 10);
			metric_set(&m, i + round, node, i % 10 ? "alice" : "");
		}
	metric_render(&out);
	size_t lines = 0;
	for (const char *p = str_text(&out); (p = strchr(p, '\n')); p++)
		lines++;
	assert_int_equal(lines, 2 + PAIRS / 10 * 2);
	assert_non_null(strstr(str_text(&out),
		"\nmany{node=\"node-49999\",user=\"alice\"} 500000\n"));
	assert_non_null(strstr(str_text(&out), "\nmany{node=\"node-0\",user=\"\"} 1\n"));
	metric_free_all();
}

static void test_arena_gives_zeroed_memory_again_after_reset(void **state)
{
	(void)state;
	struct arena a = { 0 };
	char *big = arena_alloc(&a, 100000);
	memset(big, 'x', 100000);
	char *s = arena_printf(&a, "%s-%d", "foo", 3);
	assert_string_equal(s, "foo-3");
	arena_free(&a);
	char *again = arena_alloc(&a, 64);
	for (int i = 0; i < 64; i++)
		assert_int_equal(again[i], 0);
	arena_free(&a);
}

static void test_a_purse_has_half_of_what_others_leave_and_a_little_in_any_case(void **state)
{
	(void)state;
	struct budget b = { .limit = 1000, .least = 10 };
	struct quota *greedy = quota_of(&b, "greedy"), *other = quota_of(&b, "other");
	assert_false(failed(quota_take(greedy, 500)));
	struct err e = quota_take(greedy, 1);
	assert_int_equal(e.kind, ERR_RETRY);
	assert_string_equal(e.text, "no memory is left: the quota of greedy is 0 kB, and used up");
	assert_false(failed(quota_take(other, 250)));
	assert_true(failed(quota_take(other, 1)));
	assert_int_equal(b.used, 750);

	quota_force(greedy, 1000); /* it has more than there is */
	quota_give(other, 250);
	assert_false(failed(quota_take(other, 10)));
	assert_true(failed(quota_take(other, 1)));
	quota_give(greedy, 1500);
	assert_false(failed(quota_take(other, 490)));

	quota_give(other, 500);
	quota_leave(greedy);
	assert_ptr_equal(quota_of(&b, "other"), other);
	quota_leave(other);
	quota_leave(other);
	assert_null(b.quotas);
	assert_int_equal(b.used, 0);
	assert_false(failed(quota_take(NULL, SIZE_MAX)));
}

static void test_what_a_purse_was_granted_it_has_in_any_case(void **state)
{
	(void)state;
	struct budget b = { .limit = 1000, .least = 10 };
	struct quota *greedy = quota_of(&b, "greedy"), *other = quota_of(&b, "other");
	quota_force(greedy, 1000);
	quota_grant(other, 300);
	quota_grant(other, 90);
	assert_false(failed(quota_take(other, 400)));
	assert_true(failed(quota_take(other, 1)));
	quota_revoke(other, 300);
	quota_give(other, 200); /* it has 200 yet, of 100 */
	assert_true(failed(quota_take(other, 1)));
	quota_give(other, 100);
	assert_true(failed(quota_take(other, 1)));
	quota_give(other, 100);
	assert_false(failed(quota_take(other, 100)));
	assert_true(failed(quota_take(greedy, 1))); /* to no other quota */

	quota_give(other, 100);
	quota_give(greedy, 1000);
	quota_revoke(other, 90);
	quota_leave(other);
	quota_leave(greedy);
	quota_grant(NULL, 1);
	quota_revoke(NULL, 1);
	assert_null(b.quotas);
}

/* Values of the paper's authors: key 00..0f, the first n of the bytes 00, 01, 02 .. */
static void test_siphash_gives_the_values_of_its_reference(void **state)
{
	(void)state;
	static const struct {
		size_t n;
		uint64_t hash;
	} rows[] = {
		{ 0, UINT64_C(0x726fdb47dd0e0e31) },
		{ 1, UINT64_C(0x74f839c593dc67fd) },
		{ 7, UINT64_C(0xab0200f58b01d137) },
		{ 8, UINT64_C(0x93f5f5799a932462) },
		{ 15, UINT64_C(0xa129ca6149be45e5) },
		{ 63, UINT64_C(0x958a324ceb064572) },
	};
	uint8_t bytes[64];
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)i;
	for (size_t i = 0; i < LENGTH(rows); i++)
		assert_true(hash_siphash(bytes, bytes, rows[i].n) == rows[i].hash);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_error_sentence_grows_in_front_and_keeps_its_kind),
		cmocka_unit_test(test_error_too_long_is_cut_with_dots),
		cmocka_unit_test(test_no_control_character_of_a_foreign_text_is_taken_over),
		cmocka_unit_test(test_numbers_of_annotations_are_whole_and_in_range),
		cmocka_unit_test(test_numbers_reach_to_the_ends_of_64_bits),
		cmocka_unit_test(test_times_round_trip_and_offsets_count),
		cmocka_unit_test(test_base64_decodes_and_refuses),
		cmocka_unit_test(test_fnv1_is_the_first_variant),
		cmocka_unit_test(
			test_a_purse_has_half_of_what_others_leave_and_a_little_in_any_case),
		cmocka_unit_test(test_what_a_purse_was_granted_it_has_in_any_case),
		cmocka_unit_test(test_siphash_gives_the_values_of_its_reference),
		cmocka_unit_test(test_metrics_render_their_series),
		cmocka_unit_test(test_a_metric_may_have_any_value),
		cmocka_unit_test(test_a_metric_may_have_a_hundred_thousand_series),
		cmocka_unit_test(test_arena_gives_zeroed_memory_again_after_reset),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
