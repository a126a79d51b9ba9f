/* SPDX-License-Identifier: Apache-2.0 */
/* What users and administrators do in a seed. */
#include "sim/sim_users.h"

#include <stdio.h>
#include <string.h>

#include "base/own.h"

#define SET "foo"
enum { NODES = 7 };
#define CORDON "nodeset.slinky.slurm.net/pod-cordon"

static int64_t draw(struct world *w, int64_t low, int64_t high)
{
	return sim_rand_range(&w->rand, low, high);
}

struct name {
	char text[32];
};

static struct name some_pod(struct world *w)
{
	struct name n;
	snprintf(n.text, sizeof(n.text), SET "-%d", (int)draw(w, 0, 5));
	return n;
}

static void patch_set(struct world *w, const char *merge_patch)
{
	world_patch(w, RES_NODESET, WORLD_NS, SET, "", merge_patch);
}
static void patch_pod(struct world *w, const char *merge_patch)
{
	world_patch(w, RES_POD, WORLD_NS, some_pod(w).text, "", merge_patch);
}

/* ---- users of the NodeSet ---- */

static void scale(struct world *w) { world_scale(w, WORLD_NS, SET, (int)draw(w, 0, 6)); }

/*
 * All in and all out again and again within seconds: what is known of the old nodes and
 * pods is still on its way when the new ones have their names.
 */
enum { SEESAW_TIMES = 4 };
static void all_in(struct world *w) { world_scale(w, WORLD_NS, SET, 0); }
static void all_out(struct world *w) { world_scale(w, WORLD_NS, SET, 5); }

static void new_image(struct world *w)
{
	struct name image;
	snprintf(image.text, sizeof(image.text), "slurmd:%d", (int)draw(w, 1, 1000));
	world_set_template_image(w, WORLD_NS, SET, image.text);
}

static void broken_image(struct world *w)
{
	world_set_template_image(w, WORLD_NS, SET, "slurmd:broken");
}

static void max_unavailable(struct world *w)
{
	static const char *const values[] = { "1", "2", "'50%'", "0", "'x'" };
	char patch[120];
	snprintf(patch, sizeof(patch),
		"{'spec':{'updateStrategy':{'rollingUpdate':{'maxUnavailable':%s}}}}",
		values[draw(w, 0, LENGTH(values) - 1)]);
	patch_set(w, patch);
}

static void strategy(struct world *w)
{
	patch_set(w,
		draw(w, 0, 1) ? "{'spec':{'updateStrategy':{'type':'OnDelete'}}}"
			      : "{'spec':{'updateStrategy':{'type':'RollingUpdate'}}}");
}

static void min_ready(struct world *w)
{
	patch_set(w,
		draw(w, 0, 1) ? "{'spec':{'minReadySeconds':8}}"
			      : "{'spec':{'minReadySeconds':0}}");
}

static void release_now(struct world *w)
{
	patch_set(w,
		draw(w, 0, 1) ? "{'metadata':{'annotations':{'nodeset.slinky.slurm.net/"
				"release-now':'true'}}}"
			      : "{'metadata':{'annotations':{'nodeset.slinky.slurm.net/"
				"release-now':null}}}");
}

#define OWN_SELECTOR "{'spec':{'selector':{'matchLabels':{'app':'" SET "'}}}}"

/* It selects every pod of the namespace, until somebody notices. */
static void empty_selector(struct world *w)
{
	patch_set(w, draw(w, 0, 1) ? "{'spec':{'selector':{'matchLabels':null}}}" : OWN_SELECTOR);
}

/* ---- users of pods ---- */

static void delete_pod(struct world *w) { world_delete(w, RES_POD, WORLD_NS, some_pod(w).text); }
static void cordon(struct world *w)
{
	patch_pod(w, "{'metadata':{'annotations':{'" CORDON "':'true'}}}");
}
static void uncordon(struct world *w)
{
	patch_pod(w, "{'metadata':{'annotations':{'" CORDON "':null}}}");
}
static void prefer(struct world *w)
{
	patch_pod(w,
		"{'metadata':{'annotations':{'controller.kubernetes.io/pod-deletion-cost':'-5'}}}");
}

