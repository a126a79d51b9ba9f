/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rule of submissions: facts in, one step out. Free of pointers, and proven for all
 * facts (tests/proof/submission.c).
 *
 * Definitions:
 *   key      the client_id of a call (wlm/plain.h). A key is promised one job, as long as
 *            its calls come within SUBMISSION_KEEP_S of each other. A call without a key
 *            is a job of its own, and the journal has nothing of it
 *   lookup   a call that asks which job the key has, and makes none: JobInfo, CancelJob
 *   content  what a call asks for, as a digest: script and partition, or all options of
 *            a container. A key stands for the content of its sbatch, as long as the
 *            journal has the key
 *   noted    what the journal knows of a key (enum submission_noted)
 *   closed   nothing is submitted for the key any more. A client closes a key
 *            (submitter_close), and so does SUBMISSION_GIVE_UP. The key is open again
 *            when the journal has dropped it (journal.h)
 *   lost     slurmctld gave the job an id, was killed before it wrote the job down, and
 *            has ended it. 24.11.5 and 26.05.5 write their state up to five seconds
 *            later, and then give the id to another job
 *   ended    the job has run to its end; slurmctld forgets it MinJobAge later
 *   answer   what Slurm said to one question of this call. A question that failed has the
 *            answer NO_ANSWER, which says nothing about jobs
 *
 * A call asks up to four questions, and decides again after each answer:
 *
 *   ASK_CONTROLLER --> ASK_KEY --> ASK_NUMBER --> ASK_ACCOUNT --> the end of the call
 *
 *   ASK_CONTROLLER  for a key that the journal has. If the slurmctld that accepted the
 *                   job still runs, nothing was lost, and no question follows
 *   ASK_KEY         finds the job by its comment in slurmctld, and by its sbatch command
 *                   in the accounts (slurm_tools_find). It is asked after the call came;
 *                   new keys that come together share it
 *   ASK_NUMBER      if the accounts alone have a job of the key, or if slurmctld has lost
 *                   the job and given its id: a user may have changed the comment
 *   ASK_ACCOUNT     if the number of the job that the accounts have is another job's
 *
 * Invariants, each proven:
 *   1. sbatch never runs for a key while a job of it exists, or may still come to exist.
 *   2. sbatch never runs for a key beside another sbatch, by a lookup, or after its
 *      closing.
 *   3. No answer is never read as "no job".
 *   4. Each question is asked once by a call, and only where its answer can decide.
 *   5. A call gets the id of a job only if no fact says that it is another job than the
 *      key's.
 *   6. A job that is known to be lost is submitted again; one that may have ended is not.
 *   7. A key is closed before a submission gets the answer that the fate of its job can
 *      never be known (SUBMISSION_GIVE_UP).
 *   8. A submission with other content than its key stands for gets no job and makes
 *      none; one with the same content, or where one of both is unknown, is not refused
 *      for it.
 *
 * Why the rule is so:
 * - SUBMISSION_ACCEPTED: the id counts for good only when the same slurmctld has lived on
 *   for SUBMISSION_SAVED_MS, or when it had the job after that time. Until then Slurm is
 *   asked.
 * - SUBMISSION_DONE: a slurmctld whose state was taken from a backup may have lost any
 *   job, and have given its id to another one. So the job is shown before its id is
 *   reported or cancelled; if it is another job (displaced), the key's own job is
 *   looked for. The lost job may have ended before: it is never submitted again.
 * - A slurmctld that begins without any state gives all numbers again, and tells the
 *   accounts that every job was cancelled (24.11.5). A job of the key that has ended by
 *   them is the answer, whatever has its number now.
 * - SUBMISSION_BEGUN: red-box died before it noted the result of sbatch, or sbatch gave
 *   none. The key's job is looked for. If Slurm has none, sbatch runs again, but only for
 *   a call that asks SUBMISSION_SETTLE_MS after the last sbatch and our start (quiet_ms).
 * - SUBMISSION_ABSENT: a journal that is young, was lost, damaged or cut does not vouch:
 *   it may lack a key that was begun. Then each new key is looked for, or a survey says
 *   that no job has it. The survey may be older than the call, by any time: evidence.h.
 * - Other content: a client that gives all its jobs one key (in wlm-operator the field is
 *   the "ID of a client who submitted this job") would lose each but its first without a
 *   word, if its second call got the first job. As a job of its own it would be no answer
 *   to a call that comes again. So it is refused, and its client hears what to do.
 * - Closed: the client wants no job of the key any more, or was answered that its fate
 *   can never be known. A call that comes late is no submission (SUBMISSION_CLOSED). A
 *   job that was begun before is looked for as ever, and is the answer.
 * - Without accounts slurmctld forgets a job MinJobAge (300 s by default) after its end:
 *   a key whose id was lost longer ago, and which Slurm does not have, is not submitted
 *   again. Only a key of a journal that was lost may get a second job there, after its
 *   first has been forgotten.
 */
