/* SPDX-License-Identifier: Apache-2.0 */
/* Quotas of a budget. */
#include "base/budget.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"
#include "base/own.h"

struct quota {
	struct budget *of;
	char *name;
	size_t used, granted;
	int users;
	UT_hash_handle hh;
};

struct quota *quota_of(struct budget *b, const char *name)
{
	struct quota *p = NULL;
	if (!b)
		return NULL;
	HASH_FIND_STR(b->quotas, name, p);
	if (!p) {
		p = own_alloc(sizeof(*p));
		*p = (struct quota){ .of = b, .name = own_strdup(name) };
		HASH_ADD_KEYPTR(hh, b->quotas, p->name, strlen(p->name), p);
	}
	p->users++;
	return p;
}

void quota_leave(struct quota *p)
{
	if (!p || --p->users)
		return;
	assert(!p->used && !p->granted);
	HASH_DEL(p->of->quotas, p);
	free(p->name);
	free(p);
}

static size_t share_of(const struct quota *p)
{
	const struct budget *b = p->of;
	return budget_share(b->limit, b->used - p->used, b->least + p->granted);
}

void quota_force(struct quota *p, size_t bytes)
{
	if (!p)
		return;
	p->used += bytes;
	p->of->used += bytes;
}

bool quota_has_room(const struct quota *p, size_t bytes)
{
	return !p || (p->used <= share_of(p) && bytes <= share_of(p) - p->used);
}

struct err quota_take(struct quota *p, size_t bytes)
{
	if (!quota_has_room(p, bytes))
		return err_new(ERR_RETRY,
			"no memory is left: the quota of %s is %zu kB, and used up", p->name,
			share_of(p) >> 10);
	quota_force(p, bytes);
	return OK;
}

struct err quota_take_leaving(struct quota *p, size_t bytes, size_t spare)
{
	struct err e = quota_take(p, bytes + spare);
	if (!failed(e))
		quota_give(p, spare);
	return e;
}

struct quota *place_take(struct budget *b, const char *name)
{
	struct quota *p = quota_of(b, name);
	if (!failed(quota_take(p, 1)))
		return p;
	quota_leave(p);
	return NULL;
}

void place_give(struct quota *place)
{
	quota_give(place, 1);
	quota_leave(place);
}

size_t quota_used(const struct quota *p) { return p ? p->used : 0; }

size_t budget_quotas(const struct budget *b) { return HASH_COUNT(b->quotas); }

void quota_give(struct quota *p, size_t bytes)
{
	if (!p)
		return;
	assert(bytes <= p->used);
	p->used -= bytes;
	p->of->used -= bytes;
}

void quota_grant(struct quota *p, size_t bytes)
{
	if (p)
		p->granted += bytes;
}

void quota_revoke(struct quota *p, size_t bytes)
{
	if (!p)
		return;
	assert(bytes <= p->granted);
	p->granted -= bytes;
}
