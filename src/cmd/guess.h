/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the name that a user meant who typed an unknown one. */
#ifndef CMD_GUESS_H
#define CMD_GUESS_H

#include <stddef.h>

struct guess {
	const char *name; /* NULL: none is near */
	size_t far;
};

/* Takes this name when it is nearer to what was typed than those before. */
void guess_at(struct guess *g, const char *typed, const char *name);

#endif
