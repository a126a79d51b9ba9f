/* SPDX-License-Identifier: Apache-2.0 */
/* Decisions of a collector of results about lists, files and troubles. */
#include "lib/test.h"

#include "base/own.h"
#include "plan/results/file.h"
#include "plan/results/list.h"
#include "plan/results/inputs.h"
#include "plan/results/trouble.h"

/* ---- paths ---- */

static void a_path_stays_beneath_its_folder(void **state)
{
	static const char *const good[] = { "a", "out/a b.txt", "out/..a", "out/...", "\xc3\xa9" };
	static const char *const bad[] = { "", "/", "/a", "a/", "a//b", ".", "..", "a/..", "../a",
		"a/./b" };
	(void)state;
	for (size_t i = 0; i < LENGTH(good); i++)
		assert_false(failed(results_path_check(good[i])));
	for (size_t i = 0; i < LENGTH(bad); i++)
		assert_int_equal(results_path_check(bad[i]).kind, ERR_INVALID);
}

static void a_path_has_bounds(void **state)
{
	AUTO(str_free) struct str path = { 0 };
	(void)state;
	for (int i = 0; i < 255; i++)
		str_add(&path, "a");
	assert_false(failed(results_path_check(str_text(&path))));
	str_add(&path, "a");
	assert_int_equal(results_path_check(str_text(&path)).kind, ERR_INVALID);
	str_clear(&path);
	for (int i = 0; i < 2048; i++)
		str_add(&path, "a/");
	path.text[4095] = 'a';
	assert_false(failed(results_path_check(str_text(&path))));
	str_add(&path, "b");
	assert_int_equal(results_path_check(str_text(&path)).kind, ERR_INVALID);
}

/* Acceptance: result-1 */
static void a_place_is_beneath_what_was_asked_for(void **state)
{
	static const struct {
		const char *from, *path, *is; /* NULL: it is refused */
	} rows[] = {
		{ "/home/u/out", "out", "/home/u/out" },
		{ "/home/u/out", "out/a.txt", "/home/u/out/a.txt" },
		{ "/home/u/out///", "out/a.txt", "/home/u/out/a.txt" },
		{ "out", "out/a.txt", "out/a.txt" },
		{ "/out", "out", "/out" },
		{ "/home/u/out", "output", NULL },
		{ "/home/u/out", "ou", NULL },
		{ "/home/u/out", "a.txt", NULL },
		{ "/home/u/out", "out/../../x", NULL },
		{ "/home/u/..", "..", NULL },
		{ "/", "etc", NULL },
		{ "", "etc", NULL },
		{ ".", ".", NULL },
	};
	(void)state;
	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct arena a AUTO(arena_free) = { 0 };
		const char *is = NULL;
		struct err e = results_place(rows[i].from, rows[i].path, &a, &is);
		assert_int_equal(failed(e), !rows[i].is);
		if (rows[i].is)
			assert_string_equal(is, rows[i].is);
	}
}

/* ---- lines ---- */

static struct err read_line(const char *text, struct arena *a, struct results_line *out)
{
	return results_line_read(text, strlen(text), a, out);
}

static void a_line_is_read_as_it_was_written(void **state)
{
	struct arena a AUTO(arena_free) = { 0 };
	const struct results_line line = { .entry = { "out/\"a\"\n\xe2\x82\xac", INT64_C(1) << 60,
						   0755, true, -5 } };
	AUTO(str_free) struct str text = { 0 };
	struct results_line got;
	(void)state;
	results_line_add(&text, &line);
	assert_ptr_equal(strchr(str_text(&text), '\n'), str_text(&text) + text.len - 1);
	assert_false(failed(read_line(str_text(&text), &a, &got)));
	assert_string_equal(got.entry.path, line.entry.path);
	assert_true(got.entry.size == line.entry.size && got.entry.mode == 0755 &&
		got.entry.folder && got.entry.modified_ns == -5 && !got.end);
	assert_false(failed(read_line("{\"end\":true,\"leftOut\":7}", &a, &got)));
	assert_true(got.end && got.left_out == 7);
}

