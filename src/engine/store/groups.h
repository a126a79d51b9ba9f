/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Groups of items by a namespace and a word: the pods of one controller, the pods with
 * one host name, the objects that refer to the same object. With "" as the word, a group
 * has all items of a namespace.
 */
#ifndef ENGINE_STORE_GROUPS_H
#define ENGINE_STORE_GROUPS_H

#include <stddef.h>

struct group; /* a hash of groups by key; start with NULL */

/* The place of an item in one hash of groups, kept in the item; zeroed: no group. */
struct member {
	char *key;
	size_t at; /* in its group */
};

struct place {
	void *what;
	struct member *member;
};

/* The members of a group, in no stable order; valid until a member joins or leaves. */
struct members {
	const struct place *list;
	size_t n;
};

/* Puts the item into this group, and removes it from its former group. */
void group_join(struct group **all, struct member *m, void *what, const char *ns, const char *word);
void group_leave(struct group **all, struct member *m);
struct members group_of(const struct group *all, const char *ns, const char *word);

#endif
