/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables of Events, with limits. When a table is full, the least recently used row of
 * the namespace with the most rows is removed, so no tenant can suppress the Events of
 * another.
 */
#include <string.h>
#include <utlist.h>

#include "base/log.h"
#include "base/own.h"
#include "base/str.h"
#include "kube/event_parts.h"

enum {
	MOST_ROWS = 2000,
	NAME_BYTES = 253,
	MESSAGE_BYTES = 1024, /* limit of the API server */
};

/* ---- namespaces ---- */

static struct space *space_of(struct events *e, const struct object_ref *about)
{
	const char *ns = about->ns ? about->ns : "";
	struct space *s;
	HASH_FIND_STR(e->spaces, ns, s);
	if (s)
		return s;
	s = own_alloc(sizeof(*s));
	s->ns = own_strdup(ns);
	HASH_ADD_KEYPTR(hh, e->spaces, s->ns, strlen(s->ns), s);
	return s;
}

static void space_left(struct events *e, struct space *s)
{
	if (s->n_said || s->n_topics)
		return;
	HASH_DEL(e->spaces, s);
	free(s->ns);
	free(s);
}

static int said_of(const struct space *s) { return s->n_said - s->under_way; }
static int topics_of(const struct space *s) { return s->n_topics; }

static struct space *greediest(const struct events *e, int (*rows)(const struct space *s))
{
	struct space *most = e->spaces;
	for (struct space *s = e->spaces; s; s = s->hh.next)
		if (rows(s) > rows(most))
			most = s;
	return most;
}

/* ---- Events ---- */

static char *topic_key(const struct object_ref *o)
{
	struct str key = { 0 };
	str_addf(&key, "%d/%s/%s/%s", (int)o->resource, o->ns ? o->ns : "", o->name,
		o->uid ? o->uid : "");
	return str_take(&key);
}

static char *said_key(const struct object_ref *about, bool warning, const char *reason,
	const char *message)
{
	char *topic AUTO(own_free) = topic_key(about);
	struct str key = { 0 };
	str_addf(&key, "%s\n%d\n%s\n%s", topic, warning, reason, message);
	return str_take(&key);
}

/*
 * Makes a name in the form of client-go, "object.18f3a2b4c5d60001": time and serial
 * number.
 */
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

static struct said *said_new(struct events *e, const struct object_ref *about, bool warning,
	const char *reason, const char *message)
{
	struct said *s = own_alloc(sizeof(*s));
	s->all = e;
	s->space = space_of(e, about);
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

struct said *said_find(struct events *e, const struct object_ref *about, bool warning,
	const char *reason, const char *message)
{
	char *key AUTO(own_free) = said_key(about, warning, reason, message);
	struct said *s;
	HASH_FIND_STR(e->said, key, s);
	return s;
}

/* Removes a row, but not one whose request is in flight: its callback uses the row. */
static void make_room(struct events *e)
{
	struct space *most = greediest(e, said_of);
	struct said *s = most->said;
	while (s && s->call)
		s = s->next;
	if (!s)
		return;
	if (s->dirty)
		log_info("too many Events of one namespace: only logged", "namespace", most->ns,
			"object", s->about.name, "reason", s->reason, "message", s->message);
	said_free(s);
}

struct said *said_add(struct events *e, const struct object_ref *about, bool warning,
	const char *reason, const char *message)
{
	if (HASH_COUNT(e->said) >= MOST_ROWS)
		make_room(e);
	struct said *s = said_new(e, about, warning, reason, message);
	HASH_ADD_KEYPTR(hh, e->said, s->key, strlen(s->key), s);
	DL_APPEND(s->space->said, s);
	s->space->n_said++;
	return s;
}

void said_used(struct said *s)
{
	DL_DELETE(s->space->said, s);
	DL_APPEND(s->space->said, s);
}

void said_free(struct said *s)
{
	struct events *e = s->all;
	http_cancel(e->kube->http, s->call);
	said_unqueue(s);
	HASH_DEL(e->said, s);
	DL_DELETE(s->space->said, s);
	s->space->n_said--;
	space_left(e, s->space);
	free(s->key);
	free((char *)s->about.ns);
	free((char *)s->about.name);
	free((char *)s->about.uid);
	free(s->reason);
	free(s->message);
	free(s->name);
	free(s);
}

/* ---- topics ---- */

static char *budget_key(const struct object_ref *about, bool promised)
{
	struct str key = { 0 };
	char *topic AUTO(own_free) = topic_key(about);
	str_addf(&key, "%s%s", promised ? "promised " : "", topic);
	return str_take(&key);
}

static struct topic *topic_new(struct events *e, const struct object_ref *about, char *key)
{
	if (HASH_COUNT(e->topics) >= MOST_ROWS)
		topic_free(e, greediest(e, topics_of)->topics);
	struct topic *t = own_alloc(sizeof(*t));
	t->key = key;
	t->space = space_of(e, about);
	t->window_ms = loop_now_ms(e->kube->loop);
	HASH_ADD_KEYPTR(hh, e->topics, t->key, strlen(t->key), t);
	DL_APPEND(t->space->topics, t);
	t->space->n_topics++;
	return t;
}

struct topic *topic_of(struct events *e, const struct object_ref *about, bool promised)
{
	char *key AUTO(own_free) = budget_key(about, promised);
	int64_t now = loop_now_ms(e->kube->loop);
	struct topic *t;
	HASH_FIND_STR(e->topics, key, t);
	if (!t)
		t = topic_new(e, about, TAKE(key));
	DL_DELETE(t->space->topics, t);
	DL_APPEND(t->space->topics, t);
	if (now - t->window_ms >= EVENT_WINDOW_MS) {
		t->window_ms = now;
		t->made = 0;
		free(TAKE(t->rest));
	}
	return t;
}

void topic_free(struct events *e, struct topic *t)
{
	HASH_DEL(e->topics, t);
	DL_DELETE(t->space->topics, t);
	t->space->n_topics--;
	space_left(e, t->space);
	free(t->key);
	free(t->rest);
	free(t);
}
