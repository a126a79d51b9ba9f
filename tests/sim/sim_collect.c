/* The garbage collector and the namespace controller of the simulated Kubernetes. */
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "sim/sim_kube.h"

static void on_collect(void *arg);

static void arm(struct sim_kube *k)
{
	if (!k->collect)
		k->collect = timer_start(&k->loop->loop, sim_rand_range(&k->rand, 50, 1500), on_collect, k);
}

/* True when it has owners and none of them is there any more. */
static bool orphaned(const struct sim_kube *k, const struct sim_version *v)
{
	yyjson_val *refs = sim_get(sim_meta(v), "ownerReferences"), *ref;
	yyjson_arr_iter it = yyjson_arr_iter_with(refs);
	if (yyjson_arr_size(refs) == 0)
		return false;
	while ((ref = yyjson_arr_iter_next(&it)))
		if (sim_store_by_uid(&k->store, sim_str(ref, "uid")))
			return false;
	return true;
}

static bool in_ending_namespace(const struct sim_kube *k, const struct sim_version *v)
{
	const struct sim_version *ns = *v->ns ? sim_store_find(&k->store, RES_NAMESPACE, "", v->ns) : NULL;
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
			sim_delete(k, (struct sim_origin){ .actor = ACTOR_GC }, v->resource, v->ns, v->name, NULL);
			return true;
		}
	}
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
	while (delete_one(k))
		;
	end_namespaces(k);
}

/* Only an end, or a beginning under an owner, can leave an orphan. */
static void on_change(void *ctx, const struct sim_change *c)
{
	struct sim_kube *k = ctx;
	bool owned = sim_get(sim_meta(c->after), "ownerReferences") != NULL;
	if (c->type == CHANGE_DELETED || (c->type == CHANGE_ADDED && owned) || (c->after->resource == RES_NAMESPACE && sim_terminating(c->after)))
		arm(k);
	else if (owned && c->type == CHANGE_MODIFIED &&
		 !yyjson_equals(sim_get(sim_meta(c->before), "ownerReferences"), sim_get(sim_meta(c->after), "ownerReferences")))
		arm(k);
}

void sim_collect_init(struct sim_kube *k) { sim_store_listen(&k->store, on_change, k); }