static void bad_lines_are_refused(void **state)
{
	static const char *const bad[] = {
		"",
		"x",
		"[]",
		"{}",
		"{\"path\":5,\"size\":1,\"modifiedNs\":1}",
		"{\"path\":\"../a\",\"size\":1,\"modifiedNs\":1}",
		"{\"path\":\"a\\u0000b\",\"size\":1,\"modifiedNs\":1}",
		"{\"path\":\"a\",\"size\":-1,\"modifiedNs\":1}",
		"{\"path\":\"a\",\"modifiedNs\":1}",
		"{\"path\":\"a\",\"size\":1}",
		"{\"path\":\"a\",\"size\":1,\"modifiedNs\":\"1\"}",
		"{\"end\":true,\"leftOut\":-1}",
	};
	(void)state;
	for (size_t i = 0; i < LENGTH(bad); i++) {
		struct arena a AUTO(arena_free) = { 0 };
		struct results_line got;
		assert_int_equal(read_line(bad[i], &a, &got).kind, ERR_INVALID);
	}
}

/* "touch -d 2300-01-01": red-box says the last that it can. */
static void a_time_far_away_is_the_nearest(void **state)
{
	static const struct {
		const char *text;
		int64_t ns;
	} rows[] = {
		{ "9223372036854775807", INT64_C(9000000000000000000) },
		{ "9000000000000000000", INT64_C(9000000000000000000) },
		{ "-9223372036854775808", INT64_C(-9000000000000000000) },
		{ "-1", -1 },
	};
	(void)state;
	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct arena a AUTO(arena_free) = { 0 };
		AUTO(str_free) struct str text = { 0 };
		struct results_line got;
		struct results_sum sum;
		str_addf(&text, "{\"path\":\"a\",\"size\":1,\"modifiedNs\":%s}", rows[i].text);
		assert_false(failed(read_line(str_text(&text), &a, &got)));
		assert_true(got.entry.modified_ns == rows[i].ns);
		str_clear(&text);
		str_addf(&text, "{\"sha256\":\"%064d\",\"size\":1,\"modifiedNs\":%s}", 0,
			rows[i].text);
		assert_false(failed(results_sum_read(str_text(&text), text.len, &sum)));
		assert_true(sum.modified_ns == rows[i].ns);
	}
}

static void a_refusal_names_the_file(void **state)
{
	struct arena a AUTO(arena_free) = { 0 };
	struct results_line got;
	(void)state;
	struct err e = read_line("{\"path\":\"out/a\",\"size\":1}", &a, &got);
	assert_string_equal(e.text, "\"out/a\" in the list of results has no time");
	e = read_line("{\"path\":\"out/a\",\"modifiedNs\":1}", &a, &got);
	assert_string_equal(e.text, "\"out/a\" in the list of results has no size");
}

static void a_checksum_is_read_as_it_was_written(void **state)
{
	const struct results_sum sum = { { 0xab, 0x0f, 255 }, 5, 7 };
	AUTO(str_free) struct str text = { 0 };
	struct results_sum got;
	(void)state;
	results_sum_add(&text, &sum);
	assert_false(failed(results_sum_read(str_text(&text), text.len, &got)));
	assert_memory_equal(&got, &sum, sizeof(sum));
	text.text[12] = 'A'; /* not as we write it */
	assert_int_equal(results_sum_read(str_text(&text), text.len, &got).kind, ERR_INVALID);
	assert_int_equal(results_sum_read("{}", 2, &got).kind, ERR_INVALID);
}

/* ---- files ---- */

