/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps records in groups by a key. */
#include "engine/groups.h"

#include <string.h>
#include <uthash.h>

#include "base/own.h"
#include "base/str.h"

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

void group_join(struct group **all, struct member *m, const struct record *rec, const char *key)
{
	struct group *g;
	group_leave(all, m);
	HASH_FIND_STR(*all, key, g);
	if (!g) {
		g = own_alloc(sizeof(*g));
		g->key = own_strdup(key);
		HASH_ADD_KEYPTR(hh, *all, g->key, strlen(g->key), g);
	}
	*m = (struct member){ own_strdup(key), rec, NULL, g->first };
	if (g->first)
		g->first->prev = m;
	g->first = m;
}

void group_each(const struct group *all, const char *key, const char *ns,
	void (*each)(void *ctx, const struct record *rec), void *ctx)
{
	struct group *g;
	HASH_FIND_STR(all, key, g);
	for (const struct member *m = g ? g->first : NULL; m; m = m->next)
		if (!ns || str_eq(ns, m->rec->ns))
			each(ctx, m->rec);
}
