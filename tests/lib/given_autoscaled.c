/* SPDX-License-Identifier: Apache-2.0 */
/* NodeSets with spec.autoscaling, for tests of their plans. */
#include "lib/given_autoscaled.h"

#include <string.h>

#include "object/condition.h"

/* ---- given ---- */

void given_autoscaled(struct given *g, const char *spec, int pods)
{
	given_nodeset(g, spec);
	given_hash(g);
	given_pods(g, pods);
	for (int i = 0; i < pods; i++) {
		g->pods[i].node.cpus = 4;
		g->pods[i].node.memory = 8000;
	}
	g->partition_sets = "foo=foo;all=ALL;";
	g->partition_nodes_ms = g->now_ms;
	g->partition_nodes = "foo=foo-0,more0;all=foo-0,more0;";
}

void given_jobs(struct given *g, int64_t jobs, int64_t nodes)
{
	struct slurm_queue *q = arena_alloc(&g->arena, queue_bytes(1));
	memset(q, 0, queue_bytes(1));
	q->n = jobs > 0;
	q->sorts[0] = (struct queued_sort){
		.job = { .partitions = "foo", .nodes = nodes, .cpus = nodes, .exclusive = 1 },
		.first_id = 7,
		.count = jobs
	};
	g->queue = (struct queue_fact){ true, g->now_ms, g->now_ms, q };
	g->slurm.nodes_seen_ms = g->slurm.whole_seen_ms = g->now_ms;
}

void given_busy(struct given *g, int n)
{
	for (int i = 0; i < n; i++)
		given_node(&g->pods[i], NODE_ALLOCATED | NODE_DYNAMIC, "");
}

void given_later(struct given *g, int64_t ms)
{
	g->now_ms += ms;
	g->wall_ms += ms;
	g->slurm.nodes_seen_ms = g->partition_nodes_ms = g->now_ms;
	for (size_t i = 0; i < g->n_pods; i++)
		g->pods[i].node.seen_ms = g->pods[i].node.named_ms = g->now_ms;
}

/* ---- then ---- */

void then_replicas(const struct given *g, int64_t n)
{
	assert_int_equal(json_i64(json_at(g->object, "spec", "replicas"), -1), n);
}

void then_autoscaling(const struct given *g, const char *status, const char *reason)
{
	const struct json *list = json_at(g->object, "status", "conditions");
	const struct json *c = condition_find(list, "Autoscaling");
	assert_string_equal(json_str(json_get(c, "reason"), "(none)"), reason);
	assert_true(condition_is(c, status));
}

bool scales(const struct given *g)
{
	for (size_t i = 0; i < g->plan.n; i++) {
		const struct action *a = &g->plan.actions[i];
		if (operation_is(a->operation, DO(PATCH, NODESET)) && strstr(a->body, "replicas"))
			return true;
	}
	return false;
}
