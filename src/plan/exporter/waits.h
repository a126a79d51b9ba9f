/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long jobs had waited when they started, for each partition, counted from one list
 * of jobs to the next.
 *
 * A job counts once for each start. A start is new if it is later than every start in the
 * lists before. It is also new if it is as late as the latest start, and the job was not
 * among those that started then. A list is a snapshot of slurmctld, so no start is
 * reported late. The first list only sets where counting begins.
 */
#ifndef PLAN_EXPORTER_WAITS_H
#define PLAN_EXPORTER_WAITS_H

#include "plan/exporter/facts.h"
#include "plan/exporter/name_rows.h"

enum { WAIT_BOUNDS = 13 };
/* Upper bounds of the buckets, in seconds; one more bucket has no bound. */
extern const int64_t exporter_wait_bounds[WAIT_BOUNDS];

struct partition_waits {
	char *name;
	double started[WAIT_BOUNDS + 1]; /* number of jobs by bucket; each job is in one bucket */
	double sum_s;
};

struct exporter_waits {
	struct name_rows partitions; /* struct partition_waits */

	bool begun;      /* this and the next members are private */
	int64_t until_s; /* the latest start that was counted */
	int64_t *ids;    /* jobs that started then, sorted */
	size_t n_ids;
};

/* Adds a new list of jobs. now_s: a start in the future counts in a later list. */
void exporter_waits_take(struct exporter_waits *w, const struct exporter_jobs *jobs, int64_t now_s);
/* NULL: no job of the partition has started. */
const struct partition_waits *exporter_waits_of(const struct exporter_waits *w,
	const char *partition);
void exporter_waits_free(struct exporter_waits *w);

#endif
