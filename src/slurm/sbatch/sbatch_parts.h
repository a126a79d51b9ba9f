/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Declarations shared by the files of sbatch_read; private to this folder.
 *
 *     sbatch_words.c    splits a line into words
 *     sbatch_values.c   converts a value to a number
 *     sbatch_options.c  the table of options, and the search by name
 *     sbatch.c          reads the lines of a script, and combines its requests
 */
#ifndef SLURM_SBATCH_SBATCH_PARTS_H
#define SLURM_SBATCH_SBATCH_PARTS_H

#include <stdbool.h>

#include "base/str.h"
#include "slurm/sbatch/sbatch.h"

/* The unread rest of one line of options, without a NUL byte. */
struct sbatch_line {
	const char *at, *end;
	int64_t number; /* from 1 */
};

/* Whether c is a space, as isspace without a locale. */
bool sbatch_is_space(char c);
/*
 * Whether the rest of the line begins with the word "hetjob" (or "packjob", its old
 * name).
 */
bool sbatch_is_separator(const struct sbatch_line *line);
/*
 * Reads the next word, without its quotes; *more is false at the end of the line.
 * ERR_INVALID, without the line number: a quote is not closed, or a word begins with a
 * colon.
 */
struct err sbatch_next_word(struct sbatch_line *line, struct str *word, bool *more);

/* The request of an option; ASKS_NOTHING for options that we do not use. */
enum sbatch_asks {
	ASKS_NOTHING,
	ASKS_NODES,
	ASKS_TIME,
	ASKS_MEMORY,
	ASKS_CPUS,           /* for each task */
	ASKS_TASKS_PER_NODE, /* a maximum if tasks are requested as well */
	ASKS_TASKS,
	ASKS_PARTITION, /* whether the option is given */
	ASKS_ARRAY,     /* the number of tasks */
	SBATCH_ASKS
};

/* Reads the value as a number (nodes, seconds, MiB); ERR_INVALID states a valid value. */
struct err sbatch_value(enum sbatch_asks asks, const char *text, int64_t *out);

enum sbatch_has { HAS_NO_VALUE, HAS_VALUE, MAY_HAVE_VALUE };

struct sbatch_option {
	const char *name; /* without "--" */
	char letter;      /* '\0': none */
	enum sbatch_has has;
	enum sbatch_asks asks;
};

/* The option of a letter; NULL: sbatch has no such option. */
const struct sbatch_option *sbatch_option_short(char letter);
/*
 * Finds an option by the n characters of its name, or by an unambiguous beginning. NULL:
 * sbatch has no such option. ERR_INVALID: the beginning fits several names.
 */
struct err sbatch_option_long(const char *name, size_t n, const struct sbatch_option **out);

#endif
