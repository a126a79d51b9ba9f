/* SPDX-License-Identifier: Apache-2.0 */
/* The states of nodes that pods show, one row for each. */
#include "slurm/state_shown.h"

#include <string.h>

#include "base/own.h"

#define ROW(name) STATE_CONDITION_PREFIX name

/* Base states first. */
const struct state_shown_row state_shown_rows[STATE_SHOWN_ROWS] = {
	{ NODE_ALLOCATED, ROW("Allocated"), "allocated", false },
	{ NODE_DOWN, ROW("Down"), "down", true },
	{ NODE_ERROR, ROW("Error"), "error", true },
	{ NODE_FUTURE, ROW("Future"), "future", false },
	{ NODE_IDLE, ROW("Idle"), "idle", false },
	{ NODE_MIXED, ROW("Mixed"), "mixed", false },
	{ NODE_UNKNOWN, ROW("Unknown"), "unknown", false },
	{ NODE_COMPLETING, ROW("Completing"), NULL, false },
	{ NODE_DRAIN, ROW("Drain"), NULL, true },
	{ NODE_FAIL, ROW("Fail"), NULL, true },
	{ NODE_INVALID, ROW("Invalid"), NULL, false },
	{ NODE_INVALID_REG, ROW("InvalidReg"), NULL, true },
	{ NODE_MAINTENANCE, ROW("Maintenance"), NULL, false },
	{ NODE_NOT_RESPONDING, ROW("NotResponding"), NULL, false },
	{ NODE_UNDRAIN, ROW("Undrain"), NULL, false },
};

uint32_t state_shown(uint32_t state)
{
	uint32_t shown = state & NODE_BASE_MASK ? 0 : NODE_UNKNOWN;
	for (size_t i = 0; i < LENGTH(state_shown_rows); i++)
		if (state_shown_rows[i].bit != NODE_UNKNOWN)
			shown |= state & state_shown_rows[i].bit;
	return shown;
}

const char *state_shown_word(uint32_t shown)
{
	if ((shown & NODE_DRAIN) && !(shown & NODE_UNDRAIN))
		return shown & NODE_BUSY_MASK ? "draining" : "drained";
	for (size_t i = 0; i < LENGTH(state_shown_rows); i++)
		if (state_shown_rows[i].word && (shown & state_shown_rows[i].bit))
			return state_shown_rows[i].word;
	return "";
}

bool state_shown_has_reason(uint32_t shown)
{
	for (size_t i = 0; i < LENGTH(state_shown_rows); i++)
		if (state_shown_rows[i].has_reason && (shown & state_shown_rows[i].bit))
			return true;
	return false;
}

int state_shown_row_of(const char *condition)
{
	for (int i = 0; i < STATE_SHOWN_ROWS; i++)
		if (strcmp(state_shown_rows[i].condition, condition) == 0)
			return i;
	return -1;
}
