/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the last lines of a file begin: which range to read next, from the end of the
 * file towards its beginning. Pure.
 *
 *     struct last_lines l = last_lines_begin(20, size);
 *     while ((step = last_lines_next(&l, size_now, most)).what == LAST_LINES_READ) {
 *         n = pread(fd, bytes, step.bytes, step.from);
 *         last_lines_take(&l, &step, bytes, n);
 *     }
 *
 * The last line counts also while no newline ends it. The lines are those of the size at
 * the beginning of the search: what is appended meanwhile stands behind them. No range is
 * read twice, and none before the line that is found.
 */
#ifndef REDBOX_FILES_LAST_LINES_H
#define REDBOX_FILES_LAST_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct last_lines {
	int64_t size; /* of the file when the search began */
	int64_t at;   /* the bytes from here to size have been read */
	int64_t left; /* lines that are still to be found */
	int64_t from; /* where the lines begin, once found */
	bool found;
	bool shrunk; /* the file ended before the end of a range */
};

enum last_lines_what {
	LAST_LINES_READ,  /* read this range next */
	LAST_LINES_FOUND, /* the lines begin at from */
	/* The file has become shorter: what was read need not be of one content */
	LAST_LINES_CHANGED,
};

struct last_lines_step {
	enum last_lines_what what;
	int64_t from;
	size_t bytes; /* of LAST_LINES_READ: from 1 to most */
};

/* lines: 0 or more; size: of the file, 0 or more */
struct last_lines last_lines_begin(int64_t lines, int64_t size);
/* size_now: of the file, read after the last range */
struct last_lines_step last_lines_next(const struct last_lines *l, int64_t size_now, size_t most);
/* n: the bytes that this range has; fewer than step->bytes: the file ends there. */
void last_lines_take(struct last_lines *l, const struct last_lines_step *step, const char *bytes,
	size_t n);

#endif
