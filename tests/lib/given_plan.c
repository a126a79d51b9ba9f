/* SPDX-License-Identifier: Apache-2.0 */
/* A plan of a NodeSet is made, carried out, and looked at (see given.h). */
#include "lib/given.h"
#include "json/build.h"

/* All but the lists of pods and nodes, for which the caller has room. */
static struct nodeset_view view_of(const struct given *g)
{
	return (struct nodeset_view){
		.object = g->object,
		.in_flight = g->in_flight,
		.in_short = g->in_short,
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
		.kube_seen_ms = g->now_ms - g->kube_age_ms,
		.max_creates = g->max_creates,
		.max_writes = g->max_writes,
		.max_shows = g->max_shows,
		.shows_again_ms = g->shows_again_ms,
		.n_overtaken = g->n_overtaken,
		.n_taken = g->n_taken,
		.records = g->records,
		.n_records = g->n_records,
		.host_names = &g->host_name,
		.n_host_names = g->host_name.pod || g->host_name.node.known == YES ? 1 : 0,
		.clusters = g->clusters,
		.queue = g->queue,
		.partition_sets = g->partition_sets,
		.partition_nodes = g->partition_nodes,
		.partition_nodes_ms = g->partition_nodes_ms,
		.siblings = g->siblings,
		.n_siblings = g->n_siblings,
		.failing = g->failing,
		.n_failing = g->n_failing,
		.namespace_uid = g->namespace_uid,
	};
}

void when_planned(struct given *g)
{
	const struct pod_fact *pods[GIVEN_PODS];
	const struct pod_fact *taken[LENGTH(g->taken)];
	struct slurm_node_fact nodes[GIVEN_PODS];
	struct nodeset_view view = view_of(g);
	for (size_t i = 0; i < g->n_taken; i++)
		taken[i] = &g->taken[i];
	for (size_t i = 0; i < g->n_pods; i++) {
		pods[i] = &g->pods[i].fact;
		nodes[i] = g->pods[i].node;
	}
	view.pods = pods;
	view.slurm_nodes = nodes;
	view.taken = taken;
	g->plan = (struct plan){ .arena = &g->arena };
	nodeset_plan(&view, g->now_ms, g->wall_ms, &g->plan);
	for (size_t i = 0; i < g->plan.n; i++)
		assert_non_null(g->plan.actions[i].why);
}

/* RFC 7396. */
static void merge(struct given *g, struct jval *to, const struct json *patch)
{
	struct json_iter it = json_iter(patch);
	while (json_next(&it)) {
		if (json_is_null(it.value))
			j_del(to, it.key);
		else if (json_is_obj(it.value))
			merge(g, j_child(g->d, to, it.key), it.value);
		else
			j_set(g->d, to, it.key, j_copy(g->d, it.value));
	}
}

void given_edited(struct given *g, const char *members)
{
	struct jval *o = j_copy(g->d, g->object);
	merge(g, o, given_json(g, members));
	g->object = given_json(g, j_text(g->d, o));
}

static void patch_annotations(struct given *g, const struct action *a)
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

bool when_applied(struct given *g, const struct action *a)
{
	if (resource_rows[a->operation.resource].custom) {
		given_edited(g, a->body);
	} else if (operation_is(a->operation, DO(PATCH, POD))) {
		patch_annotations(g, a);
	} else if (operation_is(a->operation, DO(CREATE, REVISION))) {
		g->revisions[g->n_revisions++].object = given_json(g, a->body);
	} else {
		return false;
	}
	return true;
}

void when_settled(struct given *g)
{
	for (int round = 0; round < 10; round++) {
		bool applied = false;
		when_planned(g);
		for (size_t i = 0; i < g->plan.n; i++)
			applied |= when_applied(g, &g->plan.actions[i]);
		if (!applied)
			return;
	}
	fail_msg("the plans never come to rest");
}

/* ---- then ---- */

const struct action *find_action(const struct given *g, struct operation operation,
	const char *name)
{
	for (size_t i = 0; i < g->plan.n; i++)
		if (operation_is(g->plan.actions[i].operation, operation) &&
			(!name || str_eq(g->plan.actions[i].name, name)))
			return &g->plan.actions[i];
	return NULL;
}

size_t count_actions(const struct given *g, struct operation operation)
{
	size_t n = 0;
	for (size_t i = 0; i < g->plan.n; i++)
		n += operation_is(g->plan.actions[i].operation, operation);
	return n;
}

const struct action *then(const struct given *g, struct operation operation, const char *name)
{
	const struct action *a = find_action(g, operation, name);
	if (!a)
		fail_msg("the plan lacks %s of %s",
			operation_name((char[OPERATION_BYTES]){ 0 }, operation),
			name ? name : "anything");
	return a;
}

void then_no(const struct given *g, struct operation operation, const char *name)
{
	const struct action *a = find_action(g, operation, name);
	if (a)
		fail_msg("unexpected %s of %s: %s",
			operation_name((char[OPERATION_BYTES]){ 0 }, operation), a->name, a->why);
}

void then_nothing(const struct given *g)
{
	if (g->plan.n)
		fail_msg("unexpected %s of %s: %s",
			operation_name((char[OPERATION_BYTES]){ 0 }, g->plan.actions[0].operation),
			g->plan.actions[0].name, g->plan.actions[0].why);
}

bool names_node(const struct given *g, struct operation operation, const char *node)
{
	for (const struct action *a = g->plan.actions; a < g->plan.actions + g->plan.n; a++)
		for (size_t k = 0; k < a->n_nodes; k++)
			if (operation_is(a->operation, operation) && str_eq(a->nodes[k], node))
				return true;
	return false;
}

const char *condition_member(struct given *g, const char *type, const char *member)
{
	struct json_iter it = json_iter(json_at(g->object, "status", "conditions"));
	while (json_next(&it))
		if (str_eq(json_str(json_get(it.value, "type"), ""), type))
			return json_str(json_get(it.value, member), "");
	return "";
}

void then_condition(struct given *g, const char *type, const char *status, const char *reason)
{
	assert_string_equal(condition_member(g, type, "status"), status);
	assert_string_equal(condition_member(g, type, "reason"), reason);
}

void then_says(struct given *g, const char *type, const char *text)
{
	const char *message = condition_member(g, type, "message");
	if (!strstr(message, text))
		fail_msg("%s does not say \"%s\": %s", type, text, message);
}

void then_says_not(struct given *g, const char *type, const char *text)
{
	const char *message = condition_member(g, type, "message");
	if (strstr(message, text))
		fail_msg("%s says \"%s\": %s", type, text, message);
}

int64_t status_of(struct given *g, const char *counter)
{
	return json_i64(json_at(g->object, "status", counter), -1);
}

size_t events_of(const struct given *g, const char *reason)
{
	size_t n = 0;
	for (size_t i = 0; i < g->plan.n; i++)
		n += str_eq(g->plan.actions[i].reason, reason);
	return n;
}
