/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pods whose annotation names this NodeSet but that have no controller, while the NodeSet
 * is being deleted: the garbage collector removed our reference. The collector does so in
 * two cases. If the NodeSet is deleted in the foreground, the pods are drained and
 * deleted. If it is deleted so that its pods stay (orphan), the pods have no owner. The
 * finalizer that shows the case is gone within a fraction of a second, perhaps before the
 * manager reads it. Afterwards the revisions of the template show the case: in the
 * foreground the collector has deleted them, in the other case it has left them without a
 * controller.
 */
#include "base/str.h"
#include "children/revision.h"
#include "object/selector.h"
#include "plan/nodeset/worksheet.h"

enum {
	LOOK_AGAIN_MS = 1000,
	/*
	 * Watch events of revisions may be later than those of pods, but not by this time
	 */
	PATIENCE_MS = 60000,
};

static bool is_of_this_set(struct worksheet *w, const struct json *revision)
{
	const char *name = json_str(json_at(revision, "metadata", "name"), "");
	return str_eq(name, revision_name(w->arena, &w->set, revision_hash_of(revision))) ||
		selector_matches(w->set.selector, labels_of_json,
			json_at(revision, "metadata", "labels"));
}

/*
 * A manager that did not know of the deletion yet may have recreated the revision, which
 * then proves nothing. Times have whole seconds, so a revision of the same second may be
 * an older one.
 */
static bool is_made_after(struct worksheet *w, const struct json *revision)
{
	int64_t ms = 0;
	return time_parse(json_str(json_at(revision, "metadata", "creationTimestamp"), ""), &ms) &&
		ms > w->set.deleting_since_ms;
}

/* The clock may be behind that of the API server. */
static bool patience_is_over(const struct worksheet *w)
{
	int64_t ms = w->now_wall_ms - w->set.deleting_since_ms;
	return ms > PATIENCE_MS || ms < -PATIENCE_MS;
}

enum orphaned orphaned_fate(struct worksheet *w)
{
	size_t controlled = 0;
	if (w->set.foreground)
		return ORPHANED_OURS;
	if (w->view->in_short) /* revisions that are known in part are not in the list */
		return ORPHANED_UNDECIDED;
	for (size_t i = 0; i < w->view->n_revisions; i++) {
		const struct json *revision = w->view->revisions[i].object;
		if (!is_of_this_set(w, revision))
			continue;
		if (!controller_of(revision) && !w->view->revisions[i].in_flight)
			return ORPHANED_FREE;
		controlled += !is_made_after(w, revision);
	}
	if (!controlled)
		return ORPHANED_OURS;
	/*
	 * Only a user who wants the pod to stay removes the reference and leaves the
	 * revisions.
	 */
	if (patience_is_over(w))
		return ORPHANED_FREE;
	plan_again(w->out, LOOK_AGAIN_MS);
	return ORPHANED_UNDECIDED;
}
