/* SPDX-License-Identifier: Apache-2.0 */
/* Distributes the queue over the NodeSets. */
#include "plan/autoscale/need.h"

#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/str.h"
#include "plan/autoscale/fit.h"
#include "plan/autoscale/serves.h"

/* A node has 2^28 parts. Jobs that share a node are counted in parts. */
enum { NODE_PARTS_BITS = 28 };
static const int64_t NODE_PARTS = INT64_C(1) << NODE_PARTS_BITS;

/* A NodeSet while the queue is distributed. */
struct share {
	const struct autoscale_set *set;
	struct node_features features;
	bool is_self, serves;
	int64_t parts;   /* parts of nodes that jobs have taken */
	int64_t largest; /* nodes of the largest of these jobs */
	int64_t nodes;   /* whole nodes; if their size is unknown, those of the largest job */
	struct fit fit;  /* of the current job */
};

struct sharing {
	struct share *shares; /* cheapest first */
	size_t n;
	struct arena *arena;
	struct autoscale_need *out;
};

static int cheapest_first(const void *a, const void *b)
{
	const struct autoscale_set *x = ((const struct share *)a)->set,
				   *y = ((const struct share *)b)->set;
	if (x->weight != y->weight)
		return x->weight < y->weight ? -1 : 1;
	return strcmp(x->name, y->name);
}

static int64_t room_of(const struct share *s)
{
	int64_t room = s->set->max - s->set->taken;
	return room > 0 ? room : 0;
}

/* Number of parts that these jobs need; 0 if the size of a node is unknown. */
static int64_t parts_of(const struct share *s, int64_t jobs)
{
	return s->set->shape.cpus ? jobs * (s->fit.nodes * (NODE_PARTS / s->fit.on_each)) : 0;
}

/* Number of nodes that the NodeSet needs with this number of additional jobs. */
static int64_t nodes_with(const struct share *s, int64_t jobs)
{
	int64_t parts = s->parts + parts_of(s, jobs);
	int64_t largest = s->fit.nodes > s->largest ? s->fit.nodes : s->largest;
	int64_t nodes = (parts + NODE_PARTS - 1) >> NODE_PARTS_BITS;
	if (!s->set->shape.cpus)
		return largest;
	return nodes > largest ? nodes : largest;
}

/* Takes as many of the jobs as fit; returns the number of jobs that are left. */
static int64_t take_jobs(struct share *s, int64_t jobs)
{
	int64_t none = 0, room = room_of(s), all = s->fit.nodes <= room ? jobs : 0;
	while (none < all) { /* finds the largest number of jobs that fits */
		int64_t some = none + (all - none + 1) / 2;
		if (nodes_with(s, some) <= room)
			none = some;
		else
			all = some - 1;
	}
	if (!none)
		return jobs;
	s->nodes = nodes_with(s, none);
	s->parts += parts_of(s, none);
	s->largest = s->fit.nodes > s->largest ? s->fit.nodes : s->largest;
	return jobs - none;
}

/*
 * The other waiting jobs take all the room. Slurm decides which job starts first, and
 * some jobs may never start, so the NodeSet gets enough nodes for this job, too.
 */
static void make_room(struct sharing *g)
{
	for (size_t i = 0; i < g->n; i++) {
		struct share *s = &g->shares[i];
		if (!s->serves || !s->fit.nodes || s->fit.nodes > room_of(s))
			continue;
		s->nodes = s->fit.nodes > s->nodes ? s->fit.nodes : s->nodes;
		return;
	}
}

/* ---- jobs that no NodeSet can serve alone ---- */

static bool serves_alone(const struct sharing *g)
{
	for (size_t i = 0; i < g->n; i++)
		if (g->shares[i].serves && g->shares[i].fit.nodes &&
			g->shares[i].fit.nodes <= g->shares[i].set->max)
			return true;
	return false;
}

