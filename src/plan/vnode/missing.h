/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides when a job that Slurm does not know any more is lost for good. Free of pointers
 * so that it can be proven (tests/proof/missing.c).
 *
 * Definition: a job is *missing* while red-box reports its job id and Slurm does not know
 * the job. Its submission is then repeated. Either red-box submits the job again, and a
 * slurmctld that has lost its state gives it the same id. Or red-box reports the same id
 * because Slurm has only forgotten the job, and there is no accounting to query.
 *
 *   1. A submission is *void* if Slurm was queried within VPOD_SETTLE_MS after it and did
 *      not know the job: a slurmctld that loses a job takes longer to restart.
 *   2. A job is lost when it has been missing for VPOD_MISSING_MS and VPOD_MISSING_TIMES
 *      submissions in a row were void.
 *   3. The row of void submissions ends when Slurm knows the job, or when red-box reports
 *      another id. It also ends when Slurm was queried too late after a submission,
 *      because Slurm may have lost that job, too.
 */
#ifndef PLAN_VNODE_MISSING_H
#define PLAN_VNODE_MISSING_H

#include <stdbool.h>
#include <stdint.h>

enum {
	VPOD_SETTLE_MS = 10000, /* maximum delay of a submission that was sent */
	VPOD_MISSING_MS = 60000,
	VPOD_MISSING_TIMES = 3,
};

struct vmissing {
	int64_t since_ms; /* monotonic; 0: not missing */
	int times;        /* number of times that red-box has reported the same id since */
};

/*
 * Slurm was queried at asked_ms, and does not know the job. numbered: red-box has
 * reported its id. submitted_ms: time of the last submission; 0: none of this process.
 */
static inline struct vmissing vmissing_unknown(struct vmissing m, bool numbered, int64_t asked_ms,
	int64_t submitted_ms)
{
	bool late = asked_ms - submitted_ms > VPOD_SETTLE_MS;
	if (numbered && (late || !m.since_ms))
		return (struct vmissing){ .since_ms = asked_ms };
	return m;
}

/* A submission has returned an id. same: it is the id that was known before. */
static inline struct vmissing vmissing_numbered(struct vmissing m, bool same)
{
	return same ? (struct vmissing){ m.since_ms, m.times + 1 } : (struct vmissing){ 0 };
}

/* Valid only if the last answer is that Slurm does not know the job. */
static inline bool vmissing_is_lost(struct vmissing m, int64_t now_ms)
{
	return m.since_ms && now_ms - m.since_ms >= VPOD_MISSING_MS &&
		m.times >= VPOD_MISSING_TIMES;
}

#endif
