/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps things in groups by a key. */
#include "engine/groups.h"

#include <string.h>

#include "base/hash.h"
#include "base/own.h"
#include "object/resource.h"

struct group {
	char *key;
	struct member *first;
	UT_hash_handle hh;
};

void group_leave(struct group **all, struct member *m)
{
	struct group *g = NULL;
	if (!m->key)
		return;
	HASH_FIND_STR(*all, m->key, g);
	if (m->prev)
		m->prev->next = m->next;
	else if (g)
		g->first = m->next;
	if (m->next)
		m->next->prev = m->prev;
	if (g && !g->first) {
		HASH_DEL(*all, g);
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
	*m = (struct member){ own_strdup(key), what, NULL, g->first };
	if (g->first)
		g->first->prev = m;
	g->first = m;
}

const struct member *group_first(const struct group *all, const char *ns, const char *word)
{
	struct group *g;
	char key[OBJECT_KEY_BYTES];
	HASH_FIND_STR(all, object_key(key, ns, word), g);
	return g ? g->first : NULL;
}
