/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Caches what Slurm shows of each job, and answers all callers that wait for it. A
 * question to Slurm starts a program, so a thousand jobs that are asked for every few
 * seconds would be hundreds of programs a second.
 *
 * When few jobs are asked for, scontrol shows each of them. When there are many, one
 * squeue for all finds the jobs that have changed; for the others the earlier answer of
 * scontrol is given again, which squeue has confirmed. So no answer is older than its
 * question.
 */
#ifndef REDBOX_JOBS_DESK_H
#define REDBOX_JOBS_DESK_H

#include "slurm/tools/tools.h"

enum {
	DESK_FEW = 8,           /* up to so many are shown one by one */
	DESK_PAUSE_MS = 1000,   /* between two questions for all */
	DESK_KEEP_MS = 120000,  /* what was shown is shown anew after so long */
	DESK_FORGET_MS = 60000, /* after the last question about a job */
};

struct desk;
struct desk_wait;

/* tools stays the caller's and outlives it. */
struct desk *desk_new(struct loop *l, struct slurm_tools *tools);
/* Frees it without answers to those that wait; accepts NULL. */
void desk_free(struct desk *d);

/*
 * As slurm_tools_job: done is called once, never from within the call; what it gets is
 * valid until it returns. The handle is gone then.
 */
struct desk_wait *desk_show(struct desk *d, int64_t job_id, slurm_tools_done *done, void *ctx);
/* done is not called any more; accepts NULL. */
void desk_wait_stop(struct desk_wait *w);

#endif