static void a_file_is_kept_begun_or_gone_on_with(void **state)
{
	enum { T = 1795270000 };
	static const int64_t S = 1000000000, ns = T * INT64_C(1000000000) + 123456789;
	static const struct {
		struct results_file_view view;
		enum results_step step;
	} rows[] = {
		{ { 9, ns, RESULTS_NOTHING, 0, 0, -1 }, RESULTS_BEGIN },
		{ { 9, ns, RESULTS_NOTHING, 0, 0, 0 }, RESULTS_BEGIN },
		{ { 9, ns, RESULTS_NOTHING, 0, 0, 4 }, RESULTS_RESUME },
		{ { 9, ns, RESULTS_NOTHING, 0, 0, 9 }, RESULTS_VERIFY },
		{ { 9, ns, RESULTS_NOTHING, 0, 0, 10 }, RESULTS_BEGIN },
		{ { 0, ns, RESULTS_NOTHING, 0, 0, -1 }, RESULTS_BEGIN },
		{ { 9, ns, RESULTS_FILE, 9, ns, -1, 1 }, RESULTS_KEEP },
		/* a file system with coarser times */
		{ { 9, ns, RESULTS_FILE, 9, ns / 100 * 100, -1, 100 }, RESULTS_KEEP },
		{ { 9, ns, RESULTS_FILE, 9, T * INT64_C(1000000000), -1, S }, RESULTS_KEEP },
		{ { 9, ns + S, RESULTS_FILE, 9, T * INT64_C(1000000000), -1, 2 * S },
			RESULTS_KEEP },
		{ { 9, -1, RESULTS_FILE, 9, INT64_C(-1000000000), -1, S }, RESULTS_KEEP },
		{ { 9, ns, RESULTS_FILE, 9, ns, -1, S }, RESULTS_KEEP },
		/* one that would have kept the difference */
		{ { 9, ns, RESULTS_FILE, 9, ns / 100 * 100, -1, 1 }, RESULTS_BEGIN },
		{ { 9, ns, RESULTS_FILE, 9, T * INT64_C(1000000000), -1, 1000000 }, RESULTS_BEGIN },
		{ { 9, ns + S, RESULTS_FILE, 9, T * INT64_C(1000000000), -1, S }, RESULTS_BEGIN },
		/* another file */
		{ { 9, ns, RESULTS_FILE, 9, ns + 1, -1, 2 * S }, RESULTS_BEGIN },
		{ { 9, ns, RESULTS_FILE, 9, (T + 1) * INT64_C(1000000000), -1, 2 * S },
			RESULTS_BEGIN },
		{ { 9, ns, RESULTS_FILE, 8, ns, 3, 1 }, RESULTS_RESUME },
		{ { 9, ns, RESULTS_OTHER, 9, ns, 3 }, RESULTS_REFUSE },
	};
	(void)state;
	for (size_t i = 0; i < LENGTH(rows); i++)
		assert_int_equal(results_file_plan(&rows[i].view), rows[i].step);
}

static void the_step_of_a_volume_is_what_it_keeps_of_a_time(void **state)
{
	static const int64_t steps[] = { 1, 100, 1000, 1000000, 1000000000, 2000000000 };
	(void)state;
	for (size_t i = 0; i < LENGTH(steps); i++)
		assert_true(results_time_step(RESULTS_PROBE_NS / steps[i] * steps[i]) == steps[i]);
	assert_true(results_time_step(0) == 1);
	assert_true(results_time_step(RESULTS_PROBE_NS + 1) == 1);
}

/* Acceptance: result-3 */
static void only_equal_bytes_are_the_file(void **state)
{
	static const struct {
		struct results_proof proof;
		enum results_verdict verdict;
	} rows[] = {
		{ { 9, 1, 9, 1, 9, true }, RESULTS_WHOLE },
		{ { 9, 1, 9, 1, 9, false }, RESULTS_DAMAGED },
		{ { 9, 1, 9, 1, 10, true }, RESULTS_DAMAGED },
		{ { 9, 1, 9, 1, 8, false }, RESULTS_SHORT },
		{ { 9, 1, 9, 2, 9, true }, RESULTS_CHANGED },
		{ { 9, 1, 8, 1, 9, true }, RESULTS_CHANGED },
		{ { 0, 1, 0, 1, 0, true }, RESULTS_WHOLE },
	};
	(void)state;
	for (size_t i = 0; i < LENGTH(rows); i++)
		assert_int_equal(results_file_judge(&rows[i].proof), rows[i].verdict);
}

