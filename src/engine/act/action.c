/* SPDX-License-Identifier: Apache-2.0 */
/* The table of verbs, and the functions with which a planner builds a plan. */
#include "engine/act/action.h"

#include <assert.h>

#include "base/str.h"
#include "engine/removal.h"

/*
 * The link sends two comments at a time. If Slurm does not answer, each takes half a
 * minute, so more comments in flight would take the place of more important actions.
 */
enum { COMMENTS_AT_A_TIME = 20 };

const struct verb_row verb_rows[VERB_COUNT] = {
	[VERB_NONE] = { "nothing", BACKEND_NONE, false, false },
	[VERB_CREATE] = { "create", BACKEND_KUBE, true, false },
	[VERB_PATCH] = { "patch", BACKEND_KUBE, true, true },
	[VERB_PATCH_STATUS] = { "patch-status", BACKEND_KUBE, false, true, true },
	[VERB_SHOW] = { "show-node-state", BACKEND_KUBE, false, true, true },
	[VERB_DELETE] = { "delete", BACKEND_KUBE, true, false },
	[VERB_DRAIN] = { "drain-nodes", BACKEND_SLURM, false, true },
	[VERB_UNDRAIN] = { "undrain-nodes", BACKEND_SLURM, false, true },
	[VERB_RESUME] = { "resume-nodes", BACKEND_SLURM, false, true },
	[VERB_COMMENT] = { "comment-node", BACKEND_SLURM, false, true, false, COMMENTS_AT_A_TIME },
	[VERB_REMOVE] = { "delete-node", BACKEND_SLURM, false, false },
	[VERB_WRITE_TOKEN] = { "write-token", BACKEND_TOKEN, false, true },
	[VERB_TELL] = { "emit", BACKEND_EVENT, true, false },
};

const char *operation_name(char buffer[static OPERATION_BYTES], struct operation d)
{
	const struct verb_row *row = &verb_rows[d.verb];
	const char *word = row->names_resource ? resource_rows[d.resource].word : NULL;
	char *at = str_put(buffer, buffer + OPERATION_BYTES, row->word);
	at = str_put(at, buffer + OPERATION_BYTES, word ? "-" : "");
	str_put(at, buffer + OPERATION_BYTES, word ? word : "");
	return buffer;
}

struct action *plan_add(struct plan *p, struct operation operation, const char *why)
{
	assert(operation.verb != VERB_NONE && why);
	p->actions = arena_grown(p->arena, p->actions, p->n, &p->cap, sizeof(*p->actions));
	struct action *a = &p->actions[p->n++];
	a->operation = operation;
	a->why = why;
	return a;
}

void plan_need(struct plan *p, enum slurm_need need) { demand_need(&p->demand, ASK_NODES, need); }
void plan_look(struct plan *p, const char *node)
{
	demand_about(&p->demand, p->arena, ASK_LOOKS, node);
}
void plan_ask_jobs(struct plan *p, int64_t at_ms) { demand_at(&p->demand, ASK_JOBS, at_ms); }

void plan_ask_partitions(struct plan *p) { demand_need(&p->demand, ASK_PARTITIONS, SLURM_AT_REST); }

void plan_ask_queue(struct plan *p) { demand_need(&p->demand, ASK_QUEUE, SLURM_AT_REST); }

void plan_again(struct plan *p, int64_t in_ms)
{
	if (in_ms > 0 && (p->again_in_ms == 0 || in_ms < p->again_in_ms))
		p->again_in_ms = in_ms;
}

struct guard guard_copy(struct arena *a, const struct guard *g)
{
	struct guard copy = *g;
	copy.uid = arena_strdup(a, g->uid);
	copy.resource_version = arena_strdup(a, g->resource_version);
	copy.node.name = arena_strdup(a, g->node.name);
	copy.node.address = arena_strdup(a, g->node.address);
	copy.node.second_address = arena_strdup(a, g->node.second_address);
	copy.node.machine = arena_strdup(a, g->node.machine);
	copy.pod = arena_strdup(a, g->pod);
	copy.gone.ns = arena_strdup(a, g->gone.ns);
	copy.gone.name = arena_strdup(a, g->gone.name);
	copy.gone.uid = arena_strdup(a, g->gone.uid);
	copy.secrets = arena_strdup(a, g->secrets);
	if (g->removal) {
		struct removal_facts *facts = arena_array(a, struct removal_facts, 1);
		*facts = *g->removal;
		copy.removal = facts;
	}
	return copy;
}
