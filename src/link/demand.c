/* SPDX-License-Identifier: Apache-2.0 */
/* Demands, and their sum. */
#include "link/demand.h"

void demand_nodes(struct demand *d, enum slurm_need need)
{
	if (need > d->nodes)
		d->nodes = need;
}

void demand_look(struct demand *d, struct arena *arena, const char *node)
{
	d->looks = arena_grown(arena, d->looks, d->n_looks, &d->looks_cap, sizeof(*d->looks));
	d->looks[d->n_looks++] = node;
}

void demand_jobs_at(struct demand *d, int64_t at_ms)
{
	if (at_ms > 0 && (!d->jobs_at_ms || at_ms < d->jobs_at_ms))
		d->jobs_at_ms = at_ms;
}

struct demand demand_copy(struct arena *arena, const struct demand *from)
{
	struct demand copy = { from->nodes, NULL, 0, 0, from->jobs, from->jobs_at_ms };
	for (size_t i = 0; i < from->n_looks; i++)
		demand_look(&copy, arena, arena_strdup(arena, from->looks[i]));
	return copy;
}

void demand_add(struct demand *all, struct arena *arena, const struct demand *one)
{
	demand_nodes(all, one->nodes);
	demand_jobs_at(all, one->jobs_at_ms);
	all->jobs |= one->jobs;
	for (size_t i = 0; i < one->n_looks; i++)
		demand_look(all, arena, one->looks[i]);
}
