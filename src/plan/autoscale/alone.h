/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slurm before 26.05 refuses a job for a partition without nodes, so a NodeSet at zero
 * would never hear of it. Slurm's list of partitions names all nodes of each, also
 * records with the state FUTURE, which the list of nodes leaves out.
 */
#ifndef PLAN_AUTOSCALE_ALONE_H
#define PLAN_AUTOSCALE_ALONE_H

#include "plan/autoscale/serves.h"

/*
 * True if a partition of nodes with these features has no node but "PREFIX<number>" of
 * one of the prefixes. sets and nodes: of struct partitions_fact. A partition that
 * is not in nodes counts as one with other nodes.
 */
bool partition_alone(const struct node_features *f, const char *sets, const char *nodes,
	const char *const *prefixes, size_t n);

#endif
