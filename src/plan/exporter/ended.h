/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CPU time and memory of jobs that have ended: counted from one window of time to the
 * next, by partition, account and user.
 *
 * A window has the jobs that ended from one second to another, both included. The next
 * one begins a second later, so each job is in one window. A window ends some time ago:
 * by then slurmdbd has heard of the jobs that ended in it, and of their last steps. The
 * first window only says where counting begins.
 */
#ifndef PLAN_EXPORTER_ENDED_H
#define PLAN_EXPORTER_ENDED_H

#include "plan/exporter/facts.h"
#include "plan/exporter/name_rows.h"
#include "plan/exporter/rows.h"

enum {
	ENDED_LATE_S = 60,  /* jobs that slurmdbd hears of later are not counted */
	ENDED_MOST_S = 600, /* of one window, after Slurm could not be asked for long */
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
	struct exporter_limits limits;                /* given; the rest begins as zeroes */
	struct name_rows partitions, accounts, users; /* struct ended_sum */
	double left_out;                              /* jobs */

	int64_t until_s, span_s; /* private */
};

struct ended_window {
	int64_t from_s, to_s;
};

/* The next window; false: its time has not come. now_s: since 1970. */
bool exporter_ended_window(struct exporter_ended *e, int64_t now_s, struct ended_window *out);
/* The jobs that ended in the window: all of it was read. */
void exporter_ended_take(struct exporter_ended *e, const struct ended_window *window,
	const struct exporter_ended_job *jobs, size_t n);
/*
 * The list of its jobs was too large: the next window is half as long. A window of one
 * second is left out.
 */
void exporter_ended_too_large(struct exporter_ended *e, const struct ended_window *window);
void exporter_ended_free(struct exporter_ended *e);

#endif
