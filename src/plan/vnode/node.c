/* SPDX-License-Identifier: Apache-2.0 */
/* The Node object of a partition. */
#include "plan/vnode/node.h"

#include <ctype.h>
#include <string.h>

#include "api/names.h"
#include "base/codec.h"
#include "base/own.h"
#include "base/str.h"
#include "base/time.h"
#include "json/build.h"
#include "object/condition.h"
#include "object/metadata.h"
#include "plan/vnode/node_parts.h"
#include "plan/vnode/sheet.h"

/* ---- names ---- */

const char *vnode_name(struct arena *a, const char *cluster, const char *partition)
{
	enum { HASH = 9 };
	char *name = arena_printf(a, "slurm-%s-%s", cluster, partition);
	uint32_t hash = fnv1_32(FNV1_START, name, strlen(name));
	bool changed = strlen(name) > VNODE_NAME_MOST;
	for (char *at = name; *at; at++) {
		bool fine = islower((unsigned char)*at) || isdigit((unsigned char)*at) ||
			*at == '-';
		if (isupper((unsigned char)*at))
			*at = (char)tolower((unsigned char)*at);
		else if (!fine)
			*at = '-';
		changed |= !fine;
	}
	if (!changed && !str_empty(partition) && name[strlen(name) - 1] != '-')
		return name;
	return arena_printf(a, "%.*s-%08x", VNODE_NAME_MOST - HASH, name, hash);
}

static const char *partition_text(struct arena *a, const struct vnode_view *v)
{
	return arena_printf(a, "%s/%s", v->cluster, v->partition);
}

static const char *annotation(const struct json *node, const char *key)
{
	return json_str(json_get(json_at(node, "metadata", "annotations"), key), "");
}

const char *vnode_partition_of(const struct json *node, const char *cluster)
{
	const char *text = annotation(node, ANNOTATION_PARTITION);
	size_t n = strlen(cluster);
	return str_has_prefix(text, cluster) && text[n] == '/' && text[n + 1] ? text + n + 1 : NULL;
}

/* A node of wlm-operator has the type of a virtual node, and names no partition. */
static bool is_of_others(const struct node_sheet *s)
{
	const struct json *node = s->view->node;
	const char *text = annotation(node, ANNOTATION_PARTITION);
	const char *type = json_str(json_get(json_at(node, "metadata", "labels"), LABEL_NODE_TYPE),
		"");
	if (str_empty(text))
		return !str_eq(type, NODE_TYPE_VIRTUAL);
	return !str_eq(text, partition_text(s->arena, s->view));
}

/* ---- metadata ---- */

static const char *feature_keys(struct arena *a, const struct vlabels *l)
{
	struct str text AUTO(str_free) = { 0 };
	for (size_t i = l->n - l->n_features; i < l->n; i++)
		str_addf(&text, "%s%s", text.len ? "," : "", l->rows[i].key);
	return arena_strdup(a, str_text(&text));
}

/* Removes labels of ours that do not apply any more. */
static void drop_stale(struct node_sheet *s, struct jval *labels)
{
	static const char *const of_state[] = { LABEL_PARTITION_STATE, LABEL_PARTITION_RESTRICTED };
	for (size_t i = 0; s->view->node && i < LENGTH(of_state); i++)
		if (!j_get(labels, of_state[i]))
			j_set(s->d, labels, of_state[i], j_null(s->d));
	const char *before = annotation(s->view->node, ANNOTATION_FEATURES);
	for (const char *at = before; *at; at += strcspn(at, ","), at += *at == ',') {
		const char *key = arena_strndup(s->arena, at, strcspn(at, ","));
		if (str_has_prefix(key, LABEL_DOMAIN_WLM) && !j_get(labels, key))
			j_set(s->d, labels, key, j_null(s->d));
	}
}

/* Removes an annotation that does not apply any more from an existing node. */
static void note_of_results(struct node_sheet *s, struct jval *annotations, const char *key,
	const char *value)
{
	if (value)
		j_set_str(s->d, annotations, key, value);
	else if (s->view->node)
		j_set(s->d, annotations, key, j_null(s->d));
}

