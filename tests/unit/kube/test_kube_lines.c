/* SPDX-License-Identifier: Apache-2.0 */
/* A stream of bytes is cut into lines. */
#include "lib/test.h"

#include "base/own.h"
#include "kube/lines.h"

static bool gather(void *ctx, const char *line, size_t n)
{
	str_add_bytes(ctx, line, n);
	str_add(ctx, "|");
	return memchr(line, '!', n) == NULL;
}

static void lines_are_cut_at_any_place(void **state)
{
	const char text[] = "one\ntwo\r\n\nthree\nrest";
	(void)state;

	for (size_t cut = 0; cut < sizeof(text); cut++) {
		AUTO(str_free) struct str out = { 0 };
		struct lines l = { .max_bytes = 100 };

		assert_int_equal(lines_feed(&l, text, cut, gather, &out), LINES_OK);
		assert_int_equal(lines_feed(&l, text + cut, sizeof(text) - 1 - cut, gather, &out),
			LINES_OK);
		assert_string_equal(str_text(&out), "one|two|three|");
		lines_reset(&l);
	}
}

static void a_line_has_a_cap_and_a_reader_may_stop(void **state)
{
	AUTO(str_free) struct str out = { 0 };
	struct lines l = { .max_bytes = 8 };
	(void)state;

	assert_int_equal(lines_feed(&l, "12345678\n", 9, gather, &out), LINES_OK);
	assert_int_equal(lines_feed(&l, "1234", 4, gather, &out), LINES_OK);
	assert_int_equal(lines_feed(&l, "56789", 5, gather, &out), LINES_TOO_LONG);
	lines_reset(&l);
	assert_int_equal(lines_feed(&l, "a!\nb\n", 5, gather, &out), LINES_STOPPED);
	assert_string_equal(str_text(&out), "12345678|a!|");
	lines_reset(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_cut_at_any_place),
		cmocka_unit_test(a_line_has_a_cap_and_a_reader_may_stop),
	};
	return cmocka_run_group_tests_name("kube_lines", tests, NULL, NULL);
}
