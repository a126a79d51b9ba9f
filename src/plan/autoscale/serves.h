/* SPDX-License-Identifier: Apache-2.0 */
/* Decides by names whether the nodes of a NodeSet are among those that a job may have. */
#ifndef PLAN_AUTOSCALE_SERVES_H
#define PLAN_AUTOSCALE_SERVES_H

#include <stdbool.h>

#include "json/json.h"

/*
 * True if the nodes are in one of the partitions ("a,b"): a partition of all nodes, or of
 * a node set that has the name of one of their features ("NodeSet=debug Feature=debug").
 */
bool serves_partition(const struct json *template, const char *partitions,
	const char *partition_sets);
/*
 * True if the nodes satisfy the constraint: names with &, | and brackets. Where names
 * have counts of nodes, as in "[a*2&b*1]", one name is enough.
 */
bool serves_features(const struct json *template, const char *constraint);

#endif
