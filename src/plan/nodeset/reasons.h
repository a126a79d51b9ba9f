/* SPDX-License-Identifier: Apache-2.0 */
/* The reasons with which the operator drains Slurm nodes, and the owner of a reason. */
#ifndef PLAN_NODESET_REASONS_H
#define PLAN_NODESET_REASONS_H

#include "base/arena.h"
#include "plan/nodeset/undrain.h"

/*
 * The reason that a lifted drain leaves behind. Slurm 26.05 clears the reason when a
 * drain is lifted, and so does 24.11 with accounting. Without accounting, 24.11 keeps the
 * old reason until the next job, and a later drain without a reason shows it. So this
 * text must not look like a drain of ours.
 */
#define REASON_RETURNED "returned to service by slurm-operator"

/* The node is drained because its pod leaves. */
const char *reason_going(struct arena *a, const char *ns, const char *nodeset);
/* The node is drained because a user has cordoned its pod by annotation. */
const char *reason_cordoned(struct arena *a, const char *ns, const char *nodeset);

/* True if Slurm has added that the node does not respond. */
bool reason_says_lost(const char *reason);
bool reason_says_going(const char *reason, const char *ns, const char *nodeset);
/* True if the slurmd of our images drained its own node because its pod is ending. */
bool reason_says_ended(const char *reason, const char *node);

/* True if Slurm itself drained the node, and only the reason shows that. */
bool reason_is_of_slurm(const char *reason);

/*
 * REASON_OURS: this NodeSet drained the node, or Slinky's operator did for this pod.
 * REASON_EMPTY: no reason, or the text of a drain of ours that was lifted. Every other
 * reason is foreign, including that of another NodeSet. A text that Slurm appends when
 * the node is lost or rebooted (" : Not responding") does not change the class.
 */
enum reason_class reason_class_of(const char *reason, const char *ns, const char *nodeset,
	const char *pod);

#endif
