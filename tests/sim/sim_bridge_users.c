/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Actions of people and machines on the bridge: one at a time. Each seed draws what
 * happens in it at all, and how fast.
 */
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "sim/sim_bridge.h"

static int64_t range(struct bridge *b, int64_t low, int64_t high)
{
	return sim_rand_range(&b->rand, low, high);
}

/* ---- SlurmJobs ---- */

static const char *some_name(struct bridge *b)
{
	static const char *const names[BRIDGE_NAMES] = { "cow", "dog", "eel", "fox", "gnu", "hen" };
	return names[range(b, 0, BRIDGE_NAMES - 1)];
}

static enum resource some_group(struct bridge *b)
{
	bool older = b->two_groups && sim_rand_chance(&b->groups, 500);
	return older ? RES_OLDER_SLURMJOB : RES_SLURMJOB;
}

static const char *some_options(int64_t what)
{
	return what < 3    ? "#SBATCH --array=0-2\\n"
		: what < 6 ? "#SBATCH -n1\\n#SBATCH hetjob\\n#SBATCH -n1\\n"
			   : "";
}

static void create(struct bridge *b, enum resource group, const char *name, const char *options,
	const char *command, const char *inputs)
{
	char text[500];
	snprintf(text, sizeof(text),
		"{'apiVersion':'%s','kind':'SlurmJob','metadata':{'name':'%s'},"
		"'spec':{'batch':'#!/bin/sh\\n%s%s\\n'%s}}",
		resource_rows[group].api_version, name, options, command, inputs);
	yyjson_doc *doc = sim_json(text);
	sim_create(&b->kube, (struct sim_origin){ .actor = ACTOR_USER }, group, BRIDGE_NS,
		yyjson_doc_get_root(doc));
	yyjson_doc_free(doc);
}

static void apply(struct bridge *b)
{
	enum resource group = some_group(b);
	const char *name = some_name(b);
	int64_t what = range(b, 0, 19);
	if (b->n_objects < BRIDGE_OBJECTS)
		create(b, group, name, some_options(what), what == 19 ? "refuse" : "hostname",
			bridge_some_inputs(b));
}

const char *bridge_apply_last(struct bridge *b)
{
	create(b, RES_SLURMJOB, "yak", "", "hostname", "");
	return b->objects[b->n_objects - 1].uid;
}

static void delete_it(struct bridge *b)
{
	static const char *const how[] = { "Background", "Background", "Background", "Foreground",
		"Orphan" };
	const char *name = some_name(b);
	sim_delete_by(&b->kube, ACTOR_USER, some_group(b), BRIDGE_NS, name,
		how[range(b, 0, LENGTH(how) - 1)]);
}

static void edit(struct bridge *b)
{
	sim_patch_text(&b->kube, ACTOR_USER, some_group(b), BRIDGE_NS, some_name(b), "",
		"{'metadata':{'labels':{'example.com/edited':'yes'}}}");
}

/* ---- pods ---- */

static const struct sim_version *some_pod(struct bridge *b)
{
	char name[64];
	snprintf(name, sizeof(name), "%s-job", some_name(b));
	return sim_store_find(&b->kube.store, RES_POD, BRIDGE_NS, name);
}

static void delete_pod(struct bridge *b)
{
	const struct sim_version *pod = some_pod(b);
	if (pod)
		sim_delete_by(&b->kube, ACTOR_USER, RES_POD, pod->ns, pod->name, "Background");
}

/* "kubectl delete pod --force" */
static void remove_pod(struct bridge *b)
{
	const struct sim_version *pod = some_pod(b);
	char name[64];
	if (!pod)
		return;
	snprintf(name, sizeof(name), "%s", pod->name);
	yyjson_doc *doc = sim_json("{'gracePeriodSeconds':0}");
	sim_delete(&b->kube, (struct sim_origin){ .actor = ACTOR_USER }, RES_POD, BRIDGE_NS, name,
		yyjson_doc_get_root(doc));
	yyjson_doc_free(doc);
}

/* As kube-controller-manager does: the condition, then the deletion. */
static void evict(struct bridge *b)
{
	const struct sim_version *pod = some_pod(b);
	char name[64];
	if (!pod || sim_terminating(pod) || !*sim_str(sim_get(pod->root, "spec"), "nodeName"))
		return;
	snprintf(name, sizeof(name), "%s", pod->name);
	bool has = yyjson_is_arr(sim_at(pod->root, "status", "conditions"));
	char text[300];
	snprintf(text, sizeof(text),
		"[{'op':'add','path':'/status/conditions%s','value':%s{'type':'DisruptionTarget',"
		"'status':'True','reason':'EvictionByEvictionAPI','message':'','"
		"lastTransitionTime':'2026-01-01T00:00:00Z'}%s}]",
		has ? "/-" : "", has ? "" : "[", has ? "" : "]");
	yyjson_doc *doc = sim_json(text);
	sim_patch(&b->kube, (struct sim_origin){ .actor = ACTOR_USER }, RES_POD, BRIDGE_NS, name,
		"status", SIM_JSON_PATCH, yyjson_doc_get_root(doc));
	yyjson_doc_free(doc);
	sim_delete_by(&b->kube, ACTOR_USER, RES_POD, BRIDGE_NS, name, "Background");
}

