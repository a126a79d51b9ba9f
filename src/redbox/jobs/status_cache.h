/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Caches what Slurm shows of each job, and answers all callers that wait for it. Each
 * query of Slurm starts a program. Without the cache, a thousand jobs that clients read
 * every few seconds would start hundreds of programs a second.
 *
 * If clients read few jobs, scontrol shows each of them. If they read many, one squeue
 * for all jobs finds those that have changed. For the others, the cache returns the
 * earlier output of scontrol, which squeue has confirmed. So no result is older than its
 * request.
 */
#ifndef REDBOX_JOBS_STATUS_CACHE_H
#define REDBOX_JOBS_STATUS_CACHE_H

#include "slurm/tools/tools.h"

enum {
	STATUS_CACHE_FEW = 8,          /* up to this number, each job is queried alone */
	STATUS_CACHE_PAUSE_MS = 1000,  /* between two queries for all jobs */
	STATUS_CACHE_KEEP_MS = 120000, /* maximum age of an output of scontrol */
	/* after the last request for a job, its entry is freed */
	STATUS_CACHE_FORGET_MS = 60000,
};

struct status_cache;
struct status_cache_wait;

/* The caller owns tools, which must outlive the cache. */
struct status_cache *status_cache_new(struct loop *l, struct slurm_tools *tools);
/* Calls no done of the callers that wait; accepts NULL. */
void status_cache_free(struct status_cache *d);

/*
 * Like slurm_tools_job: done is called once, never from within the call, and its
 * arguments are valid until it returns. Then the handle is freed.
 */
struct status_cache_wait *status_cache_show(struct status_cache *d, int64_t job_id,
	slurm_tools_done *done, void *ctx);
/* done is not called after this; accepts NULL. */
void status_cache_wait_stop(struct status_cache_wait *w);

#endif
