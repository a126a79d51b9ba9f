/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rule of submissions: it takes facts and returns one step. It is a pure function
 * without pointers in its facts, and is proven for all facts (tests/proof/submission.c).
 *
 * Definitions:
 *   key      the client_id of a call (wlm/plain.h). A key has one job while its calls
 *            come within SUBMISSION_KEEP_S of each other. A call without a key always
 *            submits a new job, and the journal does not record it
 *   lookup   a call that asks for the job of a key and submits none: JobInfo, CancelJob
 *   content  a digest of what a call asks for: script and partition, or all options of a
 *            container. A key stands for the content of its sbatch as long as the journal
 *            has the key
 *   noted    the state of the key in the journal (enum submission_noted)
 *   closed   no job is submitted for the key any more. A client closes a key
 *            (submitter_close), and SUBMISSION_GIVE_UP closes it as well. The key is open
 *            again after the journal has dropped it (journal.h)
 *   lost     slurmctld gave the job an id, was killed before it saved the job, and has
 *            ended the job since. 24.11.5 and 26.05.5 save their state up to five seconds
 *            late, and after a restart give the same id to another job
 *   ended    the job has run to its end; slurmctld forgets it MinJobAge later
 *   answer   the answer of Slurm to one question of this call. A question that failed has
 *            the answer NO_ANSWER, which is no information about jobs
 *
 * A call asks up to four questions, and the rule decides again after each answer:
 *
 *   ASK_CONTROLLER --> ASK_KEY --> ASK_NUMBER --> ASK_ACCOUNT --> the end of the call
 *
 *   ASK_CONTROLLER  for a key that the journal has. If the slurmctld that accepted the
 *                   job still runs, the job is not lost, and no question follows
 *   ASK_KEY         finds the job by its comment in slurmctld, and by its sbatch command
 *                   in accounting (slurm_tools_find). Asked after the call came. New
 *                   keys that come together share one question
 *   ASK_NUMBER      if only accounting has a job of the key, or if the job seems lost but
 *                   its id was given: a user may have changed the comment of the job
 *   ASK_ACCOUNT     if the id of the job that accounting has now belongs to another job
 *
 * Invariants, each proven:
 *   1. sbatch never runs for a key while the key has a job, or may still get one.
 *   2. sbatch never runs for a key while another sbatch runs for it, for a lookup, or
 *      after the key was closed.
 *   3. NO_ANSWER never counts as "no job".
 *   4. A call asks each question once, and only if the answer can change the decision.
 *   5. A call gets the id of a job only if no fact shows that the job is not the key's.
 *   6. A job that is known to be lost is submitted again. A job that may have ended is
 *      never submitted again.
 *   7. A key is closed before a submission gets the answer that the fate of its job can
 *      never be known (SUBMISSION_GIVE_UP).
 *   8. A submission whose content differs from the content of its key gets no job and
 *      submits none. If the contents are equal, or one of them is unknown, content does
 *      not matter.
 *
 * Reasons:
 * - SUBMISSION_ACCEPTED: the id is final only after the same slurmctld has kept running
 *   for SUBMISSION_SAVED_MS, or has shown the job after that time. Before that, each call
 *   asks Slurm.
 * - SUBMISSION_DONE: a slurmctld whose state was restored from a backup may have lost any
 *   job, and may have given its id to another job. So red-box looks at the job before it
 *   reports or cancels the id. If it is another job (displaced), red-box looks for the
 *   key's own job. The lost job may have ended before, so it is never submitted again.
 * - A slurmctld that starts without any state gives all ids again, and records in
 *   accounting that every job was cancelled (24.11.5). If accounting shows that a job of
 *   the key has ended, that job is the answer, whichever job has its id now.
 * - SUBMISSION_BEGUN: red-box died before it noted the result of sbatch, or sbatch gave
 *   none. red-box looks for the job. If Slurm has none, sbatch runs again, but only for a
 *   call that comes SUBMISSION_SETTLE_MS after the last sbatch and our start (quiet_ms).
 * - SUBMISSION_ABSENT: a new, damaged or cut journal may lack a key that was begun
 *   (it does not vouch). Then red-box looks for each new key, or a survey shows
 *   that no job has it. The survey may be much older than the call: see evidence.h.
 * - Other content: some clients give all their jobs one key (in wlm-operator the field is
 *   the "ID of a client who submitted this job"). If the second call got the first job,
 *   all jobs after the first would be missing without an error. If it got a job of its
 *   own, a repeated call would submit twice. So the call fails with advice in its error.
 * - Closed: the client wants no job of the key any more, or got the answer that the fate
 *   of the job can never be known. A late call submits nothing (SUBMISSION_CLOSED). The
 *   job of an earlier sbatch is still looked for, and is the answer.
 * - Without accounting, a job is forgotten MinJobAge (300 s by default) after its end.
 *   So a key whose result was lost longer ago, and which Slurm does not have, is not
 *   submitted again. Only a key that the journal itself lost may get a second job, after
 *   slurmctld has forgotten the first.
 */
