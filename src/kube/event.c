/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events. Two tables: what was said (one row for each Event of the API server) and about
 * whom (how many new ones lately). Both are bounded: the row used longest ago goes first.
 */
#include "kube/event.h"

#include <string.h>

#include "base/hash.h"
#include "base/log.h"
#include "base/own.h"
#include "base/str.h"
#include "base/time.h"

enum {
	MOST_ROWS = 2000,
	NEW_FOR_ONE_OBJECT = 25,
	WINDOW_MS = 300000,
	REPEAT_MS = 10000, /* a count is written at most this often */
	SWEEP_MS = 5000,
	OCCASION_MS = 600000,
	MOST_TRIES = 5,
	NAME_BYTES = 253,
	MESSAGE_BYTES = 1024, /* the API server's limit */
	REQUEST_MS = 10000,
};

/* About whom. */
struct topic {
	UT_hash_handle hh;
	char *key;
	int64_t window_ms; /* when its window began */
	int made;
	char *rest; /* the message that counts those beyond; NULL: there are none */
};

/* What was said. */
struct said {
	UT_hash_handle hh;
	struct events *all;
	char *key;
	struct object_ref about; /* its texts are ours */
	bool warning, created, dirty;
	bool counted; /* by another one, beyond what may be made: it is not written */
	char *reason, *message, *name;
	int count, tries;
	int64_t first_wall_ms, last_wall_ms, written_ms, said_ms;
	struct http_call *call;
};

struct events {
	struct kube *kube;
	const char *const *components;
	struct said *said;
	struct topic *topics;
	struct timer *sweep;
	uint32_t serial;
};

static void sweep(void *events);

static void said_free(struct events *e, struct said *s)
{
	http_cancel(e->kube->http, s->call);
	HASH_DEL(e->said, s);
	free(s->key);
	free((char *)s->about.ns);
	free((char *)s->about.name);
	free((char *)s->about.uid);
	free(s->reason);
	free(s->message);
	free(s->name);
	free(s);
}

static void topic_free(struct events *e, struct topic *s)
{
	HASH_DEL(e->topics, s);
	free(s->key);
	free(s->rest);
	free(s);
}

/* ---- how much is too much ---- */

static char *topic_key(const struct object_ref *o)
{
	struct str key = { 0 };
	str_addf(&key, "%d/%s/%s/%s", (int)o->resource, o->ns ? o->ns : "", o->name,
		o->uid ? o->uid : "");
	return str_take(&key);
}

/* Those that were promised are counted apart. */
static char *budget_key(const struct object_ref *about, bool promised)
{
	struct str key = { 0 };
	char *topic AUTO(own_free) = topic_key(about);
	str_addf(&key, "%s%s", promised ? "promised " : "", topic);
	return str_take(&key);
}

static struct topic *topic_of(struct events *e, const struct object_ref *about, bool promised)
{
	char *key AUTO(own_free) = budget_key(about, promised);
	int64_t now = loop_now_ms(e->kube->loop);
	struct topic *s;
	HASH_FIND_STR(e->topics, key, s);
	if (s) {
		HASH_DEL(e->topics, s); /* to the end: used last */
	} else {
		s = own_alloc(sizeof(*s));
		s->key = TAKE(key);
		s->window_ms = now;
	}
	HASH_ADD_KEYPTR(hh, e->topics, s->key, strlen(s->key), s);
	if (HASH_COUNT(e->topics) > MOST_ROWS)
		topic_free(e, e->topics);
	if (now - s->window_ms >= WINDOW_MS) {
		s->window_ms = now;
		s->made = 0;
		free(TAKE(s->rest));
	}
	return s;
}

static bool may_make_one(struct topic *s) { return s->made++ < NEW_FOR_ONE_OBJECT; }

/* ---- writing ---- */

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

static void sweep_later(struct events *e)
{
	if (!e->sweep)
		e->sweep = timer_start(e->kube->loop, SWEEP_MS, sweep, e);
}

/* What became of a write. An Event is worth a few tries, not more. */
static void written(void *said, struct err err, const struct json *object, int64_t retry_after_ms)
{
	struct said *s = said;
	bool again = err.kind == ERR_RETRY || err.kind == ERR_LOST || err.kind == ERR_CONFLICT;
	(void)object, (void)retry_after_ms;
	s->call = NULL;
	/* It exists: an earlier try was done after all */
	if (!failed(err) || (err.kind == ERR_EXISTS && !s->created)) {
		s->created = true;
		s->tries = 0;
		/* The API server forgets Events after an hour */
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
	if (s->dirty)
		sweep_later(s->all);
}

static void write_said(struct said *s)
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

	s->dirty = false;
	s->written_ms = loop_now_ms(s->all->kube->loop);
	s->call = kube_send(s->all->kube, &r, written, s);
}

static void sweep(void *events)
{
	struct events *e = events;
	int64_t now = loop_now_ms(e->kube->loop);
	bool left = false;
	e->sweep = NULL;
	for (struct said *s = e->said; s; s = s->hh.next) {
		if (s->dirty && !s->call && now - s->written_ms >= REPEAT_MS)
			write_said(s);
		left = left || s->dirty;
	}
	if (left)
		sweep_later(e);
}

/* ---- saying ---- */

