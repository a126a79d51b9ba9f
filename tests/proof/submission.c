/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A key gets one job: sbatch never runs for a key for which a job exists, or may still
 * come to exist. A job that Slurm has lost does not exist. A key that stands for one job
 * is never the answer to a call that asks for another. Holds for every value of every
 * fact.
 *
 * MUTATE_n: the same decision with one fact or one helper rule ignored. Each must be
 * refuted.
 */
#include "submission_world.h"

/* The rule with one part left out. */
static bool displaced_under_proof(struct submission_shown s)
{
#if defined(MUTATE_19) /* a job of another key is thought to be the key's */
	s.of_another = false;
#elif defined(MUTATE_20) /* any user's job is thought to be the key's */
	s.of_other_user = false;
#elif defined(MUTATE_21) /* only a comment with the key is the key's */
	s.of_another = true;
#endif
	return submission_is_displaced(&s);
}

static bool surveyed_under_proof(struct submission_survey s)
{
#if defined(MUTATE_36) /* a journal that has just begun is believed */
	s.whole_ms = s.asked_ms - SUBMISSION_SETTLE_MS;
#elif defined(MUTATE_37) /* a client that has just come is believed */
	s.client_ms = s.asked_ms - SUBMISSION_SETTLE_MS;
#elif defined(MUTATE_38) /* any survey is thought to have seen nothing */
	s.seen = false;
#elif defined(MUTATE_39) /* an sbatch is thought to have come at once */
	s.whole_ms -= SUBMISSION_SETTLE_MS;
	s.client_ms -= SUBMISSION_SETTLE_MS;
#endif
	return submission_surveyed(&s);
}

static bool other_under_proof(int64_t noted, int64_t asked, bool in_flight)
{
	(void)in_flight;
#if defined(MUTATE_61) /* a key is thought to be used for one job only */
	asked = noted;
#elif defined(MUTATE_62) /* what an older red-box submitted is thought to be another job */
	return noted != asked;
#elif defined(MUTATE_63) /* whatever comes while sbatch runs is thought to be its job */
	noted = in_flight ? 0 : noted;
#elif defined(MUTATE_64) /* what comes again is thought to be another job */
	return noted && asked;
#endif
	return submission_is_other(noted, asked);
}

/* The records of slurmctld and of the accounts, with one thing of them ignored. */
static struct submission_facts answers_under_proof(struct submission_facts f)
{
	struct submission_controller *c = &f.controller;
	struct submission_number *n = &f.number;
#if defined(MUTATE_43) /* what has ended by the accounts is thought to be lost */
	f.boot_s = f.boot_s == SUBMISSION_ENDED ? 0 : f.boot_s;
#elif defined(MUTATE_12) /* a slurmctld that lives is thought to lose jobs */
	f.boot_s = 0;
#elif defined(MUTATE_13) /* any absence is a loss */
	f.age_s = 0;
	c->min_job_age_s = SUBMISSION_SKEW_S + 1;
#elif defined(MUTATE_14) /* our clock is thought to be right */
	c->min_job_age_s += SUBMISSION_SKEW_S;
#elif defined(MUTATE_15) /* the next id is thought to be one that was given */
	c->next_job_id--;
#elif defined(MUTATE_24) /* what is not found by its key is lost */
	n->submit_s = -1;
#elif defined(MUTATE_25) /* whatever has its id is its job */
	n->submit_s = f.noted_s;
	c->boot_s = n->answered == ANSWERED && !f.key.found ? f.noted_s + 1 : c->boot_s;
#elif defined(MUTATE_26) /* clocks are thought to be right */
	n->submit_s = n->submit_s == f.noted_s ? n->submit_s : -1;
#elif defined(MUTATE_29) /* an id is thought to be noted as soon as it is given */
	n->submit_s = n->submit_s < f.noted_s - SUBMISSION_SKEW_S ? -1 : n->submit_s;
#elif defined(MUTATE_30) /* a job whose number another one has was lost */
	f.account.ended = false;
#elif defined(MUTATE_31) /* the same, where the accounts do not answer */
	f.account.answered = f.account.answered == NO_ANSWER ? ANSWERED : f.account.answered;
#elif defined(MUTATE_32) /* that its number is another job's says that there is none */
	f.key.found = f.key.found && !submission_is_renumbered(&f);
#elif defined(MUTATE_27) /* the accounts are thought to know all at once */
	f.key.behind_ms = -1;
#elif defined(MUTATE_11) /* what is not known to be lost is lost */
	c->next_job_id = submission_is_lost(&f) == UNKNOWN ? 0 : c->next_job_id;
#elif defined(MUTATE_10) /* Slurm is thought to forget nothing */
	f.key.no_accounting = false;
#elif defined(MUTATE_16) /* a slurmctld that said nothing of itself is believed */
	c->answered = c->answered == NO_ANSWER ? ANSWERED : c->answered;
	f.key.no_accounting = false;
#endif
	return f;
}

