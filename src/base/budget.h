/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A memory budget divided among namespaces or users, one purse (quota) each. A purse may
 * hold half of what the others leave free, so that no purse takes the whole budget. A
 * purse may always hold its minimum: "least" bytes and the bytes that it was granted.
 *
 *     struct budget b = { .limit = 48 << 20, .least = 1 << 20 };
 *     struct purse *p = purse_of(&b, "a namespace");
 *     struct err e = purse_take(p, bytes);
 *     ...
 *     purse_give(p, bytes);
 *     purse_leave(p);
 *
 * Every function accepts NULL for a purse that has no limit.
 */
#ifndef BASE_BUDGET_H
#define BASE_BUDGET_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct purse;

/* The quota of a purse whose minimum is "least" (proved in tests/proof/purse.c). */
static inline size_t budget_share(size_t limit, size_t of_others, size_t least)
{
	size_t half = of_others < limit ? (limit - of_others) / 2 : 0;
	return half > least ? half : least;
}

struct budget {
	size_t limit, least; /* bytes: of all purses together; the minimum of each */
	size_t used;
	struct purse *purses; /* private */
};

/* Returns the purse of this name, which its users share; NULL when there is no budget. */
struct purse *purse_of(struct budget *b, const char *name);
/* Drops one user; frees the purse with its last user. */
void purse_leave(struct purse *p);
/* Whether purse_take would succeed now. */
bool purse_has_room(const struct purse *p, size_t bytes);
/* Allocates bytes; ERR_RETRY with a sentence, and nothing allocated, over quota. */
struct err purse_take(struct purse *p, size_t bytes);
/* Like purse_take, but also ERR_RETRY when less than spare bytes would stay free. */
struct err purse_take_leaving(struct purse *p, size_t bytes, size_t spare);
/* Allocates bytes even over quota, for data that is already in memory. */
void purse_force(struct purse *p, size_t bytes);
/* Bytes that the purse holds; the number of purses. */
size_t purse_used(const struct purse *p);
size_t budget_purses(const struct budget *b);
/* Returns bytes that were allocated. */
void purse_give(struct purse *p, size_t bytes);
/*
 * Takes a place for this name, where the budget counts places, and gives it back. NULL:
 * over quota, and nothing taken. place_give accepts NULL.
 */
struct purse *place_take(struct budget *b, const char *name);
void place_give(struct purse *place);
/*
 * Raises the minimum of a purse until the grant is revoked. Bytes that were allocated
 * meanwhile stay allocated. Revoke all grants before the last user leaves.
 */
void purse_grant(struct purse *p, size_t bytes);
void purse_revoke(struct purse *p, size_t bytes);

#endif
