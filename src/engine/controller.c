/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Joins store, kinds, executor and links: a change marks an object, a marked object is
 * planned, a plan is carried out.
 */
#include <string.h>

#include "base/metric.h"
#include "base/own.h"
#include "base/str.h"
#include "engine/controller_parts.h"
#include "object/metadata.h"

METRIC(plans_total, "slurm_operator_plans_total", METRIC_COUNTER, "Plans made.", "kind",
	METRIC_OF_MANAGER);

/*
 * The names that dashboards of Go operators know. A reconcile is a plan, and the start of
 * its actions.
 */
METRIC(reconciles_total, "controller_runtime_reconcile_total", METRIC_COUNTER,
	"Plans made. The result is requeue_after if the object is planned again later even without a change, otherwise success.",
	"controller,result", METRIC_OF_MANAGER);
static const double reconcile_bounds[] = { 0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1 };
METRIC(reconcile_seconds, "controller_runtime_reconcile_time_seconds", METRIC_HISTOGRAM,
	"Time of a plan and of the start of its actions, with a precision of 1 ms. The end of the actions is not included.",
	"controller", METRIC_OF_MANAGER, reconcile_bounds, LENGTH(reconcile_bounds));

METRIC(work_seconds, "workqueue_work_duration_seconds", METRIC_HISTOGRAM,
	"The same times as controller_runtime_reconcile_time_seconds.", "name", METRIC_OF_MANAGER,
	reconcile_bounds, LENGTH(reconcile_bounds));
/* Metrics of programs with threads, for dashboards. A plan takes one turn of the loop. */
METRIC(unfinished, "workqueue_unfinished_work_seconds", METRIC_GAUGE,
	"Always 0, because no plan runs while this page is rendered.", "name", METRIC_OF_MANAGER);
METRIC(longest, "workqueue_longest_running_processor_seconds", METRIC_GAUGE,
	"Always 0, because no plan runs while this page is rendered.", "name", METRIC_OF_MANAGER);
METRIC(workers, "controller_runtime_active_workers", METRIC_GAUGE,
	"Always 0, because no plan runs while this page is rendered.", "controller",
	METRIC_OF_MANAGER);
METRIC(workers_most, "controller_runtime_max_concurrent_reconciles", METRIC_GAUGE,
	"Always 1, because plans are made one after another. Their actions run concurrently.",
	"controller", METRIC_OF_MANAGER);

enum {
	MOST_FAILING = 16, /* failing operations that the planner gets */
	/* Memory for answers of Slurms, and the part that a namespace may always use */
	MEMORY_BYTES = 50331648,
	MEMORY_LEAST_BYTES = 2097152,
	MEASURED_OBJECTS = 1000,
};

/* ---- references between objects ---- */

static bool names(const struct subject *s, enum resource to)
{
	return s->kind->reference && s->kind->reference->to == to;
}

static void wake_referrers(struct controller *c, enum resource to, const char *ns, const char *name)
{
	struct members all = group_of(c->referrers, ns, name);
	for (size_t i = 0; i < all.n; i++)
		if (names(all.list[i].what, to))
			subject_wake(all.list[i].what);
}

/* Plans the subjects concerned. */
static void link_changed(void *ctx, struct slurm_link *l)
{
	struct controller *c = ctx;
	const char *ns = slurm_link_ns(l), *name = slurm_link_cluster(l);
	struct subject *s = subject_find(c, c->linked->resource, ns, name);
	if (s)
		subject_wake(s);
	wake_referrers(c, c->linked->resource, ns, name);
}

static void link_new_token(void *ctx, struct slurm_link *l)
{
	struct controller *c = ctx;
	executor_new_token(c->executor, slurm_link_ns(l), slurm_link_cluster(l));
	link_changed(c, l);
}

/* ---- what a change means ---- */

static void wake_referred(const struct subject *s, const char *name)
{
	const struct reference *ref = s->kind->reference;
	struct subject *to = ref && name ? subject_find(s->c, ref->to, s->ns, name) : NULL;
	if (to)
		subject_wake(to);
}

