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
#ifndef REDBOX_JOBS_STATUS_CACHE_H
#define REDBOX_JOBS_STATUS_CACHE_H

#include "slurm/tools/tools.h"

enum {
	STATUS_CACHE_FEW = 8,           /* up to so many are shown one by one */
	STATUS_CACHE_PAUSE_MS = 1000,   /* between two questions for all */
	STATUS_CACHE_KEEP_MS = 120000,  /* what was shown is shown anew after so long */
	STATUS_CACHE_FORGET_MS = 60000, /* after the last question about a job */
};

struct status_cache;
struct status_cache_wait;

/* tools stays the caller's and outlives it. */
struct status_cache *status_cache_new(struct loop *l, struct slurm_tools *tools);
/* Frees it without answers to those that wait; accepts NULL. */
void status_cache_free(struct status_cache *d);

/*
 * As slurm_tools_job: done is called once, never from within the call; what it gets is
 * valid until it returns. The handle is gone then.
 */
struct status_cache_wait *status_cache_show(struct status_cache *d, int64_t job_id,
	slurm_tools_done *done, void *ctx);
/* done is not called any more; accepts NULL. */
void status_cache_wait_stop(struct status_cache_wait *w);

#endif
