/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A job of the key that the accounts alone have. Mostly slurmctld has forgotten it, and
 * they say how it ended. It may have come a moment ago. Or its number is another job's by
 * now: then it has ended long ago, or slurmctld has lost it.
 */
#include "daemons/redbox/submit_parts.h"

#include "base/log.h"

static void say(const struct run *r, struct err e)
{
	log_warn("Slurm cannot be asked for a job", "key", r->key, "why", e.text);
}

/* ---- its number is another job's ---- */

static void former_told(void *ctx, struct err e, const struct slurm_tools_told *told)
{
	struct run *r = ctx;
	struct submission_facts *f = &r->facts;
	r->call = NULL;
	if (failed(e))
		say(r, e);
	f->ended = failed(e) ? UNKNOWN : slurm_jobs_ended(told->jobs, told->n) ? YES : NO;
	r->forgotten = f->ended == YES;
	run_step(r);
}

static void ask_former(struct run *r)
{
	struct submission_facts *f = &r->facts;
	f->renumbered = true;
	f->lost = YES;
	f->remembers = true;
	r->call = slurm_tools_account(r->submitter->tools, &r->found, former_told, r);
}

/* ---- what its number is ---- */

/* UNKNOWN: slurmctld has lost it, and the accounts believe that it runs. */
static enum tri is_account(const struct run *r, const struct slurm_tools_told *told)
{
	const struct slurm_job_shown *job = &told->jobs[0];
	bool same = false;
	for (size_t i = 0; i < told->n; i++)
		same |= told->jobs[i].submit_s == r->found.submit_s;
	/* It came a moment ago, or somebody has written another comment. */
	if (!told->from_accounts)
		return same || slurm_job_has_key(job, r->key) ? YES : NO;
	if (!same)
		return NO;
	return slurm_jobs_ended(told->jobs, told->n) ? YES : UNKNOWN;
}

static void account_told(void *ctx, struct err e, const struct slurm_tools_told *told)
{
	struct run *r = ctx;
	struct submission_facts *f = &r->facts;
	r->call = NULL;
	enum tri is = failed(e) || !told->n ? UNKNOWN : is_account(r, told);
	if (failed(e)) {
		say(r, e);
		f->in_slurm = UNKNOWN;
	} else if (is == NO) {
		ask_former(r);
		return;
	} else if (is == UNKNOWN) {
		f->in_slurm = NO;
		f->lost = run_lost(r, r->found_id);
		f->remembers = f->lost == YES;
	}
	r->forgotten = is == YES && told->from_accounts;
	run_step(r);
}

void run_ask_account(struct run *r)
{
	r->call = slurm_tools_job(r->submitter->tools, r->found_id, account_told, r);
}