/* Sixteen files of 1 GiB on a disk that writes and reads 32 MiB in a second. */
/* Acceptance: input-8 */
static void the_last_piece_has_time_for_all_of_the_file(void **state)
{
	enum { MIB = 1 << 20, SECOND = 1000, FILES = 16 };
	const int64_t all_ms = (int64_t)FILES * INPUTS_FILE_BYTES / (32 * MIB) * SECOND;
	(void)state;
	struct inputs_piece p = { .bytes = INPUTS_PIECE_BYTES, .size = INPUTS_FILE_BYTES };
	assert_int_equal(inputs_piece_ms(&p), 90 * SECOND);
	p.offset = p.size - p.bytes;
	assert_in_range(inputs_piece_ms(&p), all_ms + 90 * SECOND, 30 * 60 * SECOND);
	p = (struct inputs_piece){ 0 };
	assert_int_equal(inputs_piece_ms(&p), 90 * SECOND);
}

/* ---- troubles ---- */

/* Acceptance: result-6 */
static void who_gets_nothing_asks_again_or_ends(void **state)
{
	enum { MINUTE = 60000 };
	static const struct {
		struct results_trouble_view view;
		int exit;
	} rows[] = {
		/* a server in trouble is asked for as long as it takes */
		{ { .now_ms = 1000 * MINUTE, .status = 503 }, -1 },
		{ { .now_ms = 1000 * MINUTE, .status = 500 }, -1 },
		{ { .now_ms = 1000 * MINUTE, .status = 429 }, -1 },
		{ { .now_ms = 1000 * MINUTE, .status = 409 }, -1 },
		/* a refusal is for good when it stays */
		{ { .now_ms = MINUTE - 1, .status = 403 }, -1 },
		{ { .now_ms = MINUTE, .status = 403 }, RESULTS_FOR_GOOD },
		{ { .now_ms = MINUTE, .status = 404 }, RESULTS_FOR_GOOD },
		{ { .now_ms = MINUTE, .status = 400 }, RESULTS_FOR_GOOD },
		{ { .now_ms = 2 * MINUTE, .status = 404, .same_ms = MINUTE + 1 }, -1 },
		{ { .now_ms = MINUTE, .status = 401 }, RESULTS_ANEW },
		/* a file that has gone is not in the next list */
		{ { .now_ms = MINUTE, .status = 404, .listed = true }, RESULTS_ANEW },
		{ { .now_ms = MINUTE, .status = 403, .listed = true }, RESULTS_FOR_GOOD },
		/* no answer */
		{ { .now_ms = 5 * MINUTE - 1 }, -1 },
		{ { .now_ms = 5 * MINUTE }, RESULTS_ANEW },
		{ { .now_ms = 9 * MINUTE, .answered_ms = 5 * MINUTE }, -1 },
		{ { .now_ms = 1, .other_key = true }, RESULTS_ANEW },
	};
	(void)state;
	for (size_t i = 0; i < LENGTH(rows); i++)
		assert_int_equal(results_trouble_plan(&rows[i].view).exit, rows[i].exit);
}

static void pauses_grow(void **state)
{
	static const int64_t pauses[] = { 1000, 2000, 4000, 8000, 16000, 30000, 30000 };
	(void)state;
	for (int i = 0; i < (int)LENGTH(pauses); i++) {
		const struct results_trouble_view v = { .status = 503, .times = i + 1 };
		assert_int_equal(results_trouble_plan(&v).pause_ms, pauses[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_path_stays_beneath_its_folder),
		cmocka_unit_test(a_path_has_bounds),
		cmocka_unit_test(a_place_is_beneath_what_was_asked_for),
		cmocka_unit_test(a_line_is_read_as_it_was_written),
		cmocka_unit_test(bad_lines_are_refused),
		cmocka_unit_test(a_time_far_away_is_the_nearest),
		cmocka_unit_test(a_refusal_names_the_file),
		cmocka_unit_test(a_checksum_is_read_as_it_was_written),
		cmocka_unit_test(a_file_is_kept_begun_or_gone_on_with),
		cmocka_unit_test(the_step_of_a_volume_is_what_it_keeps_of_a_time),
		cmocka_unit_test(only_equal_bytes_are_the_file),
		cmocka_unit_test(the_last_piece_has_time_for_all_of_the_file),
		cmocka_unit_test(who_gets_nothing_asks_again_or_ends),
		cmocka_unit_test(pauses_grow),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
