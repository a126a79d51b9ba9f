/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CPU time and memory of jobs that have ended, counted in windows of time, by partition,
 * account and user.
 *
 * A window has the jobs that ended from one second to another, both included. The next
 * window begins one second later, so each job is in one window. A window ends
 * ENDED_LATE_S ago: by then slurmdbd has received the jobs that ended in it, and their
 * last steps. The first window only sets where counting begins.
 */
#ifndef PLAN_EXPORTER_ENDED_H
#define PLAN_EXPORTER_ENDED_H

#include "plan/exporter/facts.h"
#include "plan/exporter/name_rows.h"
#include "plan/exporter/rows.h"

enum {
	ENDED_LATE_S = 60,  /* jobs that slurmdbd receives later are not counted */
	ENDED_MOST_S = 600, /* maximum length of a window, if Slurm did not answer for long */
};

struct exporter_ended_job {
	const char *partition, *account, *user;
	double v[ENDED_MEASURES]; /* by enum ended_measure */
};

struct ended_sum {
	char *name;
	double v[ENDED_MEASURES];
};

struct exporter_ended {
	struct exporter_limits limits; /* set by the caller; the other members begin as zeroes */
	struct name_rows partitions, accounts, users; /* struct ended_sum */
	double left_out;                              /* jobs */

	int64_t until_s, span_s; /* private */
};

struct ended_window {
	int64_t from_s, to_s;
};

/* The next window; false: it is too early. now_s: since 1970. */
bool exporter_ended_window(struct exporter_ended *e, int64_t now_s, struct ended_window *out);
/* Adds the jobs that ended in the window, which was read in full. */
void exporter_ended_take(struct exporter_ended *e, const struct ended_window *window,
	const struct exporter_ended_job *jobs, size_t n);
/*
 * The list of the window's jobs was too large, so the next window is half as long. A
 * window of one second is skipped.
 */
void exporter_ended_too_large(struct exporter_ended *e, const struct ended_window *window);
void exporter_ended_free(struct exporter_ended *e);

#endif
