/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the records of Kubernetes objects, and what is in flight. */
#include "engine/store.h"

#include <stdio.h>
#include <string.h>
#include <uthash.h>

#include "base/own.h"
#include "base/str.h"
#include "engine/groups.h"
#include "engine/lists.h"
#include "engine/overtaken.h"
#include "engine/pod.h"
#include "engine/trim.h"
#include "object/metadata.h"

/*
 * Pods in groups: those of one controller, and those whose host name is not their own
 * name.
 */
enum group_kind { BY_OWNER, BY_HOSTNAME, GROUP_KINDS };

struct entry {
	struct record rec; /* first: a record is an entry */
	char *key;         /* "ns/name" */
	struct json_doc *doc;
	struct pod_fact *pod;
	char *owner_uid;               /* "" for none */
	uint64_t round;                /* of the list in which it was last seen or touched */
	uint64_t listed;               /* of the list in which it was last seen */
	uint64_t brought;              /* version that a list or a watch brought last */
	uint64_t ticket;               /* of the action sent last; 0: none on this object */
	bool creating;                 /* that is its creation, and not a pod's (overtaken.h) */
	struct member in[GROUP_KINDS]; /* pods only */
	UT_hash_handle hh;
};

struct store {
	struct loop *loop;
	const char *mark;  /* borrowed */
	struct gone *gone; /* pods */
	store_changed *changed;
	void *ctx;
	struct entry *tables[RES_COUNT];
	struct group *groups[GROUP_KINDS];
	struct list *lists;
	struct overtaken *overtaken; /* pods */
	uint64_t round;              /* counts list beginnings */
	uint64_t tickets;            /* counts actions sent */
};

struct store *store_new(struct loop *loop, store_changed *changed, void *ctx)
{
	struct store *s = own_alloc(sizeof(*s));
	s->loop = loop;
	s->gone = gone_new(loop);
	s->changed = changed;
	s->ctx = ctx;
	return s;
}

static struct entry *find(const struct store *s, enum resource r, const char *ns, const char *name)
{
	char buffer[OBJECT_KEY_BYTES];
	struct entry *e;
	HASH_FIND_STR(s->tables[r], object_key(buffer, ns, name), e);
	return e;
}

/* ---- pods in groups ---- */

static void owner_unlink(struct store *s, struct entry *e)
{
	group_leave(&s->groups[BY_OWNER], &e->in[BY_OWNER]);
	free(TAKE(e->owner_uid));
}

static void owner_link(struct store *s, struct entry *e, const char *uid)
{
	owner_unlink(s, e);
	e->owner_uid = own_strdup(uid);
	if (e->rec.resource == RES_POD)
		group_join(&s->groups[BY_OWNER], &e->in[BY_OWNER], &e->rec, e->rec.ns, uid);
}

/* Most pods have no other host name than their own: those are found by it. */
static void hostname_link(struct store *s, struct entry *e)
{
	group_leave(&s->groups[BY_HOSTNAME], &e->in[BY_HOSTNAME]);
	if (e->pod && !str_empty(e->pod->hostname) && !str_eq(e->pod->hostname, e->pod->name))
		group_join(&s->groups[BY_HOSTNAME], &e->in[BY_HOSTNAME], &e->rec, e->pod->ns,
			e->pod->hostname);
}

/* ---- entries ---- */

static void notify(struct store *s, const struct entry *e)
{
	if (s->changed)
		s->changed(s->ctx, e->rec.resource, e->rec.ns, e->rec.name,
			e->owner_uid ? e->owner_uid : "");
}

static void entry_free(struct store *s, struct entry *e)
{
	owner_unlink(s, e);
	group_leave(&s->groups[BY_HOSTNAME], &e->in[BY_HOSTNAME]);
	json_free(e->doc);
	free(e->pod);
	HASH_DEL(s->tables[e->rec.resource], e);
	free(e->key);
	free(e);
}

static void entry_drop(struct store *s, struct entry *e)
{
	/* The observer gets copies: what it looks up again must already be gone. */
	AUTO(own_free) char
		*ns = own_strdup(e->rec.ns),
		*name = own_strdup(e->rec.name),
		*owner = own_strdup(e->owner_uid ? e->owner_uid : "");
	enum resource r = e->rec.resource;
	gone_note(s->gone, e->pod);
	entry_free(s, e);
	if (s->changed)
		s->changed(s->ctx, r, ns, name, owner);
}