static void strip(struct bridge *b)
{
	const struct sim_version *pod = some_pod(b);
	if (pod)
		sim_patch_text(&b->kube, ACTOR_USER, RES_POD, pod->ns, pod->name, "",
			"{'metadata':{'annotations':{'wlm.sylabs.io/job-id':null}}}");
}

/* ---- machines ---- */

static void kill_slurmctld(struct bridge *b) { sim_hpc_kill(&b->hpc, range(b, 500, 30000)); }
static void slurmctld_away(struct bridge *b) { sim_hpc_kill(&b->hpc, range(b, 60000, 500000)); }
static void restart_slurmctld(struct bridge *b) { sim_hpc_restart(&b->hpc, range(b, 500, 60000)); }
static void slurmdbd_away(struct bridge *b) { sim_hpc_dbd_down(&b->hpc, range(b, 1000, 600000)); }
static void change_partition(struct bridge *b) { sim_hpc_change_partition(&b->hpc); }
static void cancel_part(struct bridge *b) { sim_hpc_cancel_part(&b->hpc); }
static void meddle(struct bridge *b) { sim_hpc_meddle(&b->hpc); }
static void box_dies(struct bridge *b) { sim_redbox_crash(&b->box, 0); }
static void box_away(struct bridge *b) { sim_redbox_crash(&b->box, range(b, 30000, 500000)); }
static void cut_link(struct bridge *b) { sim_link_cut(&b->link, range(b, 1000, 400000)); }
static void kube_away(struct bridge *b) { sim_kube_restart(&b->kube, range(b, 1, 60000)); }
static void vnode_away(struct bridge *b) { bridge_crash(b, BRIDGE_VNODE, range(b, 100, 500000)); }

static void manager_away(struct bridge *b)
{
	bridge_crash(b, BRIDGE_MANAGER, range(b, 100, 300000));
}

/* With accounts such jobs run there for ever, until an administrator ends them there. */
static void restore_slurmctld(struct bridge *b)
{
	if (!b->hpc.accounts)
		sim_hpc_restore(&b->hpc, range(b, 10000, 600000), range(b, 500, 60000));
}

/*
 * Without accounts a key may get a second job then, once its first is forgotten. Nor does
 * red-box know then which keys were closed.
 */
static void lose_journal(struct bridge *b)
{
	if (!b->hpc.accounts || sim_hpc_submits(&b->hpc) || !b->box.service ||
		sim_link_has_late(&b->link) || b->stranger)
		return;
	bridge_note(b, "the journal of red-box is lost");
	b->journal_lost = true;
	sim_redbox_lose_journal(&b->box);
}

/* The head node with slurmctld is made anew, and often red-box was on it. */
static void make_anew(struct bridge *b)
{
	if (range(b, 0, 2) > 0)
		lose_journal(b);
	sim_hpc_renew(&b->hpc, range(b, 500, 60000));
}

static void nothing(struct bridge *b) { (void)b; }

static const struct {
	int weight;
	void (*happens)(struct bridge *b);
	bool always; /* in every world */
} acts[] = {
	{ 24, apply, true },
	{ 9, delete_it, true },
	{ 2, edit, false },
	{ 4, delete_pod, false },
	{ 5, evict, false },
	{ 2, strip, false },
	{ 8, kill_slurmctld, false },
	{ 2, slurmctld_away, false },
	{ 2, restart_slurmctld, false },
	{ 4, slurmdbd_away, false },
	{ 8, meddle, false },
	{ 4, box_dies, false },
	{ 2, box_away, false },
	{ 3, cut_link, false },
	{ 2, kube_away, false },
	{ 3, vnode_away, false },
	{ 3, manager_away, false },
	{ 2, nothing, true },
	{ 1, restore_slurmctld, false },
	{ 2, lose_journal, false },
	{ 3, make_anew, false },
	{ 4, bridge_stranger_calls, false },
	{ 10, change_partition, false },
	{ 2, remove_pod, false },
	{ 10, cancel_part, false },
};

/* Half of what need not be in every world is not in this one. */
static bool is_in(const struct bridge *b, size_t act)
{
	struct sim_rand r = sim_rand_new(b->seed, 50 + act);
	return acts[act].always || sim_rand_chance(&r, 500);
}

void bridge_act(struct bridge *b)
{
	int64_t all = 0;
	bridge_other_acts(b);
	bridge_rest_acts(b);
	for (size_t i = 0; i < LENGTH(acts); i++)
		all += is_in(b, i) ? acts[i].weight : 0;
	int64_t dice = range(b, 0, all - 1);
	for (size_t i = 0; i < LENGTH(acts); i++) {
		int weight = is_in(b, i) ? acts[i].weight : 0;
		if (dice < weight) {
			acts[i].happens(b);
			return;
		}
		dice -= weight;
	}
}

int64_t bridge_pause_ms(struct bridge *b)
{
	bool hasty = b->seed % 3 == 0;
	return range(b, 0, 5) == 0 ? range(b, 1, 200) : range(b, 100, hasty ? 6000 : 60000);
}

void bridge_calm(struct bridge *b)
{
	b->net->faults.off = true;
	b->calm = true;
	sim_hpc_calm(&b->hpc);
	sim_link_mend(&b->link);
	bridge_other_calm(b);
	sim_server_up(&b->kube.server);
}

void bridge_open(struct bridge *b)
{
	sim_hpc_open_partition(&b->hpc);
	if (range(b, 0, 3) == 0 && b->vnode)
		remove_pod(b);
}
