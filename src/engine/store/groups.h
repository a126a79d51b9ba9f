/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Things in groups by a namespace and a word: the pods of one controller, the pods of one
 * host name, the objects that refer to the same one, and, with "", all of a namespace.
 */
#ifndef ENGINE_STORE_GROUPS_H
#define ENGINE_STORE_GROUPS_H

#include <stddef.h>

struct group; /* a hash of groups by key; start with NULL */

/* The place of one thing in one such hash; zeroed: in no group. Lives with the thing. */
struct member {
	char *key;
	size_t at; /* in its group */
};

struct place {
	void *what;
	struct member *member;
};

/* The members of one group, in no lasting order; valid until one joins it or leaves. */
struct members {
	const struct place *list;
	size_t n;
};

/* Leaves the group where it is first. */
void group_join(struct group **all, struct member *m, void *what, const char *ns, const char *word);
void group_leave(struct group **all, struct member *m);
struct members group_of(const struct group *all, const char *ns, const char *word);

#endif
