/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each question is one call of Slurm's tools; the callback of the call makes the answer.
 */
#include "redbox/submit/key_query.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/own.h"
#include "base/str.h"

/* maximum difference between our clock and the clock of slurmdbd's machine */
enum { SKEW_S = 3600 };

struct key_query {
	struct inquirer all;
	struct key_query_question question;
	struct slurm_tools_call *call;
	struct key_wait wait;
	key_query_done *done;
	void *ctx;
};

/* ---- does a shown job belong to the key? ---- */

/* The ids of a job that Slurm shows; the journal may know the job by either. */
struct numbers {
	int64_t id;
	/* id of the array or heterogeneous job that it is a part of; 0: none */
	int64_t whole_id;
};

/* True if the journal has this key, and no other job id for it. */
static bool may_have(const struct journal *j, const char *key, const struct numbers *shown)
{
	struct journal_entry e = journal_find(j, key);
	bool same = e.job_id == shown->id || (shown->whole_id && e.job_id == shown->whole_id);
	return e.noted == SUBMISSION_BEGUN || (e.noted != SUBMISSION_ABSENT && same);
}

/* True if a word of the comment is another key that may have this job. */
static bool is_of_another(const struct journal *j, const char *key, const struct numbers *shown,
	const char *comment)
{
	for (const char *s = comment; *s;) {
		size_t n = strspn(s, SLURM_KEY_CHARACTERS);
		AUTO(own_free) char *word = own_strndup(s, n);
		if (n && !str_eq(word, key) && may_have(j, word, shown))
			return true;
		s += n ? n : 1;
	}
	return false;
}

/*
 * user is "alice(1000)". If we run as root, a script may choose another user for its job.
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

/* The id of the array job or of the first component; 0: the job is part of neither. */
static int64_t whole_id(const struct slurm_job_shown *job)
{
	const char *text = str_empty(job->array_id) ? job->het_id : job->array_id;
	int64_t id;
	return !str_empty(text) && str_to_i64(text, 1, INT64_MAX, &id) ? id : 0;
}

static struct submission_shown shown_of(const struct journal *j, const char *key, int64_t job_id,
	const struct slurm_job_shown *job)
{
	const struct numbers shown = { .id = job_id, .whole_id = whole_id(job) };
	return (struct submission_shown){
		.has_key = slurm_job_has_key(job, key),
		.of_another = is_of_another(j, key, &shown, job->comment),
		.of_other_user = is_of_other_user(job->user),
	};
}

/*
 * Accounting has no comments. If two keys have had the id, the key's job must be looked
 * for. The id may also belong to a task of a later array or to a component of a later
 * job.
 */
static bool is_number_of_another(const struct journal *j, const char *key, int64_t job_id,
	const struct slurm_job_shown *job)
{
	return journal_has_number(j, job_id, key) ||
		(whole_id(job) && journal_has_number(j, whole_id(job), key));
}

/* True if all records belong to later jobs (submission_is_later). */
static bool are_later(const struct journal *j, const char *key,
	const struct slurm_tools_told *shown)
{
	bool later = true;
	for (size_t i = 0; i < shown->n && later; i++) {
		const struct submission_record r = {
			.requeued = !str_eq(shown->jobs[i].restarts, "0"),
			.submit_s = shown->jobs[i].submit_s,
			.since_s = journal_find(j, key).since_s,
		};
		later = submission_is_later(&r);
	}
	return later;
}

bool key_query_is_displaced(const struct journal *j, const char *key, int64_t job_id,
	const struct slurm_tools_told *shown)
{
	if (shown->n == 0)
		return false;
	struct submission_shown what = shown_of(j, key, job_id, &shown->jobs[0]);
	what.of_another |= shown->from_accounts &&
		(is_number_of_another(j, key, job_id, &shown->jobs[0]) || are_later(j, key, shown));
	return submission_is_displaced(&what);
}

/* ---- the answers ---- */

static enum submission_answered answered(const struct key_query *i, struct err e)
{
	if (failed(e))
		log_warn("Slurm cannot be queried for a job", "key", i->question.key, "why",
			e.text);
	return failed(e) ? NO_ANSWER : ANSWERED;
}

static void finish(struct key_query *i, struct key_query_answer *a)
{
	a->what = i->question.what;
	i->done(i->ctx, a);
	free(i);
}

