/* SPDX-License-Identifier: Apache-2.0 */
/* The errors for calls that get no job. */
#include "redbox/submit/submit_parts.h"

/*
 * The job of the key is not known yet. silent: the error of a tool that did not answer.
 */
static struct err later(const struct submission_facts *f, struct err silent)
{
	bool is_new = f->noted == SUBMISSION_ABSENT;
	if (f->unended)
		return err_new(ERR_RETRY, SUBMISSION_UNENDED);
	if (!failed(silent))
		return err_new(ERR_RETRY,
			"the result of an earlier call with this client_id is not known yet: try again in a minute");
	if (f->key.accounts_silent && is_new)
		return err_new(ERR_RETRY,
			"Slurm's accounting (slurmdbd) does not answer, so it is unknown whether this client_id has had a job, because red-box has kept its journal for less than a week: try again in a minute (%s)",
			silent.text);
	if (f->key.accounts_silent)
		return err_new(ERR_RETRY,
			"Slurm's accounting (slurmdbd) does not answer, so the result of an earlier call with this client_id is unknown: try again in a minute (%s)",
			silent.text);
	if (is_new)
		return err_new(ERR_RETRY,
			"Slurm does not answer, so it is unknown whether this client_id has had a job, because red-box has kept its journal for less than a week: try again in a minute (%s)",
			silent.text);
	return err_new(ERR_RETRY,
		"Slurm does not answer, so the result of an earlier call with this client_id is unknown: try again in a minute (%s)",
		silent.text);
}

struct err run_why_not(enum submission s, const struct submission_facts *f, struct err silent)
{
	bool never = s == SUBMISSION_NEVER || s == SUBMISSION_GIVE_UP;
	if (never && f->displaced)
		return err_new(ERR_EXISTS,
			"the job id of this client_id now belongs to another job, and the fate of the first job is unknown: it is not submitted again");
	if (s == SUBMISSION_NONE)
		return err_new(ERR_NOT_FOUND, "Slurm has no job of this client_id");
	if (s == SUBMISSION_CLOSED)
		return err_new(ERR_EXISTS,
			"this client_id was closed: its owner requests no job with it any more, or was answered that the fate of a job is unknown; so nothing is submitted for it");
	if (s == SUBMISSION_OTHER)
		return err_new(ERR_EXISTS,
			"this client_id has been used for another job (another script, partition or container), and stands for that one: nothing was submitted; use a client_id of its own for each job, or none: without one each call is a job");
	if (never)
		return err_new(ERR_EXISTS,
			"it can never be known whether an earlier call with this client_id became a job (Slurm has forgotten jobs that ended meanwhile): it is not submitted again");
	return later(f, silent);
}
