/* SPDX-License-Identifier: Apache-2.0 */
/* cmocka with what it needs before it, and what every test uses. */
#ifndef TESTS_LIB_TEST_H
#define TESTS_LIB_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/own.h"
#include "base/str.h"

/* Asserts that the text has this part, and prints the text when it has not. */
#define assert_has(text, part) text_has((text), (part), __FILE__, __LINE__)

static inline void text_has(const char *text, const char *part, const char *file, int line)
{
	if (!text || !strstr(text, part)) {
		cm_print_error("no \"%s\" in: %s\n", part, text ? text : "(nothing)");
		_fail(file, line);
	}
}

static inline void text_to_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "we");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

#endif
