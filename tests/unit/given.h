/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small worlds for the planner's tests: given a NodeSet, pods and nodes; when planned;
 * then these actions and no others.
 *
 *     WORLD(g);
 *     given_nodeset(&g, "\"replicas\":2");
 *     given_pod(&g, 0);
 *     given_pod(&g, 1);
 *     when_planned(&g);
 *     then_nothing(&g);
 *
 * A pod is given running, ready, on a machine, of the newest template, with an idle Slurm
 * node that names it in its comment: at rest. A test changes what it is about.
 * when_settled applies what the plans say to the NodeSet, its revisions and the
 * annotations of its pods until nothing is left of that.
 */
#ifndef TESTS_UNIT_GIVEN_H
#define TESTS_UNIT_GIVEN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "api/names.h"
#include "base/own.h"
#include "base/str.h"
#include "base/time.h"
#include "children/pod.h"
#include "children/revision.h"
#include "plan/nodeset/plan.h"
#include "slurm/state.h"

enum { GIVEN_PODS = 64, GIVEN_OBJECTS = 64, GIVEN_DOCS = 512, GIVEN_NOW_MS = 1000000 };
#define GIVEN_SLURM "lab"
#define GIVEN_WALL_MS INT64_C(1767225600000) /* 2026-01-01T00:00:00Z */

struct given_pod {
	struct pod_fact fact;
	struct slurm_node_fact node;
	struct kv labels[8], annotations[10];
	struct claim_fact claims[4];
};

struct given {
	struct arena arena;
	struct jdoc *d;
	const struct json *object;
	const char *hash; /* of the newest template */
	struct given_pod pods[GIVEN_PODS];
	size_t n_pods;
	struct pod_fact taken[8];
	size_t n_taken;
	struct object_fact revisions[GIVEN_OBJECTS], claims[GIVEN_OBJECTS];
	size_t n_revisions, n_claims;
	struct record_fact records[GIVEN_OBJECTS];
	size_t n_records;
	const char *returned[4];
	size_t n_returned;
	struct slurm_fact slurm;
	enum tri cluster;
	const char *namespace_uid; /* "": nobody tells */
	bool in_flight;
	size_t max_creates, n_overtaken;
	int64_t acting_since_ms;
	const char *clusters;
	struct host_name host_name; /* neither pod nor node: none */
	struct failing_action failing[4];
	size_t n_failing;
	int64_t now_ms, wall_ms;
	struct plan plan;
	struct json_doc *docs[GIVEN_DOCS];
	size_t n_docs;
};

#define UNUSED __attribute__((unused))

UNUSED static const struct json *given_json(struct given *g, const char *text)
{
	struct json_doc *doc = NULL;
	struct err e = json_parse(text, strlen(text), SIZE_MAX, &doc);
	if (failed(e))
		fail_msg("%s in %s", e.text, text);
	if (g->n_docs == GIVEN_DOCS)
		fail_msg("more than %d documents", GIVEN_DOCS);
	g->docs[g->n_docs++] = doc;
	return json_root(doc);
}

UNUSED static void given_end(struct given *g)
{
	for (size_t i = 0; i < g->n_docs; i++)
		json_free(g->docs[i]);
	arena_free(&g->arena);
}

/* A test begins with: WORLD(g); given_nodeset(&g, ...); */
#define WORLD(g) struct given g AUTO(given_end) = { 0 }

/* ---- given ---- */

#define GIVEN_TEMPLATE                                                                         \
	"{\"metadata\":{\"labels\":{\"app\":\"slurmd\"}},\"spec\":{\"containers\":[{\"name\":" \
	"\"slurmd\",\"image\":\"slurmd:1\"}]}}"

/*
 * spec: members beside clusterName, serviceName, selector and template, such as
 * "\"replicas\":3". A later member of the same name wins.
 */