#ifndef REDBOX_SUBMIT_SUBMISSION_H
#define REDBOX_SUBMIT_SUBMISSION_H

#include "redbox/submit/evidence.h"

enum submission_noted {
	SUBMISSION_ABSENT,   /* the journal does not have the key */
	SUBMISSION_BEGUN,    /* sbatch may have run, with an unknown result */
	SUBMISSION_ACCEPTED, /* the id of its job is known, and Slurm may still lose the job */
	SUBMISSION_DONE,     /* the id of its job counts for good */
	/*
	 * Slurm has lost its job, and refused the next sbatch: it has none, whatever
	 * number a client was told
	 */
	SUBMISSION_VOID,
};

/* ---- what a call knows ---- */

/* How one question of a call went. */
enum submission_answered { NOT_ASKED, NO_ANSWER, ANSWERED };

/* The answer to ASK_CONTROLLER. */
struct submission_controller {
	enum submission_answered answered;
	int64_t boot_s;        /* its start; 0: unknown */
	int64_t next_job_id;   /* below 0: unknown */
	int64_t min_job_age_s; /* as in slurm.conf; below 0: unknown */
};

/* The answer to ASK_KEY: the best job that has the key. */
struct submission_key {
	enum submission_answered answered;
	bool found;
	struct submission_found job; /* the best of them: submission_is_better */
	bool no_accounting;
	bool accounts_silent; /* NO_ANSWER: slurmctld gave one; for the error alone */
	/* How long slurmctld has had records that slurmdbd lacks; below 0: it has none */
	int64_t behind_ms;
};

/* The answer to ASK_NUMBER: the job under the number of submission_job_id. */
struct submission_number {
	enum submission_answered answered;
	bool exists;
	bool from_accounts; /* slurmctld does not know it */
	bool same;          /* one of its records was submitted when the found job was */
	bool ended;
	int64_t submit_s; /* by slurmctld's clock; below 0: unknown */
	struct submission_shown shown;
};

/* The answer to ASK_ACCOUNT: the found job, whose number is another job's now. */
struct submission_account {
	enum submission_answered answered;
	bool ended;
};

/*
 * submit.c alone writes them: observe before each decision, answered the four answers,
 * the calls of submit.h the rest.
 */
struct submission_facts {
	bool has_key;
	bool closed;    /* nothing is to be submitted for the key any more */
	bool only_asks; /* the call asks which job the key has, and makes none */
	bool in_flight; /* of a new call: a submission of the key has not ended */
	bool other;     /* submission_is_other, of the key or of the submission in flight */
	enum submission_noted noted;
	bool claimed;    /* the journal does not have the key: its client was told job_id */
	int64_t job_id;  /* as noted; 0: none */
	int64_t boot_s;  /* SUBMISSION_ACCEPTED: as submission_absence.boot_then_s */
	int64_t noted_s; /* the time of the key's last step, by our clock */
	int64_t now_s;   /* by our clock */
	int64_t age_s;   /* of the noted job; as it was when ASK_NUMBER was answered */
	bool displaced;  /* SUBMISSION_DONE, and its id is another job by now */
	/*
	 * SUBMISSION_DONE, slurmctld has forgotten its id, and by the accounts the last
	 * job of that id has not ended: it is another job, or the accounts lag
	 */
	bool unended;
	bool vouches;  /* journal_vouches: a key that the journal lacks was never begun */
	bool surveyed; /* submission_surveyed, of a key that the journal does not have */
	/* Time from journal_entry.quiet_since_ms to the first question of this call */
	int64_t quiet_ms;
	/*
	 * The answers of this call; observe clears them when the entry of its key changes
	 */
	struct submission_controller controller;
	struct submission_key key;
	struct submission_number number;
	struct submission_account account;
};

