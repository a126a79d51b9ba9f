/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sends the requests of Events. A namespace may have at most half of the requests that
 * the other namespaces leave free, and at least one. Its other requests wait.
 */
#include <utlist.h>

#include "base/log.h"
#include "base/own.h"
#include "base/time.h"
#include "json/build.h"
#include "kube/event_parts.h"

enum {
	EVENTS_UNDER_WAY = 60,
	SWEEP_MS = 5000,
	MOST_TRIES = 5,
	REQUEST_MS = 10000,
};

static void sweep(void *events);

/* ---- texts of Events ---- */

/* Core Events of objects without a namespace are kept in "default". */
static const char *home(const struct said *s) { return s->about.ns ? s->about.ns : "default"; }

static const char *component_of(const struct said *s)
{
	const char *const *all = s->all->components;
	const char *component = all ? all[s->about.resource] : NULL;
	return component ? component : "slurm-operator";
}

static void write_about(struct jdoc *d, struct jval *event, const struct object_ref *about)
{
	const struct resource_row *row = &resource_rows[about->resource];
	struct jval *o = j_child(d, event, "involvedObject");
	j_set_str(d, o, "apiVersion", row->api_version);
	j_set_str(d, o, "kind", row->kind);
	j_set_str(d, o, "name", about->name);
	if (about->ns)
		j_set_str(d, o, "namespace", about->ns);
	if (about->uid)
		j_set_str(d, o, "uid", about->uid);
}

static void write_count(struct jdoc *d, struct jval *event, const struct said *s)
{
	char last[TIME_RFC3339_BYTES];
	time_format(s->last_wall_ms, last);
	j_set_int(d, event, "count", s->count);
	j_set_str(d, event, "lastTimestamp", last);
}

static const char *whole_event(struct jdoc *d, const struct said *s)
{
	struct jval *event = j_obj(d);
	char first[TIME_RFC3339_BYTES];
	j_set_str(d, event, "apiVersion", "v1");
	j_set_str(d, event, "kind", "Event");
	struct jval *meta = j_child(d, event, "metadata");
	j_set_str(d, meta, "name", s->name);
	j_set_str(d, meta, "namespace", home(s));
	write_about(d, event, &s->about);
	j_set_str(d, event, "type", s->warning ? "Warning" : "Normal");
	j_set_str(d, event, "reason", s->reason);
	j_set_str(d, event, "message", s->message);
	time_format(s->first_wall_ms, first);
	j_set_str(d, event, "firstTimestamp", first);
	write_count(d, event, s);
	j_set_str(d, j_child(d, event, "source"), "component", component_of(s));
	j_set_str(d, event, "reportingComponent", component_of(s));
	j_set_str(d, event, "reportingInstance", "");
	return j_text(d, event);
}

static const char *count_patch(struct jdoc *d, const struct said *s)
{
	struct jval *patch = j_obj(d);
	write_count(d, patch, s);
	return j_text(d, patch);
}

/* ---- queue ---- */

static bool has_room(const struct events *e, const struct space *s)
{
	int share = (EVENTS_UNDER_WAY - (e->under_way - s->under_way)) / 2;
	return s->under_way < (share > 1 ? share : 1);
}

void said_unqueue(struct said *s)
{
	if (s->waiting)
		DL_DELETE2(s->space->waiting, s, waiting_prev, waiting_next);
	s->waiting = false;
}

static void sweep_later(struct events *e)
{
	if (!e->sweep)
		e->sweep = timer_start(e->kube->loop, SWEEP_MS, sweep, e);
}

static void written(void *said, struct err err, const struct json *object, int64_t retry_after_ms);

static void send(struct said *s)
{
	struct arena a AUTO(arena_free) = { 0 };
	struct jdoc *d = jdoc_new(&a);
	struct kube_request r = {
		.method = s->created ? "PATCH" : "POST",
		.path = resource_path(&a, RES_EVENT, home(s), s->created ? s->name : NULL, NULL),
		.patch = s->created ? PATCH_MERGE : PATCH_NONE,
		.body = s->created ? count_patch(d, s) : whole_event(d, s),
		.timeout_ms = REQUEST_MS,
	};

	said_unqueue(s);
	s->dirty = false;
	s->written_ms = loop_now_ms(s->all->kube->loop);
	s->space->under_way++;
	s->all->under_way++;
	s->call = kube_send(s->all->kube, &r, written, s);
}

/* The namespace with the fewest requests in flight goes first. */
static struct said *next_one(const struct events *e)
{
	struct space *least = NULL;
	for (struct space *s = e->spaces; s; s = s->hh.next)
		if (s->waiting && has_room(e, s) && (!least || s->under_way < least->under_way))
			least = s;
	return least ? least->waiting : NULL;
}

static void send_next(struct events *e)
{
	for (struct said *s = next_one(e); s; s = next_one(e))
		send(s);
}

/* A promised Event precedes the other Events of its namespace. */
void said_write(struct said *s)
{
	s->dirty = true;
	if (s->call || s->waiting)
		return;
	s->waiting = true;
	if (s->promised)
		DL_PREPEND2(s->space->waiting, s, waiting_prev, waiting_next);
	else
		DL_APPEND2(s->space->waiting, s, waiting_prev, waiting_next);
	if (has_room(s->all, s->space))
		send(s->space->waiting);
}

void said_write_later(struct said *s)
{
	s->dirty = true;
	sweep_later(s->all);
}

/* ---- results ---- */

/* Gives up after a few tries. */
static void note_end(struct said *s, struct err err)
{
	bool again = err.kind == ERR_RETRY || err.kind == ERR_LOST || err.kind == ERR_CONFLICT;
	/* ERR_EXISTS: an earlier try succeeded */
	if (!failed(err) || (err.kind == ERR_EXISTS && !s->created)) {
		s->created = true;
		s->tries = 0;
		/* The API server deletes Events after an hour */
	} else if (s->created && err.kind == ERR_NOT_FOUND) {
		s->created = false;
		s->dirty = true;
	} else if (again && ++s->tries < MOST_TRIES) {
		s->dirty = true;
	} else {
		log_warn("an Event could not be written", "object", s->about.name, "reason",
			s->reason, "error", err.text);
		s->tries = 0;
		s->dirty = false;
	}
}

static void written(void *said, struct err err, const struct json *object, int64_t retry_after_ms)
{
	struct said *s = said;
	(void)object, (void)retry_after_ms;
	s->call = NULL;
	s->space->under_way--;
	s->all->under_way--;
	note_end(s, err);
	if (s->dirty)
		sweep_later(s->all);
	send_next(s->all);
}

static void sweep(void *events)
{
	struct events *e = events;
	int64_t now = loop_now_ms(e->kube->loop);
	bool left = false;
	e->sweep = NULL;
	for (struct said *s = e->said; s; s = s->hh.next) {
		if (s->dirty && now - s->written_ms >= EVENT_REPEAT_MS)
			said_write(s);
		left = left || (s->dirty && !s->waiting);
	}
	if (left)
		sweep_later(e);
}
