/* SPDX-License-Identifier: Apache-2.0 */
/* The planned objects: how they are found, and when they are planned again. */
#include <assert.h>
#include <string.h>

#include "base/metric.h"
#include "base/own.h"
#include "base/str.h"
#include "engine/controller_parts.h"

enum {
	GATHER_MS = 5,   /* changes that come together are planned together */
	PAUSE_TIMES = 5, /* pause between two plans, in durations of the last plan */
};

struct subject *subject_find(const struct controller *c, enum resource r, const char *ns,
	const char *name)
{
	char key[OBJECT_KEY_BYTES];
	struct subject *s;
	HASH_FIND_STR(c->subjects[r], object_key(key, ns, name), s);
	return s;
}

struct subject *subject_of_uid(const struct controller *c, const char *ns, const char *uid)
{
	struct subject *s = NULL;
	if (!str_empty(uid))
		HASH_FIND(hh_uid, c->by_uid, uid, strlen(uid), s);
	return s && str_eq(s->ns, ns) ? s : NULL;
}

void subject_due(struct subject *s, int64_t in_ms)
{
	struct loop *loop = s->c->config.loop;
	int64_t due_ms = loop_now_ms(loop) + in_ms;
	if (s->c->stopped || (s->timer && s->due_ms <= due_ms))
		return;
	timer_stop(loop, s->timer);
	s->due_ms = due_ms;
	s->timer = timer_start(loop, in_ms, s->c->plan, s);
}

/*
 * The names that dashboards of Go operators know. The queue has each object once that has
 * changed and is not planned yet. An object that is due at a later time is not in the
 * queue.
 */
METRIC(depth, "workqueue_depth", METRIC_GAUGE,
	"Changed objects that are not planned yet, by controller. Each object waits for some milliseconds, so that simultaneous changes cause only one plan.",
	"name", METRIC_OF_MANAGER);
METRIC(adds, "workqueue_adds_total", METRIC_COUNTER,
	"Changes that enqueue an object, by controller. Simultaneous changes count once.", "name",
	METRIC_OF_MANAGER);
static const double queue_bounds[] = { 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5 };
METRIC(queued_seconds, "workqueue_queue_duration_seconds", METRIC_HISTOGRAM,
	"Time from a change of an object to its plan, by controller, with a precision of 1 ms.",
	"name", METRIC_OF_MANAGER, queue_bounds, LENGTH(queue_bounds));
METRIC(retries, "workqueue_retries_total", METRIC_COUNTER,
	"Plans with a postponed action, after which the object is planned again.", "name",
	METRIC_OF_MANAGER);

static void subject_woken(struct subject *s)
{
	if (s->woken || s->c->stopped)
		return;
	s->woken = true;
	s->woken_ms = loop_now_ms(s->c->config.loop);
	metric_add(&depth, 1, s->kind->component);
	metric_add(&adds, 1, s->kind->component);
}

void subject_taken(struct subject *s)
{
	if (!s->woken)
		return;
	s->woken = false;
	metric_add(&depth, -1, s->kind->component);
	metric_observe(&queued_seconds,
		(double)(loop_now_ms(s->c->config.loop) - s->woken_ms) / 1000, s->kind->component);
}

void subject_retry(struct subject *s, int64_t in_ms)
{
	metric_add(&retries, 1, s->kind->component);
	subject_due(s, in_ms);
}

void subject_wake(void *subject)
{
	struct subject *s = subject;
	subject_woken(s);
	int64_t least_ms = s->last_took_ms * PAUSE_TIMES;
	subject_due(s, least_ms > GATHER_MS ? least_ms : GATHER_MS);
}

void subject_set_uid(struct subject *s, const char *uid)
{
	if (uid && str_eq(s->uid, uid))
		return;
	if (s->uid)
		HASH_DELETE(hh_uid, s->c->by_uid, s);
	free(s->uid);
	s->uid = own_strdup(uid);
	if (uid)
		HASH_ADD_KEYPTR(hh_uid, s->c->by_uid, s->uid, strlen(s->uid), s);
}

struct slurm_link *controller_link_of(void *controller, const char *ns, const char *name)
{
	const struct controller *c = controller;
	const struct subject *s = c->linked && name ? subject_find(c, c->linked->resource, ns, name)
						    : NULL;
	return s ? s->link : NULL;
}

struct slurm_link *subject_asks(const struct subject *s)
{
	bool asks = s->kind->reference && s->c->linked &&
		s->kind->reference->to == s->c->linked->resource;
	if (s->kind->has_link)
		return s->link;
	return asks ? controller_link_of(s->c, s->ns, s->refers_to) : NULL;
}

void subject_set_reference(struct subject *s, const char *name)
{
	if (name && str_eq(s->refers_to, name))
		return;
	struct slurm_link *asked = subject_asks(s);
	if (asked)
		slurm_link_demand(asked, s, NULL);
	group_leave(&s->c->referrers, &s->referrer);
	free(s->refers_to);
	s->refers_to = own_strdup(name);
	if (name)
		group_join(&s->c->referrers, &s->referrer, s, s->ns, name);
}

void subject_set_own(struct subject *s, const struct record *rec)
{
	const char *uid = rec ? rec->uid : NULL;
	if (uid && s->own_uid && str_eq(s->own_uid, uid))
		return;
	if (s->own_uid)
		s->kind->end(TAKE(s->own));
	free(s->own_uid);
	s->own_uid = own_strdup(uid);
	if (uid)
		s->own = s->kind->begin(s->c->config.kube, rec, subject_wake, s);
}

void subject_ask_nodes(struct subject *s, bool asks)
{
	struct controller *c = s->c;
	if (s->asks_nodes == asks || !c->nodes)
		return;
	s->asks_nodes = asks;
	c->n_ask_nodes = asks ? c->n_ask_nodes + 1 : c->n_ask_nodes - 1;
	node_list_wanted(c->nodes, c->n_ask_nodes > 0);
}

void subject_free(struct subject *s)
{
	subject_taken(s);
	subject_ask_nodes(s, false);
	subject_set_uid(s, NULL);
	subject_set_reference(s, NULL);
	subject_set_own(s, NULL);
	group_leave(&s->c->namespaces, &s->in_namespace);
	HASH_DEL(s->c->subjects[s->kind->resource], s);
	timer_stop(s->c->config.loop, s->timer);
	slurm_link_free(s->link);
	free(s->key);
	free(s->ns);
	free(s->name);
	free(s);
}

void subject_link_anew(struct subject *s)
{
	slurm_link_free(TAKE(s->link));
	s->link = slurm_link_new(&s->c->link, s->ns, s->name);
}

struct subject *subject_make(struct controller *c, const struct kind *k, const char *ns,
	const char *name)
{
	char key[OBJECT_KEY_BYTES];
	struct subject *s = subject_find(c, k->resource, ns, name);
	if (s)
		return s;
	s = own_alloc(sizeof(*s));
	assert(k->plan && c->kinds[k->resource] == k);
	*s = (struct subject){
		.c = c,
		.kind = k,
		.key = own_strdup(object_key(key, ns, name)),
		.ns = own_strdup(ns),
		.name = own_strdup(name),
	};
	HASH_ADD_KEYPTR(hh, c->subjects[k->resource], s->key, strlen(s->key), s);
	group_join(&c->namespaces, &s->in_namespace, s, ns, "");
	if (k->has_link)
		subject_link_anew(s);
	return s;
}