/* Why a lookup doubts an id that counts for good. */
enum submission_doubt { DOUBT_NONE, DOUBT_DISPLACED, DOUBT_UNENDED };

enum submission {
	SUBMISSION_JOIN,   /* of a new call: wait for the submission, and take its answer */
	SUBMISSION_ANSWER, /* the job that the journal knows */
	/* Ask Slurm one question, put its answer into the facts, and decide again: */
	SUBMISSION_ASK_CONTROLLER, /* when was slurmctld started, what is its next id? */
	SUBMISSION_ASK_KEY,        /* which jobs have the key? */
	SUBMISSION_ASK_NUMBER,     /* what has the number of submission_job_id? */
	SUBMISSION_ASK_ACCOUNT,    /* has the found job ended, by the accounts? */
	SUBMISSION_ADOPT,          /* the job that Slurm has: note it, answer with it */
	SUBMISSION_SUBMIT,         /* note that it is begun, run sbatch */
	SUBMISSION_LATER,          /* not known yet: the call fails with ERR_RETRY */
	/*
	 * The fate of the key's job can never be known: the key is not submitted again.
	 * The caller fails its pod on this answer, so the key is closed first: a later
	 * answer of Slurm may differ
	 */
	SUBMISSION_GIVE_UP,
	SUBMISSION_NEVER,  /* as GIVE_UP, but the journal lacks the key, and closes none */
	SUBMISSION_NONE,   /* the key has no job, and this call makes none */
	SUBMISSION_CLOSED, /* the key has no job, is closed, and so gets none */
	SUBMISSION_OTHER,  /* the key stands for another job than the call asks for */
	SUBMISSION_ENOUGH, /* never decided: no question is left */
};

/* ---- what the answers say ---- */

/* Would slurmctld still know a job that has ended since the key was begun? */
static inline bool submission_is_young(const struct submission_facts *f)
{
	return f->age_s >= 0 && f->age_s < f->controller.min_job_age_s - SUBMISSION_SKEW_S;
}

/* The key's job may have ended lately, and slurmdbd may not have the record yet. */
static inline bool submission_is_behind(const struct submission_facts *f)
{
	const struct submission_key *k = &f->key;
	return k->answered == ANSWERED && !k->found && k->behind_ms >= 0 &&
		k->behind_ms < SUBMISSION_BEHIND_MS && !submission_is_young(f);
}

/* A job was found in the accounts alone. Slurm may have forgotten it, or lost it. */
static inline bool submission_is_accounted(const struct submission_facts *f)
{
	return f->key.answered == ANSWERED && f->key.found && f->key.job.in_accounts;
}

/*
 * The accounts have a job of the key. Is it the job that Slurm shows under its number?
 * slurmctld may show it: it came a moment ago, or a user has changed its comment.
 * UNKNOWN: slurmctld does not have it, and the accounts believe that it runs.
 */
static inline enum tri submission_is_account(const struct submission_number *n)
{
	if (!n->from_accounts)
		return n->same || n->shown.has_key ? YES : NO;
	if (!n->same)
		return NO;
	return n->ended ? YES : UNKNOWN;
}

/* submission_is_account for the found job. UNKNOWN also before ASK_NUMBER. */
static inline enum tri submission_has_number(const struct submission_facts *f)
{
	bool told = f->number.answered == ANSWERED && f->number.exists;
	return told ? submission_is_account(&f->number) : UNKNOWN;
}

