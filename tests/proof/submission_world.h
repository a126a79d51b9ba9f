/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The events before a call with a key, and the facts about them: after each answer that
 * the call may have got. For one proof, which includes this once.
 */
#ifndef TESTS_PROOF_SUBMISSION_WORLD_H
#define TESTS_PROOF_SUBMISSION_WORLD_H

#include "redbox/submit/submission.h"

void __CPROVER_assume(_Bool);

struct world {
	bool begun;      /* an sbatch with the key has been started some time */
	bool unheard;    /* its answer has not come: it may be under way */
	bool job;        /* it has made a job, which Slurm has not lost */
	bool ended;      /* slurmctld has forgotten the job */
	bool lost;       /* it had made a job, which Slurm has lost */
	bool another;    /* it was not the slurmctld that lives now that accepted the job */
	bool forgets;    /* the journal has lost what it knew */
	bool renamed;    /* its comment was changed: slurmctld does not find its key */
	bool given;      /* the id of its job is another job's now */
	bool recorded;   /* it has ended by the accounts, which have it still */
	bool unreported; /* it has ended, and the accounts have not been told */
	bool closed;     /* a client was told that nothing is submitted for it any more */
	struct submission_shown shown;   /* what Slurm shows under the id that counts for good */
	struct submission_survey survey; /* of a key that the journal does not have */
	int64_t begun_ms, came_ms;       /* then: when sbatch was run, when its job was there */
	bool elsewhere; /* by another red-box, and not by one here whose journal was lost */
	/* Content of its sbatch, begun or in flight; of the call; and as it is noted */
	int64_t content, asked, noted;
};

#define BOOL(b) __CPROVER_assume((b) == 0 || (b) == 1)
#define TIME(s) __CPROVER_assume((s) > INT64_MIN / 8 && (s) < INT64_MAX / 8)

static void assume_forms(const struct submission_facts *f, const struct world *w)
{
	BOOL(f->has_key), BOOL(f->closed), BOOL(f->only_asks), BOOL(f->in_flight);
	BOOL(f->claimed), BOOL(f->unended), BOOL(f->vouches);
	BOOL(f->key.found), BOOL(f->key.job.in_accounts), BOOL(f->key.no_accounting);
	BOOL(f->number.exists), BOOL(f->number.from_accounts), BOOL(f->number.same);
	BOOL(f->number.ended), BOOL(f->number.shown.has_key), BOOL(f->number.shown.of_another);
	BOOL(f->number.shown.of_other_user), BOOL(f->account.ended);
	BOOL(w->begun), BOOL(w->unheard), BOOL(w->job), BOOL(w->ended), BOOL(w->lost);
	BOOL(w->another), BOOL(w->forgets), BOOL(w->renamed), BOOL(w->given), BOOL(w->recorded);
	BOOL(w->unreported), BOOL(w->closed), BOOL(w->shown.has_key), BOOL(w->shown.of_another);
	BOOL(w->shown.of_other_user);
	TIME(f->noted_s), TIME(f->now_s), TIME(f->age_s), TIME(f->controller.boot_s);
	TIME(f->controller.next_job_id), TIME(f->controller.min_job_age_s);
	TIME(f->number.submit_s), TIME(f->job_id), TIME(f->key.job.id), TIME(f->key.behind_ms);
	__CPROVER_assume(f->noted >= SUBMISSION_ABSENT && f->noted <= SUBMISSION_VOID);
	const enum submission_answered all[] = { f->controller.answered, f->key.answered,
		f->number.answered, f->account.answered };
	for (int i = 0; i < 4; i++)
		__CPROVER_assume(all[i] >= NOT_ASKED && all[i] <= ANSWERED);
}

/* Questions come in their order, and what has no answer has no content. */
static void assume_order(const struct submission_facts *f)
{
	const struct submission_controller *c = &f->controller;
	bool found = submission_is_accounted(f);
	__CPROVER_assume((c->boot_s > 0) == (c->answered == ANSWERED) && c->boot_s >= 0);
	__CPROVER_assume(c->answered == ANSWERED || (!c->next_job_id && !c->min_job_age_s));
	__CPROVER_assume(f->noted != SUBMISSION_ABSENT || c->answered == NOT_ASKED);
	__CPROVER_assume(f->key.answered == NOT_ASKED || f->noted == SUBMISSION_ABSENT ||
		c->answered != NOT_ASKED);
	__CPROVER_assume(f->key.answered == ANSWERED || !f->key.found);
	__CPROVER_assume(f->number.answered == ANSWERED || !f->number.exists);
	__CPROVER_assume(f->number.answered == NOT_ASKED || found ||
		(f->key.answered == ANSWERED && !f->key.found && f->noted == SUBMISSION_ACCEPTED));
	__CPROVER_assume(f->account.answered == NOT_ASKED || submission_is_renumbered(f));
	__CPROVER_assume(f->account.answered == ANSWERED || !f->account.ended);
	/* The answer to the client, where the journal does not have the key. */
	__CPROVER_assume(!f->claimed || (f->noted == SUBMISSION_ACCEPTED && !f->boot_s));
}

