/* SPDX-License-Identifier: Apache-2.0 */
/* Tenants who harm: objects that cannot be read, and a slurmrestd of their own. */
#include "sim/sim_hostile.h"

#include <stdio.h>
#include <string.h>

#include "base/codec.h"
#include "base/own.h"
#include "sim/sim_world.h"

#define HARM "harm"
#define TENANT "tenant"

/* ---- what a hostile slurmrestd answers ---- */

/* The ways in which it harms take turns. */
enum { TURN_MS = 15000, NEVER_MS = 600000 };

enum manner { SILENT, JUNK, ENDLESS, BROKEN, DEAF, MANY_NAMES, MANY_JOBS, MANNERS };

static enum manner manner_of(const struct sim_hostile *h)
{
	int64_t turn = h->server.net->loop->now_ms / TURN_MS;
	return (enum manner)(fnv1_32(h->seed, &turn, sizeof(turn)) % MANNERS);
}

static void add_many_names(struct str *out)
{
	for (int i = 0; i < 2000; i++)
		str_addf(out,
			"%s{\"name\":\"stranger-%d\",\"hostname\":\"stranger-%d\",\"address\":"
			"\"10.%d.%d.1\",\"state\":[\"IDLE\"]}",
			i ? "," : "", i, i, i / 250, i % 250);
}

/* Adds names of its pods. A drained node has its jobs read, the others an update. */
static void add_own_names(struct str *out, bool drained)
{
	const char *more = drained
		? ",\"DRAIN\"],\"reason\":\"slurm-operator: scale-in (harm/prey)\"}"
		: "]}";
	for (int i = 0; i < 6; i++)
		str_addf(out,
			"%s{\"name\":\"prey-%d\",\"hostname\":\"prey-%d\",\"state\":[\"IDLE\"%s",
			i ? "," : "", i, i, more);
}

static void add_many_jobs(struct str *out)
{
	for (int i = 0; i < 20; i++)
		str_addf(out,
			"%s{\"job_id\":%d,\"state\":[\"RUNNING\"],\"job_state\":[\"RUNNING\"],"
			"\"nodes\":\"n[0-65535]\",\"user_name\":\"mallory\"}",
			i ? "," : "", i + 1);
}

/* As a real one, but for what it lists. */
static void answer_well(const struct sim_hostile *h, const struct sim_request *rq, struct str *out)
{
	enum manner m = manner_of(h);
	bool nodes = strstr(rq->path, "/nodes/"), jobs = strstr(rq->path, "/job");
	if (strncmp(rq->path, "/openapi/v3", 11) == 0) {
		str_add(out,
			"{\"paths\":{\"/slurm/v0.0.42/ping/\":{},\"/slurm/v0.0.42/nodes/\":{}}}");
		return;
	}
	str_add(out, "{\"pings\":[{\"hostname\":\"c\",\"pinged\":\"UP\",\"responding\":true}],");
	str_add(out, "\"nodes\":[");
	if (nodes && m == MANY_NAMES)
		add_many_names(out);
	else if (nodes)
		add_own_names(out, m == MANY_JOBS);
	str_add(out, "],\"jobs\":[");
	if (jobs && m == MANY_JOBS)
		add_many_jobs(out);
	str_addf(out,
		"],\"last_update\":{\"set\":true,\"infinite\":false,\"number\":%lld},"
		"\"meta\":{\"slurm\":{\"release\":\"24.11.5\",\"cluster\":\"hostile\"}},"
		"\"errors\":[],\"warnings\":[]}",
		(long long)sim_loop_server_ms(h->server.net->loop) / 1000);
}

static void serve(void *ctx, const struct sim_request *rq, struct sim_reply *out)
{
	const struct sim_hostile *h = ctx;
	enum manner m = manner_of(h);
	out->status = m == BROKEN ? 500 : 200;
	if (m == SILENT)
		out->delay_ms = NEVER_MS;
	else if (m == DEAF && strcmp(rq->method, "GET") != 0)
		out->delay_ms = NEVER_MS;
	else if (m == JUNK)
		str_add(&out->body, "\x1b[2J\r\n{{{\"pings\":[\xff\xfe");
	else if (m == ENDLESS)
		for (int i = 0; i < 400; i++)
			str_add(&out->body, "{\"nodes\":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[");
	else
		answer_well(h, rq, &out->body);
}

/* ---- the tenants ---- */

static void set_depth(struct world *w, const char *name, int levels)
{
	AUTO(str_free) struct str patch = { 0 };
	str_add(&patch, "{'spec':{'template':{'spec':{'junk':");
	for (int i = 0; i < levels; i++)
		str_add(&patch, "{'a':");
	str_add(&patch, levels ? "1" : "null");
	for (int i = 0; i < levels; i++)
		str_add(&patch, "}");
	str_add(&patch, "}}}}");
	world_patch(w, RES_NODESET, HARM, name, "", str_text(&patch));
}

