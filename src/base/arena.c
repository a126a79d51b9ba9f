/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that is freed all at once. */
#include "base/arena.h"

#include <assert.h>
#include <stdarg.h>
#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"

struct arena_block {
	struct arena_block *older;
	size_t used, cap;
	alignas(max_align_t) char bytes[];
};

/* Some arenas hold a few names, others a plan for thousands of pods. */
enum { FIRST_BYTES = 1024, BLOCK_BYTES = 16 * 1024 };

static struct arena_block *block_new(const struct arena_block *last, size_t at_least)
{
	size_t cap = !last                    ? FIRST_BYTES
		: last->cap < BLOCK_BYTES / 4 ? 4 * last->cap
					      : BLOCK_BYTES;
	cap = at_least > cap ? at_least : cap;
	struct arena_block *b = own_realloc(NULL, sizeof(*b) + cap);
	*b = (struct arena_block){ .cap = cap };
	return b;
}

void *arena_alloc(struct arena *a, size_t bytes)
{
	size_t align = alignof(max_align_t);
	size_t need = (bytes + align - 1) & ~(align - 1);
	assert(need >= bytes);
	if (!a->block || a->block->cap - a->block->used < need) {
		struct arena_block *b = block_new(a->block, need);
		b->older = a->block;
		a->block = b;
	}
	void *p = a->block->bytes + a->block->used;
	a->block->used += need;
	return memset(p, 0, need);
}

char *arena_strndup(struct arena *a, const char *s, size_t n)
{
	if (!s)
		return NULL;
	n = strnlen(s, n);
	char *copy = arena_alloc(a, n + 1);
	memcpy(copy, s, n);
	return copy;
}

void *arena_grown(struct arena *a, void *array, size_t n, size_t *cap, size_t thing_bytes)
{
	if (n < *cap)
		return array;
	*cap = *cap ? 2 * *cap : 8;
	void *grown = arena_alloc(a, *cap * thing_bytes);
	if (n)
		memcpy(grown, array, n * thing_bytes);
	return grown;
}

char *arena_strdup(struct arena *a, const char *s)
{
	return s ? arena_strndup(a, s, strlen(s)) : NULL;
}

char *arena_printf(struct arena *a, const char *format, ...)
{
	va_list args, again;
	va_start(args, format);
	va_copy(again, args);
	int n = vsnprintf(NULL, 0, format, args);
	va_end(args);
	char *text = arena_alloc(a, n > 0 ? (size_t)n + 1 : 1);
	if (n > 0)
		vsnprintf(text, (size_t)n + 1, format, again);
	va_end(again);
	return text;
}

void arena_free(struct arena *a)
{
	while (a->block) {
		struct arena_block *older = a->block->older;
		free(a->block);
		a->block = older;
	}
}
