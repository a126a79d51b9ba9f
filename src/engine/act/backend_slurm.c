/* SPDX-License-Identifier: Apache-2.0 */
/* The backend to Slurm: updates of nodes, many at a time. */
#include <assert.h>

#include "base/own.h"
#include "engine/act/executor_parts.h"
#include "engine/act/reverted.h"
#include "engine/act/waits.h"

static const enum slurm_update updates[VERB_COUNT] = {
	[VERB_DRAIN] = SLURM_DRAIN,
	[VERB_UNDRAIN] = SLURM_UNDRAIN,
	[VERB_RESUME] = SLURM_RESUME,
	[VERB_COMMENT] = SLURM_COMMENT,
};

static void told(void *ctx, struct err err) { sent_action_end(ctx, err); }

static int64_t node_left_ms(const struct executor *x, const struct delivery *d, const char *node)
{
	char buffer[KEY_BYTES];
	const struct action *a = d->action;
	int64_t left_ms = waits_left_ms(x->waits, node_key(buffer, d->key, node), now_of(x));
	return left_ms ? left_ms
		       : reverted_left_ms(x->reverted,
				 reverted_node(buffer, a->operation, a->ns, a->name, node), d->what,
				 now_of(x));
}

/*
 * Slurm may refuse an update for one node and carry it out for the others, so each node
 * waits by itself. Returns the number of nodes that do not wait. least_ms: the shortest
 * wait of the others.
 */
static size_t ready_nodes(const struct executor *x, const struct delivery *d, const char **ready,
	int64_t *least_ms)
{
	size_t n = 0;
	*least_ms = 0;
	for (size_t i = 0; i < d->action->n_nodes; i++) {
		int64_t left_ms = node_left_ms(x, d, d->action->nodes[i]);
		if (!left_ms)
			ready[n++] = d->action->nodes[i];
		else if (!*least_ms || left_ms < *least_ms)
			*least_ms = left_ms;
	}
	return n;
}

int64_t backend_slurm(struct executor *x, const struct delivery *d)
{
	int64_t least_ms = 0;
	const struct action *a = d->action;
	assert(a->n_nodes && (a->operation.verb != VERB_REMOVE || a->n_nodes == 1));
	struct slurm_link *link = link_for(x, d->about->ns, d->cluster);
	AUTO(own_free) const char **ready = own_alloc((a->n_nodes + 1) * sizeof(char *));
	size_t n = link ? ready_nodes(x, d, ready, &least_ms) : 0;
	if (!n)
		return least_ms;
	struct sent_action *e = sent_action_new(x, d);
	const char **nodes = arena_array(&e->own, const char *, n);
	for (size_t i = 0; i < n; i++)
		nodes[i] = arena_strdup(&e->own, ready[i]);
	e->nodes = nodes;
	e->n_nodes = n;
	if (a->operation.verb == VERB_REMOVE)
		slurm_link_delete_node(link, nodes[0], told, e);
	else
		slurm_link_update(link, updates[a->operation.verb], nodes, n, a->text, told, e);
	return least_ms;
}