void store_free(struct store *s)
{
	struct entry *e, *next;
	if (!s)
		return;
	for (int r = 0; r < RES_COUNT; r++)
		HASH_ITER (hh, s->tables[r], e, next)
			entry_free(s, e);
	overtaken_free(&s->overtaken);
	gone_free(s->gone);
	lists_free(&s->lists);
	free(s);
}

static void fill_pod(struct store *s, struct entry *e, const struct json *object)
{
	AUTO(own_free) struct pod_fact *old = TAKE(e->pod);
	e->pod = pod_fact_new(object);
	if (old && !str_eq(old->uid, e->pod->uid))
		gone_note(s->gone, old);
	pod_fact_times(e->pod, old, s->mark, loop_now_ms(s->loop));
	e->rec.ns = e->pod->ns;
	e->rec.name = e->pod->name;
	e->rec.uid = e->pod->uid;
}

static uint64_t version_of(const struct json *object)
{
	return strtoull(json_str(json_at(object, "metadata", "resourceVersion"), "0"), NULL, 10);
}

static void fill(struct store *s, struct entry *e, const struct json *object)
{
	const struct json *m = json_get(object, "metadata");
	if (e->rec.resource == RES_POD) {
		fill_pod(s, e, object);
	} else {
		json_free(TAKE(e->doc));
		e->doc = object_trimmed(e->rec.resource, object);
		e->rec.object = json_root(e->doc);
		m = json_get(e->rec.object, "metadata");
		e->rec.ns = json_str(json_get(m, "namespace"), "");
		e->rec.name = json_str(json_get(m, "name"), "");
		e->rec.uid = json_str(json_get(m, "uid"), "");
	}
	e->rec.pod = e->pod;
	e->rec.version = version_of(object);
	if (e->pod)
		e->pod->in_flight = e->rec.in_flight;
	owner_link(s, e, controller_uid(object));
	hostname_link(s, e);
	e->round = s->round;
}

static struct entry *entry_new(struct store *s, enum resource r, const char *ns, const char *name)
{
	char buffer[OBJECT_KEY_BYTES];
	struct entry *e = own_alloc(sizeof(*e));
	e->rec.resource = r;
	e->key = own_strdup(object_key(buffer, ns, name));
	HASH_ADD_KEYPTR(hh, s->tables[r], e->key, strlen(e->key), e);
	return e;
}

/*
 * The record becomes that of another object: a successor, our own creation that the watch
 * shows before its answer came, or a stranger that has the name of our creation.
 */
static void succeeded(struct store *s, struct entry *e, const struct overtaken_pod *by)
{
	if (e->rec.resource == RES_POD && e->rec.in_flight && !e->rec.version)
		overtaken_add(&s->overtaken, e->ticket, by, e->owner_uid);
	e->rec.in_flight = false;
	e->ticket = 0;
}

static void put(struct store *s, enum resource r, const struct json *object)
{
	const struct json *m = json_get(object, "metadata");
	const char *ns = json_str(json_get(m, "namespace"), ""),
		   *name = json_str(json_get(m, "name"), "");
	uint64_t version = version_of(object);
	struct entry *e = find(s, r, ns, name);
	if (e && e->rec.version >= version && version) {
		e->round = s->round; /* older or the same: seen, but nothing new */
		return;
	}
	if (!e)
		e = entry_new(s, r, ns, name);
	struct overtaken_pod pod = { e->key, json_str(json_get(m, "uid"), ""),
		controller_uid(object) };
	/*
	 * What has the name of a creation may be an earlier one of ours, long deleted,
	 * which the watch shows late.
	 */
	if (!e->creating && !str_eq(e->rec.uid, pod.uid))
		succeeded(s, e, &pod);
	if (r == RES_POD)
		overtaken_seen(&s->overtaken, &pod);
	AUTO(own_free) char *was = own_strdup(e->owner_uid);
	fill(s, e, object);
	notify(s, e);
	/* The owner of before is woken too: it has lost this one. */
	if (!str_empty(was) && !str_eq(was, e->owner_uid) && s->changed)
		s->changed(s->ctx, r, e->rec.ns, e->rec.name, was);
}

