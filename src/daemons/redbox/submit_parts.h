/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to the submitter:
 *
 *     submit.c       what becomes of each submission, and of each question
 *     submit_calls.c which of them a call waits for
 *     submit_known.c keys whose job is known
 *     submit_ask.c   what Slurm knows of a key
 *     submit_account.c  a job that the accounts alone have
 *     submit_why.c   what is said to a call that gets no job
 *     submit_close.c keys for which nothing is submitted any more
 *     submit_whose.c whether a number is still a key's
 *     submit_metrics.c  how they end, how long they take, what they wait for
 *     settle.c       which accepted jobs Slurm will not lose any more
 */
#ifndef DAEMONS_REDBOX_SUBMIT_PARTS_H
#define DAEMONS_REDBOX_SUBMIT_PARTS_H

#include "daemons/redbox/submit.h"

/* Asks slurmctld since when it runs, as long as there is something to settle. */
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

/*
 * Keys of which the journal knows nothing and for which it does not vouch are looked for
 * together: one question, which is asked after the last of them came. One that was asked
 * before a key came mostly does not count for it, although this process has submitted
 * nothing for the key: the sbatch of one that was killed before us may come to Slurm in
 * between. When it does count submission_surveyed says.
 */
struct searcher {
	struct loop *loop;
	struct slurm_tools *tools;
	struct run *waiting; /* for the next search */
	struct search *searches;
	/* The survey: keys of all jobs as the last search saw them; words NULL: none */
	uint64_t *words;
	size_t n_words;
	int64_t asked_ms;
	int under_way;
	int64_t begun_ms; /* the last one */
	struct timer *timer;
};

struct search;

struct submit_wait {
	struct submit_wait *prev, *next;
	struct run *run;
	submit_done *done;
	void *ctx;
	bool only_asks; /* it may have joined a submission */
};

/* One submission, or one question for the job of a key. */
struct run {
	struct run *prev, *next;
	struct submitter *submitter;
	char *script, *partition, *key; /* key NULL: none; script NULL: it only asks */
	bool closes;                    /* its key is to be closed */
	int64_t known_id;               /* the job that the client has been told; 0: none */
	int64_t since_ms;               /* when the client came, of several the last one */
	int64_t began_ms;               /* the first call for it came */
	bool in_sbatch;                 /* call is sbatch */
	int64_t void_id; /* the same, or of the journal: lost, now that sbatch runs again */
	struct submission_facts facts;
	struct journal_entry decided_by; /* as its key was known at the last decision */
	int64_t boot_s; /* as known when sbatch was started: its slurmctld is no older */
	/* What Slurm said when it was asked: */
	int64_t asked_ms, found_id;
	struct slurm_job_found found;             /* in the accounts; its key is NULL */
	bool forgotten;                           /* the accounts alone have it, and it has ended */
	struct slurm_controller_shown controller; /* boot_s 0: not known */
	struct timer *timer;
	struct slurm_tools_call *call;
	struct journal_job job;  /* that Slurm has, and that is to be written */
	struct run **list;       /* on which it waits; NULL: none */
	struct run *prev_listed; /* there */
	struct run *next_listed;
	struct submit_wait *waits;
};

struct submitter {
	struct loop *loop;
	struct slurm_tools *tools;
	struct journal *journal;
	struct settler settler;
	struct searcher searcher;
	/* For the next turn: to be noted as begun, as accepted, and as closed */
	struct run *to_begin, *to_accept, *to_close;
	struct timer *write_timer;
	struct run *runs; /* some dozens, at a time when many nodes come back */
	size_t n, bytes;
	uint64_t turned_away;    /* there were too many */
	int64_t behind_since_ms; /* the accounts have not been told all; 0: they have */
};

/* What is told of the job of that number, as far as it says whose it is. */
struct submission_shown shown_of(const struct journal *j, const char *key, int64_t job_id,
	const struct slurm_job_shown *job);

/* ---- submit.c ---- */

/* It waits on that list, or on none any more. */
void run_join(struct run **list, struct run *r);
void run_leave(struct run *r);
/* The keys of those on such a list, n of them; the caller frees with free(). */
const char **runs_keys(const struct run *list, size_t *n);
/* Its first turn, by its timer. */
void run_begin(void *run);
/* Decides, and carries out what was decided. */
void run_step(struct run *r);
/* To all who wait for it; it is gone then. */
void run_tell(struct run *r, struct err e, int64_t job_id);
/* The same, of what was decided and gives no job. */
void run_tell_why_not(struct run *r, enum submission what);

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

/* ---- submit_close.c ---- */

/* Notes all that are to be closed. */
void write_closed(struct submitter *s);

/* ---- submit_search.c ---- */

/* run_found is called, once, unless the run leaves its list. */
void search_join(struct searcher *s, struct run *r);
/*
 * The survey says that no job has the run's key, which the journal does not have. One
 * that is no longer new is made anew.
 */
bool search_covers(struct searcher *s, const struct run *r);
/* Nobody waits any more. */
void searcher_end(struct searcher *s);

/* ---- submit_ask.c ---- */

/* What Slurm says of the jobs that have its key: a slurm_tools_done. */
void run_found(void *run, struct err e, const struct slurm_tools_told *told);
/* Asks, sets the facts (and found_id), and has it decided anew. */
void run_ask(struct run *r);
/* What is known of a job that slurmctld does not have now: submission_lost. */
enum tri run_lost(const struct run *r, int64_t id);

/* ---- submit_account.c ---- */

/* r->found: is it the key's job, and has it ended? Then it is decided anew. */
void run_ask_account(struct run *r);

/* ---- submit.c ---- */

/* What is known of its key: by the journal, or else by the client. */
struct journal_entry run_known(const struct run *r);

#endif
