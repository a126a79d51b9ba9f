/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds where the last lines of a file begin: tells which range to read next, from the
 * end of the file towards its beginning. Pure.
 *
 *     struct last_lines l = last_lines_begin(20, size);
 *     while ((step = last_lines_next(&l, size_now, most)).what == LAST_LINES_READ) {
 *         n = pread(fd, bytes, step.bytes, step.from);
 *         last_lines_take(&l, &step, bytes, n);
 *     }
 *
 * The last line counts even if no newline ends it yet. The search sees the file up to its
 * size at the beginning; lines that are appended meanwhile follow the lines that are
 * found. No range is read twice, and none before the line that is found.
 */
#ifndef REDBOX_FILES_LAST_LINES_H
#define REDBOX_FILES_LAST_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct last_lines {
	int64_t size; /* size of the file when the search began */
	int64_t at;   /* the bytes from here to size have been read */
	int64_t left; /* number of lines still to find */
	int64_t from; /* start of the lines, once found */
	bool found;
	bool shrunk; /* the file ended before the end of a range */
};

enum last_lines_what {
	LAST_LINES_READ,  /* read this range next */
	LAST_LINES_FOUND, /* the lines begin at from */
	/* The file has become shorter, so its content may have changed between reads */
	LAST_LINES_CHANGED,
};

struct last_lines_step {
	enum last_lines_what what;
	int64_t from;
	size_t bytes; /* for LAST_LINES_READ: from 1 to most */
};

/* lines: 0 or more; size: of the file, 0 or more */
struct last_lines last_lines_begin(int64_t lines, int64_t size);
/* size_now: size of the file after the last range was read */
struct last_lines_step last_lines_next(const struct last_lines *l, int64_t size_now, size_t most);
/* n: bytes read from the range; less than step->bytes if the file ends there. */
void last_lines_take(struct last_lines *l, const struct last_lines_step *step, const char *bytes,
	size_t n);

#endif
