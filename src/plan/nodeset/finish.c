/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The end of a NodeSet: when no pod of it is left, and no node of one in Slurm that could
 * be removed soon, its finalizer goes, and with it the object.
 */
#include "base/str.h"
#include "plan/nodeset/world.h"

void finish_deletion(struct world *w, const char *why)
{
	if (w->view->in_flight)
		return;
	struct jval *patch = j_obj(w->d), *m = j_set(w->d, patch, "metadata", j_obj(w->d));
	j_set_str(w->d, m, "resourceVersion", w->set.resource_version);
	struct jval *left = j_set(w->d, m, "finalizers", j_arr(w->d));
	struct json_iter it = json_iter(json_at(w->set.object, "metadata", "finalizers"));
	while (json_next(&it))
		if (!str_eq(json_str(it.value, ""), FINALIZER_DRAIN))
			j_push(w->d, left, j_copy(w->d, it.value));
	struct action *a = order(w, DO(PATCH, NODESET), w->set.name, why);
	a->guard = (struct guard){ .uid = w->set.uid, .resource_version = w->set.resource_version };
	a->body = j_text(w->d, patch);
}

bool deletion_waits(const struct world *w)
{
	return w->n_owned || w->view->n_overtaken || w->n_records_left || w->n_claims_left;
}

/*
 * Written down before the finalizer goes. When the answer to that is lost, the NodeSet
 * may be gone, the collector takes revisions that were adopted late, and what tells that
 * the pods are to stay is gone, while nobody has told that the NodeSet is.
 */
static void note_pods_stay(struct world *w)
{
	if (w->view->in_flight)
		return;
	struct jval *patch = j_obj(w->d), *m = j_set(w->d, patch, "metadata", j_obj(w->d));
	j_set_str(w->d, m, "resourceVersion", w->set.resource_version);
	j_set_str(w->d, j_set(w->d, m, "annotations", j_obj(w->d)), ANNOTATION_PODS_STAY, "true");
	struct action *a = order(w, DO(PATCH, NODESET), w->set.name,
		"the NodeSet is deleted so that its pods stay as they are: noting that");
	a->guard = (struct guard){ .uid = w->set.uid, .resource_version = w->set.resource_version };
	a->body = j_text(w->d, patch);
}

void step_finish(struct world *w)
{
	if (!w->set.deleting || deletion_waits(w))
		return;
	if (w->pods_stay)
		note_pods_stay(w);
	else
		finish_deletion(w, "no pod of the NodeSet is left: it may go");
}
