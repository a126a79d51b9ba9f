/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A key gets one job: sbatch never runs for a key for which a job exists, or may still
 * come to exist. A job that Slurm has lost does not exist. The world is everything that
 * may have happened before; the facts are what can be known of it. Holds for every value
 * of every fact; there is no loop.
 *
 * MUTATE_n: the same decision with one fact ignored. Each must be refuted.
 */
#include "daemons/redbox/submission.h"

struct world {
	bool begun;    /* an sbatch with the key has been started some time */
	bool unheard;  /* its answer has not come: it may be under way */
	bool job;      /* it has made a job, which Slurm has not lost */
	bool ended;    /* Slurm has forgotten the job */
	bool lost;     /* it had made a job, which Slurm has lost */
	bool another;  /* it was not the slurmctld that lives now that accepted the job */
	bool forgets;  /* the journal has lost what it knew */
	bool accepted; /* Slurm answered the question */
	bool renamed;  /* somebody has changed its comment: by its key nobody finds it */
	bool given;    /* the id of its job is another job's now */
	bool recorded; /* it has ended by the accounts, which have it still */
	bool closed;   /* somebody was told that nothing is submitted for it any more */
	struct submission_shown shown;       /* what Slurm shows under that id */
	struct submission_numbered numbered; /* the same, when no job has the key */
	struct submission_absence absence;   /* what is known of the job that is not there */
	struct submission_survey survey;     /* of a key that the journal does not have */
	int64_t begun_ms, came_ms;           /* then: when sbatch was run, when its job was there */
	bool elsewhere; /* by another red-box, and not by one here whose journal was lost */
};

/* The same with one part left out. */
static enum tri lost_under_proof(struct submission_absence a)
{
#if defined(MUTATE_43) /* what has ended by the accounts is thought to be lost */
	a.boot_then_s = a.boot_then_s == SUBMISSION_ENDED ? 0 : a.boot_then_s;
#elif defined(MUTATE_12) /* a slurmctld that lives is thought to lose jobs */
	a.boot_then_s = 0;
#elif defined(MUTATE_13) /* any absence is a loss */
	a.age_s = 0;
	a.min_job_age_s = SUBMISSION_SKEW_S + 1;
#elif defined(MUTATE_14) /* our clock is thought to be right */
	a.min_job_age_s += SUBMISSION_SKEW_S;
#elif defined(MUTATE_15) /* the next id is thought to be one that was given */
	a.next_job_id--;
#endif
	return submission_lost(&a);
}

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

