/* SPDX-License-Identifier: Apache-2.0 */
/* Orders one patch for each pod that changes. */
#include "base/own.h"
#include "base/str.h"
#include "base/time.h"
#include "json/build.h"
#include "plan/nodeset/worksheet.h"

static const char *why_of(struct worksheet *w, const struct pod *p)
{
	const char *name = p->fact->name;
	if (p->cordon == CORDON_SET)
		return arena_printf(w->arena,
			"pod %s is to go: cordoning it until its Slurm node is drained", name);
	if (p->cordon == CORDON_RETURN)
		return arena_printf(w->arena,
			"pod %s stays: its cordon and then the drain of its Slurm node are lifted",
			name);
	if (p->cordon == CORDON_CLEAR)
		return arena_printf(w->arena,
			"pod %s stays and its Slurm node is not drained by the operator any more",
			name);
	if (p->deadline != EDIT_KEEP)
		return arena_printf(w->arena, "the end of the Slurm work on pod %s has changed",
			name);
	if (p->note_slurm)
		return arena_printf(w->arena, "pod %s has registered with Slurm %s", name,
			w->view->slurm.cluster);
	return arena_printf(w->arena, "pod %s lacks the labels of its name and ordinal", name);
}

static const char *cordoned_by(const struct pod *p)
{
	switch (p->cordon) {
	case CORDON_SET:
		return p->was_returning ? CORDONED_BY_AGAIN : CORDONED_BY_OPERATOR;
	case CORDON_RETURN:
		return CORDONED_BY_RETURNING;
	default:
		return NULL;
	}
}

/* NULL removes the annotation. */
static void edit_cordon(struct worksheet *w, struct jval *annotations, const struct pod *p)
{
	if (p->cordon == CORDON_SET || p->cordon == CORDON_RETURN)
		j_set_str(w->d, annotations, ANNOTATION_POD_CORDON,
			p->cordon == CORDON_SET ? "true" : NULL);
	if (p->cordon != CORDON_KEEP)
		j_set_str(w->d, annotations, ANNOTATION_CORDONED_BY, cordoned_by(p));
}

static void edit_deadline(struct worksheet *w, struct jval *annotations, const struct pod *p)
{
	char deadline[TIME_RFC3339_BYTES];
	pod_deadline_text(p->deadline_s, deadline);
	if (p->deadline != EDIT_KEEP)
		j_set_str(w->d, annotations, ANNOTATION_POD_DEADLINE,
			p->deadline == EDIT_SET ? deadline : NULL);
}

static void patch(struct worksheet *w, struct pod *p)
{
	/* For this version only, so that a user who cordons the pod now wins. */
	struct jval *body = patch_of(w->d, p->fact->uid, p->fact->resource_version);
	struct jval *m = patch_metadata(w->d, body);
	if (p->cordon != CORDON_KEEP || p->deadline != EDIT_KEEP || p->note_slurm) {
		struct jval *annotations = j_set(w->d, m, "annotations", j_obj(w->d));
		edit_cordon(w, annotations, p);
		edit_deadline(w, annotations, p);
		if (p->note_slurm)
			j_set_str(w->d, annotations, ANNOTATION_REGISTERED, w->view->slurm.cluster);
	}
	if (p->relabel) {
		struct jval *labels = j_set(w->d, m, "labels", j_obj(w->d));
		j_set_str(w->d, labels, LABEL_POD_NAME, p->fact->name);
		j_set_str(w->d, labels, LABEL_POD_INDEX,
			arena_printf(w->arena, "%lld", (long long)p->ordinal));
	}
	struct action *a = order(w, DO(PATCH, POD), p->fact->name, why_of(w, p));
	a->guard = (struct guard){
		.uid = p->fact->uid,
		.resource_version = p->fact->resource_version,
	};
	a->body = j_text(w->d, body);
	a->event_failed = "FailedUpdate";
	p->held = true;
}

void step_patch_pods(struct worksheet *w)
{
	for (size_t i = 0; i < w->n_pods; i++) {
		struct pod *p = &w->pods[i];
		bool changes = p->cordon != CORDON_KEEP || p->deadline != EDIT_KEEP || p->relabel ||
			p->note_slurm;
		if (changes && pod_live(p) && !p->held && may_write(w, &w->n_patches))
			patch(w, p);
	}
}