/* After a change of the spec, failures of the former spec no longer count. */
static void note_wish(struct subject *s, const struct record *rec)
{
	int64_t generation = metadata_of(rec->object).generation;
	bool another = s->uid && !str_eq(s->uid, rec->uid);
	if (s->uid && (another || generation != s->generation))
		executor_asked_anew(s->c->executor, s->uid);
	if (another && s->link)
		subject_link_anew(s);
	s->generation = generation;
}

static void object_is_there(struct subject *s, const struct record *rec)
{
	const struct reference *ref = s->kind->reference;
	wake_referred(s, s->refers_to);
	if (ref)
		subject_set_reference(s,
			json_str(json_at(rec->object, ref->part, ref->member), ""));
	note_wish(s, rec);
	subject_set_uid(s, rec->uid);
	subject_wake(s);
	wake_referred(s, s->refers_to);
}

static void object_is_gone(struct subject *s)
{
	wake_referred(s, s->refers_to);
	if (s->uid)
		executor_asked_anew(s->c->executor, s->uid);
	subject_free(s);
}

static void object_changed(struct controller *c, const struct kind *k, const char *ns,
	const char *name)
{
	const struct record *rec = store_get(c->store, k->resource, ns, name);
	struct subject *s = rec ? subject_make(c, k, ns, name)
				: subject_find(c, k->resource, ns, name);
	if (s && rec)
		object_is_there(s, rec);
	else if (s)
		object_is_gone(s);
	wake_referrers(c, k->resource, ns, name);
}

static const struct child *child_row(const struct kind *k, enum resource r)
{
	for (size_t i = 0; i < k->n_children; i++)
		if (k->children[i].resource == r)
			return &k->children[i];
	return NULL;
}

static void child_changed(struct controller *c, enum resource r, const char *ns,
	const char *owner_uid)
{
	struct subject *owner = subject_of_uid(c, ns, owner_uid);
	if (owner && child_row(owner->kind, r))
		subject_wake(owner);
	bool nobodys = str_empty(owner_uid);
	if (!nobodys && !c->anybodys[r])
		return;
	struct members all = group_of(c->namespaces, ns, "");
	for (size_t i = 0; i < all.n; i++) {
		struct subject *s = all.list[i].what;
		const struct child *row = child_row(s->kind, r);
		if (row && (row->anybodys || (row->adopted && nobodys)))
			subject_wake(s);
	}
}

static void changed(void *ctx, enum resource r, const char *ns, const char *name,
	const char *owner_uid)
{
	struct controller *c = ctx;
	if (c->kinds[r])
		object_changed(c, c->kinds[r], ns, name);
	else
		child_changed(c, r, ns, owner_uid);
	if (r == RES_POD)
		controller_note_held(c, ns, name);
}

static void outcome(void *ctx, const struct object_ref *about)
{
	struct subject *s = subject_find(ctx, about->resource, about->ns, about->name);
	if (s)
		subject_wake(s);
}

/* ---- planning ---- */

static struct sight sight_of(const struct subject *s, const struct record *rec)
{
	const struct controller *c = s->c;
	return (struct sight){
		.store = c->store,
		.rec = rec,
		.refers_to = s->refers_to,
		.link = s->link ? s->link : subject_asks(s),
		.own = s->own,
		.loop = c->config.loop,
		.acting_since_ms = c->acting_since_ms,
		.seen_ms = sources_seen_ms(c->sources, s->kind->resource, s->ns),
		.nodes = c->nodes && s->kind->nodes ? node_list_known(c->nodes)
						    : (struct nodes_fact){ 0 },
		.jobs = c->config.jobs,
	};
}

/* Copies the executor's rows, which may be freed while the plan is made. */
static void add_failing(struct sight *sight, const struct executor *x, struct arena *a)
{
	struct failing_action *rows = arena_array(a, struct failing_action, MOST_FAILING);
	sight->failing = rows;
	sight->n_failing = executor_failing(x, sight->rec->uid, rows, MOST_FAILING);
	for (size_t i = 0; i < sight->n_failing; i++) {
		rows[i].name = arena_strdup(a, rows[i].name);
		rows[i].sentence = arena_strdup(a, rows[i].sentence);
	}
}