/* Spreads one job over several NodeSets, a node at a time from the cheapest. */
static void spread(struct sharing *g, int64_t nodes)
{
	int64_t room = 0;
	for (size_t i = 0; i < g->n; i++)
		room += g->shares[i].serves && g->shares[i].fit.nodes
			? room_of(&g->shares[i]) - g->shares[i].nodes
			: 0;
	for (size_t i = 0; i < g->n && room >= nodes && nodes > 0; i++) {
		struct share *s = &g->shares[i];
		int64_t left = s->serves && s->fit.nodes ? room_of(s) - s->nodes : 0;
		int64_t part = left < nodes ? left : nodes;
		s->nodes += part;
		s->parts += part * NODE_PARTS;
		s->largest = part > s->largest ? part : s->largest;
		nodes -= part;
	}
}

static int64_t together_most(const struct sharing *g, int64_t *nodes)
{
	int64_t most = 0;
	*nodes = 0;
	for (size_t i = 0; i < g->n; i++) {
		const struct share *s = &g->shares[i];
		if (!s->serves || !s->fit.nodes)
			continue;
		most += s->set->max;
		if (!*nodes || s->fit.nodes < *nodes)
			*nodes = s->fit.nodes;
	}
	return most;
}

static void note_unfit(struct sharing *g, const struct queued_sort *q, const char *why)
{
	if (g->out->unfit && g->out->unfit <= q->first_id)
		return;
	g->out->unfit = q->first_id;
	g->out->unfit_why = why;
}

static void share_large(struct sharing *g, const struct queued_sort *q, const struct share *self)
{
	int64_t nodes, most = together_most(g, &nodes);
	if (nodes && most >= nodes)
		spread(g, nodes);
	else if (self->serves && nodes)
		note_unfit(g, q,
			arena_printf(g->arena,
				"it asks for %lld nodes, and there can be at most %lld",
				(long long)nodes, (long long)most));
	else if (self->serves)
		note_unfit(g, q, self->fit.why);
}

/* ---- all of them ---- */

static struct share *look(struct sharing *g, const struct queued *job, const char *partition_sets)
{
	struct share *self = NULL;
	for (size_t i = 0; i < g->n; i++) {
		struct share *s = &g->shares[i];
		s->serves = serves_partition(&s->features, job->partitions, partition_sets) &&
			serves_features(&s->features, job->features);
		s->fit = (struct fit){ 0 };
		if (s->serves)
			s->fit = fit_of(job, &s->set->shape, g->arena);
		self = s->is_self ? s : self;
	}
	return self;
}

/* Limits the number of jobs so that no sum overflows. */
static int64_t jobs_of(const struct queued_sort *q)
{
	enum { JOBS_MOST = 1 << 18 };
	return q->count < JOBS_MOST ? q->count : JOBS_MOST;
}

static void share_out(struct sharing *g, const struct queued_sort *q, const char *partition_sets)
{
	const struct share *self = look(g, &q->job, partition_sets);
	int64_t left = jobs_of(q);
	if (!serves_alone(g)) {
		share_large(g, q, self);
		return;
	}
	for (size_t i = 0; i < g->n && left; i++)
		if (g->shares[i].serves && g->shares[i].fit.nodes)
			left = take_jobs(&g->shares[i], left);
	if (left)
		make_room(g);
}

struct autoscale_need autoscale_need(const struct slurm_queue *queue, const char *partition_sets,
	const struct autoscale_set *sets, size_t n, size_t self, struct arena *arena)
{
	struct autoscale_need need = { .unfit_why = "" };
	struct sharing g = { arena_array(arena, struct share, n + 1), n, arena, &need };
	for (size_t i = 0; i < n; i++)
		g.shares[i] = (struct share){ .set = &sets[i],
			.features = node_features_of(sets[i].template),
			.is_self = i == self };
	qsort(g.shares, n, sizeof(*g.shares), cheapest_first);
	for (size_t i = 0; i < queue->n; i++)
		share_out(&g, &queue->sorts[i], partition_sets);
	for (size_t i = 0; i < n; i++)
		if (g.shares[i].is_self)
			need.nodes = g.shares[i].nodes;
	return need;
}