static bool kept_under_proof(struct submission_numbered n)
{
#if defined(MUTATE_24) /* what is not found by its key is lost */
	n.submit_s = -1;
#elif defined(MUTATE_25) /* whatever has its id is its job */
	n.submit_s = n.accepted_s;
	n.boot_now_s = n.accepted_s + 1;
#elif defined(MUTATE_26) /* clocks are thought to be right */
	n.submit_s = n.submit_s == n.accepted_s ? n.submit_s : -1;
#elif defined(MUTATE_29) /* an id is thought to be noted as soon as it is given */
	n.submit_s = n.submit_s < n.accepted_s - SUBMISSION_SKEW_S ? -1 : n.submit_s;
#endif
	return submission_is_kept(&n);
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

static struct submission_facts later_facts(struct submission_facts f)
{
#if defined(MUTATE_22) /* a job whose id another one has now was lost */
	f.noted = f.displaced ? SUBMISSION_BEGUN : f.noted;
	f.quiet_ms = f.displaced ? SUBMISSION_SETTLE_MS : f.quiet_ms;
#elif defined(MUTATE_23) /* an id that another job has now is told all the same */
	f.displaced = false;
#elif defined(MUTATE_27) /* the accounts are thought to know all at once */
	f.behind = false;
#elif defined(MUTATE_30) /* a job whose number another one has was lost */
	f.ended = NO;
#elif defined(MUTATE_31) /* the same, where the accounts do not answer */
	f.ended = f.ended == UNKNOWN ? NO : f.ended;
#elif defined(MUTATE_32) /* that its number is another job's says that there is none */
	f.renumbered = false;
#elif defined(MUTATE_33) /* a call that comes late is like any other */
	f.closed = false;
#elif defined(MUTATE_34) /* a key that is closed has no job */
	f.in_slurm = f.closed ? NO : f.in_slurm;
	f.lost = f.closed ? YES : f.lost;
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
	f.asked = f.asked && !f.surveyed;
#endif
	return f;
}

static enum submission decision_under_proof(struct submission_facts f)
{
	f = later_facts(f);
#if defined(MUTATE_1) /* two calls at the same time */
	f.in_flight = false;
#elif defined(MUTATE_2)  /* a key that was begun is like a new one */
	f.noted = f.noted == SUBMISSION_BEGUN ? SUBMISSION_ABSENT : f.noted;
#elif defined(MUTATE_3)  /* any journal is believed */
	f.vouches = true;
#elif defined(MUTATE_4)  /* no answer is read as no job */
	f.in_slurm = f.in_slurm == UNKNOWN ? NO : f.in_slurm;
#elif defined(MUTATE_5)  /* an sbatch that may be under way is overlooked */
	f.quiet_ms = SUBMISSION_SETTLE_MS;
#elif defined(MUTATE_6)  /* an id that is known is overlooked */
	f.noted = f.noted == SUBMISSION_DONE ? SUBMISSION_BEGUN : f.noted;
#elif defined(MUTATE_7)  /* the question is left out */
	if (!f.asked)
		f.in_slurm = NO;
	f.asked = true;
#elif defined(MUTATE_8)  /* a job that Slurm has is overlooked */
	f.in_slurm = f.in_slurm == YES ? NO : f.in_slurm;
#elif defined(MUTATE_9)  /* a key is taken for none */
	f.has_key = false;
#elif defined(MUTATE_10) /* Slurm is thought to forget nothing */
	f.remembers = true;
#elif defined(MUTATE_11) /* what is not known to be lost is lost */
	f.lost = f.lost == UNKNOWN ? YES : f.lost;
#elif defined(MUTATE_16) /* a slurmctld that said nothing of itself is believed */
	f.told = true;
	f.remembers = true;
#elif defined(MUTATE_17) /* a question submits */
	f.only_asks = false;
#elif defined(MUTATE_18) /* an accepted job counts as one that is known for good */
	f.noted = f.noted == SUBMISSION_ACCEPTED ? SUBMISSION_DONE : f.noted;
#endif
	return decide_submission(&f);
}

static void assume_bools(const struct submission_facts *f, const struct world *w)
{
	__CPROVER_assume((f->has_key == 0 || f->has_key == 1) &&
		(f->in_flight == 0 || f->in_flight == 1) && (f->vouches == 0 || f->vouches == 1) &&
		(f->asked == 0 || f->asked == 1) && (f->only_asks == 0 || f->only_asks == 1) &&
		(f->renumbered == 0 || f->renumbered == 1) &&
		(w->recorded == 0 || w->recorded == 1) && (f->told == 0 || f->told == 1) &&
		(f->behind == 0 || f->behind == 1) && (f->closed == 0 || f->closed == 1) &&
		(f->unended == 0 || f->unended == 1) && (w->closed == 0 || w->closed == 1));
	__CPROVER_assume((f->remembers == 0 || f->remembers == 1) &&
		(w->ended == 0 || w->ended == 1));
	__CPROVER_assume((w->begun == 0 || w->begun == 1) && (w->unheard == 0 || w->unheard == 1) &&
		(w->job == 0 || w->job == 1) && (w->forgets == 0 || w->forgets == 1) &&
		(w->accepted == 0 || w->accepted == 1) && (w->lost == 0 || w->lost == 1) &&
		(w->another == 0 || w->another == 1) && (w->given == 0 || w->given == 1) &&
		(w->renamed == 0 || w->renamed == 1));
	__CPROVER_assume((w->shown.has_key == 0 || w->shown.has_key == 1) &&
		(w->shown.of_another == 0 || w->shown.of_another == 1) &&
		(w->shown.of_other_user == 0 || w->shown.of_other_user == 1));
	const struct submission_shown *s = &w->numbered.shown;
	__CPROVER_assume((s->has_key == 0 || s->has_key == 1) &&
		(s->of_another == 0 || s->of_another == 1) &&
		(s->of_other_user == 0 || s->of_other_user == 1));
	__CPROVER_assume(f->noted >= SUBMISSION_ABSENT && f->noted <= SUBMISSION_VOID);
	__CPROVER_assume(f->in_slurm >= UNKNOWN && f->in_slurm <= YES);
	__CPROVER_assume(f->ended >= UNKNOWN && f->ended <= YES);
}

/* How what is known hangs together with what has happened. */
static void assume_knowledge(const struct submission_facts *f, const struct world *w)
{
	/* Only a begun one makes a job, or is under way. */
	__CPROVER_assume(w->begun || (!w->job && !w->unheard && !w->lost));
	__CPROVER_assume(!w->job || !w->lost);
	/* The journal is told before sbatch runs, and vouches only while it is whole. */
	__CPROVER_assume(!(w->begun && !w->forgets) || f->noted != SUBMISSION_ABSENT);
	__CPROVER_assume(!f->vouches || !w->forgets);
	/* Its job is there, or has been; or a backup of the state has undone it. */
	__CPROVER_assume(f->noted != SUBMISSION_DONE || w->job || (w->lost && w->given));
	__CPROVER_assume(f->noted != SUBMISSION_ACCEPTED || w->job || w->lost);
	/* The sbatch that was refused has made none, and ran because there was none. */
	__CPROVER_assume(f->noted != SUBMISSION_VOID || (!w->job && !w->unheard));
	/* An id is given again only when its job is gone, and is shown as what has it. */
	__CPROVER_assume(!w->given || w->ended || w->lost);
	__CPROVER_assume(!w->given || !w->shown.has_key || w->shown.of_other_user);
	__CPROVER_assume(w->given || !(w->shown.of_another && !w->shown.has_key));
	__CPROVER_assume(w->given || !w->shown.of_other_user);
	__CPROVER_assume(f->noted != SUBMISSION_ABSENT || !w->begun || w->forgets);
	/* One that is under way is in flight here, or of a process that ended lately. */
	__CPROVER_assume(!w->unheard || f->in_flight || f->noted == SUBMISSION_BEGUN);
	__CPROVER_assume(!(w->unheard && !f->in_flight) || f->quiet_ms < SUBMISSION_SETTLE_MS);
	/* Slurm may forget a job whose id is noted, and others as long as is said. */
	__CPROVER_assume(!w->ended || w->job);
	__CPROVER_assume(!w->ended || f->noted == SUBMISSION_DONE ||
		f->noted == SUBMISSION_ACCEPTED ||
		(f->noted == SUBMISSION_BEGUN && !f->remembers) ||
		(f->noted == SUBMISSION_BEGUN && (!f->told || f->behind)) || w->recorded);
	/* What the accounts say of a job that was found in them alone. */
	__CPROVER_assume(!w->recorded || (w->job && w->ended && w->given));
	__CPROVER_assume(!f->renumbered || (f->asked && w->accepted && f->in_slurm == NO));
	__CPROVER_assume(!f->renumbered || (w->job && w->recorded) || (!w->job && w->lost));
	__CPROVER_assume(!f->renumbered || f->ended != YES || w->recorded);
	__CPROVER_assume(!f->renumbered || f->ended != NO || w->lost);
	__CPROVER_assume(f->in_slurm != NO || !w->recorded || f->renumbered);
	/* It says the truth as it knows it, or nothing. */
	__CPROVER_assume(f->asked || f->in_slurm == UNKNOWN);
	__CPROVER_assume(w->accepted || f->in_slurm == UNKNOWN);
	__CPROVER_assume(f->in_slurm != NO || !w->job || w->ended || w->renamed);
	__CPROVER_assume(!w->renamed || (f->noted == SUBMISSION_ACCEPTED && w->job));
	__CPROVER_assume(f->in_slurm != YES || w->job);
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
	__CPROVER_assume(s->now_ms >= 0 && s->now_ms < far && s->asked_ms > -far);
	__CPROVER_assume(s->asked_ms <= s->now_ms && s->whole_ms > -far && s->client_ms > -far);
	if (!w->begun || f->noted != SUBMISSION_ABSENT)
		return;
	__CPROVER_assume(w->begun_ms > -far && w->begun_ms < far && w->came_ms >= w->begun_ms);
	__CPROVER_assume(w->begun_ms <= (w->elsewhere ? s->client_ms : s->whole_ms));
	__CPROVER_assume(w->came_ms <= w->begun_ms + SUBMISSION_SETTLE_MS);
	/* It is in Slurm, or was not so long ago that the accounts have forgotten it. */
	__CPROVER_assume(!w->job || s->seen || w->came_ms > s->asked_ms);
}

/*
 * What slurmctld says of itself, where it has no job of a key whose job was accepted. It
 * loses a job only by being started anew; it forgets none before MinJobAge has passed
 * since its end, which no clock of ours tells better than to SUBMISSION_SKEW_S; and what
 * it has not lost has an id below its next one.
 */
static void assume_slurmctld(const struct submission_facts *f, const struct world *w)
{
	const struct submission_absence *a = &w->absence;
	__CPROVER_assume(w->another || !w->lost);
	__CPROVER_assume(a->min_job_age_s < INT64_MAX / 2 && a->min_job_age_s > INT64_MIN / 2);
	__CPROVER_assume(a->next_job_id > INT64_MIN / 2 && a->boot_now_s >= 0);
	__CPROVER_assume((a->boot_now_s != 0) == f->told);
	if (a->boot_then_s != 0 && a->boot_then_s == a->boot_now_s)
		__CPROVER_assume(!w->another);
	/* One that began without any state knows nothing of what was before. */
	__CPROVER_assume(w->another || !w->recorded);
	bool has_ended = a->boot_then_s == SUBMISSION_ENDED;
	if (has_ended && f->noted == SUBMISSION_ACCEPTED)
		__CPROVER_assume(w->job && w->ended);
	if (w->recorded || has_ended)
		return;
	if (w->job && w->ended && a->min_job_age_s >= 0 && a->age_s >= 0)
		__CPROVER_assume(a->age_s >= a->min_job_age_s - SUBMISSION_SKEW_S);
	if (w->job && a->next_job_id >= 0)
		__CPROVER_assume(a->job_id < a->next_job_id);
}

/* That a key is closed is on the disk before anybody is told. */
static void assume_closed(const struct submission_facts *f, const struct world *w)
{
	__CPROVER_assume(f->closed || !w->closed || w->forgets);
	__CPROVER_assume(!f->closed || w->closed);
}

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
	if (s == SUBMISSION_ANSWER)
		__CPROVER_assert(f->noted == SUBMISSION_DONE || f->noted == SUBMISSION_ACCEPTED,
			"only an id that is known");
	if (s == SUBMISSION_ANSWER && f->noted == SUBMISSION_ACCEPTED && w->accepted && f->told)
		__CPROVER_assert(!w->lost || submission_known(f) == UNKNOWN || f->behind,
			"never the id of a job that is known to be lost");
	bool told_apart = w->given && (w->shown.of_another || w->shown.of_other_user);
	if (s == SUBMISSION_ANSWER && f->noted == SUBMISSION_DONE)
		__CPROVER_assert(!told_apart, "never the id that another job has now");
	if (f->noted == SUBMISSION_DONE && f->has_key && !f->in_flight && !w->given)
		__CPROVER_assert(s == SUBMISSION_ANSWER || f->unended,
			"an id that counts for good is the answer");
	if (f->noted == SUBMISSION_DONE && f->has_key && !f->in_flight && f->unended)
		__CPROVER_assert(s == SUBMISSION_ASK || s == SUBMISSION_ADOPT ||
				s == SUBMISSION_LATER,
			"nor is it given up because news are late");
}