UNUSED static void given_spec(struct given *g, const char *spec, const char *metadata)
{
	g->object = given_json(g,
		arena_printf(&g->arena,
			"{\"apiVersion\":\"slinky.slurm.net/"
			"v1alpha1\",\"kind\":\"NodeSet\",\"metadata\":{\"namespace\":\"ns\","
			"\"name\":\"foo\",\"uid\":\"set\","
			"\"resourceVersion\":\"7\","
			"\"generation\":1%s%s},\"spec\":{%s%s\"clusterName\":\"slurm\","
			"\"serviceName\":\"svc\",\"selector\":{\"matchLabels\":{\"app\":\"slurmd\"}"
			"},"
			"\"template\":" GIVEN_TEMPLATE "}}",
			*metadata ? "," : "", metadata, spec, *spec ? "," : ""));
}

#define GIVEN_FINALIZER "\"finalizers\":[\"" FINALIZER_DRAIN "\"]"
#define GIVEN_DELETING GIVEN_FINALIZER ",\"deletionTimestamp\":\"2026-01-01T00:00:00Z\""

UNUSED static void given_hash(struct given *g)
{
	struct nodeset n;
	nodeset_read(g->object, &n);
	g->hash = revision_hash(&g->arena, revision_data(g->d, &n), 0);
}

UNUSED static void given_revision(struct given *g, const char *hash, int64_t number,
	const char *data)
{
	const char *body = arena_printf(&g->arena,
		"{\"metadata\":{\"namespace\":\"ns\",\"name\":\"foo-%s\",\"uid\":\"rev-%s\","
		"\"resourceVersion\":\"5\",\"labels\":{\"app\":\"slurmd\","
		"\"" LABEL_HASH "\":\"%s\"},"
		"\"ownerReferences\":[{\"kind\":\"NodeSet\",\"name\":\"foo\",\"uid\":\"set\","
		"\"controller\":true}]},\"data\":%s,\"revision\":%lld}",
		hash, hash, hash, data, (long long)number);
	g->revisions[g->n_revisions++].object = given_json(g, body);
}

UNUSED static void given_newest_revision(struct given *g, int64_t number)
{
	struct nodeset n;
	nodeset_read(g->object, &n);
	given_hash(g);
	given_revision(g, g->hash, number, revision_data(g->d, &n));
}

/* With metadata instead of the usual finalizer. */
UNUSED static void given_nodeset_meta(struct given *g, const char *spec, const char *metadata)
{
	g->d = jdoc_new(&g->arena);
	g->cluster = YES;
	g->max_creates = 500;
	g->namespace_uid = "";
	g->acting_since_ms = GIVEN_NOW_MS - 1000;
	g->now_ms = GIVEN_NOW_MS;
	g->wall_ms = GIVEN_WALL_MS;
	g->slurm = (struct slurm_fact){ YES, GIVEN_NOW_MS - 100, GIVEN_NOW_MS - 100, "",
		GIVEN_SLURM, 0, "", GIVEN_NOW_MS - 100 };
	given_spec(g, spec, metadata);
	given_newest_revision(g, 1);
}

UNUSED static void given_nodeset(struct given *g, const char *spec)
{
	given_nodeset_meta(g, spec, GIVEN_FINALIZER);
}

UNUSED static void given_label(struct given_pod *p, const char *key, const char *value)
{
	for (size_t i = 0; i < p->fact.n_labels; i++)
		if (str_eq(p->labels[i].key, key)) {
			p->labels[i].value = value;
			return;
		}
	p->labels[p->fact.n_labels++] = (struct kv){ key, value };
}

UNUSED static void given_annotation(struct given_pod *p, const char *key, const char *value)
{
	for (size_t i = 0; i < p->fact.n_annotations; i++)
		if (str_eq(p->annotations[i].key, key)) {
			p->annotations[i].value = value;
			return;
		}
	p->annotations[p->fact.n_annotations++] = (struct kv){ key, value };
}

UNUSED static void given_no_annotation(struct given_pod *p, const char *key)
{
	for (size_t i = 0; i < p->fact.n_annotations; i++)
		if (str_eq(p->annotations[i].key, key))
			p->annotations[i--] = p->annotations[--p->fact.n_annotations];
}

