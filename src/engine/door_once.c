/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A read right before what may happen once only, such as the creation of a pod that is
 * never made again: what was planned by came by several watches, and one of them may be
 * older than the others.
 */
#include "base/own.h"
#include "base/str.h"
#include "engine/executor_parts.h"
#include "object/metadata.h"

enum { READ_MS = 5000 };

/* Nothing was sent. The watch brings what is new, and with it the next plan. */
static void give_up(struct errand *e, struct err err)
{
	char deed[DEED_BYTES];
	bool unheard = err.kind == ERR_LOST; /* only of the read */
	err.kind = unheard ? ERR_RETRY : err.kind;
	kube_end(e, NULL, false, err_wrap(err, "a last read before %s", deed_name(deed, e->deed)));
}

static bool is_as_planned(const struct errand *e, const struct json *object)
{
	struct metadata m = metadata_of(object);
	const char *controller = controller_uid(object);
	if (e->guard.read == READ_GONE)
		return !str_eq(m.uid, e->guard.gone.uid);
	if (e->guard.read == READ_NO_POD && str_empty(controller))
		return !has_finalizer(object, FINALIZER_UNTOLD);
	if (e->guard.read == READ_NO_POD)
		return !str_eq(controller, e->about.uid);
	return str_eq(m.uid, e->guard.uid) && str_eq(m.resource_version, e->guard.resource_version);
}

static void read_once(void *ctx, struct err err, const struct json *object, int64_t retry_after_ms)
{
	struct errand *e = ctx;
	bool absent = err.kind == ERR_NOT_FOUND && e->guard.read != READ_PLANNED;
	(void)retry_after_ms;
	e->call = NULL;
	if (failed(err) && !absent)
		give_up(e, err);
	else if (executor_acts(e->x) && (absent || is_as_planned(e, object)))
		kube_send_errand(e, e->body, &e->guard);
	else
		give_up(e, err_new(ERR_CONFLICT, "it is not as it was when this was ordered"));
}

static const char *path_of(struct arena *a, const struct errand *e, const char *pod)
{
	const struct object_ref *gone = &e->guard.gone;
	switch (e->guard.read) {
	case READ_NO_POD:
		return resource_path(a, RES_POD, e->about.ns, pod, NULL);
	case READ_GONE:
		return resource_path(a, gone->resource, gone->ns, gone->name, NULL);
	default:
		return resource_path(a, e->about.resource, e->about.ns, e->about.name, NULL);
	}
}

int64_t door_once(struct executor *x, const struct delivery *d)
{
	AUTO(arena_free) struct arena arena = { 0 };
	const struct guard *g = &d->action->guard;
	struct errand *e = kube_begin(x, d);
	e->body = arena_strdup(&e->own, d->action->body);
	e->guard = (struct guard){
		.uid = arena_strdup(&e->own, g->uid),
		.resource_version = arena_strdup(&e->own, g->resource_version),
		.read = g->read,
		.gone = { g->gone.resource, arena_strdup(&e->own, g->gone.ns),
			arena_strdup(&e->own, g->gone.name), arena_strdup(&e->own, g->gone.uid) },
	};
	struct kube_request r = {
		.method = "GET",
		.path = path_of(&arena, e, g->pod),
		.timeout_ms = READ_MS,
		.leave_by_ms = x->config.until_ms,
	};
	e->call = kube_send(x->config.kube, &r, read_once, e);
	return 0;
}