/* Somebody's own pod with a name like ours: of another label, or of ours. */
static void stray_pod(struct world *w)
{
	char pod[400];
	struct name name = some_pod(w);
	snprintf(pod, sizeof(pod),
		"{'apiVersion':'v1','kind':'Pod','metadata':{'name':'%s','namespace':'" WORLD_NS
		"','labels':{'app':'%s'}},"
		"'spec':{'containers':[{'name':'c','image':'busybox'}]}}",
		name.text, draw(w, 0, 1) ? "other" : SET);
	yyjson_doc *doc = sim_json(pod);
	sim_create(&w->kube, (struct sim_origin){ .actor = ACTOR_USER }, RES_POD, WORLD_NS,
		yyjson_doc_get_root(doc));
	yyjson_doc_free(doc);
}

/* ---- others who write on the same objects ---- */

static void label(struct world *w)
{
	char patch[120];
	snprintf(patch, sizeof(patch),
		"{'metadata':{'labels':{'team':'t%d'},'annotations':{'example.com/seen':'%d'}}}",
		(int)draw(w, 0, 99), (int)draw(w, 0, 99));
	if (draw(w, 0, 1))
		patch_set(w, patch);
	else
		patch_pod(w, patch);
}

/*
 * Appended to the list, as somebody does who knows that it is not theirs alone; without a
 * list there is nothing to append to.
 */
static void condition(struct world *w)
{
	char patch[240];
	bool set = draw(w, 0, 1);
	snprintf(patch, sizeof(patch),
		"[{'op':'add','path':'/status/conditions/-','value':{'type':'example.com/"
		"Seen','status':'True','message':'%d'}}]",
		(int)draw(w, 0, 999));
	yyjson_doc *doc = sim_json(patch);
	sim_patch(&w->kube, (struct sim_origin){ .actor = ACTOR_USER },
		set ? RES_NODESET : RES_CLUSTER, WORLD_NS, set ? SET : WORLD_CLUSTER, "status",
		SIM_JSON_PATCH, yyjson_doc_get_root(doc));
	yyjson_doc_free(doc);
}

/* ---- users and administrators of Slurm ---- */

static void job_on(struct world *w)
{
	world_start_job_on(w, some_pod(w).text, (int)draw(w, 5, 200));
}
static void wide_job(struct world *w) { world_start_job(w, 2, (int)draw(w, 5, 100)); }

static void many_jobs(struct world *w)
{
	for (int64_t n = draw(w, 2, 8); n > 0; n--)
		world_start_job(w, 1, (int)draw(w, 2, 60));
}

/* scontrol takes no drain without a reason */
static void drain(struct world *w) { world_admin_drain(w, some_pod(w).text, "bad disk"); }
static void undrain(struct world *w) { world_admin_undrain(w, some_pod(w).text); }

/* ---- machines ---- */

static void pod_fails(struct world *w)
{
	sim_kubelet_fail(&w->kubelet, WORLD_NS, some_pod(w).text);
}
static void pod_crashes(struct world *w)
{
	sim_kubelet_crash(&w->kubelet, WORLD_NS, some_pod(w).text, draw(w, 100, 20000));
}
static void pod_unready(struct world *w)
{
	sim_kubelet_unready(&w->kubelet, WORLD_NS, some_pod(w).text, draw(w, 100, 60000));
}
static void machine_lost(struct world *w)
{
	sim_kubelet_machine_lost(&w->kubelet, (int)draw(w, 0, SIM_MACHINES - 1),
		draw(w, 1000, 300000));
}
static void clock_jumps(struct world *w)
{
	sim_loop_jump_wall(w->loop, draw(w, -7200, 7200) * 1000);
}
static void slurmrestd(struct world *w) { world_slurmrestd(w, !draw(w, 0, 1)); }
static void slurmctld(struct world *w) { world_slurmctld(w, draw(w, 0, 1)); }
static void slurmctld_restart(struct world *w) { world_slurmctld_restart(w, draw(w, 0, 1)); }
static void apiserver_restart(struct world *w) { world_apiserver_restart(w, draw(w, 500, 20000)); }

static void secret_deleted(struct world *w)
{
	if (draw(w, 0, 1))
		world_delete(w, RES_SECRET, WORLD_NS, "slurm-token");
	else
		world_rotate_token(w);
}

/* ---- which, and when ---- */

