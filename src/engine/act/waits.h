/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Targets that have to wait: after a failure, where the wait doubles with each failure in
 * a row (from 50 ms to 5 s after a conflict, from 0.2 s to 30 s when the peer is away,
 * from 5 s to 5 min when a human has to act), or for a set time.
 *
 * Times are monotonic, in ms.
 */
#ifndef ENGINE_ACT_WAITS_H
#define ENGINE_ACT_WAITS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct wait; /* a hash of rows by key; start with NULL */

/* How long the target of this key has yet to wait; 0: not at all. */
int64_t waits_left_ms(const struct wait *all, const char *key, int64_t now_ms);
/* The target failed once more. */
void waits_longer(struct wait **all, const char *key, enum err_kind why, int64_t now_ms);
/* The target waits until then; how often it failed is forgotten. */
void waits_until(struct wait **all, const char *key, int64_t until_ms);
/* The action succeeded. */
void waits_end(struct wait **all, const char *key);
/* Ends the wait of each key that begins so. */
void waits_end_all(struct wait **all, const char *prefix);
/* How many whose keys begin so wait now. */
size_t waits_count(const struct wait *all, const char *prefix, int64_t now_ms);
/*
 * Targets that no plan asks for any more would stay for ever: forgets those of ten
 * minutes ago.
 */
void waits_sweep(struct wait **all, int64_t now_ms);
void waits_free(struct wait **all);

#endif
