/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of any struct whose first member is "char *name", sorted by name, without
 * duplicates. For the files of this folder only.
 */
#ifndef PLAN_EXPORTER_NAME_ROWS_H
#define PLAN_EXPORTER_NAME_ROWS_H

#include <stddef.h>

struct name_rows {
	void *v; /* n rows of row_bytes each; begins as NULL */
	size_t n, cap;
};

/* The row of this name, of n bytes; NULL: none. */
void *name_rows_find(const struct name_rows *r, size_t row_bytes, const char *name, size_t n);
/* The row of this name, or a new zeroed row; NULL: the table has "most" rows already. */
void *name_rows_get(struct name_rows *r, size_t row_bytes, size_t most, const char *name, size_t n);
void name_rows_free(struct name_rows *r, size_t row_bytes);

#endif
