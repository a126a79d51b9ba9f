/* SPDX-License-Identifier: Apache-2.0 */
/* The Slurm nodes whose comment names a pod of a NodeSet that does not exist. */
#include "base/str.h"
#include "children/pod.h"
#include "kind/nodeset_view.h"

struct gather {
	const struct store *store;
	struct slurm_link *link;
	struct arena *arena;
	const char *ns, *nodeset;
	struct record_fact *records;
	size_t n, cap;
};

static void found(void *ctx, const struct record *rec)
{
	(void)rec;
	*(bool *)ctx = true;
}

static bool has_pod(void *ctx, const char *node, const char *pod)
{
	const struct gather *g = ctx;
	bool named = store_get(g->store, RES_POD, g->ns, pod) != NULL;
	if (!named)
		store_each_named(g->store, g->ns, node, found, &named);
	return named;
}

static void gather_record(void *ctx, const struct slurm_record *r)
{
	struct gather *g = ctx;
	if (pod_ordinal(g->nodeset, r->pod) < 0)
		return;
	g->records = arena_grown(g->arena, g->records, g->n, &g->cap, sizeof(*g->records));
	g->records[g->n++] = (struct record_fact){ r->node, r->pod, r->podless_since_ms,
		{ .known = UNKNOWN } };
}

void nodeset_view_records(const struct store *store, struct slurm_link *link,
	const struct record *rec, uint64_t round, struct arena *arena, struct nodeset_view *view)
{
	struct gather g = {
		.store = store,
		.link = link,
		.arena = arena,
		.ns = rec->ns,
		.nodeset = rec->name,
	};
	slurm_link_each_record(link, rec->ns, round, has_pod, gather_record, &g);
	for (size_t i = 0; i < g.n; i++)
		slurm_link_named(link, g.records[i].node, &g.records[i].fact);
	view->records = g.records;
	view->n_records = g.n;
}
