/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to the files of Events: their tables, and the interfaces between the files.
 *
 *     event.c        decides which Events are written, and limits their number
 *     event_rows.c   the tables of Events, of objects and of namespaces
 *     event_write.c  the requests; limits how many are in flight
 */
#ifndef KUBE_EVENT_PARTS_H
#define KUBE_EVENT_PARTS_H

#include "base/hash.h"

#include "kube/event.h"

struct space;

/* An object: the number of its new Events in the current window. */
struct topic {
	UT_hash_handle hh;
	struct space *space;
	struct topic *prev, *next; /* of its namespace, last used at the end */
	char *key;
	int64_t window_ms; /* start of its window */
	int made;
	char *rest; /* message of the Event that counts warnings beyond the limit; NULL: none */
};

/* An Event: one row for each Event in the API server. */
struct said {
	UT_hash_handle hh;
	struct events *all;
	struct space *space;
	struct said *prev, *next;                 /* of its namespace, last used at the end */
	struct said *waiting_prev, *waiting_next; /* queue of Events to write */
	bool waiting;
	char *key;
	struct object_ref about; /* owns its texts */
	bool warning, created, dirty;
	bool promised;
	/* beyond the limit: another Event counts this one, and it is not written */
	bool counted;
	char *reason, *message, *name;
	int count, tries;
	int64_t first_wall_ms, last_wall_ms, written_ms, said_ms;
	struct http_call *call;
};

/* The rows and requests of a namespace, which share limits with other namespaces. */
struct space {
	UT_hash_handle hh;
	char *ns; /* "" for objects without a namespace */
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
	int under_way; /* number of requests */
};

/* ---- event_rows.c ---- */

/* The row of an equal Event; NULL when there is none. */
struct said *said_find(struct events *e, const struct object_ref *about, bool warning,
	const char *reason, const char *message);
/*
 * Adds a row. If there are too many rows, first removes the least recently used row of
 * the namespace that has the most. A count of that row that is not yet written is only
 * logged.
 */
struct said *said_add(struct events *e, const struct object_ref *about, bool warning,
	const char *reason, const char *message);
void said_used(struct said *s); /* marks the row as last used */
void said_free(struct said *s); /* cancels its request */
/*
 * The topic of this object; promised Events have a separate one. If there are too many
 * topics, removes one by the same rule.
 */
struct topic *topic_of(struct events *e, const struct object_ref *about, bool promised);
void topic_free(struct events *e, struct topic *t);

/* ---- event_write.c ---- */

/* Queues the Event; it is written when its namespace may send a request. */
void said_write(struct said *s);
void said_write_later(struct said *s); /* with a later sweep */
/* Removes the row from the queue. */
void said_unqueue(struct said *s);

enum {
	EVENT_REPEAT_MS = 10000, /* minimum interval between writes of a count */
	EVENT_WINDOW_MS = 300000,
};

#endif
