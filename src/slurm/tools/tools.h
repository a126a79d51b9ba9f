/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slurm through its own command line tools, by argv and without a shell.
 *
 *     slurm_tools_new(loop, &(struct slurm_tools_config){ 0 }, &tools);
 *     call = slurm_tools_job(tools, 42, shown, ctx);
 *
 * Each call runs one program, slurm_tools_partitions up to two, slurm_tools_find,
 * slurm_tools_search and slurm_tools_job up to four. A program has a limit of time and of
 * output; only so many run at once, and of sbatch and scancel so many in a second. The
 * others wait in line, and their time begins when they do. No program gets the variables
 * of ours that would change what it does or prints (SLURM_*, SBATCH_*, SQUEUE_* ...),
 * except SLURM_CONF, nor those of systemd. All but sbatch get LC_ALL=C,
 * SLURM_TIME_FORMAT=standard and room for lists of tasks (SLURM_BITSTR_LEN): its
 * environment becomes that of the job.
 *
 * done is called once, never from within the call, unless it was cancelled: then never.
 * Its arguments are valid during done only. Kinds of errors, the same for all calls:
 *
 *     ERR_INVALID    Slurm refused it for good; the text has its own sentence. For a
 *                    question: its answer cannot be read
 *     ERR_DENIED     the user may not do this
 *     ERR_NOT_FOUND  there is no such job or partition (any more)
 *     ERR_RETRY      slurmctld (or slurmdbd) could not be asked: nothing was done
 *     ERR_LOST       only of submit and cancel: it is unknown whether it was done, as
 *                    when sbatch was ended at its limit. Ask slurm_tools_find before
 *                    submitting again
 *     ERR_TOO_LARGE  it printed more than the limit of output
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
	const char *folder; /* where sbatch and its kin are; NULL: in the PATH */
	int at_once;        /* programs at a time; 0: 64 */
	int64_t limit_ms;   /* of each program; 0: 30 s; sbatch has twice that */
};

/* A program of Slurm's, for a report. */
struct slurm_tool_found {
	const char *name, *path; /* path NULL: it is missing */
	bool needed;             /* nothing goes without it */
};
enum { SLURM_TOOLS = 7 };
/* Where each program is; folder as in the configuration. */
void slurm_tools_look(const char *folder, struct arena *a,
	struct slurm_tool_found out[static SLURM_TOOLS]);

/* ERR_INVALID: names all the tools that are missing. */
struct err slurm_tools_new(struct loop *uv_loop, const struct slurm_tools_config *config,
	struct slurm_tools **out);
/* Ends all programs and cancels all calls; accepts NULL. Before the loop is freed. */
void slurm_tools_free(struct slurm_tools *t);

/* The result of a call: the member that it was for; n counts the array. */
struct slurm_tools_told {
	int64_t job_id;                                 /* submit */
	const struct slurm_job_shown *jobs;             /* job, account */
	const struct slurm_step_shown *steps;           /* steps */
	const struct slurm_partition_shown *partitions; /* partitions */
	const struct slurm_job_found *found;            /* find, search */
	/*
	 * search: slurm_key_mark of each word that may be the key of any job of our user;
	 * NULL: there are too many. Repeated words count once
	 */
	const uint64_t *words;
	size_t n_words;
	const struct slurm_job_mark *marks;       /* marks */
	struct slurm_controller_shown controller; /* controller */
	size_t n;
	bool no_accounting; /* find, search, steps: this Slurm keeps no accounts */
	/* find, search, with an error: the accounts gave no answer */
	bool accounts_silent;
	/* find: something waits in slurmctld that the accounts have not been told */
	bool accounts_behind;
	bool from_accounts;  /* job: slurmctld does not know it any more; account */
	const char *version; /* version: "24.11.5" */
	/*
	 * Owns all that told points to. done may keep it: copy *arena, and set *arena to
	 * {0}
	 */
	struct arena *arena;
};
/* told is never NULL; with an error it says nothing but accounts_silent. */
typedef void slurm_tools_done(void *ctx, struct err err, const struct slurm_tools_told *told);

struct slurm_submission {
	const char *script;    /* the whole batch script; copied */
	const char *partition; /* NULL or "": as the script and Slurm say */
	/*
	 * By which slurm_tools_find finds the job again (slurm_takes_key). sbatch sets
	 * the key as the comment of the job, in place of one that the script asks for.
	 * NULL: none.
	 */
	const char *key;
	const char *client; /* submissions of several clients begin in turn; NULL: none */
};
/*
 * Runs sbatch with it. The call ends a second after sbatch printed the number at the
 * latest: sbatch is ended then, which does nothing to the job ("#SBATCH --wait").
 */
struct slurm_tools_call *slurm_tools_submit(struct slurm_tools *t,
	const struct slurm_submission *submission, slurm_tools_done *done, void *ctx);