/* The URL at which collectors request results, and the key that identifies the server. */
static void add_results(struct node_sheet *s, struct jval *annotations)
{
	const struct vnode_view *v = s->view;
	bool listens = v->port && !str_empty(v->address) && !str_empty(v->public_key);
	const char *brackets = listens && strchr(v->address, ':') ? "[]" : "";
	note_of_results(s, annotations, ANNOTATION_RESULTS_URL,
		listens ? arena_printf(s->arena, "https://%.1s%s%s:%d", brackets, v->address,
				  *brackets ? brackets + 1 : "", v->port)
			: NULL);
	note_of_results(s, annotations, ANNOTATION_RESULTS_KEY, listens ? v->public_key : NULL);
}

/* While the resources are unknown, the labels of the partition stay. */
static void add_metadata(struct node_sheet *s, struct jval *metadata)
{
	const struct vnode_view *v = s->view;
	struct vlabels l = vnode_labels(s->arena, v);
	struct jval *labels = j_child(s->d, metadata, "labels");
	struct jval *annotations = j_child(s->d, metadata, "annotations");
	for (size_t i = 0; i < l.n; i++)
		j_set_str(s->d, labels, l.rows[i].key, l.rows[i].value);
	j_set_str(s->d, annotations, ANNOTATION_PARTITION, partition_text(s->arena, v));
	add_results(s, annotations);
	if (!v->resources)
		return;
	drop_stale(s, labels);
	j_set_str(s->d, annotations, ANNOTATION_FEATURES, feature_keys(s->arena, &l));
}

/* ---- status ---- */

/*
 * Room for every pod, in the form in which the API server returns it. The pod of a job
 * requests nothing, but a namespace may give it default requests. Slurm itself counts its
 * resources.
 */
static const char *const room[][2] = { { "cpu", "1M" }, { "memory", "1Pi" },
	{ "ephemeral-storage", "1Pi" }, { "pods", "10k" } };

static void add_room(struct node_sheet *s, struct jval *status)
{
	static const char *const members[] = { "capacity", "allocatable" };
	for (size_t m = 0; m < LENGTH(members); m++) {
		struct jval *o = j_child(s->d, status, members[m]);
		for (size_t i = 0; i < LENGTH(room); i++)
			j_set_str(s->d, o, room[i][0], room[i][1]);
	}
}

static void add_condition(struct node_sheet *s, struct jval *list, const struct condition *c,
	bool beats)
{
	const struct json *old = json_at(s->view->node, "status", "conditions");
	char now[TIME_RFC3339_BYTES];
	struct jval *one = j_arr(s->d);
	condition_set(s->d, one, old, c, 0, s->now_wall_ms);
	const char *text = j_text(s->d, one);
	struct jval *v = j_push(s->d, list,
		j_copy(s->d, json_item(json_parse_in(s->arena, text, strlen(text), SIZE_MAX), 0)));
	time_format(s->now_wall_ms, now);
	if (beats)
		j_set_str(s->d, v, "lastHeartbeatTime", now);
}

static const char *const trouble_reasons[] = { "KubeletReady", "RedBoxAway", "PartitionGone" };

static const char *how_it_is(const struct node_sheet *s)
{
	const struct vnode_view *v = s->view;
	if (s->trouble == VNODE_AWAY)
		return arena_printf(s->arena,
			"Slurm %s cannot be reached through its red-box: nothing is submitted until it can be reached; jobs run on",
			v->cluster);
	return s->trouble == VNODE_GONE
		? arena_printf(s->arena,
			  "Slurm %s has no partition %s any more, or it is not served: nothing is submitted; delete the node when it has no pods",
			  v->cluster, v->partition)
		: arena_printf(s->arena, "jobs go to partition %s of Slurm %s", v->partition,
			  v->cluster);
}

static const char *of_partition(const struct node_sheet *s, const char *says)
{
	return arena_printf(s->arena, "partition %s of Slurm %s %s", s->view->partition,
		s->view->cluster, says);
}

static enum cond_status vpartition_available(enum vpartition is)
{
	if (is == VPARTITION_UNKNOWN)
		return COND_UNKNOWN;
	return is == VPARTITION_UP ? COND_TRUE : COND_FALSE;
}

