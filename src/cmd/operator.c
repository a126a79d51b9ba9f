/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Joins store, planners, executor and links: a change marks an object, a marked
 * object is planned, a plan is carried out.
 */
#include "cmd/operator.h"

#include <stdio.h>
#include <string.h>
#include <uthash.h>

#include "api/cluster.h"
#include "api/names.h"
#include "api/nodeset.h"
#include "base/log.h"
#include "base/metric.h"
#include "base/own.h"
#include "base/str.h"
#include "build/pod.h"
#include "cmd/keeper.h"
#include "cmd/sources.h"
#include "cmd/users.h"
#include "cmd/view.h"
#include "engine/executor.h"
#include "engine/loss.h"
#include "link/link.h"
#include "engine/store.h"
#include "kube/event.h"
#include "plan/cluster/plan.h"
#include "plan/nodeset/plan.h"

static struct metric plans_total = { "slurm_operator_plans_total", METRIC_COUNTER,
	"Plans made, by kind.", "kind", NULL, NULL, 0 };

enum {
	GATHER_MS = 5,     /* changes that come together are planned together */
	MOST_FAILING = 16, /* kinds of actions that keep failing, as told to the planner */
	GATHER_SHARE = 5,  /* at most a fifth of the time goes into planning one object */
};

/* A NodeSet or a Cluster that is planned. */
struct subject {
	struct operator_ *o;
	enum resource resource;
	char *key, *ns, *name;
	struct timer *timer;
	int64_t due_ms, last_planned_ms, last_took_ms;
	struct demand demand; /* of its newest plan */
	struct arena names;   /* of that demand */
	char *cluster;        /* NodeSets: spec.clusterName */
	char *uid;            /* NodeSets: as they are in by_uid; NULL: not there */
	UT_hash_handle hh_uid;
	struct keeper *keeper;   /* NodeSets, from their first plan on */
	struct slurm_link *link; /* Clusters */
	UT_hash_handle hh;
};

struct operator_ {
	struct operator_config config;
	struct store *store;
	struct executor *executor;
	struct events *events;
	struct sources *sources;
	struct subject *subjects[RES_COUNT]; /* RES_NODESET and RES_CLUSTER */
	struct subject *by_uid; /* NodeSets: a cluster has many pods that are not ours */
	bool leading, stopped;
	int64_t acting_since_ms;
};

/* ---- subjects ---- */

static void subject_plan(void *ctx);

static struct subject *subject_find(const struct operator_ *o, enum resource r, const char *ns,
	const char *name)
{
	char key[512];
	struct subject *s;
	snprintf(key, sizeof(key), "%s/%s", ns, name);
	HASH_FIND_STR(o->subjects[r], key, s);
	return s;
}

static void subject_due(struct subject *s, int64_t in_ms)
{
	struct loop *loop = s->o->config.loop;
	int64_t due = loop_now_ms(loop) + in_ms;
	if (s->o->stopped || (s->timer && s->due_ms <= due))
		return;
	timer_stop(loop, s->timer);
	s->due_ms = due;
	s->timer = timer_start(loop, in_ms, subject_plan, s);
}

/* Soon, but never so often that planning a large set crowds out everything else. */
static void subject_mark(struct subject *s)
{
	int64_t least = s->last_took_ms * GATHER_SHARE;
	subject_due(s, least > GATHER_MS ? least : GATHER_MS);
}

static void subject_index(struct subject *s, const char *uid)
{
	if (uid && str_eq(s->uid, uid))
		return;
	if (s->uid)
		HASH_DELETE(hh_uid, s->o->by_uid, s);
	free(s->uid);
	s->uid = own_strdup(uid);
	if (uid)
		HASH_ADD_KEYPTR(hh_uid, s->o->by_uid, s->uid, strlen(s->uid), s);
}

static void subject_free(struct subject *s)
{
	subject_index(s, NULL);
	HASH_DEL(s->o->subjects[s->resource], s);
	timer_stop(s->o->config.loop, s->timer);
	slurm_link_free(s->link);
	arena_free(&s->names);
	keeper_free(s->keeper);
	free(s->key);
	free(s->ns);
	free(s->name);
	free(s->cluster);
	free(s);
}

