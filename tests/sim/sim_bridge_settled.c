/* SPDX-License-Identifier: Apache-2.0 */
/* P6: what stands when the faults have ended. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "api/names.h"
#include "sim/sim_bridge.h"

static const struct sim_version *pod_of(const struct bridge *b, const char *uid)
{
	const struct sim_list *pods = &b->kube.store.of[RES_POD];
	for (size_t i = 0; i < pods->n; i++)
		if (strcmp(bridge_key_of(pods->at[i]), uid) == 0 &&
			!bridge_is_preparer(pods->at[i]))
			return pods->at[i];
	return NULL;
}

/*
 * The pod was removed by force, and the virtual node may not have seen that: the job may
 * run on.
 */
static bool is_unseen(const struct bridge_object *o) { return o->pod_forced && !o->pod_seen; }

static const char *why_gone(const struct bridge *b, const struct bridge_object *o)
{
	const struct hpc_job *j = bridge_job_of(b, o->uid);
	const struct sim_version *pod = pod_of(b, o->uid);
	bool lives = j && hpc_job_lives(j);
	if (o->orphaned)
		return pod && !lives && !bridge_is_end(pod, "phase")
			? "its pod does not say its end"
			: NULL;
	if (lives && !is_unseen(o))
		return "it is gone, and its job lives";
	return pod ? "it is gone, and its pod is there" : NULL;
}

static const char *why_there(const struct bridge *b, const struct bridge_object *o)
{
	const struct hpc_job *j = bridge_job_of(b, o->uid);
	const struct sim_version *v = sim_store_find(&b->kube.store, o->resource, BRIDGE_NS,
		o->name);
	bool lives = j && hpc_job_lives(j), ended = v && bridge_is_end(v, "phase");
	bool lost = v && strcmp(sim_str(sim_get(v->root, "status"), "phase"), "Unknown") == 0;
	if (o->deleting)
		return "it is being deleted still";
	if (o->pod_deleted && lives && !is_unseen(o))
		return "its pod was deleted, and its job lives";
	if (o->pod_forced && !ended && !lost)
		return "its pod was removed by force, and it does not say so";
	if (ended && lives)
		return "it has ended, and its job lives";
	if (v && strstr(v->text, "\"NoPartitionFits\"") && (ended || lives))
		return "it says that no partition fits, and has one";
	if (lost && !o->pod_taken)
		return "its pod is said to be lost, and nobody deleted it";
	bool taken = v &&
		((strstr(v->text, "\"NameTaken\"") && !o->had_pod) ||
			strstr(v->text, "\"PreparerNameTaken\""));
	return ended || lives || lost || taken ? NULL : "it has neither an end nor a job";
}

/* ---- the Node ---- */

/* As docs/virtual-node.md has it: the value and the effect of the taint; "": none. */
static const char *taint_wanted(const struct hpc_partition *p)
{
	if (strcmp(p->state, "DOWN") == 0)
		return "partition-down NoSchedule";
	if (strcmp(p->state, "DRAIN") == 0)
		return "partition-drain NoSchedule";
	if (strcmp(p->state, "INACTIVE") == 0)
		return "partition-inactive NoSchedule";
	if (p->root_only && geteuid() != 0)
		return "root-only NoSchedule";
	if (!p->nodes)
		return "no-nodes PreferNoSchedule";
	return p->usable_nodes ? "" : "nodes-down PreferNoSchedule";
}

static const char *taint_of(const struct sim_version *node)
{
	static char text[100];
	yyjson_val *taint;
	yyjson_arr_iter it = yyjson_arr_iter_with(sim_at(node->root, "spec", "taints"));
	text[0] = '\0';
	while ((taint = yyjson_arr_iter_next(&it)))
		if (strcmp(sim_str(taint, "key"), TAINT_UNAVAILABLE) == 0)
			snprintf(text, sizeof(text), "%s %s", sim_str(taint, "value"),
				sim_str(taint, "effect"));
	return text;
}

const char *bridge_hidden(const struct bridge *b)
{
	static char why[200];
	const struct sim_version *node = sim_store_find(&b->kube.store, RES_NODE, "", BRIDGE_NODE);
	const char *wanted = taint_wanted(b->hpc.debug);
	if (node && strcmp(taint_of(node), wanted) == 0)
		return NULL;
	snprintf(why, sizeof(why), "the Node has the taint \"%s\" in place of \"%s\"",
		node ? taint_of(node) : "no node", wanted);
	return why;
}

/* ---- all of it ---- */

const char *bridge_unsettled(struct bridge *b, int64_t quiet_ms)
{
	static char why[300];
	for (size_t i = 0; i < b->n_objects; i++) {
		const struct bridge_object *o = &b->objects[i];
		const char *text = o->gone ? why_gone(b, o) : why_there(b, o);
		if (!text)
			continue;
		snprintf(why, sizeof(why), "SlurmJob %s of %s (%s): %s", o->name,
			resource_rows[o->resource].group, o->uid, text);
		return why;
	}
	if (bridge_hidden(b))
		return bridge_hidden(b);
	if (bridge_rest_unsettled(b))
		return bridge_rest_unsettled(b);
	if (sim_link_has_late(&b->link))
		return "a call is on its way still";
	if (b->loop->now_ms - b->last_write_ms < quiet_ms)
		return "pods or SlurmJobs are written still";
	return NULL;
}
