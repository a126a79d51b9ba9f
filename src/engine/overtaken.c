#include "engine/overtaken.h"

#include "base/own.h"
#include "base/str.h"

struct overtaken {
	uint64_t ticket;
	char *name, *owner_uid;
	struct overtaken *next;
};

void overtaken_add(struct overtaken **all, uint64_t ticket, const char *name, const char *owner_uid)
{
	struct overtaken *o = own_alloc(sizeof(*o));
	*o = (struct overtaken){ ticket, own_strdup(name), own_strdup(owner_uid), *all };
	*all = o;
}

/* Takes the row out of the list that *at is, or is within. */
static void drop(struct overtaken **at)
{
	struct overtaken *o = *at;
	*at = o->next;
	free(o->name);
	free(o->owner_uid);
	free(o);
}

void overtaken_seen(struct overtaken **all, const char *name, const char *owner_uid)
{
	while (*all)
		if (str_eq((*all)->name, name) && str_eq((*all)->owner_uid, owner_uid))
			drop(all);
		else
			all = &(*all)->next;
}

bool overtaken_ended(struct overtaken **all, uint64_t ticket, const char *controller)
{
	while (*all && (*all)->ticket != ticket)
		all = &(*all)->next;
	bool pod = *all && str_eq((*all)->owner_uid, controller);
	if (*all)
		drop(all);
	return pod;
}

size_t overtaken_count(const struct overtaken *all, const char *owner_uid)
{
	size_t n = 0;
	for (; all; all = all->next)
		n += str_eq(all->owner_uid, owner_uid);
	return n;
}

void overtaken_free(struct overtaken **all)
{
	while (*all)
		drop(all);
}
