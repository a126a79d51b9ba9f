/* SPDX-License-Identifier: Apache-2.0 */
/* The garbage collector and the namespace controller of the simulated Kubernetes. */
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "sim/sim_kube.h"

static void on_collect(void *arg);

static void arm(struct sim_kube *k)
{
	if (!k->collect)
		k->collect = timer_start(&k->loop->loop, sim_rand_range(&k->rand, 50, 1500),
			on_collect, k);
}

/*
 * The state of its owners. A reference to one that is gone, or waits for its dependents
 * to go, does not hold it.
 */
struct owners {
	size_t n, solid, waiting;
};

static bool is_solid(const struct sim_kube *k, yyjson_val *ref)
{
	const struct sim_version *owner = sim_store_by_uid(&k->store, sim_str(ref, "uid"));
	return owner && !(sim_terminating(owner) && sim_has_finalizer(owner, "foregroundDeletion"));
}

static struct owners owners_of(const struct sim_kube *k, const struct sim_version *v)
{
	struct owners o = { 0 };
	yyjson_val *ref;
	yyjson_arr_iter it = yyjson_arr_iter_with(sim_get(sim_meta(v), "ownerReferences"));
	while ((ref = yyjson_arr_iter_next(&it))) {
		bool solid = is_solid(k, ref);
		o.n++;
		o.solid += solid;
		o.waiting += !solid && sim_store_by_uid(&k->store, sim_str(ref, "uid"));
	}
	return o;
}

/* True when it has owners and none of them holds it any more. */
static bool orphaned(const struct sim_kube *k, const struct sim_version *v)
{
	struct owners o = owners_of(k, v);
	return o.n > 0 && o.solid == 0;
}

static bool in_ending_namespace(const struct sim_kube *k, const struct sim_version *v)
{
	const struct sim_version *ns = *v->ns ? sim_store_find(&k->store, RES_NAMESPACE, "", v->ns)
					      : NULL;
	return ns && sim_terminating(ns);
}

static bool delete_one(struct sim_kube *k)
{
	for (int r = 0; r < RES_COUNT; r++) {
		const struct sim_list *l = &k->store.of[r];
		for (size_t i = 0; i < l->n; i++) {
			struct sim_version *v = l->at[i];
			if (sim_terminating(v) || (!orphaned(k, v) && !in_ending_namespace(k, v)))
				continue;
			sim_delete(k, (struct sim_origin){ .actor = ACTOR_GC }, v->resource, v->ns,
				v->name, NULL);
			return true;
		}
	}
	return false;
}

/* ---- references and finalizers are taken away ---- */

/* Leaves the members of the list for which keep says so. */
static struct sim_result prune(struct sim_kube *k, const struct sim_version *v, const char *list,
	bool (*keep)(const struct sim_kube *k, yyjson_val *item, const void *with),
	const void *with)
{
	yyjson_mut_doc *d = yyjson_mut_doc_new(NULL);
	yyjson_mut_val *root = yyjson_mut_obj(d),
		       *meta = yyjson_mut_obj_add_obj(d, root, "metadata"),
		       *left = yyjson_mut_obj_add_arr(d, meta, list);
	yyjson_val *item;
	yyjson_mut_doc_set_root(d, root);
	yyjson_arr_iter it = yyjson_arr_iter_with(sim_get(sim_meta(v), list));
	while ((item = yyjson_arr_iter_next(&it)))
		if (keep(k, item, with))
			yyjson_mut_arr_append(left, yyjson_val_mut_copy(d, item));
	char *text = yyjson_mut_write(d, 0, NULL);
	struct sim_result out = sim_patch_text(k, ACTOR_GC, v->resource, v->ns, v->name, "", text);
	free(text);
	yyjson_mut_doc_free(d);
	return out;
}

static bool not_named(const struct sim_kube *k, yyjson_val *item, const void *with)
{
	(void)k;
	return !yyjson_equals_str(item, with);
}

static bool solid(const struct sim_kube *k, yyjson_val *item, const void *with)
{
	(void)with;
	return is_solid(k, item);
}

static bool of_another(const struct sim_kube *k, yyjson_val *item, const void *with)
{
	(void)k;
	return strcmp(sim_str(item, "uid"), with) != 0;
}

static yyjson_val *reference_to(const struct sim_version *v, const char *uid)
{
	yyjson_val *ref;
	yyjson_arr_iter it = yyjson_arr_iter_with(sim_get(sim_meta(v), "ownerReferences"));
	while ((ref = yyjson_arr_iter_next(&it)))
		if (strcmp(sim_str(ref, "uid"), uid) == 0)
			return ref;
	return NULL;
}

