/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps a row for each action that keeps failing. */
#include "engine/act/failures.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/own.h"
#include "base/str.h"

enum {
	UNWANTED_MS = 40000,
	GONE_MS = 300000, /* of an object that is not planned any more */
	LASTING_MS = 20000,
};

struct failures {
	char *key, *uid, *name;
	struct operation operation;
	struct err err;
	int64_t since_ms, wanted_ms;
	bool told;
	UT_hash_handle hh;
};

static struct failures *find(struct failures *all, const char *key)
{
	struct failures *f;
	HASH_FIND_STR(all, key, f);
	return f;
}

static void drop(struct failures **all, struct failures *f)
{
	HASH_DEL(*all, f);
	free(f->key);
	free(f->uid);
	free(f->name);
	free(f);
}

static bool needs_a_human(enum err_kind k)
{
	return k == ERR_DENIED || k == ERR_INVALID || k == ERR_TOO_LARGE;
}

void failures_failed(struct failures **all, const char *uid, const char *key,
	struct operation operation, const char *name, struct err err, int64_t now_ms)
{
	struct failures *f = find(*all, key);
	if (f && !str_eq(f->uid, uid)) { /* of an earlier object of this name */
		drop(all, f);
		f = NULL;
	}
	if (f) {
		f->told = f->told || needs_a_human(err.kind) || now_ms - f->since_ms >= LASTING_MS;
	} else {
		f = own_alloc(sizeof(*f));
		*f = (struct failures){
			.key = own_strdup(key),
			.uid = own_strdup(uid),
			.name = own_strdup(name),
			.operation = operation,
			.since_ms = now_ms,
		};
		HASH_ADD_KEYPTR(hh, *all, f->key, strlen(f->key), f);
	}
	f->err = err;
	f->wanted_ms = now_ms;
}

void failures_ended(struct failures **all, const char *key)
{
	struct failures *f = find(*all, key);
	if (f)
		drop(all, f);
}

void failures_wanted(struct failures *all, const char *key, int64_t now_ms)
{
	struct failures *f = find(all, key);
	if (f)
		f->wanted_ms = now_ms;
}

int64_t failures_sweep(struct failures **all, const char *uid, int64_t now_ms)
{
	int64_t again_ms = 0;
	struct failures *f, *next;
	HASH_ITER (hh, *all, f, next) {
		bool its_own = str_eq(f->uid, uid);
		/* Only plans of the row's object show whether the action is wanted. */
		int64_t left_ms = f->wanted_ms + (its_own ? UNWANTED_MS : GONE_MS) - now_ms;
		if (left_ms <= 0)
			drop(all, f);
		if (!its_own)
			continue;
		if (left_ms <= 0)
			left_ms = 1; /* the next plan reports its end */
		if (!again_ms || left_ms < again_ms)
			again_ms = left_ms;
	}
	return again_ms;
}

void failures_each(const struct failures *all, const char *uid,
	void (*each)(void *ctx, const char *key), void *ctx)
{
	for (const struct failures *f = all; f; f = f->hh.next)
		if (str_eq(f->uid, uid))
			each(ctx, f->key);
}

static bool alike(const struct failing_action *out, size_t n, const struct failures *f)
{
	for (size_t i = 0; i < n; i++)
		if (operation_is(out[i].operation, f->operation) && out[i].error == f->err.kind)
			return true;
	return false;
}

size_t failures_of(const struct failures *all, const char *uid, struct failing_action *out,
	size_t most)
{
	size_t n = 0;
	for (const struct failures *f = all; f && n < most; f = f->hh.next)
		if (f->told && str_eq(f->uid, uid) && !alike(out, n, f))
			out[n++] = (struct failing_action){ f->operation, f->err.kind, f->name,
				f->err.text };
	return n;
}

void failures_free(struct failures **all)
{
	while (*all)
		drop(all, *all);
}
