/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The list of a job's results, as a virtual node gives it: one JSON object a line, for
 * each file and folder, and a last one that says that the list is whole. Pure.
 *
 *     {"path":"out","size":0,"mode":493,"folder":true,"modifiedNs":1795270000000000000}
 *     {"path":"out/a.txt","size":5,"mode":420,"folder":false,"modifiedNs":...}
 *     {"end":true,"leftOut":0}
 *
 * Paths are foreign bytes on both sides: of the user who wrote the files for a collector,
 * of a collector for the virtual node.
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
	RESULTS_NAME_BYTES = 255, /* of one part of it */
	/* Each byte of a path may be written as six */
	RESULTS_LINE_BYTES = 6 * RESULTS_PATH_BYTES + 512,
	RESULTS_ENTRIES = 100000,
};

struct results_entry {
	const char *path; /* "out/a.txt"; results_path_check has taken it */
	int64_t size;     /* bytes; of a folder without meaning */
	int mode;         /* rwxrwxrwx */
	bool folder;
	int64_t modified_ns; /* since 1970; read: between the years 1684 and 2255 */
};

struct results_line {
	bool end; /* the list is whole; the entry is empty */
	/* With end: things that are neither file nor folder, or have no name in UTF-8 */
	int64_t left_out;
	struct results_entry entry;
};

/*
 * A path beneath a folder, which it cannot leave: relative, without "..", "." and empty
 * parts, 4096 bytes at most. ERR_INVALID says what is wrong.
 */
struct err results_path_check(const char *path);

/* A line without its end; texts are in the arena. ERR_INVALID: it is none. */
struct err results_line_read(const char *line, size_t n, struct arena *a, struct results_line *out);
/* Adds a line with its end. */
void results_line_add(struct str *out, const struct results_line *line);

enum { RESULTS_SUM_BYTES = 32 }; /* SHA-256 */

struct results_sum {
	uint8_t sha256[RESULTS_SUM_BYTES];
	int64_t size, modified_ns; /* of the file that has it */
};

/* 64 digits of 0-9 and a-f. False: text is something else. */
bool results_sum_hex(const char *text, uint8_t out[static RESULTS_SUM_BYTES]);
void results_sum_add_hex(struct str *out, const uint8_t sum[static RESULTS_SUM_BYTES]);

/*
 * The answer about a checksum: {"sha256":"HEX","size":5,"modifiedNs":...}. ERR_INVALID:
 * it is none.
 */
struct err results_sum_read(const char *text, size_t n, struct results_sum *out);
void results_sum_add(struct str *out, const struct results_sum *sum);

/*
 * Where on the side of Slurm the results that the list calls path are, when from was
 * asked for: "/home/u/out" and "out/a.txt" are "/home/u/out/a.txt". In the arena.
 * ERR_INVALID: from names no file or folder, or path is not beneath it.
 */
struct err results_place(const char *from, const char *path, struct arena *a, const char **out);

#endif
