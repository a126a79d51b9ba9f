/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to the Events: their tables, and what their files say to each other.
 *
 *     event.c        what is said, and how much of it is too much
 *     event_rows.c   the tables: what was said, about whom, in which namespace
 *     event_write.c  the requests, some at a time
 */
#ifndef KUBE_EVENT_PARTS_H
#define KUBE_EVENT_PARTS_H

#include "base/hash.h"

#include "kube/event.h"

struct space;

/* About whom: how many new Events there were lately. */
struct topic {
	UT_hash_handle hh;
	struct space *space;
	struct topic *prev, *next; /* of its namespace, used last at the end */
	char *key;
	int64_t window_ms; /* when its window began */
	int made;
	char *rest; /* the message that counts those beyond; NULL: there are none */
};

/* Events that were written: a row for each Event of the API server. */
struct said {
	UT_hash_handle hh;
	struct events *all;
	struct space *space;
	struct said *prev, *next;                 /* of its namespace, used last at the end */
	struct said *waiting_prev, *waiting_next; /* for its turn to be written */
	bool waiting;
	char *key;
	struct object_ref about; /* its texts are ours */
	bool warning, created, dirty;
	bool promised;
	bool counted; /* by another one, beyond what may be made: it is not written */
	char *reason, *message, *name;
	int count, tries;
	int64_t first_wall_ms, last_wall_ms, written_ms, said_ms;
	struct http_call *call;
};

/* The rows and requests of a namespace: no other one has less because of them. */
struct space {
	UT_hash_handle hh;
	char *ns; /* "": of objects without one */
	struct said *said, *waiting;
	struct topic *topics;
	int n_said, n_topics, under_way;
};

struct events {
	struct kube *kube;
	const char *const *components;
	struct said *said;
	struct topic *topics;
	struct space *spaces;
	struct timer *sweep;
	uint32_t serial;
	int under_way; /* requests */
};

/* ---- event_rows.c ---- */

/* The row of an equal Event before; NULL: none. */
struct said *said_find(struct events *e, const struct object_ref *about, bool warning,
	const char *reason, const char *message);
/*
 * A new row. When there are too many, the namespace that has the most of them loses the
 * one that it used longest ago: the rest of its own Events are not told any more.
 */
struct said *said_add(struct events *e, const struct object_ref *about, bool warning,
	const char *reason, const char *message);
void said_used(struct said *s); /* now */
void said_free(struct said *s); /* with its request */
/* About this object; those that were promised are counted apart. The same rule. */
struct topic *topic_of(struct events *e, const struct object_ref *about, bool promised);
void topic_free(struct events *e, struct topic *t);

/* ---- event_write.c ---- */

/* Writes the Event as soon as it is the turn of its namespace. */
void said_write(struct said *s);
void said_write_later(struct said *s); /* with the next sweep that may */
/* Takes the row out of the queue. */
void said_unqueue(struct said *s);

enum {
	EVENT_REPEAT_MS = 10000, /* a count is written at most this often */
	EVENT_WINDOW_MS = 300000,
};

#endif
