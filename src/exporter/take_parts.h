/* SPDX-License-Identifier: Apache-2.0 */
/* Names and GRES of an answer; for take*.c only. */
#ifndef EXPORTER_TAKE_PARTS_H
#define EXPORTER_TAKE_PARTS_H

#include "exporter/take.h"

/* Names, each once. */
struct name_table {
	struct name_entry *entries;
	const char **v;
	size_t n, cap;
};

/* An error of the answer where it has too many bytes of names. */
void take_bytes(struct source_answer *t, size_t n);
/* key: what tells one from another, n bytes; the name is what stands at its beginning. */
size_t key_index(struct source_answer *t, struct name_table *names, const char *key, size_t n);
size_t name_index(struct source_answer *t, struct name_table *names, const char *name);
/* Before the texts of the answer go. */
void name_table_empty(struct name_table *names);
void name_table_free(struct name_table *names);

/* INT64_MAX when the sum is more. */
void take_sum(int64_t *to, int64_t n);

/* An empty one. */
struct gres_table *gres_table_new(void);
/*
 * A list (slurm/gres.h) of the item that comes next: what it has, or what is in use. An
 * error of the answer where there are too many.
 */
void take_gres(struct source_answer *t, const char *list, bool used);
/* All that were taken. */
struct exporter_gres_list gres_table_list(struct source_answer *t);
void gres_table_free(struct gres_table *g);

#endif
