/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of a Slurm node on its pod: a condition for each word, and one word for a
 * label.
 */
#ifndef SLURM_STATE_SHOWN_H
#define SLURM_STATE_SHOWN_H

#include "slurm/state.h"

/* The prefix of the pod conditions for the state of the Slurm node. */
#define STATE_CONDITION_PREFIX "SlurmNodeState"

enum { STATE_SHOWN_ROWS = 15 };

struct state_shown_row {
	uint32_t bit;          /* of enum node_state */
	const char *condition; /* "SlurmNodeStateIdle" */
	const char *word;      /* of a base state, for the label: "idle"; NULL: a flag */
	bool has_reason;       /* Slurm's reason explains this state */
};
extern const struct state_shown_row state_shown_rows[STATE_SHOWN_ROWS];

/* The bits of a state that conditions show, or NODE_UNKNOWN without a base state. */
uint32_t state_shown(uint32_t state);
/*
 * The word for the bits of state_shown: "draining" or "drained" as in sinfo, or the base
 * state; "" without bits.
 */
const char *state_shown_word(uint32_t shown);
/* Whether Slurm's reason explains one of the bits of state_shown. */
bool state_shown_has_reason(uint32_t shown);
/* The row of this condition; -1: no row. */
int state_shown_row_of(const char *condition);

#endif
