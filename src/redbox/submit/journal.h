/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The journal of submissions: the state of each key (enum submission_noted). It survives
 * a crash of the process or the machine. These lines are written for one submission with
 * a key (enum journal_step in journal_parts.h). A call without a key writes none:
 *
 *   before sbatch runs       BEGIN, and STANDS with the content     journal_begin
 *   sbatch printed the id    ACCEPTED, before the client gets it    journal_accepted
 *   a later call found it    FOUND, before the client gets it       journal_accepted
 *   sbatch was refused, or   REFUSED                                journal_refused
 *   did not reach Slurm
 *   sbatch gave no result    none: the key stays begun              journal_unheard
 *   Slurm cannot lose the    DONE                                   journal_settle,
 *   job any more                                                    journal_done
 *
 * If red-box dies after BEGIN, the next call with the key looks for the job in Slurm
 * (SUBMISSION_BEGUN in submission.h).
 *
 * The journal is one file, STATE/journal. Each step is a line with a checksum, written
 * and synced (fsync) before the function returns. This blocks the loop while the disk
 * works, so several steps may be written at once. The file is rewritten (and renamed into
 * place) at the start and when most of its lines are outdated. An incomplete last line
 * was not synced, and is dropped. A damaged line before it is left out, and the journal
 * stops vouching.
 *
 * A key stays for JOURNAL_KEEP_S after its last call, by the machine's clock. A closed
 * key also keeps its other state, for JOURNAL_KEEP_S after its last step or closing. The
 * content of a key has a line of its own: an older red-box treats only that line as
 * damage.
 *
 * Definition: the journal *vouches* while every key that it does not have is a new key,
 * for which no sbatch has run. A new journal vouches after JOURNAL_KEEP_S. This time
 * starts again when
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
	 * SUBMISSION_ACCEPTED: slurmctld's start time, as last reported before it
	 * accepted the job; 0: not asked before; SUBMISSION_ENDED: the job has ended in
	 * accounting
	 */
	int64_t boot_s;
	int64_t wall_s; /* the time of the key's last step; a closing is no step */
	/* the earliest time at which the key's job can have been submitted */
	int64_t since_s;
	int64_t closed_s; /* the time of the last closing; 0: not closed */
	int64_t content;  /* what the key stands for (content.h); 0: unknown */
	/*
	 * Monotonic: the end of the key's last sbatch, or the acceptance of its job;
	 * never before our start
	 */
	int64_t quiet_since_ms;
};

/*
 * Creates the folder if it is missing. ERR_EXISTS: another process has held the lock for
 * a second. ERR_DENIED, ERR_INTERNAL: the journal cannot be read or written.
 */
struct err journal_open(struct loop *l, const char *folder, struct journal **out);
void journal_free(struct journal *j); /* accepts NULL */

/* Returns SUBMISSION_ABSENT for a key that the journal does not have. */
struct journal_entry journal_find(const struct journal *j, const char *key);
/* True if a key other than but_of has or had a job of that id. Reads all keys. */
bool journal_has_number(const struct journal *j, int64_t job_id, const char *but_of);
size_t journal_count(const struct journal *j); /* number of keys */
/* True if every key that the journal does not have is a new key (see above). */
bool journal_vouches(const struct journal *j);
/*
 * Monotonic: since this time the journal has each key that this red-box began; never
 * before our start. INT64_MAX: unknown.
 */
int64_t journal_whole_ms(const struct journal *j);

struct journal_begun {
	const char *key;
	int64_t content; /* what the key stands for from now on; 0: unknown */
};
/*
 * When it returns OK, the keys are on the disk. With an error nothing is noted
 * (ERR_RETRY: the disk is full or fails): no key has begun, and sbatch must not run.
 */
struct err journal_begin(struct journal *j, const struct journal_begun *begun, size_t n);
/*
 * Closes the keys: no job is submitted for them any more, whatever their state is. Errors
 * are those of journal_begin. After an error a key is closed only if it was before.
 */
struct err journal_close(struct journal *j, const char *const *keys, size_t n);
struct journal_job {
	const char *key;
	int64_t job_id;
	int64_t boot_s;  /* see journal_entry */
	int64_t since_s; /* see journal_entry; 0: an sbatch has just printed the id */
};
/*
 * Notes the ids that Slurm gave. After an error the ids are not on the disk, and are
 * known only until the process ends: on the disk a begun key stays begun.
 */
struct err journal_accepted(struct journal *j, const struct journal_job *jobs, size_t n);
/* Notes a job that Slurm cannot lose any more. Errors are those of journal_accepted. */
struct err journal_done(struct journal *j, const char *key, int64_t job_id);
/*
 * slurmctld reports that it started at boot_s. Notes as done each job that this slurmctld
 * accepted, and that this process noted at least SUBMISSION_SAVED_MS ago. Returns the
 * number of its jobs that are too young. A failed write is logged; then the jobs are done
 * only until a restart.
 */
size_t journal_settle(struct journal *j, int64_t boot_s);
/*
 * The sbatch of the key has ended or was given up, and its result is unknown. Writes
 * nothing: only quiet_since_ms changes.
 */
void journal_unheard(struct journal *j, const char *key);
/*
 * Slurm refused the submission. With void_id 0 the key is absent again, and stands for
 * nothing. Otherwise void_id is the id of an earlier job of the key that Slurm has lost,
 * and that clients may still send: the key is SUBMISSION_VOID, and stands for the same
 * content as before.
 */
struct err journal_refused(struct journal *j, const char *key, int64_t void_id);

#endif
