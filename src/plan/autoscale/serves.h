/* SPDX-License-Identifier: Apache-2.0 */
/* Decides by names whether a job may use the nodes of a NodeSet. */
#ifndef PLAN_AUTOSCALE_SERVES_H
#define PLAN_AUTOSCALE_SERVES_H

#include <stdbool.h>

#include "api/host_names.h"
#include "json/json.h"

/* The features of the nodes of a NodeSet. */
struct node_features {
	const char *names[FEATURES_MOST]; /* point into the template; not terminated */
	size_t lengths[FEATURES_MOST], n;
};

/* Call it once for a template, which may be large, and not for each waiting job. */
struct node_features node_features_of(const struct json *template);

/*
 * True if the nodes are in one of the partitions ("a,b"): a partition of all nodes, or of
 * a node set that has the name of one of their features ("NodeSet=debug Feature=debug").
 */
bool serves_partition(const struct node_features *f, const char *partitions,
	const char *partition_sets);
/* serves_partition for one partition: n bytes at name, not terminated. */
bool serves_one(const struct node_features *f, const char *name, size_t n,
	const char *partition_sets);
/*
 * True if the nodes satisfy the constraint: names with &, | and brackets. Where names
 * have counts of nodes, as in "[a*2&b*1]", one name is enough.
 */
bool serves_features(const struct node_features *f, const char *constraint);

#endif
