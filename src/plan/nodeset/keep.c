/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adds the second owner and the note of the owning NodeSet (see second_owner_reference)
 * to pods that were created before their Namespace was known, by an older manager, or by
 * another client. One write for each pod, a few at a time, so that no other write is
 * delayed.
 */
#include "base/str.h"
#include "children/pod.h"
#include "json/build.h"
#include "plan/nodeset/worksheet.h"

enum { KEPT_AT_ONCE = 20 };

bool pod_lacks_second_owner(const struct worksheet *w, const struct pod_fact *f)
{
	return !str_empty(f->resource_version) && str_eq(f->controller.uid, w->set.uid) &&
		(!str_eq(f->second_owner_uid, w->view->namespace_uid) ||
			!str_eq(pod_annotation(f, ANNOTATION_NODESET_UID), w->set.uid));
}

static bool wants_second_owner(const struct pod *p)
{
	return p->lacks_second_owner && pod_live(p) && !pod_ended(p) && !p->held;
}

void note_nodeset(struct worksheet *w, struct jval *patch, const struct pod_fact *f)
{
	struct jval *uid = j_str(w->d, w->set.uid);
	if (f->annotated) /* annotations of other owners stay */
		pod_operation(w, patch, "add",
			"/metadata/annotations/" ANNOTATION_NODESET_UID_ESCAPED, uid);
	else
		j_set(w->d, pod_operation(w, patch, "add", "/metadata/annotations", j_obj(w->d)),
			ANNOTATION_NODESET_UID, uid);
}

static void order_second_owner(struct worksheet *w, struct pod *p)
{
	const struct pod_fact *f = p->fact;
	struct jval *patch = pod_operations(w, f);
	if (!str_eq(f->second_owner_uid, w->view->namespace_uid))
		pod_operation(w, patch, "add", "/metadata/ownerReferences/-",
			second_owner_reference(w->d, w->set.ns, w->view->namespace_uid));
	note_nodeset(w, patch, f);
	struct action *a = order(w, DO(PATCH, POD), f->name,
		arena_printf(w->arena,
			"pod %s gets its Namespace as second owner, so that no garbage collector ends it",
			f->name));
	a->guard = (struct guard){ .uid = f->uid, .resource_version = f->resource_version };
	a->body = j_text(w->d, patch);
	p->held = true;
}

void step_keep(struct worksheet *w)
{
	size_t under_way = 0;
	if (str_empty(w->view->namespace_uid))
		return;
	for (size_t i = 0; i < w->n_pods; i++)
		under_way += w->pods[i].held;
	for (size_t i = 0; i < w->n_pods && under_way < KEPT_AT_ONCE; i++)
		if (wants_second_owner(&w->pods[i])) {
			order_second_owner(w, &w->pods[i]);
			under_way++;
		}
}
