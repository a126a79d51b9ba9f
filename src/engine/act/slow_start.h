/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slow start: the creations of one object go out in batches of 1, 2, 4 and so on, each
 * when the one before has ended well. When one fails, the rest would most likely fail
 * alike (a quota, an admission webhook): nothing more goes out until the batch has ended
 * and a while has passed, and it begins with one again. When a batch of 64 has ended well
 * there are no more batches: each would end with a wait for its slowest, and the
 * executor's own limit is enough.
 */
#ifndef ENGINE_ACT_SLOW_START_H
#define ENGINE_ACT_SLOW_START_H

#include <stddef.h>

#include "base/err.h"

struct slow_start; /* a hash of rows by uid; start with NULL */

/*
 * How many more may be sent now. 0 only while some are under way: their end, the same
 * call as told below, makes room.
 */
size_t slow_start_room(const struct slow_start *all, const char *uid);
/* May one more creation of this object be sent now? The creation then counts as sent. */
bool slow_start_take(struct slow_start **all, const char *uid);
/*
 * A creation has ended, with ERR_NONE or why it failed. When its batch has ended with it:
 * the first failure in it; else ERR_NONE.
 */
enum err_kind slow_start_ended(struct slow_start **all, const char *uid, enum err_kind why);
/* The object has nothing to create: the next time begins with one. */
void slow_start_rest(struct slow_start **all, const char *uid);
void slow_start_free(struct slow_start **all);

#endif
