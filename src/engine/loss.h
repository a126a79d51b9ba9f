/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jobs that another client ends by deleting their pod: Kubernetes does not ask first, so
 * the operator can only report it. The operator itself deletes no pod whose node has a
 * job.
 */
#ifndef ENGINE_LOSS_H
#define ENGINE_LOSS_H

#include "base/arena.h"
#include "engine/facts.h"
#include "link/facts.h"

#define LOSS_REASON "DeletedWhileBusy"

/*
 * A pod is going or gone. Which job ends with it, as Slurm said last, in a sentence;
 * NULL: none that Slurm knew of.
 */
const char *loss_text(struct arena *a, const struct pod_fact *pod,
	const struct slurm_node_fact *node);

#endif
