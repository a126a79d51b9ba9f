/* SPDX-License-Identifier: Apache-2.0 */
/* Pods: what users do to them, and what must hold of them. */
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "sim/sim_kind.h"

#define CORDON "nodeset.slinky.slurm.net/pod-cordon"
enum { MOST_PODS = 7 };

struct sim_name sim_some_pod(struct world *w, const struct world_object *nodeset)
{
	struct sim_name n;
	snprintf(n.text, sizeof(n.text), "%.40s-%d", nodeset->name, (int)sim_draw(w, 0, 5));
	return n;
}

struct sim_name sim_node_name(const struct world_object *nodeset, int ordinal)
{
	struct sim_name n;
	if (nodeset->host)
		snprintf(n.text, sizeof(n.text), "%.40s%d", nodeset->host, ordinal);
	else
		snprintf(n.text, sizeof(n.text), "%.40s-%d", nodeset->name, ordinal);
	return n;
}

struct sim_name sim_some_node(struct world *w, const struct world_object *nodeset)
{
	return sim_node_name(nodeset, (int)sim_draw(w, 0, 5));
}

static void patch_pod(struct world *w, const struct world_object *set, const char *merge_patch)
{
	world_patch(w, RES_POD, set->ns, sim_some_pod(w, set).text, "", merge_patch);
}

void world_shows_idle(struct world *w)
{
	const struct sim_list *pods = &w->kube.store.of[RES_POD];
	for (size_t i = 0; i < pods->n; i++)
		world_patch(w, RES_POD, pods->at[i]->ns, pods->at[i]->name, "status",
			"{'status':{'conditions':[{'type':'Ready','status':'True'},"
			"{'type':'SlurmNodeStateIdle','status':'True'}]}}");
}

static void delete_pod(struct world *w, const struct world_object *set)
{
	world_delete(w, RES_POD, set->ns, sim_some_pod(w, set).text);
}
static void cordon(struct world *w, const struct world_object *set)
{
	patch_pod(w, set, "{'metadata':{'annotations':{'" CORDON "':'true'}}}");
}
static void uncordon(struct world *w, const struct world_object *set)
{
	patch_pod(w, set, "{'metadata':{'annotations':{'" CORDON "':null}}}");
}
static void prefer(struct world *w, const struct world_object *set)
{
	patch_pod(w, set,
		"{'metadata':{'annotations':{'controller.kubernetes.io/pod-deletion-cost':'-5'}}}");
}

/* A user's own pod with a name like ours: of another label, or of ours. */
static void stray_pod(struct world *w, const struct world_object *set)
{
	char pod[400];
	struct sim_name name = sim_some_pod(w, set);
	snprintf(pod, sizeof(pod),
		"{'apiVersion':'v1','kind':'Pod','metadata':{'name':'%s','namespace':'%s',"
		"'labels':{'app':'%s'%s%s%s}},"
		"'spec':{'containers':[{'name':'c','image':'busybox'}]}}",
		name.text, set->ns, sim_draw(w, 0, 1) ? "other" : set->name,
		set->cluster ? ",'" ORACLE_CLUSTER_LABEL "':'" : "",
		set->cluster ? set->cluster : "", set->cluster ? "'" : "");
	yyjson_doc *doc = sim_json(pod);
	sim_create(&w->kube, (struct sim_origin){ .actor = ACTOR_USER }, RES_POD, set->ns,
		yyjson_doc_get_root(doc));
	yyjson_doc_free(doc);
}

static const struct sim_act acts[] = {
	{ 2, delete_pod },
	{ 2, cordon },
	{ 2, uncordon },
	{ 1, prefer },
	{ 1, stray_pod },
};

static void repair_set(struct world *w, const struct world_object *set)
{
	struct sim_name node;
	for (int i = 0; i < MOST_PODS; i++) {
		snprintf(node.text, sizeof(node.text), "%.40s-%d", set->name, i);
		sim_slurm_admin_undrain(set->slurm, sim_node_name(set, i).text);
		world_patch(w, RES_POD, set->ns, node.text, "",
			"{'metadata':{'annotations':{'" CORDON "':null}}}");
		const struct sim_version *pod = world_object(w, RES_POD, set->ns, node.text);
		if (pod && strcmp(sim_label(pod, "app"), "other") == 0)
			/* it took a name of ours */
			world_delete(w, RES_POD, set->ns, node.text);
	}
}

static void repair(struct world *w)
{
	for (size_t i = 0; i < w->n_objects; i++)
		if (w->objects[i].resource == RES_NODESET && !w->objects[i].left_alone)
			repair_set(w, &w->objects[i]);
}

static struct world_object some(struct world *w)
{
	struct world_object it = *world_pick(w, RES_NODESET);
	struct sim_name name = sim_some_pod(w, &it);
	it.resource = RES_POD;
	memcpy(it.name, name.text, sizeof(it.name));
	return it;
}

/* ---- what must hold ---- */

static void on_write(struct sim_oracle *o, const struct sim_write *w)
{
	if (w->actor == ACTOR_OPERATOR) {
		sim_oracle_on_end_of_pod(o, w);
		sim_oracle_on_name(o, w);
	}
	sim_oracle_on_excess(o, w);
	sim_oracle_on_collected(o, w);
	sim_oracle_on_again(o, w);
	sim_oracle_on_pod(o, w);
}

static bool trace(const struct sim_write *w, struct str *out)
{
	str_addf(out, " %s%s %s", sim_str(sim_get(w->after->root, "status"), "phase"),
		sim_condition_true(w->after, "Ready") ? " Ready" : "", w->after->uid);
	return true;
}

const struct sim_kind sim_kind_pod = {
	.resource = RES_POD,
	.means = RES_NODESET,
	.acts = acts,
	.n_acts = LENGTH(acts),
	.repair = repair,
	.some = some,
	.has_labels = true,
	.on_write = on_write,
	.trace = trace,
};
