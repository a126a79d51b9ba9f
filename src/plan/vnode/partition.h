/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shows the state of a partition on the Node object of its virtual node: a taint, labels
 * and conditions. Pure.
 *
 * No taint is NoExecute, so jobs that are there stay. A taint NoSchedule means that a new
 * job cannot start. PreferNoSchedule means that Slurm may start it later, or for some
 * accounts only: the scheduler chooses another partition if one fits. So jobs still reach
 * a Slurm that creates its nodes only when jobs wait.
 */
#ifndef PLAN_VNODE_PARTITION_H
#define PLAN_VNODE_PARTITION_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/err.h"
#include "wlm/plain.h"

enum vpartition {
	VPARTITION_UNKNOWN, /* not known, or a state of a later Slurm */
	VPARTITION_UP,
	VPARTITION_DOWN,
	VPARTITION_DRAIN,
	VPARTITION_INACTIVE,
	VPARTITION_ROOT_ONLY,
	VPARTITION_NO_NODES,   /* the partition has none at the moment */
	VPARTITION_NODES_DOWN, /* each node is down, drained or not created yet */
	VPARTITIONS
};

struct vpartition_row {
	const char *word; /* Slurm's word for the state; NULL: the state follows from other facts */
	const char *taint;  /* the value of TAINT_UNAVAILABLE; NULL: none */
	const char *effect; /* of that taint */
	const char *reason; /* of CONDITION_PARTITION_AVAILABLE */
	const char *says;   /* its message, after "partition NAME of Slurm NAME " */
};
extern const struct vpartition_row vpartition_rows[VPARTITIONS];

/* now NULL: not known. If several states hold, the strictest is returned. */
enum vpartition vpartition_of(const struct wlm_partition *now);
/* A list limits who may use the partition. It does not show whether a job may. */
bool vpartition_is_restricted(const struct wlm_partition *now);
/* "takes jobs of the accounts a, b only (AllowAccounts)", and what happens to others. */
const char *vpartition_restriction(struct arena *a, const struct wlm_partition *now);

/*
 * Whether a submission that failed with e is refused for good. A refusal for want of
 * nodes is temporary while the partition has none.
 */
bool vrefusal_is_final(struct err e, const struct wlm_partition *now);
/*
 * The text is a refusal for want of nodes. Nodes come and go, and the facts about the
 * partition are some seconds old. So such a refusal is judged only if the refusal before
 * was of the same kind, and the partition was read in between.
 */
bool vrefusal_is_by_nodes(const char *text);
/*
 * The text of a failed submission is a refusal of Slurm for now: the submission is
 * repeated after pauses that grow.
 */
bool vrefusal_is_for_now(const char *text);

#endif
