/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is to be done for a SubmitJob: is sbatch to run? Never while a job with the same
 * key may exist. Free of pointers so that it can be proven (tests/proof/submission.c).
 *
 * A key (client_id) is promised one job, as long as its calls come within JOURNAL_KEEP_S
 * of each other:
 * - A job that the journal knows for good is the answer.
 * - Accepted: Slurm gave it an id, and may still lose the job. A slurmctld that is killed
 *   forgets what it accepted in the seconds before (24.11.5 and 26.05.5 write their state
 *   down up to five seconds later), ends what may run of it, and gives the id to another
 *   job. So its id counts for good only when the same slurmctld has lived on for
 *   SUBMISSION_SAVED_MS, or when it had the job after that time. Until then Slurm is
 *   asked. A job that it has lost is submitted again.
 * - A slurmctld whose state was taken from a backup may have lost any job, and have given
 *   its id to another one. So before an id that counts for good is told of or cancelled,
 *   it is shown: when it is somebody else's job by now, the key's own is looked for. It
 *   may have ended well before: it is never submitted again.
 * - A slurmctld that begins without any state (the head node was made anew) gives all
 *   numbers again, and tells the accounts that what lived was cancelled (24.11.5). A job
 *   of the key that has ended by them is the answer, whatever has its number now.
 * - Begun, but no id came (a crash, a silent slurmctld): Slurm is asked for a job with
 *   the key in its comment before anything else. When it has none, sbatch runs once more,
 *   but not before SUBMISSION_SETTLE_MS: one that nobody waits for may still be at it.
 * - Not in the journal: when the journal vouches for that, sbatch runs without asking.
 *   A journal that is young (or was lost, damaged, or cut because it was too long) does
 *   not: then each new key is looked for, until the journal is old enough. Keys that
 *   come together share a question, which is asked after the last of them came; or it is
 *   a survey that says that there is none (struct submission_survey).
 * - Slurm gives no answer: the call fails, and may be tried again.
 * - Closed: somebody who wishes no job of the key any more has said so, before he forgets
 *   the key. A call that comes late, of a client that has gone or was thought to, is no
 *   submission any more. What was begun before is looked for as ever.
 * Without a key each call is a job of its own.
 *
 * What Slurm has forgotten it cannot say. With accounts it remembers, but for what it
 * has not told them yet: after slurmdbd was away they lack jobs for some seconds more.
 * Without, slurmctld forgets a job MinJobAge (300 s by default) after its end: a key
 * whose id was lost longer ago, and which Slurm does not have, is nobody's to submit
 * again. Only a key of a journal that was lost may get a second job there, after its
 * first has been forgotten.
 */
#ifndef DAEMONS_REDBOX_SUBMISSION_H
#define DAEMONS_REDBOX_SUBMISSION_H

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
	/* So long a survey counts; SUBMISSION_AGAIN_MS after it the next one begins */
	SUBMISSION_SURVEY_MS = 60000,
	SUBMISSION_AGAIN_MS = 20000,
};

enum submission_noted {
	SUBMISSION_ABSENT,   /* the journal does not have the key */
	SUBMISSION_BEGUN,    /* sbatch may have run; nobody heard what came of it */
	SUBMISSION_ACCEPTED, /* its job is known, and Slurm may still lose it */
	SUBMISSION_DONE,     /* the key's job is known */
	/*
	 * Slurm has lost its job, and refused the next sbatch: it has none, whatever
	 * number a client was told
	 */
	SUBMISSION_VOID,
};

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

struct submission_facts {
	bool has_key;
	bool closed;    /* nothing is to be submitted for the key any more */
	bool only_asks; /* the call asks which job the key has, and makes none */
	bool in_flight; /* another call with the key is at sbatch, or asks Slurm */
	enum submission_noted noted;
	bool displaced; /* SUBMISSION_DONE, and its id is another job by now */
	/*
	 * SUBMISSION_DONE, slurmctld has forgotten its id, and by the accounts the last
	 * job of that id has not ended: it is another one, or their news are late
	 */
	bool unended;
	bool vouches;      /* a key that the journal does not have has never been begun */
	bool surveyed;     /* submission_surveyed, of a key that the journal does not have */
	bool asked;        /* Slurm has been asked since this call came */
	enum tri in_slurm; /* what it said: is there a job with the key? */
	/* The key's job is in the accounts alone, and its number is another job's now */
	bool renumbered;
	enum tri ended; /* then: by the accounts. NO: slurmctld has lost it */
	/* Of slurmctld it is known since when it runs, and how long it remembers */
	bool told;
	bool remembers; /* Slurm would know a job that ended since the key was begun */
	/* It may be a job that ended lately, of which the accounts have not been told */
	bool behind;
	enum tri lost; /* SUBMISSION_ACCEPTED, and not in Slurm: submission_lost */
	/* How long before Slurm was asked the key was begun, or read when we started */
	int64_t quiet_ms;
};

