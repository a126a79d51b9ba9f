/* SPDX-License-Identifier: Apache-2.0 */
/* Purses of a budget. */
#include "base/budget.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"
#include "base/own.h"

struct purse {
	struct budget *of;
	char *name;
	size_t used, granted;
	int users;
	UT_hash_handle hh;
};

struct purse *purse_of(struct budget *b, const char *name)
{
	struct purse *p = NULL;
	if (!b)
		return NULL;
	HASH_FIND_STR(b->purses, name, p);
	if (!p) {
		p = own_alloc(sizeof(*p));
		*p = (struct purse){ .of = b, .name = own_strdup(name) };
		HASH_ADD_KEYPTR(hh, b->purses, p->name, strlen(p->name), p);
	}
	p->users++;
	return p;
}

void purse_leave(struct purse *p)
{
	if (!p || --p->users)
		return;
	assert(!p->used && !p->granted);
	HASH_DEL(p->of->purses, p);
	free(p->name);
	free(p);
}

static size_t share_of(const struct purse *p)
{
	const struct budget *b = p->of;
	return budget_share(b->limit, b->used - p->used, b->least + p->granted);
}

void purse_force(struct purse *p, size_t bytes)
{
	if (!p)
		return;
	p->used += bytes;
	p->of->used += bytes;
}

bool purse_has_room(const struct purse *p, size_t bytes)
{
	return !p || (p->used <= share_of(p) && bytes <= share_of(p) - p->used);
}

struct err purse_take(struct purse *p, size_t bytes)
{
	if (!purse_has_room(p, bytes))
		return err_new(ERR_RETRY,
			"no memory is left for it: the share of %s is %zu kB, and used up", p->name,
			share_of(p) >> 10);
	purse_force(p, bytes);
	return OK;
}

struct err purse_take_leaving(struct purse *p, size_t bytes, size_t spare)
{
	struct err e = purse_take(p, bytes + spare);
	if (!failed(e))
		purse_give(p, spare);
	return e;
}

struct purse *place_take(struct budget *b, const char *name)
{
	struct purse *p = purse_of(b, name);
	if (!failed(purse_take(p, 1)))
		return p;
	purse_leave(p);
	return NULL;
}

void place_give(struct purse *place)
{
	purse_give(place, 1);
	purse_leave(place);
}

size_t purse_used(const struct purse *p) { return p ? p->used : 0; }

size_t budget_purses(const struct budget *b) { return HASH_COUNT(b->purses); }

void purse_give(struct purse *p, size_t bytes)
{
	if (!p)
		return;
	assert(bytes <= p->used);
	p->used -= bytes;
	p->of->used -= bytes;
}

void purse_grant(struct purse *p, size_t bytes)
{
	if (p)
		p->granted += bytes;
}

void purse_revoke(struct purse *p, size_t bytes)
{
	if (!p)
		return;
	assert(bytes <= p->granted);
	p->granted -= bytes;
}
