/* SPDX-License-Identifier: Apache-2.0 */
/* Rare behaviour of pods and Kubernetes. */
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "sim/sim_rough.h"
#include "sim/sim_world.h"

#define SET "foo"

static const struct sim_list *all_pods(const struct sim_rough_one *r)
{
	return &r->w->kube.store.of[RES_POD];
}

/* ---- names ---- */

/* A template whose slurmd calls itself otherwise than its pod. */
void rough_other_names_act(struct sim_rough_one *r)
{
	char image[40];
	snprintf(image, sizeof(image), "slurmd:%s-%d",
		sim_rand_chance(&r->rand, 500) ? "alt" : "own",
		(int)sim_rand_range(&r->rand, 0, 99));
	world_set_template_image(r->w, WORLD_NS, SET, image);
}

void rough_other_names_repair(struct sim_rough_one *r)
{
	world_set_template_image(r->w, WORLD_NS, SET, "slurmd:own");
	rough_other_names_after(r);
}

/* Slurm knows nothing about pods of other names: the user who made them deletes them. */
void rough_other_names_after(struct sim_rough_one *r)
{
	for (size_t i = 0; i < all_pods(r)->n; i++) {
		const struct sim_version *pod = all_pods(r)->at[i];
		if (!sim_other_name(pod) || sim_terminating(pod))
			continue;
		world_delete(r->w, RES_POD, pod->ns, pod->name);
		return; /* the list has changed: the next one in a while */
	}
}

/* An address is given to another pod soon after its pod has gone. */
void rough_few_addresses_set_up(struct sim_rough_one *r) { r->w->kubelet.addresses = 40; }

/* ---- pods and owners of others ---- */

static void create_pod(struct sim_rough_one *r, const char *name, const char *app,
	const char *owner)
{
	struct str json = { 0 };
	if (!world_object(r->w, RES_SECRET, WORLD_NS, "theirs"))
		world_apply(r->w,
			"{'apiVersion':'v1','kind':'Secret','metadata':{'name':'theirs'}}");
	/* Stands for whatever it is */
	const char *uid = world_object(r->w, RES_SECRET, WORLD_NS, "theirs")->uid;
	str_addf(&json,
		"{'apiVersion':'v1','kind':'Pod','metadata':{'name':'%s','labels':{'app':'%s'},'"
		"ownerReferences':[{%s,'name':'theirs','uid':'%s'}]},"
		"'spec':{'containers':[{'name':'c','image':'busybox'}]}}",
		name, app, owner, uid);
	yyjson_doc *doc = sim_json(str_text(&json));
	sim_create(&r->w->kube, (struct sim_origin){ .actor = ACTOR_USER }, RES_POD, WORLD_NS,
		yyjson_doc_get_root(doc));
	yyjson_doc_free(doc);
	str_free(&json);
}

struct pod_name {
	char text[32];
};

static struct pod_name some_pod(struct sim_rough_one *r)
{
	struct pod_name n;
	snprintf(n.text, sizeof(n.text), SET "-%d", (int)sim_rand_range(&r->rand, 0, 5));
	return n;
}

/* A StatefulSet of the same name: its pods stay, and their names are taken. */
void rough_their_pods_act(struct sim_rough_one *r)
{
	create_pod(r, some_pod(r).text, sim_rand_chance(&r->rand, 500) ? SET : "theirs",
		"'apiVersion':'apps/v1','kind':'StatefulSet','controller':true");
}

/* A pod that fits, without a controller, but with another owner. */
void rough_other_owners_act(struct sim_rough_one *r)
{
	create_pod(r, some_pod(r).text, SET, "'apiVersion':'v1','kind':'ConfigMap'");
}

/* ---- two NodeSets ---- */

#define TWIN "twin"

/* The pods of this NodeSet have the host names of the first NodeSet's. */
void rough_two_names_act(struct sim_rough_one *r)
{
	if (world_object(r->w, RES_NODESET, WORLD_NS, TWIN)) {
		world_scale(r->w, WORLD_NS, TWIN, (int)sim_rand_range(&r->rand, 0, 3));
		return;
	}
	world_add_nodeset(r->w, TWIN, 1, "slurmd:twin", "1");
	world_patch(r->w, RES_NODESET, WORLD_NS, TWIN, "",
		"{'spec':{'template':{'spec':{'hostname':'" SET "-'}}}}");
}

