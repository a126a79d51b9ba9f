/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asks for memory ahead of its use. Who walks over ten thousand things that lie all over
 * the memory waits for it most of the time.
 */
#ifndef BASE_FETCH_H
#define BASE_FETCH_H

#include <stddef.h>

/* The bytes from "from" to "to" of the block; any address will do, NULL too. */
static inline void memory_fetch(const void *block, size_t from, size_t to)
{
	enum { LINE_BYTES = 64 };
	for (size_t at = from; block && at < to; at += LINE_BYTES)
		__builtin_prefetch((const char *)block + at);
}

#endif
