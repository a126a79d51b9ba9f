/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Evidence about the job of a key: what follows from one fact of Slurm or the journal.
 * Free of pointers, and proven with submission.h, which combines the evidence.
 */
#ifndef REDBOX_SUBMIT_EVIDENCE_H
#define REDBOX_SUBMIT_EVIDENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/tri.h"

enum {
	/*
	 * Twice the timeout of sbatch: its request has arrived by then, or never will
	 */
	SUBMISSION_SETTLE_MS = 120000,
	/* slurmctld has written down by then what it accepted: six times five seconds */
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
	/* While keys come, the next survey starts so long after the last */
	SUBMISSION_AGAIN_MS = 20000,
};

/* ---- a job that is not there ---- */

enum { SUBMISSION_ENDED = -1 };

/* A job that was accepted, and that Slurm does not have now. */
struct submission_absence {
	/*
	 * The starts of the slurmctld that accepted it (SUBMISSION_ENDED: the job has
	 * ended by the accounts) and of the slurmctld that was asked; 0: not known
	 */
	int64_t boot_then_s, boot_now_s;
	int64_t job_id, next_job_id; /* next_job_id below 0: not known */
	int64_t age_s;         /* since it was accepted, by our clock; or since it may have been */
	int64_t min_job_age_s; /* as in slurm.conf; below 0: not known */
};

/*
 * Has Slurm lost the job? NO: the job has ended, and was forgotten. The slurmctld that
 * accepted the job loses nothing while it runs. A later slurmctld has lost the job if the
 * job cannot have ended more than MinJobAge ago, or if its id is not below the next id.
 * UNKNOWN also if the job has ended by the accounts.
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

/* The job that Slurm shows under an id that counts for good. */
struct submission_shown {
	bool has_key; /* its comment has the key */
	/*
	 * The comment of the job is another key of the journal, whose job has no other id
	 */
	bool of_another;
	bool of_other_user;
};

/*
 * The shown job is not the key's job. A comment that is no key of the journal is no
 * evidence: a plug-in of the site may have written it.
 */
static inline bool submission_is_displaced(const struct submission_shown *s)
{
	return s->of_other_user || (!s->has_key && s->of_another);
}

/*
 * A record of the accounts, which have no comments, under an id that counts for good.
 * since_s: the latest time at which the key's job can have been submitted.
 */
struct submission_record {
	bool requeued; /* or unknown: Slurm reports the requeue as the submit time */
	int64_t submit_s, since_s;
};

/* The record is of a later job than the key's. */
static inline bool submission_is_later(const struct submission_record *r)
{
	return !r->requeued &&
		r->submit_s > r->since_s + SUBMISSION_SETTLE_MS / 1000 + SUBMISSION_SKEW_S;
}

/*
 * The job that slurmctld shows under the id of an accepted job, if no job has the key.
 * submit_s: by its clock, below 0: not known; accepted_s: by ours, when the id was noted.
 * That may be long after the id was given: when sbatch waits for the job's end, or when
 * its answer was lost and a later call found the job.
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
 * The keys of all jobs that Slurm and its accounts had when they were asked, which was
 * before a key came that the journal does not have. Times are monotonic.
 */
struct submission_survey {
	int64_t asked_ms;
	int64_t whole_ms;  /* since then each key that was begun here is in the journal */
	int64_t client_ms; /* since then the client has its connection to us */
	bool seen;         /* some job has the key */
};

/*
 * The survey counts for the key as if it were asked now. Three processes can have begun
 * the key: this one after whole_ms (then the journal has the key); this one before
 * whole_ms; or another red-box that the client used before it connected to us. The sbatch
 * of the last two has reached Slurm within SUBMISSION_SETTLE_MS, or never will, and a
 * later survey has seen its job. So a survey does not grow old: while slurmdbd is away,
 * and no other can be made, keys that are known to be new are submitted all the same. We
 * promise nothing to a client that uses two red-boxes at once.
 */
static inline bool submission_surveyed(const struct submission_survey *s)
{
	int64_t settled_ms = s->asked_ms - SUBMISSION_SETTLE_MS;
	return !s->seen && s->whole_ms <= settled_ms && s->client_ms <= settled_ms;
}

/* ---- what a key stands for ---- */

/*
 * Digests of what the key stands for, and of what a call asks for; 0: unknown, which is
 * never different. An older red-box noted none.
 */
static inline bool submission_is_other(int64_t stands_for, int64_t asked_for)
{
	return stands_for && asked_for && stands_for != asked_for;
}

/* ---- jobs that have the key ---- */

/* A job that has the key. */
struct submission_found {
	int64_t id, submit_s;
	bool in_accounts; /* the accounts alone have it */
};

/*
 * Among jobs that slurmctld has take the lowest id: any other is a fault. Among jobs that
 * the accounts alone have take the newest: a job is submitted again when the one before
 * was lost.
 */
static inline bool submission_is_better(const struct submission_found *a,
	const struct submission_found *b)
{
	if (a->in_accounts != b->in_accounts)
		return b->in_accounts;
	return a->in_accounts ? a->submit_s > b->submit_s : a->id < b->id;
}

#endif
