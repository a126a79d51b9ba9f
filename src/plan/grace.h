/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An installation creates everything at once: Clusters, NodeSets, the Job that makes the
 * Secrets, the daemons of Slurm. An object that a new one lacks may be on its way, and
 * its absence is no trouble yet. Pure.
 */
#ifndef PLAN_GRACE_H
#define PLAN_GRACE_H

#include <stdint.h>

#include "json/json.h"

/*
 * Time for which a missing object is no trouble yet. 0: the object is 30 s old, or its
 * age is unknown, as its creationTimestamp is absent or later than now.
 */
int64_t grace_left_ms(const struct json *object, int64_t now_wall_ms);

#endif
