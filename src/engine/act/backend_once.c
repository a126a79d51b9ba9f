/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads an object right before an action that may happen only once, such as the creation
 * of a pod that is never created again. The facts of the plan come from several watches,
 * and one of them may be older than the others.
 */
#include <assert.h>
#include <string.h>

#include "base/own.h"
#include "base/str.h"
#include "engine/act/executor_parts.h"
#include "object/metadata.h"

enum { READ_MS = 5000 };

/* Ends the action without sending it. A watch event of the change makes a new plan. */
static void give_up(struct sent_action *e, struct err err)
{
	char operation[OPERATION_BYTES];
	bool unheard = err.kind == ERR_LOST; /* the answer to the read was lost */
	err.kind = unheard ? ERR_RETRY : err.kind;
	kube_end(e, NULL, false,
		err_wrap(err, "a last read before %s", operation_name(operation, e->operation)));
}

static void read_now(struct sent_action *e);

/* The name of the next Secret to read; NULL: there is none. */
static const char *next_secret(struct sent_action *e)
{
	size_t n = strcspn(e->guard.secrets, ",");
	const char *name = n ? arena_printf(&e->own, "%.*s", (int)n, e->guard.secrets) : NULL;
	e->guard.secrets += n + (e->guard.secrets[n] == ',');
	return name;
}

static bool is_as_planned(const struct sent_action *e, const struct json *object)
{
	struct metadata m = metadata_of(object);
	const char *controller = controller_uid(object);
	if (e->guard.read == READ_NO_SECRET)
		return false; /* the Secret exists */
	if (e->guard.read == READ_GONE)
		return !str_eq(m.uid, e->guard.gone.uid);
	if (e->guard.read == READ_NO_POD && str_empty(controller))
		return !has_finalizer(object, FINALIZER_UNREPORTED);
	if (e->guard.read == READ_NO_POD)
		return !str_eq(controller, e->about.uid);
	return str_eq(m.uid, e->guard.uid) && str_eq(m.resource_version, e->guard.resource_version);
}

static void read_once(void *ctx, struct err err, const struct json *object, int64_t retry_after_ms)
{
	struct sent_action *e = ctx;
	bool absent = err.kind == ERR_NOT_FOUND && e->guard.read != READ_PLANNED;
	(void)retry_after_ms;
	e->call = NULL;
	bool another = !failed(err) && e->guard.read == READ_NO_SECRET;
	if (failed(err) && !absent)
		give_up(e, err);
	else if (another && executor_acts(e->x) && *e->guard.secrets)
		read_now(e);
	else if (executor_acts(e->x) && (absent || is_as_planned(e, object)))
		kube_send_sent_action(e, e->body, &e->guard);
	else if (another)
		give_up(e,
			err_new(ERR_RETRY,
				"every Secret that the pod mounts exists, so the pod may start at any moment: the Events of the pod say what it waits for"));
	else
		give_up(e, err_new(ERR_CONFLICT, "the object has changed since this was ordered"));
}

static const char *path_of(struct arena *a, struct sent_action *e)
{
	const struct object_ref *gone = &e->guard.gone;
	switch (e->guard.read) {
	case READ_NO_POD:
		return resource_path(a, RES_POD, e->about.ns, e->guard.pod, NULL);
	case READ_NO_SECRET:
		return resource_path(a, RES_SECRET, e->about.ns, next_secret(e), NULL);
	case READ_GONE:
		return resource_path(a, gone->resource, gone->ns, gone->name, NULL);
	default:
		return resource_path(a, e->about.resource, e->about.ns, e->about.name, NULL);
	}
}

static void read_now(struct sent_action *e)
{
	AUTO(arena_free) struct arena arena = { 0 };
	struct kube_request r = {
		.method = "GET",
		.path = path_of(&arena, e),
		.timeout_ms = READ_MS,
		.leave_by_ms = e->x->config.until_ms,
	};
	e->call = kube_send(e->x->config.kube, &r, read_once, e);
}

int64_t backend_once(struct executor *x, const struct delivery *d)
{
	const struct guard *g = &d->action->guard;
	assert(g->read != READ_NO_SECRET || !str_empty(g->secrets));
	struct sent_action *e = kube_begin(x, d);
	e->body = arena_strdup(&e->own, d->action->body);
	e->guard = guard_copy(&e->own, g);
	read_now(e);
	return 0;
}