/* While red-box is away, or does not list the partition, its state is unknown. */
static struct condition availability(const struct node_sheet *s)
{
	enum vpartition is = vpartition_of(s->now);
	const struct vpartition_row *row = &vpartition_rows[is];
	if (s->trouble != VNODE_FINE)
		return (struct condition){ CONDITION_PARTITION_AVAILABLE, COND_UNKNOWN,
			trouble_reasons[s->trouble], how_it_is(s) };
	return (struct condition){ CONDITION_PARTITION_AVAILABLE, vpartition_available(is),
		row->reason, of_partition(s, row->says) };
}

static struct condition restriction(const struct node_sheet *s)
{
	const struct wlm_partition *now = s->now;
	bool is = vpartition_is_restricted(now);
	const char *reason = is ? "SomeAccounts" : "EveryAccount";
	if (!now)
		return (struct condition){ CONDITION_PARTITION_RESTRICTED, COND_UNKNOWN,
			"NotReported",
			of_partition(s, "has an older red-box, which does not name its users") };
	return (struct condition){ CONDITION_PARTITION_RESTRICTED, is ? COND_TRUE : COND_FALSE,
		reason, of_partition(s, vpartition_restriction(s->arena, now)) };
}

/* While the resources are unknown, the conditions of the partition stay. */
static void add_state_conditions(struct node_sheet *s, struct jval *list, bool beats)
{
	const struct condition of_state[] = { availability(s), restriction(s) };
	const struct json *old = json_at(s->view->node, "status", "conditions");
	for (size_t i = 0; i < LENGTH(of_state); i++) {
		const struct json *kept = condition_find(old, of_state[i].type);
		if (s->view->resources)
			add_condition(s, list, &of_state[i], beats);
		else if (kept)
			j_push(s->d, list, j_copy(s->d, kept));
	}
}

static void add_conditions(struct node_sheet *s, struct jval *status, bool beats)
{
	enum { OF_KUBELETS = 5 };
	static const char *const ours[] = { "Ready", "MemoryPressure", "DiskPressure",
		"PIDPressure", "NetworkUnavailable", CONDITION_PARTITION_AVAILABLE,
		CONDITION_PARTITION_RESTRICTED, NULL };
	const struct vnode_view *v = s->view;
	struct jval *list = j_set(s->d, status, "conditions", j_arr(s->d));
	condition_keep_foreign(s->d, list, json_at(v->node, "status", "conditions"), ours);
	for (size_t i = 0; i < OF_KUBELETS; i++) {
		struct condition c = { ours[i], i == 0 ? COND_TRUE : COND_FALSE,
			i == 0 ? trouble_reasons[s->trouble] : "VirtualNode",
			i == 0 ? how_it_is(s) : "" };
		add_condition(s, list, &c, beats);
	}
	add_state_conditions(s, list, beats);
}

static void add_address(struct node_sheet *s, struct jval *status, const char *address)
{
	struct jval *a = j_push(s->d, j_set(s->d, status, "addresses", j_arr(s->d)), j_obj(s->d));
	j_set_str(s->d, a, "type", "InternalIP");
	j_set_str(s->d, a, "address", address);
}

/*
 * No Hostname: an API server would prefer that address to the InternalIP, unless
 * configured otherwise, and no DNS server resolves the name of the node.
 */
static void add_addresses(struct node_sheet *s, struct jval *status)
{
	const struct vnode_view *v = s->view;
	if (str_empty(v->address))
		j_set(s->d, status, "addresses", j_null(s->d));
	else
		add_address(s, status, v->address);
	if (v->port)
		j_set_int(s->d,
			j_child(s->d, j_child(s->d, status, "daemonEndpoints"), "kubeletEndpoint"),
			"Port", v->port);
}

/* The version has the form of a kubelet's, so that tools can read it. */
static void add_info(struct node_sheet *s, struct jval *status)
{
	struct jval *info = j_child(s->d, status, "nodeInfo");
	j_set_str(s->d, info, "operatingSystem", "linux");
	j_set_str(s->d, info, "architecture", "amd64");
	j_set_str(s->d, info, "kubeletVersion", "v1.34.0-slurm-operator");
	if (!str_empty(s->view->slurm_version))
		j_set_str(s->d, info, "containerRuntimeVersion",
			arena_printf(s->arena, "slurm://%s", s->view->slurm_version));
}

