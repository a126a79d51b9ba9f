/* SPDX-License-Identifier: Apache-2.0 */
/* Clusters, and the Secrets with their tokens. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "sim/sim_kind.h"

/* ---- the Secret ---- */

static void add_base64(struct str *out, const char *text)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const unsigned char *t = (const unsigned char *)text;
	size_t n = strlen(text);
	for (size_t i = 0; i < n; i += 3) {
		unsigned v = (unsigned)t[i] << 16 | (i + 1 < n ? (unsigned)t[i + 1] << 8 : 0) |
			(i + 2 < n ? (unsigned)t[i + 2] : 0);
		char four[4] = { digits[v >> 18], digits[v >> 12 & 63],
			i + 1 < n ? digits[v >> 6 & 63] : '=', i + 2 < n ? digits[v & 63] : '=' };
		str_add_bytes(out, four, 4);
	}
}

/* The Secret of a Cluster has its name and "-token". */
void world_apply_secret(struct world *w, const struct world_object *cluster)
{
	AUTO(str_free) struct str json = { 0 };
	str_addf(&json,
		"{'apiVersion':'v1','kind':'Secret','metadata':{'name':'%s-token','namespace':'%s'"
		"},'type':'Opaque','data':{'auth-token':'",
		cluster->name, cluster->ns);
	size_t start = json.len;
	add_base64(&json, cluster->slurm->token);
	sim_oracle_secret(&w->oracle, json.text + start);
	str_add(&json, "'}}");
	world_apply(w, json.text);
}

void world_new_token(struct world *w, const struct world_object *cluster)
{
	struct sim_slurm *s = cluster->slurm;
	char *digits = strrchr(s->token, '-') + 1;
	snprintf(digits, sizeof(s->token) - (size_t)(digits - s->token), "%ld",
		strtol(digits, NULL, 10) + 1);
	if (w->other && s == &w->slurm)
		memcpy(w->other->token, s->token, sizeof(w->other->token));
	sim_oracle_secret(&w->oracle, s->token);
	for (size_t i = 0; i < w->n_objects; i++)
		if (w->objects[i].resource == RES_CLUSTER && w->objects[i].slurm == s)
			world_apply_secret(w, &w->objects[i]);
}

static void secret_deleted(struct world *w, const struct world_object *cluster)
{
	char name[80];
	snprintf(name, sizeof(name), "%s-token", cluster->name);
	if (sim_draw(w, 0, 1))
		world_delete(w, RES_SECRET, cluster->ns, name);
	else
		world_new_token(w, cluster);
}

static const struct sim_act secret_acts[] = {
	{ 2, world_new_token },
	{ 1, secret_deleted },
};

const struct sim_kind sim_kind_secret = {
	.resource = RES_SECRET,
	.means = RES_CLUSTER,
	.acts = secret_acts,
	.n_acts = LENGTH(secret_acts),
};

/* ---- the Cluster ---- */

void world_apply_cluster(struct world *w, const struct world_object *cluster)
{
	AUTO(str_free) struct str json = { 0 };
	world_apply_secret(w, cluster);
	str_addf(&json,
		"{'apiVersion':'slinky.slurm.net/v1alpha1','kind':'Cluster','metadata':{'name':"
		"'%s','namespace':'%s'},'spec':{'server':'%s','token':{'secretRef':'%s-token'}}}",
		cluster->name, cluster->ns, cluster->slurm->server.base_url, cluster->name);
	world_apply(w, json.text);
}

void world_add_cluster(struct world *w, const char *ns, const char *name, struct sim_slurm *slurm)
{
	world_apply_cluster(w, world_know(w, RES_CLUSTER, ns, name, slurm));
}

static void begin(struct world *w)
{
	world_apply(w, "{'apiVersion':'v1','kind':'Namespace','metadata':{'name':'" WORLD_NS "'}}");
	world_add_cluster(w, WORLD_NS, WORLD_CLUSTER, &w->slurm);
}

static struct world_object some(struct world *w) { return *world_pick(w, RES_CLUSTER); }

static bool fits(const struct sim_oracle *o, const struct sim_version *v, char *out, size_t cap)
{
	(void)o;
	const char *reason = sim_str(sim_condition(v, "Ready"), "reason");
	if (!sim_terminating(v) && sim_condition_true(v, "Ready"))
		return true;
	snprintf(out, cap, "Cluster %s/%s is %s: %s", v->ns, v->name,
		sim_terminating(v) ? "still being deleted" : "not Ready", reason);
	return false;
}

const struct sim_kind sim_kind_cluster = {
	.resource = RES_CLUSTER,
	.begin = begin,
	.some = some,
	.has_conditions = true,
	.fits = fits,
};
