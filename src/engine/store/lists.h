/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which lists of the store have been read, and up to which version: of a resource
 * everywhere, or in one namespace.
 */
#ifndef ENGINE_STORE_LISTS_H
#define ENGINE_STORE_LISTS_H

#include <stdbool.h>
#include <stdint.h>

#include "object/resource.h"

struct list {
	char *key;        /* "plural/ns" */
	bool complete;    /* it has ended at least once */
	uint64_t begun;   /* round of the newest one */
	uint64_t version; /* of the newest complete one: its resourceVersion */
	struct list *next;
};

/* ns NULL: everywhere. NULL when there is none. */
struct list *lists_find(struct list *all, enum resource r, const char *ns);
struct list *lists_make(struct list **all, enum resource r, const char *ns);
/* A list that covers ns, everywhere or itself, has ended. */
bool lists_complete(struct list *all, enum resource r, const char *ns);
/* A list that covers ns is as new as version. */
bool lists_cover(struct list *all, enum resource r, const char *ns, uint64_t version);
void lists_free(struct list **all);

#endif
