/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Overwrites memory that libcurl frees, because its lists and buffers, and those of its
 * HTTP/2 library, hold headers with tokens.
 */
#include "net/curl_parts.h"

#include <malloc.h>
#include <string.h>

static void free_wiped(void *p)
{
	if (p)
		explicit_bzero(p, malloc_usable_size(p));
	free(p);
}

static void *move(void *p, size_t bytes)
{
	size_t room = p ? malloc_usable_size(p) : 0;
	if (p && bytes <= room)
		return p;
	void *larger = malloc(bytes);
	if (larger && p) {
		memcpy(larger, p, room);
		free_wiped(p);
	}
	return larger;
}

void curl_memory_init(void)
{
	curl_global_init_mem(CURL_GLOBAL_DEFAULT, malloc, free_wiped, move, strdup, calloc);
}
