/* SPDX-License-Identifier: Apache-2.0 */
/* NodeSets: what users do to them, and when one is what was asked for. */
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "sim/sim_kind.h"

#define SET "foo" /* that every world has */

/* ---- applied ---- */

static void add_strategy(struct str *s, const struct world_nodeset *n)
{
	bool text = n->max_unavailable && strchr(n->max_unavailable, '%');
	str_add(s, "'updateStrategy':{'type':'RollingUpdate'");
	if (n->max_unavailable)
		str_addf(s, ",'rollingUpdate':{'maxUnavailable':%s%s%s}", text ? "'" : "",
			n->max_unavailable, text ? "'" : "");
	str_add(s, "}");
}

static void add_claims(struct str *s, const struct world_nodeset *n)
{
	if (n->when_deleted)
		str_addf(s,
			"'persistentVolumeClaimRetentionPolicy':{'whenDeleted':'%s','whenScaled':"
			"'%s'},'volumeClaimTemplates':[{'metadata':{'name':'d'},'spec':"
			"{'accessModes':['ReadWriteOnce'],'resources':{'requests':{'storage':"
			"'1Gi'}}}}],",
			n->when_deleted, n->when_scaled);
}

static void add_template(struct str *s, const struct world_nodeset *n)
{
	str_addf(s, "'template':{'metadata':{'labels':{'app':'%s'", n->name);
	if (n->cluster)
		str_addf(s, ",'" ORACLE_CLUSTER_LABEL "':'%s'", n->cluster);
	str_add(s, "}},'spec':{");
	if (n->host)
		str_addf(s, "'hostname':'%s',", n->host);
	str_addf(s, "'containers':[{'name':'slurmd','image':'%s'}]}}", n->image);
}

void world_apply_nodeset(struct world *w, const struct world_nodeset *n)
{
	AUTO(str_free) struct str s = { 0 };
	str_addf(&s,
		"{'apiVersion':'slinky.slurm.net/v1alpha1','kind':'NodeSet','metadata':{'name':"
		"'%s','namespace':'%s'},'spec':{'clusterName':'%s','replicas':%d,'serviceName':"
		"'%s','selector':{'matchLabels':{'app':'%s'}},'revisionHistoryLimit':0,",
		n->name, n->ns, n->cluster ? n->cluster : WORLD_CLUSTER, n->replicas, n->name,
		n->name);
	add_claims(&s, n);
	add_strategy(&s, n);
	str_add(&s, ",");
	add_template(&s, n);
	str_add(&s, "}}");
	world_apply(w, s.text);
}

/* ---- users ---- */

static void patch_set(struct world *w, const struct world_object *set, const char *merge_patch)
{
	world_patch(w, RES_NODESET, set->ns, set->name, "", merge_patch);
}

static void scale(struct world *w, const struct world_object *set)
{
	world_scale(w, set->ns, set->name, (int)sim_draw(w, 0, 6));
}

/*
 * All in and all out again and again within seconds: what is known of the old nodes and
 * pods is still on its way when the new ones have their names.
 */
enum { SEESAW_TIMES = 4 };
static void all_in(struct world *w, const struct world_object *set)
{
	world_scale(w, set->ns, set->name, 0);
}
static void all_out(struct world *w, const struct world_object *set)
{
	world_scale(w, set->ns, set->name, 5);
}

static void new_image(struct world *w, const struct world_object *set)
{
	struct sim_name image;
	snprintf(image.text, sizeof(image.text), "slurmd:%d", (int)sim_draw(w, 1, 1000));
	world_set_template_image(w, set->ns, set->name, image.text);
}

static void broken_image(struct world *w, const struct world_object *set)
{
	world_set_template_image(w, set->ns, set->name, "slurmd:broken");
}

static void max_unavailable(struct world *w, const struct world_object *set)
{
	static const char *const values[] = { "1", "2", "'50%'", "0", "'x'" };
	char patch[120];
	snprintf(patch, sizeof(patch),
		"{'spec':{'updateStrategy':{'rollingUpdate':{'maxUnavailable':%s}}}}",
		values[sim_draw(w, 0, LENGTH(values) - 1)]);
	patch_set(w, set, patch);
}

static void strategy(struct world *w, const struct world_object *set)
{
	patch_set(w, set,
		sim_draw(w, 0, 1) ? "{'spec':{'updateStrategy':{'type':'OnDelete'}}}"
				  : "{'spec':{'updateStrategy':{'type':'RollingUpdate'}}}");
}

static void min_ready(struct world *w, const struct world_object *set)
{
	patch_set(w, set,
		sim_draw(w, 0, 1) ? "{'spec':{'minReadySeconds':8}}"
				  : "{'spec':{'minReadySeconds':0}}");
}

static void release_now(struct world *w, const struct world_object *set)
{
	patch_set(w, set,
		sim_draw(w, 0, 1) ? "{'metadata':{'annotations':{'nodeset.slinky.slurm.net/"
				    "release-now':'true'}}}"
				  : "{'metadata':{'annotations':{'nodeset.slinky.slurm.net/"
				    "release-now':null}}}");
}

static void own_selector(struct world *w, const struct world_object *set)
{
	char patch[120];
	snprintf(patch, sizeof(patch), "{'spec':{'selector':{'matchLabels':{'app':'%s'}}}}",
		set->name);
	patch_set(w, set, patch);
}