/* The number of the found job is another job's: the accounts know how it ended. */
static inline bool submission_is_renumbered(const struct submission_facts *f)
{
	return submission_is_accounted(f) && submission_has_number(f) == NO;
}

/* Has Slurm lost the key's job, which it does not have now? */
static inline enum tri submission_is_lost(const struct submission_facts *f)
{
	bool found = submission_is_accounted(f) && f->number.answered == ANSWERED;
	const struct submission_absence a = {
		.boot_then_s = f->noted == SUBMISSION_ACCEPTED ? f->boot_s : 0,
		.boot_now_s = f->controller.boot_s,
		.job_id = found ? f->key.job.id : f->job_id,
		.next_job_id = f->controller.next_job_id,
		.age_s = f->age_s,
		.min_job_age_s = f->controller.min_job_age_s,
	};
	return submission_is_renumbered(f) ? YES : submission_lost(&a);
}

/* Would Slurm still know a job of a begun key that has ended? */
static inline bool submission_remembers(const struct submission_facts *f)
{
	if (submission_is_accounted(f))
		return submission_is_lost(f) == YES;
	return !f->key.no_accounting || submission_is_young(f);
}

/*
 * slurmctld seems to have lost the accepted job, and no job has its key; but the number
 * was given: the job may be there with another comment.
 */
static inline bool submission_may_be_renamed(const struct submission_facts *f)
{
	int64_t next_id = f->controller.next_job_id;
	return f->noted == SUBMISSION_ACCEPTED && f->key.answered == ANSWERED && !f->key.found &&
		(next_id < 0 || f->job_id < next_id) && submission_is_lost(f) == YES;
}

/* No job has the key. Does Slurm have the noted job, with a changed comment? */
static inline enum tri submission_is_renamed(const struct submission_facts *f)
{
	const struct submission_number *number = &f->number;
	const struct submission_numbered n = {
		.shown = number->shown,
		.submit_s = number->submit_s,
		.boot_now_s = f->controller.boot_s,
		.accepted_s = f->noted_s,
	};
	if (number->answered == NO_ANSWER)
		return UNKNOWN;
	bool shown = number->answered == ANSWERED && number->exists && !number->from_accounts;
	return shown && submission_is_kept(&n) ? YES : NO;
}

/* Is there a job of the key, or has there been one that Slurm has not lost? */
static inline enum tri submission_known(const struct submission_facts *f)
{
	if (f->key.answered != ANSWERED)
		return UNKNOWN;
	if (!f->key.found)
		return submission_is_renamed(f);
	if (!f->key.job.in_accounts)
		return YES;
	if (f->number.answered != ANSWERED || !f->number.exists)
		return UNKNOWN;
	if (!submission_is_renumbered(f))
		return submission_has_number(f) == YES ? YES : NO;
	return f->account.answered != ANSWERED ? UNKNOWN : f->account.ended ? YES : NO;
}

/* The id of the key's job, and of the one that SUBMISSION_ASK_NUMBER is about. */
static inline int64_t submission_job_id(const struct submission_facts *f)
{
	return f->key.found ? f->key.job.id : f->job_id;
}

/* The accounts alone have the key's job, and it has ended. */
static inline bool submission_is_forgotten(const struct submission_facts *f)
{
	return submission_is_accounted(f) && submission_known(f) == YES &&
		(submission_is_renumbered(f) || f->number.from_accounts);
}

/* ---- what is to be done ---- */

/* The slurmctld that accepted the job still runs: it has lost nothing. */
static inline bool submission_outlives(const struct submission_facts *f)
{
	return f->noted == SUBMISSION_ACCEPTED && submission_is_lost(f) == NO;
}

