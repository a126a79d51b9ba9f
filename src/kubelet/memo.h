/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cache of the API server's answers: texts by texts, for a limited time. At most 1,000
 * entries of 8 KiB each, key and answer; longer ones are not kept, and the oldest entry
 * makes room.
 */
#ifndef KUBELET_MEMO_H
#define KUBELET_MEMO_H

#include <stdint.h>

struct memo;

/* An empty one. */
struct memo *memo_new(void);
void memo_free(struct memo *m); /* accepts NULL */
/* Until then, by the monotonic clock. Both are copied. */
void memo_put(struct memo *m, const char *key, const char *value, int64_t until_ms);
/* NULL: it is not known, or not any more. Valid until the next call. */
const char *memo_get(struct memo *m, const char *key, int64_t now_ms);

#endif
