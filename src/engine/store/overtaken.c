/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps creations in flight whose name another pod has. */
#include "engine/store/overtaken.h"

#include "base/own.h"
#include "base/str.h"

struct overtaken {
	uint64_t ticket;
	char *name, *owner_uid;
	char *by;    /* uid of the pod that has the name, or had it last */
	bool coming; /* the pod that has the name has another owner, or is gone */
	struct overtaken *next;
};

void overtaken_add(struct overtaken **all, uint64_t ticket, const struct overtaken_pod *by,
	const char *owner_uid)
{
	struct overtaken *o = own_alloc(sizeof(*o));
	*o = (struct overtaken){
		.ticket = ticket,
		.name = own_strdup(by->name),
		.owner_uid = own_strdup(owner_uid),
		.by = own_strdup(by->uid),
		.coming = !str_eq(by->owner_uid, owner_uid),
		.next = *all,
	};
	*all = o;
}

/* Removes the row at *at from its list. */
static void drop(struct overtaken **at)
{
	struct overtaken *o = *at;
	*at = o->next;
	free(o->name);
	free(o->owner_uid);
	free(o->by);
	free(o);
}

static bool made(const struct overtaken *o, const struct overtaken_pod *pod)
{
	return str_eq(o->owner_uid, pod->owner_uid) && !str_eq(o->by, pod->uid);
}

void overtaken_seen(struct overtaken **all, const struct overtaken_pod *pod)
{
	while (*all && !str_eq((*all)->name, pod->name))
		all = &(*all)->next;
	if (!*all)
		return;
	if (made(*all, pod)) {
		drop(all);
	} else if (!str_eq((*all)->by, pod->uid)) {
		free((*all)->by);
		(*all)->by = own_strdup(pod->uid);
	}
}

void overtaken_gone(struct overtaken *all, const char *uid)
{
	for (; all; all = all->next)
		all->coming |= str_eq(all->by, uid);
}

bool overtaken_ended(struct overtaken **all, uint64_t ticket, const struct overtaken_pod *pod)
{
	while (*all && (*all)->ticket != ticket)
		all = &(*all)->next;
	bool is = *all && made(*all, pod);
	if (*all)
		drop(all);
	return is;
}

size_t overtaken_count(const struct overtaken *all, const char *owner_uid)
{
	size_t n = 0;
	for (; all; all = all->next)
		n += all->coming && str_eq(all->owner_uid, owner_uid);
	return n;
}

void overtaken_free(struct overtaken **all)
{
	while (*all)
		drop(all);
}
