/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs Slurm's command line tools, by argv and without a shell.
 *
 *     slurm_tools_new(loop, &(struct slurm_tools_config){ 0 }, &tools);
 *     call = slurm_tools_job(tools, 42, shown, ctx);
 *
 * Each call runs one program; slurm_tools_partitions up to three; slurm_tools_find,
 * slurm_tools_search and slurm_tools_job up to four. A program has a time limit and an
 * output limit. The number of running programs is limited, and the number of sbatch and
 * scancel that start in a second. Other calls wait in a queue; their time limit starts
 * with their program. The variables of ours that would change the work or the output of
 * a program (SLURM_*, SBATCH_*, SQUEUE_* ...) are not passed on, except SLURM_CONF, and
 * neither are those of systemd. LC_ALL=C, SLURM_TIME_FORMAT=standard and SLURM_BITSTR_LEN
 * (for long lists of tasks) are set for every tool except sbatch, whose environment
 * becomes that of the job.
 *
 * done is called once, never from within the call, and not after a cancellation. Its
 * arguments are valid during done only. The errors of all calls:
 *
 *     ERR_INVALID    Slurm refused the request for good; the text has Slurm's message.
 *                    For a read: the output cannot be parsed
 *     ERR_DENIED     the user may not do this
 *     ERR_NOT_FOUND  there is no such job or partition (any more)
 *     ERR_RETRY      slurmctld (or slurmdbd) could not be reached: nothing was done
 *     ERR_LOST       only of submit and cancel: it is unknown whether it was done, for
 *                    example because sbatch reached its time limit. Call
 *                    slurm_tools_find before you submit again
 *     ERR_TOO_LARGE  the program printed more than the output limit
 */
#ifndef SLURM_TOOLS_TOOLS_H
#define SLURM_TOOLS_TOOLS_H

#include <stdbool.h>

#include "base/err.h"
#include "net/loop.h"
#include "slurm/tools/show.h"

struct slurm_tools;
struct slurm_tools_call;

struct slurm_tools_config {
	const char *folder; /* the folder of the tools; NULL: the PATH */
	int at_once;        /* programs at a time; 0: 64 */
	int64_t limit_ms;   /* of each program; 0: 30 s; doubled for sbatch */
};

/* A tool of Slurm, for a report. */
struct slurm_tool_found {
	const char *name, *path; /* path NULL: missing */
	bool needed;             /* slurm_tools_new fails without it */
};
enum { SLURM_TOOLS = 7 };
/* Finds each program; folder as in the configuration. */
void slurm_tools_look(const char *folder, struct arena *a,
	struct slurm_tool_found out[static SLURM_TOOLS]);

/* ERR_INVALID: names all the tools that are missing. */
struct err slurm_tools_new(struct loop *uv_loop, const struct slurm_tools_config *config,
	struct slurm_tools **out);
/*
 * Ends all programs and cancels all calls; accepts NULL. Call it before the loop is
 * freed.
 */
void slurm_tools_free(struct slurm_tools *t);

/*
 * The result of a call, in the member with the name of the call; n: length of the array.
 */
struct slurm_tools_told {
	int64_t job_id;                                 /* submit */
	const struct slurm_job_shown *jobs;             /* job, account */
	const struct slurm_step_shown *steps;           /* steps */
	const struct slurm_partition_shown *partitions; /* partitions */
	const struct slurm_job_found *found;            /* find, search */
	/*
	 * search: slurm_key_mark of each word that may be the key of a job of our user,
	 * without duplicates; NULL: too many words
	 */
	const uint64_t *words;
	size_t n_words;
	const struct slurm_job_mark *marks;       /* marks */
	struct slurm_controller_shown controller; /* controller */
	size_t n;
	bool no_accounting; /* find, search, steps: this Slurm has no accounting */
	/* find, search, after an error: the accounting database could not be read */
	bool accounts_silent;
	/* find: slurmctld has messages that slurmdbd has not received yet */
	bool accounts_behind;
	bool from_accounts;  /* account; job: slurmctld has forgotten it */
	const char *version; /* version: "24.11.5" */
	/*
	 * Owns all memory of the result. done may keep it: copy *arena, and set *arena to
	 * {0}
	 */
	struct arena *arena;
};
/* told is never NULL; after an error only accounts_silent is valid. */
typedef void slurm_tools_done(void *ctx, struct err err, const struct slurm_tools_told *told);

struct slurm_submission {
	const char *script;    /* the whole batch script; copied */
	const char *partition; /* NULL or "": that of the script, or Slurm's default */
	/*
	 * The key for slurm_tools_find (see slurm_takes_key); NULL: none. sbatch sets the
	 * key as the comment of the job, and ignores a comment in the script.
	 */
	const char *key;
	const char *client; /* submissions of several clients take turns; NULL: none */
};
/*
 * Submits a job with sbatch. A second after sbatch has printed the job id, a sbatch that
 * still runs ("#SBATCH --wait") is stopped, which has no effect on the job.
 */
struct slurm_tools_call *slurm_tools_submit(struct slurm_tools *t,
	const struct slurm_submission *submission, slurm_tools_done *done, void *ctx);

