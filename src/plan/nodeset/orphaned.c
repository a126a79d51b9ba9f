/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pods that say that they were ours, but have no controller, while the NodeSet is being
 * deleted: the garbage collector removed our reference. The collector does so in two
 * cases. When the NodeSet is deleted in the foreground, the pods are drained and go; when
 * it is deleted so that they stay (orphan), they have no owner. The finalizer that shows
 * the case is gone within a fraction of a second, perhaps before the manager read it.
 * Afterwards the revisions of the template show it: in the foreground the collector has
 * deleted them, in the other case it has left them without a controller.
 */
#include "base/str.h"
#include "children/revision.h"
#include "object/selector.h"
#include "plan/nodeset/worksheet.h"

enum {
	LOOK_AGAIN_MS = 1000,
	/*
	 * News of the revisions may be later than those of the pods, but not by so much
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
 * A manager that had not heard of the deletion yet recreated the revision, which then
 * shows nothing. Times have whole seconds: a revision of the same second may have been
 * there.
 */
static bool is_made_after(struct worksheet *w, const struct json *revision)
{
	int64_t ms = 0;
	return time_parse(json_str(json_at(revision, "metadata", "creationTimestamp"), ""), &ms) &&
		ms > w->set.deleting_since_ms;
}

/* By a clock that may be behind that of the API server. */
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
	if (w->view->in_short) /* those that are known in part are not among them */
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