static void controller_told(void *ctx, struct err e, const struct slurm_tools_told *told)
{
	struct key_query *i = ctx;
	struct key_query_answer a = { .controller.answered = answered(i, e), .why = e };
	if (!failed(e))
		a.controller = (struct submission_controller){ ANSWERED, told->controller.boot_s,
			told->controller.next_job_id, told->controller.min_job_age_s };
	finish(i, &a);
}

static struct submission_found found_of(const struct slurm_job_found *job)
{
	return (struct submission_found){ job->id, job->submit_s, job->in_accounts };
}

static const struct slurm_job_found *best_of(const struct slurm_tools_told *told)
{
	const struct slurm_job_found *best = &told->found[0];
	for (size_t i = 1; i < told->n; i++) {
		struct submission_found a = found_of(&told->found[i]), b = found_of(best);
		best = submission_is_better(&a, &b) ? &told->found[i] : best;
	}
	return best;
}

static void key_told(void *ctx, struct err e, const struct slurm_tools_told *told)
{
	struct key_query *i = ctx;
	struct key_query_answer a = { .key.answered = answered(i, e), .why = e };
	if (!failed(e) && told->n) {
		a.job = *best_of(told);
		a.job.key = NULL;
		a.key.found = true;
		a.key.job = found_of(&a.job);
	}
	if (failed(e))
		a.key.accounts_silent = told->accounts_silent;
	if (!failed(e)) {
		a.key.no_accounting = told->no_accounting;
		a.accounts_behind = told->accounts_behind;
	}
	if (!failed(e) && told->n > 1)
		log_warn("Slurm and its accounts know several jobs with one key", "key",
			i->question.key);
	finish(i, &a);
}

static void number_told(void *ctx, struct err e, const struct slurm_tools_told *told)
{
	struct key_query *i = ctx;
	const struct key_query_question *q = &i->question;
	struct key_query_answer a = { .number.answered = ANSWERED };
	if (failed(e) && e.kind != ERR_NOT_FOUND)
		a.number.answered = answered(i, a.why = e);
	if (!failed(e) && told->n)
		a.number = (struct submission_number){
			.answered = ANSWERED,
			.exists = true,
			.from_accounts = told->from_accounts,
			.ended = slurm_jobs_ended(told->jobs, told->n),
			.submit_s = told->jobs[0].submit_s,
		};
	if (a.number.exists && !told->from_accounts)
		a.number.shown = shown_of(i->all.journal, q->key, q->job.id, &told->jobs[0]);
	for (size_t n = 0; a.number.exists && n < told->n; n++)
		a.number.same |= told->jobs[n].submit_s == q->job.submit_s;
	finish(i, &a);
}

static void account_told(void *ctx, struct err e, const struct slurm_tools_told *told)
{
	struct key_query *i = ctx;
	struct key_query_answer a = { .account.answered = answered(i, e), .why = e };
	a.account.ended = !failed(e) && slurm_jobs_ended(told->jobs, told->n);
	finish(i, &a);
}

/* ---- the questions ---- */

static void ask_key(struct key_query *i)
{
	const struct key_query_question *q = &i->question;
	i->wait = (struct key_wait){ .key = q->key, .done = key_told, .ctx = i };
	if (q->since_s < 0)
		key_search_join(i->all.search, &i->wait);
	else
		i->call = slurm_tools_find(i->all.tools, q->key, q->since_s - SKEW_S, key_told, i);
}

struct key_query *key_query_begin(const struct inquirer *all, const struct key_query_question *q,
	key_query_done *done, void *ctx)
{
	struct key_query *i = own_alloc(sizeof(*i));
	*i = (struct key_query){ .all = *all, .question = *q, .done = done, .ctx = ctx };
	switch (q->what) {
	case SUBMISSION_ASK_CONTROLLER:
		i->call = slurm_tools_controller(all->tools, controller_told, i);
		break;
	case SUBMISSION_ASK_KEY:
		ask_key(i);
		break;
	case SUBMISSION_ASK_NUMBER:
		i->call = slurm_tools_job(all->tools, q->job.id, number_told, i);
		break;
	case SUBMISSION_ASK_ACCOUNT:
		i->call = slurm_tools_account(all->tools, &i->question.job, account_told, i);
		break;
	default:
		assert(false); /* not a question */
	}
	return i;
}

void key_query_cancel(struct key_query *i)
{
	if (!i)
		return;
	slurm_tools_call_cancel(i->call);
	key_search_leave(&i->wait);
	free(i);
}
