/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a NodeSet's nodes are among those that a job may have: by names alone. */
#ifndef PLAN_AUTOSCALE_SERVES_H
#define PLAN_AUTOSCALE_SERVES_H

#include <stdbool.h>

#include "json/json.h"

/*
 * One of the partitions ("a,b") has its nodes: all nodes are in it, or those of a node
 * set that is called as a feature of theirs ("NodeSet=debug Feature=debug").
 */
bool serves_partition(const struct json *template, const char *partitions,
	const char *partition_sets);
/*
 * Its nodes satisfy the constraint: names with &, | and brackets. Of "[a*2&b*1]", a count
 * of nodes for each name, one name is enough.
 */
bool serves_features(const struct json *template, const char *constraint);

#endif
