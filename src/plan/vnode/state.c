/* SPDX-License-Identifier: Apache-2.0 */
/* Slurm's words for the state of a job, and ours for the states of an array. */
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/str.h"
#include "plan/vnode/sheet.h"
#include "slurm/job_state.h"

enum {
	WAITS = JOB_CONFIGURING | JOB_POWER_UP_NODE | JOB_REQUEUED | JOB_REQUEUE_HOLD |
		JOB_SPECIAL_EXIT | JOB_REQUEUE_FED | JOB_RESV_DEL_HOLD | JOB_PENDING,
	RUNS = JOB_RUNNING | JOB_SUSPENDED | JOB_COMPLETING | JOB_STOPPED | JOB_SIGNALING |
		JOB_RESIZING | JOB_STAGE_OUT | JOB_EXPEDITING,
	FAILS = JOB_CANCELLED | JOB_FAILED | JOB_TIMEOUT | JOB_NODE_FAIL | JOB_PREEMPTED |
		JOB_BOOT_FAIL | JOB_DEADLINE | JOB_OUT_OF_MEMORY | JOB_LAUNCH_FAILED |
		JOB_RECONFIG_FAIL | JOB_REVOKED,
};

/* In "CANCELLED by 1000", the user follows the word "by". */
static uint32_t bits_of(const char *state)
{
	static const char separators[] = " ,|+";
	uint32_t bits = 0;
	for (const char *at = state; *at && !str_has_prefix(at, "by ");) {
		char word[32] = "";
		size_t n = strcspn(at, separators);
		if (n && n < sizeof(word)) {
			memcpy(word, at, n);
			bits |= job_state_bit(word);
		}
		at += n;
		at += strspn(at, separators);
	}
	return bits;
}

enum vjob_phase vjob_phase_of(const char *state)
{
	uint32_t bits = bits_of(state);
	if (bits & WAITS)
		return VJOB_PENDING;
	if (bits & (RUNS | JOB_OTHER))
		return VJOB_RUNNING;
	if (bits & FAILS)
		return VJOB_FAILED;
	return bits & JOB_COMPLETED ? VJOB_SUCCEEDED : VJOB_RUNNING;
}

int64_t vjob_exit_code(const char *text)
{
	char *rest;
	long long code = strtoll(text, &rest, 10), by = 0;
	if (*rest == ':')
		by = strtoll(rest + 1, NULL, 10);
	if (code > 0 && code <= INT32_MAX)
		return code;
	return by > 0 && by < 128 ? 128 + by : 0;
}

/* ---- of an array ---- */

const char *const vjob_count_words[] = { "pending", "running", "succeeded", "failed" };

int64_t vjob_count_before(const char *text, const char *word)
{
	size_t n = strlen(word);
	for (const char *at = text ? text : ""; *at; at += strcspn(at, ","), at += *at == ',')
		if (strncmp(at, word, n) == 0 && at[n] == '=') {
			long long count = strtoll(at + n + 1, NULL, 10);
			return count > 0 && count < INT32_MAX ? count : 0;
		}
	return 0;
}
