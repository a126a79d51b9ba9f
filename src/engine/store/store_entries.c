/* SPDX-License-Identifier: Apache-2.0 */
/* Finds, fills and drops entries of the store. */
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "base/str.h"
#include "engine/pod/pod.h"
#include "engine/store/store_parts.h"
#include "engine/store/trim.h"
#include "object/metadata.h"

struct entry *store_find(const struct store *s, enum resource r, const char *ns, const char *name)
{
	char buffer[OBJECT_KEY_BYTES];
	struct entry *e;
	HASH_FIND_STR(s->tables[r], object_key(buffer, ns, name), e);
	return e;
}

/* ---- pods in groups ---- */

enum { UID_BYTES = 128 }; /* 36 from Kubernetes; a reference may have any text */

static void owner_unlink(struct store *s, struct entry *e)
{
	group_leave(&s->groups[BY_OWNER], &e->in[BY_OWNER]);
	free(TAKE(e->owner_uid));
}

void entry_owned_by(struct store *s, struct entry *e, const char *uid)
{
	owner_unlink(s, e);
	e->owner_uid = own_strndup(uid, UID_BYTES);
	if (e->rec.resource == RES_POD)
		group_join(&s->groups[BY_OWNER], &e->in[BY_OWNER], &e->rec, e->rec.ns,
			e->owner_uid);
}

/* The host name of most pods is their own name, so they need no group to be found. */
static void hostname_link(struct store *s, struct entry *e)
{
	group_leave(&s->groups[BY_HOSTNAME], &e->in[BY_HOSTNAME]);
	if (e->pod && !str_empty(e->pod->hostname) && !str_eq(e->pod->hostname, e->pod->name))
		group_join(&s->groups[BY_HOSTNAME], &e->in[BY_HOSTNAME], &e->rec, e->pod->ns,
			e->pod->hostname);
}

static void release_link(struct store *s, struct entry *e)
{
	group_leave(&s->groups[BY_RELEASE], &e->in[BY_RELEASE]);
	if (e->pod && e->pod->daemon != DAEMON_NONE)
		group_join(&s->groups[BY_RELEASE], &e->in[BY_RELEASE], &e->rec, e->pod->ns,
			e->pod->release);
}

/* ---- entries ---- */

void entry_changed(struct store *s, const struct entry *e)
{
	if (s->changed)
		s->changed(s->ctx, e->rec.resource, e->rec.ns, e->rec.name,
			e->owner_uid ? e->owner_uid : "");
}

void entry_tell_gone(struct store *s, const struct entry *e)
{
	if (e->pod && !str_empty(e->rec.uid) && s->on_gone)
		s->on_gone(s->ctx, &e->rec);
}

size_t store_short(const struct store *s, enum resource r, const char *ns)
{
	return room_short(&s->rooms, r, ns);
}

/* True if the operator must touch no object of the namespace. */
static bool stops_namespace(const struct store *s, enum resource r, const char *ns)
{
	return !resource_rows[r].apart && store_short(s, r, ns) > 0;
}

/*
 * Reports all objects of custom resources of the namespace as changed, because from now
 * on the operator must not touch them, or may touch them again.
 */
static void tell_namespace(struct store *s, const char *ns)
{
	for (enum resource r = RES_NONE; r < RES_COUNT; r++)
		for (const struct entry *e = s->tables[r]; resource_rows[r].custom && e;
			e = e->hh.next)
			if (str_eq(e->rec.ns, ns))
				entry_changed(s, e);
}

void entry_free(struct store *s, struct entry *e)
{
	owner_unlink(s, e);
	group_leave(&s->groups[BY_HOSTNAME], &e->in[BY_HOSTNAME]);
	group_leave(&s->groups[BY_RELEASE], &e->in[BY_RELEASE]);
	json_free(e->doc);
	free(e->pod);
	stay_end(&e->stay);
	HASH_DEL(s->tables[e->rec.resource], e);
	free(e->key);
	free(e);
}

void entry_drop(struct store *s, struct entry *e)
{
	/* Copies for the callback, which runs after the entry is freed. */
	AUTO(own_free) char
		*ns = own_strdup(e->rec.ns),
		*name = own_strdup(e->rec.name),
		*owner = own_strdup(e->owner_uid ? e->owner_uid : "");
	enum resource r = e->rec.resource;
	bool stopped = stops_namespace(s, r, ns);
	gone_note(s->gone, e->pod);
	entry_free(s, e);
	if (s->changed)
		s->changed(s->ctx, r, ns, name, owner);
	if (stopped && !stops_namespace(s, r, ns))
		tell_namespace(s, ns);
}

