/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prefetches memory ahead of its use. A loop over ten thousand objects that are scattered
 * in memory spends most of its time waiting for memory.
 */
#ifndef BASE_FETCH_H
#define BASE_FETCH_H

#include <stddef.h>

/*
 * Prefetches the bytes from "from" to "to" of the block, which may be any address or
 * NULL.
 */
static inline void memory_fetch(const void *block, size_t from, size_t to)
{
	enum { LINE_BYTES = 64 };
	for (size_t at = from; block && at < to; at += LINE_BYTES)
		__builtin_prefetch((const char *)block + at);
}

#endif
