/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of red-box, as of old and as elsewhere. */
#include "lib/test.h"

#include "cmd/redbox_options.h"

enum { WORDS = 8 };

static struct err read_line(const char *line, struct redbox_options *o, struct str *print)
{
	static char text[256];
	char *argv[WORDS] = { (char *)(uintptr_t)"red-box" };
	int argc = 1;
	snprintf(text, sizeof(text), "%s", line);
	for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
		argv[argc++] = word;
	return redbox_options_read(argc, argv, o, print);
}

static void options_are_read_in_every_spelling(void **state)
{
	static const char *const lines[] = { "-socket /s -config /c", "--socket=/s --config=/c",
		"-socket=/s --config /c" };
	struct redbox_options o;
	(void)state;
	for (size_t i = 0; i < LENGTH(lines); i++) {
		assert_false(failed(read_line(lines[i], &o, NULL)));
		assert_string_equal(o.socket, "/s");
		assert_string_equal(o.config, "/c");
		assert_false(o.done);
	}
	assert_false(failed(read_line("--log-level=debug --log-format=text", &o, NULL)));
	assert_int_equal(o.log_level, LOG_DEBUG);
	assert_true(o.log_text);
}

static void without_options_it_is_as_of_old(void **state)
{
	struct redbox_options o;
	(void)state;
	assert_false(failed(read_line("", &o, NULL)));
	assert_string_equal(o.socket, "/var/run/syslurm/red-box.sock");
	assert_null(o.config);
	assert_int_equal(o.log_level, LOG_INFO);
}

static void help_and_version_are_printed(void **state)
{
	struct redbox_options o;
	struct str print = { 0 };
	(void)state;
	assert_false(failed(read_line("--help", &o, &print)));
	assert_true(o.done);
	assert_non_null(strstr(str_text(&print), "--socket=PATH"));
	str_clear(&print);
	assert_false(failed(read_line("-version", &o, &print)));
	assert_string_equal(str_text(&print), "red-box " OPERATOR_VERSION "\n");
	str_free(&print);
}

static void what_is_not_understood_is_refused(void **state)
{
	static const struct {
		const char *line, *sentence;
	} rows[] = {
		{ "--sockets=/s", "unknown option \"--sockets=/s\"" },
		{ "start", "unknown option \"start\"" },
		{ "--socket", "--socket needs a value: --socket=PATH" },
		{ "--socket=", "--socket: a path is wanted" },
		{ "--log-level=loud", "debug, info, warn or error" },
		{ "--log-format=xml", "json or text" },
	};
	struct redbox_options o;
	(void)state;
	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct err e = read_line(rows[i].line, &o, NULL);
		assert_int_equal(e.kind, ERR_INVALID);
		if (!strstr(e.text, rows[i].sentence))
			fail_msg("\"%s\" is not in: %s", rows[i].sentence, e.text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options_are_read_in_every_spelling),
		cmocka_unit_test(without_options_it_is_as_of_old),
		cmocka_unit_test(help_and_version_are_printed),
		cmocka_unit_test(what_is_not_understood_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
