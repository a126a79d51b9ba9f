/* SPDX-License-Identifier: Apache-2.0 */
/* How a job fits on nodes of a shape. */
#ifndef PLAN_AUTOSCALE_FIT_H
#define PLAN_AUTOSCALE_FIT_H

#include "plan/autoscale/need.h"

struct fit {
	int64_t nodes;   /* that one job must have; 0: no number of such nodes would do */
	int64_t on_each; /* so many such jobs fit on a node beside each other; at least 1 */
	const char *why; /* nodes == 0: what is too small, for people */
};

/* The sentence lives in the arena. */
struct fit fit_of(const struct queued *job, const struct node_shape *shape, struct arena *arena);

#endif
