/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Limits the writes that are for people only. A job that starts on 10,000 nodes changes
 * 10,000 pods. They are written over two minutes, so the API server keeps nearly all of
 * its time for other requests. A namespace may use half of what the others leave, so that
 * a namespace whose nodes change all the time does not delay the others.
 */
#include <string.h>

#include "base/hash.h"
#include "base/own.h"
#include "engine/act/executor_parts.h"

enum {
	SHOWS_A_SECOND = 200, /* also the maximum number in flight */
	SHOWS_LEAST = 5,      /* a namespace may always use this many of them */
	SECOND_MS = 1000,
	REST_MS = 10000,    /* pause after a failure that concerns more than one pod */
	DENIED_MS = 300000, /* pause after a denied write */
};

/* The writes of a namespace. */
struct show_space {
	char *ns;
	int64_t from_ms; /* start of the second that begun counts; over if not shows.from_ms */
	int64_t not_before_ms;
	int begun, under_way;
	UT_hash_handle hh;
};

static struct show_space *find(const struct executor *x, const char *ns)
{
	struct show_space *s;
	HASH_FIND_STR(x->shows.spaces, ns, s);
	return s;
}

static struct show_space *space_of(struct executor *x, const char *ns)
{
	struct show_space *s = find(x, ns);
	if (s)
		return s;
	s = own_alloc(sizeof(*s));
	*s = (struct show_space){ .ns = own_strdup(ns) };
	HASH_ADD_KEYPTR(hh, x->shows.spaces, s->ns, strlen(s->ns), s);
	return s;
}

static void forget(struct executor *x, struct show_space *s)
{
	HASH_DEL(x->shows.spaces, s);
	free(s->ns);
	free(s);
}

void shows_sweep(struct executor *x, bool all)
{
	struct show_space *s, *next;
	HASH_ITER (hh, x->shows.spaces, s, next)
		if (all ||
			(!s->under_way && s->from_ms != x->shows.from_ms &&
				now_of(x) > s->not_before_ms))
			forget(x, s);
}

static bool is_new_second(const struct executor *x)
{
	return now_of(x) - x->shows.from_ms >= SECOND_MS;
}

static int most(int a, int b) { return a > b ? a : b; }

/* The part of this second's limit that all namespaces, or one, have used. */
static int used(const struct executor *x, int begun, int64_t from_ms, int under_way)
{
	bool counts = !is_new_second(x) && from_ms == x->shows.from_ms;
	return most(counts ? begun : 0, under_way);
}

size_t executor_max_shows(const struct executor *x, const char *ns, int64_t *again_ms)
{
	const struct shows *all = &x->shows;
	const struct show_space *s = find(x, ns);
	int64_t now_ms = now_of(x);
	int of_all = used(x, all->begun, all->from_ms, all->under_way);
	int own = s ? used(x, s->begun, s->from_ms, s->under_way) : 0;
	int left = (int)budget_share(SHOWS_A_SECOND, (size_t)most(of_all - own, 0), SHOWS_LEAST) -
		own;
	*again_ms = is_new_second(x) ? SECOND_MS : all->from_ms + SECOND_MS - now_ms;
	if (!s || now_ms >= s->not_before_ms)
		return left > 0 ? (size_t)(left + 1) / 2 : 0;
	*again_ms = s->not_before_ms - now_ms;
	return 0;
}

void shows_begun(struct executor *x, const char *ns)
{
	struct shows *all = &x->shows;
	struct show_space *s = space_of(x, ns);
	if (is_new_second(x)) {
		all->from_ms = now_of(x);
		all->begun = 0;
	}
	if (s->from_ms != all->from_ms)
		s->begun = 0;
	s->from_ms = all->from_ms;
	all->begun++;
	all->under_way++;
	s->begun++;
	s->under_way++;
}

void shows_over(struct executor *x, const char *ns)
{
	x->shows.under_way--;
	space_of(x, ns)->under_way--;
}

void shows_ended(struct executor *x, const char *ns, struct err err)
{
	bool of_the_pod = err.kind == ERR_CONFLICT || err.kind == ERR_NOT_FOUND;
	if (!failed(err) || of_the_pod)
		return;
	space_of(x, ns)->not_before_ms = now_of(x) + (err.kind == ERR_DENIED ? DENIED_MS : REST_MS);
}
