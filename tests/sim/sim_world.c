/* SPDX-License-Identifier: Apache-2.0 */
/* A world from one seed: it is put together and taken apart here. */
#include "sim/sim_world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "sim/sim_kind.h"

enum { WALL_AT_START_S = 1767225600 }; /* 2026-01-01 */

static void pod_started(void *ctx, const struct sim_version *pod, const char *address)
{
	struct world *w = ctx;
	if (!pod || sim_mute(pod))
		return;
	const char *name = sim_slurm_name(pod);
	AUTO(str_free) struct str node = { 0 };
	str_addf(&node, "%s%s", sim_other_name(pod) ? "alt-" : "", name);
	struct sim_slurm *slurm = sim_oracle_slurm_of(&w->oracle, pod);
	if (!slurm)
		return;
	sim_slurmd_started(slurm,
		&(struct sim_slurmd_id){
			.node = str_text(&node),
			.uid = pod->uid,
			.address = address,
			.hostname = name,
		});
}

static void pod_stopped(void *ctx, const char *uid, bool graceful)
{
	struct world *w = ctx;
	sim_oracle_on_end(&w->oracle, uid);
	for (int i = 0; i < w->oracle.n_slurms; i++) {
		struct sim_slurm *s = w->oracle.slurms[i].slurm;
		if (s->ctx != &w->oracle.slurms[i])
			continue; /* two Clusters are of one Slurm */
		for (const struct sim_node *n = s->nodes; n; n = n->next)
			w->killed += strcmp(n->uid, uid) == 0 && sim_node_job(n) && !n->ending;
		sim_slurmd_stopped(s, uid, graceful);
	}
}

struct world *world_new(uint64_t seed)
{
	struct world *w = own_alloc(sizeof(*w));
	w->seed = seed;
	w->rand = sim_rand_new(seed, 9);
	w->loop = sim_loop_new((int64_t)WALL_AT_START_S * 1000);
	w->net = sim_net_new(w->loop, seed);
	sim_kube_init(&w->kube, w->net, WORLD_KUBE_URL, seed);
	sim_kubelet_init(&w->kubelet, &w->kube, seed);
	sim_slurm_init(&w->slurm, w->net, WORLD_SLURM_URL, seed);
	w->kubelet.started = pod_started;
	w->kubelet.stopped = pod_stopped;
	w->kubelet.ctx = w;
	sim_oracle_init(&w->oracle, seed, &w->kube);
	sim_oracle_watch(&w->oracle, &w->slurm, WORLD_NS, WORLD_CLUSTER);
	for (const struct sim_kind *const *k = sim_kinds; *k; k++)
		if ((*k)->begin)
			(*k)->begin(w);
	return w;
}

struct sim_slurm *world_add_slurm(struct world *w, const char *ns, const char *cluster,
	const char *called)
{
	AUTO(str_free) struct str url = { 0 };
	struct sim_slurm *s = w->more[w->n_more++] = own_alloc(sizeof(*s));
	str_addf(&url, "http://%s-restapi.%s:6820", cluster, ns);
	sim_slurm_init(s, w->net, str_text(&url), w->seed + 1000 * w->n_more);
	s->server.base_url = str_take(&url);
	s->cluster = called;
	snprintf(s->token, sizeof(s->token), "token-of-%s-1", called);
	sim_oracle_watch(&w->oracle, s, ns, cluster);
	return s;
}

void world_free(struct world *w)
{
	if (!w)
		return;
	sim_kubelet_free(&w->kubelet);
	sim_slurm_free(&w->slurm);
	if (w->other)
		sim_slurm_free(w->other);
	for (size_t i = 0; i < w->n_more; i++)
		sim_slurm_free(w->more[i]);
	sim_kube_free(&w->kube);
	sim_net_free(w->net);
	free(w->other); /* its server was one of the net's */
	for (size_t i = 0; i < w->n_more; i++) {
		free((char *)(uintptr_t)w->more[i]->server.base_url);
		free(w->more[i]);
	}
	sim_oracle_free(&w->oracle);
	sim_loop_free(w->loop);
	free(w);
}

struct loop *world_loop(struct world *w) { return &w->loop->loop; }

struct http *world_kube_http_of(struct world *w, int who)
{
	sim_oracle_forget(&w->oracle, who, true);
	w->net->programs[who].life++;
	return sim_http_new_of(&w->net->programs[who], WORLD_KUBE_URL, 100);
}

struct http *world_kube_http(struct world *w) { return world_kube_http_of(w, 0); }

struct http *world_user_http(struct world *w)
{
	return sim_http_new(w->net, WORLD_KUBE_URL, 100, false);
}

