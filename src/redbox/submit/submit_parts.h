/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to the submitter:
 *
 *     submission.h   the rule: what is to be done next, by facts
 *     submit.c       the state machine: observes, asks the rule, carries out
 *     inquiry.h      one question to Slurm
 *     submit_known.c keys whose job is known
 *     submit_why.c   what a call is told that gets no job
 *     submit_metrics.c  how they end, how long they take, what they wait for
 *     settle.c       which accepted jobs Slurm will not lose any more
 */
#ifndef REDBOX_SUBMIT_SUBMIT_PARTS_H
#define REDBOX_SUBMIT_SUBMIT_PARTS_H

#include "redbox/submit/inquiry.h"
#include "redbox/submit/submit.h"

/* Asks slurmctld when it was started, as long as there is something to settle. */
struct settler {
	struct loop *loop;
	struct slurm_tools *tools;
	struct journal *journal;
	int64_t boot_s; /* as slurmctld last said; 0: it has not said it yet */
	struct timer *timer;
	struct slurm_tools_call *call;
};

/* Asks with the next turn. */
void settler_begin(struct settler *s);
void settler_end(struct settler *s);
/* A job has been accepted. */
void settler_wake(struct settler *s);

struct submit_wait {
	struct submit_wait *prev, *next;
	struct run *run;
	submit_done *done;
	void *ctx;
	bool only_asks; /* it may have joined a submission */
};

/* One submission, one lookup of the job of a key, or one closing of a key. */
struct run {
	struct run *prev, *next;
	struct submitter *submitter;
	char *script, *partition, *key; /* key NULL: none; script NULL: a lookup or a closing */
	bool closes;                    /* its key is to be closed */
	int64_t known_id;               /* the job that the client has been told; 0: none */
	int64_t since_ms;               /* when the client came, of several the last one */
	int64_t began_ms;               /* the first call for it came */
	struct submit_wait *waits;

	/* What it knows */
	struct submission_facts facts;
	struct journal_entry decided_by; /* as its key was known when the rule was last asked */
	int64_t asked_ms;                /* the first question about a key of the journal */
	struct slurm_job_found found;    /* of facts.key; its key is NULL */

	/* What it waits for: one of them */
	struct timer *timer; /* its first turn */
	struct inquiry *inquiry;
	struct slurm_tools_call *sbatch;
	struct run **list, *prev_listed, *next_listed; /* of the submitter's that one is written */

	int64_t boot_s;         /* when sbatch was started: its slurmctld is no older */
	int64_t void_id;        /* the job that was lost, now that sbatch runs again; 0: none */
	struct journal_job job; /* to_accept: what is written */
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
	size_t n, bytes;
	uint64_t turned_away;    /* there were too many */
	int64_t behind_since_ms; /* the accounts have not been told all; 0: they have */
};

/* ---- submit_known.c ---- */

/* Logs that the disk failed, e being what the journal said of the id of a job. */
void submit_note(const char *key, struct err e);
/* Its week begins anew with each call; not each one costs a write. */
void submit_begin_week(struct submitter *s, const char *key, const struct journal_entry *known);

/* ---- submit_metrics.c ---- */

/* A submission is over: its callers are told so. */
void submit_count(const struct run *r, struct err e);
/* sbatch has told its number. */
void submit_numbered(const struct run *r);

/* ---- submit_why.c ---- */

/* Why a call gets no job, by what was decided of it. */
struct err run_why_not(enum submission s, const struct submission_facts *f);

#endif
