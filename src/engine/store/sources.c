/* SPDX-License-Identifier: Apache-2.0 */
/* The watches of the manager, which fill the store. */
#include "engine/store/sources.h"

#include <string.h>

#include "base/log.h"
#include "base/metric.h"
#include "base/own.h"
#include "base/str.h"
#include "engine/store/refill.h"
#include "kube/watch.h"
#include "object/metadata.h"

METRIC(age_gauge, "slurm_operator_watch_out_of_order_seconds", METRIC_GAUGE,
	"Seconds for which a watch has been broken or behind; 0 while it is up to date. The namespace is empty without --namespaces.",
	"resource,namespace", METRIC_OF_MANAGER);

METRIC(cut_total, "slurm_operator_objects_cut_total", METRIC_COUNTER,
	"Objects that are stored only in part, because they are nested too deep or too large. The log names each object.",
	"resource", METRIC_OF_MANAGER);

/* Refusals in a row before a watch is reported; a single failure is usually short. */
enum { REFUSED_TIMES = 2 };

/* A watch and the store of its objects. */
struct source {
	struct sources *all;
	enum resource resource;
	const char *ns; /* NULL: all */
	struct watch *watch;
	char trouble[ERR_TEXT_BYTES];
	int refused;   /* times since it was well; for a missing CRD or right */
	bool optional; /* as its kind is */
	bool away;     /* optional, and refused since it was well: its objects are unknown */
};

struct sources {
	struct loop *loop;
	struct refill *refill;
	struct store *store;
	void (*listed)(void *ctx);
	void *ctx;
	enum resource watched[RES_COUNT];
	size_t n_watched, n;
	struct source *rows; /* for each watched resource, one for each namespace */
	int64_t since_ms;    /* lists requested earlier do not count */
	struct err old;      /* the last result of tell_old */
};

static void is_well(struct source *src)
{
	src->trouble[0] = '\0';
	src->refused = 0;
	src->away = false;
}

static void on_begin(void *ctx, const char *version)
{
	struct source *src = ctx;
	store_list_begin(src->all->store, src->resource, src->ns, strtoull(version, NULL, 10));
}

static const struct record *record_of(const struct source *src, const struct json *object)
{
	struct metadata m = metadata_of(object);
	return store_get(src->all->store, src->resource, m.ns, m.name);
}

/* Called once for each object, because a client may write it again and again. */
static void note_cut(const struct source *src, const struct record *rec)
{
	const char *plural = resource_name(src->resource);
	metric_add(&cut_total, 1, plural);
	log_warn(rec->in_short
			? "only a part of an object is kept, because its namespace exceeds its share of memory"
			: object_is_large(rec->object)
			? "an object is too large to be kept whole"
			: "an object is nested too deep to be read whole",
		"resource", plural, "namespace", rec->ns, "name", rec->name);
}

static void on_upsert(void *ctx, const struct json *object)
{
	struct source *src = ctx;
	const struct record *rec = record_of(src, object);
	bool was_cut = rec && (rec->cut || rec->in_short);
	store_put(src->all->store, src->resource, object);
	rec = record_of(src, object);
	if (rec && (rec->cut || rec->in_short) && !was_cut)
		note_cut(src, rec);
	if (rec && rec->in_short)
		refill_wake(src->all->refill);
}

static void on_removed(void *ctx, const struct json *last)
{
	struct source *src = ctx;
	store_remove(src->all->store, src->resource, last);
}

static void on_end(void *ctx, const char *version)
{
	struct source *src = ctx;
	is_well(src);
	store_list_end(src->all->store, src->resource, src->ns, strtoull(version, NULL, 10));
	src->all->listed(src->all->ctx);
}

static void on_connected(void *ctx)
{
	struct source *src = ctx;
	is_well(src);
	log_info("a watch is connected again", "resource", resource_name(src->resource));
}

static const char *remedy_of(const struct source *src, struct err err)
{
	const struct resource_row *row = &resource_rows[src->resource];
	if (err.kind != ERR_NOT_FOUND || !row->custom)
		return kube_remedy(err);
	return row->on_wish ? "; to use it, apply deploy/crds/older" : "; apply deploy/crds";
}

static void note_nothing(const struct source *src, const char *why)
{
	log_line(resource_rows[src->resource].on_wish ? LOG_INFO : LOG_WARN,
		"the API server does not serve this kind, or the manager may not read it; the other kinds go on",
		"resource", resource_name(src->resource), "why", why, (char *)0);
}

static void on_trouble(void *ctx, struct err err)
{
	struct source *src = ctx;
	const char *remedy = remedy_of(src, err);
	int room = ERR_TEXT_BYTES - 1 - (int)strlen(remedy);
	struct err e = err_new(err.kind, "%.*s%s", room, err.text, remedy);
	memcpy(src->trouble, e.text, sizeof(src->trouble));
	bool refused = err.kind == ERR_DENIED || err.kind == ERR_NOT_FOUND, was_away = src->away;
	src->refused += refused;
	src->away |= src->optional && refused;
	if (!src->away)
		log_warn("a watch is not connected", "resource", resource_name(src->resource),
			"why", e.text);
	else if (!was_away)
		note_nothing(src, e.text);
	if (!was_away && src->away)
		src->all->listed(src->all->ctx);
}

static const struct watch_handler handler = { on_begin, on_upsert, on_removed, on_end, on_connected,
	on_trouble };

static void watch(struct sources *all, enum resource r)
{
	for (size_t i = 0; i < all->n_watched; i++)
		if (all->watched[i] == r)
			return;
	all->watched[all->n_watched++] = r;
}

