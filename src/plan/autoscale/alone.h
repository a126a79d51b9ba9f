/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slurm before 26.05 refuses a job for a partition without nodes, so a NodeSet without
 * pods would never get a job. Slurm's list of partitions names all nodes of each
 * partition. It includes records with the state FUTURE, which the list of nodes omits.
 */
#ifndef PLAN_AUTOSCALE_ALONE_H
#define PLAN_AUTOSCALE_ALONE_H

#include "plan/autoscale/serves.h"

/*
 * True if a partition of nodes with these features has only nodes "PREFIX<number>" of one
 * of the prefixes. sets and nodes: members of struct partitions_fact. A partition that is
 * absent from nodes counts as a partition with other nodes.
 */
bool partition_alone(const struct node_features *f, const char *sets, const char *nodes,
	const char *const *prefixes, size_t n);

#endif
