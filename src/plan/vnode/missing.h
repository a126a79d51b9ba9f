/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides when a job that Slurm does not know any more is lost for good. Free of pointers
 * so that it can be proven (tests/proof/missing.c).
 *
 * Definition: a job is *missing* while red-box names its number and Slurm does not know
 * it. Its submission is then asked for again. Either red-box submits it again, and a
 * slurmctld that has lost its state gives the same number; or red-box says the number
 * again because Slurm has only forgotten the job, and has no accounts to ask.
 *
 *   1. A submission is *void* if Slurm was asked within VPOD_SETTLE_MS after it and did
 *      not know the job: a slurmctld that loses a job needs longer to be back.
 *   2. A job is lost once it was missing for VPOD_MISSING_MS and VPOD_MISSING_TIMES
 *      submissions in a row were void.
 *   3. The row of void submissions ends when Slurm knows the job, when red-box names
 *      another number, or when Slurm was asked too late after a submission, and may have
 *      lost that job, too.
 */
#ifndef PLAN_VNODE_MISSING_H
#define PLAN_VNODE_MISSING_H

#include <stdbool.h>
#include <stdint.h>

enum {
	VPOD_SETTLE_MS = 10000, /* a submission that was sent may arrive so much later */
	VPOD_MISSING_MS = 60000,
	VPOD_MISSING_TIMES = 3,
};

struct vmissing {
	int64_t since_ms; /* monotonic; 0: it is not missing */
	int times;        /* red-box has named the same number since */
};

/*
 * Slurm was asked at asked_ms, and does not know the job. numbered: red-box has named its
 * number. submitted_ms: the last submission; 0: none of this process.
 */
static inline struct vmissing vmissing_unknown(struct vmissing m, bool numbered, int64_t asked_ms,
	int64_t submitted_ms)
{
	bool late = asked_ms - submitted_ms > VPOD_SETTLE_MS;
	if (numbered && (late || !m.since_ms))
		return (struct vmissing){ .since_ms = asked_ms };
	return m;
}

/* A submission has a number. same: the number that was known before. */
static inline struct vmissing vmissing_numbered(struct vmissing m, bool same)
{
	return same ? (struct vmissing){ m.since_ms, m.times + 1 } : (struct vmissing){ 0 };
}

/* The last answer was that Slurm does not know it. */
static inline bool vmissing_is_lost(struct vmissing m, int64_t now_ms)
{
	return m.since_ms && now_ms - m.since_ms >= VPOD_MISSING_MS &&
		m.times >= VPOD_MISSING_TIMES;
}

#endif
