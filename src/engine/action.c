/* SPDX-License-Identifier: Apache-2.0 */
/* Actions and plans: their words, and how a planner adds to a plan. */
#include "engine/action.h"

#include <string.h>

#include "base/str.h"

const char *const action_kind_names[ACT_KINDS] = {
	[ACT_CREATE_POD] = "create-pod",
	[ACT_PATCH_POD] = "patch-pod",
	[ACT_DELETE_POD] = "delete-pod",
	[ACT_CREATE_PVC] = "create-pvc",
	[ACT_PATCH_PVC] = "patch-pvc",
	[ACT_CREATE_REVISION] = "create-revision",
	[ACT_PATCH_REVISION] = "patch-revision",
	[ACT_DELETE_REVISION] = "delete-revision",
	[ACT_PATCH_STATUS] = "patch-status",
	[ACT_PATCH_OBJECT] = "patch-object",
	[ACT_DRAIN_NODES] = "drain-nodes",
	[ACT_UNDRAIN_NODES] = "undrain-nodes",
	[ACT_RESUME_NODES] = "resume-nodes",
	[ACT_COMMENT_NODE] = "comment-node",
	[ACT_DELETE_NODE] = "delete-node",
	[ACT_EMIT_EVENT] = "emit-event",
};

struct action *plan_add(struct plan *p, enum action_kind kind, const char *why)
{
	p->actions = arena_grown(p->arena, p->actions, p->n, &p->cap, sizeof(*p->actions));
	struct action *a = &p->actions[p->n++];
	a->kind = kind;
	a->why = why;
	return a;
}

void plan_need(struct plan *p, enum slurm_need need) { demand_nodes(&p->demand, need); }
void plan_look(struct plan *p, const char *node) { demand_look(&p->demand, p->arena, node); }
void plan_ask_jobs(struct plan *p, int64_t at_ms) { demand_jobs_at(&p->demand, at_ms); }

void plan_again(struct plan *p, int64_t in_ms)
{
	if (in_ms > 0 && (p->again_in_ms == 0 || in_ms < p->again_in_ms))
		p->again_in_ms = in_ms;
}

static const char *lookup(const struct kv *pairs, size_t n, const char *key)
{
	for (size_t i = 0; i < n; i++)
		if (str_eq(pairs[i].key, key))
			return pairs[i].value;
	return NULL;
}

const char *pod_label(const struct pod_fact *p, const char *key)
{
	return lookup(p->labels, p->n_labels, key);
}
const char *pod_annotation(const struct pod_fact *p, const char *key)
{
	return lookup(p->annotations, p->n_annotations, key);
}

bool pod_has_ip(const struct pod_fact *p, const char *address)
{
	return !str_empty(address) && (str_eq(address, p->ip) || str_eq(address, p->second_ip));
}
