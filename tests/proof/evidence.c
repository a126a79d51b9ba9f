/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The helper rules of a submission: which of several jobs with a key is the key's job,
 * which job of the accounts came later than the key's, and what the journal has already.
 *
 * MUTATE_n: a rule changed. Each must be refuted.
 */
#include "redbox/submit/submission.h"

#define BOOL(b) __CPROVER_assume((b) == 0 || (b) == 1)
#define TIME(s) __CPROVER_assume((s) > INT64_MIN / 8 && (s) < INT64_MAX / 8)

/* ---- submission_is_better ---- */

static bool better_under_proof(struct submission_found a, struct submission_found b)
{
#if defined(MUTATE_1) /* the first job that is found is the key's */
	a = b;
#elif defined(MUTATE_2) /* a job of the accounts is as good as one that slurmctld has */
	a.in_accounts = b.in_accounts = true;
#elif defined(MUTATE_3) /* the oldest job of the accounts is the key's */
	int64_t submit_s = a.submit_s;
	a.submit_s = b.submit_s;
	b.submit_s = submit_s;
#elif defined(MUTATE_4) /* any of two jobs that slurmctld has will do */
	a.id = b.id;
#endif
	return submission_is_better(&a, &b);
}

/*
 * Two jobs have the key, because the first one was lost and submitted again. slurmctld
 * has the key's job, or that has ended and both are in the accounts.
 */
static void prove_better(void)
{
	struct submission_found own, lost;
	BOOL(own.in_accounts), BOOL(lost.in_accounts);
	__CPROVER_assume(lost.in_accounts && own.submit_s > lost.submit_s);
	__CPROVER_assert(better_under_proof(own, lost), "the key's job is better");
	__CPROVER_assert(!better_under_proof(lost, own), "in whichever order they come");

	struct submission_found low, high; /* a fault: slurmctld has two */
	low.in_accounts = high.in_accounts = false;
	__CPROVER_assume(low.id < high.id);
	__CPROVER_assert(better_under_proof(low, high) && !better_under_proof(high, low),
		"each call gets the same one");
}

/* ---- submission_is_later ---- */

static bool later_under_proof(struct submission_record r)
{
#if defined(MUTATE_5) /* a job is thought never to be requeued */
	r.requeued = false;
#elif defined(MUTATE_6) /* an sbatch is thought to come at once */
	r.since_s -= SUBMISSION_SETTLE_MS / 1000;
#elif defined(MUTATE_7) /* clocks are thought to be right */
	r.since_s -= SUBMISSION_SKEW_S;
#elif defined(MUTATE_8) /* whatever has the number is the key's job */
	r.requeued = true;
#endif
	return submission_is_later(&r);
}

static void prove_later(void)
{
	struct submission_record r;
	bool own;
	BOOL(own), BOOL(r.requeued);
	TIME(r.submit_s), TIME(r.since_s);
	int64_t latest_s = r.since_s + SUBMISSION_SETTLE_MS / 1000 + SUBMISSION_SKEW_S;
	__CPROVER_assume(!own || r.requeued || r.submit_s <= latest_s);
	bool later = later_under_proof(r);
	__CPROVER_assert(!own || !later, "the key's job is not another one");
	__CPROVER_assert(later || r.requeued || r.submit_s <= latest_s,
		"a job that came later is another one");
}

/* ---- submission_is_noted ---- */

static bool noted_under_proof(struct submission_facts f)
{
#if defined(MUTATE_9) /* what the client says is in the journal */
	f.claimed = false;
#elif defined(MUTATE_10) /* whatever number is noted is the job's */
	f.job_id = submission_job_id(&f);
#elif defined(MUTATE_11) /* that a job has ended need not be noted */
	f.number.from_accounts = false;
	f.number.same = true;
#elif defined(MUTATE_12) /* an ended job is noted once, and for ever */
	f.now_s = f.noted_s;
#elif defined(MUTATE_13) /* an accepted job is noted as ended */
	f.boot_s = SUBMISSION_ENDED;
#elif defined(MUTATE_14) /* a job that was begun is noted */
	f.noted = f.noted == SUBMISSION_BEGUN ? SUBMISSION_DONE : f.noted;
#elif defined(MUTATE_15) /* each call is noted */
	f.claimed = true;
#endif
	return submission_is_noted(&f);
}

static void prove_noted(void)
{
	struct submission_facts f;
	BOOL(f.claimed), BOOL(f.key.found), BOOL(f.key.job.in_accounts), BOOL(f.number.exists);
	BOOL(f.number.from_accounts), BOOL(f.number.same), BOOL(f.number.ended);
	BOOL(f.number.shown.has_key), BOOL(f.account.ended);
	TIME(f.now_s), TIME(f.noted_s);
	__CPROVER_assume(f.noted >= SUBMISSION_ABSENT && f.noted <= SUBMISSION_VOID);
	__CPROVER_assume(submission_known(&f) == YES);
	bool same = !f.claimed && f.job_id == submission_job_id(&f),
	     has_ended = submission_is_forgotten(&f);
	bool is = noted_under_proof(f);
	__CPROVER_assert(!is || same, "the journal has the key, and with that job");
	__CPROVER_assert(!is || f.noted == SUBMISSION_ACCEPTED || f.noted == SUBMISSION_DONE,
		"only a job whose number is noted");
	__CPROVER_assert(!is || !has_ended ||
			(f.boot_s == SUBMISSION_ENDED && f.noted == SUBMISSION_ACCEPTED &&
				f.now_s - f.noted_s < SUBMISSION_NOTED_S),
		"a job that has ended is noted so, and not too long ago");
	__CPROVER_assert(is || !same || has_ended || f.noted != SUBMISSION_DONE,
		"not each call costs a write");
}

int main(void)
{
	prove_better();
	prove_later();
	prove_noted();
	return 0;
}
