/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that build demands and add them up. */
#include "link/demand.h"

void demand_need(struct demand *d, enum question q, enum slurm_need need)
{
	d->of[q].wanted = true;
	if (need > d->of[q].need)
		d->of[q].need = need;
}

void demand_at(struct demand *d, enum question q, int64_t at_ms)
{
	if (at_ms > 0 && (!d->of[q].at_ms || at_ms < d->of[q].at_ms))
		d->of[q].at_ms = at_ms;
}

void demand_about(struct demand *d, struct arena *arena, enum question q, const char *name)
{
	struct ask *a = &d->of[q];
	a->names = arena_grown(arena, a->names, a->n_names, &a->cap, sizeof(*a->names));
	a->names[a->n_names++] = name;
}

struct demand demand_copy(struct arena *arena, const struct demand *from)
{
	struct demand copy = { 0 };
	demand_add(&copy, arena, from);
	for (enum question q = 0; q < ASK_COUNT; q++)
		for (size_t i = 0; i < copy.of[q].n_names; i++)
			copy.of[q].names[i] = arena_strdup(arena, copy.of[q].names[i]);
	return copy;
}

void demand_add(struct demand *all, struct arena *arena, const struct demand *one)
{
	all->n_nodes += one->n_nodes;
	for (enum question q = 0; q < ASK_COUNT; q++) {
		const struct ask *a = &one->of[q];
		all->of[q].wanted |= a->wanted;
		if (a->need > all->of[q].need)
			all->of[q].need = a->need;
		demand_at(all, q, a->at_ms);
		for (size_t i = 0; i < a->n_names; i++)
			demand_about(all, arena, q, a->names[i]);
	}
}