/*
 * What slurmctld shows under the id of a job that was accepted. It has the time at which
 * it was submitted, and no key of others; what got the id later was submitted later.
 */
static void assume_numbered(const struct world *w)
{
	const struct submission_numbered *n = &w->numbered;
	int64_t skew = SUBMISSION_SKEW_S, keep = SUBMISSION_KEEP_S;
	__CPROVER_assume(n->accepted_s > keep + skew && n->accepted_s < INT64_MAX / 2);
	__CPROVER_assume(n->boot_now_s < INT64_MAX / 2);
	if (w->renamed && !w->ended)
		__CPROVER_assume(n->submit_s >= n->accepted_s - keep - skew &&
			n->submit_s <= n->accepted_s + skew && n->submit_s < n->boot_now_s &&
			!n->shown.of_another && !n->shown.of_other_user);
	if (w->lost)
		__CPROVER_assume(n->submit_s < 0 || n->submit_s >= n->boot_now_s ||
			n->shown.of_other_user || (n->shown.of_another && !n->shown.has_key));
	if (w->job && w->ended)
		__CPROVER_assume(n->submit_s < 0);
}

static void assert_progress(const struct submission_facts *f, const struct world *w,
	enum submission s)
{
	enum submission begins = f->closed ? SUBMISSION_CLOSED : SUBMISSION_SUBMIT;
	if (f->noted == SUBMISSION_VOID && f->has_key && !f->in_flight && !f->only_asks)
		__CPROVER_assert(s == begins, "what was refused is submitted again");
	if (f->asked && f->noted == SUBMISSION_ACCEPTED && submission_known(f) == NO && f->told &&
		f->lost == YES && f->has_key && !f->in_flight && !f->only_asks)
		__CPROVER_assert(s == begins, "what is lost is submitted again");
	if (f->asked && f->noted == SUBMISSION_ACCEPTED && f->in_slurm != YES && f->told &&
		f->has_key && !f->in_flight && w->absence.boot_then_s == w->absence.boot_now_s)
		__CPROVER_assert(s == SUBMISSION_ANSWER, "who lives and accepted it lost nothing");
}