/* The NodeSet selects every pod of the namespace, until a user notices. */
static void empty_selector(struct world *w, const struct world_object *set)
{
	if (sim_draw(w, 0, 1))
		patch_set(w, set, "{'spec':{'selector':{'matchLabels':null}}}");
	else
		own_selector(w, set);
}

static const struct sim_act acts[] = {
	{ 4, scale, .always = 2 }, /* users scale in every world */
	{ 1, all_in, .then = all_out, .times = SEESAW_TIMES },
	{ 2, new_image },
	{ 1, broken_image },
	{ 1, max_unavailable },
	{ 1, strategy },
	{ 1, min_ready },
	{ 1, release_now },
	{ 1, empty_selector },
};

static void set_up(struct world *w)
{
	world_add_nodeset(w, SET, (int)sim_draw(w, 1, 5), "slurmd:0",
		sim_draw(w, 0, 1) ? "1" : "50%");
	world_know(w, RES_NODESET, WORLD_NS, SET, &w->slurm);
}

static void delete_set(struct world *w, const struct world_object *set)
{
	world_delete_nodeset(w, set->ns, set->name);
}

static void repair(struct world *w)
{
	for (size_t i = 0; i < w->n_objects; i++) {
		const struct world_object *set = &w->objects[i];
		if (set->resource != RES_NODESET || set->left_alone)
			continue;
		own_selector(w, set);
		patch_set(w, set,
			"{'metadata':{'annotations':{'nodeset.slinky.slurm.net/"
			"release-now':null}},"
			"'spec':{'minReadySeconds':0,'updateStrategy':{'type':'RollingUpdate','"
			"rollingUpdate':{'maxUnavailable':1}}}}");
		new_image(w, set);
	}
}

static struct world_object some(struct world *w) { return *world_pick(w, RES_NODESET); }

/* ---- what must hold ---- */

/* Nodes of one that the program does not bring to zero, or records of slurm.conf. */
static bool has_others(const struct sim_oracle *o, const struct sim_version *nodeset)
{
	/* slurmrestd was asked after the surplus began, or the program has not heard */
	enum { KNOWN_MS = 60000 };
	size_t n_own = strlen(nodeset->name);
	const struct sim_slurm *s = o->slurms[0].slurm;
	for (const struct sim_node *n = s->nodes; n; n = n->next)
		if (strncmp(n->name, nodeset->name, n_own) != 0 ||
			n->name[n_own + strspn(n->name + n_own, "-0123456789")])
			return true;
	return !s->no_future || s->loop->now_ms - s->no_future_ms < KNOWN_MS;
}

enum { TAKES_EMPTY = 45 }; /* from v0.0.45 on Slurm takes jobs without nodes */

static void check_last(struct sim_oracle *o, const struct sim_write *w, int64_t most)
{
	bool one = o->n_slurms == 1 && o->slurms[0].slurm->newest < TAKES_EMPTY;
	if (!one || !most || !sim_replicas(w->before) || sim_replicas(w->after) ||
		has_others(o, w->before))
		return;
	sim_oracle_break(o, "P6", w->request,
		"NodeSet %s/%s goes to 0, and no other node is in its partition: Slurm takes no "
		"job any more",
		w->before->ns, w->before->name);
}

/* The program scales what asks for it, and adds nothing beyond its maximum. */
static void check_scaled(struct sim_oracle *o, const struct sim_write *w)
{
	if (w->actor != ACTOR_OPERATOR || !w->before || !w->after || *w->subresource)
		return;
	int64_t was = sim_replicas(w->before), is = sim_replicas(w->after);
	yyjson_val *block = sim_at(w->before->root, "spec", "autoscaling");
	int64_t most = sim_int(block, "maxReplicas", -1), least = sim_int(block, "minReplicas", 0);
	if (was == is)
		return;
	if (most < least)
		sim_oracle_break(o, "P9", w->request,
			"spec.replicas of NodeSet %s/%s, which is not to be scaled, goes from %lld "
			"to %lld",
			w->before->ns, w->before->name, (long long)was, (long long)is);
	else if (is < least || (is > was && is > most))
		sim_oracle_break(o, "P4", w->request,
			"spec.replicas of NodeSet %s/%s goes from %lld to %lld, and may be from "
			"%lld to %lld",
			w->before->ns, w->before->name, (long long)was, (long long)is,
			(long long)least, (long long)most);
	check_last(o, w, most);
	sim_oracle_on_scaled(o, w);
}

static void on_write(struct sim_oracle *o, const struct sim_write *w)
{
	sim_oracle_on_orphaned(o, w);
	check_scaled(o, w);
	sim_oracle_on_conflict(o, w);
	if (w->removed)
		sim_oracle_on_release(o, w);
}

static bool trace(const struct sim_write *w, struct str *out)
{
	yyjson_val *template = sim_get(sim_get(w->after->root, "spec"), "template");
	if (!*w->subresource)
		str_addf(out, " replicas %lld, image %s", (long long)sim_replicas(w->after),
			sim_str(yyjson_arr_get_first(sim_at(template, "spec", "containers")),
				"image"));
	return true;
}

const struct sim_kind sim_kind_nodeset = {
	.resource = RES_NODESET,
	.acts = acts,
	.n_acts = LENGTH(acts),
	.set_up = set_up,
	.ends = delete_set,
	.repair = repair,
	.some = some,
	.has_conditions = true,
	.has_labels = true,
	.on_write = on_write,
	.fits = sim_nodeset_fits,
	.trace = trace,
};