void store_put(struct store *s, enum resource r, const struct json *object)
{
	const struct json *m = json_get(object, "metadata");
	put(s, r, object);
	struct entry *e = find(s, r, json_str(json_get(m, "namespace"), ""),
		json_str(json_get(m, "name"), ""));
	if (!e)
		return;
	e->listed = s->round;
	if (version_of(object) > e->brought)
		e->brought = version_of(object);
}

/*
 * While its name is being created, it was another one: the creation is on its way still.
 */
static void entry_gone(struct store *s, struct entry *e)
{
	overtaken_gone(s->overtaken, e->rec.uid);
	e->rec.version = 0;
	e->rec.uid = "";
	if (e->creating)
		notify(s, e);
	else
		entry_drop(s, e);
}

void store_remove(struct store *s, enum resource r, const struct json *last)
{
	const struct json *m = json_get(last, "metadata");
	struct entry *e = find(s, r, json_str(json_get(m, "namespace"), ""),
		json_str(json_get(m, "name"), ""));
	uint64_t version = version_of(last);
	/*
	 * A late event about a predecessor must not remove its successor, nor a creation
	 * of ours that is on its way.
	 */
	if (e && str_eq(e->rec.uid, json_str(json_get(m, "uid"), "")) &&
		(!version || e->rec.version <= version))
		entry_gone(s, e);
}

/* ---- complete lists ---- */

/*
 * Lists are quorum reads, and no watch runs beside its list: what a list or a watch
 * brought before can only be newer when etcd was restored. (An answer to a write can,
 * without that.) Anything counts then.
 */
static void forget_later(struct store *s, enum resource r, const char *ns, uint64_t version)
{
	const uint64_t oldest = 1;
	for (struct entry *e = s->tables[r]; e; e = e->hh.next)
		if ((!ns || str_eq(ns, e->rec.ns)) && e->brought > version)
			e->rec.version = e->brought = oldest;
}

void store_list_begin(struct store *s, enum resource r, const char *ns, uint64_t version)
{
	lists_make(&s->lists, r, ns)->begun = ++s->round;
	forget_later(s, r, ns, version);
}

/*
 * What a list lacks is gone, but for what is newer than the list: an answer to a write of
 * ours may have come since it began. An answer that is not newer says nothing against the
 * list, even if it came later: the watch, which goes on from the list's version, would
 * never say that the object is gone.
 */
static bool outlives_list(const struct entry *e, const struct list *list, uint64_t version)
{
	bool creating = e->rec.in_flight && !e->rec.version;
	bool newer = e->round >= list->begun && e->rec.version > version;
	return e->listed >= list->begun || newer || creating;
}

void store_list_end(struct store *s, enum resource r, const char *ns, uint64_t version)
{
	struct entry *e, *next;
	struct list *list = lists_find(s->lists, r, ns);
	if (!list)
		return;
	HASH_ITER (hh, s->tables[r], e, next)
		if ((!ns || str_eq(ns, e->rec.ns)) && !outlives_list(e, list, version))
			entry_gone(s, e);
	list->complete = true;
	list->version = version;
}

/* An object that was made before the newest list, and is not in it, is gone. */
static bool made_before_list(const struct store *s, enum resource r, const struct json *object)
{
	return lists_cover(s->lists, r, json_str(json_at(object, "metadata", "namespace"), ""),
		version_of(object));
}

bool store_complete(const struct store *s, enum resource r, const char *ns)
{
	return lists_complete(s->lists, r, ns);
}

/* ---- questions ---- */

const struct record *store_get(const struct store *s, enum resource r, const char *ns,
	const char *name)
{
	const struct entry *e = find(s, r, ns, name);
	return e ? &e->rec : NULL;
}

void store_each(const struct store *s, enum resource r, const char *ns, each_record *each,
	void *ctx)
{
	for (const struct entry *e = s->tables[r]; e; e = e->hh.next)
		if (!ns || str_eq(ns, e->rec.ns))
			each(ctx, &e->rec);
}

static void each_of(const struct store *s, int kind, const char *ns, const char *key,
	each_record *each, void *ctx)
{
	for (const struct member *m = group_first(s->groups[kind], ns, key); m; m = m->next)
		each(ctx, m->what);
}