/* A dead program knows nothing. */
static void on_crash(void *ctx, int who)
{
	struct world *w = ctx;
	sim_oracle_forget(&w->oracle, who, false);
	w->on_crash(w->crash_ctx, who);
}

void world_on_crash(struct world *w, void (*fn)(void *ctx, int who), void *ctx)
{
	w->on_crash = fn;
	w->crash_ctx = ctx;
	w->net->on_crash = on_crash;
	w->net->crash_ctx = w;
}

/* ---- time ---- */

bool world_step(struct world *w) { return sim_loop_step(w->loop); }

void world_run(struct world *w, int64_t ms)
{
	int64_t end = w->loop->now_ms + ms;
	while (sim_loop_due_ms(w->loop) <= end && !world_broken(w))
		sim_loop_step(w->loop);
	if (!world_broken(w))
		sim_loop_run_until(w->loop, end);
}

bool world_run_until(struct world *w, bool (*is)(struct world *w), int64_t at_most_ms)
{
	int64_t end = w->loop->now_ms + at_most_ms;
	while (!is(w)) {
		if (world_broken(w) || sim_loop_due_ms(w->loop) > end)
			return false;
		sim_loop_step(w->loop);
	}
	return true;
}

bool world_settle(struct world *w, int64_t quiet_ms, int64_t at_most_ms)
{
	/* looking is not free: once a second of the fake clock is enough */
	for (int64_t end = w->loop->now_ms + at_most_ms;
		w->loop->now_ms < end && !world_broken(w);) {
		if (!world_unsettled(w, quiet_ms))
			return true;
		world_run(w, 1000);
	}
	return false;
}

int64_t world_now_s(const struct world *w) { return (w->loop->now_ms - SIM_LOOP_START_MS) / 1000; }

/* ---- what users know ---- */

struct world_object *world_know(struct world *w, enum resource r, const char *ns, const char *name,
	struct sim_slurm *slurm)
{
	if (w->n_objects == WORLD_OBJECTS)
		abort();
	struct world_object *o = &w->objects[w->n_objects++];
	*o = (struct world_object){ .resource = r, .slurm = slurm };
	snprintf(o->ns, sizeof(o->ns), "%s", ns);
	snprintf(o->name, sizeof(o->name), "%s", name);
	return o;
}

static bool may_be_meant(const struct world_object *o, enum resource r)
{
	return o->resource == r && !o->left_alone;
}

const struct world_object *world_pick(struct world *w, enum resource r)
{
	int64_t n = 0;
	for (size_t i = 0; i < w->n_objects; i++)
		n += may_be_meant(&w->objects[i], r);
	n = n ? sim_rand_range(&w->rand, 0, n - 1) : 0;
	for (size_t i = 0; i < w->n_objects; i++)
		if (may_be_meant(&w->objects[i], r) && n-- == 0)
			return &w->objects[i];
	return NULL;
}

/* ---- users ---- */

static void must(const struct sim_result *r, const char *what)
{
	if (r->status < 300)
		return;
	fprintf(stderr, "sim: %s: %d %s\n", what, r->status, r->message);
	abort();
}

void world_apply(struct world *w, const char *json)
{
	yyjson_doc *doc = sim_json(json);
	yyjson_val *root = yyjson_doc_get_root(doc), *meta = sim_get(root, "metadata");
	struct sim_origin user = { .actor = ACTOR_USER };
	struct sim_result r = sim_refuse(400, "BadRequest", "not a known kind: %.200s", json);
	for (int i = RES_NONE; i < RES_COUNT; i++) {
		const struct resource_row *row = &resource_rows[i];
		if (!*row->kind || strcmp(row->kind, sim_str(root, "kind")) != 0 ||
			strcmp(row->api_version, sim_str(root, "apiVersion")) != 0)
			continue;
		const char *ns = !row->namespaced     ? ""
			: *sim_str(meta, "namespace") ? sim_str(meta, "namespace")
						      : WORLD_NS;
		const char *name = sim_str(meta, "name");
		r = sim_store_find(&w->kube.store, (enum resource)i, ns, name)
			? sim_patch(&w->kube, user, (enum resource)i, ns, name, "", SIM_MERGE_PATCH,
				  root)
			: sim_create(&w->kube, user, (enum resource)i, ns, root);
	}
	must(&r, "apply");
	yyjson_doc_free(doc);
}

void world_add_nodeset(struct world *w, const char *name, int replicas, const char *image,
	const char *max_unavailable)
{
	world_apply_nodeset(w,
		&(struct world_nodeset){
			.ns = WORLD_NS,
			.name = name,
			.replicas = replicas,
			.image = image,
			.max_unavailable = max_unavailable,
		});
}

