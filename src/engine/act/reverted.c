/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps a row for each target whose action was done lately. */
#include "engine/act/reverted.h"

#include <string.h>

#include "base/codec.h"
#include "base/hash.h"
#include "base/own.h"
#include "base/str.h"

enum { AT_ONCE_MS = 5000, FIRST_MS = 1000, MOST_MS = 30000 };

/*
 * target: a keyed hash, so that no client can choose a name that collides with another
 * client's.
 */
struct reverted {
	uint64_t target;
	uint32_t what;
	int64_t done_ms, delay_ms;
	int times;
	UT_hash_handle hh;
};

static uint32_t hash_text(uint32_t hash, const char *text)
{
	return fnv1_32(hash, text, strlen(text));
}

/*
 * The length of a member that the hash skips because it is not part of the desired state:
 * the expected resourceVersion, and lastTransitionTime. In a JSON patch, "value" is
 * between the path and the version. 0: another member.
 */
static size_t passed_over(const char *at)
{
	static const struct {
		const char *key, *between, *value; /* between, value: sets of characters */
	} rows[] = {
		{ "resourceVersion\"", ",:\"value", "0123456789" },
		{ "lastTransitionTime\"", ":\"", "0123456789-:TZ" },
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		if (!str_has_prefix(at, rows[i].key))
			continue;
		size_t n = strlen(rows[i].key);
		n += strspn(at + n, rows[i].between);
		return n + strspn(at + n, rows[i].value);
	}
	return 0;
}

static uint32_t hash_wish(uint32_t hash, const char *body)
{
	for (const char *at = body; (at = strpbrk(at, "rl"));) {
		size_t n = passed_over(at);
		if (n) {
			hash = fnv1_32(hash, body, (size_t)(at - body));
			body = at + n;
		}
		at += n ? n : 1;
	}
	return hash_text(hash, body);
}

uint32_t reverted_what(const struct action *a)
{
	char operation[OPERATION_BYTES];
	if (!verb_rows[a->operation.verb].sets)
		return 0;
	uint32_t hash = hash_text(FNV1_START, operation_name(operation, a->operation));
	hash = hash_wish(hash, a->body ? a->body : "");
	hash = hash_text(hash, a->text ? a->text : "");
	return hash ? hash : 1;
}

static uint64_t key_of(const char *target)
{
	return hash_siphash(hash_key(), target, strlen(target));
}

static struct reverted *find(const struct reverted *all, const char *target)
{
	struct reverted *u;
	uint64_t key = key_of(target);
	HASH_FIND(hh, all, &key, sizeof(key), u);
	return u;
}

int64_t reverted_left_ms(const struct reverted *all, const char *target, uint32_t what,
	int64_t now_ms)
{
	const struct reverted *u = what ? find(all, target) : NULL;
	int64_t left_ms = u && u->what == what ? u->done_ms + u->delay_ms - now_ms : 0;
	return left_ms > 0 ? left_ms : 0;
}

static bool is_over(const struct reverted *u, int64_t now_ms)
{
	return now_ms - u->done_ms > u->delay_ms + AT_ONCE_MS;
}

static int64_t longer(const struct reverted *u)
{
	int64_t ms = u->delay_ms ? u->delay_ms * 2 : FIRST_MS;
	return ms < MOST_MS ? ms : MOST_MS;
}

int reverted_done(struct reverted **all, const char *target, uint32_t what, int64_t now_ms)
{
	struct reverted *u = find(*all, target);
	if (!what)
		return 1;
	if (!u) {
		u = own_alloc(sizeof(*u));
		u->target = key_of(target);
		HASH_ADD(hh, *all, target, sizeof(u->target), u);
	}
	bool again = u->what == what && !is_over(u, now_ms);
	u->times = again ? u->times + 1 : 1;
	u->delay_ms = again ? longer(u) : 0;
	u->what = what;
	u->done_ms = now_ms;
	return u->times;
}

void reverted_sweep(struct reverted **all, int64_t now_ms)
{
	struct reverted *u, *next;
	HASH_ITER (hh, *all, u, next)
		if (is_over(u, now_ms)) {
			HASH_DEL(*all, u);
			free(u);
		}
}

void reverted_free(struct reverted **all) { reverted_sweep(all, INT64_MAX); }