/*
 * Whether Slurm would take a batch job of our user in that partition, now: sbatch
 * --test-only, which submits nothing. Errors as of submit, but for ERR_LOST.
 */
struct slurm_tools_call *slurm_tools_try(struct slurm_tools *t, const char *partition,
	slurm_tools_done *done, void *ctx);

/*
 * All jobs of our user with this key, in the order of their ids. slurmctld forgets a job
 * some minutes after its end (MinJobAge); accounts know it longer, and they keep the
 * command that submitted it, which cannot be changed. accounts_since_s: also jobs of the
 * accounts that are not older; SLURM_ABSENT: slurmctld alone is asked. A held job whose
 * comment was changed is not found. No job found is no error; while accounts_behind is
 * set, a job that ended lately may be missing (sdiag tells, if it is installed).
 */
struct slurm_tools_call *slurm_tools_find(struct slurm_tools *t, const char *key,
	int64_t accounts_since_s, slurm_tools_done *done, void *ctx);
/*
 * Finds the jobs of several keys, which have a blank between them: it costs no more than
 * one. Asks slurmctld and the accounts, but does not check whether the accounts are up to
 * date (accounts_behind). Other keys that exist are reported as well (words).
 */
struct slurm_tools_call *slurm_tools_search(struct slurm_tools *t, const char *keys,
	int64_t accounts_since_s, slurm_tools_done *done, void *ctx);
/* The mark of a key; a key that does not exist has no such mark in told.words. */
uint64_t slurm_key_mark(const char *key);
/*
 * OK also for a job that has ended. A job that Slurm does not know gives OK (24.11) or
 * ERR_NOT_FOUND (older versions).
 */
struct slurm_tools_call *slurm_tools_cancel(struct slurm_tools *t, int64_t job_id,
	slurm_tools_done *done, void *ctx);
/*
 * A job; for an array or a heterogeneous job, as many as slurmctld reports. A job that
 * slurmctld has forgotten comes from the accounts, if there are any: fields that they do
 * not have are empty. In the accounts a job that slurmctld has lost may run for ever. If
 * an array has ended according to slurmctld, the accounts give the tasks that it has
 * forgotten, too; ERR_RETRY: they cannot be asked, or have no end of one of these tasks.
 *
 * Seen with 24.11.5: a requeue gives a task a new SubmitTime and counts its Restarts up,
 * for scontrol and for sacct alike, which keeps the record of before ("REQUEUED"; with
 * "--duplicates"). If slurmctld has lost the state of an array, and has given its number
 * again, sacct shows those tasks whose own numbers it has not given again. Such tasks are
 * left out: a record that was submitted before the newest record without Restarts, of
 * slurmctld or of the accounts, is of an array of before, and so is a record that is not
 * newer than a task of which the accounts have a newer one under another number. An older
 * sacct has no Restarts: there some of these tasks may be reported as well, for an array
 * that slurmctld has forgotten.
 */
struct slurm_tools_call *slurm_tools_job(struct slurm_tools *t, int64_t job_id,
	slurm_tools_done *done, void *ctx);
/*
 * A job by the accounts alone: the very job that was found in them, whatever has its
 * number now; for an array all tasks. A requeue makes one more record with a later time
 * of submission (24.11.5), and the last one counts. Without accounts: ERR_NOT_FOUND.
 */
struct slurm_tools_call *slurm_tools_account(struct slurm_tools *t,
	const struct slurm_job_found *job, slurm_tools_done *done, void *ctx);
/*
 * All jobs of our user that slurmctld knows: whether there is something new of one, for
 * the price of one question.
 */
struct slurm_tools_call *slurm_tools_marks(struct slurm_tools *t, slurm_tools_done *done,
	void *ctx);
/* From the accounts; none is no error. */
struct slurm_tools_call *slurm_tools_steps(struct slurm_tools *t, int64_t job_id,
	slurm_tools_done *done, void *ctx);
/*
 * The partition of that name; NULL: all. A partition by its name has no more CPUs on a
 * node than the largest that sinfo reports.
 */
struct slurm_tools_call *slurm_tools_partitions(struct slurm_tools *t, const char *name,
	slurm_tools_done *done, void *ctx);
/* ERR_INVALID: it does not say when slurmctld was started. */
struct slurm_tools_call *slurm_tools_controller(struct slurm_tools *t, slurm_tools_done *done,
	void *ctx);
struct slurm_tools_call *slurm_tools_version(struct slurm_tools *t, slurm_tools_done *done,
	void *ctx);

/* Sets the metrics of its line, before they are written. */
void slurm_tools_measure(const struct slurm_tools *t);

/*
 * done is not called any more. A program that only reads is ended; sbatch and scancel,
 * once started, run to their end. Not after done was called; accepts NULL.
 */
void slurm_tools_call_cancel(struct slurm_tools_call *call);

#endif
