/* SPDX-License-Identifier: Apache-2.0 */
/* Counts submissions: how they end, how long they take, and what they wait for. */
#include <utlist.h>

#include "base/metric.h"
#include "base/own.h"
#include "redbox/submit/submit_parts.h"

METRIC(submissions, "slurm_operator_red_box_submissions_total", METRIC_COUNTER,
	"Submissions that have ended; calls with one key at the same time are one. The outcome "
	"is ok: it has a job, which may have been there before; invalid or denied: Slurm refused "
	"it; retry: nothing was done, or it is found again; lost: nobody knows; exists: nobody "
	"can find out any more, its key was closed, or stands for another job; too-large: there "
	"were too many.",
	"outcome", METRIC_OF_RED_BOX);
static const double bounds[] = { 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120 };
METRIC(number_seconds, "slurm_operator_red_box_submission_duration_seconds", METRIC_HISTOGRAM,
	"Time from a call until sbatch has given the number of its job, with all waits.", "",
	METRIC_OF_RED_BOX, bounds, LENGTH(bounds));

static bool submits(const struct run *r) { return (r->script || r->other) && !r->closes; }

void submit_count(const struct run *r, struct err e)
{
	if (submits(r))
		metric_add(&submissions, 1, failed(e) ? err_kind_name(e.kind) : "ok");
}

void submit_numbered(const struct run *r)
{
	int64_t took_ms = loop_now_ms(r->submitter->loop) - r->began_ms;
	metric_observe(&number_seconds, (double)took_ms / 1000);
}

static enum submit_waits waits_for(const struct run *r)
{
	if (r->list)
		return WAITS_DISK;
	if (r->inquiry)
		return WAITS_SLURM;
	return r->sbatch ? WAITS_SBATCH : WAITS_TURN;
}

struct submitter_counts submitter_counts(const struct submitter *s)
{
	struct submitter_counts counts = { .turned_away = s->turned_away };
	const struct run *r;
	DL_FOREACH(s->runs, r)
	if (submits(r))
		counts.waiting[waits_for(r)]++;
	return counts;
}
