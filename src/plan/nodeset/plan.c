/* SPDX-License-Identifier: Apache-2.0 */
/* The planner of a NodeSet: its decisions in their order. */
#include "plan/nodeset/plan.h"

#include "base/own.h"
#include "base/str.h"
#include "plan/nodeset/world.h"

/*
 * What is decided for a NodeSet, in this order. Each step looks at the world first, so
 * planning twice is the same as once.
 */
static const struct step {
	const char *name;
	void (*run)(struct world *w);
} steps[] = {
	{ "know the revisions of the template", step_revisions },
	{ "claim the pods that are ours", step_claim_pods },
	{ "say which pods are to go", step_leaving },
	{ "let pods rest that end again and again", step_ended },
	{ "replace pods that Slurm has forgotten", step_forgotten },
	{ "choose pods for the rolling update", step_update },
	{ "cordon, drain and undrain", step_slurm },
	{ "find the host names that are not free", step_host_names },
	{ "note which Slurm has their nodes", step_registered },
	{ "keep the claims in line with their retention", step_claims },
	{ "note what the next pods take over", step_heritage },
	{ "let pods go that may", step_removal },
	{ "write what changed on pods", step_patch_pods },
	{ "name the second owner", step_keep },
	{ "create what is missing", step_create },
	{ "tell of jobs that somebody else ends", step_losses },
	{ "leave a comment on the Slurm nodes", step_comments },
	{ "remove the nodes of pods that are gone from Slurm", step_records },
	{ "cut the history", step_history },
	{ "judge the Slurm nodes of pods that are ready", step_judge_nodes },
	{ "publish the status", step_status },
	{ "finish the deletion", step_finish },
};

/*
 * The finalizer comes before the first pod: nothing that could run a job exists without
 * the promise to drain it.
 */
static void add_finalizer(struct world *w)
{
	if (w->view->in_flight)
		return;
	struct jval *patch = own_patch(w);
	patch_finalizer(w->d, patch, w->set.object, FINALIZER_DRAIN, true);
	order_own(w, DO(PATCH, NODESET),
		"the NodeSet gets its finalizer, so that its nodes are drained before it goes",
		j_text(w->d, patch));
}

static bool refused(const struct world *w) { return w->n_faults && w->faults[0].fatal; }

void nodeset_plan(const struct nodeset_view *view, int64_t now_ms, int64_t now_wall_ms,
	struct plan *out)
{
	struct world w = {
		.view = view,
		.now_ms = now_ms,
		.now_wall_ms = now_wall_ms,
		.out = out,
		.arena = out->arena,
		.d = jdoc_new(out->arena),
		.usable = view->cluster == YES && view->slurm.usable == YES,
	};
	nodeset_read(view->object, &w.set);
	w.collisions = w.set.collisions;
	w.n_faults = nodeset_faults(&w.set, w.faults);
	if (w.set.deleting && !w.set.has_finalizer)
		return; /* the garbage collector takes over */
	if (!w.set.deleting && refused(&w)) {
		step_status_stopped(&w);
		return;
	}
	if (!w.set.deleting && !w.set.has_finalizer) {
		add_finalizer(&w);
		if (view->n_failing)
			step_status_stopped(&w);
		return;
	}
	if (w.set.orphaning) {
		finish_deletion(&w,
			"the NodeSet is deleted so that its pods stay as they are: it may go");
		return;
	}
	for (size_t i = 0; i < LENGTH(steps) && !w.undecided; i++)
		steps[i].run(&w);
}