#ifndef REDBOX_SUBMIT_SUBMISSION_H
#define REDBOX_SUBMIT_SUBMISSION_H

#include "redbox/submit/evidence.h"

enum submission_noted {
	SUBMISSION_ABSENT,   /* the journal does not have the key */
	SUBMISSION_BEGUN,    /* sbatch may have run, with an unknown result */
	SUBMISSION_ACCEPTED, /* the id of its job is known, and Slurm may still lose the job */
	SUBMISSION_DONE,     /* the id of its job is final */
	/*
	 * Slurm has lost the job, and refused the next sbatch: the key has no job, even
	 * if a client still holds the old id
	 */
	SUBMISSION_VOID,
};

/* ---- what a call knows ---- */

/* How one question of a call went. */
enum submission_answered { NOT_ASKED, NO_ANSWER, ANSWERED };

/* The answer to ASK_CONTROLLER. */
struct submission_controller {
	enum submission_answered answered;
	int64_t boot_s;        /* start time of slurmctld; 0: unknown */
	int64_t next_job_id;   /* below 0: unknown */
	int64_t min_job_age_s; /* as in slurm.conf; below 0: unknown */
};

/* The answer to ASK_KEY: the best job that has the key. */
struct submission_key {
	enum submission_answered answered;
	bool found;
	struct submission_found job; /* chosen by submission_is_better */
	bool no_accounting;
	/* NO_ANSWER: slurmctld answered, accounting did not; for the error text only */
	bool accounts_silent;
	/* How long slurmdbd has lacked records of slurmctld; below 0: it lacks none */
	int64_t behind_ms;
};

/* The answer to ASK_NUMBER: the job that has the id submission_job_id. */
struct submission_number {
	enum submission_answered answered;
	bool exists;
	bool from_accounts; /* slurmctld does not know the job */
	bool same;          /* a record has the submit time of the job that ASK_KEY found */
	bool ended;
	int64_t submit_s; /* by slurmctld's clock; below 0: unknown */
	struct submission_shown shown;
};

/* The answer to ASK_ACCOUNT: the found job, whose id now belongs to another job. */
struct submission_account {
	enum submission_answered answered;
	bool ended;
};

/*
 * Only submit.c writes the facts: observe() fills them before each decision, answered()
 * sets the four answers, and the calls of submit.h set the rest.
 */
struct submission_facts {
	bool has_key;
	bool closed;    /* no job is submitted for the key any more */
	bool only_asks; /* a lookup: the call submits nothing */
	bool in_flight; /* new calls only: a submission of the key has not ended */
	/* submission_is_other, compared with the key or the submission in flight */
	bool other;
	enum submission_noted noted;
	bool claimed;    /* the journal lacks the key, and job_id comes from the client */
	int64_t job_id;  /* the noted id; 0: none */
	int64_t boot_s;  /* SUBMISSION_ACCEPTED: see submission_absence.boot_then_s */
	int64_t noted_s; /* the time of the key's last step, by our clock */
	int64_t now_s;   /* by our clock */
	int64_t age_s;   /* age of the noted job when ASK_NUMBER was answered */
	bool displaced;  /* SUBMISSION_DONE, and another job has its id now */
	/*
	 * SUBMISSION_DONE, slurmctld has forgotten the id, and the last job of that id
	 * has not ended in accounting: it is another job, or accounting lags
	 */
	bool unended;
	bool vouches;  /* journal_vouches: a key that the journal lacks was never begun */
	bool surveyed; /* submission_surveyed, for a key that the journal lacks */
	/* Time from journal_entry.quiet_since_ms to the first question of this call */
	int64_t quiet_ms;
	/*
	 * The answers of this call; observe() clears them when the entry of the key
	 * changes
	 */
	struct submission_controller controller;
	struct submission_key key;
	struct submission_number number;
	struct submission_account account;
};

/* Why a lookup doubts a final id. */
enum submission_doubt { DOUBT_NONE, DOUBT_DISPLACED, DOUBT_UNENDED };