void rough_two_names_repair(struct sim_rough_one *r)
{
	world_patch(r->w, RES_NODESET, WORLD_NS, TWIN, "",
		"{'metadata':{'annotations':{'nodeset.slinky.slurm.net/release-now':'true'}}}");
	world_delete_nodeset(r->w, WORLD_NS, TWIN);
}

/*
 * A slurmd whose name another took while it ran is not asked any more: the user who mixed
 * them up has to delete its pod, and also a pod that a manager made as it died, and that
 * came to be after its NodeSet: it has no owner.
 */
static bool to_be_deleted(struct sim_rough_one *r, const struct sim_version *pod)
{
	const struct sim_node *n = sim_oracle_node_named(&r->w->oracle, pod);
	if (sim_terminating(pod))
		return false;
	if (strncmp(pod->name, TWIN "-", strlen(TWIN "-")) == 0)
		return true;
	return !(n && strcmp(n->uid, pod->uid) == 0) && sim_pod_available(pod, 0, 0);
}

/* The reason of the other NodeSet has no owner: the user who sees it resumes the node. */
void rough_two_names_after(struct sim_rough_one *r)
{
	if (world_object(r->w, RES_NODESET, WORLD_NS, TWIN))
		return;
	for (struct sim_node *n = r->w->slurm.nodes; n; n = n->next)
		if (strstr(n->reason, "(" WORLD_NS "/" TWIN ")"))
			sim_slurm_admin_resume(&r->w->slurm, n->name);
	for (size_t i = 0; i < all_pods(r)->n; i++) {
		const struct sim_version *pod = all_pods(r)->at[i];
		if (!to_be_deleted(r, pod))
			continue;
		world_delete(r->w, RES_POD, pod->ns, pod->name);
		return;
	}
}

/* Another NodeSet that users do not break. */
void rough_second_set_set_up(struct sim_rough_one *r)
{
	world_add_nodeset(r->w, ROUGH_SECOND_SET, 2, "slurmd:0", "1");
	world_know(r->w, RES_NODESET, WORLD_NS, ROUGH_SECOND_SET, &r->w->slurm)->left_alone = true;
}

void rough_second_set_act(struct sim_rough_one *r)
{
	char image[32];
	snprintf(image, sizeof(image), "slurmd:%d", (int)sim_rand_range(&r->rand, 0, 999));
	if (sim_rand_chance(&r->rand, 500))
		world_set_template_image(r->w, WORLD_NS, ROUGH_SECOND_SET, image);
	else
		world_scale(r->w, WORLD_NS, ROUGH_SECOND_SET, (int)sim_rand_range(&r->rand, 1, 3));
}

/*
 * A node that Slurm forgot before the program saw it cannot be told from one whose slurmd
 * has another name: the condition Degraded names the pod, and its user deletes it. The
 * program handles pods that were seen to be registered.
 */
void sim_rough_delete_unseen(struct world *w, const struct world_object *set)
{
	const struct sim_list *pods = &w->kube.store.of[RES_POD];
	const struct sim_version *v = world_object(w, RES_NODESET, set->ns, set->name);
	for (size_t i = 0; i < pods->n && v; i++) {
		const struct sim_version *pod = pods->at[i];
		bool its_own = strcmp(sim_owner_uid(pod), v->uid) == 0;
		bool seen = *sim_annotation(pod, "nodeset.slinky.slurm.net/registered-in");
		if (!its_own || seen || !sim_pod_available(pod, 0, 0) ||
			sim_oracle_node_named(&w->oracle, pod))
			continue;
		world_delete(w, RES_POD, pod->ns, pod->name);
		return; /* the list has changed: the next one in a while */
	}
}

void rough_second_set_after(struct sim_rough_one *r)
{
	for (size_t i = 0; i < r->w->n_objects; i++)
		if (r->w->objects[i].left_alone && strcmp(r->w->objects[i].ns, WORLD_NS) == 0)
			sim_rough_delete_unseen(r->w, &r->w->objects[i]);
}

/* ---- templates ---- */

/*
 * Templates that take turns, and a history that has them all: one becomes the newest
 * revision again.
 */
static void set_image(struct sim_rough_one *r, const char *image)
{
	if (world_object(r->w, RES_NODESET, WORLD_NS, SET))
		world_set_template_image(r->w, WORLD_NS, SET, image);
}

void rough_rollbacks_set_up(struct sim_rough_one *r)
{
	world_patch(r->w, RES_NODESET, WORLD_NS, SET, "", "{'spec':{'revisionHistoryLimit':5}}");
}

