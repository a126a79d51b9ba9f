/* SPDX-License-Identifier: Apache-2.0 */
/* A table of texts that expire. */
#include "kubelet/cache.h"

#include <string.h>

#include "base/hash.h"
#include "base/own.h"

enum { CACHE_ENTRIES = 1000, CACHE_BYTES = 8 << 10 };

struct entry {
	UT_hash_handle hh;
	int64_t until_ms;
	char *key, *value;
};

struct cache {
	struct entry *table; /* the first entry is the oldest */
};

static void forget(struct cache *m, struct entry *e)
{
	HASH_DEL(m->table, e);
	free(e->key);
	free(e->value);
	free(e);
}

struct cache *cache_new(void) { return own_alloc(sizeof(struct cache)); }

void cache_free(struct cache *m)
{
	if (!m)
		return;
	while (m->table)
		forget(m, m->table);
	free(m);
}

static struct entry *find(const struct cache *m, const char *key)
{
	struct entry *e;
	HASH_FIND_STR(m->table, key, e);
	return e;
}

void cache_put(struct cache *m, const char *key, const char *value, int64_t until_ms)
{
	struct entry *e = find(m, key);
	if (e)
		forget(m, e);
	if (strlen(key) + strlen(value) > CACHE_BYTES)
		return;
	if (HASH_COUNT(m->table) >= CACHE_ENTRIES)
		forget(m, m->table);
	e = own_alloc(sizeof(*e));
	e->until_ms = until_ms;
	e->key = own_strdup(key);
	e->value = own_strdup(value);
	HASH_ADD_KEYPTR(hh, m->table, e->key, strlen(e->key), e);
}

const char *cache_get(struct cache *m, const char *key, int64_t now_ms)
{
	struct entry *e = find(m, key);
	if (e && now_ms >= e->until_ms) {
		forget(m, e);
		e = NULL;
	}
	return e ? e->value : NULL;
}
