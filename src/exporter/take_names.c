/* SPDX-License-Identifier: Apache-2.0 */
/* Stores each name once. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/own.h"
#include "exporter/take_parts.h"

enum { TEXTS_MOST = 32 << 20 }; /* limit for all names */

void take_sum(int64_t *to, int64_t n)
{
	if (__builtin_add_overflow(*to, n, to))
		*to = INT64_MAX;
}

struct name_entry {
	char *name;
	size_t index;
	UT_hash_handle hh;
};

void take_bytes(struct source_answer *t, size_t n)
{
	t->bytes += n;
	if (t->bytes > TEXTS_MOST && !failed(t->err))
		t->err = err_new(ERR_TOO_LARGE, "names of more than %d bytes", (int)TEXTS_MOST);
}

size_t key_index(struct source_answer *t, struct name_table *names, const char *key, size_t n)
{
	struct name_entry *e;
	HASH_FIND(hh, names->entries, key, n, e);
	if (e)
		return e->index;
	e = arena_alloc(&t->texts, sizeof(*e));
	e->name = arena_alloc(&t->texts, n + 1);
	memcpy(e->name, key, n);
	e->index = names->n;
	take_bytes(t, n);
	HASH_ADD_KEYPTR(hh, names->entries, e->name, n, e);
	if (names->n == names->cap) {
		names->cap = names->cap ? 2 * names->cap : 16;
		names->v = own_realloc(names->v, names->cap * sizeof(*names->v));
	}
	names->v[names->n] = e->name;
	return names->n++;
}

size_t name_index(struct source_answer *t, struct name_table *names, const char *name)
{
	return key_index(t, names, name, strlen(name));
}

void name_table_empty(struct name_table *names)
{
	HASH_CLEAR(hh, names->entries);
	free(names->v);
	*names = (struct name_table){ 0 };
}

void name_table_free(struct name_table *names)
{
	name_table_empty(names);
	free(names);
}
