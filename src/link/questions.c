/* SPDX-License-Identifier: Apache-2.0 */
/* The questions that a link asks Slurm, a row each, and the demands of all askers. */
#include "base/own.h"
#include "link/parts.h"
#include "slurm/hostlist.h"

enum { NODE_BYTES = 1536 }; /* for a node and its jobs, while a list is read */

const struct question_row *const link_questions[ASK_COUNT] = {
	[ASK_NODES] = &link_lists,
	[ASK_LOOKS] = &link_looks,
	[ASK_JOBS] = &link_jobs,
	[ASK_PARTITIONS] = &link_partitions,
	[ASK_QUEUE] = &link_queue,
};

static struct asker *asker_find(const struct slurm_link *l, const void *who)
{
	struct asker *a;
	HASH_FIND_PTR(l->askers, &who, a);
	return a;
}

static void asker_free(struct slurm_link *l, struct asker *a)
{
	HASH_DEL(l->askers, a);
	arena_free(&a->names);
	free(a);
}

/* Reserves quota for the facts about a namespace's own nodes, whatever others use. */
static void grant(struct slurm_link *l, size_t n_nodes)
{
	size_t bytes = (n_nodes < HOSTLIST_MAX ? n_nodes : HOSTLIST_MAX) * NODE_BYTES;
	quota_revoke(l->quota, l->granted);
	quota_grant(l->quota, bytes);
	l->granted = bytes;
}

void link_askers_free(struct slurm_link *l)
{
	struct asker *a, *next;
	HASH_ITER (hh, l->askers, a, next)
		asker_free(l, a);
	grant(l, 0);
}

static void asker_set(struct slurm_link *l, const void *who, const struct demand *demand)
{
	struct asker *a = asker_find(l, who);
	if (!a) {
		a = own_alloc(sizeof(*a));
		a->who = who;
		HASH_ADD_PTR(l->askers, who, a);
	}
	arena_free(&a->names);
	a->demand = demand_copy(&a->names, demand);
}

static void ask(struct slurm_link *l)
{
	AUTO(arena_free) struct arena arena = { 0 };
	struct demand sum = { 0 };
	for (const struct asker *a = l->askers; a; a = a->hh.next)
		demand_add(&sum, &arena, &a->demand);
	grant(l, sum.n_nodes);
	for (enum question q = 0; q < ASK_COUNT; q++)
		l->questions[q]->asked(l, &sum.of[q]);
}

void slurm_link_demand(struct slurm_link *l, const void *asker, const struct demand *demand)
{
	struct asker *known = asker_find(l, asker);
	if (demand)
		asker_set(l, asker, demand);
	else if (known)
		asker_free(l, known);
	if (demand || known)
		ask(l);
}
