/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cache of the API server's answers: texts by texts, for a limited time. At most 1,000
 * entries of 8 KiB each, key and answer; longer ones are not kept, and the oldest entry
 * makes room.
 */
#ifndef KUBELET_CACHE_H
#define KUBELET_CACHE_H

#include <stdint.h>

struct cache;

/* An empty one. */
struct cache *cache_new(void);
void cache_free(struct cache *m); /* accepts NULL */
/* Until then, by the monotonic clock. Both are copied. */
void cache_put(struct cache *m, const char *key, const char *value, int64_t until_ms);
/* NULL: it is not known, or not any more. Valid until the next call. */
const char *cache_get(struct cache *m, const char *key, int64_t now_ms);

#endif
