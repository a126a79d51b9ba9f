/* SPDX-License-Identifier: Apache-2.0 */
/* Whose job it is that Slurm shows under a number that has been a key's. */
#include <string.h>
#include <unistd.h>

#include "base/own.h"
#include "base/str.h"
#include "daemons/redbox/submit_parts.h"

/* A job that Slurm shows, by what the journal may know it by. */
struct numbers {
	int64_t id;
	int64_t array_id; /* of which it is a task; 0: it is none */
};

/* The journal has this key, and not with a job of another number. */
static bool may_have(const struct journal *j, const char *key, const struct numbers *shown)
{
	struct journal_entry e = journal_find(j, key);
	bool same = e.job_id == shown->id || (shown->array_id && e.job_id == shown->array_id);
	return e.noted == SUBMISSION_BEGUN || (e.noted != SUBMISSION_ABSENT && same);
}

/* One of the words of its comment is another key. */
static bool is_of_another(const struct journal *j, const char *key, const struct numbers *shown,
	const char *comment)
{
	for (const char *s = comment; *s;) {
		size_t n = strspn(s, JOURNAL_KEY_CHARACTERS);
		AUTO(own_free) char *word = own_strndup(s, n);
		if (n && !str_eq(word, key) && may_have(j, word, shown))
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
	struct numbers shown = { .id = job_id };
	if (!str_to_i64(job->array_id ? job->array_id : "", 1, INT64_MAX, &shown.array_id))
		shown.array_id = 0;
	return (struct submission_shown){
		.has_key = slurm_job_has_key(job, key),
		.of_another = is_of_another(j, key, &shown, job->comment),
		.of_other_user = is_of_other_user(job->user),
	};
}

/*
 * The accounts tell no comment: when two keys have had the number, whose job it is has to
 * be looked for. A task of an array that was given later may have it, too.
 */
static bool is_number_of_another(const struct journal *j, const char *key, int64_t job_id,
	const struct slurm_job_shown *job)
{
	int64_t array_id;
	return journal_has_number(j, job_id, key) ||
		(str_to_i64(job->array_id ? job->array_id : "", 1, INT64_MAX, &array_id) &&
			journal_has_number(j, array_id, key));
}

/*
 * Each of them was submitted after the key's job had come, and never requeued: for what
 * was, Slurm tells when that was.
 */
static bool are_later(const struct journal *j, const char *key,
	const struct slurm_tools_told *shown)
{
	int64_t latest_s = journal_find(j, key).since_s + SUBMISSION_SETTLE_MS / 1000 +
		SUBMISSION_SKEW_S;
	bool later = true;
	for (size_t i = 0; i < shown->n && later; i++)
		later = str_eq(shown->jobs[i].restarts, "0") && shown->jobs[i].submit_s > latest_s;
	return later;
}

bool submitter_is_displaced(const struct submitter *s, const char *key, int64_t job_id,
	const struct slurm_tools_told *shown)
{
	if (shown->n == 0)
		return false;
	struct submission_shown what = shown_of(s->journal, key, job_id, &shown->jobs[0]);
	what.of_another |= shown->from_accounts &&
		(is_number_of_another(s->journal, key, job_id, &shown->jobs[0]) ||
			are_later(s->journal, key, shown));
	return submission_is_displaced(&what);
}
