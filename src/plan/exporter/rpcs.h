/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the types and users of requests to slurmctld that have series of their own. */
#ifndef PLAN_EXPORTER_RPCS_H
#define PLAN_EXPORTER_RPCS_H

#include "plan/exporter/facts.h"

enum { EXPORTER_RPCS_SHOWN = 100 };

/*
 * Moves the requests with the most time to the front, and returns how many of them have
 * series. Called once for each answer, because a Slurm may have 80,000 users.
 */
size_t exporter_rank_rpcs(struct exporter_rpc *v, size_t n);

#endif
