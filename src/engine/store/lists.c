/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the lists that have been read, with their versions. */
#include "engine/store/lists.h"

#include <stdio.h>

#include "base/own.h"
#include "base/str.h"

static const char *key_of(char buffer[512], enum resource r, const char *ns)
{
	snprintf(buffer, 512, "%s/%s", resource_name(r), ns ? ns : "");
	return buffer;
}

struct list *lists_find(struct list *all, enum resource r, const char *ns)
{
	char buffer[512];
	const char *key = key_of(buffer, r, ns);
	while (all && !str_eq(all->key, key))
		all = all->next;
	return all;
}

struct list *lists_make(struct list **all, enum resource r, const char *ns)
{
	struct list *l = lists_find(*all, r, ns);
	char buffer[512];
	if (l)
		return l;
	l = own_alloc(sizeof(*l));
	*l = (struct list){ .key = own_strdup(key_of(buffer, r, ns)), .next = *all };
	*all = l;
	return l;
}

bool lists_complete(struct list *all, enum resource r, const char *ns)
{
	const struct list *everywhere = lists_find(all, r, NULL), *own = lists_find(all, r, ns);
	return (everywhere && everywhere->complete) || (own && own->complete);
}

bool lists_cover(struct list *all, enum resource r, const char *ns, uint64_t version)
{
	const struct list *everywhere = lists_find(all, r, NULL), *own = lists_find(all, r, ns);
	return (everywhere && version <= everywhere->version) || (own && version <= own->version);
}

void lists_free(struct list **all)
{
	while (*all) {
		struct list *l = *all;
		*all = l->next;
		free(l->key);
		free(l);
	}
}
