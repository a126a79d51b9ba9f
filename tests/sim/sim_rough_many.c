/* SPDX-License-Identifier: Apache-2.0 */
/* A larger world: more NodeSets, more Clusters, more namespaces, a second manager. */
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "sim/sim_kind.h"
#include "sim/sim_rough.h"

static const char *draw_text(struct sim_rough_one *r, const char *const *texts, size_t n)
{
	return texts[sim_rand_range(&r->rand, 0, (int64_t)n - 1)];
}

/* Size, way to update and claims of the NodeSet are drawn; users know it from now on. */
static void add_set(struct sim_rough_one *r, struct world_nodeset n, struct sim_slurm *slurm)
{
	static const char *const unavailable[] = { "1", "2", "50%", "100%" };
	static const char *const policies[] = { "Delete", "Retain" };
	n.replicas = (int)sim_rand_range(&r->rand, 1, 3);
	n.image = "slurmd:0";
	n.max_unavailable = draw_text(r, unavailable, LENGTH(unavailable));
	n.when_deleted = draw_text(r, policies, LENGTH(policies));
	n.when_scaled = draw_text(r, policies, LENGTH(policies));
	if (sim_rand_chance(&r->rand, 500))
		n.when_deleted = NULL;
	world_apply_nodeset(r->w, &n);
	struct world_object *known = world_know(r->w, RES_NODESET, n.ns, n.name, slurm);
	known->host = n.host;
	known->cluster = n.cluster;
	known->left_alone = r->lasts;
}

/* ---- neighbours ---- */

/* Nothing is to be touched, and no other NodeSet held up: users do not correct it. */
static void add_invalid(struct sim_rough_one *r)
{
	world_apply_nodeset(r->w,
		&(struct world_nodeset){
			.ns = WORLD_NS,
			.name = "bad",
			.cluster = sim_rand_chance(&r->rand, 500) ? "nowhere" : NULL,
			.replicas = 2,
			.image = "slurmd:0",
		});
	world_patch(r->w, RES_NODESET, WORLD_NS, "bad", "",
		"{'spec':{'selector':{'matchLabels':{'app':'worse'}}}}");
}

/* Names of which one begins with the other, so that pods have such names too. */
void rough_many_sets_set_up(struct sim_rough_one *r)
{
	static const char *const names[] = { "foo-1", "fo", "foo-1-0" };
	int64_t n = sim_rand_range(&r->rand, 1, LENGTH(names));
	for (int64_t i = 0; i < n; i++)
		add_set(r, (struct world_nodeset){ .ns = WORLD_NS, .name = names[i] },
			&r->w->slurm);
	if (sim_rand_chance(&r->rand, 300))
		add_invalid(r);
}

/* ---- another Slurm, beside the first one ---- */

/* The NodeSet has nodes of the same names as the first one's, in a Slurm of its own. */
void rough_two_clusters_set_up(struct sim_rough_one *r)
{
	struct sim_slurm *s = world_add_slurm(r->w, WORLD_NS, "second", "agate");
	world_add_cluster(r->w, WORLD_NS, "second", s);
	add_set(r,
		(struct world_nodeset){
			.ns = WORLD_NS,
			.name = "mirror",
			.cluster = "second",
			.host = "foo-",
		},
		s);
	if (sim_rand_chance(&r->rand, 500))
		add_set(r,
			(struct world_nodeset){
				.ns = WORLD_NS,
				.name = "beside",
				.cluster = "second",
			},
			s);
}

/* The address and the token of one Slurm, in the Cluster of another. */
static void point_second_at(struct sim_rough_one *r, struct sim_slurm *s)
{
	struct world_object it = { RES_CLUSTER, WORLD_NS, "second", .slurm = s };
	char patch[160];
	snprintf(patch, sizeof(patch), "{'spec':{'server':'%s'}}", s->server.base_url);
	world_patch(r->w, RES_CLUSTER, WORLD_NS, it.name, "", patch);
	world_apply_secret(r->w, &it);
}

/*
 * A user mixes up two Clusters whose nodes have the same names: nothing that the wrong
 * Slurm says may be believed by one that remembers the right one.
 */
void rough_two_clusters_act(struct sim_rough_one *r)
{
	struct sim_slurm *right = r->w->more[0];
	const struct sim_version *v = world_object(r->w, RES_CLUSTER, WORLD_NS, "second");
	if (!strstr(v->text, right->cluster))
		return;
	r->lasts = !r->lasts && sim_rand_chance(&r->rand, 300);
	point_second_at(r, r->lasts ? &r->w->slurm : right);
}

void rough_two_clusters_repair(struct sim_rough_one *r)
{
	r->lasts = false;
	point_second_at(r, r->w->more[0]);
}

/*
 * Pods that a NodeSet left behind may be of whichever Slurm: while they have the names of
 * others' nodes, those are not touched, and the condition Degraded says so. The user who
 * left them deletes them.
 */
void rough_two_clusters_after(struct sim_rough_one *r)
{
	const struct sim_list *pods = &r->w->kube.store.of[RES_POD];
	for (size_t i = 0; i < pods->n; i++) {
		const struct sim_version *pod = pods->at[i];
		bool left = strcmp(pod->ns, WORLD_NS) == 0 && strncmp(pod->name, "foo-", 4) == 0 &&
			!*sim_owner_uid(pod);
		if (!left || sim_terminating(pod) ||
			world_object(r->w, RES_NODESET, WORLD_NS, "foo"))
			continue;
		world_delete(r->w, RES_POD, pod->ns, pod->name);
		return; /* the list has changed: the next one in a while */
	}
}

