/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Creates the missing pods, at the lowest free ordinals. Pods do not wait for a Slurm
 * that does not answer, so a NodeSet grows and heals while slurmrestd is away.
 */
#include "base/own.h"
#include "base/str.h"
#include "children/pod.h"
#include "plan/nodeset/worksheet.h"

static void create(struct worksheet *w, int64_t ordinal, const char *name)
{
	struct carry_over carry_over = carry_over_noted(w, ordinal);
	carry_over.returning = lift_may_come_for_next(w, name);
	struct action *a = order_creation(w, DO(CREATE, POD), name,
		arena_printf(w->arena, "creating pod %s: there are fewer pods than spec.replicas",
			name),
		pod_build(w->d, w->arena, &w->set, ordinal, w->hash, carry_over,
			w->view->namespace_uid));
	a->event_warned = "TemplateWarning";
	a->warned_of = "the pods that are made from spec.template";
}

void step_create(struct worksheet *w)
{
	int64_t absent = w->set.deleting ? 0 : w->set.replicas - (int64_t)w->n_pods;
	tell_taken_names(w);
	if (absent <= 0 || !w->hash)
		return;
	int64_t missing = absent - (int64_t)w->view->n_overtaken;
	int64_t limit = w->set.replicas + (int64_t)(w->view->n_pods + w->view->n_taken);
	const enum place *list = places(w, limit);
	w->tally.creating = absent;
	if (!w->revision_kept || !w->view->namespace_uid || !host_names_known(w))
		return; /* the missing fact triggers a new plan */
	for (int64_t i = 0; i < limit && missing > 0 && may_create(w); i++) {
		missing -= list[i] == PLACE_FREE || list[i] == PLACE_EARLIER ||
			list[i] == PLACE_BUSY;
		if (list[i] != PLACE_FREE)
			continue;
		const char *name = pod_name(w->arena, &w->set, i);
		if (!record_is_going(w, name) && claims_ready(w, name))
			create(w, i, name);
	}
}
