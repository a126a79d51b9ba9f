/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slow start: the creations of one object are sent in batches of 1, 2, 4 and so on, each
 * batch after the one before has succeeded. When a creation fails, the others would most
 * likely fail too (a quota, an admission webhook). So nothing more is sent until the
 * batch has ended and a while has passed, and the next batch has one creation again.
 * After a batch of 64 has succeeded there are no more batches: each would end with a wait
 * for its slowest creation, and the executor's own limit is enough.
 */
#ifndef ENGINE_ACT_SLOW_START_H
#define ENGINE_ACT_SLOW_START_H

#include <stddef.h>

#include "base/err.h"

struct slow_start; /* a hash of rows by uid; start with NULL */

/*
 * The number of creations that may be sent now. 0 only while creations are in flight;
 * slow_start_ended makes room again.
 */
size_t slow_start_room(const struct slow_start *all, const char *uid);
/* True if one more creation of this object may be sent; it then counts as sent. */
bool slow_start_take(struct slow_start **all, const char *uid);
/*
 * A creation has ended, with ERR_NONE or its error. If its batch has ended with it,
 * returns the first error of the batch; else ERR_NONE.
 */
enum err_kind slow_start_ended(struct slow_start **all, const char *uid, enum err_kind why);
/* The object has nothing to create: its next batch has one creation. */
void slow_start_rest(struct slow_start **all, const char *uid);
void slow_start_free(struct slow_start **all);

#endif