enum submission {
	/* new calls only: wait for the running submission, and take its answer */
	SUBMISSION_JOIN,
	SUBMISSION_ANSWER, /* answer with the job that the journal has */
	/* Ask Slurm one question, put its answer into the facts, and decide again: */
	SUBMISSION_ASK_CONTROLLER, /* when did slurmctld start, what is its next id? */
	SUBMISSION_ASK_KEY,        /* which jobs have the key? */
	SUBMISSION_ASK_NUMBER,     /* which job has the id submission_job_id? */
	SUBMISSION_ASK_ACCOUNT,    /* has the found job ended in accounting? */
	SUBMISSION_ADOPT,          /* note the job that Slurm has, and answer with it */
	SUBMISSION_SUBMIT,         /* note the key as begun, and run sbatch */
	SUBMISSION_LATER,          /* not known yet: the call fails with ERR_RETRY */
	/*
	 * The fate of the key's job can never be known, so the key is not submitted
	 * again. The caller fails its pod on this answer. A later answer of Slurm may
	 * differ, so the key is closed first
	 */
	SUBMISSION_GIVE_UP,
	/* like GIVE_UP, but the journal lacks the key, and closes none */
	SUBMISSION_NEVER,
	SUBMISSION_NONE,   /* the key has no job, and this call makes none */
	SUBMISSION_CLOSED, /* the key has no job, and gets none because it is closed */
	SUBMISSION_OTHER,  /* the key stands for other content than the call asks for */
	SUBMISSION_ENOUGH, /* internal, never a decision: no question is left */
};

/* ---- what follows from the answers ---- */

/* Would slurmctld still know a job that has ended since the key was begun? */
static inline bool submission_is_young(const struct submission_facts *f)
{
	return f->age_s >= 0 && f->age_s < f->controller.min_job_age_s - SUBMISSION_SKEW_S;
}

/* The key's job may have ended recently, and slurmdbd may not have the record yet. */
static inline bool submission_is_behind(const struct submission_facts *f)
{
	const struct submission_key *k = &f->key;
	return k->answered == ANSWERED && !k->found && k->behind_ms >= 0 &&
		k->behind_ms < SUBMISSION_BEHIND_MS && !submission_is_young(f);
}

/* Only accounting has the job. Slurm may have forgotten it, or lost it. */
static inline bool submission_is_accounted(const struct submission_facts *f)
{
	return f->key.answered == ANSWERED && f->key.found && f->key.job.in_accounts;
}

/*
 * Accounting has a job of the key. Is it the job that Slurm shows under its id? slurmctld
 * shows it if it is new, or if a user has changed its comment. UNKNOWN: slurmctld does
 * not have the job, and accounting shows no end of it.
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

/* Another job has the found job's id: only accounting has the found job's end. */
static inline bool submission_is_renumbered(const struct submission_facts *f)
{
	return submission_is_accounted(f) && submission_has_number(f) == NO;
}

/* Has Slurm lost the key's job, which Slurm does not have now? */
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
 * slurmctld seems to have lost the accepted job, and no job has its key. But the id was
 * given: the job may still exist with another comment.
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

/* Does the key have a job, or did it have one that Slurm has not lost? */
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

/* The id of the key's job; SUBMISSION_ASK_NUMBER asks for the job of this id. */
static inline int64_t submission_job_id(const struct submission_facts *f)
{
	return f->key.found ? f->key.job.id : f->job_id;
}

/* Only accounting has the key's job, and the job has ended. */
static inline bool submission_is_forgotten(const struct submission_facts *f)
{
	return submission_is_accounted(f) && submission_known(f) == YES &&
		(submission_is_renumbered(f) || f->number.from_accounts);
}

/* ---- the decision ---- */

/* The slurmctld that accepted the job still runs: it has lost nothing. */
static inline bool submission_outlives(const struct submission_facts *f)
{
	return f->noted == SUBMISSION_ACCEPTED && submission_is_lost(f) == NO;
}

/* The next question about the key. A call asks each question once. */
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

/* A lookup cannot close a key that the journal lacks. */
static inline enum submission submission_gives_up(const struct submission_facts *f)
{
	return f->claimed && f->only_asks ? SUBMISSION_NEVER : SUBMISSION_GIVE_UP;
}

/*
 * The decision when only the id of the key's job is known. A lookup gets the id only
 * while it still belongs to the key, because the caller reports or cancels that job.
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

/* The decision as if the key were not closed. */
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

/* The job of a closed key is still the answer: the caller may cancel it. */
static inline enum submission decide_submission(const struct submission_facts *f)
{
	if (f->has_key && f->other && !f->only_asks)
		return SUBMISSION_OTHER;
	enum submission s = decide_open(f);
	return s == SUBMISSION_SUBMIT && f->has_key && f->closed ? SUBMISSION_CLOSED : s;
}

/*
 * True if SUBMISSION_ADOPT need not write the job to the journal. An end in accounting
 * replaces every other note, and is written again after SUBMISSION_NOTED_S: each call
 * renews the key's week.
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
