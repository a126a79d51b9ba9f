/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Actions that succeed and are ordered again at once, because another client undoes them
 * (for example a webhook that strips our annotations), or because Slurm answers "done"
 * and changes nothing. The second time is not delayed. After it the target waits 1 s, and
 * twice as long after each further time in a row, up to 30 s. A different action on the
 * target resets the count.
 *
 * Times are monotonic, in ms.
 */
#ifndef ENGINE_ACT_REVERTED_H
#define ENGINE_ACT_REVERTED_H

#include "engine/act/action.h"

struct reverted; /* a hash of rows by target; start with NULL */

/*
 * A hash of what an action does. The expected resourceVersion and the times of conditions
 * are left out, because they change when the same status is written again. 0: the action
 * sets no state that can be reverted.
 */
uint32_t reverted_what(const struct action *a);
/* The rest of the wait of the target, an object or a Slurm node; 0: it does not wait. */
int64_t reverted_left_ms(const struct reverted *all, const char *target, uint32_t what,
	int64_t now_ms);
/* The action was done. Returns the number of times in a row. */
int reverted_done(struct reverted **all, const char *target, uint32_t what, int64_t now_ms);
/* Drops rows that have ended. Walks all rows, so it is not called for every plan. */
void reverted_sweep(struct reverted **all, int64_t now_ms);
void reverted_free(struct reverted **all);

#endif
