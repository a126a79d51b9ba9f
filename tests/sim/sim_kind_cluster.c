/* SPDX-License-Identifier: Apache-2.0 */
/* Clusters, and the Secrets with their tokens. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/codec.h"
#include "base/own.h"
#include "sim/sim_kind.h"
#include "slurm/rest/mint.h"

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

static bool same_but_token(yyjson_val *before, yyjson_val *after)
{
	yyjson_val *key;
	yyjson_obj_iter it = yyjson_obj_iter_with(before);
	size_t others = 0;
	while ((key = yyjson_obj_iter_next(&it))) {
		const char *name = yyjson_get_str(key);
		others += strcmp(name, "auth-token") != 0;
		if (strcmp(name, "auth-token") != 0 &&
			!yyjson_equals(yyjson_obj_iter_get_val(key), sim_get(after, name)))
			return false;
	}
	return yyjson_obj_size(after) == others + 1;
}

/* Whether its token is of the key that Slurm has, for the user named as the Secret. */
static bool has_its_token(const struct sim_oracle *o, const struct sim_version *v, char *out,
	size_t cap)
{
	const char *text = sim_str(sim_get(v->root, "data"), "auth-token");
	AUTO(own_free) char *token = NULL;
	size_t n;
	int64_t begins_s, ends_s;
	const char *key = o->slurms[0].slurm->key;
	if (strcmp(v->name, SIM_PORTAL) != 0 || !key)
		return true;
	if (base64_decode(text, strlen(text), &token, &n) &&
		token_is_minted(token, key, v->name, &begins_s, &ends_s) &&
		o->kube->loop->wall_ms / 1000 < ends_s)
		return true;
	snprintf(out, cap, "Secret %s has no token that is good", v->name);
	return false;
}

/* Nothing but the token of a Secret that asks for it. */
static void secret_written(struct sim_oracle *o, const struct sim_write *w)
{
	if (w->actor != ACTOR_OPERATOR)
		return;
	const char *of = w->before
		? sim_str(sim_get(sim_meta(w->before), "annotations"), "slinky.slurm.net/token-of")
		: "";
	if (strcmp(of, WORLD_CLUSTER) != 0 || strcmp(w->verb, "patch") != 0)
		sim_oracle_break(o, "P9", w->request, "Secret %s asked for no token",
			w->after->name);
	else if (!same_but_token(sim_get(w->before->root, "data"), sim_get(w->after->root, "data")))
		sim_oracle_break(o, "P9", w->request, "more than the token of Secret %s is written",
			w->after->name);
}

const struct sim_kind sim_kind_secret = {
	.resource = RES_SECRET,
	.means = RES_CLUSTER,
	.acts = secret_acts,
	.n_acts = LENGTH(secret_acts),
	.on_write = secret_written,
	.fits = has_its_token,
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

static bool tokens_fit(const struct sim_version *v)
{
	return !yyjson_arr_size(sim_get(sim_at(v->root, "spec", "token"), "writeTo")) ||
		sim_condition_true(v, "TokensWritten");
}

static bool fits(const struct sim_oracle *o, const struct sim_version *v, char *out, size_t cap)
{
	(void)o;
	const char *reason = sim_str(sim_condition(v, "Ready"), "reason");
	if (!sim_terminating(v) && sim_condition_true(v, "Ready") && tokens_fit(v))
		return true;
	snprintf(out, cap, "Cluster %s/%s is %s: %s", v->ns, v->name,
		sim_terminating(v)                       ? "still being deleted"
			: sim_condition_true(v, "Ready") ? "without TokensWritten"
							 : "not Ready",
		reason);
	return false;
}

const struct sim_kind sim_kind_cluster = {
	.resource = RES_CLUSTER,
	.begin = begin,
	.some = some,
	.has_conditions = true,
	.fits = fits,
};
