/* SPDX-License-Identifier: Apache-2.0 */
/* The planner of a NodeSet: its decisions in their order. */
#include "plan/nodeset/plan.h"

#include <assert.h>

#include "base/own.h"
#include "base/str.h"
#include "json/build.h"
#include "plan/nodeset/worksheet.h"

/* Facts that a step establishes and later steps use. */
enum known {
	REVISION = 1 << 0,    /* hash, revision_kept */
	PODS = 1 << 1,        /* pods, with the facts of each */
	LEAVING = 1 << 2,     /* pods.leave, without the update */
	PAUSES = 1 << 3,      /* pods.paused */
	FORGOTTEN = 1 << 4,   /* pods.leave of pods that Slurm has forgotten */
	CHOICE = 1 << 5,      /* pods.leave of all pods */
	REMOVAL = 1 << 6,     /* pods.removal, cordon, deadline; n_unsettled */
	NAMES = 1 << 7,       /* host_busy */
	NOTES = 1 << 8,       /* pods.note_slurm */
	CLAIMS = 1 << 9,      /* n_claims_left; owners of claims follow the retention policy */
	CARRY_OVER = 1 << 10, /* the state for the next pods is noted, or its write is ordered */
	GONE = 1 << 11,       /* deletions are ordered; those pods are held */
	CREATED = 1 << 12,    /* creations are ordered */
	RECORDS = 1 << 13,    /* n_records_left */
	NODES = 1 << 14,      /* pods.node_row */
	TOLD = 1 << 15,       /* the status is ordered */
};

/*
 * The decisions for a NodeSet, in this order. Each step reads the facts first, so two
 * plans give the same result as one. A step that runs too early fails an assertion.
 */
static const struct step {
	const char *name;
	void (*run)(struct worksheet *w);
	unsigned needs, gives; /* enum known */
} steps[] = {
	{ "know the revisions of the template", step_revisions, 0, REVISION },
	{ "claim the pods that are ours", step_claim_pods, REVISION, PODS },
	{ "say which pods are to go", step_leaving, PODS, LEAVING },
	{ "let pods rest that end again and again", step_ended, LEAVING, PAUSES },
	{ "replace pods that Slurm has forgotten", step_forgotten, LEAVING, FORGOTTEN },
	{ "choose pods for the rolling update", step_update, LEAVING | FORGOTTEN, CHOICE },
	{ "cordon, drain and undrain", step_slurm, CHOICE, REMOVAL },
	{ "find the host names that are not free", step_host_names, PODS, NAMES },
	{ "note which Slurm has their nodes", step_registered, CHOICE | NAMES, NOTES },
	{ "keep the claims in line with their retention", step_claims, CHOICE, CLAIMS },
	{ "note what the next pods take over", step_carry_over, CHOICE | PAUSES, CARRY_OVER },
	{ "let pods go that may", step_removal, REMOVAL | CLAIMS | PAUSES | CARRY_OVER, GONE },
	{ "write what changed on pods", step_patch_pods, REMOVAL | NOTES | GONE, 0 },
	{ "name the second owner", step_keep, GONE, 0 },
	{ "create what is missing", step_create, REVISION | NAMES | CLAIMS | GONE, CREATED },
	{ "tell of jobs that somebody else ends", step_losses, PODS, 0 },
	{ "leave a comment on the Slurm nodes", step_comments, REMOVAL, 0 },
	{ "remove the nodes of pods that are gone from Slurm", step_records, CREATED, RECORDS },
	{ "cut the history", step_history, REVISION | PODS | CREATED, 0 },
	{ "judge the Slurm nodes of pods that are ready", step_judge_nodes, REMOVAL, NODES },
	{ "follow the queue", step_autoscale, REMOVAL, 0 },
	{ "publish the status", step_status, REMOVAL | NODES | CREATED | RECORDS, TOLD },
	{ "show the state of their Slurm nodes on the pods", step_show, TOLD, 0 },
	{ "finish the deletion", step_finish, CLAIMS | RECORDS | TOLD, 0 },
};

/*
 * If only a part of the objects is known, nothing is changed: a pod may lack the label by
 * which it is ours, and a revision its template.
 */
static size_t faults_of(const struct nodeset_view *view, const struct nodeset *set,
	struct fault *out)
{
	if (!view->in_short)
		return nodeset_faults(set, out);
	out[0] = (struct fault){
		.reason = "NamespaceTooLarge",
		.fatal = true,
		.err = err_new(ERR_INVALID,
			"the objects of namespace %s need more of the manager's memory than their share",
			set->ns),
		.meanwhile = "nothing is touched until some of them are smaller or deleted",
	};
	return 1;
}

static bool refused(const struct worksheet *w) { return w->n_faults && w->faults[0].fatal; }

/*
 * True if the claims or their owners are unknown for want of memory. If the NodeSet went
 * now, the garbage collector would delete claims that must stay.
 */
static bool claims_are_unknown(const struct nodeset_view *view)
{
	const struct json *spec = json_get(view->object, "spec"),
			  *templates = json_get(spec, "volumeClaimTemplates");
	bool unknown = json_is_cut(view->object) &&
		(json_is_null(spec) || (templates && json_is_null(templates)));
	for (size_t i = 0; i < view->n_claims; i++)
		unknown |= json_is_cut(view->claims[i].object);
	return view->in_short && unknown;
}

static bool is_stopped(const struct worksheet *w)
{
	bool unknown = w->set.deleting && !w->set.orphaning && claims_are_unknown(w->view);
	return unknown || (!w->set.deleting && refused(w));
}

void nodeset_plan(const struct nodeset_view *view, int64_t now_ms, int64_t now_wall_ms,
	struct plan *out)
{
	struct worksheet w = {
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
	w.n_faults = faults_of(view, &w.set, w.faults);
	if (w.set.deleting && !w.set.has_finalizer)
		return; /* the garbage collector takes over */
	if (is_stopped(&w)) {
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
			"the NodeSet is deleted without its pods: its finalizer is removed");
		return;
	}
	unsigned known = 0;
	for (size_t i = 0; i < LENGTH(steps) && !w.undecided; i++) {
		assert(!(steps[i].needs & ~known));
		steps[i].run(&w);
		known |= steps[i].gives;
	}
}