/* The next question about the key. Each is asked once. */
static inline enum submission submission_asks(const struct submission_facts *f)
{
	if (f->noted != SUBMISSION_ABSENT && f->controller.answered == NOT_ASKED)
		return SUBMISSION_ASK_CONTROLLER;
	if (f->key.answered == NOT_ASKED)
		return submission_outlives(f) ? SUBMISSION_ENOUGH : SUBMISSION_ASK_KEY;
	bool number = submission_is_accounted(f) || submission_may_be_renamed(f);
	if (number && f->number.answered == NOT_ASKED)
		return SUBMISSION_ASK_NUMBER;
	if (submission_is_renumbered(f) && f->account.answered == NOT_ASKED)
		return SUBMISSION_ASK_ACCOUNT;
	return SUBMISSION_ENOUGH;
}

/* A lookup closes no key that the journal does not have. */
static inline enum submission submission_gives_up(const struct submission_facts *f)
{
	return f->claimed && f->only_asks ? SUBMISSION_NEVER : SUBMISSION_GIVE_UP;
}

/*
 * Slurm was asked, and what is known of the key's job is its id. A lookup gets that only
 * while it is still the key's: the caller reports the job of this id, or cancels it.
 */
static inline enum submission decide_accepted(const struct submission_facts *f)
{
	enum tri known = submission_known(f), lost = submission_is_lost(f);
	if (known == YES)
		return SUBMISSION_ADOPT;
	if (lost == NO)
		return SUBMISSION_ANSWER;
	if (known == UNKNOWN || f->controller.answered != ANSWERED ||
		(lost == UNKNOWN && submission_is_behind(f)))
		return f->only_asks ? SUBMISSION_LATER : SUBMISSION_ANSWER;
	if (lost == UNKNOWN)
		return submission_gives_up(f);
	return f->only_asks ? SUBMISSION_NONE : SUBMISSION_SUBMIT;
}

/* The decision when no question is left. */
static inline enum submission decide_asked(const struct submission_facts *f)
{
	bool told = f->controller.answered == ANSWERED;
	enum tri known = submission_known(f);
	if (f->noted == SUBMISSION_ACCEPTED)
		return decide_accepted(f);
	if (known == YES)
		return SUBMISSION_ADOPT;
	if (known == UNKNOWN || (f->noted != SUBMISSION_ABSENT && submission_is_behind(f)))
		return SUBMISSION_LATER;
	if (f->noted == SUBMISSION_DONE)
		return told && !f->unended ? submission_gives_up(f) : SUBMISSION_LATER;
	if (f->noted == SUBMISSION_BEGUN && (f->quiet_ms < SUBMISSION_SETTLE_MS || !told))
		return SUBMISSION_LATER;
	if (f->noted == SUBMISSION_BEGUN && !submission_remembers(f))
		return submission_gives_up(f);
	return f->only_asks ? SUBMISSION_NONE : SUBMISSION_SUBMIT;
}

/* The decision before closed is considered. */
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
	/* A lookup must reflect the current state: the caller may delete its pod */
	bool covered = f->surveyed && f->noted == SUBMISSION_ABSENT && !f->only_asks;
	if (covered && f->key.answered == NOT_ASKED)
		return SUBMISSION_SUBMIT;
	enum submission question = submission_asks(f);
	return question != SUBMISSION_ENOUGH ? question : decide_asked(f);
}

/* A job of a closed key is the answer all the same: the caller may cancel it. */
static inline enum submission decide_submission(const struct submission_facts *f)
{
	if (f->has_key && f->other && !f->only_asks)
		return SUBMISSION_OTHER;
	enum submission s = decide_open(f);
	return s == SUBMISSION_SUBMIT && f->has_key && f->closed ? SUBMISSION_CLOSED : s;
}

/*
 * SUBMISSION_ADOPT: the journal has it already. A job that has ended by the accounts is
 * noted so, whatever was noted before, and again once in a while: each call renews the
 * key's week.
 */
static inline bool submission_is_noted(const struct submission_facts *f)
{
	if (f->claimed || f->job_id != submission_job_id(f))
		return false;
	if (submission_is_forgotten(f))
		return f->noted == SUBMISSION_ACCEPTED && f->boot_s == SUBMISSION_ENDED &&
			f->now_s - f->noted_s < SUBMISSION_NOTED_S;
	return f->noted == SUBMISSION_ACCEPTED || f->noted == SUBMISSION_DONE;
}

#endif
