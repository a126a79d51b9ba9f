/* SPDX-License-Identifier: Apache-2.0 */
/* Names and GRES of an answer; for take*.c only. */
#ifndef EXPORTER_TAKE_PARTS_H
#define EXPORTER_TAKE_PARTS_H

#include "exporter/take.h"

/* A set of names, with indexes. */
struct name_table {
	struct name_entry *entries;
	const char **v;
	size_t n, cap;
};

/* Counts bytes of names. Sets an error in t if there are too many. */
void take_bytes(struct source_answer *t, size_t n);
/* Index of a key of n bytes, which is added if absent. A key begins with a name. */
size_t key_index(struct source_answer *t, struct name_table *names, const char *key, size_t n);
size_t name_index(struct source_answer *t, struct name_table *names, const char *name);
/* Call it before the texts of the answer are freed. */
void name_table_empty(struct name_table *names);
void name_table_free(struct name_table *names);

/* Adds n to *to, and saturates at INT64_MAX. */
void take_sum(int64_t *to, int64_t n);

/* Creates an empty table. */
struct gres_table *gres_table_new(void);
/*
 * Adds a list (slurm/gres.h) of the current item: its GRES, or those in use. Sets an
 * error in t if there are too many.
 */
void take_gres(struct source_answer *t, const char *list, bool used);
/* All GRES that were added. */
struct exporter_gres_list gres_table_list(struct source_answer *t);
void gres_table_free(struct gres_table *g);

#endif
