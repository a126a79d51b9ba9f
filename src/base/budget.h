/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A memory budget divided among namespaces or users, one quota each. A quota may
 * hold half of what the others leave free, so that no quota takes the whole budget. A
 * quota may always hold its minimum: "least" bytes and the bytes that it was granted.
 *
 *     struct budget b = { .limit = 48 << 20, .least = 1 << 20 };
 *     struct quota *p = quota_of(&b, "a namespace");
 *     struct err e = quota_take(p, bytes);
 *     ...
 *     quota_give(p, bytes);
 *     quota_leave(p);
 *
 * Every function accepts NULL for a quota that has no limit.
 */
#ifndef BASE_BUDGET_H
#define BASE_BUDGET_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct quota;

/* The size of a quota whose minimum is "least" (proved in tests/proof/quota.c). */
static inline size_t budget_share(size_t limit, size_t of_others, size_t least)
{
	size_t half = of_others < limit ? (limit - of_others) / 2 : 0;
	return half > least ? half : least;
}

struct budget {
	size_t limit, least; /* bytes: of all quotas together; the minimum of each */
	size_t used;
	struct quota *quotas; /* private */
};

/* Returns the quota of this name, which its users share; NULL when there is no budget. */
struct quota *quota_of(struct budget *b, const char *name);
/* Drops one user; frees the quota with its last user. */
void quota_leave(struct quota *p);
/* Whether quota_take would succeed now. */
bool quota_has_room(const struct quota *p, size_t bytes);
/* Allocates bytes; ERR_RETRY with a sentence, and nothing allocated, over quota. */
struct err quota_take(struct quota *p, size_t bytes);
/* Like quota_take, but also ERR_RETRY when less than spare bytes would stay free. */
struct err quota_take_leaving(struct quota *p, size_t bytes, size_t spare);
/* Allocates bytes even over quota, for data that is already in memory. */
void quota_force(struct quota *p, size_t bytes);
/* Bytes that the quota holds; the number of quotas. */
size_t quota_used(const struct quota *p);
size_t budget_quotas(const struct budget *b);
/* Returns bytes that were allocated. */
void quota_give(struct quota *p, size_t bytes);
/*
 * For a budget that counts places instead of bytes: place_take takes a place for this
 * name, place_give returns the place. NULL: over quota; place_give accepts NULL.
 */
struct quota *place_take(struct budget *b, const char *name);
void place_give(struct quota *place);
/*
 * Raises the minimum of a quota until the grant is revoked. Bytes that were allocated
 * meanwhile stay allocated. Revoke all grants before the last user leaves.
 */
void quota_grant(struct quota *p, size_t bytes);
void quota_revoke(struct quota *p, size_t bytes);

#endif
