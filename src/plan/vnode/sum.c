/* SPDX-License-Identifier: Apache-2.0 */
/* Sums up all records of a job or of an array. */
#include "base/own.h"
#include "base/str.h"
#include "plan/vnode/sheet.h"

bool vjobs_ended(const struct slurm_job_shown *records, size_t n)
{
	bool ended = n > 0;
	for (size_t i = 0; i < n; i++) {
		enum vjob_phase phase = vjob_phase_of(records[i].state);
		ended &= phase == VJOB_SUCCEEDED || phase == VJOB_FAILED;
	}
	return ended;
}

static int64_t end_of(const struct slurm_job_shown *j)
{
	if (j->end_s > 0)
		return j->end_s;
	return j->start_s > 0 && j->run_s > 0 ? j->start_s + j->run_s : 0;
}

static void count(struct vjob_sum *sum, const struct slurm_job_shown *j)
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

struct vjob_sum vjob_sum_of(struct arena *a, const struct slurm_job_shown *records, size_t n,
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
