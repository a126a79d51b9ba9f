/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of a Slurm node as pods show it: a condition for each word, and one word for
 * a label.
 */
#ifndef SLURM_STATE_SHOWN_H
#define SLURM_STATE_SHOWN_H

#include "slurm/state.h"

/* Conditions of a pod that begin so say the state of its Slurm node. */
#define STATE_CONDITION_PREFIX "SlurmNodeState"

enum { STATE_SHOWN_ROWS = 15 };

struct state_shown_row {
	uint32_t bit;          /* of enum node_state */
	const char *condition; /* "SlurmNodeStateIdle" */
	const char *word;      /* of a base state, for the label: "idle"; NULL: it is a flag */
	bool has_reason;       /* Slurm's reason says why the node is so */
};
extern const struct state_shown_row state_shown_rows[STATE_SHOWN_ROWS];

/* The bits of a state that conditions show. Without a base state: NODE_UNKNOWN. */
uint32_t state_shown(uint32_t state);
/*
 * The word of such bits: the base state, or as sinfo says it "draining" and "drained"; ""
 * without any.
 */
const char *state_shown_word(uint32_t shown);
/* Slurm's reason says why a node of such bits is so. */
bool state_shown_has_reason(uint32_t shown);
/* The row of this condition; -1: there is none. */
int state_shown_row_of(const char *condition);

#endif
