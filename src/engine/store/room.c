/* SPDX-License-Identifier: Apache-2.0 */
/* Shares memory for objects among namespaces. */
#include "engine/store/room.h"

#include <string.h>

#include "base/own.h"
#include "base/str.h"

enum {
	OBJECTS_BYTES = 16777216,
	APART_PART = 2,  /* ROOM_APART has half of ROOM_SHARED, in addition */
	LEAST_PART = 16, /* a namespace may always use a sixteenth */
	STEP_BYTES = 4096,
};

struct room {
	struct room **of;
	char *ns;
	struct quota *quota;
	size_t objects, missing; /* missing: bytes of the objects that are short */
	size_t n_short;
	UT_hash_handle hh;
};

void rooms_init(struct rooms *r, size_t limit_bytes)
{
	size_t limit = limit_bytes ? limit_bytes : OBJECTS_BYTES;
	const size_t limits[] = { [ROOM_SHARED] = limit, [ROOM_APART] = limit / APART_PART };
	*r = (struct rooms){ 0 };
	for (int kind = 0; kind < ROOM_KINDS; kind++)
		r->budgets[kind] = (struct budget){ .limit = limits[kind],
			.least = limits[kind] / LEAST_PART };
}

static int kind_of(enum resource r) { return resource_rows[r].apart ? ROOM_APART : ROOM_SHARED; }

static struct room *room_find(const struct rooms *r, int kind, const char *ns)
{
	struct room *room;
	HASH_FIND_STR(r->all[kind], ns, room);
	return room;
}

static struct room *room_new(struct rooms *r, int kind, const char *ns)
{
	struct room *room = own_alloc(sizeof(*room));
	*room = (struct room){
		.of = &r->all[kind],
		.ns = own_strdup(ns),
		.quota = quota_of(&r->budgets[kind], ns),
	};
	HASH_ADD_KEYPTR(hh, r->all[kind], room->ns, strlen(room->ns), room);
	return room;
}

struct stay stay_of(struct rooms *r, enum resource resource, const char *ns)
{
	int kind = kind_of(resource);
	struct room *room = room_find(r, kind, ns ? ns : "");
	if (!room)
		room = room_new(r, kind, ns ? ns : "");
	room->objects++;
	return (struct stay){ .room = room, .resource = resource };
}

bool stay_is_short(const struct stay *s) { return s->missing > 0; }

static void give_back(struct stay *s)
{
	quota_give(s->room->quota, s->paid);
	s->room->missing -= s->missing;
	s->room->n_short -= stay_is_short(s);
	s->paid = s->missing = 0;
}

/* In steps, so that a counter that gains a digit does not make an object larger. */
static size_t beyond_usual(enum resource r, size_t bytes)
{
	size_t usual = resource_rows[r].usual_kb << 10;
	return bytes > usual ? (bytes - usual + STEP_BYTES - 1) / STEP_BYTES * STEP_BYTES : 0;
}

bool stay_take(struct stay *s, size_t bytes)
{
	size_t beyond = beyond_usual(s->resource, bytes);
	bool grows = beyond > s->paid; /* an object that does not grow is never refused */
	give_back(s);
	if (!grows || quota_has_room(s->room->quota, beyond)) {
		quota_force(s->room->quota, beyond);
		s->paid = beyond;
		return true;
	}
	s->missing = beyond;
	s->room->missing += beyond;
	s->room->n_short++;
	return false;
}

bool stay_could_grow(const struct stay *s)
{
	size_t missing = resource_rows[s->resource].apart ? s->missing : s->room->missing;
	return stay_is_short(s) && quota_has_room(s->room->quota, missing);
}

void stay_end(struct stay *s)
{
	struct room *room = s->room;
	if (!room)
		return;
	give_back(s);
	s->room = NULL;
	if (--room->objects)
		return;
	HASH_DEL(*room->of, room);
	quota_leave(room->quota);
	free(room->ns);
	free(room);
}

/* ---- objects that are short of room ---- */

size_t room_short(const struct rooms *r, enum resource resource, const char *ns)
{
	const struct room *room = room_find(r, kind_of(resource), ns);
	return room ? room->n_short : 0;
}

bool rooms_short(const struct rooms *r) { return rooms_next_short(r, "") != NULL; }

static bool is_first(const char *ns, const char *best) { return !best || strcmp(ns, best) < 0; }

const char *rooms_next_short(const struct rooms *r, const char *ns)
{
	const char *first = NULL, *next = NULL;
	for (int kind = 0; kind < ROOM_KINDS; kind++)
		for (const struct room *room = r->all[kind]; room; room = room->hh.next) {
			if (!room->n_short)
				continue;
			if (is_first(room->ns, first))
				first = room->ns;
			if (strcmp(room->ns, ns) > 0 && is_first(room->ns, next))
				next = room->ns;
		}
	return next ? next : first;
}