static void link_changed(void *ctx, struct slurm_link *l);
static void link_new_token(void *ctx, struct slurm_link *l);

static struct subject *subject_make(struct operator_ *o, enum resource r, const char *ns,
	const char *name)
{
	struct subject *s = subject_find(o, r, ns, name);
	char key[512];
	if (s)
		return s;
	snprintf(key, sizeof(key), "%s/%s", ns, name);
	s = own_alloc(sizeof(*s));
	*s = (struct subject){
		.o = o,
		.resource = r,
		.key = own_strdup(key),
		.ns = own_strdup(ns),
		.name = own_strdup(name),
	};
	HASH_ADD_KEYPTR(hh, o->subjects[r], s->key, strlen(s->key), s);
	if (r == RES_CLUSTER) {
		struct link_config config = { o->config.kube, o->config.loop, o->config.http_new,
			o->config.http_ctx, link_changed, o, link_new_token };
		s->link = slurm_link_new(&config, ns, name);
	}
	return s;
}

static void mark_nodesets_of(struct operator_ *o, const char *ns, const char *cluster)
{
	for (struct subject *s = o->subjects[RES_NODESET]; s; s = s->hh.next)
		if (str_eq(s->ns, ns) && (!cluster || str_eq(s->cluster, cluster)))
			subject_mark(s);
}

static void link_changed(void *ctx, struct slurm_link *l)
{
	struct operator_ *o = ctx;
	struct subject *s = subject_find(o, RES_CLUSTER, slurm_link_ns(l), slurm_link_cluster(l));
	if (s)
		subject_mark(s);
	mark_nodesets_of(o, slurm_link_ns(l), slurm_link_cluster(l));
}

static void link_new_token(void *ctx, struct slurm_link *l)
{
	struct operator_ *o = ctx;
	executor_new_token(o->executor, slurm_link_ns(l), slurm_link_cluster(l));
	link_changed(o, l);
}

static struct slurm_link *link_of(void *ctx, const char *ns, const char *cluster)
{
	struct subject *s = subject_find(ctx, RES_CLUSTER, ns, cluster);
	return s ? s->link : NULL;
}

/* ---- what a change means ---- */

static void link_demand(struct operator_ *o, const char *ns, const char *cluster);

static void cluster_changed(struct operator_ *o, const char *ns, const char *name)
{
	const struct record *rec = store_get(o->store, RES_CLUSTER, ns, name);
	struct subject *s = rec ? subject_make(o, RES_CLUSTER, ns, name)
				: subject_find(o, RES_CLUSTER, ns, name);
	if (s && !rec)
		subject_free(s);
	else if (s)
		subject_mark(s);
	mark_nodesets_of(o, ns, name);
}

static void nodeset_changed(struct operator_ *o, const char *ns, const char *name)
{
	const struct record *rec = store_get(o->store, RES_NODESET, ns, name);
	struct subject *s = rec ? subject_make(o, RES_NODESET, ns, name)
				: subject_find(o, RES_NODESET, ns, name);
	if (!s)
		return;
	AUTO(own_free) char *cluster = own_strdup(s->cluster);
	if (!rec) {
		subject_free(s);
		link_demand(o, ns, cluster);
	} else {
		free(s->cluster);
		s->cluster = own_strdup(json_str(json_at(rec->object, "spec", "clusterName"), ""));
		subject_index(s, rec->uid);
		subject_mark(s);
	}
	/* The Cluster counts the NodeSets that need it. */
	for (struct subject *c = o->subjects[RES_CLUSTER]; c; c = c->hh.next)
		if (str_eq(c->ns, ns) &&
			(str_eq(c->name, cluster) ||
				(rec &&
					str_eq(c->name,
						json_str(json_at(rec->object, "spec",
								 "clusterName"),
							"")))))
			subject_mark(c);
}

static void store_has_changed(void *ctx, enum resource r, const char *ns, const char *name,
	const char *owner_uid)
{
	struct operator_ *o = ctx;
	if (r == RES_CLUSTER) {
		cluster_changed(o, ns, name);
	} else if (r == RES_NODESET) {
		nodeset_changed(o, ns, name);
	} else if (str_empty(owner_uid) || r == RES_PVC) {
		mark_nodesets_of(o, ns, NULL);
	} else {
		struct subject *s;
		HASH_FIND(hh_uid, o->by_uid, owner_uid, strlen(owner_uid), s);
		if (s && str_eq(s->ns, ns))
			subject_mark(s);
	}
}

