/* SPDX-License-Identifier: Apache-2.0 */
/* The world of the bridge: it is put together, its programs die and live again. */
#include "sim/sim_bridge.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/job_results.h"
#include "api/names.h"
#include "base/own.h"
#include "engine/controller.h"
#include "engine/lead.h"
#include "kind/all.h"

enum { WALL_AT_START_S = 1767225600 }; /* 2026-01-01 */

int64_t bridge_now_ms(const struct bridge *b) { return b->loop->now_ms - SIM_LOOP_START_MS; }

void bridge_note(void *ctx, const char *format, ...)
{
	struct bridge *b = ctx;
	char text[400];
	va_list args;
	if (!b->trace)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	str_addf(&b->log, "%10.3f  %s\n", (double)bridge_now_ms(b) / 1000, text);
}

void bridge_break(struct bridge *b, const char *promise, const char *format, ...)
{
	char text[420];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	bridge_note(b, "%s BROKEN: %s", promise, text);
	if (*b->promise)
		return;
	snprintf(b->promise, sizeof(b->promise), "%s", promise);
	snprintf(b->broken, sizeof(b->broken), "seed %llu, %.3f s: %s is broken: %s",
		(unsigned long long)b->seed, (double)bridge_now_ms(b) / 1000, promise, text);
}

/* ---- programs ---- */

static void manager_lives(struct bridge *b)
{
	static const struct kind *const kinds[] = { &kind_slurmjob, NULL };
	static const struct kind *const both[] = { &kind_slurmjob, &kind_older_slurmjob, NULL };
	static struct job_options options;
	options = job_options_usual;
	options.image = "example.com/slurm-operator:1";
	struct bridge_program *p = &b->programs[BRIDGE_MANAGER];
	struct controller_config config = {
		.kube = &p->kube,
		.loop = &b->loop->loop,
		.http_new = sim_http_factory,
		.http_ctx = &b->net->programs[BRIDGE_MANAGER],
		.kinds = b->two_groups ? both : kinds,
		.jobs = &options,
	};
	b->controller = controller_new(&config);
	struct lead_config lead = {
		.kube = &p->kube,
		.loop = &b->loop->loop,
		.controller = b->controller,
		.ns = BRIDGE_NS,
		.identity = "manager",
	};
	b->lead = lead_new(&lead);
}

static void vnode_lives(struct bridge *b)
{
	bridge_choose_account(b);
	const struct vnode_box boxes[] = {
		{ "hpc", sim_link_client(&b->link), NULL, NULL },
		{ "hpc", sim_link_client(&b->other.link), NULL, "other" },
	};
	const struct vnode_space space = { "hpc", BRIDGE_NS, "other" };
	const struct vnode_config config = {
		.kube = &b->programs[BRIDGE_VNODE].kube,
		.loop = &b->loop->loop,
		.boxes = boxes,
		.n_boxes = b->other.is_known ? 2 : 1,
		.spaces = &space,
		.n_spaces = b->other.mapped ? 1 : 0,
		.address = "10.0.0.7",
		.calls = &red_box_calls,
	};
	b->vnode = vnode_new(&config);
	vnode_listens(b->vnode, 10250, "sha256//key");
}

static void live(void *ctx)
{
	struct bridge_program *p = ctx;
	struct sim_program *program = &p->b->net->programs[p->who];
	p->turn = NULL;
	p->lives++;
	p->born_ms = p->b->loop->now_ms;
	program->life++;
	p->kube = (struct kube){ sim_http_new_of(program, BRIDGE_URL, 100), &p->b->loop->loop };
	if (p->who == BRIDGE_MANAGER)
		manager_lives(p->b);
	else
		vnode_lives(p->b);
}

static bool die(struct bridge *b, int who)
{
	if (who == BRIDGE_MANAGER ? !b->controller : !b->vnode)
		return false;
	if (who == BRIDGE_MANAGER) {
		lead_free(TAKE(b->lead));
		controller_free(TAKE(b->controller));
	} else {
		vnode_free(TAKE(b->vnode));
	}
	http_free(TAKE(b->programs[who].kube.http));
	return true;
}

void bridge_crash(struct bridge *b, int who, int64_t for_ms)
{
	struct bridge_program *p = &b->programs[who];
	if (!die(b, who))
		return;
	bridge_note(b, "%s dies", who == BRIDGE_MANAGER ? "the manager" : "the virtual node");
	int64_t pause_ms = sim_rand_range(&p->rand, 100, 5000);
	p->turn = timer_start(&b->loop->loop, for_ms ? for_ms : pause_ms, live, p);
}

static void crash_of_net(void *ctx, int who) { bridge_crash(ctx, who, 0); }
static void crash_client(void *ctx) { bridge_crash(ctx, BRIDGE_VNODE, 0); }

static void crash_box(void *ctx)
{
	struct bridge *b = ctx;
	if (b->box.service)
		bridge_note(b, "red-box dies");
	sim_redbox_crash(&b->box, 0);
}

/* ---- the scheduler ---- */

static bool waits(const struct sim_version *pod)
{
	return !*sim_str(sim_get(pod->root, "spec"), "nodeName") && !sim_terminating(pod) &&
		!bridge_is_preparer(pod);
}

