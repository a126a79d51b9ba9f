/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the known name that is nearest to a mistyped one. */
#ifndef CMD_GUESS_H
#define CMD_GUESS_H

#include <stddef.h>

struct guess {
	const char *name; /* NULL: no name is near */
	size_t far;
};

/* Keeps this name if it is nearer to the typed word than the names before. */
void guess_at(struct guess *g, const char *typed, const char *name);

#endif
