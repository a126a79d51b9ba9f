/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to the submitter:
 *
 *     submission.h      the rule: from facts the next step
 *     evidence.h        what follows from one fact; for the rule
 *     submit.c          the state machine: observes, asks the rule, carries out
 *     key_query.h       one question to Slurm
 *     key_search.h      one search for all keys that are new
 *     journal.h         the journal
 *     submit_known.c    notes for keys whose job is known
 *     submit_why.c      the errors of calls that get no job
 *     submit_metrics.c  counts of submissions, by their ends and waits; times
 *     settle.c          which accepted jobs Slurm cannot lose any more
 */
#ifndef REDBOX_SUBMIT_SUBMIT_PARTS_H
#define REDBOX_SUBMIT_SUBMIT_PARTS_H

#include "base/budget.h"
#include "redbox/submit/key_query.h"
#include "redbox/submit/submit.h"

/* Asks slurmctld for its start, as long as the journal has jobs to settle. */
struct settler {
	struct loop *loop;
	struct slurm_tools *tools;
	struct journal *journal;
	int64_t boot_s; /* the start that slurmctld last reported; 0: none yet */
	struct timer *timer;
	struct slurm_tools_call *call;
};

/* Asks in the next turn of the loop. */
void settler_begin(struct settler *s);
void settler_end(struct settler *s);
/* A job has been accepted. */
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
	char *script, *partition, *key; /* key NULL: none; script NULL: a lookup or a closing */
	char *client;                   /* as in slurm_submission */
	struct quota *place, *room;     /* of its client, for a submission; NULL: it has none */
	bool closes;                    /* its key is to be closed */
	bool other;       /* its call asks for other content than the submission in flight */
	int64_t content;  /* of submit_ask */
	int64_t known_id; /* the id that the first client has; 0: none */
	int64_t since_ms; /* when the client connected; of several the latest */
	int64_t began_ms; /* when the first call for it came */
	struct submit_wait *waits;

	/* The knowledge of the run */
	struct submission_facts facts;
	struct journal_entry decided_by; /* as its key was known when the rule was last asked */
	int64_t asked_ms;                /* the first question about a key of the journal */
	struct slurm_job_found found;    /* of facts.key; its key is NULL */
	struct err why;                  /* of the last question without an answer */

	/* A run that waits has one of these */
	struct timer *timer; /* its first turn */
	struct key_query *key_query;
	struct slurm_tools_call *sbatch;
	struct run **list, *prev_listed, *next_listed; /* to_begin, to_accept or to_close */

	int64_t boot_s;         /* settler.boot_s when sbatch was started */
	int64_t void_id;        /* the id that is void if Slurm refuses this sbatch; 0: none */
	struct journal_job job; /* to_accept: the line that is written */
};

struct submitter {
	struct loop *loop;
	struct slurm_tools *tools;
	struct journal *journal;
	struct settler settler;
	struct inquirer inquirer;
	/* For the next turn: to be noted as begun, as accepted, and as closed */
	struct run *to_begin, *to_accept, *to_close;
	struct timer *write_timer;
	struct run *runs; /* some dozens, at a time when many nodes come back */
	size_t n;
	struct budget places, scripts; /* of submissions, by client */
	uint64_t turned_away;          /* refused, because there were too many */
	int64_t behind_since_ms;       /* since then slurmdbd lacks records; 0: it has all */
};

/* ---- submit_known.c ---- */

/* Logs that the disk failed, e being what the journal said of the id of a job. */
void submit_note(const char *key, struct err e);
/* Each call renews the key's week, but writes at most once in JOURNAL_AGAIN_S. */
void submit_begin_week(struct submitter *s, const char *key, const struct journal_entry *known);

/* ---- submit_metrics.c ---- */

/* Counts a run that is over. */
void submit_count(const struct run *r, struct err e);
/* Measures the time until sbatch printed the id. */
void submit_numbered(const struct run *r);

/* ---- submit_why.c ---- */

/*
 * The error of a call that gets no job, by the decision: NONE is ERR_NOT_FOUND, LATER is
 * ERR_RETRY; CLOSED, OTHER, GIVE_UP and NEVER are ERR_EXISTS. silent: the error of the
 * last question that Slurm did not answer.
 */
struct err run_why_not(enum submission s, const struct submission_facts *f, struct err silent);

#endif
