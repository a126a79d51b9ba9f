/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Evidence about the job of a key: the conclusion from one fact of Slurm or the journal.
 * It uses no pointers in its facts, and is proven with submission.h, which combines the
 * evidence.
 */
#ifndef REDBOX_SUBMIT_EVIDENCE_H
#define REDBOX_SUBMIT_EVIDENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/tri.h"

enum {
	/* Twice the timeout of sbatch: by then its request has arrived, or never will */
	SUBMISSION_SETTLE_MS = 120000,
	/*
	 * By then slurmctld has saved the jobs that it accepted; it saves every five
	 * seconds
	 */
	SUBMISSION_SAVED_MS = 30000,
	/*
	 * A record older than this has reached slurmdbd, even if slurmctld's queue is
	 * never empty
	 */
	SUBMISSION_BEHIND_MS = 600000,
	/* Maximum error of our clock */
	SUBMISSION_SKEW_S = 60,
	/* A key's calls come within this time of each other */
	SUBMISSION_KEEP_S = 7 * 86400,
	/* Renew the entry of a key in use at most this often */
	SUBMISSION_NOTED_S = 3600,
	/* While keys come, the time between two surveys */
	SUBMISSION_AGAIN_MS = 20000,
};

/* ---- a job that Slurm does not have ---- */

enum { SUBMISSION_ENDED = -1 };

/* A job that was accepted, and that Slurm does not have now. */
struct submission_absence {
	/*
	 * The start of the slurmctld that accepted the job (SUBMISSION_ENDED: the job has
	 * ended in accounting) and of the slurmctld that was asked; 0: unknown
	 */
	int64_t boot_then_s, boot_now_s;
	int64_t job_id, next_job_id; /* next_job_id below 0: unknown */
	/* since its acceptance, or its earliest possible one; by our clock */
	int64_t age_s;
	int64_t min_job_age_s; /* from slurm.conf; below 0: unknown */
};

/*
 * Has Slurm lost the job? NO: the job has ended, and was forgotten. The slurmctld that
 * accepted the job loses nothing while it runs. A later slurmctld has lost the job if the
 * job cannot have ended more than MinJobAge ago, or if its id is not below the next id.
 * UNKNOWN also if the job has ended in accounting.
 */
static inline enum tri submission_lost(const struct submission_absence *a)
{
	if (!a->boot_now_s || a->boot_then_s == SUBMISSION_ENDED)
		return UNKNOWN;
	if (a->boot_then_s == a->boot_now_s)
		return NO;
	if (a->next_job_id >= 0 && a->job_id >= a->next_job_id)
		return YES;
	bool young = a->age_s >= 0 && a->age_s < a->min_job_age_s - SUBMISSION_SKEW_S;
	return young ? YES : UNKNOWN;
}

/* The job that Slurm shows under a final id. */
struct submission_shown {
	bool has_key; /* its comment has the key */
	/* The comment has another key of the journal, and that key has no other job id */
	bool of_another;
	bool of_other_user;
};

/*
 * The shown job is not the key's job. A comment that is no key of the journal proves
 * nothing: a plug-in of the site may have written it.
 */
static inline bool submission_is_displaced(const struct submission_shown *s)
{
	return s->of_other_user || (!s->has_key && s->of_another);
}

/*
 * A record of accounting under a final id. Accounting has no comments. since_s: the
 * latest time at which the key's job can have been submitted.
 */
struct submission_record {
	/* also true if unknown; Slurm reports the requeue as submit time */
	bool requeued;
	int64_t submit_s, since_s;
};

/* The record belongs to a later job than the key's. */
static inline bool submission_is_later(const struct submission_record *r)
{
	return !r->requeued &&
		r->submit_s > r->since_s + SUBMISSION_SETTLE_MS / 1000 + SUBMISSION_SKEW_S;
}

/*
 * The job that slurmctld shows under the id of an accepted job, if no job has the key.
 * submit_s is by slurmctld's clock (below 0: unknown). accepted_s is the time by our
 * clock when the id was noted. This may be long after the id was given: when sbatch waits
 * for the end of the job, or when the result of sbatch was lost and a later call found
 * the job.
 */
struct submission_numbered {
	struct submission_shown shown;
	int64_t submit_s, boot_now_s, accepted_s;
};

/*
 * The shown job is the key's job: a user or a plug-in has changed its comment. A
 * slurmctld that lost the job gives its id only to a job that is submitted after its
 * start.
 */
static inline bool submission_is_kept(const struct submission_numbered *n)
{
	return !submission_is_displaced(&n->shown) && n->submit_s >= 0 &&
		n->submit_s < n->boot_now_s &&
		n->submit_s >= n->accepted_s - SUBMISSION_KEEP_S - SUBMISSION_SKEW_S &&
		n->submit_s <= n->accepted_s + SUBMISSION_SKEW_S;
}

/*
 * The keys of all jobs that Slurm and its accounting had when they were asked. That was
 * before a key came that the journal does not have. Times are monotonic.
 */
struct submission_survey {
	int64_t asked_ms;
	int64_t whole_ms;  /* since then the journal has each key that was begun here */
	int64_t client_ms; /* since then the client is connected to us */
	bool seen;         /* a job has the key */
};

/*
 * True if the survey counts for the key as if it were asked now. Three processes can have
 * begun the key: this one after whole_ms (then the journal has the key), this one before
 * whole_ms, or another red-box that the client used before it connected to us. In the
 * last two cases sbatch has reached Slurm within SUBMISSION_SETTLE_MS, or never will, so
 * a later survey has seen the job. For this reason a survey never gets too old: while
 * slurmdbd is away and no new survey can be made, new keys are still submitted. We
 * promise nothing to a client that uses two red-boxes at once.
 */
static inline bool submission_surveyed(const struct submission_survey *s)
{
	int64_t settled_ms = s->asked_ms - SUBMISSION_SETTLE_MS;
	return !s->seen && s->whole_ms <= settled_ms && s->client_ms <= settled_ms;
}

/* ---- what a key stands for ---- */

/*
 * True if the digests of what the key stands for and what a call asks for differ. 0 is
 * unknown, and differs from none: an older red-box noted no digest.
 */
static inline bool submission_is_other(int64_t stands_for, int64_t asked_for)
{
	return stands_for && asked_for && stands_for != asked_for;
}

/* ---- jobs that have the key ---- */

/* A job that has the key. */
struct submission_found {
	int64_t id, submit_s;
	bool in_accounts; /* only accounting has the job */
};

/*
 * Among jobs that slurmctld has, take the lowest id: there should be only one. Among jobs
 * that only accounting has, take the newest: a job is submitted again after the one
 * before it was lost.
 */
static inline bool submission_is_better(const struct submission_found *a,
	const struct submission_found *b)
{
	if (a->in_accounts != b->in_accounts)
		return b->in_accounts;
	return a->in_accounts ? a->submit_s > b->submit_s : a->id < b->id;
}

#endif