static void outcome(void *ctx, const struct object_ref *about)
{
	struct subject *s = subject_find(ctx, about->resource, about->ns, about->name);
	if (s)
		subject_mark(s);
}

/* ---- planning ---- */

static void note_demand(struct subject *s, const struct plan *plan)
{
	arena_free(&s->names);
	s->demand = demand_copy(&s->names, &plan->demand);
}

/* The demands of all NodeSets of a Cluster are one. */
static void link_demand(struct operator_ *o, const char *ns, const char *cluster)
{
	struct slurm_link *link = link_of(o, ns, cluster);
	struct arena arena = { 0 };
	struct demand all = { 0 };
	if (!link)
		return;
	for (struct subject *s = o->subjects[RES_NODESET]; s; s = s->hh.next)
		if (str_eq(s->ns, ns) && str_eq(s->cluster, cluster))
			demand_add(&all, &arena, &s->demand);
	slurm_link_demand(link, &all);
	arena_free(&arena);
}

static void keeper_known(void *ctx) { subject_mark(ctx); }

/* NULL: not known yet, and no pod is made before. */
static const char *keeper_of(struct subject *s, const struct record *rec)
{
	if (!keeper_is_for(s->keeper, rec->uid)) {
		keeper_free(TAKE(s->keeper));
		s->keeper = keeper_new(s->o->config.kube, s->ns, rec->uid, keeper_known, s);
	}
	return keeper_uid(s->keeper);
}

static void plan_nodeset(struct subject *s, const struct record *rec, struct plan *plan)
{
	struct operator_ *o = s->o;
	struct nodeset_view view;
	nodeset_view_make(o->store, link_of(o, s->ns, s->cluster), rec, s->cluster, plan->arena,
		&view);
	struct failing_action failing[MOST_FAILING];
	view.failing = failing;
	view.n_failing = executor_failing(o->executor, rec->uid, failing, MOST_FAILING);
	view.namespace_uid = keeper_of(s, rec);
	view.acting_since_ms = o->acting_since_ms;
	view.max_creates = executor_max_creates(o->executor, rec->uid);
	nodeset_plan(&view, loop_now_ms(o->config.loop), loop_wall_ms(o->config.loop), plan);
	note_demand(s, plan);
	link_demand(o, s->ns, s->cluster);
}

static void plan_cluster(struct subject *s, const struct record *rec, struct plan *plan)
{
	struct operator_ *o = s->o;
	struct cluster spec;
	cluster_read(rec->object, &spec);
	struct err bad = cluster_check(&spec);
	slurm_link_mean(s->link, spec.slurm_cluster);
	if (!failed(bad))
		slurm_link_set(s->link, spec.server, spec.secret_ref);
	else
		slurm_link_invalid(s->link, bad.text);
	struct users users = users_of(o->store, s->ns, s->name, plan->arena);
	struct failing_action failing[1];
	struct cluster_view view = {
		.failing = executor_failing(o->executor, rec->uid, failing, LENGTH(failing)),
		.object = rec->object,
		.in_flight = rec->in_flight,
		.link = slurm_link_fact(s->link),
		.slurm = slurm_link_slurm(s->link),
		.invalid = failed(bad) ? bad.text : NULL,
		.n_nodesets = users.n,
		.nodesets = users.names,
		.nodesets_known = store_complete(o->store, RES_NODESET, s->ns),
	};
	cluster_plan(&view, loop_now_ms(o->config.loop), loop_wall_ms(o->config.loop), plan);
}

