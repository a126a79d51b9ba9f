/* SPDX-License-Identifier: Apache-2.0 */
/* An action in flight, from its start to the report of its outcome. */
#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <utlist.h>

#include "base/log.h"
#include "base/metric.h"
#include "base/own.h"
#include "base/str.h"
#include "engine/act/executor_parts.h"
#include "engine/act/failures.h"
#include "engine/act/slow_start.h"
#include "engine/act/reverted.h"
#include "engine/act/waits.h"

METRIC(actions_total, "slurm_operator_actions_total", METRIC_COUNTER,
	"Actions carried out: create-pod, delete-pod, drain-nodes, show-node-state (on a pod) and so on; the outcome is ok, or the kind of the error: denied, invalid, too-large, conflict, retry, lost, not-found, exists, expired, cancelled, internal.",
	"kind,outcome", METRIC_OF_MANAGER);

/* The name that dashboards of Go operators know. */
METRIC(errors_total, "controller_runtime_reconcile_errors_total", METRIC_COUNTER,
	"Failed actions. An action is repeated while plans order it. A plan itself cannot fail.",
	"controller", METRIC_OF_MANAGER);

enum { REVERTED_TIMES = 4 }; /* in a row, within seconds, before it counts as a failure */
/*
 * Time between two writes of a status. While a thousand pods come or go, a status for
 * each of them would cost as much as their creations or deletions
 */
enum { STATUS_MS = 250 };

void sent_action_free(struct sent_action *e)
{
	struct executor *x = e->x;
	timer_stop(x->config.kube->loop, e->timer);
	quota_give(e->quota, e->bytes);
	quota_leave(e->quota);
	assert(!e->call); /* its answer would use the freed action */
	DL_DELETE(x->sent_actions, e);
	x->in_flight--;
	if (e->operation.verb == VERB_SHOW)
		shows_over(x, e->about.ns);
	place_give(e->place);
	assert(x->in_flight >= 0);
	arena_free(&e->own);
	free(e);
}

static struct object_ref ref_copy(struct arena *a, const struct object_ref *r)
{
	return (struct object_ref){ r->resource, arena_strdup(a, r->ns), arena_strdup(a, r->name),
		arena_strdup(a, r->uid) };
}

struct sent_action *sent_action_new(struct executor *x, const struct delivery *d)
{
	const struct action *a = d->action;
	struct sent_action *e = own_alloc(sizeof(*e));
	struct arena *own = &e->own;
	e->x = x;
	e->operation = a->operation;
	e->ns = arena_strdup(own, a->ns);
	e->name = arena_strdup(own, a->name);
	e->key = arena_strdup(own, d->key);
	e->why = arena_strdup(own, a->why);
	e->event_done = arena_strdup(own, a->event_done);
	e->event_failed = arena_strdup(own, a->event_failed);
	e->event_warned = arena_strdup(own, a->event_warned);
	e->warned_of = arena_strdup(own, a->warned_of);
	e->what = d->what;
	e->about = ref_copy(own, d->about);
	e->bytes = a->body ? strlen(a->body) : 0;
	e->quota = quota_of(&x->bodies, e->about.ns);
	quota_force(e->quota, e->bytes);
	DL_PREPEND(x->sent_actions, e);
	x->in_flight++;
	if (e->operation.verb == VERB_SHOW)
		shows_begun(x, e->about.ns);
	return e;
}

void sent_action_take_news(struct sent_action *e, const struct plan *plan)
{
	e->news = arena_array(&e->own, struct news, plan->n);
	for (size_t i = 0; i < plan->n; i++) {
		const struct action *a = &plan->actions[i];
		if (a->operation.verb == VERB_TELL && a->with_status)
			e->news[e->n_news++] = (struct news){ a->warning,
				arena_strdup(&e->own, a->reason), arena_strdup(&e->own, a->why) };
	}
}

/*
 * Emits no Event after an error that makes the next plan emit it again. A lost answer may
 * mean that the status was written, and two Events are better than none. If the manager
 * may not write the status, people see only the Event.
 */
static void tell_news(const struct sent_action *e, struct err err)
{
	bool again = err.kind == ERR_CONFLICT || err.kind == ERR_RETRY ||
		err.kind == ERR_NOT_FOUND || err.kind == ERR_CANCELLED;
	for (size_t i = 0; i < e->n_news && !again && e->x->config.events; i++)
		events_emit(e->x->config.events, &e->about, e->news[i].warning, e->news[i].reason,
			e->news[i].text);
}

/*
 * Failures that need no report: a creation in a namespace that is terminating, a write to
 * an object that is gone, and a write of VERB_SHOW that the next plan orders again.
 */
static bool concerns_nobody(const struct sent_action *e, struct err err)
{
	if (e->operation.verb == VERB_SHOW)
		return err.kind == ERR_NOT_FOUND || err.kind == ERR_CONFLICT;
	return err.kind == ERR_NOT_FOUND &&
		(operation_in_numbers(e->operation) || e->operation.resource == e->about.resource);
}

