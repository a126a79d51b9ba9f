/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the pod of a NodeSet that has waited longest for its deletion, and the job. */
#ifndef KIND_NODESET_DRAINS_H
#define KIND_NODESET_DRAINS_H

#include "engine/kind.h"

struct drain_wait {
	const char *pod; /* NULL: no pod waits; valid until the store changes */
	int64_t ms;
	int64_t job; /* the job that holds its Slurm node; 0: unknown */
};

/*
 * A pod waits while the operator has cordoned it and it is not terminating. The wait
 * begins with the drain that Slurm reports, or else when the manager saw the cordon.
 */
struct drain_wait nodeset_drain_wait(const struct measuring *m, const struct record *nodeset);

#endif
