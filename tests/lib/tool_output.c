/* SPDX-License-Identifier: Apache-2.0 */
/* Recorded output of Slurm's tools. */
#include "lib/tool_output.h"

#include "lib/test.h"

char *tool_output(struct arena *a, const char *name)
{
	AUTO(str_free) struct str bytes = { 0 };
	char piece[4096];
	FILE *f = fopen(arena_printf(a, "tests/unit/recorded/%s", name), "re");
	if (!f)
		fail_msg("%s is not recorded", name);
	for (size_t n; (n = fread(piece, 1, sizeof(piece), f)) > 0;)
		str_add_bytes(&bytes, piece, n);
	fclose(f);
	return arena_strdup(a, str_text(&bytes));
}