/* How what is noted hangs together with what has happened. */
static void assume_journal(const struct submission_facts *f, const struct world *w)
{
	/* Only a begun one makes a job, or is under way. */
	__CPROVER_assume(w->begun || (!w->job && !w->unheard && !w->lost));
	__CPROVER_assume(!w->job || !w->lost);
	/* The journal is told before sbatch runs, and vouches only while it is whole. */
	__CPROVER_assume(!(w->begun && !w->forgets) || f->noted != SUBMISSION_ABSENT);
	__CPROVER_assume(!f->vouches || !w->forgets);
	/* The job is there, or has been; or a backup of the state has reverted it. */
	__CPROVER_assume(f->noted != SUBMISSION_DONE || w->job || (w->lost && w->given));
	__CPROVER_assume(f->noted != SUBMISSION_ACCEPTED || w->job || w->lost);
	/* The sbatch that was refused has made none, and ran because there was none. */
	__CPROVER_assume(f->noted != SUBMISSION_VOID || (!w->job && !w->unheard));
	/* An id is given again only when its job is gone, and is shown as what has it. */
	__CPROVER_assume(!w->given || w->ended || w->lost);
	__CPROVER_assume(!w->given || !w->shown.has_key || w->shown.of_other_user);
	__CPROVER_assume(w->given || !(w->shown.of_another && !w->shown.has_key));
	__CPROVER_assume(w->given || !w->shown.of_other_user);
	/* An sbatch under way is in flight here, or of a process that ended lately. */
	__CPROVER_assume(!w->unheard || f->in_flight || f->noted == SUBMISSION_BEGUN);
	__CPROVER_assume(!(w->unheard && !f->in_flight) || f->quiet_ms < SUBMISSION_SETTLE_MS);
	__CPROVER_assume(!w->ended || w->job);
	__CPROVER_assume(!w->recorded || (w->job && w->ended && !w->unreported));
	__CPROVER_assume(!w->renamed || (f->noted == SUBMISSION_ACCEPTED && w->job));
	/*
	 * Excluded: a key of a lost journal, whose job Slurm has forgotten. It is
	 * unknown.
	 */
	__CPROVER_assume(f->noted != SUBMISSION_ABSENT || !w->ended || w->recorded);
}

/*
 * Which jobs have the key. The best of them is the key's job, if there is one (proven in
 * evidence.c): slurmctld has it, or the accounts do, or both have forgotten it or never
 * heard of its end.
 */
static void assume_key(const struct submission_facts *f, const struct world *w)
{
	const struct submission_key *k = &f->key;
	if (k->answered != ANSWERED)
		return;
	if (k->found && !k->job.in_accounts)
		__CPROVER_assume(w->job && !w->ended);
	if (k->found)
		__CPROVER_assume(w->job || w->lost);
	/* The accounts keep the command that submitted it, whatever its comment is. */
	if (!k->found && w->job)
		__CPROVER_assume((w->ended || w->renamed) && !w->recorded);
	if (!k->found && w->job && w->ended && f->noted == SUBMISSION_BEGUN)
		__CPROVER_assume(k->no_accounting || w->unreported);
	/* The accounts have been told all that is older. */
	if (!k->found && w->unreported)
		__CPROVER_assume(k->behind_ms >= 0 && k->behind_ms < SUBMISSION_BEHIND_MS);
}

/* The owner of the number of a job that the accounts alone have, and how that ended. */
static void assume_number_of_found(const struct submission_facts *f, const struct world *w)
{
	const struct submission_number *n = &f->number;
	if (!submission_is_accounted(f) || n->answered != ANSWERED || !n->exists)
		return;
	enum tri is = submission_is_account(n);
	if (!n->from_accounts && is == YES) /* it came a moment ago, or has another comment */
		__CPROVER_assume(w->job && !w->ended);
	if (w->job && !w->ended)
		__CPROVER_assume(!n->from_accounts && n->same);
	if (n->from_accounts && n->same)
		__CPROVER_assume(n->ended == w->recorded && (w->lost || w->ended));
	/*
	 * A slurmctld that began without any state has told the accounts that it ended.
	 */
	if (is == NO)
		__CPROVER_assume((w->job && w->recorded) || (!w->job && w->lost));
	if (f->account.answered == ANSWERED)
		__CPROVER_assume(f->account.ended == w->recorded);
}

