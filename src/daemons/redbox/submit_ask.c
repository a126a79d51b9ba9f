/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What Slurm knows of a key, in up to four questions: since when slurmctld runs, which
 * jobs have the key, and, of a job that only the accounts have, whether it has ended
 * (submit_account.c); of one that nobody has, what slurmctld shows under its number.
 */
#include "daemons/redbox/submit_parts.h"

#include "base/log.h"

enum { SKEW_S = 3600 }; /* between our clock and that of slurmdbd's machine */

/*
 * A client that has been told a number knows of a job that a journal which was lost does
 * not. How old it is nobody knows then.
 */
struct journal_entry run_known(const struct run *r)
{
	struct submitter *s = r->submitter;
	struct journal_entry known = { .noted = SUBMISSION_ABSENT };
	if (r->key)
		known = journal_find(s->journal, r->key);
	if (known.noted != SUBMISSION_ABSENT || r->known_id <= 0)
		return known;
	return (struct journal_entry){
		.noted = SUBMISSION_ACCEPTED,
		.closed_s = known.closed_s,
		.job_id = r->known_id,
		.wall_s = loop_wall_ms(s->loop) / 1000 - JOURNAL_KEEP_S,
		.since_s = loop_wall_ms(s->loop) / 1000 - JOURNAL_KEEP_S,
	};
}

static int64_t age_s(const struct run *r)
{
	return loop_wall_ms(r->submitter->loop) / 1000 - run_known(r).since_s;
}

/* Would a Slurm without accounts still know a job that has ended since then? */
static bool is_remembered(const struct run *r)
{
	int64_t age = age_s(r);
	return age >= 0 && age < r->controller.min_job_age_s - SUBMISSION_SKEW_S;
}

/* It does not have the job of this id, or does not tell of it any more. */
enum tri run_lost(const struct run *r, int64_t id)
{
	struct journal_entry known = run_known(r);
	const struct submission_absence a = {
		.boot_then_s = known.noted == SUBMISSION_ACCEPTED ? known.boot_s : 0,
		.boot_now_s = r->controller.boot_s,
		.job_id = id,
		.next_job_id = r->controller.next_job_id,
		.age_s = age_s(r),
		.min_job_age_s = r->controller.min_job_age_s,
	};
	return submission_lost(&a);
}

/* ---- a job whose comment somebody has changed ---- */

static void number_told(void *ctx, struct err e, const struct slurm_tools_told *told)
{
	struct run *r = ctx;
	struct journal_entry known = run_known(r);
	r->call = NULL;
	if (failed(e) && e.kind != ERR_NOT_FOUND)
		r->facts.in_slurm = UNKNOWN;
	if (!failed(e) && told->n && !told->from_accounts) {
		const struct submission_numbered n = {
			.shown = shown_of(r->submitter->journal, r->key, known.job_id,
				&told->jobs[0]),
			.submit_s = told->jobs[0].submit_s,
			.boot_now_s = r->controller.boot_s,
			.accepted_s = known.wall_s,
		};
		r->found_id = known.job_id;
		r->facts.in_slurm = submission_is_kept(&n) ? YES : NO;
	}
	run_step(r);
}

/* No job has the key, and slurmctld is thought to have lost the one that had it. */
static bool may_be_renamed(const struct run *r)
{
	struct journal_entry known = run_known(r);
	return known.noted == SUBMISSION_ACCEPTED && r->facts.in_slurm == NO &&
		r->facts.lost == YES &&
		(r->controller.next_job_id < 0 || known.job_id < r->controller.next_job_id);
}

/* ---- the jobs that have the key ---- */

/*
 * Of those that slurmctld has, the first: any other is a fault. Of those that it has not,
 * the last: a job is submitted again when the one before was lost.
 */
static bool is_better(const struct slurm_job_found *a, const struct slurm_job_found *b)
{
	if (a->in_accounts != b->in_accounts)
		return b->in_accounts;
	return a->in_accounts ? a->submit_s > b->submit_s : a->id < b->id;
}

static const struct slurm_job_found *best_of(const struct slurm_tools_told *told)
{
	const struct slurm_job_found *best = &told->found[0];
	for (size_t i = 1; i < told->n; i++)
		if (is_better(&told->found[i], best))
			best = &told->found[i];
	return best;
}

/* Whether a job that slurmctld has forgotten may not be in the accounts yet. */
static bool is_behind(struct run *r, const struct slurm_tools_told *told)
{
	struct submitter *s = r->submitter;
	int64_t now_ms = loop_now_ms(s->loop);
	if (!told->accounts_behind)
		s->behind_since_ms = 0;
	else if (!s->behind_since_ms)
		s->behind_since_ms = now_ms;
	return told->accounts_behind && !is_remembered(r) &&
		now_ms - s->behind_since_ms < SUBMISSION_BEHIND_MS;
}

void run_found(void *run, struct err e, const struct slurm_tools_told *told)
{
	struct run *r = run;
	struct submission_facts *f = &r->facts;
	struct journal_entry known = run_known(r);
	const struct slurm_job_found *best = failed(e) || !told->n ? NULL : best_of(told);
	r->call = NULL;
	f->in_slurm = failed(e) ? UNKNOWN : best ? YES : NO;
	f->remembers = !told->no_accounting || is_remembered(r);
	f->lost = run_lost(r, known.job_id);
	f->behind = !failed(e) && !best && is_behind(r, told);
	if (failed(e))
		log_warn("Slurm cannot be asked for a job", "key", r->key, "why", e.text);
	if (best) {
		r->found_id = best->id;
		r->found = *best;
		r->found.key = NULL;
	}
	if (best && told->n > 1)
		log_warn("Slurm and its accounts know several jobs with one key", "key", r->key);
	if (best && best->in_accounts)
		run_ask_account(r);
	else if (may_be_renamed(r))
		r->call = slurm_tools_job(r->submitter->tools, known.job_id, number_told, r);
	else
		run_step(r);
}

static void find(struct run *r)
{
	struct submitter *s = r->submitter;
	struct journal_entry known = run_known(r);
	if (known.noted == SUBMISSION_ABSENT)
		search_join(&s->searcher, r);
	else
		r->call = slurm_tools_find(s->tools, r->key, known.since_s - SKEW_S, run_found, r);
}

/* ---- since when slurmctld runs ---- */

static void controller_told(void *ctx, struct err e, const struct slurm_tools_told *told)
{
	struct run *r = ctx;
	struct journal_entry known = run_known(r);
	r->call = NULL;
	r->facts.told = !failed(e);
	if (failed(e))
		log_warn("slurmctld does not say since when it runs", "key", r->key, "why", e.text);
	else
		r->controller = told->controller;
	if (!failed(e))
		r->submitter->settler.boot_s = told->controller.boot_s;
	r->facts.lost = run_lost(r, known.job_id);
	/* It lives that accepted the job: there is nothing to look for */
	if (known.noted == SUBMISSION_ACCEPTED && r->facts.lost == NO)
		run_step(r);
	else
		find(r);
}

void run_ask(struct run *r)
{
	struct submitter *s = r->submitter;
	r->facts.asked = true;
	r->asked_ms = loop_now_ms(s->loop);
	if (run_known(r).noted == SUBMISSION_ABSENT)
		find(r);
	else
		r->call = slurm_tools_controller(s->tools, controller_told, r);
}
