/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An installation creates everything at once: Clusters, NodeSets, the Job that makes the
 * Secrets, the daemons of Slurm. What a new object lacks may be on its way, and is no
 * trouble yet. Pure.
 */
#ifndef PLAN_GRACE_H
#define PLAN_GRACE_H

#include <stdint.h>

#include "json/json.h"

/*
 * How long what this object lacks is yet no trouble. 0: the object is 30 s old, or nobody
 * knows how old it is, as its creationTimestamp is absent or later than now.
 */
int64_t grace_left_ms(const struct json *object, int64_t now_wall_ms);

#endif
