/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The blocks of "scontrol show": lines of KEY=VALUE that quote nothing. A table of keys,
 * in the order in which scontrol prints them, says where a value may end.
 */
#ifndef SLURM_TOOLS_BLOCKS_H
#define SLURM_TOOLS_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"

enum { BLOCK_MAX_KEYS = 96 }; /* of a table */

enum key_flags {
	/* The rest of its line: it may hold blanks, line ends and what looks like keys */
	KEY_FREE = 1,
	KEY_ALWAYS = 2, /* every block has it, so no free value ends at a key behind it */
};

enum key_form {
	FORM_NONE, /* known, but not wanted */
	FORM_TEXT,
	FORM_NUMBER,
	FORM_LIMIT, /* a number, or a word for none */
	FORM_DURATION,
	FORM_TIME,
};

struct key_row {
	const char *name;
	int flags;
	enum key_form form;
	size_t offset; /* of its member: const char * or int64_t */
};

struct block_kind {
	const struct key_row *rows; /* the first one begins a block */
	size_t n;
	/*
	 * A key that stands behind the first one in its line; NULL: no other is needed
	 */
	const char *second;
	/* A line that begins with a key that is not known is text of any kind */
	bool strange_is_free;
	size_t thing_bytes; /* a structure, whose members the rows mean */
};

/*
 * All blocks: *out is an array of *n structures. A text that is not there is "", a number
 * SLURM_ABSENT. ERR_INVALID: a value does not have its form.
 */
struct err blocks_read(const struct block_kind *kind, const char *text, struct arena *a, void **out,
	size_t *n);

#endif
