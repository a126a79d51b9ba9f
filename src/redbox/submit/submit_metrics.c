/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics of submissions: how they end, how long they take, and what they wait for. */
#include <utlist.h>

#include "base/metric.h"
#include "base/own.h"
#include "redbox/submit/submit_parts.h"

METRIC(submissions, "slurm_operator_red_box_submissions_total", METRIC_COUNTER,
	"Finished submissions. Concurrent calls with the same key are one submission. The outcome is ok (a job, perhaps of an earlier call), invalid or denied (Slurm refused it), retry (nothing was submitted, or the next call finds the job), lost (the result of sbatch is unknown), exists (the key is closed, of another job, or its job can never be known), or too-large (too many at a time).",
	"outcome", METRIC_OF_RED_BOX);
static const double bounds[] = { 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120 };
METRIC(number_seconds, "slurm_operator_red_box_submission_duration_seconds", METRIC_HISTOGRAM,
	"Time from a call until sbatch has printed the job id, including all waits.", "",
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
	if (r->key_query)
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
