/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why a job is schedulable nowhere: which partition misses what of what its pod asks for.
 * The scheduler says only on how many nodes it does not go. Pure.
 */
#ifndef PLAN_JOB_MISSES_H
#define PLAN_JOB_MISSES_H

#include "base/arena.h"
#include "engine/facts.h"

/* Limits of the text: the partitions that miss least, and the first misses of each. */
enum { PARTITIONS_TOLD = 5, MISSES_TOLD = 3 };

/*
 * "no partition fits: hpc/debug: 8 CPUs a node asked for, it has 4; hpc/long: no feature
 * gpu=a100; and 7 more". wishes: as in struct pod_fact. NULL: the nodes are not known, or
 * one of them misses nothing; then only the scheduler knows why.
 */
const char *job_misses(struct arena *a, const char *wishes, const struct nodes_fact *nodes);

#endif
