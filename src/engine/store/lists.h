/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lists that the store has received, with their versions: each list is of a resource
 * in all namespaces, or in one.
 */
#ifndef ENGINE_STORE_LISTS_H
#define ENGINE_STORE_LISTS_H

#include <stdbool.h>
#include <stdint.h>

#include "object/resource.h"

struct list {
	char *key;        /* "plural/ns" */
	bool complete;    /* read to its end at least once */
	uint64_t begun;   /* round of the newest list */
	uint64_t version; /* resourceVersion of the newest complete list */
	struct list *next;
};

/* ns NULL: all namespaces. Returns NULL if there is none. */
struct list *lists_find(struct list *all, enum resource r, const char *ns);
struct list *lists_make(struct list **all, enum resource r, const char *ns);
/* True if a list of all namespaces, or of ns, was read to its end. */
bool lists_complete(struct list *all, enum resource r, const char *ns);
/* True if a list of all namespaces, or of ns, is at least as new as version. */
bool lists_cover(struct list *all, enum resource r, const char *ns, uint64_t version);
void lists_free(struct list **all);

#endif