/* Where the taint is PreferNoSchedule, a pod that has no other node goes there. */
static bool node_takes(const struct bridge *b)
{
	const struct sim_version *node = sim_store_find(&b->kube.store, RES_NODE, "", BRIDGE_NODE);
	yyjson_val *taints = node ? sim_at(node->root, "spec", "taints") : NULL, *taint;
	bool takes = node;
	yyjson_arr_iter it = yyjson_arr_iter_with(taints);
	while ((taint = yyjson_arr_iter_next(&it)))
		takes &= strcmp(sim_str(taint, "key"), TAINT_UNAVAILABLE) != 0 ||
			strcmp(sim_str(taint, "effect"), "NoSchedule") != 0;
	return takes;
}

/* Once for each, as the scheduler says it; nothing else stands there before. */
static void say_scheduled(struct bridge *b, const struct sim_version *pod, bool is)
{
	char patch[240];
	yyjson_val *said = sim_condition(pod, "PodScheduled");
	if (strcmp(sim_str(said, "status"), is ? "True" : "False") == 0 || (is && !said))
		return;
	snprintf(patch, sizeof(patch),
		"{'status':{'conditions':[{'type':'PodScheduled','status':'%s'%s}]}}",
		is ? "True" : "False",
		is ? "" : ",'reason':'Unschedulable','message':'0/1 nodes are available'");
	sim_patch_text(&b->kube, ACTOR_SCHEDULER, RES_POD, pod->ns, pod->name, "status", patch);
}

static void place(struct bridge *b, const struct sim_version *pod)
{
	AUTO(own_free) char *ns = own_strdup(pod->ns), *name = own_strdup(pod->name);
	bool takes = node_takes(b);
	say_scheduled(b, pod, takes);
	if (takes)
		sim_patch_text(&b->kube, ACTOR_SCHEDULER, RES_POD, ns, name, "",
			"{'spec':{'nodeName':'" BRIDGE_NODE "'}}");
}

static void schedule(void *ctx)
{
	struct bridge *b = ctx;
	const struct sim_list *pods = &b->kube.store.of[RES_POD];
	b->scheduler = timer_start(&b->loop->loop, sim_rand_range(&b->kube.rand, 200, 2000),
		schedule, b);
	for (size_t i = 0; i < pods->n; i++)
		if (waits(pods->at[i]))
			place(b, pods->at[i]);
	for (size_t i = 0; i < pods->n; i++)
		if (bridge_is_preparer(pods->at[i]))
			bridge_run_preparer(b, pods->at[i]);
}

/* ---- its life ---- */

static void make_namespace(struct bridge *b, const char *name)
{
	char text[160];
	snprintf(text, sizeof(text),
		"{'apiVersion':'v1','kind':'Namespace','metadata':{'name':'%s'}}", name);
	yyjson_doc *doc = sim_json(text);
	sim_create(&b->kube, (struct sim_origin){ .actor = ACTOR_USER }, RES_NAMESPACE, "",
		yyjson_doc_get_root(doc));
	yyjson_doc_free(doc);
}

struct bridge *bridge_new(uint64_t seed)
{
	struct bridge *b = own_alloc(sizeof(*b));
	b->seed = seed;
	b->rand = sim_rand_new(seed, 41);
	b->inputs = sim_rand_new(seed, 49);
	b->rest = sim_rand_new(seed, 91);
	b->two_groups = seed % 5 == 4;
	b->groups = sim_rand_new(seed, 81);
	b->loop = sim_loop_new((int64_t)WALL_AT_START_S * 1000);
	b->net = sim_net_new(b->loop, seed);
	b->net->on_crash = crash_of_net;
	b->net->crash_ctx = b;
	sim_kube_init(&b->kube, b->net, BRIDGE_URL, seed);
	sim_hpc_init(&b->hpc, b->loop, &b->net->faults, seed);
	sim_link_init(&b->link, b->loop, &b->net->faults, seed);
	b->hpc.crash_box = b->link.crash_box = crash_box;
	b->link.crash_client = crash_client;
	b->hpc.note = bridge_note;
	b->hpc.ctx = b->link.ctx = b;
	make_namespace(b, BRIDGE_NS);
	make_namespace(b, "kube-node-lease");
	make_namespace(b, "default");
	bridge_watch(b);
	sim_redbox_init(&b->box, &b->link, &b->hpc, seed, seed % 2);
	sim_redbox_live(&b->box);
	bridge_other_begin(b);
	for (int i = 0; i < 2; i++) {
		b->programs[i] = (struct bridge_program){
			.b = b, .who = i, .rand = sim_rand_new(seed, 42 + (uint64_t)i)
		};
		live(&b->programs[i]);
	}
	schedule(b);
	return b;
}

void bridge_free(struct bridge *b)
{
	for (int i = 0; i < 2; i++) {
		timer_stop(&b->loop->loop, b->programs[i].turn);
		die(b, i);
	}
	timer_stop(&b->loop->loop, b->scheduler);
	bridge_stranger_end(b);
	bridge_rest_end(b);
	bridge_other_end(b);
	sim_redbox_free(&b->box);
	sim_link_free(&b->link);
	sim_hpc_free(&b->hpc);
	sim_kube_free(&b->kube);
	sim_net_free(b->net);
	sim_loop_free(b->loop);
	str_free(&b->log);
	free(b);
}
