/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that many share, each from a purse of its own: one may have half of what the
 * others leave, so that nobody takes all of it, and a little whatever the others have:
 * so much as each has in any case, and what it was granted beside that.
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

/* What one may have that has "least" in any case (tests/proof/purse.c). */
static inline size_t budget_share(size_t limit, size_t of_others, size_t least)
{
	size_t half = of_others < limit ? (limit - of_others) / 2 : 0;
	return half > least ? half : least;
}

struct budget {
	size_t limit, least; /* bytes: of all together; that each may have in any case */
	size_t used;
	struct purse *purses; /* private */
};

/* The purse of this name, which its users share. NULL for no budget. */
struct purse *purse_of(struct budget *b, const char *name);
/* The last user takes it away. */
void purse_leave(struct purse *p);
/* Whether so much could be taken now. */
bool purse_has_room(const struct purse *p, size_t bytes);
/* ERR_RETRY with a sentence when there is no room; nothing is taken then. */
struct err purse_take(struct purse *p, size_t bytes);
/* The same, and ERR_RETRY also when less than spare would be left. */
struct err purse_take_leaving(struct purse *p, size_t bytes, size_t spare);
/* Takes it whether or not there is room: what is known already is kept. */
void purse_force(struct purse *p, size_t bytes);
/* Back, of what was taken. */
void purse_give(struct purse *p, size_t bytes);
/*
 * It has so much more in any case, until it is revoked. What was taken meanwhile stays
 * taken. Who leaves has revoked what he granted.
 */
void purse_grant(struct purse *p, size_t bytes);
void purse_revoke(struct purse *p, size_t bytes);

#endif