UNUSED static struct given_pod *given_pod_named(struct given *g, const char *name)
{
	struct given_pod *p = &g->pods[g->n_pods++];
	p->fact = (struct pod_fact){
		.ns = "ns",
		.name = name,
		.uid = arena_printf(&g->arena, "uid-%s", name),
		.resource_version = "3",
		.node_name = "machine",
		.hostname = name,
		.why = "",
		.ip = arena_printf(&g->arena, "10.0.0.%zu", g->n_pods),
		.second_ip = "",
		.phase = POD_RUNNING,
		.ready = true,
		.created_ms = GIVEN_WALL_MS - 7200000,
		.ready_since_ms = GIVEN_WALL_MS - 3600000,
		.labels = p->labels,
		.annotations = p->annotations,
		.claims = p->claims,
		.controller = { "NodeSet", "foo", "set", true },
		.n_owners = 1,
		.keeper_at = -1,
	};
	p->node = (struct slurm_node_fact){
		.known = YES,
		.seen_ms = GIVEN_NOW_MS - 100,
		.named_ms = GIVEN_NOW_MS - 100,
		.state = NODE_IDLE | NODE_DYNAMIC,
		.reason = "",
		.address = p->fact.ip,
		.held = NO,
		.free_since_ms = GIVEN_NOW_MS - 200,
		.holder = { .user = "" },
		.comment = arena_printf(&g->arena, "{\"namespace\":\"ns\",\"podName\":\"%s\"}",
			name),
	};
	given_label(p, "app", "slurmd");
	given_label(p, LABEL_HASH, g->hash);
	given_label(p, LABEL_POD_NAME, name);
	given_annotation(p, ANNOTATION_REGISTERED, GIVEN_SLURM);
	return p;
}

UNUSED static struct given_pod *given_pod(struct given *g, int ordinal)
{
	return given_pod_named(g, arena_printf(&g->arena, "foo-%d", ordinal));
}

UNUSED static void given_pods(struct given *g, int n)
{
	for (int i = 0; i < n; i++)
		given_pod(g, i);
}

UNUSED static void given_old(struct given_pod *p) { given_label(p, LABEL_HASH, "older"); }

UNUSED static void given_our_cordon(struct given_pod *p)
{
	given_annotation(p, ANNOTATION_POD_CORDON, "true");
	given_annotation(p, ANNOTATION_CORDONED_BY, CORDONED_BY_OPERATOR);
}

#define OUR_REASON "slurm-operator: NodeSet (ns/foo) is letting the pod go"

UNUSED static void given_node(struct given_pod *p, uint32_t state, const char *reason)
{
	p->node.state = state;
	p->node.reason = reason;
}

/*
 * foo is scaled to nothing; its one pod carries our cordon, and Slurm says this of its
 * node.
 */
UNUSED static void given_condemned(struct given *g, uint32_t state)
{
	given_nodeset(g, "\"replicas\":0");
	given_pods(g, 1);
	given_our_cordon(&g->pods[0]);
	given_node(&g->pods[0], state, OUR_REASON);
}

UNUSED static void given_absent(struct given *g, struct given_pod *p, int64_t for_ms)
{
	p->node = (struct slurm_node_fact){
		.known = NO,
		.seen_ms = g->now_ms - 100,
		.absent_since_ms = g->slurm.nodes_seen_ms - for_ms,
		.reason = "",
		.comment = "",
		.address = "",
		.holder = { .user = "" },
	};
}

UNUSED static void given_slurm_silent(struct given *g)
{
	g->slurm = (struct slurm_fact){ NO, 0, 0, "slurmrestd does not answer", GIVEN_SLURM, 0,
		"" };
	for (size_t i = 0; i < g->n_pods; i++)
		g->pods[i].node = (struct slurm_node_fact){
			.known = UNKNOWN,
			.reason = "",
			.comment = "",
			.address = "",
			.holder = { .user = "" },
		};
}

UNUSED static void given_pending(struct given_pod *p, bool bound)
{
	p->fact.phase = POD_PENDING;
	p->fact.ready = false;
	p->fact.ready_since_ms = 0;
	p->fact.node_name = bound ? "machine" : "";
}

UNUSED static void given_mounted(struct given_pod *p, const char *volume, const char *claim)
{
	p->claims[p->fact.n_claims++] = (struct claim_fact){ volume, claim };
}

