/* SPDX-License-Identifier: Apache-2.0 */
/* A write to Kubernetes in flight: its start, its request, and what its answer means. */
#include "base/own.h"
#include "base/str.h"
#include "engine/act/executor_parts.h"
#include "json/build.h"

enum {
	READ_AGAIN_MS = 500,
	READ_DOUBLES = 5, /* up to 16 s */
};

/* The deletion of an object that does not exist is a success. */
static bool is_gone_already(const struct sent_action *e, struct err err)
{
	return err.kind == ERR_NOT_FOUND && e->operation.verb == VERB_DELETE;
}

void kube_end(struct sent_action *e, const struct json *answered, bool deletion_accepted,
	struct err err)
{
	store_outcome(e->x->config.store, e->ticket, e->operation.resource, e->ns, e->name,
		answered, deletion_accepted);
	sent_action_end(e, err);
}

static void read_again(struct sent_action *e);

static void read_once_more(void *ctx)
{
	struct sent_action *e = ctx;
	e->timer = NULL;
	read_again(e);
}

/*
 * A creation whose answer was lost may have been done, so it counts as in flight until a
 * read shows its outcome.
 */
static bool nobody_tells(const struct sent_action *e, struct err err)
{
	bool away = err.kind == ERR_LOST || err.kind == ERR_RETRY;
	return operation_in_numbers(e->operation) && e->err.kind == ERR_LOST && away &&
		!e->x->stopped;
}

static void read_back(void *ctx, struct err err, const struct json *object, int64_t retry_after_ms)
{
	struct sent_action *e = ctx;
	(void)retry_after_ms;
	e->call = NULL;
	if (nobody_tells(e, err)) {
		e->timer = timer_start(e->x->config.kube->loop, READ_AGAIN_MS << e->reads,
			read_once_more, e);
		e->reads += e->reads < READ_DOUBLES;
		return;
	}
	kube_end(e, failed(err) ? NULL : object, false, e->err);
}

static void read_again(struct sent_action *e)
{
	struct arena a = { 0 };
	struct kube_request r = {
		.method = "GET",
		.path = resource_path(&a, e->operation.resource, e->ns, e->name, NULL),
		.timeout_ms = 10000,
	};
	e->call = kube_send(e->x->config.kube, &r, read_back, e);
	arena_free(&a);
}

static void written(void *ctx, struct err err, const struct json *object, int64_t retry_after_ms)
{
	struct sent_action *e = ctx;
	bool deletion = e->operation.verb == VERB_DELETE;
	(void)retry_after_ms;
	e->call = NULL;
	if (is_gone_already(e, err)) {
		kube_end(e, NULL, true, OK);
	} else if (err.kind == ERR_LOST || err.kind == ERR_EXISTS || err.kind == ERR_CONFLICT) {
		e->err = err;
		read_again(e);
	} else {
		/*
		 * The answer to a deletion is the object or a Status. Only the object has
		 * facts for the store.
		 */
		bool tells = !failed(err) && json_is_str(json_at(object, "metadata", "uid"));
		kube_end(e, tells ? object : NULL, deletion && !failed(err), err);
	}
}

static const char *delete_options(struct arena *a, const struct guard *g)
{
	struct jdoc *d = jdoc_new(a);
	struct jval *o = j_obj(d), *pre = j_child(d, o, "preconditions");
	if (g->uid)
		j_set_str(d, pre, "uid", g->uid);
	if (g->resource_version)
		j_set_str(d, pre, "resourceVersion", g->resource_version);
	return j_text(d, o);
}

struct sent_action *kube_begin(struct executor *x, const struct delivery *d)
{
	const struct action *a = d->action;
	enum resource r = a->operation.resource;
	bool creates = a->operation.verb == VERB_CREATE;
	uint64_t ticket = store_sent(x->config.store, r, a->ns, a->name, creates ? a->body : NULL,
		creates && resource_rows[r].controlled ? d->about->uid : NULL);
	struct sent_action *e = sent_action_new(x, d);
	e->ticket = ticket;
	return e;
}

/*
 * For example, the API server drops an unknown field of the object, and warns only the
 * client that sent it.
 */
static void warned(void *ctx, const char *text)
{
	const struct sent_action *e = ctx;
	AUTO(str_free) struct str message = { 0 };
	str_addf(&message, "the API server warns of %s: %s", e->warned_of, text);
	if (e->x->config.events)
		events_emit(e->x->config.events, &e->about, true, e->event_warned,
			str_text(&message));
}

/* The HTTP request of each verb. */
static const struct {
	const char *method, *subresource;
	bool of_collection, patches;
} requests[VERB_COUNT] = {
	[VERB_CREATE] = { "POST", NULL, true, false },
	[VERB_PATCH] = { "PATCH", NULL, false, true },
	[VERB_PATCH_STATUS] = { "PATCH", "status", false, true },
	[VERB_SHOW] = { "PATCH", "status", false, true },
	[VERB_DELETE] = { "DELETE", NULL, false, false },
};

/* A deletion must name the pod that was decided about, not any pod of its name. */
static bool names_its_pod(struct operation d, const struct guard *g)
{
	bool named = !str_empty(g->uid) && !str_empty(g->resource_version);
	return d.verb != VERB_DELETE || d.resource != RES_POD || named;
}

/*
 * The query "timeout" is a deadline: an API server (1.34.4) whose etcd was stopped for
 * 5 s answered a DELETE with 504 at its deadline, and the object stayed. The deadline
 * counts from the receipt, so we do not wait much longer than that either. If the API
 * server itself was stopped, it then finds our RST_STREAM right behind the request, and
 * carries nothing out. The RST_STREAM is sent together with the next GET.
 */
enum { LIMIT_MS = 30000, ANSWER_MS = 1000 };
static const char *within(struct arena *a, const struct guard *g, const char *path)
{
	if (!g->within_ms)
		return path;
	return arena_printf(a, "%s?timeout=%lldms", path, (long long)g->within_ms);
}

void kube_send_sent_action(struct sent_action *e, const char *body, const struct guard *guard)
{
	AUTO(arena_free) struct arena arena = { 0 };
	enum verb verb = e->operation.verb;
	if (!names_its_pod(e->operation, guard)) { /* no planner orders such a deletion */
		kube_end(e, NULL, false,
			err_new(ERR_INTERNAL,
				"pod %s/%s is to be deleted without uid or resourceVersion", e->ns,
				e->name));
		return;
	}
	struct kube_request r = {
		.method = requests[verb].method,
		.path = within(&arena, guard,
			resource_path(&arena, e->operation.resource, e->ns,
				requests[verb].of_collection ? NULL : e->name,
				requests[verb].subresource)),
		.body = body,
		.timeout_ms = guard->within_ms ? guard->within_ms + ANSWER_MS : LIMIT_MS,
		.max_wait_ms = guard->node.name || guard->within_ms ? GUARDED_WAIT_MS : 0,
		.leave_by_ms = e->x->config.until_ms,
		.warned = e->event_warned ? warned : NULL,
	};
	r.patch = !requests[verb].patches ? PATCH_NONE : body[0] == '[' ? PATCH_JSON : PATCH_MERGE;
	if (verb == VERB_DELETE) {
		r.body = delete_options(&arena, guard);
		store_deletion_sent(e->x->config.store, e->operation.resource, e->ns, e->name);
	}
	e->call = kube_send(e->x->config.kube, &r, written, e);
}
