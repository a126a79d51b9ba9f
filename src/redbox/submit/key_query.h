/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A key query: one question to Slurm about a key, and its answer as facts of
 * submission.h. A key query does not know the submission, asks no further question and
 * decides nothing.
 */
#ifndef REDBOX_SUBMIT_KEY_QUERY_H
#define REDBOX_SUBMIT_KEY_QUERY_H

#include "redbox/submit/journal.h"
#include "redbox/submit/key_search.h"
#include "redbox/submit/submission.h"

struct key_query;

/* The question. The caller owns its strings. */
struct key_query_question {
	enum submission what; /* SUBMISSION_ASK_... */
	const char *key;
	/*
	 * ASK_KEY: accounting is read from an hour before that time on; below 0: the key
	 * is new, and shares a search with other keys (key_search.h)
	 */
	int64_t since_s;
	/*
	 * ASK_NUMBER: the id, and the submit time if the job was found. ASK_ACCOUNT: both
	 * values
	 */
	struct slurm_job_found job;
};

/* The answer: only the member for the question is set. */
struct key_query_answer {
	enum submission what; /* the question's */
	struct submission_controller controller;
	struct submission_key key;  /* behind_ms is not set */
	struct slurm_job_found job; /* the best job that has the key; its key is NULL */
	/* ASK_KEY: slurmdbd lacks records that slurmctld has */
	bool accounts_behind;
	struct submission_number number;
	struct submission_account account;
	struct err why; /* NO_ANSWER: the error of Slurm's tool */
};
/* The key query is freed after this call. */
typedef void key_query_done(void *ctx, const struct key_query_answer *a);

struct inquirer {
	struct slurm_tools *tools;
	struct journal *journal; /* for the keys that have had an id */
	struct key_search *search;
};

/* done is called once, never from within the call. */
struct key_query *key_query_begin(const struct inquirer *all, const struct key_query_question *q,
	key_query_done *done, void *ctx);
/* done is not called any more. Accepts NULL. */
void key_query_cancel(struct key_query *i);

/*
 * True if the job that Slurm shows under a final id is now another job, because a
 * slurmctld has lost the key's job and given the id again.
 */
bool key_query_is_displaced(const struct journal *j, const char *key, int64_t job_id,
	const struct slurm_tools_told *shown);

#endif
