/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps items in groups by a key. */
#include "engine/store/groups.h"

#include <string.h>

#include "base/hash.h"
#include "base/own.h"
#include "object/resource.h"

struct group {
	char *key;
	struct place *list; /* one block, because a plan walks over ten thousand items */
	size_t n, cap;
	UT_hash_handle hh;
};

void group_leave(struct group **all, struct member *m)
{
	struct group *g = NULL;
	if (!m->key)
		return;
	HASH_FIND_STR(*all, m->key, g);
	g->list[m->at] = g->list[--g->n];
	g->list[m->at].member->at = m->at;
	if (!g->n) {
		HASH_DEL(*all, g);
		free(g->list);
		free(g->key);
		free(g);
	}
	free(m->key);
	*m = (struct member){ 0 };
}

void group_join(struct group **all, struct member *m, void *what, const char *ns, const char *word)
{
	struct group *g;
	char key[OBJECT_KEY_BYTES];
	group_leave(all, m);
	HASH_FIND_STR(*all, object_key(key, ns, word), g);
	if (!g) {
		g = own_alloc(sizeof(*g));
		g->key = own_strdup(key);
		HASH_ADD_KEYPTR(hh, *all, g->key, strlen(g->key), g);
	}
	if (g->n == g->cap) {
		g->cap = g->cap ? g->cap * 2 : 4;
		g->list = own_realloc(g->list, g->cap * sizeof(*g->list));
	}
	*m = (struct member){ own_strdup(key), g->n };
	g->list[g->n++] = (struct place){ what, m };
}

struct members group_of(const struct group *all, const char *ns, const char *word)
{
	if (!all)
		return (struct members){ 0 };
	struct group *g;
	char key[OBJECT_KEY_BYTES];
	HASH_FIND_STR(all, object_key(key, ns, word), g);
	return g ? (struct members){ g->list, g->n } : (struct members){ 0 };
}
