/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses the blocks of "scontrol show": lines of KEY=VALUE without quotes. A table of
 * keys, in the order in which scontrol prints them, determines where a value may end.
 */
#ifndef SLURM_TOOLS_BLOCKS_H
#define SLURM_TOOLS_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"

enum { BLOCK_MAX_KEYS = 96 }; /* of a table */

enum key_flags {
	/* A free value: it may contain blanks, line ends and text that looks like keys */
	KEY_FREE = 1,
	KEY_ALWAYS = 2, /* in every block, so no free value before it ends at a later key */
};

enum key_form {
	FORM_NONE, /* known, but ignored */
	FORM_TEXT,
	FORM_NUMBER,
	FORM_LIMIT, /* a number, or a word for "no limit" */
	FORM_DURATION,
	FORM_TIME,
};

struct key_row {
	const char *name;
	int flags;
	enum key_form form;
	size_t offset; /* of the member: const char * or int64_t */
};

struct block_kind {
	const struct key_row *rows; /* the first key begins a block */
	size_t n;
	/* A key that must follow the first key in its line; NULL: none */
	const char *second;
	/* An unknown key at the beginning of a line has a free value */
	bool strange_is_free;
	size_t thing_bytes; /* the size of the structure with the members of the rows */
};

/*
 * Reads all blocks: *out is an array of *n structures. A missing text is "", a missing
 * number SLURM_ABSENT. ERR_INVALID: a value does not have its form.
 */
struct err blocks_read(const struct block_kind *kind, const char *text, struct arena *a, void **out,
	size_t *n);

#endif