/*
 * Checks whether Slurm would now accept a batch job of our user in the partition: sbatch
 * --test-only, which submits nothing. Errors as for submit, except ERR_LOST.
 */
struct slurm_tools_call *slurm_tools_try(struct slurm_tools *t, const char *partition,
	slurm_tools_done *done, void *ctx);

/*
 * Finds all jobs of our user with this key, in the order of their ids. slurmctld forgets
 * a job some minutes after its end (MinJobAge). The accounting database keeps it longer,
 * with the command that submitted it. Users cannot change this command.
 * accounts_since_s: also find jobs of the accounting database that are not older than
 * this; SLURM_ABSENT: query slurmctld only. A held job with a changed comment is not
 * found. OK also if no job is found. If accounts_behind is set, a job that ended recently
 * may be missing (only known with sdiag).
 */
struct slurm_tools_call *slurm_tools_find(struct slurm_tools *t, const char *key,
	int64_t accounts_since_s, slurm_tools_done *done, void *ctx);
/*
 * Finds the jobs of several keys, which are separated by blanks, at the cost of one key.
 * Queries slurmctld and the accounting database, but does not check whether the database
 * is up to date (accounts_behind). Also reports all other keys that exist (words).
 */
struct slurm_tools_call *slurm_tools_search(struct slurm_tools *t, const char *keys,
	int64_t accounts_since_s, slurm_tools_done *done, void *ctx);
/* The mark of a key. If told.words does not contain the mark, no job has the key. */
uint64_t slurm_key_mark(const char *key);
/*
 * Cancels a job. OK also for a job that has ended. For an unknown job the result is OK
 * (24.11) or ERR_NOT_FOUND (older versions).
 */
struct slurm_tools_call *slurm_tools_cancel(struct slurm_tools *t, int64_t job_id,
	slurm_tools_done *done, void *ctx);
/*
 * Reads a job; for an array or a heterogeneous job, all records of slurmctld. If
 * slurmctld has forgotten the job, it is read from the accounting database, if Slurm has
 * one; fields that the database lacks are empty. In the database a job that slurmctld has
 * lost may run forever. If all records of an array have ended, the tasks that slurmctld
 * has forgotten are added from the database. ERR_RETRY: the database cannot be read, or
 * lacks the end of one of these tasks.
 *
 * Seen with 24.11.5: a requeue changes the SubmitTime of a task and increments its
 * Restarts, in scontrol and sacct. sacct keeps the previous record ("REQUEUED"; shown
 * with "--duplicates"). If slurmctld loses the state of an array and reuses its id, sacct
 * still shows the old tasks whose own ids are not reused. Such tasks are left out, by two
 * rules. A record belongs to an old array if it was submitted before the newest record
 * without Restarts, of slurmctld or of the database. So does a record that is not newer
 * than a task for which the database has a newer record with another id. An older sacct
 * has no Restarts: some old tasks may be reported if slurmctld has forgotten the array.
 */
struct slurm_tools_call *slurm_tools_job(struct slurm_tools *t, int64_t job_id,
	slurm_tools_done *done, void *ctx);
/*
 * Reads a job from the accounting database only: exactly the job that was found there,
 * even if its id is reused; for an array all tasks. A requeue adds a record with a later
 * submit time (24.11.5), and the last record counts. ERR_NOT_FOUND: Slurm has no
 * accounting database.
 */
struct slurm_tools_call *slurm_tools_account(struct slurm_tools *t,
	const struct slurm_job_found *job, slurm_tools_done *done, void *ctx);
/*
 * Reads the marks of all jobs of our user in slurmctld with one query. A changed mark
 * means a changed job.
 */
struct slurm_tools_call *slurm_tools_marks(struct slurm_tools *t, slurm_tools_done *done,
	void *ctx);
/* Reads the steps of a job from the accounting database. OK also without steps. */
struct slurm_tools_call *slurm_tools_steps(struct slurm_tools *t, int64_t job_id,
	slurm_tools_done *done, void *ctx);
/*
 * Reads the partition of this name; NULL: all partitions. With a name, cpus_per_node is
 * limited to the largest node that sinfo reports.
 */
struct slurm_tools_call *slurm_tools_partitions(struct slurm_tools *t, const char *name,
	slurm_tools_done *done, void *ctx);
/* Reads the state of slurmctld. ERR_INVALID: the start time is missing. */
struct slurm_tools_call *slurm_tools_controller(struct slurm_tools *t, slurm_tools_done *done,
	void *ctx);
struct slurm_tools_call *slurm_tools_version(struct slurm_tools *t, slurm_tools_done *done,
	void *ctx);

/* Updates the metrics of the queue; call this before the metrics are written. */
void slurm_tools_measure(const struct slurm_tools *t);

/*
 * Cancels a call without calling done. A program that only reads is stopped; sbatch and
 * scancel, once started, run to their end. Not allowed after done; accepts NULL.
 */
void slurm_tools_call_cancel(struct slurm_tools_call *call);

#endif
