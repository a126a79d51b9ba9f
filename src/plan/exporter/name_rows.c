/* SPDX-License-Identifier: Apache-2.0 */
/* Rows sorted by name. */
#include "plan/exporter/name_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/own.h"

static char *row_at(const struct name_rows *r, size_t row_bytes, size_t i)
{
	return (char *)r->v + i * row_bytes;
}

static char *name_at(const struct name_rows *r, size_t row_bytes, size_t i)
{
	char *name;
	memcpy(&name, row_at(r, row_bytes, i), sizeof(name));
	return name;
}

/* The index of the name, or the index at which it would be inserted. */
static size_t place_of(const struct name_rows *r, size_t row_bytes, const char *name, size_t n)
{
	size_t low = 0, high = r->n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (strncmp(name_at(r, row_bytes, middle), name, n) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void *row_of(const struct name_rows *r, size_t row_bytes, size_t at, const char *name,
	size_t n)
{
	if (at == r->n)
		return NULL;
	const char *there = name_at(r, row_bytes, at);
	return strncmp(there, name, n) == 0 && !there[n] ? row_at(r, row_bytes, at) : NULL;
}

void *name_rows_find(const struct name_rows *r, size_t row_bytes, const char *name, size_t n)
{
	return row_of(r, row_bytes, place_of(r, row_bytes, name, n), name, n);
}

void *name_rows_get(struct name_rows *r, size_t row_bytes, size_t most, const char *name, size_t n)
{
	size_t at = place_of(r, row_bytes, name, n);
	char *row = row_of(r, row_bytes, at, name, n);
	if (row || r->n == most)
		return row;
	if (r->n == r->cap) {
		r->cap = r->cap ? 2 * r->cap : 16;
		r->v = own_realloc(r->v, r->cap * row_bytes);
	}
	row = row_at(r, row_bytes, at);
	memmove(row + row_bytes, row, (r->n++ - at) * row_bytes);
	memset(row, 0, row_bytes);
	memcpy(row, &(char *){ own_strndup(name, n) }, sizeof(char *));
	return row;
}

void name_rows_free(struct name_rows *r, size_t row_bytes)
{
	for (size_t i = 0; i < r->n; i++)
		free(name_at(r, row_bytes, i));
	free(r->v);
	*r = (struct name_rows){ 0 };
}
