/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What one thing that Slurm or the journal shows says about the job of a key. Free of
 * pointers, and proven with submission.h, which puts them together.
 */
#ifndef REDBOX_SUBMIT_EVIDENCE_H
#define REDBOX_SUBMIT_EVIDENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/tri.h"

enum {
	/*
	 * Twice the time that sbatch has: what it sent has arrived by then, or never will
	 */
	SUBMISSION_SETTLE_MS = 120000,
	/* slurmctld has written down by then what it accepted: six times five seconds */
	SUBMISSION_SAVED_MS = 30000,
	/*
	 * Of a slurmctld that always has something to tell the accounts, what it had to
	 * tell so long ago has been told
	 */
	SUBMISSION_BEHIND_MS = 600000,
	/* By so much our clock may be wrong */
	SUBMISSION_SKEW_S = 60,
	/* A key's calls come within this time of each other */
	SUBMISSION_KEEP_S = 7 * 86400,
	/* Renew the entry of a key in use at most this often */
	SUBMISSION_NOTED_S = 3600,
	/* So long a survey counts; SUBMISSION_AGAIN_MS after it the next one begins */
	SUBMISSION_SURVEY_MS = 60000,
	SUBMISSION_AGAIN_MS = 20000,
};

/* ---- a job that is not there ---- */

enum { SUBMISSION_ENDED = -1 };

/* Of a job that was accepted, and that Slurm does not have now. */
struct submission_absence {
	/*
	 * When who accepted it was started (SUBMISSION_ENDED: it has ended by the
	 * accounts), and who was asked; 0: not known
	 */
	int64_t boot_then_s, boot_now_s;
	int64_t job_id, next_job_id; /* next_job_id below 0: not known */
	int64_t age_s;         /* since it was accepted, by our clock; or since it may have been */
	int64_t min_job_age_s; /* as in slurm.conf; below 0: not known */
};

/*
 * Has Slurm lost it? NO: it has ended, and was forgotten. The slurmctld that accepted it
 * loses nothing while it lives. Another one does not have it: it would know it, had it
 * ended less than MinJobAge ago; and what it has ever known has an id below its next one.
 * What has ended by the accounts is not lost, whoever has forgotten it since.
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

/* What Slurm shows under the id that counts for good. */
struct submission_shown {
	bool has_key; /* its comment has the key */
	/* Its comment is another key of the journal, whose job has no other id */
	bool of_another;
	bool of_other_user;
};

/*
 * It is not the key's job. A comment that is nobody's key says nothing: a plug-in of the
 * site may have written it.
 */
static inline bool submission_is_displaced(const struct submission_shown *s)
{
	return s->of_other_user || (!s->has_key && s->of_another);
}

/*
 * A record of the accounts, which tell no comment, under the id that counts for good.
 * since_s: when the key's job has come at the latest.
 */
struct submission_record {
	bool requeued; /* or nobody knows: Slurm shows such a job as submitted then */
	int64_t submit_s, since_s;
};

/* It is a later job than the key's. */
static inline bool submission_is_later(const struct submission_record *r)
{
	return !r->requeued &&
		r->submit_s > r->since_s + SUBMISSION_SETTLE_MS / 1000 + SUBMISSION_SKEW_S;
}

/*
 * What slurmctld shows under the id of a job that was accepted, and whose key none of its
 * jobs has. submit_s: by its clock, below 0: not known; accepted_s: by ours, when the id
 * was noted. That may be long after it was given: when sbatch waits for the job's end, or
 * when its answer was lost and a later call found the job.
 */
struct submission_numbered {
	struct submission_shown shown;
	int64_t submit_s, boot_now_s, accepted_s;
};

/*
 * It is the key's job all the same: somebody has changed its comment. A slurmctld that
 * lost the job gives its id to one that is submitted after it was started.
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
	int64_t now_ms, asked_ms;
	int64_t whole_ms;  /* since then each key that was begun here is in the journal */
	int64_t client_ms; /* since then the client has its connection to us */
	bool seen;         /* some job has the key */
};

/*
 * It counts for the key as if it were asked now. Who can have begun the key? We, after
 * whole_ms: then the journal has it. We before that, or another red-box that the client
 * went to before it came to us: that sbatch has come to Slurm SUBMISSION_SETTLE_MS later,
 * or never will, and a survey that was asked later has seen it. That a client has two of
 * us at a time is no case that is promised anything; all the same a survey does not count
 * for long.
 */
static inline bool submission_surveyed(const struct submission_survey *s)
{
	int64_t settled_ms = s->asked_ms - SUBMISSION_SETTLE_MS;
	return !s->seen && s->whole_ms <= settled_ms && s->client_ms <= settled_ms &&
		s->now_ms - s->asked_ms < SUBMISSION_SURVEY_MS;
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
