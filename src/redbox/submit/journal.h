/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The journal of submissions: the state of each key (enum submission_noted), kept over a
 * crash of the process or the machine. For one submission with a key it gets these lines
 * (enum journal_step in journal_parts.h); a call without a key leaves none:
 *
 *   before sbatch runs       BEGIN, and STANDS with the content    journal_begin
 *   sbatch printed the id    ACCEPTED, before the client hears it  journal_accepted
 *   a later call found it    FOUND, likewise                       journal_accepted
 *   sbatch was refused, or   REFUSED                               journal_refused
 *   did not reach Slurm
 *   sbatch gave no result    none: the key stays begun             journal_unheard
 *   Slurm cannot lose the    DONE                                  journal_settle,
 *   job any more                                                   journal_done
 *
 * If red-box dies after BEGIN, the next call with the key looks for the job in Slurm
 * (SUBMISSION_BEGUN in submission.h).
 *
 * One file, STATE/journal: a line for each step, with a checksum, written and synced
 * (fsync) before the function returns; this holds up the loop for as long as the disk
 * needs, so several steps may be written at once. The file is written anew (and renamed
 * into place) at the start and when most of its lines are outdated. A last line that is
 * not whole was not synced: it is dropped. A damaged line before it is left out, and the
 * journal stops vouching.
 *
 * Keys stay for JOURNAL_KEEP_S after their last call, by the machine's clock. A closing
 * stays beside the other state of its key, for JOURNAL_KEEP_S after the last step or
 * closing of the key. A line of its own has what the key stands for: an older red-box
 * takes that line for damage, and the others as ever.
 *
 * Definition: the journal *vouches* while a key that it does not have is a new key, for
 * which no sbatch has run. A new journal vouches after JOURNAL_KEEP_S; this time starts
 * anew when
 *   - a line was damaged, or the file was missing;
 *   - more than JOURNAL_MOST keys were noted, and the oldest were dropped early;
 *   - a key was dropped that was begun and was not SUBMISSION_DONE: its job may still
 *     come;
 *   - a key was dropped that this process had not known for a week (the clock may have
 *     leapt ahead);
 *   - the clock went back by an hour: it was ahead, and keys may have been dropped early.
 *
 * The folder is locked: one process at a time has the journal.
 */
#ifndef REDBOX_SUBMIT_JOURNAL_H
#define REDBOX_SUBMIT_JOURNAL_H

#include <stddef.h>

#include "base/err.h"
#include "net/loop.h"
#include "redbox/submit/submission.h"

enum {
	JOURNAL_KEEP_S = SUBMISSION_KEEP_S,
	JOURNAL_AGAIN_S = SUBMISSION_NOTED_S,
	JOURNAL_MOST = 200000,
};

struct journal;

struct journal_entry {
	enum submission_noted noted;
	int64_t job_id; /* of SUBMISSION_ACCEPTED, SUBMISSION_DONE and SUBMISSION_VOID */
	/*
	 * SUBMISSION_ACCEPTED: the start of slurmctld, as it last reported before it
	 * accepted the job; 0: it had not been asked; SUBMISSION_ENDED: the job has ended
	 * by the accounts
	 */
	int64_t boot_s;
	int64_t wall_s;   /* the time of the key's last step; a closing is no step */
	int64_t since_s;  /* the earliest time at which its job can have been submitted */
	int64_t closed_s; /* the time of its last closing; 0: it is not closed */
	int64_t content;  /* what it stands for (content.h); 0: unknown */
	/*
	 * Monotonic: the end of the key's last sbatch, or the acceptance of its job; our
	 * start at the earliest
	 */
	int64_t quiet_since_ms;
};

/*
 * The folder is made when it is missing. ERR_EXISTS: another process has held the lock
 * for a second. ERR_DENIED, ERR_INTERNAL: it cannot be read or written.
 */
struct err journal_open(struct loop *l, const char *folder, struct journal **out);
void journal_free(struct journal *j); /* accepts NULL */

/* SUBMISSION_ABSENT for a key that it does not have. */
struct journal_entry journal_find(const struct journal *j, const char *key);
/* A key other than but_of has, or had, a job of that number. Goes through all keys. */
bool journal_has_number(const struct journal *j, int64_t job_id, const char *but_of);
size_t journal_count(const struct journal *j); /* keys that it has */
/* A key that it does not have is a new key (see above). */
bool journal_vouches(const struct journal *j);
/*
 * Monotonic: since then the journal has each key that this red-box began; our start at
 * the earliest. INT64_MAX: unknown.
 */
int64_t journal_whole_ms(const struct journal *j);

struct journal_begun {
	const char *key;
	int64_t content; /* what it stands for from now on; 0: unknown */
};
/*
 * The keys are on the disk when it returns OK. With an error nothing is noted (ERR_RETRY:
 * the disk is full, or fails): no key has begun, and sbatch must not run.
 */
struct err journal_begin(struct journal *j, const struct journal_begun *begun, size_t n);
/*
 * Closes the keys: nothing is submitted for them any more, whatever their state is.
 * Errors as of journal_begin: a key is closed then only if it was closed before.
 */
struct err journal_close(struct journal *j, const char *const *keys, size_t n);
struct journal_job {
	const char *key;
	int64_t job_id;
	int64_t boot_s;  /* as in journal_entry */
	int64_t since_s; /* as in journal_entry; 0: an sbatch has just given its id */
};
/*
 * Notes the ids that Slurm gave. With an error they are not on the disk, but known until
 * the process ends; a key that was begun stays begun there.
 */
struct err journal_accepted(struct journal *j, const struct journal_job *jobs, size_t n);
/* Notes a job that Slurm cannot lose any more. Errors as of journal_accepted. */
struct err journal_done(struct journal *j, const char *key, int64_t job_id);
/*
 * slurmctld reports that it was started at boot_s: each job that it accepted, and that
 * this process noted SUBMISSION_SAVED_MS ago or longer, is noted as done. Returns the
 * number of its jobs that are too young. A failed write is logged; the jobs are done
 * until a restart.
 */
size_t journal_settle(struct journal *j, int64_t boot_s);
/*
 * The sbatch of the key has ended or was given up, and its result is unknown. Writes
 * nothing: only quiet_since_ms changes.
 */
void journal_unheard(struct journal *j, const char *key);
/*
 * Slurm refused the submission: the key is absent again, and stands for nothing. void_id:
 * the number of an earlier job of the key that Slurm has lost, and that clients may still
 * send; the key is SUBMISSION_VOID then, and stands for what it stood for. 0: none.
 */
struct err journal_refused(struct journal *j, const char *key, int64_t void_id);

#endif