/*
 * The job that slurmctld shows under the id of an accepted job whose key no job has. It
 * has the time at which it was submitted, and no key of others; what got the id later was
 * submitted later.
 */
static void assume_number_of_noted(const struct submission_facts *f, const struct world *w)
{
	const struct submission_number *n = &f->number;
	int64_t skew = SUBMISSION_SKEW_S, keep = SUBMISSION_KEEP_S;
	__CPROVER_assume(f->noted_s > keep + skew);
	if (f->key.found || n->answered != ANSWERED)
		return;
	if (w->renamed && !w->ended)
		__CPROVER_assume(n->exists && !n->from_accounts &&
			n->submit_s >= f->noted_s - keep - skew &&
			n->submit_s <= f->noted_s + skew && n->submit_s < f->controller.boot_s &&
			!n->shown.of_another && !n->shown.of_other_user);
	if (w->lost && n->exists && !n->from_accounts)
		__CPROVER_assume(n->submit_s < 0 || n->submit_s >= f->controller.boot_s ||
			n->shown.of_other_user || (n->shown.of_another && !n->shown.has_key));
	if (w->job && w->ended)
		__CPROVER_assume(!n->exists || n->from_accounts || n->submit_s < 0);
}

/*
 * A key that was begun and that the journal does not have was begun before the journal
 * had all, or elsewhere, before the client came to us.
 */
static void assume_survey(const struct submission_facts *f, const struct world *w)
{
	const struct submission_survey *s = &w->survey;
	const int64_t far = INT64_MAX / 4;
	__CPROVER_assume((s->seen == 0 || s->seen == 1) &&
		(w->elsewhere == 0 || w->elsewhere == 1));
	__CPROVER_assume(s->asked_ms < far && s->asked_ms > -far);
	__CPROVER_assume(s->whole_ms > -far && s->client_ms > -far);
	if (!w->begun || f->noted != SUBMISSION_ABSENT)
		return;
	__CPROVER_assume(w->begun_ms > -far && w->begun_ms < far && w->came_ms >= w->begun_ms);
	__CPROVER_assume(w->begun_ms <= (w->elsewhere ? s->client_ms : s->whole_ms));
	__CPROVER_assume(w->came_ms <= w->begun_ms + SUBMISSION_SETTLE_MS);
	/* The job is in Slurm, or too recent for the accounts to have forgotten it. */
	__CPROVER_assume(!w->job || s->seen || w->came_ms > s->asked_ms);
}

/*
 * The facts of slurmctld about itself. It loses a job only by being started anew; it
 * forgets none before MinJobAge has passed since its end, which no clock of ours tells
 * better than to SUBMISSION_SKEW_S; and what it has not lost has an id below its next
 * one.
 */
static void assume_slurmctld(const struct submission_facts *f, const struct world *w)
{
	const struct submission_controller *c = &f->controller;
	bool accepted = f->noted == SUBMISSION_ACCEPTED;
	__CPROVER_assume(w->another || !w->lost);
	__CPROVER_assume(f->boot_s >= SUBMISSION_ENDED);
	if (accepted && f->boot_s > 0 && f->boot_s == c->boot_s)
		__CPROVER_assume(!w->another);
	if (accepted && f->boot_s == SUBMISSION_ENDED)
		__CPROVER_assume(w->job && w->ended);
	/* A slurmctld that began without any state knows nothing of earlier jobs. */
	__CPROVER_assume(w->another || !w->given);
	if (c->answered != ANSWERED || w->recorded || (accepted && f->boot_s == SUBMISSION_ENDED))
		return;
	if (w->job && w->ended && c->min_job_age_s >= 0 && f->age_s >= 0)
		__CPROVER_assume(f->age_s >= c->min_job_age_s - SUBMISSION_SKEW_S);
	if (w->job && c->next_job_id >= 0)
		__CPROVER_assume(f->job_id < c->next_job_id &&
			(!f->key.found || f->key.job.id < c->next_job_id));
}

/*
 * The content of a key is noted with its sbatch, or by an older red-box not at all. An
 * entry of what Slurm refused stands for nothing.
 */
static void assume_content(const struct submission_facts *f, const struct world *w)
{
	__CPROVER_assume(w->noted == 0 || w->noted == w->content);
	__CPROVER_assume(w->noted == 0 || w->begun || f->in_flight);
	__CPROVER_assume((w->content == 0) == (!w->begun && !f->in_flight));
}

/* The note that a key is closed is on the disk before the answer. */
static void assume_closed(const struct submission_facts *f, const struct world *w)
{
	__CPROVER_assume(f->closed || !w->closed || w->forgets);
	__CPROVER_assume(!f->closed || w->closed);
}

#endif