void world_patch(struct world *w, enum resource r, const char *ns, const char *name,
	const char *sub, const char *merge_patch)
{
	struct sim_result out = sim_patch_text(&w->kube, ACTOR_USER, r, ns, name, sub, merge_patch);
	if (out.status != 404) /* gone meanwhile: a story's user shrugs */
		must(&out, "patch");
}

void world_scale(struct world *w, const char *ns, const char *name, int replicas)
{
	char patch[64];
	snprintf(patch, sizeof(patch), "{'spec':{'replicas':%d}}", replicas);
	world_patch(w, RES_NODESET, ns, name, "", patch);
}

void world_set_template_image(struct world *w, const char *ns, const char *name, const char *image)
{
	char patch[256];
	snprintf(patch, sizeof(patch),
		"{'spec':{'template':{'spec':{'containers':[{'name':'slurmd','image':'%s'}]}}}}",
		image);
	world_patch(w, RES_NODESET, ns, name, "", patch);
}

void world_delete(struct world *w, enum resource r, const char *ns, const char *name)
{
	sim_delete(&w->kube, (struct sim_origin){ .actor = ACTOR_USER }, r, ns, name, NULL);
}

void world_delete_nodeset(struct world *w, const char *ns, const char *name)
{
	world_delete(w, RES_NODESET, ns, name);
}

void world_rotate_token(struct world *w) { world_new_token(w, &w->objects[0]); }

/* ---- Slurm's people ---- */

int64_t world_start_job(struct world *w, int nodes, int seconds)
{
	return sim_slurm_submit(&w->slurm, nodes, NULL, (int64_t)seconds * 1000);
}
int64_t world_start_job_on(struct world *w, const char *node, int seconds)
{
	return sim_slurm_submit(&w->slurm, 1, node, (int64_t)seconds * 1000);
}
bool world_admin_drain(struct world *w, const char *node, const char *reason)
{
	return sim_slurm_admin_drain(&w->slurm, node, reason);
}
bool world_admin_undrain(struct world *w, const char *node)
{
	return sim_slurm_admin_undrain(&w->slurm, node);
}

/* ---- troubles ---- */

void world_slurmrestd(struct world *w, bool up)
{
	if (up)
		sim_server_up(&w->slurm.server);
	else
		sim_server_down(&w->slurm.server, 0);
}

void world_slurmctld(struct world *w, bool up)
{
	if (up)
		sim_slurmctld_up(&w->slurm);
	else
		sim_slurmctld_down(&w->slurm, 0);
}

void world_slurmctld_restart(struct world *w, bool forget)
{
	sim_slurmctld_restart(&w->slurm, forget, sim_rand_range(&w->rand, 200, 5000));
}
void world_apiserver_restart(struct world *w, int64_t down_ms)
{
	sim_kube_restart(&w->kube, down_ms > 0 ? down_ms : 1);
}

/* ---- questions ---- */

const char *world_broken(const struct world *w) { return sim_oracle_broken(&w->oracle); }

const char *world_unsettled(struct world *w, int64_t quiet_ms)
{
	static char why[400];
	return sim_oracle_converged(&w->oracle, quiet_ms, why, sizeof(why));
}

struct sim_version *world_object(const struct world *w, enum resource r, const char *ns,
	const char *name)
{
	return sim_store_find(&w->kube.store, r, ns, name);
}

static size_t count_pods(const struct world *w, const char *nodeset, bool ready)
{
	const struct sim_list *l = &w->kube.store.of[RES_POD];
	size_t n = 0;
	for (size_t i = 0; i < l->n; i++) {
		const struct sim_version *owner = sim_store_by_uid(&w->kube.store,
			sim_owner_uid(l->at[i]));
		bool its = !nodeset ||
			(owner && owner->resource == RES_NODESET &&
				strcmp(owner->name, nodeset) == 0);
		n += its && (!ready || sim_pod_available(l->at[i], 0, 0));
	}
	return n;
}

size_t world_pods(const struct world *w, const char *nodeset)
{
	return count_pods(w, nodeset, false);
}
size_t world_ready_pods(const struct world *w, const char *nodeset)
{
	return count_pods(w, nodeset, true);
}

void world_report(const struct world *w)
{
	struct str faults = { 0 };
	sim_faults_print(w->net->faults.happened, w->net->faults.n_happened, &faults);
	if (w->oracle.log.len)
		fprintf(stderr, "%s", w->oracle.log.text);
	fprintf(stderr, "seed %llu, %lld s, %llu writes; faults: %s\n%s\n",
		(unsigned long long)w->seed, (long long)world_now_s(w),
		(unsigned long long)w->oracle.writes, str_text(&faults),
		w->oracle.n_broken ? w->oracle.broken : "no promise is broken");
	str_free(&faults);
}
