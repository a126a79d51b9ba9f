/* SPDX-License-Identifier: Apache-2.0 */
/* Shares memory for objects among namespaces. */
#include "engine/room.h"

#include <string.h>

#include "base/own.h"
#include "base/str.h"

enum {
	OBJECTS_BYTES = 16777216,
	LEAST_PART = 16, /* of all of it a namespace has one in any case */
	STEP_BYTES = 4096,
};

struct room {
	struct rooms *of;
	char *ns;
	struct purse *purse;
	size_t objects, missing; /* bytes that those lack which are short */
	size_t n_short;
	UT_hash_handle hh;
};

void rooms_init(struct rooms *r, size_t limit_bytes)
{
	size_t limit = limit_bytes ? limit_bytes : OBJECTS_BYTES;
	*r = (struct rooms){ .budget = { .limit = limit, .least = limit / LEAST_PART } };
}

static struct room *room_find(const struct rooms *r, const char *ns)
{
	struct room *room;
	HASH_FIND_STR(r->all, ns, room);
	return room;
}

static struct room *room_new(struct rooms *r, const char *ns)
{
	struct room *room = own_alloc(sizeof(*room));
	*room = (struct room){
		.of = r,
		.ns = own_strdup(ns),
		.purse = purse_of(&r->budget, ns),
	};
	HASH_ADD_KEYPTR(hh, r->all, room->ns, strlen(room->ns), room);
	return room;
}

struct stay stay_of(struct rooms *r, enum resource resource, const char *ns)
{
	struct room *room = room_find(r, ns ? ns : "");
	if (!room)
		room = room_new(r, ns ? ns : "");
	room->objects++;
	return (struct stay){ .room = room, .resource = resource };
}

bool stay_is_short(const struct stay *s) { return s->missing > 0; }

static void give_back(struct stay *s)
{
	purse_give(s->room->purse, s->paid);
	s->room->missing -= s->missing;
	s->room->n_short -= stay_is_short(s);
	s->paid = s->missing = 0;
}

/* In steps: a counter that grows by a digit does not make an object larger. */
static size_t beyond_usual(enum resource r, size_t bytes)
{
	size_t usual = resource_rows[r].usual_kb << 10;
	return bytes > usual ? (bytes - usual + STEP_BYTES - 1) / STEP_BYTES * STEP_BYTES : 0;
}

bool stay_take(struct stay *s, size_t bytes)
{
	size_t beyond = beyond_usual(s->resource, bytes);
	bool grows = beyond > s->paid; /* what is known already is kept */
	give_back(s);
	if (!grows || purse_has_room(s->room->purse, beyond)) {
		purse_force(s->room->purse, beyond);
		s->paid = beyond;
		return true;
	}
	s->missing = beyond;
	s->room->missing += beyond;
	s->room->n_short++;
	return false;
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
	HASH_DEL(room->of->all, room);
	purse_leave(room->purse);
	free(room->ns);
	free(room);
}

/* ---- who is short ---- */

size_t room_short(const struct rooms *r, const char *ns)
{
	const struct room *room = room_find(r, ns);
	return room ? room->n_short : 0;
}

bool rooms_short(const struct rooms *r)
{
	const struct room *room = r->all;
	while (room && !room->n_short)
		room = room->hh.next;
	return room;
}

bool rooms_could_grow(const struct rooms *r, const char *ns)
{
	const struct room *room = room_find(r, ns);
	return room && purse_has_room(room->purse, room->missing);
}

static bool is_first(const char *ns, const char *best) { return !best || strcmp(ns, best) < 0; }

const char *rooms_next_short(const struct rooms *r, const char *ns)
{
	const char *first = NULL, *next = NULL;
	for (const struct room *room = r->all; room; room = room->hh.next) {
		if (!room->n_short)
			continue;
		if (is_first(room->ns, first))
			first = room->ns;
		if (strcmp(room->ns, ns) > 0 && is_first(room->ns, next))
			next = room->ns;
	}
	return next ? next : first;
}
