/* SPDX-License-Identifier: Apache-2.0 */
/* The state words of jobs, one row for each. */
#include "slurm/job_state.h"

#include <stddef.h>
#include <string.h>

#include "base/own.h"

static const struct {
	const char *word;
	uint32_t bit;
} words[] = {
	{ "BOOT_FAIL", JOB_BOOT_FAIL },
	{ "CANCELLED", JOB_CANCELLED },
	{ "COMPLETED", JOB_COMPLETED },
	{ "COMPLETING", JOB_COMPLETING },
	{ "CONFIGURING", JOB_CONFIGURING },
	{ "DEADLINE", JOB_DEADLINE },
	{ "EXPEDITING", JOB_EXPEDITING },
	{ "FAILED", JOB_FAILED },
	{ "LAUNCH_FAILED", JOB_LAUNCH_FAILED },
	{ "NODE_FAIL", JOB_NODE_FAIL },
	{ "OUT_OF_MEMORY", JOB_OUT_OF_MEMORY },
	{ "PENDING", JOB_PENDING },
	{ "POWER_UP_NODE", JOB_POWER_UP_NODE },
	{ "PREEMPTED", JOB_PREEMPTED },
	{ "RECONFIG_FAIL", JOB_RECONFIG_FAIL },
	{ "REQUEUED", JOB_REQUEUED },
	{ "REQUEUE_FED", JOB_REQUEUE_FED },
	{ "REQUEUE_HOLD", JOB_REQUEUE_HOLD },
	{ "RESIZING", JOB_RESIZING },
	{ "RESV_DEL_HOLD", JOB_RESV_DEL_HOLD },
	{ "REVOKED", JOB_REVOKED },
	{ "RUNNING", JOB_RUNNING },
	{ "SIGNALING", JOB_SIGNALING },
	{ "SPECIAL_EXIT", JOB_SPECIAL_EXIT },
	{ "STAGE_OUT", JOB_STAGE_OUT },
	{ "STOPPED", JOB_STOPPED },
	{ "SUSPENDED", JOB_SUSPENDED },
	{ "TIMEOUT", JOB_TIMEOUT },
};

uint32_t job_state_bit(const char *word)
{
	for (size_t i = 0; word && i < LENGTH(words); i++)
		if (strcmp(words[i].word, word) == 0)
			return words[i].bit;
	return JOB_OTHER;
}
