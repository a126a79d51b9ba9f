/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Actions that were done and are wanted again at once: another client undoes them, for
 * example a webhook that strips our annotations, or a Slurm answers "done" and does
 * nothing. The second time is free; from then on the target waits, twice as long each
 * time it is done in a row: 1 s doubling to 30 s. A different action on the target ends
 * the row.
 *
 * Times are monotonic, in ms.
 */
#ifndef ENGINE_ACT_REVERTED_H
#define ENGINE_ACT_REVERTED_H

#include "engine/act/action.h"

struct reverted; /* a hash of rows by target; start with NULL */

/*
 * A hash of what an action does, without the version that it is to meet and times of
 * conditions: the same status is written with another time. 0: it is not of a kind that
 * can be reverted.
 */
uint32_t reverted_what(const struct action *a);
/* How long it has yet to wait; 0: not at all. target: an object or a Slurm node. */
int64_t reverted_left_ms(const struct reverted *all, const char *target, uint32_t what,
	int64_t now_ms);
/* The action was done. Returns how often in a row. */
int reverted_done(struct reverted **all, const char *target, uint32_t what, int64_t now_ms);
/* Forgets rows that have ended. Walks all of them: not for every plan. */
void reverted_sweep(struct reverted **all, int64_t now_ms);
void reverted_free(struct reverted **all);

#endif
