/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the waits of jobs that started between two lists. */
#include "plan/exporter/waits.h"

#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "slurm/job_state.h"

enum { PARTITIONS_MOST = 4096 };

const int64_t exporter_wait_bounds[WAIT_BOUNDS] = { 1, 10, 60, 300, 900, 1800, 3600, 10800, 21600,
	43200, 86400, 259200, 604800 };

/* ---- partitions ---- */

const struct partition_waits *exporter_waits_of(const struct exporter_waits *w,
	const char *partition)
{
	return name_rows_find(&w->partitions, sizeof(struct partition_waits), partition,
		strlen(partition));
}

static void count(struct exporter_waits *w, const char *list, int64_t wait_s)
{
	int bucket = 0;
	while (bucket < WAIT_BOUNDS && wait_s > exporter_wait_bounds[bucket])
		bucket++;
	while (*list) {
		size_t n = strcspn(list, ",");
		struct partition_waits *to = n
			? name_rows_get(&w->partitions, sizeof(*to), PARTITIONS_MOST, list, n)
			: NULL;
		if (to) {
			to->started[bucket]++;
			to->sum_s += (double)wait_s;
		}
		list += n + (list[n] == ',');
	}
}

/* ---- starts ---- */

/*
 * A pending job may have an expected start, and the start of a job changes when its nodes
 * power up. A job that never had a CPU has not started, whatever start Slurm reports for
 * a job that was cancelled while it waited. If the clock of slurmctld is ahead, a start
 * counts later.
 */
static bool has_started(const struct exporter_job *j, int64_t now_s)
{
	return j->start_s > 0 && j->start_s <= now_s && j->cpus > 0 &&
		!(j->state & (JOB_PENDING | JOB_POWER_UP_NODE));
}

static int by_id(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

static bool is_new(const struct exporter_waits *w, const struct exporter_job *j)
{
	return w->begun &&
		(j->start_s > w->until_s || !w->n_ids ||
			!bsearch(&j->id, w->ids, w->n_ids, sizeof(*w->ids), by_id));
}

/* Remembers the jobs with the latest start. */
static void remember(struct exporter_waits *w, const struct exporter_jobs *jobs, int64_t latest_s)
{
	size_t n = 0;
	for (size_t i = 0; i < jobs->n; i++)
		n += jobs->v[i].start_s == latest_s;
	w->ids = own_realloc(w->ids, (n + 1) * sizeof(*w->ids));
	w->n_ids = 0;
	for (size_t i = 0; i < jobs->n; i++)
		if (jobs->v[i].start_s == latest_s && has_started(&jobs->v[i], latest_s))
			w->ids[w->n_ids++] = jobs->v[i].id;
	if (w->n_ids)
		qsort(w->ids, w->n_ids, sizeof(*w->ids), by_id);
	w->until_s = latest_s;
}

void exporter_waits_take(struct exporter_waits *w, const struct exporter_jobs *jobs, int64_t now_s)
{
	int64_t latest_s = w->until_s;
	for (size_t i = 0; i < jobs->n; i++) {
		const struct exporter_job *j = &jobs->v[i];
		if (!has_started(j, now_s) || j->start_s < w->until_s)
			continue;
		int64_t wait_s = j->start_s - j->eligible_s;
		if (is_new(w, j) && j->eligible_s > 0)
			count(w, jobs->lists.v[j->list], wait_s > 0 ? wait_s : 0);
		latest_s = j->start_s > latest_s ? j->start_s : latest_s;
	}
	remember(w, jobs, latest_s);
	w->begun = true;
}

void exporter_waits_free(struct exporter_waits *w)
{
	name_rows_free(&w->partitions, sizeof(struct partition_waits));
	free(w->ids);
	*w = (struct exporter_waits){ 0 };
}
