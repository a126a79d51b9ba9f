/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the targets that have to wait after a failure. */
#include "engine/act/waits.h"

#include <string.h>

#include "base/hash.h"
#include "base/own.h"
#include "base/str.h"

enum { FORGET_MS = 600000 };

struct wait {
	char *key;
	int64_t until_ms, delay_ms;
	UT_hash_handle hh;
};

static const struct {
	int64_t first_ms, most_ms;
} patience[ERR_KINDS] = {
	[ERR_RETRY] = { 200, 30000 },
	[ERR_LOST] = { 200, 30000 },
	[ERR_CONFLICT] = { 50, 5000 },
	[ERR_NOT_FOUND] = { 200, 30000 },
	[ERR_EXISTS] = { 200, 30000 },
	[ERR_EXPIRED] = { 200, 30000 },
	[ERR_DENIED] = { 5000, 300000 },
	[ERR_INVALID] = { 5000, 300000 },
	[ERR_TOO_LARGE] = { 5000, 300000 },
	[ERR_CANCELLED] = { 200, 30000 },
	[ERR_INTERNAL] = { 1000, 60000 },
};

static struct wait *find(const struct wait *all, const char *key)
{
	struct wait *w;
	HASH_FIND_STR(all, key, w);
	return w;
}

static struct wait *make(struct wait **all, const char *key)
{
	struct wait *w = find(*all, key);
	if (w)
		return w;
	w = own_alloc(sizeof(*w));
	w->key = own_strdup(key);
	HASH_ADD_KEYPTR(hh, *all, w->key, strlen(w->key), w);
	return w;
}

static void drop(struct wait **all, struct wait *w)
{
	HASH_DEL(*all, w);
	free(w->key);
	free(w);
}

int64_t waits_left_ms(const struct wait *all, const char *key, int64_t now_ms)
{
	const struct wait *w = find(all, key);
	return w && w->until_ms > now_ms ? w->until_ms - now_ms : 0;
}

void waits_longer(struct wait **all, const char *key, enum err_kind why, int64_t now_ms)
{
	struct wait *w = make(all, key);
	w->delay_ms = w->delay_ms ? w->delay_ms * 2 : patience[why].first_ms;
	if (w->delay_ms < patience[why].first_ms)
		w->delay_ms = patience[why].first_ms;
	if (w->delay_ms > patience[why].most_ms)
		w->delay_ms = patience[why].most_ms;
	w->until_ms = now_ms + w->delay_ms;
}

void waits_until(struct wait **all, const char *key, int64_t until_ms)
{
	struct wait *w = make(all, key);
	w->delay_ms = 0;
	w->until_ms = until_ms;
}

void waits_end(struct wait **all, const char *key)
{
	struct wait *w = find(*all, key);
	if (w)
		drop(all, w);
}

void waits_end_all(struct wait **all, const char *prefix)
{
	struct wait *w, *next;
	HASH_ITER (hh, *all, w, next)
		if (str_has_prefix(w->key, prefix))
			drop(all, w);
}

size_t waits_count(const struct wait *all, const char *prefix, int64_t now_ms)
{
	size_t n = 0;
	for (const struct wait *w = all; w; w = w->hh.next)
		n += w->until_ms > now_ms && str_has_prefix(w->key, prefix);
	return n;
}

void waits_sweep(struct wait **all, int64_t now_ms)
{
	struct wait *w, *next;
	HASH_ITER (hh, *all, w, next)
		if (now_ms - w->until_ms > FORGET_MS)
			drop(all, w);
}

void waits_free(struct wait **all)
{
	while (*all)
		drop(all, *all);
}
