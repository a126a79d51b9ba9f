/* SPDX-License-Identifier: Apache-2.0 */
/* Adds the actions of the steps to the plan. */
#include <assert.h>
#include <string.h>

#include "json/build.h"
#include "plan/nodeset/worksheet.h"

struct action *order(struct worksheet *w, struct operation operation, const char *name,
	const char *why)
{
	struct action *a = plan_add(w->out, operation, why);
	a->ns = w->set.ns;
	a->name = name;
	return a;
}

struct jval *own_patch(const struct worksheet *w)
{
	return patch_of(w->d, w->set.uid, w->set.resource_version);
}

struct action *order_own(struct worksheet *w, struct operation operation, const char *why,
	const char *body)
{
	struct action *a = order(w, operation, w->set.name, why);
	a->guard = (struct guard){ .uid = w->set.uid, .resource_version = w->set.resource_version };
	a->body = body;
	return a;
}

struct action *order_creation(struct worksheet *w, struct operation operation, const char *name,
	const char *why, const char *body)
{
	struct action *a = order(w, operation, name, why);
	a->body = body;
	assert(operation_is(operation, DO(CREATE, POD)) ||
		operation_is(operation, DO(CREATE, PVC)));
	a->event_done = "SuccessfulCreate";
	a->event_failed = "FailedCreate";
	w->n_creates++;
	w->creates_bytes += strlen(body);
	return a;
}

bool may_create(const struct worksheet *w)
{
	/* The limit of one plan; the end of a creation triggers the next plan */
	enum { CREATIONS_BYTES = 1048576 };
	return w->n_creates < w->view->max_creates && w->creates_bytes < CREATIONS_BYTES;
}

bool may_write(struct worksheet *w, size_t *n)
{
	bool room = *n < w->view->max_writes;
	*n += room;
	w->out->more |= !room;
	return room;
}

struct jval *pod_operation(struct worksheet *w, struct jval *patch, const char *op,
	const char *path, struct jval *value)
{
	struct jval *o = j_push(w->d, patch, j_obj(w->d));
	j_set_str(w->d, o, "op", op);
	j_set_str(w->d, o, "path", path);
	return value ? j_set(w->d, o, "value", value) : NULL;
}

struct jval *pod_operations(struct worksheet *w, const struct pod_fact *f)
{
	struct jval *patch = j_arr(w->d);
	pod_operation(w, patch, "replace", "/metadata/uid", j_str(w->d, f->uid));
	pod_operation(w, patch, "replace", "/metadata/resourceVersion",
		j_str(w->d, f->resource_version));
	return patch;
}

struct action *order_warning(struct worksheet *w, const char *reason, const char *message)
{
	struct action *a = order(w, DO(TELL, EVENT), w->set.name, message);
	a->warning = true;
	a->reason = reason;
	return a;
}