UNUSED static const struct json *given_claim(struct given *g, const char *name,
	const char *metadata)
{
	const struct json *o = given_json(g,
		arena_printf(&g->arena,
			"{\"metadata\":{\"namespace\":\"ns\",\"name\":\"%s\",\"uid\":\"pvc-%s\","
			"\"resourceVersion\":\"4\"%s%s}}",
			name, name, *metadata ? "," : "", metadata));
	g->claims[g->n_claims++].object = o;
	return o;
}

/* A pod of somebody else that has a name of ours. */
UNUSED static void given_taken(struct given *g, const char *name, const char *kind,
	const char *owner)
{
	g->taken[g->n_taken++] = (struct pod_fact){
		.ns = "ns",
		.name = name,
		.uid = name,
		.resource_version = "3",
		.controller = { kind, owner, "theirs", true },
	};
}

UNUSED static void given_failing(struct given *g, struct deed deed, enum err_kind error,
	const char *name, const char *says)
{
	g->failing[g->n_failing++] = (struct failing_action){ deed, error, name, says };
}

/* ---- when ---- */

UNUSED static void when_planned(struct given *g)
{
	const struct pod_fact *pods[GIVEN_PODS];
	const struct pod_fact *taken[LENGTH(g->taken)];
	struct slurm_node_fact nodes[GIVEN_PODS];
	for (size_t i = 0; i < g->n_taken; i++)
		taken[i] = &g->taken[i];
	for (size_t i = 0; i < g->n_pods; i++) {
		pods[i] = &g->pods[i].fact;
		nodes[i] = g->pods[i].node;
	}
	struct nodeset_view view = {
		.object = g->object,
		.in_flight = g->in_flight,
		.pods = pods,
		.slurm_nodes = nodes,
		.n_pods = g->n_pods,
		.revisions = g->revisions,
		.n_revisions = g->n_revisions,
		.claims = g->claims,
		.n_claims = g->n_claims,
		.slurm = g->slurm,
		.cluster = g->cluster,
		.returned = g->returned,
		.n_returned = g->n_returned,
		.acting_since_ms = g->acting_since_ms,
		.max_creates = g->max_creates,
		.n_overtaken = g->n_overtaken,
		.taken = taken,
		.n_taken = g->n_taken,
		.records = g->records,
		.n_records = g->n_records,
		.host_names = &g->host_name,
		.n_host_names = g->host_name.pod || g->host_name.node.known == YES ? 1 : 0,
		.clusters = g->clusters,
		.failing = g->failing,
		.n_failing = g->n_failing,
		.namespace_uid = g->namespace_uid,
	};
	g->plan = (struct plan){ .arena = &g->arena };
	nodeset_plan(&view, g->now_ms, g->wall_ms, &g->plan);
	for (size_t i = 0; i < g->plan.n; i++)
		assert_non_null(g->plan.actions[i].why);
}

/* RFC 7396. */
UNUSED static void given_merge(struct given *g, struct jval *to, const struct json *patch)
{
	struct json_iter it = json_iter(patch);
	while (json_next(&it)) {
		if (json_is_null(it.value))
			j_del(to, it.key);
		else if (json_is_obj(it.value))
			given_merge(g, j_child(g->d, to, it.key), it.value);
		else
			j_set(g->d, to, it.key, j_copy(g->d, it.value));
	}
}

UNUSED static struct given_pod *pod_of(struct given *g, const char *name)
{
	for (size_t i = 0; i < g->n_pods; i++)
		if (str_eq(g->pods[i].fact.name, name))
			return &g->pods[i];
	fail_msg("no pod %s was given", name);
	return NULL;
}

UNUSED static void given_annotations_patched(struct given *g, const struct action *a)
{
	struct given_pod *p = pod_of(g, a->name);
	struct json_iter it = json_iter(json_at(given_json(g, a->body), "metadata", "annotations"));
	while (json_next(&it)) {
		if (json_is_null(it.value))
			given_no_annotation(p, it.key);
		else
			given_annotation(p, it.key, json_str(it.value, ""));
	}
}

