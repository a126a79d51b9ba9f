/* SPDX-License-Identifier: Apache-2.0 */
/* Whose job it is that Slurm shows under a number that has been a key's. */
#include <string.h>
#include <unistd.h>

#include "base/own.h"
#include "base/str.h"
#include "daemons/redbox/submit_parts.h"

/* The journal has this key, and not with a job of another number. */
static bool may_have(const struct journal *j, const char *key, int64_t job_id)
{
	struct journal_entry e = journal_find(j, key);
	return e.noted == SUBMISSION_BEGUN || (e.noted != SUBMISSION_ABSENT && e.job_id == job_id);
}

/* One of the words of its comment is another key. */
static bool is_of_another(const struct journal *j, const char *key, int64_t job_id,
	const char *comment)
{
	for (const char *s = comment; *s;) {
		size_t n = strspn(s, JOURNAL_KEY_CHARACTERS);
		AUTO(own_free) char *word = own_strndup(s, n);
		if (n && !str_eq(word, key) && may_have(j, word, job_id))
			return true;
		s += n ? n : 1;
	}
	return false;
}

/*
 * "alice(1000)". What root submits may run as somebody else, because the script says so.
 */
static bool is_of_other_user(const char *user)
{
	const char *at = user ? strrchr(user, '(') : NULL;
	int64_t uid;
	if (!at || geteuid() == 0)
		return false;
	AUTO(own_free) char *number = own_strndup(at + 1, strcspn(at + 1, ")"));
	return str_to_i64(number, 0, UINT32_MAX, &uid) && uid != (int64_t)geteuid();
}

struct submission_shown shown_of(const struct journal *j, const char *key, int64_t job_id,
	const struct slurm_job_shown *job)
{
	return (struct submission_shown){
		.has_key = slurm_job_has_key(job, key),
		.of_another = is_of_another(j, key, job_id, job->comment),
		.of_other_user = is_of_other_user(job->user),
	};
}

bool submitter_is_displaced(const struct submitter *s, const char *key, int64_t job_id,
	const struct slurm_tools_told *shown)
{
	if (shown->n == 0)
		return false;
	const struct submission_shown what = shown_of(s->journal, key, job_id, &shown->jobs[0]);
	return submission_is_displaced(&what);
}