static void make_plan(struct subject *s, const struct record *rec, struct plan *plan)
{
	struct controller *c = s->c;
	int64_t began_ms = loop_now_ms(c->config.loop);
	if (s->kind->begin)
		subject_set_own(s, rec);
	struct sight sight = sight_of(s, rec);
	add_failing(&sight, c->executor, plan->arena);
	struct object_ref about = { s->kind->resource, s->ns, s->name, rec->uid };
	sight.max_creates = executor_max_creates(c->executor, &about);
	sight.max_writes = executor_max_writes(c->executor, &about, s->n_waiting);
	sight.max_shows = executor_max_shows(c->executor, s->ns, &sight.shows_again_ms);
	s->kind->plan(&sight, plan);
	struct slurm_link *asked = subject_asks(s);
	if (asked)
		slurm_link_demand(asked, s, &plan->demand);
	subject_ask_nodes(s, plan->asks_nodes);
	s->last_took_ms = loop_now_ms(c->config.loop) - began_ms;
	metric_add(&plans_total, 1, resource_rows[s->kind->resource].kind);
}

static void note_reconcile(const struct subject *s, bool again, int64_t took_ms)
{
	const char *controller = s->kind->component;
	metric_add(&reconciles_total, 1, controller, again ? "requeue_after" : "success");
	metric_observe(&reconcile_seconds, (double)took_ms / 1000, controller);
	metric_observe(&work_seconds, (double)took_ms / 1000, controller);
}

static void subject_plan(void *ctx)
{
	struct subject *s = ctx;
	struct controller *c = s->c;
	AUTO(arena_free) struct arena arena = { 0 };
	struct plan plan = { .arena = &arena };
	const struct record *rec = store_get(c->store, s->kind->resource, s->ns, s->name);
	s->timer = NULL;
	subject_taken(s);
	if (!c->leading || c->stopped || !rec ||
		!sources_complete(c->sources, s->kind->resource, s->ns))
		return;
	int64_t began_ms = loop_now_ms(c->config.loop);
	make_plan(s, rec, &plan);
	AUTO(own_free) char *uid = own_strdup(rec->uid);
	struct object_ref about = { s->kind->resource, s->ns, s->name, uid };
	struct carried_out done = executor_run(c->executor, &plan, &about, s->refers_to);
	s->n_waiting = done.waiting;
	note_reconcile(s, done.again_ms || plan.again_in_ms,
		loop_now_ms(c->config.loop) - began_ms);
	if (done.again_ms)
		subject_retry(s, done.again_ms);
	if (plan.again_in_ms)
		subject_due(s, plan.again_in_ms);
}

static void wake_all(void *ctx)
{
	struct controller *c = ctx;
	for (const struct kind *const *k = c->config.kinds; *k; k++)
		for (struct subject *s = c->subjects[(*k)->resource]; s; s = s->hh.next)
			subject_wake(s);
}

/* Plans each object that needs the Nodes again, with the new list. */
static void nodes_changed(void *ctx)
{
	struct controller *c = ctx;
	for (const struct kind *const *k = c->config.kinds; *k; k++)
		for (struct subject *s = c->subjects[(*k)->resource]; s; s = s->hh.next)
			if (s->asks_nodes)
				subject_wake(s);
}

static void child_gone(void *ctx, const struct record *last)
{
	struct controller *c = ctx;
	AUTO(arena_free) struct arena arena = { 0 };
	struct plan plan = { .arena = &arena };
	struct subject *s = subject_of_uid(c, last->ns, last->pod->controller.uid);
	const struct record *rec = s ? store_get(c->store, s->kind->resource, s->ns, s->name)
				     : NULL;
	if (!c->leading || c->stopped || !rec || !s->kind->child_gone)
		return;
	struct sight sight = sight_of(s, rec);
	s->kind->child_gone(&sight, last, &plan);
	struct object_ref about = { s->kind->resource, rec->ns, rec->name, rec->uid };
	executor_tell(c->executor, &plan, &about);
}

/* ---- creation and end ---- */