/* Kinds come before children, so that owners are listed before their children. */
static void choose(struct sources *all, const struct kind *const *kinds)
{
	for (const struct kind *const *k = kinds; *k; k++)
		watch(all, (*k)->resource);
	for (const struct kind *const *k = kinds; *k; k++)
		for (size_t i = 0; i < (*k)->n_children; i++)
			watch(all, (*k)->children[i].resource);
}

static bool is_optional(const struct kind *const *kinds, enum resource r)
{
	for (; *kinds; kinds++)
		if ((*kinds)->resource == r)
			return (*kinds)->optional;
	return false;
}

struct sources *sources_new(struct kube *kube, struct store *store, const struct kind *const *kinds,
	const char *const *namespaces, void (*listed)(void *ctx), void *ctx)
{
	size_t n_ns = 0;
	struct sources *all = own_alloc(sizeof(*all));
	while (namespaces && namespaces[n_ns])
		n_ns++;
	*all = (struct sources){
		.loop = kube->loop,
		.store = store,
		.refill = refill_new(kube, store),
		.listed = listed,
		.ctx = ctx,
		.since_ms = INT64_MIN,
	};
	choose(all, kinds);
	size_t per = n_ns ? n_ns : 1;
	all->n = per * all->n_watched;
	all->rows = own_alloc((all->n + 1) * sizeof(*all->rows));
	for (size_t i = 0; i < all->n; i++) {
		struct source *src = &all->rows[i];
		*src = (struct source){
			.all = all,
			.resource = all->watched[i / per],
			.ns = n_ns ? namespaces[i % per] : NULL,
			.optional = is_optional(kinds, all->watched[i / per]),
		};
		src->watch = watch_new(kube, src->resource, src->ns, NULL, &handler, src);
	}
	return all;
}

void sources_free(struct sources *all)
{
	if (!all)
		return;
	refill_free(all->refill);
	for (size_t i = 0; i < all->n; i++)
		watch_free(all->rows[i].watch);
	free(all->rows);
	free(all);
}

/* True if a decision about an object of r in ns relies on this source. */
static bool matters(const struct source *src, enum resource r, const char *ns)
{
	bool covers = !src->ns || str_eq(src->ns, ns);
	return covers && (!src->optional || src->resource == r);
}

void sources_list_anew(struct sources *all)
{
	all->since_ms = loop_now_ms(all->loop);
	for (size_t i = 0; i < all->n; i++)
		watch_list_anew(all->rows[i].watch);
}

static bool is_whole(const struct source *src, const char *ns)
{
	return store_complete(src->all->store, src->resource, ns) && !src->away &&
		watch_listed_ms(src->watch) >= src->all->since_ms;
}

bool sources_complete(const struct sources *all, enum resource r, const char *ns)
{
	for (size_t i = 0; i < all->n; i++) {
		const struct source *src = &all->rows[i];
		if (matters(src, r, ns) && !is_whole(src, ns))
			return false;
	}
	return true;
}

static bool has_list(const struct source *src)
{
	return store_complete(src->all->store, src->resource, src->ns);
}

/* The other kinds go on without it; only its metric and the log report it. */
static bool is_missed(const struct source *src)
{
	return src->optional && (src->away || src->trouble[0]);
}

static bool synced(const struct sources *all)
{
	for (size_t i = 0; i < all->n; i++)
		if (!has_list(&all->rows[i]) && !is_missed(&all->rows[i]))
			return false;
	return true;
}

/* ---- the age of a watch ---- */

static int64_t age_ms(const struct source *src)
{
	return loop_now_ms(src->all->loop) - watch_seen_ms(src->watch);
}

int64_t sources_seen_ms(const struct sources *all, enum resource r, const char *ns)
{
	int64_t seen_ms = INT64_MAX;
	for (size_t i = 0; i < all->n; i++) {
		const struct source *src = &all->rows[i];
		int64_t ms = watch_seen_ms(src->watch);
		if (matters(src, r, ns) && ms < seen_ms)
			seen_ms = ms;
	}
	return seen_ms;
}

static bool in_order(const struct source *src)
{
	if (src->away && !has_list(src))
		return true; /* the API server has never served its kind */
	return has_list(src) && !src->trouble[0] && age_ms(src) <= KUBE_FRESH_MS;
}

void sources_measure(const struct sources *all)
{
	for (size_t i = 0; i < all->n; i++) {
		const struct source *src = &all->rows[i];
		metric_set(&age_gauge, in_order(src) ? 0 : (double)age_ms(src) / 1000,
			resource_name(src->resource), src->ns);
	}
}

static const char *tell_old(struct sources *all, const struct source *src)
{
	all->old = err_new(ERR_LOST, "for %d minutes no watch has reported %s%s%s%s%.300s",
		KUBE_FRESH_MS / 60000, resource_name(src->resource), src->ns ? " in " : "",
		src->ns ? src->ns : "", src->trouble[0] ? ": " : "", src->trouble);
	return all->old.text;
}

const char *sources_trouble(struct sources *all)
{
	bool ready = synced(all);
	for (size_t i = 0; i < all->n; i++) {
		const struct source *src = &all->rows[i];
		if (!src->optional && src->trouble[0] && (!ready || src->refused >= REFUSED_TIMES))
			return src->trouble;
	}
	for (size_t i = 0; i < all->n && ready; i++)
		if (!all->rows[i].optional && age_ms(&all->rows[i]) > KUBE_FRESH_MS)
			return tell_old(all, &all->rows[i]);
	return ready ? "" : "the first lists are still being read";
}