int main(void)
{
	struct submission_facts f;
	struct world w;
	assume_bools(&f, &w);
	assume_knowledge(&f, &w);
	assume_slurmctld(&f, &w);
	assume_closed(&f, &w);
	assume_survey(&f, &w);
	f.surveyed = surveyed_under_proof(w.survey);
	f.lost = f.renumbered ? YES : lost_under_proof(w.absence);
	f.displaced = f.noted == SUBMISSION_DONE && displaced_under_proof(w.shown);
	__CPROVER_assume(!f.displaced || !f.unended);

	assume_numbered(&w);
	bool renamed = f.noted == SUBMISSION_ACCEPTED && f.asked && f.in_slurm == NO &&
		!f.renumbered && f.lost == YES && kept_under_proof(w.numbered);
	f.in_slurm = renamed ? YES : f.in_slurm;

	enum submission s = decision_under_proof(f);
	if (f.has_key && s == SUBMISSION_SUBMIT) {
		__CPROVER_assert(!w.job, "never a second job");
		__CPROVER_assert(!w.unheard, "never beside an sbatch that may be under way");
		__CPROVER_assert(!f.in_flight, "never two calls at sbatch");
		__CPROVER_assert(!f.only_asks, "never by a question");
	}
	assert_closed(&f, &w, s);
	assert_answers(&f, &w, s);
	if (s == SUBMISSION_NONE)
		__CPROVER_assert(f.only_asks && !w.job, "no job only where there is none");
	if (s == SUBMISSION_ADOPT)
		__CPROVER_assert(submission_known(&f) == YES && w.job,
			"only a job that Slurm has, or that has ended");
	if (s == SUBMISSION_ASK)
		__CPROVER_assert(!f.asked, "one question for each call");
	if (!f.has_key)
		__CPROVER_assert(s == SUBMISSION_SUBMIT, "without a key: as it is");
	assert_progress(&f, &w, s);
	return 0;
}