void rough_rollbacks_act(struct sim_rough_one *r)
{
	set_image(r, sim_rand_chance(&r->rand, 500) ? "slurmd:a" : "slurmd:b");
}
void rough_rollbacks_after(struct sim_rough_one *r)
{
	set_image(r, (const char *const[]){ "slurmd:x", "slurmd:y", "slurmd:z" }[r->repairs % 3]);
}

/* ---- what never worked ---- */

static void set_typo(struct sim_rough_one *r, const char *word)
{
	AUTO(str_free) struct str patch = { 0 };
	str_addf(&patch,
		"{'spec':{'template':{'spec':{'containers':[{'name':'slurmd','image':'slurmd:%s-%d'"
		","
		"'volumeMounts':[{'name':'key','mountPath':'/mnt'}]}"
		"],'volumes':[{'name':'key','secret':{'secretName':'" SIM_KUBELET_SECRET "'}}]}}}}",
		word, (int)sim_rand_range(&r->rand, 0, 9));
	if (world_object(r->w, RES_NODESET, WORLD_NS, SET))
		world_patch(r->w, RES_NODESET, WORLD_NS, SET, "", str_text(&patch));
}

static void give_secret(struct sim_rough_one *r)
{
	if (!world_object(r->w, RES_SECRET, WORLD_NS, SIM_KUBELET_SECRET))
		world_apply(r->w,
			"{'apiVersion':'v1','kind':'Secret','metadata':{'name':"
			"'" SIM_KUBELET_SECRET "'}}");
}

/*
 * Templates with a Secret that comes and goes, with an image that does not come, with a
 * slurmd that ends; and a Slurm that does not answer meanwhile.
 */
void rough_typos_act(struct sim_rough_one *r)
{
	static const char *const words[] = { "keyed", "crashing", "pulling" };
	int64_t what = sim_rand_range(&r->rand, 0, 9);
	if (what < 3)
		set_typo(r, words[what]);
	else if (what < 5)
		give_secret(r);
	else if (what == 5)
		world_delete(r->w, RES_SECRET, WORLD_NS, SIM_KUBELET_SECRET);
	else if (what == 6)
		sim_server_down(&r->w->slurm.server, 0);
	else if (what == 7)
		sim_server_up(&r->w->slurm.server);
	else if (world_object(r->w, RES_NODESET, WORLD_NS, SET))
		world_scale(r->w, WORLD_NS, SET, (int)sim_rand_range(&r->rand, 0, 4));
}

void rough_typos_repair(struct sim_rough_one *r)
{
	give_secret(r);
	set_image(r, "slurmd:right");
}

/* ---- claims ---- */

void rough_claims_set_up(struct sim_rough_one *r)
{
	char patch[400];
	snprintf(patch, sizeof(patch),
		"{'spec':{'persistentVolumeClaimRetentionPolicy':{'whenDeleted':'%s','whenScaled':'"
		"%s'},'volumeClaimTemplates':[{'metadata':{'name':'d'},"
		"'spec':{'accessModes':['ReadWriteOnce'],'resources':{'requests':{'storage':'1Gi'}}"
		"}}]}}",
		sim_rand_chance(&r->rand, 500) ? "Delete" : "Retain",
		sim_rand_chance(&r->rand, 600) ? "Delete" : "Retain");
	world_patch(r->w, RES_NODESET, WORLD_NS, SET, "", patch);
}

/* A user deletes a claim by hand, or deletes the NodeSet and makes it again at once. */
void rough_claims_act(struct sim_rough_one *r)
{
	char name[40];
	snprintf(name, sizeof(name), "d-%s", some_pod(r).text);
	if (sim_rand_chance(&r->rand, 300))
		world_delete(r->w, RES_PVC, WORLD_NS, name);
	else
		world_scale(r->w, WORLD_NS, SET, (int)sim_rand_range(&r->rand, 1, 5));
}

/* ---- ways to delete ---- */

static void delete_by(struct sim_rough_one *r, const char *propagation)
{
	const struct sim_version *set = world_object(r->w, RES_NODESET, WORLD_NS, SET);
	if (!set)
		world_add_nodeset(r->w, SET, (int)sim_rand_range(&r->rand, 1, 4), "slurmd:again",
			"1");
	else if (!sim_terminating(set) && sim_rand_chance(&r->rand, 300))
		sim_delete_by(&r->w->kube, ACTOR_USER, RES_NODESET, WORLD_NS, SET, propagation);
}

