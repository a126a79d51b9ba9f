/* SPDX-License-Identifier: Apache-2.0 */
/* T=name runs one test of every program: linked into each, before its main. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

__attribute__((constructor)) static void one_by_name(void)
{
	const char *name = getenv("T");
	if (name && *name)
		cmocka_set_test_filter(name);
}