static void add_status(struct node_sheet *s, struct jval *status, bool beats)
{
	add_room(s, status);
	add_conditions(s, status, beats);
	add_addresses(s, status);
	add_info(s, status);
}

/* ---- the steps ---- */

static const char *creation(struct node_sheet *s)
{
	struct jval *node = j_obj(s->d);
	j_set_str(s->d, node, "apiVersion", "v1");
	j_set_str(s->d, node, "kind", "Node");
	struct jval *metadata = j_child(s->d, node, "metadata");
	j_set_str(s->d, metadata, "name", s->view->name);
	add_metadata(s, metadata);
	vnode_add_taints(s, j_child(s->d, node, "spec"));
	add_status(s, j_child(s->d, node, "status"), true);
	return j_text(s->d, node);
}

static struct jval *patch_begin(struct node_sheet *s)
{
	struct metadata m = metadata_of(s->view->node);
	return patch_of(s->d, m.uid, m.resource_version);
}

static bool changes(struct node_sheet *s, const char *patch)
{
	return !vnode_says(s->view->node, json_parse_in(s->arena, patch, strlen(patch), SIZE_MAX));
}

static const char *metadata_patch(struct node_sheet *s)
{
	struct jval *p = patch_begin(s);
	add_metadata(s, patch_metadata(s->d, p));
	vnode_add_taints(s, j_child(s->d, p, "spec"));
	const char *text = j_text(s->d, p);
	return changes(s, text) ? text : NULL;
}

static const char *status_text(struct node_sheet *s, bool beats)
{
	struct jval *p = patch_begin(s);
	add_status(s, j_child(s->d, p, "status"), beats);
	return j_text(s->d, p);
}

static void plan_report(struct node_sheet *s, int64_t now_ms, struct vnode_plan *out)
{
	int64_t reported_ms = s->view->reported_ms;
	bool due = !reported_ms || now_ms - reported_ms >= VNODE_REPORT_MS;
	if (due || changes(s, status_text(s, false))) {
		out->step = VNODE_REPORT;
		out->why = due ? "its status is written from time to time"
			       : "its status has changed";
		out->body = status_text(s, true);
	} else {
		out->again_ms = reported_ms + VNODE_REPORT_MS - now_ms;
	}
}

static void plan_creation(struct node_sheet *s, struct vnode_plan *out)
{
	if (!s->view->resources || s->trouble != VNODE_FINE)
		return; /* its resources are not known yet */
	out->step = VNODE_CREATE;
	out->why = "the partition has no node yet";
	out->body = creation(s);
}

static void plan_change(struct node_sheet *s, int64_t now_ms, struct vnode_plan *out)
{
	out->body = metadata_patch(s);
	if (out->body) {
		out->step = VNODE_PATCH;
		out->why = "its labels or its taints have to change";
	} else {
		plan_report(s, now_ms, out);
	}
	int64_t left_ms = s->view->written_ms + VNODE_WRITE_MS - now_ms;
	if (out->step != VNODE_LEAVE && s->view->written_ms && left_ms > 0)
		*out = (struct vnode_plan){ .again_ms = left_ms, .why = "it was just written" };
}

void vnode_plan(const struct vnode_view *view, struct arena *arena, int64_t now_ms,
	int64_t now_wall_ms, struct vnode_plan *out)
{
	struct node_sheet s = { view, arena, jdoc_new(arena), now_wall_ms,
		vnode_trouble_of(view, now_ms), view->resources ? view->resources->now : NULL };
	*out = (struct vnode_plan){ .again_ms = -1, .why = "nothing is to be done" };
	if (!view->known || view->in_flight || metadata_of(view->node).deleting)
		return;
	if (!view->node) {
		plan_creation(&s, out);
		return;
	}
	if (is_of_others(&s)) {
		out->step = VNODE_REFUSE;
		out->why = "a node with this name exists that this virtual node did not create";
		return;
	}
	plan_change(&s, now_ms, out);
}
