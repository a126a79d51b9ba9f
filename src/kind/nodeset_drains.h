/* SPDX-License-Identifier: Apache-2.0 */
/* Which pod of a NodeSet has waited longest to go, and for which job. */
#ifndef KIND_NODESET_DRAINS_H
#define KIND_NODESET_DRAINS_H

#include "engine/kind.h"

struct drain_wait {
	const char *pod; /* NULL: no pod waits; valid until the store changes */
	int64_t ms;
	int64_t job; /* that holds its Slurm node; 0: Slurm names none */
};

/*
 * A pod waits while it is cordoned by the operator and not terminating. Slurm says since
 * when its node is drained; else it is since the manager has seen the cordon.
 */
struct drain_wait nodeset_drain_wait(const struct measuring *m, const struct record *nodeset);

#endif
