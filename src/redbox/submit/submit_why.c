/* SPDX-License-Identifier: Apache-2.0 */
/* The errors of calls that get no job. */
#include "redbox/submit/submit_parts.h"

struct err run_why_not(enum submission s, const struct submission_facts *f)
{
	bool is_new = f->noted == SUBMISSION_ABSENT;
	if (f->unended)
		return err_new(ERR_RETRY, SUBMISSION_UNENDED);
	bool never = s == SUBMISSION_NEVER || s == SUBMISSION_GIVE_UP;
	if (never && f->displaced)
		return err_new(ERR_EXISTS,
			"the job of this client_id has lost its number to another job, and nobody "
			"can say what became of it: it is not submitted again");
	if (s == SUBMISSION_NONE)
		return err_new(ERR_NOT_FOUND, "Slurm has no job of this client_id");
	if (s == SUBMISSION_CLOSED)
		return err_new(ERR_EXISTS,
			"this client_id was closed: whoever had it wishes no job of it any more, "
			"or was told that nobody can say what became of one; so nothing is "
			"submitted for it");
	if (never)
		return err_new(ERR_EXISTS,
			"nobody can say any more whether an earlier call with this client_id "
			"became a job (Slurm has forgotten what ended meanwhile): it is not "
			"submitted again");
	return err_new(ERR_RETRY,
		"nobody knows yet what became of an earlier call with this client_id: try again "
		"in a minute");
}
if (s == SUBMISSION_OTHER)
	return err_new(ERR_EXISTS,
		"this client_id has been used for another job (another script, partition "
		"or container), and stands for that one: nothing was submitted; use a "
		"client_id of its own for each job, or none: without one each call is a "
		"job");
