/* SPDX-License-Identifier: Apache-2.0 */
/* The words of Slurm for a job, and what all records of an array come to. */
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

/* Behind "CANCELLED" stands "by" whom. */
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

/* ---- arrays ---- */

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

bool vjobs_ended(const struct vjob *records, size_t n)
{
	bool ended = n > 0;
	for (size_t i = 0; i < n; i++) {
		enum vjob_phase phase = vjob_phase_of(records[i].state);
		ended &= phase == VJOB_SUCCEEDED || phase == VJOB_FAILED;
	}
	return ended;
}

static int64_t end_of(const struct vjob *j)
{
	if (j->end_s > 0)
		return j->end_s;
	return j->start_s > 0 && j->run_s > 0 ? j->start_s + j->run_s : 0;
}

static void count(struct vjob_sum *sum, const struct vjob *j)
{
	enum vjob_phase phase = vjob_phase_of(j->state);
	bool ended = phase == VJOB_SUCCEEDED || phase == VJOB_FAILED;
	sum->counts[phase]++;
	sum->array |= !str_empty(j->array_id);
	if (j->start_s > 0 && (!sum->begun_s || j->start_s < sum->begun_s))
		sum->begun_s = j->start_s;
	if (ended && end_of(j) > sum->ended_s)
		sum->ended_s = end_of(j);
}

static enum vjob_phase phase_of_all(const struct vjob_sum *sum)
{
	bool ended = sum->counts[VJOB_SUCCEEDED] || sum->counts[VJOB_FAILED];
	if (sum->counts[VJOB_RUNNING] || (sum->counts[VJOB_PENDING] && ended))
		return VJOB_RUNNING;
	if (sum->counts[VJOB_PENDING])
		return VJOB_PENDING;
	return sum->counts[VJOB_FAILED] ? VJOB_FAILED : VJOB_SUCCEEDED;
}

struct vjob_sum vjob_sum_of(struct arena *a, const struct vjob *records, size_t n,
	const struct vjob_before *before)
{
	struct vjob_sum sum = { .of = &records[0] };
	for (size_t i = 0; i < n; i++)
		count(&sum, &records[i]);
	if (sum.array)
		sum.ended = varray_remember(a, &sum, records, n, before);
	sum.phase = phase_of_all(&sum);
	for (size_t i = n; i-- > 0;)
		if (vjob_phase_of(records[i].state) == sum.phase)
			sum.of = &records[i];
	return sum;
}

const char *vjob_counts(struct arena *a, const struct vjob_sum *sum)
{
	struct str text AUTO(str_free) = { 0 };
	for (size_t i = 0; i <= VJOB_FAILED; i++)
		str_addf(&text, "%s%s=%lld", i ? "," : "", vjob_count_words[i],
			(long long)sum->counts[i]);
	return arena_strdup(a, str_text(&text));
}
