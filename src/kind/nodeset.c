/* SPDX-License-Identifier: Apache-2.0 */
/* The kind NodeSet: its rules for the controller, and how its view is made. */
#include "api/names.h"
#include "api/nodeset.h"
#include "base/own.h"
#include "children/pod.h"
#include "engine/loss.h"
#include "engine/kind.h"
#include "kind/all.h"
#include "kind/second_owner.h"
#include "kind/nodeset_metrics.h"
#include "kind/nodeset_view.h"
#include "plan/nodeset/plan.h"

static void set_up(struct store *store)
{
	store_mark(store, ANNOTATION_CORDONED_BY);
	store_gone(store)->matters = pod_was_returning;
	store_gone(store)->keep_ms = SLURM_LATE_MS;
}

/* Starts reading the second owner of the pods; no pod is created before it is known. */
static void *begin(struct kube *kube, const struct record *rec, void (*wake)(void *ctx), void *ctx)
{
	return second_owner_new(kube, rec->ns, wake, ctx);
}

static void end(void *own) { second_owner_free(own); }

static void plan_nodeset(const struct sight *sight, struct plan *out)
{
	struct nodeset_view view;
	nodeset_view_make(sight->store, sight->link, sight->rec, sight->refers_to, out->arena,
		&view);
	view.failing = sight->failing;
	view.n_failing = sight->n_failing;
	view.namespace_uid = second_owner_uid(sight->own);
	view.acting_since_ms = sight->acting_since_ms;
	view.kube_seen_ms = sight->seen_ms;
	view.max_creates = sight->max_creates;
	view.max_writes = sight->max_writes;
	view.max_shows = sight->max_shows;
	view.shows_again_ms = sight->shows_again_ms;
	nodeset_plan(&view, loop_now_ms(sight->loop), loop_wall_ms(sight->loop), out);
	out->demand.n_nodes = store_count_owned(sight->store, sight->rec->ns, sight->rec->uid);
}

/*
 * Warns of a pod that was deleted with its job. A pod that is deleted without a grace
 * period is gone before any plan sees it terminating. A loss that a plan has already
 * reported is not reported twice. A pod that the operator itself deletes has no job, or
 * its user has consented.
 */
static void pod_gone(const struct sight *sight, const struct record *last, struct plan *out)
{
	struct nodeset set;
	struct slurm_node_fact node = { .known = UNKNOWN };
	const struct pod_fact *pod = last->pod;
	nodeset_read(sight->rec->object, &set);
	struct slurm_who who = pod_slurm_who(pod);
	if (sight->link)
		node = slurm_link_node(sight->link, &who);
	const char *text = set.release_now ? NULL : loss_text(out->arena, pod, &node);
	if (!text)
		return;
	struct action *a = plan_add(out, DO(TELL, EVENT), text);
	a->warning = a->promised = true;
	a->reason = LOSS_REASON;
}

static const struct child children[] = {
	{ RES_REVISION, .adopted = true },
	{ RES_PVC, .anybodys = true }, /* the owner may be a pod */
	{ RES_POD, .adopted = true },
};

static const struct reference cluster = { "spec", "clusterName", RES_CLUSTER };

static const struct rule rules[] = {
	{ "slinky.slurm.net", "nodesets", "get, list, watch, patch",
		"the spec, and the finalizer" },
	{ "slinky.slurm.net", "nodesets/status", "patch", "the status" },
	{ "slinky.slurm.net", "nodesets/finalizers", "update",
		"owner references that block deletion (OwnerReferencesPermissionEnforcement)" },
	{ "", "namespaces", "get",
		"the uid of a namespace, which is the second owner of the pods of NodeSets in it" },
	{ "", "pods", "get, list, watch, create, patch, delete", "the nodes" },
	{ "", "pods/status", "patch", "the states of the nodes in Slurm, as conditions" },
	{ "", "persistentvolumeclaims", "get, list, watch, create, patch",
		"their volumes; the garbage collector deletes them" },
	{ "", "secrets", "get",
		"whether a Secret that a pod waits for exists, by its name; never listed" },
	{ "apps", "controllerrevisions", "get, list, watch, create, patch, delete",
		"the history of templates" },
};

const struct kind kind_nodeset = {
	.resource = RES_NODESET,
	.children = children,
	.n_children = LENGTH(children),
	.reference = &cluster,
	.component = "nodeset-controller",
	.rules = rules,
	.n_rules = LENGTH(rules),
	.set_up = set_up,
	.begin = begin,
	.end = end,
	.plan = plan_nodeset,
	.child_gone = pod_gone,
	.measure = nodeset_measure,
};
