/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jobs that end because another client deletes their pod. The operator cannot prevent
 * such a deletion, so it only reports it. It deletes no such pod itself.
 */
#ifndef ENGINE_LOSS_H
#define ENGINE_LOSS_H

#include "base/arena.h"
#include "engine/facts.h"
#include "link/facts.h"

#define LOSS_REASON "DeletedWhileBusy"

/*
 * Says in a sentence which job ends with a pod that is deleted, by the last report of
 * Slurm; NULL: Slurm reported no job.
 */
const char *loss_text(struct arena *a, const struct pod_fact *pod,
	const struct slurm_node_fact *node);

#endif
