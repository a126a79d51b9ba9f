/* SPDX-License-Identifier: Apache-2.0 */
/* Waits of jobs that started between two lists. */
#include "plan/exporter/waits.h"

#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "slurm/job_state.h"

enum { PARTITIONS_MOST = 4096 };

const int64_t exporter_wait_bounds[WAIT_BOUNDS] = { 1, 10, 60, 300, 900, 1800, 3600, 10800, 21600,
	43200, 86400, 259200, 604800 };

/* ---- partitions ---- */

/* Where the partition stands, or would stand. */
static size_t place_of(const struct exporter_waits *w, const char *name, size_t n)
{
	size_t low = 0, high = w->n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = strncmp(w->v[middle].name, name, n);
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool stands(const struct exporter_waits *w, size_t at, const char *name, size_t n)
{
	return at < w->n && strncmp(w->v[at].name, name, n) == 0 && !w->v[at].name[n];
}

/* NULL: there are too many. */
static struct partition_waits *partition_in(struct exporter_waits *w, const char *name, size_t n)
{
	size_t at = place_of(w, name, n);
	if (stands(w, at, name, n))
		return &w->v[at];
	if (w->n == PARTITIONS_MOST)
		return NULL;
	if (w->n == w->cap) {
		w->cap = w->cap ? 2 * w->cap : 16;
		w->v = own_realloc(w->v, w->cap * sizeof(*w->v));
	}
	memmove(&w->v[at + 1], &w->v[at], (w->n - at) * sizeof(*w->v));
	w->v[at] = (struct partition_waits){ .name = own_strndup(name, n) };
	w->n++;
	return &w->v[at];
}

const struct partition_waits *exporter_waits_of(const struct exporter_waits *w,
	const char *partition)
{
	size_t n = strlen(partition), at = place_of(w, partition, n);
	return stands(w, at, partition, n) ? &w->v[at] : NULL;
}

static void count(struct exporter_waits *w, const char *list, int64_t wait_s)
{
	int bucket = 0;
	while (bucket < WAIT_BOUNDS && wait_s > exporter_wait_bounds[bucket])
		bucket++;
	while (*list) {
		size_t n = strcspn(list, ",");
		struct partition_waits *to = n ? partition_in(w, list, n) : NULL;
		if (to) {
			to->started[bucket]++;
			to->sum_s += (double)wait_s;
		}
		list += n + (list[n] == ',');
	}
}

/* ---- starts ---- */

/*
 * A pending job may have a start that Slurm expects, and a job whose nodes power up gets
 * another one. A job that never had a CPU has not started, whatever Slurm says of a job
 * that was cancelled while it waited. Where the clock of slurmctld is ahead, a start
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

/* The jobs that started last. */
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
	for (size_t i = 0; i < w->n; i++)
		free(w->v[i].name);
	free(w->v);
	free(w->ids);
	*w = (struct exporter_waits){ 0 };
}
