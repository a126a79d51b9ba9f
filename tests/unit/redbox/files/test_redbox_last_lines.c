/* SPDX-License-Identifier: Apache-2.0 */
/* Where the last lines of a file begin, by ranges that are read from its end. */
#include "lib/test.h"

#include "redbox/files/last_lines.h"

/* Reads as it is told. false: the file became shorter. */
static bool searched(const char *text, int64_t lines, size_t most, int64_t *from, size_t *read)
{
	int64_t size = (int64_t)strlen(text);
	struct last_lines l = last_lines_begin(lines, size);
	struct last_lines_step s;
	int64_t before = size;
	*read = 0;
	while ((s = last_lines_next(&l, size, most)).what == LAST_LINES_READ) {
		assert_in_range(s.bytes, 1, most);
		assert_int_equal(s.from + (int64_t)s.bytes, before); /* no byte twice */
		assert_in_range(s.from, 0, size);
		before = s.from;
		*read += s.bytes;
		last_lines_take(&l, &s, text + s.from, s.bytes);
	}
	*from = s.from;
	return s.what == LAST_LINES_FOUND;
}

/* Acceptance: log-2 */
static void the_last_lines_are_exact_by_any_ranges(void **state)
{
	static const struct {
		const char *text;
		int64_t lines;
		const char *wanted;
	} rows[] = {
		{ "one\ntwo\nthree\n", 2, "two\nthree\n" },
		{ "one\ntwo\nthree\n", 1, "three\n" },
		{ "one\ntwo\nthree\n", 0, "" },
		{ "one\ntwo\nthree\n", 3, "one\ntwo\nthree\n" },
		{ "one\ntwo\nthree\n", INT64_MAX, "one\ntwo\nthree\n" },
		{ "one\ntwo\nthree", 1, "three" },
		{ "one\ntwo\nthree", 2, "two\nthree" },
		{ "one\ntwo\nthree", 4, "one\ntwo\nthree" },
		{ "\n\n\n", 2, "\n\n" },
		{ "\n", 1, "\n" },
		{ "one", 1, "one" },
		{ "", 1, "" },
		{ "", 0, "" },
	};
	(void)state;
	for (size_t i = 0; i < LENGTH(rows); i++)
		for (size_t most = 1; most < 20; most++) {
			int64_t from;
			size_t read;
			assert_true(searched(rows[i].text, rows[i].lines, most, &from, &read));
			assert_string_equal(rows[i].text + from, rows[i].wanted);
		}
}

/* Acceptance: log-2 */
static void no_more_is_read_than_has_the_lines(void **state)
{
	static char text[1 << 20];
	int64_t from;
	size_t read;
	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	memcpy(text + sizeof(text) - 1 - 9, "\none\ntwo\n", 9);
	assert_true(searched(text, 2, 4096, &from, &read));
	assert_string_equal(text + from, "one\ntwo\n");
	assert_int_equal(read, 4096);
	assert_true(searched(text, 0, 4096, &from, &read));
	assert_int_equal(read, 0);
	assert_true(searched(text, 4, 4096, &from, &read));
	assert_int_equal(read, sizeof(text) - 1); /* its first line is as long */
}

/* Acceptance: log-2 */
static void a_file_that_shrinks_is_noticed(void **state)
{
	struct last_lines l = last_lines_begin(2, 8);
	struct last_lines_step s = last_lines_next(&l, 8, 4);
	(void)state;
	assert_int_equal(last_lines_next(&l, 7, 4).what, LAST_LINES_CHANGED);
	last_lines_take(&l, &s, "ab", 2); /* it ended before the end of the range */
	assert_int_equal(last_lines_next(&l, 8, 4).what, LAST_LINES_CHANGED);

	l = last_lines_begin(1, 4);
	s = last_lines_next(&l, 4, 4);
	last_lines_take(&l, &s, "a\nb\n", 4);
	assert_int_equal(last_lines_next(&l, 3, 4).what, LAST_LINES_CHANGED); /* after the last */
	assert_int_equal(last_lines_next(&l, 4, 4).what, LAST_LINES_FOUND);
	assert_int_equal(last_lines_next(&l, 4, 4).from, 2);
}

/* The lines are those of the size that the search began with. */
/* Acceptance: log-2 */
static void what_is_appended_meanwhile_changes_nothing(void **state)
{
	struct last_lines l = last_lines_begin(1, 4);
	struct last_lines_step s = last_lines_next(&l, 4, 2);
	(void)state;
	last_lines_take(&l, &s, "b\n", 2);
	s = last_lines_next(&l, 400, 2);
	assert_int_equal(s.what, LAST_LINES_READ);
	last_lines_take(&l, &s, "a\n", 2);
	s = last_lines_next(&l, 4000, 2);
	assert_int_equal(s.what, LAST_LINES_FOUND);
	assert_int_equal(s.from, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_last_lines_are_exact_by_any_ranges),
		cmocka_unit_test(no_more_is_read_than_has_the_lines),
		cmocka_unit_test(a_file_that_shrinks_is_noticed),
		cmocka_unit_test(what_is_appended_meanwhile_changes_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
