/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each test program has this, linked before its main: T=name runs one test of it, and a
 * test that failed ends with its own line, without a report of the memory that it left.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static int exit_status;

static void note_status(int status, void *nothing)
{
	(void)nothing;
	exit_status = status;
}

__attribute__((constructor)) static void begin_program(void)
{
	const char *name = getenv("T");
	if (name && *name)
		cmocka_set_test_filter(name);
	on_exit(note_status, NULL);
}

/* LeakSanitizer asks at the end; main returns the number of tests that failed. */
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void) { return exit_status != 0; }
