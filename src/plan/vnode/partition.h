/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shows the state of a partition on the Node object of its virtual node: a taint, labels
 * and conditions. Pure.
 *
 * No taint is NoExecute: the jobs that are there stay. A taint NoSchedule stands where a
 * new job cannot start. PreferNoSchedule stands where Slurm may start it later, or for
 * some accounts only: the scheduler takes another partition if one fits. So a Slurm that
 * makes its nodes when jobs wait for them gets these jobs.
 */
#ifndef PLAN_VNODE_PARTITION_H
#define PLAN_VNODE_PARTITION_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/err.h"
#include "wlm/plain.h"

enum vpartition {
	VPARTITION_UNKNOWN, /* not known, or a word of a later Slurm */
	VPARTITION_UP,
	VPARTITION_DOWN,
	VPARTITION_DRAIN,
	VPARTITION_INACTIVE,
	VPARTITION_ROOT_ONLY,
	VPARTITION_NO_NODES,   /* it has none at the moment */
	VPARTITION_NODES_DOWN, /* each is down or drained, or not made yet */
	VPARTITIONS
};

struct vpartition_row {
	const char *word;   /* of Slurm for the state; NULL: it follows from other facts */
	const char *taint;  /* the value of TAINT_UNAVAILABLE; NULL: none */
	const char *effect; /* of that taint */
	const char *reason; /* of CONDITION_PARTITION_AVAILABLE */
	const char *says;   /* its message, behind "partition NAME of Slurm NAME " */
};
extern const struct vpartition_row vpartition_rows[VPARTITIONS];

/* now NULL: not known. If several states hold, the strictest is returned. */
enum vpartition vpartition_of(const struct wlm_partition *now);
/* A list says who may use it; such a list says nothing of the account of a job. */
bool vpartition_is_restricted(const struct wlm_partition *now);
/* "takes jobs of the accounts a, b only (AllowAccounts)" and what becomes of others. */
const char *vpartition_restriction(struct arena *a, const struct wlm_partition *now);

/*
 * Whether a submission that failed with e is refused for good. A refusal for want of
 * nodes is a refusal for now while the partition has none.
 */
bool vrefusal_is_final(struct err e, const struct wlm_partition *now);
/*
 * The text is a refusal for want of nodes. Nodes come and go, and the facts about the
 * partition are some seconds old: such a refusal is judged when the one before was of the
 * same kind, and the partition was asked for in between.
 */
bool vrefusal_is_by_nodes(const char *text);
/*
 * The text of a failed submission is a refusal of Slurm, for now: it is tried again
 * later and later.
 */
bool vrefusal_is_for_now(const char *text);

#endif
