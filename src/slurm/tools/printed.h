/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines of sacct, squeue, sinfo and sbatch as the structures of slurm/tools/show.h.
 * Fields are separated by PRINTED_FIELD, a character that no name has; the field that may
 * hold anything comes last.
 */
#ifndef SLURM_TOOLS_PRINTED_H
#define SLURM_TOOLS_PRINTED_H

#include <stdbool.h>

#include "slurm/tools/show.h"

/* Slurm counts jobs with 32 bits, and takes a larger id for another one, or for all. */
#define PRINTED_MOST_ID INT64_C(4294967290)

#define PRINTED_FIELD "\x1f"
/* The beginning of a record of squeue, because a comment may have lines. */
#define PRINTED_RECORD "\x1e"

/* start, end, exitcode, state, jobid, jobname; with "|" for separator as well. */
#define PRINTED_STEPS "start,end,exitcode,state,jobid,jobname"
/* ERR_INVALID: a line does not have its form. No line: *n 0. */
struct err printed_steps(const char *text, struct arena *a, struct slurm_step_shown **out,
	size_t *n);

/*
 * The keys to look for, and the jobs found so far: one for each submission and each of
 * its keys, in the order of their ids.
 */
struct printed_found {
	const char **keys; /* in the order of their bytes */
	size_t n_keys;
	struct slurm_job_found *jobs;
	size_t n, cap;
	int64_t *aliases; /* ids of other components, and of refused submissions */
	size_t n_aliases, cap_aliases;
	bool notes_words;
	uint64_t *words; /* then: a mark of each word that may be a key, looked for or not */
	size_t n_words, cap_words; /* PRINTED_MOST_WORDS at most: there may be more then */
};
enum { PRINTED_MOST_WORDS = 500000 };

/*
 * The mark of a word. Two words may have one, by an accident that is practically
 * impossible.
 */
uint64_t printed_word_mark(const char *word, size_t n);

/* keys: with a blank between them. ERR_INVALID: one of them is none. */
struct err printed_look_for(const char *keys, struct arena *a, struct printed_found *out);

#define PRINTED_QUEUE \
	PRINTED_RECORD "%i" PRINTED_FIELD "%A %T %r %N" PRINTED_FIELD "%V" PRINTED_FIELD "%k"
/*
 * Jobs of squeue that have one of the keys in their comment. Slurm keeps records of some
 * submissions that it has refused: they are no jobs.
 */
struct err printed_queue(const char *text, struct arena *a, struct printed_found *found);

/*
 * State; start and end; other fields that are news. While a job waits its start and end
 * are guesses of the scheduler, renewed every half minute: they are no news.
 */
#define PRINTED_NEWS "%r %N %l %P %k" /* reason, nodes, limit, partition, comment */
#define PRINTED_MARKS \
	PRINTED_RECORD "%i" PRINTED_FIELD "%T" PRINTED_FIELD "%S %e" PRINTED_FIELD PRINTED_NEWS
/* Each record of squeue, in its order. ERR_INVALID: there is text, and no record. */
struct err printed_marks(const char *text, struct arena *a, struct slurm_job_mark **out, size_t *n);

#define PRINTED_ACCOUNTS_OLD "jobid,submit,comment,state,exitcode,nodelist,end" /* before 21.08 */
#define PRINTED_ACCOUNTS PRINTED_ACCOUNTS_OLD ",submitline"
/*
 * Jobs of sacct, after those of squeue, that have one of the keys in their comment, or
 * had it in the command that submitted them: accounts have comments only with
 * AccountingStoreFlags.
 */
struct err printed_accounts(const char *text, struct arena *a, struct printed_found *found);

/*
 * The name comes last: it may hold anything. Slurm prints the paths since 24.05, and
 * restarts since 24.11; where other fields are in their place they are ignored.
 */
#define PRINTED_JOBS                                                                           \
	"jobidraw,jobid,state,exitcode,partition,nodelist,nnodes,submit,start,end,elapsedraw," \
	"timelimitraw,user,uid,workdir,"
#define PRINTED_JOBS_NEW PRINTED_JOBS "restarts,stdout,stderr,jobname"
#define PRINTED_JOBS_PATHS PRINTED_JOBS "account,stdout,stderr,jobname"
#define PRINTED_JOBS_OLD PRINTED_JOBS "account,account,account,jobname"
/*
 * Jobs of sacct as scontrol would show them, with what the accounts do not have empty or
 * SLURM_ABSENT: the batch host, the reason, the comment. asked: which of these lists it
 * was asked for. ERR_INVALID: a record does not have its form.
 */
struct err printed_jobs(const char *text, const char *asked, struct arena *a,
	struct slurm_job_shown **out, size_t *n);

/* "scontrol show config". ERR_INVALID: it does not say when slurmctld was started. */
struct err printed_config(const char *text, struct slurm_controller_shown *out);

/*
 * "sdiag": the number of messages that wait for slurmdbd. SLURM_ABSENT: it does not say.
 */
int64_t printed_dbd_queue(const char *text);

/* ERR_INVALID: slurm_takes_key does not. */
struct err printed_key_check(const char *key);

/*
 * "42" or "42;cluster", alone in its line. A filter of the site may print other lines,
 * also such as "3 of 10 jobs are used".
 */
bool printed_submitted(const char *text, int64_t *job_id);
/*
 * "sinfo --exact --format=%c": "32", a line for each size of a node; 1024 is "1K". The
 * largest; SLURM_ABSENT: there is none.
 */
int64_t printed_most_cpus(const char *text);
/* A partition, and how many of its nodes are allocated or idle. */
struct printed_usable {
	const char *partition;
	int64_t nodes; /* of very many the beginning of the number alone counts: 1.5K is 1024 */
};
/*
 * "sinfo --all --format=%R|%F": "debug|1/2/0/3", a line for each partition: allocated,
 * idle, other, all. Other lines are left out.
 */
struct printed_usable *printed_usable(const char *text, struct arena *a, size_t *n);
/* "slurm 24.11.5" to "24.11.5"; NULL: it is not that. */
const char *printed_version(const char *text, struct arena *a);

#endif
