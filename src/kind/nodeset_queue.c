/* SPDX-License-Identifier: Apache-2.0 */
/* The queue of Slurm for a NodeSet with spec.autoscaling, and its siblings. */
#include "api/autoscaling.h"
#include "base/str.h"
#include "kind/nodeset_view.h"

struct gather {
	const struct record *self;
	const char *cluster;
	struct arena *arena;
	const struct json **objects;
	size_t n, cap;
};

static void add_sibling(void *ctx, const struct record *rec)
{
	struct gather *g = ctx;
	const char *cluster = json_str(json_at(rec->object, "spec", "clusterName"), "");
	bool going = !json_is_null(json_at(rec->object, "metadata", "deletionTimestamp"));
	if (rec == g->self || going || !str_eq(cluster, g->cluster) ||
		!autoscaling_read(rec->object).on)
		return;
	g->objects = arena_grown(g->arena, g->objects, g->n, &g->cap, sizeof(*g->objects));
	g->objects[g->n++] = rec->object;
}

void nodeset_view_queue(const struct store *store, struct slurm_link *link,
	const struct record *rec, const char *cluster, struct arena *arena,
	struct nodeset_view *view)
{
	struct gather g = { .self = rec, .cluster = cluster, .arena = arena };
	if (!autoscaling_read(rec->object).on)
		return;
	struct partitions_fact partitions = slurm_link_partitions(link);
	view->queue = slurm_link_queue(link);
	view->partition_sets = partitions.known ? partitions.sets : NULL;
	view->partition_nodes = partitions.known && !partitions.takes_empty ? partitions.nodes
									    : NULL;
	view->partition_nodes_ms = partitions.nodes_ms;
	store_each(store, RES_NODESET, rec->ns, add_sibling, &g);
	view->siblings = g.objects;
	view->n_siblings = g.n;
}