static void tell(const struct sent_action *e, struct err err)
{
	char operation[OPERATION_BYTES];
	const char *reason = failed(err) ? e->event_failed : e->event_done;
	metric_add(&actions_total, 1, operation_name(operation, e->operation),
		failed(err) ? err_kind_name(err.kind) : "ok");
	if (failed(err) && !concerns_nobody(e, err) && e->x->config.components)
		metric_add(&errors_total, 1, e->x->config.components[e->about.resource]);
	if (failed(err) && !concerns_nobody(e, err))
		log_warn("action failed", "action", operation_name(operation, e->operation),
			"namespace", e->ns, "name", e->name, "why", e->why, "error", err.text);
	else if (!failed(err))
		log_line(verb_rows[e->operation.verb].shows ? LOG_DEBUG : LOG_INFO, "action done",
			"action", operation_name(operation, e->operation), "namespace", e->ns,
			"name", e->name, "why", e->why, (char *)0);
	/*
	 * People need not see conflicts and lost answers, because the next plan resolves
	 * them.
	 */
	bool for_people = !failed(err) ||
		(err.kind != ERR_CONFLICT && err.kind != ERR_LOST && err.kind != ERR_EXISTS &&
			!concerns_nobody(e, err));
	if (reason && for_people && e->x->config.events) {
		struct str message = { 0 };
		str_addf(&message, failed(err) ? "%s: %s" : "%s", e->why, err.text);
		events_emit(e->x->config.events, &e->about, failed(err), reason,
			str_text(&message));
		str_free(&message);
	}
}

const char *target_key(char buffer[static KEY_BYTES], struct operation d, const char *ns,
	const char *name)
{
	const char *end = buffer + KEY_BYTES;
	char *at = buffer + strlen(targets_key(buffer, d, ns));
	at = str_put(at, end, name ? name : "");
	str_put(at, end, " ");
	return buffer;
}

const char *targets_key(char buffer[static KEY_BYTES], struct operation d, const char *ns)
{
	char operation[OPERATION_BYTES];
	const char *end = buffer + KEY_BYTES;
	char *at = str_put(buffer, end, operation_name(operation, d));
	at = str_put(at, end, " ");
	at = str_put(at, end, resource_name(d.resource));
	at = str_put(at, end, " ");
	at = str_put(at, end, ns ? ns : "");
	str_put(at, end, "/");
	return buffer;
}

const char *starts_key(char buffer[static 128], const char *uid)
{
	snprintf(buffer, 128, "creations of %s", uid);
	return buffer;
}

/* ERR_EXISTS of one creation does not mean that other creations fail too. */
static void creation_ended(struct executor *x, const struct sent_action *e, struct err err)
{
	char key[128];
	enum err_kind why = err.kind == ERR_EXISTS ? ERR_NONE : err.kind,
		      first = slow_start_ended(&x->starts, e->about.uid, why);
	if (first != ERR_NONE)
		waits_longer(&x->waits, starts_key(key, e->about.uid), first, now_of(x));
	else if (why == ERR_NONE)
		waits_end(&x->waits, starts_key(key, e->about.uid));
}

static void target_waits(const struct sent_action *e, const char *key, struct err err)
{
	struct executor *x = e->x;
	if (failed(err))
		waits_longer(&x->waits, key, err.kind, now_of(x));
	else if (e->operation.verb == VERB_PATCH_STATUS)
		waits_until(&x->waits, key, now_of(x) + STATUS_MS);
	else
		waits_end(&x->waits, key);
}

const char *node_key(char buffer[static KEY_BYTES], const char *key, const char *node)
{
	snprintf(buffer, KEY_BYTES, "%s%s", key, node);
	return buffer;
}

const char *reverted_node(char buffer[static KEY_BYTES], struct operation d, const char *ns,
	const char *cluster, const char *node)
{
	snprintf(buffer, KEY_BYTES, "%s/%s %s %s", ns, cluster, node,
		d.verb == VERB_COMMENT ? "comment" : "state");
	return buffer;
}

/* OK: the action is not reverted, or not yet often enough to be sure. */
static struct err reverted(const struct sent_action *e, const char *key, const char *target)
{
	char of_node[KEY_BYTES];
	const char *what = e->n_nodes ? reverted_node(of_node, e->operation, e->ns, e->name, target)
				      : key;
	int times = reverted_done(&e->x->reverted, what, e->what, now_of(e->x));
	if (times < REVERTED_TIMES)
		return OK;
	return err_new(ERR_CONFLICT, "it was done %d times in a row without a lasting effect: %s",
		times,
		e->n_nodes ? "Slurm answers that it is done, but the node has not changed"
			   : "look for a webhook or a controller that changes the object");
}

/* Failures of a status are not kept, because only a status could report them. */
static void note_failure(const struct sent_action *e, const char *key, const char *target,
	struct err err)
{
	struct executor *x = e->x;
	if (!failed(err))
		err = reverted(e, key, target);
	if (!failed(err))
		failures_ended(&x->failures, key);
	else if (!verb_rows[e->operation.verb].shows && err.kind != ERR_CANCELLED &&
		!concerns_nobody(e, err))
		failures_failed(&x->failures, e->about.uid, key, e->operation, target, err,
			now_of(x));
}

static void target_ended(const struct sent_action *e, const char *key, const char *target,
	struct err err)
{
	target_waits(e, key, err);
	note_failure(e, key, target, err);
}

void sent_action_end(struct sent_action *e, struct err err)
{
	struct executor *x = e->x;
	char key[KEY_BYTES];
	tell(e, err);
	tell_news(e, err);
	if (operation_in_numbers(e->operation))
		creation_ended(x, e, err);
	if (e->operation.verb == VERB_SHOW)
		shows_ended(x, e->about.ns, err);
	if (!e->n_nodes)
		target_ended(e, e->key, e->name, err);
	for (size_t i = 0; i < e->n_nodes; i++)
		target_ended(e, node_key(key, e->key, e->nodes[i]), e->nodes[i], err);
	AUTO(arena_free) struct arena own = e->own; /* so that about is valid after the free */
	struct object_ref about = e->about;
	e->own = (struct arena){ 0 };
	sent_action_free(e);
	x->config.outcome(x->config.ctx, &about);
}