static void subject_plan(void *ctx)
{
	struct subject *s = ctx;
	struct operator_ *o = s->o;
	struct arena arena = { 0 };
	struct plan plan = { .arena = &arena };
	const struct record *rec = store_get(o->store, s->resource, s->ns, s->name);
	s->timer = NULL;
	if (!o->leading || o->stopped || !rec || !sources_complete(o->sources, s->ns))
		return;
	int64_t started = loop_now_ms(o->config.loop);
	if (s->resource == RES_NODESET)
		plan_nodeset(s, rec, &plan);
	else
		plan_cluster(s, rec, &plan);
	s->last_took_ms = loop_now_ms(o->config.loop) - started;
	metric_add(&plans_total, 1, resource_rows[s->resource].kind);
	AUTO(own_free) char *uid = own_strdup(rec->uid);
	struct object_ref about = { s->resource, s->ns, s->name, uid };
	int64_t again = executor_run(o->executor, &plan, &about, s->cluster);
	if (again)
		subject_due(s, again);
	if (plan.again_in_ms)
		subject_due(s, plan.again_in_ms);
	arena_free(&arena);
}

static void mark_all(void *ctx)
{
	struct operator_ *o = ctx;
	static const enum resource kinds[] = { RES_CLUSTER, RES_NODESET };
	for (size_t i = 0; i < LENGTH(kinds); i++)
		for (struct subject *s = o->subjects[kinds[i]]; s; s = s->hh.next)
			subject_mark(s);
}

/*
 * Deleted without a grace, a pod is gone before any plan sees it go. What a plan has told
 * already is the same occasion, and what the operator itself lets go of has no job or its
 * user's word.
 */
static void pod_gone(void *ctx, const struct record *last)
{
	struct operator_ *o = ctx;
	struct arena arena AUTO(arena_free) = { 0 };
	const struct pod_fact *pod = last->pod;
	const struct record *rec = store_get(o->store, RES_NODESET, last->ns, pod->controller.name);
	if (!o->leading || o->stopped || !rec || !str_eq(rec->uid, pod->controller.uid))
		return;
	struct nodeset set;
	nodeset_read(rec->object, &set);
	struct slurm_link *link = link_of(o, last->ns, set.cluster_name);
	struct slurm_who who = pod_slurm_who(pod);
	struct slurm_node_fact node = { .known = UNKNOWN };
	if (link)
		node = slurm_link_node(link, &who);
	const char *text = set.release_now ? NULL : loss_text(&arena, pod, &node);
	struct object_ref about = { RES_NODESET, rec->ns, rec->name, rec->uid };
	if (text)
		events_emit_promised(o->events, &about, LOSS_REASON, text);
}

/* ---- life ---- */

struct operator_ *operator_new(const struct operator_config *config)
{
	struct operator_ *o = own_alloc(sizeof(*o));
	o->config = *config;
	o->store = store_new(o->config.loop, store_has_changed, o);
	store_mark(o->store, ANNOTATION_CORDONED_BY);
	store_gone(o->store)->matters = pod_was_returning;
	store_gone(o->store)->keep_ms = SLURM_LATE_MS;
	o->events = events_new(config->kube, "nodeset-controller");
	struct executor_config x = {
		.kube = config->kube,
		.store = o->store,
		.events = o->events,
		.link_of = link_of,
		.outcome = outcome,
		.ctx = o,
	};
	o->executor = executor_new(&x);
	static const struct sources_handler from_sources = { mark_all, pod_gone };
	o->sources = sources_new(config->kube, o->store, config->namespaces, &from_sources, o);
	return o;
}

void operator_lead(struct operator_ *o)
{
	o->leading = true;
	o->acting_since_ms = loop_now_ms(o->config.loop);
	for (struct subject *s = o->subjects[RES_CLUSTER]; s; s = s->hh.next)
		slurm_link_take_over(s->link);
	mark_all(o);
}

void operator_stop(struct operator_ *o)
{
	o->stopped = true;
	executor_stop(o->executor);
}

int operator_in_flight(const struct operator_ *o) { return executor_in_flight(o->executor); }

const char *operator_trouble(const struct operator_ *o) { return sources_trouble(o->sources); }

void operator_free(struct operator_ *o)
{
	static const enum resource kinds[] = { RES_CLUSTER, RES_NODESET };
	struct subject *s, *next;
	if (!o)
		return;
	operator_stop(o);
	sources_free(o->sources);
	/* The links go first: they tell the executor of what it waits for in vain. */
	for (size_t i = 0; i < LENGTH(kinds); i++)
		HASH_ITER (hh, o->subjects[kinds[i]], s, next)
			subject_free(s);
	executor_free(o->executor);
	events_free(o->events);
	store_free(o->store);
	free(o);
}
