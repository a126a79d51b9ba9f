/* SPDX-License-Identifier: Apache-2.0 */
/* A table of what is known for a while. */
#include "kubelet/memo.h"

#include <string.h>

#include "base/hash.h"
#include "base/own.h"

enum { MEMO_ENTRIES = 1000, MEMO_BYTES = 8 << 10 };

struct entry {
	UT_hash_handle hh;
	int64_t until_ms;
	char *key, *value;
};

struct memo {
	struct entry *table; /* the first is the oldest */
};

static void forget(struct memo *m, struct entry *e)
{
	HASH_DEL(m->table, e);
	free(e->key);
	free(e->value);
	free(e);
}

struct memo *memo_new(void) { return own_alloc(sizeof(struct memo)); }

void memo_free(struct memo *m)
{
	if (!m)
		return;
	while (m->table)
		forget(m, m->table);
	free(m);
}

static struct entry *find(const struct memo *m, const char *key)
{
	struct entry *e;
	HASH_FIND_STR(m->table, key, e);
	return e;
}

void memo_put(struct memo *m, const char *key, const char *value, int64_t until_ms)
{
	struct entry *e = find(m, key);
	if (e)
		forget(m, e);
	if (strlen(key) + strlen(value) > MEMO_BYTES)
		return;
	if (HASH_COUNT(m->table) >= MEMO_ENTRIES)
		forget(m, m->table);
	e = own_alloc(sizeof(*e));
	e->until_ms = until_ms;
	e->key = own_strdup(key);
	e->value = own_strdup(value);
	HASH_ADD_KEYPTR(hh, m->table, e->key, strlen(e->key), e);
}

const char *memo_get(struct memo *m, const char *key, int64_t now_ms)
{
	struct entry *e = find(m, key);
	if (e && now_ms >= e->until_ms) {
		forget(m, e);
		e = NULL;
	}
	return e ? e->value : NULL;
}