/* Why a question is asked for a key whose id counts for good. */
enum submission_doubt { DOUBT_NONE, DOUBT_DISPLACED, DOUBT_UNENDED };

enum submission {
	SUBMISSION_JOIN,   /* wait for the other call, and take its answer */
	SUBMISSION_ANSWER, /* the job that the journal knows */
	SUBMISSION_ASK,    /* look for the key in Slurm, then decide again */
	SUBMISSION_ADOPT,  /* the job that Slurm has: note it, answer with it */
	SUBMISSION_SUBMIT, /* note that it is begun, run sbatch */
	SUBMISSION_LATER,  /* nobody can say yet: the call fails */
	SUBMISSION_NEVER,  /* nobody can say any more: the key is not submitted again */
	SUBMISSION_NONE,   /* the key has no job, and this call makes none */
	SUBMISSION_CLOSED, /* the same, and no call makes one any more */
};

/* Is there a job of the key, or has there been one that Slurm has not lost? */
static inline enum tri submission_known(const struct submission_facts *f)
{
	return f->renumbered ? f->ended : f->in_slurm;
}

/*
 * Slurm was asked, and what is known of the key's job is its id. A question gets that
 * only when it is still the key's: it is asked so that the job of this id is told of, or
 * cancelled.
 */
static inline enum submission decide_accepted(const struct submission_facts *f)
{
	enum tri known = submission_known(f);
	if (known == YES)
		return SUBMISSION_ADOPT;
	if (f->lost == NO)
		return SUBMISSION_ANSWER;
	if (known == UNKNOWN || !f->told || (f->lost == UNKNOWN && f->behind))
		return f->only_asks ? SUBMISSION_LATER : SUBMISSION_ANSWER;
	if (f->lost == UNKNOWN)
		return SUBMISSION_NEVER;
	return f->only_asks ? SUBMISSION_NONE : SUBMISSION_SUBMIT;
}

/* As if it were not closed. */
static inline enum submission decide_open(const struct submission_facts *f)
{
	if (!f->has_key)
		return SUBMISSION_SUBMIT;
	if (f->in_flight)
		return SUBMISSION_JOIN;
	if (f->noted == SUBMISSION_DONE && !f->displaced && !f->unended)
		return SUBMISSION_ANSWER;
	bool none = f->noted == SUBMISSION_VOID || (f->noted == SUBMISSION_ABSENT && f->vouches);
	if (none)
		return f->only_asks ? SUBMISSION_NONE : SUBMISSION_SUBMIT;
	/* Who asks for a job is told only what is so now: it may be let go then */
	if (!f->asked && f->surveyed && f->noted == SUBMISSION_ABSENT && !f->only_asks)
		return SUBMISSION_SUBMIT;
	if (!f->asked)
		return SUBMISSION_ASK;
	if (f->noted == SUBMISSION_ACCEPTED)
		return decide_accepted(f);
	enum tri known = submission_known(f);
	if (known == YES)
		return SUBMISSION_ADOPT;
	if (known == UNKNOWN || (f->noted != SUBMISSION_ABSENT && f->behind))
		return SUBMISSION_LATER;
	if (f->noted == SUBMISSION_DONE)
		return f->told && !f->unended ? SUBMISSION_NEVER : SUBMISSION_LATER;
	if (f->noted == SUBMISSION_BEGUN && (f->quiet_ms < SUBMISSION_SETTLE_MS || !f->told))
		return SUBMISSION_LATER;
	if (f->noted == SUBMISSION_BEGUN && !f->remembers)
		return SUBMISSION_NEVER;
	return f->only_asks ? SUBMISSION_NONE : SUBMISSION_SUBMIT;
}

/* A job that the key has is the answer also when it is closed: who asks may end it. */
static inline enum submission decide_submission(const struct submission_facts *f)
{
	enum submission s = decide_open(f);
	return s == SUBMISSION_SUBMIT && f->has_key && f->closed ? SUBMISSION_CLOSED : s;
}

#endif
