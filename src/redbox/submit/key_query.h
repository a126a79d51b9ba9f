/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A key query: one question to Slurm about a key, and its one answer as facts of
 * submission.h. A key query knows no submission, asks nothing further, decides nothing.
 */
#ifndef REDBOX_SUBMIT_KEY_QUERY_H
#define REDBOX_SUBMIT_KEY_QUERY_H

#include "redbox/submit/journal.h"
#include "redbox/submit/key_search.h"
#include "redbox/submit/submission.h"

struct key_query;

/* The question; its strings stay the caller's. */
struct key_query_question {
	enum submission what; /* SUBMISSION_ASK_... */
	const char *key;
	/*
	 * ASK_KEY: the accounts are read from an hour before that time on; below 0: the
	 * key is new, and is searched for together with others (key_search.h)
	 */
	int64_t since_s;
	/* ASK_NUMBER: its number and, if it was found, its submit time. ASK_ACCOUNT */
	struct slurm_job_found job;
};

/* The answer: the one member that was asked for. */
struct key_query_answer {
	enum submission what; /* as asked */
	struct submission_controller controller;
	struct submission_key key;  /* without behind_ms */
	struct slurm_job_found job; /* the best of the jobs that have the key; its key is NULL */
	bool accounts_behind;       /* key: slurmctld has records that slurmdbd lacks */
	struct submission_number number;
	struct submission_account account;
	struct err why; /* of NO_ANSWER: what Slurm's tool said */
};
/* The key query is gone then. */
typedef void key_query_done(void *ctx, const struct key_query_answer *a);

struct inquirer {
	struct slurm_tools *tools;
	struct journal *journal; /* which keys have had a number */
	struct key_search *search;
};

/* done is called once, never from within the call. */
struct key_query *key_query_begin(const struct inquirer *all, const struct key_query_question *q,
	key_query_done *done, void *ctx);
/* done is not called any more. Accepts NULL. */
void key_query_cancel(struct key_query *i);

/*
 * The job that Slurm shows under an id that counts for good is another job by now: a
 * slurmctld has lost the key's job, and has given the id again.
 */
bool key_query_is_displaced(const struct journal *j, const char *key, int64_t job_id,
	const struct slurm_tools_told *shown);

#endif
