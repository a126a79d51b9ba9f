/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arena: memory that is freed all at once. A plan, its actions and their sentences live
 * in one arena. Not thread-safe. Pointers stay valid until arena_free.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

struct arena {
	struct arena_block *block; /* newest first */
};

void *arena_alloc(struct arena *a, size_t bytes); /* zeroed, aligned for any type */
#define arena_array(a, type, n) ((type *)arena_alloc((a), sizeof(type) * (size_t)(n)))
/*
 * Returns an array of n elements with room for one more: the array itself, or a copy
 * twice as large. *cap is its capacity; 0: not allocated yet.
 */
void *arena_grown(struct arena *a, void *array, size_t n, size_t *cap, size_t thing_bytes);
char *arena_strdup(struct arena *a, const char *s); /* NULL stays NULL */
char *arena_strndup(struct arena *a, const char *s, size_t n);
char *arena_printf(struct arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
void arena_free(struct arena *a); /* usable with AUTO */

#endif
