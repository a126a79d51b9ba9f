/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cache of the API server's answers, which maps texts to texts for a limited time. It
 * has at most 1,000 entries of at most 8 KiB (key and value). Longer entries are not
 * stored. When the cache is full, the oldest entry is removed.
 */
#ifndef KUBELET_CACHE_H
#define KUBELET_CACHE_H

#include <stdint.h>

struct cache;

/* Creates an empty cache. */
struct cache *cache_new(void);
void cache_free(struct cache *m); /* accepts NULL */
/* Stores copies of both texts until until_ms of the monotonic clock. */
void cache_put(struct cache *m, const char *key, const char *value, int64_t until_ms);
/* NULL: absent or expired. Valid until the next call. */
const char *cache_get(struct cache *m, const char *key, int64_t now_ms);

#endif
