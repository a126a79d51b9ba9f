/* SPDX-License-Identifier: Apache-2.0 */
/* Which types and users of requests to slurmctld have series of their own. */
#ifndef PLAN_EXPORTER_RPCS_H
#define PLAN_EXPORTER_RPCS_H

#include "plan/exporter/facts.h"

enum { EXPORTER_RPCS_SHOWN = 100 };

/*
 * Puts those with the most time first, once for each answer, as a Slurm may have 80,000
 * users. Returns how many of them count.
 */
size_t exporter_rank_rpcs(struct exporter_rpc *v, size_t n);

#endif