/* The choice of the question, and the rules that read its answer, each changed. */
static struct submission_facts questions_under_proof(struct submission_facts f)
{
	struct submission_number *n = &f.number;
#if defined(MUTATE_44) /* a comment is thought never to change: the number is not asked */
	if (!f.key.found && n->answered == NOT_ASKED)
		n->answered = ANSWERED;
#elif defined(MUTATE_45) /* a number that slurmctld has not given is asked for as well */
	f.controller.next_job_id = INT64_MAX / 4;
#elif defined(MUTATE_46) /* a number that cannot be shown has no job */
	n->answered = n->answered == NO_ANSWER ? ANSWERED : n->answered;
#elif defined(MUTATE_47) /* that another slurmctld lives is enough: the key is not asked */
	if (f.noted == SUBMISSION_ACCEPTED && f.controller.answered != NOT_ASKED &&
		f.key.answered == NOT_ASKED)
		f.key.answered = ANSWERED;
#elif defined(MUTATE_48) /* an accepted job is looked for while its slurmctld lives */
	f.boot_s = f.boot_s == f.controller.boot_s ? 0 : f.boot_s;
#elif defined(MUTATE_49) /* a slurmctld that was not asked is thought to be silent */
	f.controller.answered = NO_ANSWER;
#elif defined(MUTATE_50) /* what the accounts believe to run runs */
	n->ended = true;
#elif defined(MUTATE_51) /* whatever has the number of the found job is that job */
	n->same = true;
#elif defined(MUTATE_52) /* a job whose comment was changed is another job */
	n->same = n->same && n->from_accounts;
#elif defined(MUTATE_53) /* a job that came a moment ago is thought to be in the accounts */
	n->from_accounts = n->from_accounts || f.key.job.in_accounts;
#elif defined(MUTATE_54) /* a job of the accounts needs no second look */
	f.key.job.in_accounts = false;
#elif defined(MUTATE_55) /* slurmctld never tells the accounts all */
	f.key.behind_ms = f.key.behind_ms > 0 ? 0 : f.key.behind_ms;
#elif defined(MUTATE_56) /* the accounts are not asked for the end of a renumbered job */
	f.account.answered = ANSWERED;
#elif defined(MUTATE_57) /* a lookup closes a key that the journal does not have */
	f.claimed = false;
#elif defined(MUTATE_58) /* a lookup closes no key */
	f.claimed = f.only_asks;
#elif defined(MUTATE_60) /* a slurmctld that does not tell its next id has not given any */
	f.controller.next_job_id = f.controller.next_job_id < 0 ? 0 : f.controller.next_job_id;
#elif defined(MUTATE_59) /* no key is closed */
	f.claimed = f.only_asks = true;
#endif
	return f;
}

static struct submission_facts later_facts(struct submission_facts f)
{
#if defined(MUTATE_22) /* a job whose id another one has now was lost */
	f.noted = f.displaced ? SUBMISSION_BEGUN : f.noted;
	f.quiet_ms = f.displaced ? SUBMISSION_SETTLE_MS : f.quiet_ms;
#elif defined(MUTATE_23) /* an id that another job has now is told all the same */
	f.displaced = false;
#elif defined(MUTATE_33) /* a call that comes late is like any other */
	f.closed = false;
#elif defined(MUTATE_34) /* a key that is closed has no job */
	f.key.found = f.key.found && !f.closed;
	f.noted = f.closed ? SUBMISSION_VOID : f.noted;
#elif defined(MUTATE_35) /* each key is closed */
	f.closed = true;
#elif defined(MUTATE_28) /* an accepted job is thought to be lost */
	f.noted = f.noted == SUBMISSION_ACCEPTED ? SUBMISSION_VOID : f.noted;
#elif defined(MUTATE_40) /* a survey counts for a key that was begun */
	f.noted = f.noted == SUBMISSION_BEGUN && f.surveyed ? SUBMISSION_ABSENT : f.noted;
#elif defined(MUTATE_42) /* what the accounts have not heard of is another job */
	f.displaced = f.displaced || f.unended;
	f.unended = false;
#elif defined(MUTATE_41) /* a survey counts more than the answer to a question */
	f.key.answered = f.surveyed ? NOT_ASKED : f.key.answered;
#endif
	return f;
}

