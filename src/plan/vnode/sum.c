/* SPDX-License-Identifier: Apache-2.0 */
/* Sums up all records of a job or of an array. */
#include "base/own.h"
#include "base/str.h"
#include "plan/vnode/sheet.h"
#include "slurm/task_list.h"

static const char missing_word[] = "missing";

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

/* An older red-box does not report the tasks of a record. */
static bool tells_tasks(const struct slurm_job_shown *j)
{
	return !str_empty(j->task) && slurm_task_count(j->task) > 0;
}

static int64_t tasks_of(const struct slurm_job_shown *j)
{
	return tells_tasks(j) ? slurm_task_count(j->task) : 1;
}

static void count(struct vjob_sum *sum, const struct slurm_job_shown *j)
{
	enum vjob_phase phase = vjob_phase_of(j->state);
	bool ended = phase == VJOB_SUCCEEDED || phase == VJOB_FAILED;
	sum->array |= !str_empty(j->array_id);
	sum->counts[phase] += ended ? 1 : tasks_of(j);
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
	return sum->counts[VJOB_FAILED] || sum->missing ? VJOB_FAILED : VJOB_SUCCEEDED;
}

/*
 * Number of tasks that were cancelled while they waited, without one for each record: the
 * record itself counts as one failed task.
 */
static int64_t never_began(const struct slurm_job_shown *records, size_t n)
{
	int64_t more = 0;
	for (size_t i = 0; i < n; i++)
		if (vjobs_ended(&records[i], 1))
			more += tasks_of(&records[i]) - 1;
	return more;
}

static int64_t all_before(const char *counts)
{
	int64_t all = vjob_count_before(counts, missing_word);
	for (size_t i = 0; i <= VJOB_FAILED; i++)
		all += vjob_count_before(counts, vjob_count_words[i]);
	return all;
}

/*
 * If a record does not name its tasks, the number of missing tasks stays. The number does
 * not grow if the pod had no room for all ids, because tasks that have ended since may
 * not be listed.
 */
static int64_t count_missing(const struct vjob_sum *sum, const struct slurm_job_shown *records,
	size_t n, const struct vjob_before *before)
{
	int64_t was = vjob_count_before(before->counts, missing_word);
	int64_t shown = all_before(before->counts), least = never_began(records, n);
	int64_t gone = shown > before->tasks ? shown : before->tasks;
	for (size_t i = 0; i <= VJOB_FAILED; i++)
		gone -= sum->counts[i];
	for (size_t i = 0; i < n; i++)
		if (!tells_tasks(&records[i]))
			return was;
	if (gone > was && varray_is_cut(before->ended))
		gone = was;
	return gone > least ? gone : least;
}

struct vjob_sum vjob_sum_of(struct arena *a, const struct slurm_job_shown *records, size_t n,
	const struct vjob_before *before)
{
	struct vjob_sum sum = { .of = &records[0] };
	for (size_t i = 0; i < n; i++)
		count(&sum, &records[i]);
	if (sum.array) {
		sum.ended = varray_remember(a, &sum, records, n, before);
		sum.missing = count_missing(&sum, records, n, before);
	}
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
	if (sum->missing)
		str_addf(&text, ",%s=%lld", missing_word, (long long)sum->missing);
	return arena_strdup(a, str_text(&text));
}
