/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long jobs had waited when they started, for each partition: counted from one list
 * of jobs to the next.
 *
 * A job counts once for each start: its start is later than every start of the lists
 * before, or as late as the latest one and the job was not among those. A list is a
 * snapshot of slurmctld, so no start comes late. The first list only says where counting
 * begins.
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
	double started[WAIT_BOUNDS + 1]; /* by bucket, each job in one */
	double sum_s;
};

struct exporter_waits {
	struct name_rows partitions; /* struct partition_waits */

	bool begun;      /* the rest is private */
	int64_t until_s; /* the latest start that was counted */
	int64_t *ids;    /* jobs that started then, in order */
	size_t n_ids;
};

/* A new list of jobs. now_s: a later start counts when it has come. */
void exporter_waits_take(struct exporter_waits *w, const struct exporter_jobs *jobs, int64_t now_s);
/* NULL: no job of the partition has started. */
const struct partition_waits *exporter_waits_of(const struct exporter_waits *w,
	const char *partition);
void exporter_waits_free(struct exporter_waits *w);

#endif
