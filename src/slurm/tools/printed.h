/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses lines of sacct, squeue, sinfo and sbatch into the structures of
 * slurm/tools/show.h. Fields are separated by PRINTED_FIELD, a character that no name
 * has; a field with arbitrary text comes last.
 */
#ifndef SLURM_TOOLS_PRINTED_H
#define SLURM_TOOLS_PRINTED_H

#include <stdbool.h>

#include "slurm/tools/show.h"

/* Job ids have 32 bits. Slurm reads a larger number as another id, or as all jobs. */
#define PRINTED_MOST_ID INT64_C(4294967290)

#define PRINTED_FIELD "\x1f"
/* The beginning of a record of squeue, because a comment may have several lines. */
#define PRINTED_RECORD "\x1e"

/* The fields of a step; "|" is accepted as separator as well. */
#define PRINTED_STEPS "start,end,exitcode,state,jobid,jobname"
/* ERR_INVALID: a line does not have this form. Without a line *n is 0. */
struct err printed_steps(const char *text, struct arena *a, struct slurm_step_shown **out,
	size_t *n);

/*
 * The keys to look for, and the jobs found so far: one for each submission and key, in
 * the order of their ids.
 */
struct printed_found {
	const char **keys; /* sorted by strcmp */
	size_t n_keys;
	struct slurm_job_found *jobs;
	size_t n, cap;
	int64_t *aliases; /* ids of other components, and of refused submissions */
	size_t n_aliases, cap_aliases;
	bool notes_words;
	uint64_t *words;           /* with notes_words: a mark of each word that may be a key */
	size_t n_words, cap_words; /* at PRINTED_MOST_WORDS the list may be incomplete */
};
enum { PRINTED_MOST_WORDS = 500000 };

/* The hash of a word. Equal marks of two words are practically impossible. */
uint64_t printed_word_mark(const char *word, size_t n);

/* keys: separated by a blank. ERR_INVALID: a key is not valid. */
struct err printed_look_for(const char *keys, struct arena *a, struct printed_found *out);

#define PRINTED_QUEUE \
	PRINTED_RECORD "%i" PRINTED_FIELD "%A %T %r %N" PRINTED_FIELD "%V" PRINTED_FIELD "%k"
/*
 * Finds the jobs of squeue with one of the keys in their comment. Slurm keeps records of
 * some refused submissions, which are not jobs.
 */
struct err printed_queue(const char *text, struct arena *a, struct printed_found *found);

/*
 * State; start and end; other fields whose change matters. While a job is pending, its
 * start and end are guesses of the scheduler, renewed every 30 s, and do not count.
 */
#define PRINTED_NEWS "%r %N %l %P %k" /* reason, nodes, limit, partition, comment */
#define PRINTED_MARKS \
	PRINTED_RECORD "%i" PRINTED_FIELD "%T" PRINTED_FIELD "%S %e" PRINTED_FIELD PRINTED_NEWS
/* Reads the records of squeue in order. ERR_INVALID: there is text, but no record. */
struct err printed_marks(const char *text, struct arena *a, struct slurm_job_mark **out, size_t *n);

#define PRINTED_ACCOUNTS_OLD "jobid,submit,comment,state,exitcode,nodelist,end" /* before 21.08 */
#define PRINTED_ACCOUNTS PRINTED_ACCOUNTS_OLD ",submitline"
/*
 * Adds the jobs of sacct with one of the keys in their comment or in the command that
 * submitted them: accounts have comments only with AccountingStoreFlags. Call it after
 * printed_queue.
 */
struct err printed_accounts(const char *text, struct arena *a, struct printed_found *found);

/*
 * The name comes last, because it may contain any text. sacct prints paths since 24.05,
 * and restarts since 24.11. For older versions the list has other fields in their places,
 * which are ignored.
 */
#define PRINTED_JOBS                                                                           \
	"jobidraw,jobid,state,exitcode,partition,nodelist,nnodes,submit,start,end,elapsedraw," \
	"timelimitraw,user,uid,workdir,"
#define PRINTED_JOBS_NEW PRINTED_JOBS "restarts,stdout,stderr,jobname"
#define PRINTED_JOBS_PATHS PRINTED_JOBS "account,stdout,stderr,jobname"
#define PRINTED_JOBS_OLD PRINTED_JOBS "account,account,account,jobname"
/*
 * Reads jobs of sacct as scontrol would show them. Fields that the accounting database
 * lacks (batch host, reason, comment) are empty or SLURM_ABSENT. asked: the list of
 * fields above that was requested. ERR_INVALID: a record does not have this format.
 */
struct err printed_jobs(const char *text, const char *asked, struct arena *a,
	struct slurm_job_shown **out, size_t *n);

/* Reads "scontrol show config". ERR_INVALID: the start time of slurmctld is missing. */
struct err printed_config(const char *text, struct slurm_controller_shown *out);

/*
 * Reads "sdiag": the number of messages that wait for slurmdbd; SLURM_ABSENT: not
 * printed.
 */
int64_t printed_dbd_queue(const char *text);

/* ERR_INVALID if slurm_takes_key is false. */
struct err printed_key_check(const char *key);

/*
 * Reads "42" or "42;cluster", alone in its line. A filter of the site may print other
 * lines, even such as "3 of 10 jobs are used".
 */
bool printed_submitted(const char *text, int64_t *job_id);
/*
 * "sinfo --exact --format=%c": "32", a line for each size of node; 1024 is "1K". Returns
 * the largest; SLURM_ABSENT: none.
 */
int64_t printed_most_cpus(const char *text);
/* A partition, and the number of its nodes that are allocated or idle. */
struct printed_usable {
	const char *partition;
	int64_t nodes; /* rounded down to whole K or M: 1.5K is 1024 */
};
/*
 * "sinfo --all --format=%R|%F": "debug|1/2/0/3", a line for each partition: allocated,
 * idle, other, all. Other lines are ignored.
 */
struct printed_usable *printed_usable(const char *text, struct arena *a, size_t *n);
/* Returns "24.11.5" of "slurm 24.11.5"; NULL: another text. */
const char *printed_version(const char *text, struct arena *a);

#endif
