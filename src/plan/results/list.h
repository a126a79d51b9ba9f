/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The list of a job's results, as a virtual node sends it: one JSON object a line for
 * each file and folder, and a last line that says that the list is complete. Pure.
 *
 *     {"path":"out","size":0,"mode":493,"folder":true,"modifiedNs":1795270000000000000}
 *     {"path":"out/a.txt","size":5,"mode":420,"folder":false,"modifiedNs":...}
 *     {"end":true,"leftOut":0}
 *
 * Paths are foreign bytes on both sides. A collector reads those of the user who wrote
 * the files, and a virtual node reads those of a collector.
 */
#ifndef PLAN_RESULTS_LIST_H
#define PLAN_RESULTS_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

enum {
	RESULTS_PATH_BYTES = 4096,
	RESULTS_NAME_BYTES = 255, /* of one part of a path */
	/* A byte of a path may be written as six bytes */
	RESULTS_LINE_BYTES = 6 * RESULTS_PATH_BYTES + 512,
	RESULTS_ENTRIES = 100000,
};

struct results_entry {
	const char *path; /* "out/a.txt"; checked by results_path_check */
	int64_t size;     /* bytes; meaningless for a folder */
	int mode;         /* rwxrwxrwx */
	bool folder;
	int64_t modified_ns; /* since 1970; limited to the years 1684 to 2255 when it is read */
};

struct results_line {
	bool end; /* the list is complete; the entry is empty */
	/*
	 * With end: number of objects that are neither file nor folder, or whose name is
	 * not UTF-8
	 */
	int64_t left_out;
	struct results_entry entry;
};

/*
 * Checks a path below a folder, which the path cannot leave: relative, without "..", "."
 * and empty parts, 4096 bytes at most. ERR_INVALID says what is wrong.
 */
struct err results_path_check(const char *path);

/* line: without its end. Texts are in the arena. ERR_INVALID: it is no line of a list. */
struct err results_line_read(const char *line, size_t n, struct arena *a, struct results_line *out);
/* Adds a line with its end. */
void results_line_add(struct str *out, const struct results_line *line);

enum { RESULTS_SUM_BYTES = 32 }; /* SHA-256 */

struct results_sum {
	uint8_t sha256[RESULTS_SUM_BYTES];
	int64_t size, modified_ns; /* of the file with this sum */
};

/* 64 digits of 0-9 and a-f. False: text is something else. */
bool results_sum_hex(const char *text, uint8_t out[static RESULTS_SUM_BYTES]);
void results_sum_add_hex(struct str *out, const uint8_t sum[static RESULTS_SUM_BYTES]);

/*
 * The answer to a request for a checksum: {"sha256":"HEX","size":5,"modifiedNs":...}.
 * ERR_INVALID: it is something else.
 */
struct err results_sum_read(const char *text, size_t n, struct results_sum *out);
void results_sum_add(struct str *out, const struct results_sum *sum);

/*
 * The place of a result on the side of Slurm. from: the requested path; path: its path in
 * the list. "/home/u/out" and "out/a.txt" give "/home/u/out/a.txt", in the arena.
 * ERR_INVALID: from names no file or folder, or path is not below it.
 */
struct err results_place(const char *from, const char *path, struct arena *a, const char **out);

#endif
