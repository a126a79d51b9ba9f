/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to the submitter:
 *
 *     submission.h      the rule: returns the next step for facts
 *     evidence.h        conclusions from one fact; for the rule
 *     submit.c          the state machine: observes, asks the rule, carries out
 *     key_query.h       one question to Slurm
 *     key_search.h      one search for all new keys
 *     journal.h         the journal
 *     submit_known.c    writes notes for keys whose job is known
 *     submit_why.c      the errors of calls that get no job
 *     submit_metrics.c  counts of submissions, by their ends and waits; times
 *     settle.c          finds accepted jobs that Slurm cannot lose any more
 */
#ifndef REDBOX_SUBMIT_SUBMIT_PARTS_H
#define REDBOX_SUBMIT_SUBMIT_PARTS_H

#include "base/budget.h"
#include "redbox/submit/key_query.h"
#include "redbox/submit/submit.h"

/* Asks slurmctld for its start time, as long as the journal has jobs to settle. */
struct settler {
	struct loop *loop;
	struct slurm_tools *tools;
	struct journal *journal;
	int64_t boot_s; /* the start time that slurmctld last reported; 0: none yet */
	struct timer *timer;
	struct slurm_tools_call *call;
};

/* Asks in the next turn of the loop. */
void settler_begin(struct settler *s);
void settler_end(struct settler *s);
/* Call this when a job has been accepted. */
void settler_wake(struct settler *s);

struct submit_wait {
	struct submit_wait *prev, *next;
	struct run *run;
	submit_done *done;
	void *ctx;
	bool only_asks; /* a lookup, which may have joined a submission */
};

/* A submission, a lookup of the job of a key, or the closing of a key. */
struct run {
	struct run *prev, *next;
	struct submitter *submitter;
	/* key NULL: none; script NULL: a lookup or a closing */
	char *script, *partition, *key;
	char *client; /* see slurm_submission */
	/* shares of the client; NULL unless it is a submission */
	struct quota *place, *room;
	bool closes; /* it closes the key */
	/* its call asks for other content than the running submission */
	bool other;
	int64_t content;  /* see submit_ask */
	int64_t known_id; /* the id that the first client sent; 0: none */
	/* when the client connected; with several clients the latest time */
	int64_t since_ms;
	int64_t began_ms; /* when its first call came */
	struct submit_wait *waits;

	/* The facts that the run decides by */
	struct submission_facts facts;
	struct journal_entry decided_by; /* the key's entry when the rule last decided */
	/* when the first question about a key of the journal was asked */
	int64_t asked_ms;
	struct slurm_job_found found; /* the job of facts.key; its key is NULL */
	/* error of the last question without an answer */
	struct err why;

	/* A waiting run has one of these */
	struct timer *timer; /* waits for its first turn */
	struct key_query *key_query;
	struct slurm_tools_call *sbatch;
	struct run **list, *prev_listed, *next_listed; /* to_begin, to_accept or to_close */

	int64_t boot_s; /* settler.boot_s when sbatch was started */
	/* the id that becomes void if Slurm refuses this sbatch; 0: none */
	int64_t void_id;
	struct journal_job job; /* to_accept: the line to write */
};

struct submitter {
	struct loop *loop;
	struct slurm_tools *tools;
	struct journal *journal;
	struct settler settler;
	struct inquirer inquirer;
	/* To write in the next turn: keys that are begun, accepted and closed */
	struct run *to_begin, *to_accept, *to_close;
	struct timer *write_timer;
	struct run *runs; /* some dozens when many nodes come back at once */
	size_t n;
	struct budget places, scripts; /* shares of clients, for submissions */
	uint64_t turned_away;          /* refused because there were too many */
	/* since then slurmdbd has lacked records; 0: it lacks none */
	int64_t behind_since_ms;
};

/* ---- submit_known.c ---- */

/* Logs that the disk failed. e: the error of the journal when it noted a job id. */
void submit_note(const char *key, struct err e);
/* Each call renews the key's week, but writes at most once in JOURNAL_AGAIN_S. */
void submit_begin_week(struct submitter *s, const char *key, const struct journal_entry *known);

/* ---- submit_metrics.c ---- */

/* Counts a run that has ended. */
void submit_count(const struct run *r, struct err e);
/* Measures the time until sbatch printed the id. */
void submit_numbered(const struct run *r);

/* ---- submit_why.c ---- */

/*
 * The error of a call that gets no job, for the decision s: NONE is ERR_NOT_FOUND, LATER
 * is ERR_RETRY; CLOSED, OTHER, GIVE_UP and NEVER are ERR_EXISTS. silent: the error of the
 * last question that Slurm did not answer.
 */
struct err run_why_not(enum submission s, const struct submission_facts *f, struct err silent);

#endif