/* An object that has this one for its owner; with blocking: and keeps it from going. */
static struct sim_version *dependent_of(const struct sim_kube *k, const struct sim_version *owner,
	bool blocking)
{
	for (int r = 0; r < RES_COUNT; r++)
		for (size_t i = 0; i < k->store.of[r].n; i++) {
			yyjson_val *ref = reference_to(k->store.of[r].at[i], owner->uid);
			if (ref &&
				(!blocking || yyjson_get_bool(sim_get(ref, "blockOwnerDeletion"))))
				return k->store.of[r].at[i];
		}
	return NULL;
}

/* Pods that have a machine and have not ended use their claims. */
static bool claim_in_use(const struct sim_kube *k, const struct sim_version *claim)
{
	const struct sim_list *pods = &k->store.of[RES_POD];
	for (size_t i = 0; i < pods->n; i++) {
		const char *phase = sim_str(sim_get(pods->at[i]->root, "status"), "phase");
		bool over = strcmp(phase, "Failed") == 0 || strcmp(phase, "Succeeded") == 0;
		yyjson_val *spec = sim_get(pods->at[i]->root, "spec"), *volume;
		yyjson_arr_iter it = yyjson_arr_iter_with(sim_get(spec, "volumes"));
		while ((volume = yyjson_arr_iter_next(&it)))
			if (!over && *sim_str(spec, "nodeName") &&
				strcmp(pods->at[i]->ns, claim->ns) == 0 &&
				strcmp(sim_str(sim_get(volume, "persistentVolumeClaim"),
					       "claimName"),
					claim->name) == 0)
				return true;
	}
	return false;
}

/* One step for one object; false: there is none to be done. */
static bool step(struct sim_kube *k, struct sim_version *v)
{
	struct owners o = owners_of(k, v);
	struct sim_version *dependent;
	if (o.solid && o.solid < o.n)
		return prune(k, v, "ownerReferences", solid, NULL).status < 300;
	if (!sim_terminating(v))
		return false;
	if (sim_has_finalizer(v, "orphan")) {
		AUTO(own_free) char *uid = own_strdup(v->uid);
		if ((dependent = dependent_of(k, v, false)))
			return prune(k, dependent, "ownerReferences", of_another, uid).status < 300;
		return prune(k, v, "finalizers", not_named, "orphan").status < 300;
	}
	if (sim_has_finalizer(v, "foregroundDeletion") && !dependent_of(k, v, true))
		return prune(k, v, "finalizers", not_named, "foregroundDeletion").status < 300;
	if (v->resource == RES_PVC && sim_has_finalizer(v, "kubernetes.io/pvc-protection") &&
		!claim_in_use(k, v))
		return prune(k, v, "finalizers", not_named, "kubernetes.io/pvc-protection").status <
			300;
	return false;
}

static bool step_one(struct sim_kube *k)
{
	for (int r = 0; r < RES_COUNT; r++)
		for (size_t i = 0; i < k->store.of[r].n; i++)
			if (step(k, k->store.of[r].at[i]))
				return true;
	return false;
}

static bool empty_namespace(const struct sim_kube *k, const char *name)
{
	for (int r = 0; r < RES_COUNT; r++)
		for (size_t i = 0; i < k->store.of[r].n; i++)
			if (strcmp(k->store.of[r].at[i]->ns, name) == 0)
				return false;
	return true;
}

static void end_namespaces(struct sim_kube *k)
{
	const struct sim_list *l = &k->store.of[RES_NAMESPACE];
	for (size_t i = 0; i < l->n; i++) {
		if (!sim_terminating(l->at[i]) || !empty_namespace(k, l->at[i]->name))
			continue;
		sim_store_remove(&k->store, l->at[i]);
		return;
	}
}

static void on_collect(void *arg)
{
	struct sim_kube *k = arg;
	k->collect = NULL;
	while (delete_one(k) || step_one(k))
		;
	end_namespaces(k);
}

static bool waits_for_us(const struct sim_version *v)
{
	return sim_has_finalizer(v, "foregroundDeletion") || sim_has_finalizer(v, "orphan") ||
		sim_has_finalizer(v, "kubernetes.io/pvc-protection");
}

/* Only an end, or a beginning under an owner, can leave an orphan. */
static void on_change(void *ctx, const struct sim_change *c)
{
	struct sim_kube *k = ctx;
	bool owned = sim_get(sim_meta(c->after), "ownerReferences") != NULL;
	if (c->type == CHANGE_DELETED || (c->type == CHANGE_ADDED && owned) ||
		(c->after->resource == RES_NAMESPACE && sim_terminating(c->after)))
		arm(k);
	else if (sim_terminating(c->after) && waits_for_us(c->after))
		arm(k);
	else if (c->after->resource == RES_POD && c->type == CHANGE_MODIFIED &&
		sim_at(c->after->root, "spec", "volumes"))
		arm(k);
	else if (owned && c->type == CHANGE_MODIFIED &&
		!yyjson_equals(sim_get(sim_meta(c->before), "ownerReferences"),
			sim_get(sim_meta(c->after), "ownerReferences")))
		arm(k);
}

void sim_collect_init(struct sim_kube *k) { sim_store_listen(&k->store, on_change, k); }
