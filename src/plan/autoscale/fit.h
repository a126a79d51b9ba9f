/* SPDX-License-Identifier: Apache-2.0 */
/* Calculates how many nodes of a given size a job needs. */
#ifndef PLAN_AUTOSCALE_FIT_H
#define PLAN_AUTOSCALE_FIT_H

#include "plan/autoscale/need.h"

struct fit {
	int64_t nodes;   /* nodes that one job needs; 0: it fits on no number of such nodes */
	int64_t on_each; /* number of such jobs that fit on one node together; at least 1 */
	const char *why; /* if nodes is 0: the resource that is too small, for users */
};

/* The sentence lives in the arena. */
struct fit fit_of(const struct queued *job, const struct node_shape *shape, struct arena *arena);

#endif
