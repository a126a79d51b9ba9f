/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory for objects of Kubernetes, shared among namespaces.
 *
 * An object up to the usual size (usual_kb of its row) costs nothing. Bytes beyond that
 * are charged to the quota of its namespace: half of what the other namespaces leave, and
 * always a sixteenth of all memory. An object that exceeds the quota is "short of room":
 * the store keeps only a part of it, and the operator touches no object of the namespace
 * until all of them fit (store_short).
 *
 * Users create many objects of any size of some resources (apart in their row). These
 * resources have their own memory, half as large, so that they never take that of other
 * resources. There only the object that is short of room waits.
 */
#ifndef ENGINE_STORE_ROOM_H
#define ENGINE_STORE_ROOM_H

#include "base/budget.h"
#include "base/hash.h"
#include "object/resource.h"

struct room;

enum { ROOM_SHARED, ROOM_APART, ROOM_KINDS };

struct rooms {
	struct budget budgets[ROOM_KINDS];
	struct room *all[ROOM_KINDS]; /* private: a row for each namespace with objects */
};

/* The memory that is charged for an object; private. */
struct stay {
	struct room *room;
	enum resource resource;
	size_t paid, missing; /* bytes beyond the usual size; at least one is 0 */
};

/* limit_bytes: of all namespaces together; 0: 16 MiB. */
void rooms_init(struct rooms *r, size_t limit_bytes);
/* The stay of a new object of ns, which costs nothing yet. */
struct stay stay_of(struct rooms *r, enum resource resource, const char *ns);
/* Charges bytes as the size of the object. False: it is short of room now. */
bool stay_take(struct stay *s, size_t bytes);
bool stay_is_short(const struct stay *s);
/* True if the object is short, and now all objects that wait with it would fit. */
bool stay_could_grow(const struct stay *s);
void stay_end(struct stay *s);

/*
 * The number of objects of this namespace that are short of room, in the memory of this
 * resource. rooms_short: whether any object is.
 */
size_t room_short(const struct rooms *r, enum resource resource, const char *ns);
bool rooms_short(const struct rooms *r);
/*
 * The next namespace after ns, by name, with an object that is short of room; after the
 * last one comes the first. NULL: there is none. Valid until the next change.
 */
const char *rooms_next_short(const struct rooms *r, const char *ns);

#endif
