/* SPDX-License-Identifier: Apache-2.0 */
/* Doubles the creations that may be sent, batch by batch. */
#include "engine/act/slow_start.h"

#include <string.h>

#include "base/hash.h"
#include "base/own.h"

enum {
	LAST_BATCH = 64, /* after a batch of this size has succeeded, there is no limit */
	NO_LIMIT = 1 << 20,
	ROWS = 1000,
};

struct slow_start {
	char *uid;
	int size, left, open;
	enum err_kind broken;
	UT_hash_handle hh;
};

static struct slow_start *find(const struct slow_start *all, const char *uid)
{
	struct slow_start *s;
	HASH_FIND_STR(all, uid, s);
	return s;
}

static void drop(struct slow_start **all, struct slow_start *s)
{
	HASH_DEL(*all, s);
	free(s->uid);
	free(s);
}

/* Objects that are gone leave their rows behind. */
static void sweep(struct slow_start **all)
{
	struct slow_start *s, *next;
	HASH_ITER (hh, *all, s, next)
		if (!s->open)
			drop(all, s);
}

size_t slow_start_room(const struct slow_start *all, const char *uid)
{
	const struct slow_start *s = find(all, uid);
	return !s ? 1 : s->broken ? 0 : (size_t)s->left;
}

bool slow_start_take(struct slow_start **all, const char *uid)
{
	struct slow_start *s = find(*all, uid);
	if (!s) {
		if (HASH_COUNT(*all) >= ROWS)
			sweep(all);
		s = own_alloc(sizeof(*s));
		*s = (struct slow_start){ .uid = own_strdup(uid), .size = 1, .left = 1 };
		HASH_ADD_KEYPTR(hh, *all, s->uid, strlen(s->uid), s);
	}
	if (s->broken || !s->left)
		return false;
	s->left--;
	s->open++;
	return true;
}

enum err_kind slow_start_ended(struct slow_start **all, const char *uid, enum err_kind why)
{
	struct slow_start *s = find(*all, uid);
	if (!s)
		return ERR_NONE;
	s->broken = s->broken ? s->broken : why;
	if (--s->open)
		return ERR_NONE;
	enum err_kind broken = s->broken;
	if (broken) {
		drop(all, s);
	} else if (!s->left) {
		s->size = s->size < LAST_BATCH ? s->size * 2 : NO_LIMIT;
		s->left = s->size;
	}
	return broken;
}

void slow_start_rest(struct slow_start **all, const char *uid)
{
	struct slow_start *s = find(*all, uid);
	if (s && !s->open)
		drop(all, s);
}

void slow_start_free(struct slow_start **all)
{
	while (*all)
		drop(all, *all);
}
