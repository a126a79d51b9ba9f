/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory for what is kept of Kubernetes, shared among namespaces.
 *
 * An object of the usual size (usual_kb of its row) costs nothing. Bytes beyond that come
 * out of the share of its namespace: half of what the others leave, and a sixteenth of
 * all in any case. When the share is used up the object is short of room: a part of it is
 * kept, and nothing of its namespace is touched until all of it fits (store_short).
 *
 * Resources that users make in numbers, each as large as they like (apart in their row),
 * have another room, half as large: so they never take that of the others. There the
 * object that is short waits alone.
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
	struct room *all[ROOM_KINDS]; /* private: of the namespaces that have objects */
};

/* The part of its namespace's room that an object has; private. */
struct stay {
	struct room *room;
	enum resource resource;
	size_t paid, missing; /* bytes beyond the usual; one of them is 0 */
};

/* No namespace has objects yet. limit_bytes: of all that share; 0: 16 MiB. */
void rooms_init(struct rooms *r, size_t limit_bytes);
/* For an object of ns: a place that costs nothing yet. */
struct stay stay_of(struct rooms *r, enum resource resource, const char *ns);
/* The kept part of the object takes so many bytes now. False: it is short of room. */
bool stay_take(struct stay *s, size_t bytes);
bool stay_is_short(const struct stay *s);
/* The object is short, and would fit now, with all that wait together with it. */
bool stay_could_grow(const struct stay *s);
void stay_end(struct stay *s);

/*
 * The number of objects that are short of room in this namespace, in the room of this
 * resource; and whether any is.
 */
size_t room_short(const struct rooms *r, enum resource resource, const char *ns);
bool rooms_short(const struct rooms *r);
/*
 * A namespace that is short of room: the next one behind this name, and behind the last
 * one the first. NULL: none is. Until the next change.
 */
const char *rooms_next_short(const struct rooms *r, const char *ns);

#endif