void store_each_owned(const struct store *s, const char *ns, const char *owner_uid,
	each_record *each, void *ctx)
{
	each_of(s, BY_OWNER, ns, owner_uid, each, ctx);
}

void store_each_named(const struct store *s, const char *ns, const char *slurm_name,
	each_record *each, void *ctx)
{
	const struct entry *e = find(s, RES_POD, ns, slurm_name);
	if (e && (str_empty(e->pod->hostname) || str_eq(e->pod->hostname, slurm_name)))
		each(ctx, &e->rec);
	each_of(s, BY_HOSTNAME, ns, slurm_name, each, ctx);
}

void store_mark(struct store *s, const char *annotation) { s->mark = annotation; }
struct gone *store_gone(const struct store *s) { return s->gone; }
size_t store_count(const struct store *s, enum resource r) { return HASH_COUNT(s->tables[r]); }
size_t store_overtaken(const struct store *s, const char *owner_uid)
{
	return overtaken_count(s->overtaken, owner_uid);
}

/* ---- actions in flight ---- */

static void set_in_flight(struct entry *e, bool in_flight)
{
	e->rec.in_flight = in_flight;
	e->creating &= in_flight;
	if (e->pod)
		e->pod->in_flight = in_flight;
}

/*
 * A record of an object that does not exist yet: its name is taken from the moment the
 * creation is sent.
 */
static void creation_sent(struct store *s, enum resource r, const char *ns, const char *name,
	const char *body, const char *owner_uid)
{
	struct json_doc *doc = NULL;
	if (failed(json_parse(body, strlen(body), SIZE_MAX, &doc)))
		return;
	struct entry *e = entry_new(s, r, ns, name);
	e->rec.in_flight = true;
	fill(s, e, json_root(doc));
	e->rec.version = 0;
	if (owner_uid)
		owner_link(s, e, owner_uid);
	json_free(doc);
}

uint64_t store_sent(struct store *s, enum resource r, const char *ns, const char *name,
	const char *create_body, const char *owner_uid)
{
	struct entry *e = find(s, r, ns, name);
	if (!e && create_body)
		creation_sent(s, r, ns, name, create_body, owner_uid);
	else if (e)
		set_in_flight(e, true);
	e = find(s, r, ns, name);
	if (!e)
		return s->tickets;
	e->creating = create_body && r != RES_POD;
	return e->ticket = ++s->tickets;
}

/*
 * A pod has a while to end, which the watch tells; what else is not shown as ending is
 * gone.
 */
static void deletion_answered(struct store *s, struct entry *e, bool accepted)
{
	bool ending = e->pod ||
		!json_is_null(json_at(e->rec.object, "metadata", "deletionTimestamp"));
	if (accepted && !ending) {
		entry_drop(s, e);
		return;
	}
	if (accepted && e->pod)
		e->pod->terminating = true;
	notify(s, e);
}

void store_deletion_sent(struct store *s, enum resource r, const char *ns, const char *name)
{
	struct entry *e = find(s, r, ns, name);
	if (e && e->pod)
		e->pod->deletion_sent_ms = loop_now_ms(s->loop);
}

void store_outcome(struct store *s, uint64_t ticket, enum resource r, const char *ns,
	const char *name, const struct json *answered, bool deletion_accepted)
{
	struct entry *e = find(s, r, ns, name);
	const struct json *m = json_get(answered, "metadata");
	/*
	 * An older action on a predecessor of the same name says nothing of what is under
	 * way now.
	 */
	bool newest = e && e->ticket == ticket, creation = newest && !e->rec.version,
	     creating = newest && e->creating;
	struct overtaken_pod pod = { name, json_str(json_get(m, "uid"), ""),
		controller_uid(answered) };
	bool made = overtaken_ended(&s->overtaken, ticket, &pod) || creation || creating;
	bool same = e && str_eq(pod.uid, e->rec.uid);
	if (newest)
		set_in_flight(e, false);
	if (made && answered && made_before_list(s, r, answered))
		made = same = false;
	if (answered && (made || same))
		put(s, r, answered);
	else if (creation) {
		entry_drop(s, e);
		return;
	}
	if ((e = find(s, r, ns, name)))
		deletion_answered(s, e, newest && deletion_accepted);
}