static void apply_hostile(struct world *w)
{
	world_apply(w, "{'apiVersion':'v1','kind':'Namespace','metadata':{'name':'" HARM "'}}");
	world_apply(w,
		"{'apiVersion':'v1','kind':'Secret','metadata':{'name':'t','namespace':'" HARM
		"'},'type':'Opaque','data':{'auth-token':'aG9zdGlsZQ=='}}");
	world_apply(w,
		"{'apiVersion':'slinky.slurm.net/v1alpha1','kind':'Cluster','metadata':{'name':"
		"'liar','namespace':'" HARM "'},'spec':{'server':'" SIM_HOSTILE_URL
		"','token':{'secretRef':'t'}}}");
	world_apply_nodeset(w,
		&(struct world_nodeset){
			.ns = HARM,
			.name = "prey",
			.cluster = "liar",
			.replicas = 3,
			.image = "slurmd:0",
		});
	world_apply_nodeset(w,
		&(struct world_nodeset){
			.ns = HARM,
			.name = "deep",
			.cluster = "liar",
			.replicas = 1,
			.image = "slurmd:0",
		});
	set_depth(w, "deep", 100);
}

/* A tenant beside them, with a Slurm of its own, that does no harm. */
static void add_tenant(struct sim_rough_one *r)
{
	world_apply(r->w,
		"{'apiVersion':'v1','kind':'Namespace','metadata':{'name':'" TENANT "'}}");
	struct sim_slurm *s = world_add_slurm(r->w, TENANT, WORLD_CLUSTER, "tin");
	world_add_cluster(r->w, TENANT, WORLD_CLUSTER, s);
	world_apply_nodeset(r->w,
		&(struct world_nodeset){
			.ns = TENANT,
			.name = "quiet",
			.replicas = 2,
			.image = "slurmd:0",
			.max_unavailable = "1",
		});
	world_know(r->w, RES_NODESET, TENANT, "quiet", s)->left_alone = true;
}

void rough_hostile_set_up(struct sim_rough_one *r)
{
	struct sim_hostile *h = &r->w->hostile;
	h->seed = (uint32_t)sim_rand_range(&r->rand, 1, UINT32_MAX);
	h->server = (struct sim_server){
		.base_url = SIM_HOSTILE_URL,
		.serve = serve,
		.fault_body = sim_slurm_fault_body,
		.ctx = h,
	};
	sim_net_add(r->w->net, &h->server);
	apply_hostile(r->w);
	add_tenant(r);
}

void rough_hostile_act(struct sim_rough_one *r)
{
	char image[32];
	snprintf(image, sizeof(image), "slurmd:%d", (int)sim_rand_range(&r->rand, 0, 999));
	switch (sim_rand_range(&r->rand, 0, 4)) {
	case 0:
		world_scale(r->w, HARM, "prey", (int)sim_rand_range(&r->rand, 0, 6));
		break;
	case 1:
		world_set_template_image(r->w, HARM, "prey", image);
		break;
	case 2:
		set_depth(r->w, sim_rand_chance(&r->rand, 500) ? "prey" : "deep",
			(int)sim_rand_range(&r->rand, 0, 1) * 100);
		break;
	case 3:
		world_scale(r->w, TENANT, "quiet", (int)sim_rand_range(&r->rand, 1, 3));
		break;
	default:
		world_set_template_image(r->w, TENANT, "quiet", image);
	}
}

/*
 * The hostile tenants go on while the oracles watch those that users left alone. Then an
 * administrator throws them out: their slurmrestd says nothing of their nodes, so it is
 * the administrator's word that lets their pods go.
 */
void rough_hostile_repair(struct sim_rough_one *r)
{
	static const char *const names[] = { "prey", "deep" };
	if (!r->repairs++)
		return;
	for (size_t i = 0; i < LENGTH(names); i++) {
		world_patch(r->w, RES_NODESET, HARM, names[i], "",
			"{'metadata':{'annotations':{'nodeset.slinky.slurm.net/"
			"release-now':'true'}}}");
		world_delete_nodeset(r->w, HARM, names[i]);
	}
	world_delete(r->w, RES_CLUSTER, HARM, "liar");
}

void rough_hostile_after(struct sim_rough_one *r)
{
	for (size_t i = 0; i < r->w->n_objects; i++)
		if (strcmp(r->w->objects[i].ns, TENANT) == 0 && r->w->objects[i].left_alone)
			sim_rough_delete_unseen(r->w, &r->w->objects[i]);
}