static enum submission decision_under_proof(struct submission_facts f)
{
	f = later_facts(questions_under_proof(answers_under_proof(f)));
#if defined(MUTATE_1) /* two calls at the same time */
	f.in_flight = false;
#elif defined(MUTATE_2)  /* a key that was begun is like a new one */
	f.noted = f.noted == SUBMISSION_BEGUN ? SUBMISSION_ABSENT : f.noted;
#elif defined(MUTATE_3)  /* any journal is believed */
	f.vouches = true;
#elif defined(MUTATE_4)  /* no answer is read as no job */
	f.key.answered = f.key.answered == NO_ANSWER ? ANSWERED : f.key.answered;
#elif defined(MUTATE_5)  /* an sbatch that may be under way is overlooked */
	f.quiet_ms = SUBMISSION_SETTLE_MS;
#elif defined(MUTATE_6)  /* an id that is known is overlooked */
	f.noted = f.noted == SUBMISSION_DONE ? SUBMISSION_BEGUN : f.noted;
#elif defined(MUTATE_7)  /* the question is left out */
	f.key.answered = f.key.answered == NOT_ASKED ? ANSWERED : f.key.answered;
#elif defined(MUTATE_8)  /* a job that Slurm has is overlooked */
	f.key.found = false;
#elif defined(MUTATE_9)  /* a key is taken for none */
	f.has_key = false;
#elif defined(MUTATE_17) /* a question submits */
	f.only_asks = false;
#elif defined(MUTATE_18) /* an accepted job counts as one that is known for good */
	f.noted = f.noted == SUBMISSION_ACCEPTED ? SUBMISSION_DONE : f.noted;
#endif
	return decide_submission(&f);
}

/* ---- what is promised ---- */

static void assert_closed(const struct submission_facts *f, const struct world *w,
	enum submission s)
{
	if (s == SUBMISSION_SUBMIT && f->has_key)
		__CPROVER_assert(!w->closed || w->forgets, "never for a key that was closed");
	if (s == SUBMISSION_CLOSED)
		__CPROVER_assert(w->closed && !w->job && f->has_key && !f->in_flight &&
				!f->only_asks,
			"only what would be submitted is refused");
}

static void assert_answers(const struct submission_facts *f, const struct world *w,
	enum submission s)
{
	bool told = f->controller.answered == ANSWERED && f->key.answered == ANSWERED;
	if (s == SUBMISSION_ANSWER)
		__CPROVER_assert(f->noted == SUBMISSION_DONE || f->noted == SUBMISSION_ACCEPTED,
			"only an id that is known");
	if (s == SUBMISSION_ANSWER && f->noted == SUBMISSION_ACCEPTED && told)
		__CPROVER_assert(!w->lost || submission_known(f) == UNKNOWN ||
				submission_is_behind(f),
			"never the id of a job that is known to be lost");
	bool told_apart = w->given && (w->shown.of_another || w->shown.of_other_user);
	if (s == SUBMISSION_ANSWER && f->noted == SUBMISSION_DONE)
		__CPROVER_assert(!told_apart, "never the id that another job has now");
	if (s == SUBMISSION_OTHER)
		return; /* assert_content */
	if (f->noted == SUBMISSION_DONE && f->has_key && !f->in_flight && !w->given)
		__CPROVER_assert(s == SUBMISSION_ANSWER || f->unended,
			"an id that counts for good is the answer");
	if (f->noted == SUBMISSION_DONE && f->has_key && !f->in_flight && f->unended)
		__CPROVER_assert(s == SUBMISSION_ADOPT || s == SUBMISSION_LATER ||
				(s >= SUBMISSION_ASK_CONTROLLER && s <= SUBMISSION_ASK_ACCOUNT),
			"nor is it given up because news are late");
}

static void assert_content(const struct submission_facts *f, const struct world *w,
	enum submission s)
{
	if (f->has_key && !f->only_asks && w->noted && w->asked && w->noted != w->asked)
		__CPROVER_assert(s == SUBMISSION_OTHER,
			"what stands for one job is no answer for another, and makes none");
	if (s == SUBMISSION_OTHER)
		__CPROVER_assert(f->has_key && !f->only_asks && w->content && w->asked &&
				w->content != w->asked,
			"what comes again, or is not known, is not another job");
}

static bool submission_may_be_given(const struct submission_facts *f)
{
	int64_t next_id = f->controller.next_job_id;
	return next_id < 0 || f->job_id < next_id;
}

