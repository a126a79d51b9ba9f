/* SPDX-License-Identifier: Apache-2.0 */
/* The reasons that the operator gives to Slurm, and whose a reason is. */
#ifndef PLAN_NODESET_REASONS_H
#define PLAN_NODESET_REASONS_H

#include "base/arena.h"
#include "plan/nodeset/undrain.h"

/*
 * The reason that a lifted drain leaves behind. Slurm 26.05 clears the reason then, and
 * 24.11 does if it has accounting; otherwise 24.11 keeps the old reason until the next
 * job, and a later drain without a reason shows it. So this text must not read as a drain
 * of ours.
 */
#define REASON_RETURNED "returned to service by slurm-operator"

/* The pod of the node is to go. */
const char *reason_going(struct arena *a, const char *ns, const char *nodeset);
/* A user has cordoned the pod by its annotation. */
const char *reason_cordoned(struct arena *a, const char *ns, const char *nodeset);

/* Slurm has added that the node does not respond. */
bool reason_says_lost(const char *reason);
bool reason_says_going(const char *reason, const char *ns, const char *nodeset);
/* The slurmd of our images drained its own node when its pod was told to end. */
bool reason_says_ended(const char *reason, const char *node);

/* Slurm itself drained the node, and nothing else will report that. */
bool reason_is_of_slurm(const char *reason);

/*
 * REASON_OURS: this NodeSet drained the node, or Slinky's operator for this very pod.
 * REASON_EMPTY: the reason says nothing of a drain: none, or the text that a lifted drain
 * of ours left. Everything else is foreign, also the drain of another NodeSet. A text
 * that Slurm appends when the node is lost or rebooted (" : Not responding") does not
 * change the class.
 */
enum reason_class reason_class_of(const char *reason, const char *ns, const char *nodeset,
	const char *pod);

#endif