/* ---- a Cluster that goes ---- */

void rough_cluster_goes_set_up(struct sim_rough_one *r)
{
	struct sim_slurm *s = world_add_slurm(r->w, WORLD_NS, "leaving", "copper");
	world_add_cluster(r->w, WORLD_NS, "leaving", s);
	add_set(r, (struct world_nodeset){ .ns = WORLD_NS, .name = "leaver", .cluster = "leaving" },
		s);
}

static const struct sim_version *leaving(struct sim_rough_one *r)
{
	return world_object(r->w, RES_CLUSTER, WORLD_NS, "leaving");
}

/*
 * The Cluster stays as long as a NodeSet needs it: without it the owner of running jobs
 * is unknown. A user who deletes it before it has its finalizer is told to create it
 * again.
 */
void rough_cluster_goes_act(struct sim_rough_one *r)
{
	if (sim_rand_chance(&r->rand, 300))
		world_delete(r->w, RES_CLUSTER, WORLD_NS, "leaving");
	else
		world_scale(r->w, WORLD_NS, "leaver", (int)sim_rand_range(&r->rand, 0, 4));
}

void rough_cluster_goes_repair(struct sim_rough_one *r)
{
	for (size_t i = 0; i < r->w->n_objects; i++)
		if (strcmp(r->w->objects[i].name, "leaving") == 0 && !leaving(r))
			world_apply_cluster(r->w, &r->w->objects[i]);
	world_delete_nodeset(r->w, WORLD_NS, "leaver");
}

void rough_cluster_goes_after(struct sim_rough_one *r)
{
	if (!world_object(r->w, RES_NODESET, WORLD_NS, "leaver"))
		world_delete(r->w, RES_CLUSTER, WORLD_NS, "leaving");
}

/* ---- another namespace ---- */

/* A second Cluster of the same Slurm: only the names of its nodes have to be others. */
static void share_slurm(struct sim_rough_one *r)
{
	sim_oracle_watch(&r->w->oracle, &r->w->slurm, "other", WORLD_CLUSTER);
	world_add_cluster(r->w, "other", WORLD_CLUSTER, &r->w->slurm);
	add_set(r, (struct world_nodeset){ .ns = "other", .name = "far" }, &r->w->slurm);
}

/*
 * Everything has the same names as in the first one. In some worlds users leave it alone,
 * and when the troubles end elsewhere, in the first one no pod can be written yet.
 */
void rough_two_spaces_set_up(struct sim_rough_one *r)
{
	world_apply(r->w, "{'apiVersion':'v1','kind':'Namespace','metadata':{'name':'other'}}");
	r->lasts = sim_rand_chance(&r->rand, 300);
	if (sim_rand_chance(&r->rand, 300)) {
		share_slurm(r);
		return;
	}
	struct sim_slurm *s = world_add_slurm(r->w, "other", WORLD_CLUSTER, "beryl");
	world_add_cluster(r->w, "other", WORLD_CLUSTER, s);
	add_set(r, (struct world_nodeset){ .ns = "other", .name = "foo" }, s);
	if (sim_rand_chance(&r->rand, 300))
		add_set(r, (struct world_nodeset){ .ns = "other", .name = "foo-1" }, s);
}

void rough_two_spaces_act(struct sim_rough_one *r)
{
	for (size_t i = 0; i < r->w->n_objects; i++) {
		const struct world_object *o = &r->w->objects[i];
		if (o->resource == RES_NODESET && o->left_alone && strcmp(o->ns, "other") == 0)
			world_scale(r->w, o->ns, o->name, (int)sim_rand_range(&r->rand, 1, 3));
	}
}

void rough_two_spaces_after(struct sim_rough_one *r)
{
	for (size_t i = 0; i < r->w->n_objects; i++)
		if (r->w->objects[i].left_alone && strcmp(r->w->objects[i].ns, WORLD_NS) != 0)
			sim_rough_delete_unseen(r->w, &r->w->objects[i]);
}

void rough_two_spaces_repair(struct sim_rough_one *r)
{
	struct sim_policy *p = &r->w->kube.policy;
	if (r->lasts && !sim_rough_has(r->w, "second-set"))
		*p = (struct sim_policy){
			.on = !r->repairs++,
			.resource = RES_POD,
			.ns = WORLD_NS,
			.methods = "POST PATCH PUT DELETE",
		};
}

/* ---- two managers ---- */

void rough_two_managers_set_up(struct sim_rough_one *r) { r->w->n_managers = 2; }

/* A manager is frozen, for less or for longer than its lease lasts, or told to end. */
void rough_two_managers_act(struct sim_rough_one *r)
{
	static const int64_t most_ms[] = { 1000, 12000, 60000 };
	struct sim_manager *m = &r->w->managers[sim_rand_range(&r->rand, 0, 1)];
	int64_t for_ms = most_ms[sim_rand_range(&r->rand, 0, LENGTH(most_ms) - 1)];
	if (sim_rand_chance(&r->rand, 300))
		sim_manager_end(m);
	else
		sim_manager_freeze(m, sim_rand_range(&r->rand, 10, for_ms));
}

void rough_two_managers_repair(struct sim_rough_one *r)
{
	for (int i = 0; i < r->w->n_managers; i++)
		sim_manager_thaw(&r->w->managers[i]);
}
