/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides when to write a token into a Secret that spec.token.writeTo names, and makes
 * the condition that reports it. Pure.
 *
 * A token is replaced when half of its life is over, when its key is not the one that
 * Slurm accepts, when it is for another user, or when its lifetime differs from the spec.
 * The operator writes a token only into a Secret that names this Cluster, and only for a
 * user that the Secret with the key names.
 */
#ifndef PLAN_CLUSTER_TOKENS_H
#define PLAN_CLUSTER_TOKENS_H

#include "object/condition.h"
#include "plan/cluster/plan.h"

/* Orders the writes that are due, and asks for the next plan. */
void order_tokens(const struct cluster_view *v, int64_t now_wall_ms, struct plan *out);

enum tokens_said {
	TOKENS_NONE,  /* spec.token.writeTo names no Secret: no condition */
	TOKENS_STAYS, /* not known yet: the published condition stays */
	TOKENS_SAID,
};
enum tokens_said tokens_condition(const struct cluster_view *v, int64_t now_wall_ms,
	struct arena *a, struct condition *out);

#endif