/* "object.18f3a2b4c5d60001": as client-go names them, unique by time and number. */
static char *event_name(struct events *e, const char *object)
{
	struct str name = { 0 };
	size_t n = strlen(object);
	str_add_bytes(&name, object, n > NAME_BYTES - 17 ? NAME_BYTES - 17 : n);
	str_addf(&name, ".%012llx%04x",
		(unsigned long long)loop_wall_ms(e->kube->loop) & 0xffffffffffffULL,
		e->serial++ & 0xffff);
	return str_take(&name);
}

static char *said_key(const struct object_ref *about, bool warning, const char *reason,
	const char *message)
{
	char *topic AUTO(own_free) = topic_key(about);
	struct str key = { 0 };
	str_addf(&key, "%s\n%d\n%s\n%s", topic, warning, reason, message);
	return str_take(&key);
}

static struct said *said_new(struct events *e, const struct object_ref *about, bool warning,
	const char *reason, const char *message)
{
	struct said *s = own_alloc(sizeof(*s));
	s->all = e;
	s->key = said_key(about, warning, reason, message);
	s->about = (struct object_ref){ about->resource, own_strdup(about->ns),
		own_strdup(about->name), own_strdup(about->uid) };
	s->warning = warning;
	s->reason = own_strdup(reason);
	s->message = own_strndup(message, strnlen(message, MESSAGE_BYTES));
	s->name = event_name(e, about->name);
	s->first_wall_ms = loop_wall_ms(e->kube->loop);
	return s;
}

static void repeat(struct said *s)
{
	struct events *e = s->all;
	HASH_DEL(e->said, s); /* to the end: used last */
	HASH_ADD_KEYPTR(hh, e->said, s->key, strlen(s->key), s);
	if (!s->call && loop_now_ms(e->kube->loop) - s->written_ms >= REPEAT_MS) {
		write_said(s);
	} else {
		s->dirty = true;
		sweep_later(e);
	}
}

static struct said *said_find(struct events *e, const struct object_ref *about, bool warning,
	const char *reason, const char *message)
{
	char *key AUTO(own_free) = said_key(about, warning, reason, message);
	struct said *s;
	HASH_FIND_STR(e->said, key, s);
	return s;
}

static struct said *said_add(struct events *e, const struct object_ref *about, bool warning,
	const char *reason, const char *message)
{
	struct said *s = said_new(e, about, warning, reason, message);
	HASH_ADD_KEYPTR(hh, e->said, s->key, strlen(s->key), s);
	if (HASH_COUNT(e->said) > MOST_ROWS)
		said_free(e, e->said);
	return s;
}

static void say(struct events *e, const struct object_ref *about, bool warning, const char *reason,
	const char *message)
{
	struct said *s = said_find(e, about, warning, reason, message);
	bool known = s;
	if (!known)
		s = said_add(e, about, warning, reason, message);
	s->counted = false;
	s->count++;
	s->last_wall_ms = loop_wall_ms(e->kube->loop);
	s->said_ms = loop_now_ms(e->kube->loop);
	if (known)
		repeat(s);
	else
		write_said(s);
}

void events_emit(struct events *e, const struct object_ref *about, bool warning, const char *reason,
	const char *message)
{
	bool known = said_find(e, about, warning, reason, message);
	if (known || may_make_one(topic_of(e, about, false)))
		say(e, about, warning, reason, message);
	else
		log_info("too many Events for one object: only logged", "object", about->name,
			"reason", reason, "message", message);
}

/* It is remembered, so that it is counted once on each occasion. */
static void count(struct events *e, const struct object_ref *about, struct topic *all,
	const char *reason, const char *message)
{
	struct said *s = said_find(e, about, true, reason, message);
	struct str text AUTO(str_free) = { 0 };
	if (!s)
		s = said_add(e, about, true, reason, message);
	s->counted = true;
	s->said_ms = loop_now_ms(e->kube->loop);
	str_addf(&text,
		"more than %d in five minutes: this Event counts the others, the log of the "
		"manager has each; the first of them: %s",
		NEW_FOR_ONE_OBJECT, message);
	if (!all->rest)
		all->rest = str_take(&text);
	say(e, about, true, reason, all->rest);
}

void events_emit_promised(struct events *e, const struct object_ref *about, const char *reason,
	const char *message)
{
	struct said *s = said_find(e, about, true, reason, message);
	struct topic *all;
	int64_t now = loop_now_ms(e->kube->loop);
	if (s && now - s->said_ms < OCCASION_MS) {
		s->said_ms = now;
		return;
	}
	log_warn(message, "namespace", about->ns, "name", about->name, "reason", reason);
	all = topic_of(e, about, true);
	if ((s && !s->counted) || may_make_one(all))
		say(e, about, true, reason, message);
	else
		count(e, about, all, reason, message);
}

struct events *events_new(struct kube *k, const char *const components[RES_COUNT])
{
	struct events *e = own_alloc(sizeof(*e));
	e->kube = k;
	e->components = components;
	return e;
}

void events_free(struct events *e)
{
	if (!e)
		return;
	timer_stop(e->kube->loop, e->sweep);
	while (e->said)
		said_free(e, e->said);
	while (e->topics)
		topic_free(e, e->topics);
	free(e);
}
