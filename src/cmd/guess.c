/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the name with the smallest distance to the typed word. */
#include "cmd/guess.h"

#include <string.h>

#include "base/str.h"

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

/*
 * The Levenshtein distance: the number of letters to change, insert or delete. Names are
 * short.
 */
static size_t distance(const char *a, const char *b)
{
	enum { MOST = 40 };
	size_t row[MOST + 1], n = strlen(b);
	if (strlen(a) > MOST || n > MOST)
		return MOST;
	for (size_t k = 0; k <= n; k++)
		row[k] = k;
	for (size_t i = 1; a[i - 1]; i++) {
		size_t corner = row[0]++;
		for (size_t k = 1; k <= n; k++) {
			size_t above = row[k];
			row[k] = least(corner + (a[i - 1] != b[k - 1]),
				least(above, row[k - 1]) + 1);
			corner = above;
		}
	}
	return row[n];
}

void guess_at(struct guess *g, const char *typed, const char *name)
{
	size_t far = str_has_prefix(name, typed) && strlen(typed) > 2 ? 0 : distance(typed, name);
	if (far <= strlen(name) / 3 && (!g->name || far < g->far))
		*g = (struct guess){ name, far };
}
