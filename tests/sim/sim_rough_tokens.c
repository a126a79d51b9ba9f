/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operator makes its tokens of Slurm's key, and writes one for others, while people
 * change that key and meddle with the Secrets.
 */
#include <string.h>

#include "base/own.h"
#include "sim/sim_rough.h"
#include "sim/sim_world.h"

/* In base64, as Secrets have them. */
static const char *const keys[] = {
	"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
	"//79/Pv6+fj39vX08/Lx8O/u7ezr6uno5+bl5OPi4eA=",
};
/* With which every token of the operator's begins. */
#define TOKEN "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9"
#define TOKEN_OF "'slinky.slurm.net/token-of'"

static struct sim_slurm *slurm(const struct sim_rough_one *r) { return &r->w->slurm; }

/* users: whose tokens others may have. */
static void apply_key(struct sim_rough_one *r, const char *key, const char *users)
{
	AUTO(str_free) struct str json = { 0 };
	str_addf(&json,
		"{'apiVersion':'v1','kind':'Secret','metadata':{'name':'jwt-key','namespace':"
		"'" WORLD_NS "','annotations':{'slinky.slurm.net/server':'%s','slinky.slurm.net/"
		"token-users':'%s'}},'data':{'jwt_hs256.key':'%s'}}",
		slurm(r)->server.base_url, users, key);
	world_apply(r->w, str_text(&json));
}

static void apply_portal(struct sim_rough_one *r, const char *token_of, const char *data)
{
	AUTO(str_free) struct str json = { 0 };
	str_addf(&json,
		"{'apiVersion':'v1','kind':'Secret','metadata':{'name':'" SIM_PORTAL
		"','namespace':'" WORLD_NS "','annotations':{" TOKEN_OF ":%s}},'data':{%s}}",
		token_of, data);
	world_apply(r->w, str_text(&json));
}

void rough_tokens_set_up(struct sim_rough_one *r)
{
	for (size_t i = 0; i < LENGTH(keys); i++)
		sim_oracle_secret(&r->w->oracle, keys[i]);
	sim_oracle_secret(&r->w->oracle, TOKEN);
	slurm(r)->key = keys[0];
	apply_key(r, keys[0], SIM_PORTAL);
	if (sim_rand_chance(&r->rand, 500))
		apply_portal(r, "'" WORLD_CLUSTER "'", "'password':'dGhlaXJz'");
	world_patch(r->w, RES_CLUSTER, WORLD_NS, WORLD_CLUSTER, "",
		"{'spec':{'token':{'jwtKeyRef':'jwt-key','writeTo':[{'secretRef':'" SIM_PORTAL
		"','user':'" SIM_PORTAL "','expirationSeconds':86400}]}}}");
}

/*
 * The readers of the Secret see the key later than Slurm, which is started anew with it.
 */
static void change_key(struct sim_rough_one *r)
{
	slurm(r)->key = slurm(r)->key == keys[0] ? keys[1] : keys[0];
	apply_key(r, slurm(r)->key, SIM_PORTAL);
}

void rough_tokens_act(struct sim_rough_one *r)
{
	switch (sim_rand_range(&r->rand, 0, 6)) {
	case 0:
		change_key(r);
		break;
	case 1:
		apply_key(r, slurm(r)->key, "somebody");
		break;
	case 2:
		apply_portal(r, "null", "'auth-token':'Zm9yZWlnbg=='");
		break;
	case 3:
		if (world_object(r->w, RES_SECRET, WORLD_NS, SIM_PORTAL))
			world_delete(r->w, RES_SECRET, WORLD_NS, SIM_PORTAL);
		break;
	case 4:
		apply_portal(r, "'" WORLD_CLUSTER "'", "'auth-token':'Zm9yZWlnbg=='");
		break;
	default:
		rough_tokens_repair(r);
	}
}

void rough_tokens_repair(struct sim_rough_one *r)
{
	apply_key(r, slurm(r)->key, "slurm, " SIM_PORTAL);
	apply_portal(r, "'" WORLD_CLUSTER "'", "'password':'dGhlaXJz'");
}
