/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is to be done for a SubmitJob: is sbatch to run? Never while a job with the same
 * key may exist. Free of pointers so that it can be proven (tests/proof/submission.c).
 *
 * A key (client_id) is promised one job, as long as its calls come within JOURNAL_KEEP_S
 * of each other:
 * - What the journal has been told for good (a job id) is the answer.
 * - Begun, but no id came (a crash, a silent slurmctld): Slurm is asked for a job with
 *   the key in its comment before anything else. When it has none, sbatch runs once more,
 *   but not before SUBMISSION_SETTLE_MS: one that nobody waits for may still be at it.
 * - Not in the journal: when the journal vouches for that, sbatch runs without asking.
 *   A journal that is young (or was lost, damaged, or cut because it was too long) does
 *   not: then each new key costs one question, until the journal is old enough.
 * - Slurm gives no answer: the call fails, and may be tried again.
 * Without a key each call is a job of its own.
 *
 * What Slurm has forgotten it cannot say. With accounts it remembers. Without, slurmctld
 * forgets a job MinJobAge (300 s by default) after its end: a key whose id was lost
 * longer ago, and which Slurm does not have, is nobody's to submit again. Only a key of a
 * journal that was lost may get a second job there, after its first has been forgotten.
 */
#ifndef DAEMONS_REDBOX_SUBMISSION_H
#define DAEMONS_REDBOX_SUBMISSION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/tri.h"

/* Twice the time that sbatch has: what it sent has arrived by then, or never will. */
enum { SUBMISSION_SETTLE_MS = 120000 };

enum submission_noted {
	SUBMISSION_ABSENT, /* the journal does not have the key */
	SUBMISSION_BEGUN,  /* sbatch may have run; nobody heard what came of it */
	SUBMISSION_DONE,   /* the key's job is known */
};

struct submission_facts {
	bool has_key;
	bool in_flight; /* another call with the key is at sbatch, or asks Slurm */
	enum submission_noted noted;
	bool vouches;      /* a key that the journal does not have has never been begun */
	bool asked;        /* Slurm has been asked since this call came */
	enum tri in_slurm; /* what it said: is there a job with the key? */
	bool remembers;    /* it would know a job that ended since the key was begun */
	/* How long before Slurm was asked the key was begun, or read when we started */
	int64_t quiet_ms;
};

enum submission {
	SUBMISSION_JOIN,   /* wait for the other call, and take its answer */
	SUBMISSION_ANSWER, /* the job that the journal knows */
	SUBMISSION_ASK,    /* look for the key in Slurm, then decide again */
	SUBMISSION_ADOPT,  /* the job that Slurm has: note it, answer with it */
	SUBMISSION_SUBMIT, /* note that it is begun, run sbatch */
	SUBMISSION_LATER,  /* nobody can say yet: the call fails */
	SUBMISSION_NEVER,  /* nobody can say any more: the key is not submitted again */
};

static inline enum submission decide_submission(const struct submission_facts *f)
{
	if (!f->has_key)
		return SUBMISSION_SUBMIT;
	if (f->in_flight)
		return SUBMISSION_JOIN;
	if (f->noted == SUBMISSION_DONE)
		return SUBMISSION_ANSWER;
	if (f->noted == SUBMISSION_ABSENT && f->vouches)
		return SUBMISSION_SUBMIT;
	if (!f->asked)
		return SUBMISSION_ASK;
	if (f->in_slurm == YES)
		return SUBMISSION_ADOPT;
	if (f->in_slurm == UNKNOWN)
		return SUBMISSION_LATER;
	if (f->noted == SUBMISSION_BEGUN && f->quiet_ms < SUBMISSION_SETTLE_MS)
		return SUBMISSION_LATER;
	if (f->noted == SUBMISSION_BEGUN && !f->remembers)
		return SUBMISSION_NEVER;
	return SUBMISSION_SUBMIT;
}

#endif
