/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Targets that have to wait, after a failure or for a set time. The wait after a failure
 * doubles with each failure in a row: from 50 ms to 5 s after a conflict, from 0.2 s to
 * 30 s when the peer does not answer, from 5 s to 5 min when a human has to act.
 *
 * Times are monotonic, in ms.
 */
#ifndef ENGINE_ACT_WAITS_H
#define ENGINE_ACT_WAITS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct wait; /* a hash of rows by key; start with NULL */

/* The rest of the wait of the target with this key; 0: it does not wait. */
int64_t waits_left_ms(const struct wait *all, const char *key, int64_t now_ms);
/* The target failed once more. */
void waits_longer(struct wait **all, const char *key, enum err_kind why, int64_t now_ms);
/* The target waits until this time; its number of failures is reset. */
void waits_until(struct wait **all, const char *key, int64_t until_ms);
/* The action succeeded. */
void waits_end(struct wait **all, const char *key);
/* Ends the wait of each key with this prefix. */
void waits_end_all(struct wait **all, const char *prefix);
/* The number of targets with this prefix that wait now. */
size_t waits_count(const struct wait *all, const char *prefix, int64_t now_ms);
/*
 * Drops targets whose wait ended ten minutes ago: plans may no longer order their
 * actions.
 */
void waits_sweep(struct wait **all, int64_t now_ms);
void waits_free(struct wait **all);

#endif
