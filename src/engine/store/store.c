/* SPDX-License-Identifier: Apache-2.0 */
/* The records of Kubernetes objects: updates by lists and watches, and queries. */
#include "engine/store/store.h"

#include <string.h>

#include "base/own.h"
#include "base/str.h"
#include "engine/store/lists.h"
#include "engine/store/store_parts.h"
#include "object/metadata.h"

struct store *store_new(struct loop *loop, store_changed *changed, void *ctx)
{
	struct store *s = own_alloc(sizeof(*s));
	s->loop = loop;
	s->gone = gone_new(loop);
	rooms_init(&s->rooms, 0);
	s->changed = changed;
	s->ctx = ctx;
	return s;
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

void store_put(struct store *s, enum resource r, const struct json *object)
{
	const struct json *m = json_get(object, "metadata");
	entry_put(s, r, object);
	struct entry *e = store_find(s, r, json_str(json_get(m, "namespace"), ""),
		json_str(json_get(m, "name"), ""));
	if (!e)
		return;
	e->listed = s->round;
	if (object_version(object) > e->brought)
		e->brought = object_version(object);
}

/*
 * While a creation of its name is in flight, the object that is gone was another one, so
 * the creation stays.
 */
static void entry_gone(struct store *s, struct entry *e)
{
	entry_tell_gone(s, e);
	overtaken_gone(s->overtaken, e->rec.uid);
	e->rec.version = 0;
	e->rec.uid = "";
	if (e->creating)
		entry_changed(s, e);
	else
		entry_drop(s, e);
}

void store_remove(struct store *s, enum resource r, const struct json *last)
{
	const struct json *m = json_get(last, "metadata");
	struct entry *e = store_find(s, r, json_str(json_get(m, "namespace"), ""),
		json_str(json_get(m, "name"), ""));
	uint64_t version = object_version(last);
	/*
	 * A late event about a predecessor must not remove its successor, nor a creation
	 * of ours in flight.
	 */
	if (e && str_eq(e->rec.uid, json_str(json_get(m, "uid"), "")) &&
		(!version || e->rec.version <= version))
		entry_gone(s, e);
}

/* ---- complete lists ---- */

/*
 * Lists are quorum reads, and no watch runs beside its list. So an object from an earlier
 * list or watch is newer than this list only if etcd was restored. Then any version of
 * the object counts as new. (An answer to a write of ours may be newer anyway.)
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
 * An object that a list lacks is gone, unless the object is newer than the list, because
 * an answer to a write of ours came since the list began. If an answer is not newer, the
 * list is right even if the answer came later: the watch goes on from the list's version
 * and would never report that the object is gone.
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

/* An object with an older version than the newest list, and not in it, is gone. */
bool store_made_before_list(const struct store *s, enum resource r, const struct json *object)
{
	return lists_cover(s->lists, r, json_str(json_at(object, "metadata", "namespace"), ""),
		object_version(object));
}

bool store_complete(const struct store *s, enum resource r, const char *ns)
{
	return lists_complete(s->lists, r, ns);
}

/* ---- queries ---- */

const struct record *store_get(const struct store *s, enum resource r, const char *ns,
	const char *name)
{
	const struct entry *e = store_find(s, r, ns, name);
	return e ? &e->rec : NULL;
}

void store_each(const struct store *s, enum resource r, const char *ns, each_record *each,
	void *ctx)
{
	for (const struct entry *e = s->tables[r]; e; e = e->hh.next)
		if (!ns || str_eq(ns, e->rec.ns))
			each(ctx, &e->rec);
}

static void fetch_ahead(const struct members *all, size_t i)
{
	enum { RECORD_AHEAD = 2 * FACT_AHEAD };
	const struct record *rec;
	if (i + RECORD_AHEAD >= all->n)
		return;
	__builtin_prefetch(all->list[i + RECORD_AHEAD].what);
	rec = all->list[i + FACT_AHEAD].what;
	pod_fact_fetch(rec->pod);
	rec = all->list[i + TEXTS_AHEAD].what;
	pod_texts_fetch(rec->pod);
}

static void each_of(const struct store *s, int kind, const char *ns, const char *key,
	each_record *each, void *ctx)
{
	struct members all = group_of(s->groups[kind], ns, key);
	for (size_t i = 0; i < all.n; i++) {
		fetch_ahead(&all, i);
		each(ctx, all.list[i].what);
	}
}

void store_each_owned(const struct store *s, const char *ns, const char *owner_uid,
	each_record *each, void *ctx)
{
	each_of(s, BY_OWNER, ns, owner_uid, each, ctx);
}

void store_each_daemon(const struct store *s, const char *ns, const char *release,
	each_record *each, void *ctx)
{
	each_of(s, BY_RELEASE, ns, release, each, ctx);
}

size_t store_count_owned(const struct store *s, const char *ns, const char *owner_uid)
{
	return group_of(s->groups[BY_OWNER], ns, owner_uid).n;
}

/* True if the pod's own name is its Slurm node name, so no group by host name has it. */
static bool is_named(const struct pod_fact *p, const char *slurm_name)
{
	return str_empty(p->hostname) || str_eq(p->hostname, slurm_name);
}

void store_each_named(const struct store *s, const char *ns, const char *slurm_name,
	each_record *each, void *ctx)
{
	const struct entry *e = store_find(s, RES_POD, ns, slurm_name);
	if (e && is_named(e->pod, slurm_name))
		each(ctx, &e->rec);
	each_of(s, BY_HOSTNAME, ns, slurm_name, each, ctx);
}

void store_each_namesake(const struct store *s, const struct pod_fact *pod, each_record *each,
	void *ctx)
{
	const char *name = str_empty(pod->hostname) ? pod->name : pod->hostname;
	const struct entry *e = NULL;
	if (!str_eq(name, pod->name))
		e = store_find(s, RES_POD, pod->ns, name);
	if (e && is_named(e->pod, name))
		each(ctx, &e->rec);
	struct members all = group_of(s->groups[BY_HOSTNAME], pod->ns, name);
	for (size_t i = 0; i < all.n; i++) {
		const struct record *rec = all.list[i].what;
		if (rec->pod != pod)
			each(ctx, rec);
	}
}

void store_on_gone(struct store *s, void (*gone)(void *ctx, const struct record *last))
{
	s->on_gone = gone;
}

void store_mark(struct store *s, const char *annotation) { s->mark = annotation; }
struct gone *store_gone(const struct store *s) { return s->gone; }
size_t store_count(const struct store *s, enum resource r) { return HASH_COUNT(s->tables[r]); }
size_t store_overtaken(const struct store *s, const char *owner_uid)
{
	return overtaken_count(s->overtaken, owner_uid);
}

/* ---- memory ---- */

void store_share(struct store *s, size_t bytes) { rooms_init(&s->rooms, bytes); }
const struct rooms *store_rooms(const struct store *s) { return &s->rooms; }

const struct record *store_could_grow(const struct store *s, const char *ns)
{
	for (enum resource r = RES_NONE; r < RES_COUNT; r++)
		for (const struct entry *e = s->tables[r]; e; e = e->hh.next)
			if (e->rec.in_short && str_eq(e->rec.ns, ns) && stay_could_grow(&e->stay))
				return &e->rec;
	return NULL;
}

bool store_read_again(struct store *s, enum resource r, const struct json *object)
{
	const struct json *m = json_get(object, "metadata");
	const struct entry *e = store_find(s, r, json_str(json_get(m, "namespace"), ""),
		json_str(json_get(m, "name"), ""));
	if (!e || !str_eq(e->rec.uid, json_str(json_get(m, "uid"), "")))
		return false;
	entry_put(s, r, object);
	return !e->rec.in_short;
}