/* Each question once, in its order, and only where its answer can decide. */
static void assert_questions(const struct submission_facts *f, const struct world *w,
	enum submission s)
{
	__CPROVER_assert(s != SUBMISSION_ENOUGH, "there is always a step");
	if (s == SUBMISSION_ASK_CONTROLLER)
		__CPROVER_assert(f->controller.answered == NOT_ASKED &&
				f->noted != SUBMISSION_ABSENT,
			"slurmctld is asked once, and of what it may have lost");
	if (s == SUBMISSION_ASK_KEY)
		__CPROVER_assert(f->key.answered == NOT_ASKED &&
				(f->noted == SUBMISSION_ABSENT ||
					f->controller.answered != NOT_ASKED),
			"a key is asked for once, behind slurmctld's start");
	if (s == SUBMISSION_ASK_NUMBER)
		__CPROVER_assert(f->number.answered == NOT_ASKED &&
				(submission_is_accounted(f) ||
					(f->noted == SUBMISSION_ACCEPTED && !f->key.found &&
						submission_may_be_given(f))),
			"only a number that was found, or given before");
	if (s == SUBMISSION_ASK_ACCOUNT)
		__CPROVER_assert(f->account.answered == NOT_ASKED && (w->lost || w->recorded),
			"only of a job whose number another one has");
}

static void assert_progress(const struct submission_facts *f, const struct world *w,
	enum submission s)
{
	enum submission begins = f->closed ? SUBMISSION_CLOSED : SUBMISSION_SUBMIT;
	bool told = f->controller.answered == ANSWERED;
	bool open = f->has_key && !f->in_flight && s != SUBMISSION_OTHER;
	bool answered = f->key.answered == ANSWERED && s != SUBMISSION_ASK_NUMBER &&
		s != SUBMISSION_ASK_ACCOUNT;
	if (f->noted == SUBMISSION_VOID && open && !f->only_asks)
		__CPROVER_assert(s == begins, "what was refused is submitted again");
	if (answered && f->noted == SUBMISSION_ACCEPTED && submission_known(f) == NO && told &&
		submission_is_lost(f) == YES && open && !f->only_asks)
		__CPROVER_assert(s == begins, "what is lost is submitted again");
	if (f->noted == SUBMISSION_ACCEPTED && open && told && f->boot_s == f->controller.boot_s)
		__CPROVER_assert(s == SUBMISSION_ANSWER || submission_known(f) == YES ||
				f->key.answered != NOT_ASKED,
			"who lives and accepted it lost nothing, and is asked nothing more");
	bool late = f->key.behind_ms >= SUBMISSION_BEHIND_MS && !f->key.found;
	if (answered && open && told && late && f->noted == SUBMISSION_BEGUN &&
		f->quiet_ms >= SUBMISSION_SETTLE_MS)
		__CPROVER_assert(s != SUBMISSION_LATER, "news are not waited for without end");
	if (s == SUBMISSION_NEVER)
		__CPROVER_assert(f->only_asks && f->claimed,
			"a key is closed before a submission is told that it never gets a job");
	if (s == SUBMISSION_GIVE_UP)
		__CPROVER_assert(!(f->only_asks && f->claimed) && f->noted != SUBMISSION_ABSENT &&
				!w->unheard,
			"a lookup closes no key that the journal does not have");
}

int main(void)
{
	struct submission_facts f;
	struct world w;
	assume_forms(&f, &w);
	assume_order(&f);
	assume_journal(&f, &w);
	assume_key(&f, &w);
	assume_number_of_found(&f, &w);
	assume_number_of_noted(&f, &w);
	assume_slurmctld(&f, &w);
	assume_closed(&f, &w);
	assume_survey(&f, &w);
	assume_content(&f, &w);
	f.other = other_under_proof(w.noted, w.asked, f.in_flight);
	f.surveyed = surveyed_under_proof(w.survey);
	f.displaced = f.noted == SUBMISSION_DONE && displaced_under_proof(w.shown);
	__CPROVER_assume(!f.displaced || !f.unended);

	enum submission s = decision_under_proof(f);
	if (f.has_key && s == SUBMISSION_SUBMIT) {
		__CPROVER_assert(!w.job, "never a second job");
		__CPROVER_assert(!w.unheard, "never beside an sbatch that may be under way");
		__CPROVER_assert(!f.in_flight, "never two calls at sbatch");
		__CPROVER_assert(!f.only_asks, "never by a question");
	}
	assert_closed(&f, &w, s);
	assert_content(&f, &w, s);
	assert_answers(&f, &w, s);
	assert_questions(&f, &w, s);
	if (s == SUBMISSION_NONE)
		__CPROVER_assert(f.only_asks && !w.job, "no job only where there is none");
	if (s == SUBMISSION_ADOPT)
		__CPROVER_assert(submission_known(&f) == YES && w.job,
			"only a job that Slurm has, or that has ended");
	if (!f.has_key)
		__CPROVER_assert(s == SUBMISSION_SUBMIT, "without a key: as it is");
	assert_progress(&f, &w, s);
	return 0;
}
