/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides when to write a token into a Secret that spec.token.writeTo names, and makes
 * the condition that reports it. Pure.
 *
 * A token is replaced when half of its life is over, when it is not of the key that Slurm
 * takes, not for the user that is named, or not as long-lived as is asked for. The
 * operator writes tokens only into a Secret that names this Cluster, and only for a user
 * whom the Secret with the key names.
 */
#ifndef PLAN_CLUSTER_TOKENS_H
#define PLAN_CLUSTER_TOKENS_H

#include "object/condition.h"
#include "plan/cluster/plan.h"

/* Orders what is to be written now, and says when to look again. */
void order_tokens(const struct cluster_view *v, int64_t now_wall_ms, struct plan *out);

enum tokens_said {
	TOKENS_NONE,  /* no Secret is named: there is no condition */
	TOKENS_STAYS, /* not known yet: the published condition stays */
	TOKENS_SAID,
};
enum tokens_said tokens_condition(const struct cluster_view *v, int64_t now_wall_ms,
	struct arena *a, struct condition *out);

#endif
