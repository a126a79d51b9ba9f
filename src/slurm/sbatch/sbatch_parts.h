/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of sbatch_read; for the files of this folder only.
 *
 *     sbatch_words.c    a line to words
 *     sbatch_values.c   a value to a number
 *     sbatch_options.c  which options there are, and how a word names one
 *     sbatch.c          the lines of a script, and what its words say together
 */
#ifndef SLURM_SBATCH_SBATCH_PARTS_H
#define SLURM_SBATCH_SBATCH_PARTS_H

#include <stdbool.h>

#include "base/str.h"
#include "slurm/sbatch/sbatch.h"

/* The rest of the options of one line, without a NUL byte. */
struct sbatch_line {
	const char *at, *end;
	int64_t number; /* from 1 */
};

/* A space, as C has it without a locale. */
bool sbatch_is_space(char c);
/* Nothing but "hetjob" (or "packjob", its old name) begins what is left. */
bool sbatch_is_separator(const struct sbatch_line *line);
/*
 * The next word, without its quotes; *more is false when there is none. ERR_INVALID,
 * without the line: a quote that is not closed, or a word that begins with a colon.
 */
struct err sbatch_next_word(struct sbatch_line *line, struct str *word, bool *more);

/* The request of an option, as far as it is read here. */
enum sbatch_asks {
	ASKS_NOTHING,
	ASKS_NODES,
	ASKS_TIME,
	ASKS_MEMORY,
	ASKS_CPUS,           /* of one task */
	ASKS_TASKS_PER_NODE, /* at most, when tasks are asked for as well */
	ASKS_TASKS,
	ASKS_PARTITION, /* whether it is there */
	SBATCH_ASKS
};

/* The value as a number (nodes, seconds, MiB); ERR_INVALID says what would be right. */
struct err sbatch_value(enum sbatch_asks asks, const char *text, int64_t *out);

enum sbatch_has { HAS_NO_VALUE, HAS_VALUE, MAY_HAVE_VALUE };

struct sbatch_option {
	const char *name; /* without "--" */
	char letter;      /* '\0': it has none */
	enum sbatch_has has;
	enum sbatch_asks asks;
};

/* The option of a letter; NULL: no sbatch has it. */
const struct sbatch_option *sbatch_option_short(char letter);
/*
 * The option of n characters of a name, or of the beginning of one name only. NULL: no
 * sbatch has it. ERR_INVALID: several begin so.
 */
struct err sbatch_option_long(const char *name, size_t n, const struct sbatch_option **out);

#endif
