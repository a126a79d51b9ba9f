/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The finalizer of a NodeSet. It is removed when no pod of the NodeSet is left, and no
 * Slurm node of a pod that could be removed soon. Then Kubernetes deletes the NodeSet.
 */
#include "json/build.h"
#include "plan/nodeset/worksheet.h"

/*
 * The finalizer is written before the first pod is created, so no NodeSet with a pod is
 * deleted without draining it.
 */
void add_finalizer(struct worksheet *w)
{
	if (w->view->in_flight)
		return;
	struct jval *patch = own_patch(w);
	patch_finalizer(w->d, patch, w->set.object, FINALIZER_DRAIN, true);
	order_own(w, DO(PATCH, NODESET),
		"the NodeSet gets its finalizer, so that its nodes are drained before it goes",
		j_text(w->d, patch));
}

void finish_deletion(struct worksheet *w, const char *why)
{
	if (w->view->in_flight)
		return;
	struct jval *patch = own_patch(w);
	patch_finalizer(w->d, patch, w->set.object, FINALIZER_DRAIN, false);
	order_own(w, DO(PATCH, NODESET), why, j_text(w->d, patch));
}

bool deletion_waits(const struct worksheet *w)
{
	return w->n_owned || w->view->n_overtaken || w->n_records_left || w->n_claims_left ||
		!kube_is_fresh(w);
}

/*
 * Records that the pods stay before the finalizer is removed. If the answer to that
 * removal is lost, the NodeSet may be gone although no watch event has reported it. The
 * garbage collector then deletes revisions that were adopted late, which alone showed
 * that the pods stay.
 */
static void note_pods_stay(struct worksheet *w)
{
	if (w->view->in_flight)
		return;
	struct jval *patch = own_patch(w);
	struct jval *annotations = j_child(w->d, patch_metadata(w->d, patch), "annotations");
	j_set_str(w->d, annotations, ANNOTATION_PODS_STAY, "true");
	order_own(w, DO(PATCH, NODESET),
		"the NodeSet is deleted without its pods: an annotation notes that",
		j_text(w->d, patch));
}

/* A repeated watch event triggers no plan by itself. */
static void wait_for_kube(struct worksheet *w)
{
	enum { KUBE_AGAIN_MS = 10000 };
	if (!kube_is_fresh(w))
		plan_again(w->out, KUBE_AGAIN_MS);
}

void step_finish(struct worksheet *w)
{
	wait_for_kube(w);
	if (!w->set.deleting || deletion_waits(w))
		return;
	if (w->pods_stay)
		note_pods_stay(w);
	else
		finish_deletion(w, "no pod of the NodeSet is left: its finalizer is removed");
}
