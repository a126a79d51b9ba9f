/* SPDX-License-Identifier: Apache-2.0 */
/* Removes FINALIZER_UNREPORTED from a pod. */
#include "plan/job/sheet.h"
#include "json/build.h"

static void operation(struct jdoc *d, struct jval *patch, const char *op, const char *path,
	const char *value)
{
	struct jval *o = j_push(d, patch, j_obj(d));
	j_set_str(d, o, "op", op);
	j_set_str(d, o, "path", path);
	if (value)
		j_set_str(d, o, "value", value);
}

/* Removes it by its index in this version of the pod, so that other finalizers stay. */
struct action *job_let_pod_go(struct plan *out, struct jdoc *d, const struct pod_fact *pod)
{
	struct jval *patch = j_arr(d);
	operation(d, patch, "replace", "/metadata/uid", pod->uid);
	operation(d, patch, "replace", "/metadata/resourceVersion", pod->resource_version);
	operation(d, patch, "remove",
		arena_printf(out->arena, "/metadata/finalizers/%d", pod->unreported_at), NULL);
	struct action *a = plan_add(out, DO(PATCH, POD),
		arena_printf(out->arena,
			"pod %s loses its finalizer: its job cannot be forgotten any more",
			pod->name));
	a->ns = pod->ns;
	a->name = pod->name;
	a->guard = (struct guard){ .uid = pod->uid, .resource_version = pod->resource_version };
	a->body = j_text(d, patch);
	return a;
}

void job_left_plan(const struct job_left_view *view, int64_t now_ms, struct plan *out)
{
	const struct pod_fact *pod = view->pod;
	const struct owner_fact *owner = &pod->controller;
	bool known = view->seen_ms > pod->unreported_seen_ms,
	     late = now_ms - pod->unreported_seen_ms >= DELETION_LATE_MS;
	if (pod->unreported_at < 0 || pod->in_flight || !known || !late)
		return;
	struct action *a = job_let_pod_go(out, jdoc_new(out->arena), pod);
	a->why = arena_printf(out->arena,
		"pod %s loses its finalizer: the %s that it was created for is gone", pod->name,
		owner->kind);
	a->guard.read = READ_GONE;
	a->guard.gone = (struct object_ref){ owner->resource, pod->ns, owner->name, owner->uid };
}