static const struct act {
	int weight;
	void (*happens)(struct world *w);
} acts[] = {
	{ 4, scale },
	{ 1, all_in },
	{ 2, new_image },
	{ 1, broken_image },
	{ 1, max_unavailable },
	{ 1, strategy },
	{ 1, min_ready },
	{ 1, release_now },
	{ 1, empty_selector },
	{ 2, delete_pod },
	{ 2, cordon },
	{ 2, uncordon },
	{ 1, prefer },
	{ 1, stray_pod },
	{ 2, label },
	{ 1, condition },
	{ 4, job_on },
	{ 2, wide_job },
	{ 3, many_jobs },
	{ 2, drain },
	{ 2, undrain },
	{ 1, pod_fails },
	{ 1, pod_crashes },
	{ 2, pod_unready },
	{ 1, machine_lost },
	{ 1, clock_jumps },
	{ 2, slurmrestd },
	{ 1, slurmctld },
	{ 2, slurmctld_restart },
	{ 2, apiserver_restart },
	{ 2, world_rotate_token },
	{ 1, secret_deleted },
};
_Static_assert(LENGTH(acts) <= SIM_ACTS, "every act must have a weight");

struct sim_users sim_users_new(struct world *w)
{
	struct sim_users u = {
		.w = w,
		.deletes = draw(w, 0, 4) == 0,
		.hasty = draw(w, 0, 2) == 0,
		.acts = (int)draw(w, 6, 24),
	};
	for (size_t i = 0; i < LENGTH(acts); i++)
		u.weight[i] = draw(w, 0, 1) ? acts[i].weight * (int)draw(w, 1, 3) : 0;
	u.weight[0] += 2; /* somebody scales in every world */
	w->kube.page_most = draw(w, 0, 2) ? 0 : (size_t)draw(w, 1, 2);
	world_add_nodeset(w, SET, (int)draw(w, 1, 5), "slurmd:0", draw(w, 0, 1) ? "1" : "50%");
	return u;
}

int64_t sim_users_pause_ms(struct sim_users *u)
{
	if (u->seesaw)
		return draw(u->w, 500, 8000);
	bool soon = draw(u->w, 0, 2) == 0 || u->hasty;
	return soon ? draw(u->w, 10, 4000) : draw(u->w, 50, 40000);
}

void sim_users_act(struct sim_users *u)
{
	if (u->seesaw) {
		(u->seesaw-- % 2 ? all_in : all_out)(u->w);
		return;
	}
	int64_t sum = 0;
	for (size_t i = 0; i < LENGTH(acts); i++)
		sum += u->weight[i];
	int64_t dice = draw(u->w, 0, sum - 1);
	for (size_t i = 0; i < LENGTH(acts); dice -= u->weight[i++]) {
		if (dice >= u->weight[i])
			continue;
		acts[i].happens(u->w);
		u->seesaw = acts[i].happens == all_in ? SEESAW_TIMES : 0;
		return;
	}
}

static void repair_pods(struct world *w)
{
	struct name node;
	for (int i = 0; i < NODES; i++) {
		snprintf(node.text, sizeof(node.text), SET "-%d", i);
		world_admin_undrain(w, node.text);
		world_patch(w, RES_POD, WORLD_NS, node.text, "",
			"{'metadata':{'annotations':{'" CORDON "':null}}}");
		const struct sim_version *pod = world_object(w, RES_POD, WORLD_NS, node.text);
		if (pod && strcmp(sim_label(pod, "app"), "other") == 0)
			world_delete(w, RES_POD, WORLD_NS, node.text); /* it took a name of ours */
	}
}

void sim_users_calm(struct sim_users *u)
{
	enum { JOBS_LEFT = 10 };
	struct world *w = u->w;
	w->net->faults.off = true;
	sim_rough_repair(w);
	world_slurmrestd(w, true);
	world_slurmctld(w, true);
	world_rotate_token(w);
	/* What goes on for hours gives the operator something to write for hours */
	sim_slurm_cancel_waiting(&w->slurm, JOBS_LEFT);
	for (int i = 0; i < SIM_MACHINES; i++)
		sim_kubelet_machine_back(&w->kubelet, i);
}

void sim_users_repair(struct sim_users *u)
{
	struct world *w = u->w;
	if (u->deletes)
		world_delete_nodeset(w, WORLD_NS, SET);
	sim_users_calm(u);
	patch_set(w, OWN_SELECTOR);
	patch_set(w,
		"{'metadata':{'annotations':{'nodeset.slinky.slurm.net/release-now':null}},"
		"'spec':{'minReadySeconds':0,'updateStrategy':{'type':'RollingUpdate','"
		"rollingUpdate':{'maxUnavailable':1}}}}");
	new_image(w);
	repair_pods(w);
}
