/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of the configuration; for the files of this folder only. */
#ifndef REDBOX_CONFIG_PARTS_H
#define REDBOX_CONFIG_PARTS_H

#include "redbox/config.h"
#include "json/json.h"

enum { CONFIG_DEPTH = 4 }; /* partition, features, index, key */

struct config_reader {
	const char *file, *text;
	size_t n;
	struct arena *arena;
	struct str *faults, *warnings;
	const char *path[CONFIG_DEPTH]; /* keys that lead to the current place */
	size_t depth;
};

struct config_row {
	const char *key; /* NULL: the end of the rows */
	void (*take)(struct config_reader *r, const char *key, const struct json *v, void *to);
	size_t member;
};

/*
 * Reads each key of the object with the function of its row. A key without a row is an
 * error.
 */
void config_take(struct config_reader *r, const char *key, const struct json *object,
	const struct config_row *rows, void *to);
/* Reports an error for this key at the current place; key NULL: for the whole file. */
void config_fault(struct config_reader *r, const char *key, const char *what);
/* Reads a Go duration ("1h30m", "1.5h", "90s") as whole seconds. */
bool config_duration(const char *text, int64_t *seconds);

#endif
