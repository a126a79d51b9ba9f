/* SPDX-License-Identifier: Apache-2.0 */
/* The list of libraries that the program runs with. */
#include "lib/test.h"

#include "cmd/libraries.h"

static void each_library_has_a_line_with_its_version(void **state)
{
	static const char *const names[] = { "slurm-operator", "libcurl", "OpenSSL", "nghttp2",
		"GnuTLS", "libmicrohttpd", "libuv", "libyaml", "yyjson", "protobuf-c", "glibc" };
	AUTO(str_free) struct str print = { 0 };
	size_t lines = 0, found = 0;
	(void)state;
	assert_int_equal(libraries_command(NULL, &print), 0);
	for (char *at = print.text, *line; (line = strsep(&at, "\n")) && *line; lines++) {
		char name[40], version[40];
		int end = 0;
		if (sscanf(line, "%39s %39[0-9.]%n", name, version, &end) != 2 || line[end])
			fail_msg("no name and version: %s", line);
		for (size_t i = 0; i < LENGTH(names); i++)
			found += str_eq(name, names[i]);
	}
	assert_int_equal(found, LENGTH(names));
	assert_true(lines >= found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_library_has_a_line_with_its_version),
	};
	return cmocka_run_group_tests_name("cmd_libraries", tests, NULL, NULL);
}