void rough_foreground_act(struct sim_rough_one *r) { delete_by(r, "Foreground"); }
void rough_orphan_act(struct sim_rough_one *r) { delete_by(r, "Orphan"); }

/* ---- writes that are refused ---- */

void rough_refused_writes_act(struct sim_rough_one *r)
{
	static const enum resource kinds[] = { RES_POD, RES_PVC, RES_REVISION, RES_NODESET };
	static const char *const methods[] = { "POST", "PATCH PUT", "DELETE",
		"POST PATCH PUT DELETE" };
	struct sim_policy *p = &r->w->kube.policy;
	*p = (struct sim_policy){
		.on = !p->on,
		.resource = kinds[sim_rand_range(&r->rand, 0, LENGTH(kinds) - 1)],
		.methods = methods[sim_rand_range(&r->rand, 0, LENGTH(methods) - 1)],
	};
	if (p->resource == RES_POD && sim_rand_chance(&r->rand, 500))
		snprintf(p->name, sizeof(p->name), "%s", some_pod(r).text);
}

void rough_refused_writes_repair(struct sim_rough_one *r) { r->w->kube.policy.on = false; }

void rough_strips_act(struct sim_rough_one *r) { r->w->kube.strips = !r->w->kube.strips; }
void rough_strips_repair(struct sim_rough_one *r) { r->w->kube.strips = false; }

void rough_rejects_act(struct sim_rough_one *r)
{
	bool *rejects = &r->w->kubelet.rejects[sim_rand_range(&r->rand, 0, SIM_MACHINES - 1)];
	*rejects = !*rejects;
}

void rough_rejects_repair(struct sim_rough_one *r)
{
	memset(r->w->kubelet.rejects, 0, sizeof(r->w->kubelet.rejects));
}

void rough_quota_act(struct sim_rough_one *r)
{
	struct sim_kube *k = &r->w->kube;
	k->most_pods = k->most_pods ? 0 : (size_t)sim_rand_range(&r->rand, 1, 6);
}

void rough_quota_repair(struct sim_rough_one *r) { r->w->kube.most_pods = 0; }

/* ---- more than a namespace has room for ---- */

enum { HEAP = 8, HEAP_BYTES = 30000, TEMPLATE_BYTES = 20000 };

static struct pod_name heap_name(int64_t i)
{
	struct pod_name n;
	snprintf(n.text, sizeof(n.text), "heap-%d", (int)i);
	return n;
}

static void make_large(struct sim_rough_one *r, const char *name)
{
	AUTO(str_free) struct str text = { 0 };
	str_addf(&text,
		"{'apiVersion':'apps/v1','kind':'ControllerRevision','metadata':{'name':'%s'},"
		"'revision':1,'data':{'a':'%0*d'}}",
		name, HEAP_BYTES, 0);
	world_apply(r->w, str_text(&text));
}

/* Then it is among those of which only a part may be known, and so is its revision. */
static void set_large(struct sim_rough_one *r, bool large)
{
	AUTO(str_free) struct str patch = { 0 };
	str_addf(&patch, "{'spec':{'template':{'metadata':{'annotations':{'large':");
	if (large)
		str_addf(&patch, "'%0*d'}}}}}", TEMPLATE_BYTES, 0);
	else
		str_add(&patch, "null}}}}}");
	if (world_object(r->w, RES_NODESET, WORLD_NS, SET))
		world_patch(r->w, RES_NODESET, WORLD_NS, SET, "", str_text(&patch));
}

/* Revisions without an owner: some are made, and some go again. */
void rough_heap_act(struct sim_rough_one *r)
{
	if (sim_rand_chance(&r->rand, 150)) {
		set_large(r, sim_rand_chance(&r->rand, 500));
		return;
	}
	struct pod_name n = heap_name(sim_rand_range(&r->rand, 0, HEAP - 1));
	if (world_object(r->w, RES_REVISION, WORLD_NS, n.text))
		world_delete(r->w, RES_REVISION, WORLD_NS, n.text);
	else
		make_large(r, n.text);
}

void rough_heap_repair(struct sim_rough_one *r)
{
	for (int i = 0; i < HEAP; i++)
		if (world_object(r->w, RES_REVISION, WORLD_NS, heap_name(i).text))
			world_delete(r->w, RES_REVISION, WORLD_NS, heap_name(i).text);
	set_large(r, false);
}
