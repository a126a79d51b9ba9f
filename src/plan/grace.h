/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An installation creates everything at once: Clusters, NodeSets, the Job that makes the
 * Secrets, and the daemons of Slurm. An object that a new object needs may not exist yet,
 * so its absence is not reported for some seconds. Pure.
 */
#ifndef PLAN_GRACE_H
#define PLAN_GRACE_H

#include <stdint.h>

#include "json/json.h"

/*
 * Time for which an object that this one needs may be missing without a report. 0: this
 * object is 30 s old, or its age is unknown because its creationTimestamp is absent or
 * later than now.
 */
int64_t grace_left_ms(const struct json *object, int64_t now_wall_ms);

#endif