UNUSED static bool given_applied(struct given *g, const struct action *a)
{
	if (a->deed.resource == RES_NODESET || a->deed.resource == RES_CLUSTER) {
		struct jval *o = j_copy(g->d, g->object);
		given_merge(g, o, given_json(g, a->body));
		g->object = given_json(g, j_text(g->d, o));
	} else if (deed_is(a->deed, DO(PATCH, POD))) {
		given_annotations_patched(g, a);
	} else if (deed_is(a->deed, DO(CREATE, REVISION))) {
		g->revisions[g->n_revisions++].object = given_json(g, a->body);
	} else {
		return false;
	}
	return true;
}

/* Plans and applies until only actions are left that the test itself has to answer. */
UNUSED static void when_settled(struct given *g)
{
	for (int round = 0; round < 10; round++) {
		bool applied = false;
		when_planned(g);
		for (size_t i = 0; i < g->plan.n; i++)
			applied |= given_applied(g, &g->plan.actions[i]);
		if (!applied)
			return;
	}
	fail_msg("the plans never come to rest");
}

/* ---- then ---- */

UNUSED static const struct action *find_action(const struct given *g, struct deed deed,
	const char *name)
{
	for (size_t i = 0; i < g->plan.n; i++)
		if (deed_is(g->plan.actions[i].deed, deed) &&
			(!name || str_eq(g->plan.actions[i].name, name)))
			return &g->plan.actions[i];
	return NULL;
}

UNUSED static size_t count_actions(const struct given *g, struct deed deed)
{
	size_t n = 0;
	for (size_t i = 0; i < g->plan.n; i++)
		n += deed_is(g->plan.actions[i].deed, deed);
	return n;
}

/* What does this to name (NULL: any), which must be there. */
UNUSED static const struct action *then(const struct given *g, struct deed deed, const char *name)
{
	const struct action *a = find_action(g, deed, name);
	if (!a)
		fail_msg("the plan lacks %s of %s", deed_name((char[DEED_BYTES]){ 0 }, deed),
			name ? name : "anything");
	return a;
}

UNUSED static void then_no(const struct given *g, struct deed deed, const char *name)
{
	const struct action *a = find_action(g, deed, name);
	if (a)
		fail_msg("unexpected %s of %s: %s", deed_name((char[DEED_BYTES]){ 0 }, deed),
			a->name, a->why);
}

UNUSED static void then_nothing(const struct given *g)
{
	if (g->plan.n)
		fail_msg("unexpected %s of %s: %s",
			deed_name((char[DEED_BYTES]){ 0 }, g->plan.actions[0].deed),
			g->plan.actions[0].name, g->plan.actions[0].why);
}

/* Whether an action that does this names the node. */
UNUSED static bool names_node(const struct given *g, struct deed deed, const char *node)
{
	for (const struct action *a = g->plan.actions; a < g->plan.actions + g->plan.n; a++)
		for (size_t k = 0; k < a->n_nodes; k++)
			if (deed_is(a->deed, deed) && str_eq(a->nodes[k], node))
				return true;
	return false;
}

UNUSED static const char *condition_member(struct given *g, const char *type, const char *member)
{
	struct json_iter it = json_iter(json_at(g->object, "status", "conditions"));
	while (json_next(&it))
		if (str_eq(json_str(json_get(it.value, "type"), ""), type))
			return json_str(json_get(it.value, member), "");
	return "";
}

/* The condition of the object has this status and reason. */
UNUSED static void then_condition(struct given *g, const char *type, const char *status,
	const char *reason)
{
	assert_string_equal(condition_member(g, type, "status"), status);
	assert_string_equal(condition_member(g, type, "reason"), reason);
}

/* The message of the condition has this text. */
UNUSED static void then_says(struct given *g, const char *type, const char *text)
{
	const char *message = condition_member(g, type, "message");
	if (!strstr(message, text))
		fail_msg("%s does not say \"%s\": %s", type, text, message);
}

UNUSED static void then_says_not(struct given *g, const char *type, const char *text)
{
	const char *message = condition_member(g, type, "message");
	if (strstr(message, text))
		fail_msg("%s says \"%s\": %s", type, text, message);
}

UNUSED static int64_t status_of(struct given *g, const char *counter)
{
	return json_i64(json_at(g->object, "status", counter), -1);
}

#endif
