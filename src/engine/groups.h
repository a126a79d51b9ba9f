/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records in groups by a key of their own: the pods of one controller, the pods of one
 * host name.
 */
#ifndef ENGINE_GROUPS_H
#define ENGINE_GROUPS_H

#include "engine/store.h"

struct group; /* a hash of groups by key; start with NULL */

/*
 * The place of one record in one such hash; zeroed: in no group. Lives with the record.
 */
struct member {
	char *key;
	const struct record *rec;
	struct member *prev, *next;
};

/* Leaves the group where it is first. */
void group_join(struct group **all, struct member *m, const struct record *rec, const char *key);
void group_leave(struct group **all, struct member *m);
/* Each record of the group in ns (NULL: all). */
void group_each(const struct group *all, const char *key, const char *ns,
	void (*each)(void *ctx, const struct record *rec), void *ctx);

#endif
