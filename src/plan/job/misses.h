/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Explains why no partition fits a job: which partition lacks which request of its pod.
 * The scheduler reports only the number of nodes that do not fit. Pure.
 */
#ifndef PLAN_JOB_MISSES_H
#define PLAN_JOB_MISSES_H

#include "base/arena.h"
#include "engine/facts.h"

/* Limits of the text: partitions (those with the fewest misses), and misses of each. */
enum { PARTITIONS_TOLD = 5, MISSES_TOLD = 3 };

/*
 * "no partition fits: hpc/debug: 8 CPUs a node asked for, it has 4; hpc/long: no feature
 * gpu=a100; and 7 more". wishes: as in struct pod_fact. NULL: the nodes are unknown, or
 * one of them misses nothing, so that only the scheduler knows the reason.
 */
const char *job_misses(struct arena *a, const char *wishes, const struct nodes_fact *nodes);

#endif