static void take_kinds(struct controller *c)
{
	for (const struct kind *const *k = c->config.kinds; *k; k++) {
		c->kinds[(*k)->resource] = *k;
		c->components[(*k)->resource] = (*k)->component;
		if ((*k)->has_link)
			c->linked = *k;
		if ((*k)->nodes && !c->nodes)
			c->nodes = node_list_new(c->config.kube, (*k)->nodes, nodes_changed, c);
		for (size_t i = 0; i < (*k)->n_children; i++)
			c->anybodys[(*k)->children[i].resource] |= (*k)->children[i].anybodys;
		if ((*k)->set_up)
			(*k)->set_up(c->store);
	}
}

struct controller *controller_new(const struct controller_config *config)
{
	struct controller *c = own_alloc(sizeof(*c));
	c->config = *config;
	c->acts_until_ms = INT64_MAX;
	c->memory = (struct budget){
		.limit = config->slurm_memory_bytes ? config->slurm_memory_bytes : MEMORY_BYTES,
		.least = MEMORY_LEAST_BYTES,
	};
	c->plan = subject_plan;
	c->link = (struct link_config){
		.kube = config->kube,
		.loop = config->loop,
		.http_new = config->http_new,
		.http_ctx = config->http_ctx,
		.changed = link_changed,
		.new_token = link_new_token,
		.ctx = c,
		.until_ms = &c->acts_until_ms,
		.memory = &c->memory,
		.servers = config->servers,
	};
	c->store = store_new(config->loop, changed, c);
	store_share(c->store, config->objects_memory_bytes);
	take_kinds(c);
	c->events = events_new(config->kube, c->components);
	struct executor_config x = {
		.kube = config->kube,
		.store = c->store,
		.events = c->events,
		.link_of = controller_link_of,
		.outcome = outcome,
		.ctx = c,
		.until_ms = &c->acts_until_ms,
		.components = c->components,
	};
	c->executor = executor_new(&x);
	c->sources = sources_new(config->kube, c->store, config->kinds, config->namespaces,
		wake_all, c);
	store_on_gone(c->store, child_gone);
	return c;
}

void controller_lead(struct controller *c)
{
	c->leading = true;
	c->acting_since_ms = loop_now_ms(c->config.loop);
	sources_list_anew(c->sources);
	for (enum resource r = RES_NONE; r < RES_COUNT; r++)
		for (struct subject *s = c->subjects[r]; s; s = s->hh.next)
			if (s->link)
				slurm_link_take_over(s->link);
	wake_all(c);
}

void controller_may_act(struct controller *c, int64_t until_ms) { c->acts_until_ms = until_ms; }

void controller_stop(struct controller *c)
{
	c->stopped = true;
	executor_stop(c->executor);
}

int controller_in_flight(const struct controller *c) { return executor_in_flight(c->executor); }
const char *controller_trouble(struct controller *c) { return sources_trouble(c->sources); }

static void measure_workers(const char *controller)
{
	metric_set(&unfinished, 0, controller);
	metric_set(&longest, 0, controller);
	metric_set(&workers, 0, controller);
	metric_set(&workers_most, 1, controller);
}

void controller_measure(struct controller *c)
{
	const struct measuring m = {
		.store = c->store,
		.loop = c->config.loop,
		.acts = c->leading && !c->stopped,
		.most = c->config.measured_objects ? c->config.measured_objects : MEASURED_OBJECTS,
		.link_of = controller_link_of,
		.ctx = c,
	};
	sources_measure(c->sources);
	for (const struct kind *const *k = c->config.kinds; *k; k++) {
		measure_workers((*k)->component);
		if ((*k)->measure)
			(*k)->measure(&m);
	}
}

void controller_free(struct controller *c)
{
	struct subject *s, *next;
	if (!c)
		return;
	controller_stop(c);
	timer_stop(c->config.loop, c->left_timer);
	sources_free(c->sources);
	for (const struct kind *const *k = c->config.kinds; *k; k++)
		HASH_ITER (hh, c->subjects[(*k)->resource], s, next)
			subject_free(s);
	node_list_free(c->nodes);
	executor_free(c->executor);
	events_free(c->events);
	store_free(c->store);
	free(c);
}
