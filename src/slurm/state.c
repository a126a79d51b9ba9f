/* SPDX-License-Identifier: Apache-2.0 */
/* The state words of nodes, one row for each. */
#include "slurm/state.h"

#include <stddef.h>
#include <string.h>

#include "base/own.h"

static const struct {
	const char *word;
	uint32_t bit;
} words[] = {
	{ "ALLOCATED", NODE_ALLOCATED },
	{ "BLOCKED", NODE_BLOCKED },
	{ "CLOUD", NODE_POWER },
	{ "COMPLETING", NODE_COMPLETING },
	{ "DOWN", NODE_DOWN },
	{ "DRAIN", NODE_DRAIN },
	{ "DYNAMIC_FUTURE", NODE_DYNAMIC_FUTURE },
	{ "DYNAMIC_NORM", NODE_DYNAMIC },
	{ "ERROR", NODE_ERROR },
	{ "EXTERNAL", NODE_EXTERNAL },
	{ "FAIL", NODE_FAIL },
	{ "FUTURE", NODE_FUTURE },
	{ "IDLE", NODE_IDLE },
	{ "INVALID", NODE_INVALID },
	{ "INVALID_REG", NODE_INVALID_REG },
	{ "MAINTENANCE", NODE_MAINTENANCE },
	{ "MIXED", NODE_MIXED },
	{ "NOT_RESPONDING", NODE_NOT_RESPONDING },
	{ "PLANNED", NODE_PLANNED },
	{ "POWERED_DOWN", NODE_POWER | NODE_UNPOWERED | NODE_POWERED_DOWN },
	{ "POWERING_DOWN", NODE_POWER | NODE_POWERING_DOWN },
	{ "POWERING_UP", NODE_POWER | NODE_UNPOWERED | NODE_POWERING_UP },
	{ "POWER_DOWN", NODE_POWER },
	{ "POWER_DOWN_ASAP", NODE_POWER },
	{ "POWER_DOWN_FORCE", NODE_POWER },
	{ "POWER_DRAIN", NODE_POWER },
	{ "POWER_UP", NODE_POWER },
	{ "REBOOT_CANCELED", NODE_REBOOT },
	{ "REBOOT_ISSUED", NODE_REBOOT | NODE_REBOOT_ISSUED },
	{ "REBOOT_REQUESTED", NODE_REBOOT | NODE_REBOOT_REQUESTED },
	{ "RESERVED", NODE_RESERVED },
	{ "RESUME", NODE_UNDRAIN }, /* the drain is about to end */
	{ "UNDRAIN", NODE_UNDRAIN },
	{ "UNKNOWN", NODE_UNKNOWN },
};

uint32_t node_state_bit(const char *word)
{
	for (size_t i = 0; word && i < LENGTH(words); i++)
		if (strcmp(words[i].word, word) == 0)
			return words[i].bit;
	return NODE_OTHER;
}