static struct pod_fact *pod_with_room(struct entry *e, const struct json *object)
{
	struct pod_fact *f = pod_fact_new(object);
	if (stay_take(&e->stay, f->bytes))
		return f;
	free(f);
	return pod_fact_in_short(object);
}

static void fill_pod(struct store *s, struct entry *e, const struct json *object)
{
	AUTO(own_free) struct pod_fact *old = TAKE(e->pod);
	e->pod = pod_with_room(e, object);
	if (old && !str_eq(old->uid, e->pod->uid))
		gone_note(s->gone, old);
	pod_fact_times(e->pod, old, s->mark, loop_now_ms(s->loop));
	e->rec.ns = e->pod->ns;
	e->rec.name = e->pod->name;
	e->rec.uid = e->pod->uid;
}

static void fill_document(struct entry *e, const struct json *object)
{
	enum resource r = e->rec.resource;
	bool room = stay_take(&e->stay, object_bytes(r, object));
	json_free(TAKE(e->doc));
	e->doc = object_trimmed(r, object, room ? SIZE_MAX : resource_rows[r].usual_kb << 10);
	e->rec.object = json_root(e->doc);
	const struct json *m = json_get(e->rec.object, "metadata");
	e->rec.ns = json_str(json_get(m, "namespace"), "");
	e->rec.name = json_str(json_get(m, "name"), "");
	e->rec.uid = json_str(json_get(m, "uid"), "");
}

void entry_fill(struct store *s, struct entry *e, const struct json *object)
{
	const struct json *m = json_get(object, "metadata");
	const char *ns = json_str(json_get(m, "namespace"), "");
	bool stopped = stops_namespace(s, e->rec.resource, ns);
	if (e->rec.resource == RES_POD)
		fill_pod(s, e, object);
	else
		fill_document(e, object);
	e->rec.in_short = stay_is_short(&e->stay);
	e->rec.pod = e->pod;
	e->rec.cut = json_is_cut(object) || json_is_cut(e->rec.object);
	e->rec.version = object_version(object);
	if (e->pod)
		e->pod->in_flight = e->rec.in_flight;
	entry_owned_by(s, e, controller_uid(object));
	hostname_link(s, e);
	release_link(s, e);
	e->round = s->round;
	if (stopped != stops_namespace(s, e->rec.resource, ns))
		tell_namespace(s, ns);
}

struct entry *entry_new(struct store *s, enum resource r, const char *ns, const char *name)
{
	char buffer[OBJECT_KEY_BYTES];
	struct entry *e = own_alloc(sizeof(*e));
	e->rec.resource = r;
	e->stay = stay_of(&s->rooms, r, ns);
	e->key = own_strdup(object_key(buffer, ns, name));
	HASH_ADD_KEYPTR(hh, s->tables[r], e->key, strlen(e->key), e);
	return e;
}

/*
 * The record becomes that of another object: a successor, our own creation if the watch
 * reports it before the answer, or another owner's object with the name of our creation.
 */
static void succeeded(struct store *s, struct entry *e, const struct overtaken_pod *by)
{
	entry_tell_gone(s, e);
	if (e->rec.resource == RES_POD && e->rec.in_flight && !e->rec.version)
		overtaken_add(&s->overtaken, e->ticket, by, e->owner_uid);
	e->rec.in_flight = false;
	e->ticket = 0;
}

void entry_put(struct store *s, enum resource r, const struct json *object)
{
	const struct json *m = json_get(object, "metadata");
	const char *ns = json_str(json_get(m, "namespace"), ""),
		   *name = json_str(json_get(m, "name"), "");
	uint64_t version = object_version(object);
	struct entry *e = store_find(s, r, ns, name);
	bool grown = e && e->rec.in_short && e->rec.version == version;
	if (e && e->rec.version >= version && version && !grown) {
		e->round = s->round; /* seen in this round, but not newer */
		return;
	}
	if (!e)
		e = entry_new(s, r, ns, name);
	struct overtaken_pod pod = { e->key, json_str(json_get(m, "uid"), ""),
		controller_uid(object) };
	/*
	 * A pod with the name of a creation may be an earlier pod of ours, deleted long
	 * ago, that the watch reports late.
	 */
	if (!e->creating && !str_eq(e->rec.uid, pod.uid))
		succeeded(s, e, &pod);
	if (r == RES_POD)
		overtaken_seen(&s->overtaken, &pod);
	AUTO(own_free) char *was = own_strdup(e->owner_uid);
	entry_fill(s, e, object);
	entry_changed(s, e);
	/* Wakes the former owner too, because it has lost this object. */
	if (!str_empty(was) && !str_eq(was, e->owner_uid) && s->changed)
		s->changed(s->ctx, r, e->rec.ns, e->rec.name, was);
}
