/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Things in groups by a namespace and a word: the pods of one controller, the pods of one
 * host name, the objects that refer to the same one, and, with "", all of a namespace.
 */
#ifndef ENGINE_GROUPS_H
#define ENGINE_GROUPS_H

struct group; /* a hash of groups by key; start with NULL */

/* The place of one thing in one such hash; zeroed: in no group. Lives with the thing. */
struct member {
	char *key;
	void *what;
	struct member *prev, *next;
};

/* Leaves the group where it is first. */
void group_join(struct group **all, struct member *m, void *what, const char *ns, const char *word);
void group_leave(struct group **all, struct member *m);
/* The first of the group, whose next is the second; NULL: there is none. */
const struct member *group_first(const struct group *all, const char *ns, const char *word);

#endif
