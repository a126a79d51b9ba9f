/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The journal of submissions: what has become of each key, kept over a crash of the
 * process or the machine. A key is in it before sbatch runs, its job before the client
 * hears of it, and later that Slurm will not lose that job any more.
 *
 * One file, STATE/journal: a line for each step, with a checksum, written and synced
 * (fsync) before the function returns; this holds up the loop for as long as the disk
 * needs, so several steps may be written at once. It is written anew (and renamed into
 * place) at the start and when most of its lines are outdated. A last line that is not
 * whole is one that was not synced: it is dropped. A damaged line before it is left out,
 * and the journal no more vouches for what it does not have.
 *
 * Keys stay for JOURNAL_KEEP_S after their last call, by the machine's clock, and
 * JOURNAL_MOST of them at most: beyond, the oldest go earlier, and the journal no more
 * vouches. Neither does it when one goes that Slurm may have lost or was not heard of, or
 * that this process has not known for a week (the clock may have leapt ahead), nor when
 * the clock goes back by an hour: it was ahead, and keys may have gone too early. That a
 * key is closed stays for as long, beside all else that is known of it. The
 * folder is locked: of one process at a time.
 */
#ifndef REDBOX_SUBMIT_JOURNAL_H
#define REDBOX_SUBMIT_JOURNAL_H

#include <stddef.h>

#include "base/err.h"
#include "redbox/submit/submission.h"
#include "net/loop.h"

enum {
	JOURNAL_KEEP_S = SUBMISSION_KEEP_S,
	JOURNAL_AGAIN_S = SUBMISSION_NOTED_S,
	JOURNAL_MOST = 200000,
	JOURNAL_KEY_BYTES = 128, /* the longest key */
};

struct journal;

struct journal_entry {
	enum submission_noted noted;
	int64_t job_id; /* of SUBMISSION_ACCEPTED, SUBMISSION_DONE and SUBMISSION_VOID */
	/*
	 * SUBMISSION_ACCEPTED: when slurmctld had been started, as it last said before it
	 * accepted the job; 0: nobody had asked it
	 */
	int64_t boot_s;
	int64_t wall_s;   /* of the key's last step; closing it is none */
	int64_t since_s;  /* wall: the same, or earlier when its job may have come earlier */
	int64_t closed_s; /* when it was closed last; 0: it is not */
	/*
	 * Monotonic: since when no sbatch of the key is waited for, or its job has been
	 * accepted; our start at the earliest
	 */
	int64_t quiet_since_ms;
};

/*
 * The folder is made when it is missing. ERR_EXISTS: another process has it, and has had
 * it for a second. ERR_DENIED, ERR_INTERNAL: it cannot be read or written.
 */
struct err journal_open(struct loop *l, const char *folder, struct journal **out);
void journal_free(struct journal *j); /* accepts NULL */

#define JOURNAL_KEY_CHARACTERS \
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._:/@+-"
/* 1 to JOURNAL_KEY_BYTES of them */
bool journal_takes_key(const char *key);
struct journal_entry journal_find(const struct journal *j, const char *key);
/* Another key has, or had, a job of that number. Goes through all keys. */
bool journal_has_number(const struct journal *j, int64_t job_id, const char *but_of);
size_t journal_count(const struct journal *j); /* keys that it has */
/* It is whole and goes back JOURNAL_KEEP_S: a key that it does not have is a new one. */
bool journal_vouches(const struct journal *j);
/*
 * Monotonic: since when it has, as far as this process knows, each key that was begun.
 * INT64_MAX: nobody can say.
 */
int64_t journal_whole_ms(const struct journal *j);

/*
 * Each is on the disk when it returns OK. With an error nothing is noted (ERR_RETRY: the
 * disk is full, or fails): journal_begin has not begun, and sbatch must not run.
 */
struct err journal_begin(struct journal *j, const char *const *keys, size_t n);
/*
 * Nothing is to be submitted for these keys any more, whatever is known of them. The same
 * errors: none of them is closed then that was not before.
 */
struct err journal_close(struct journal *j, const char *const *keys, size_t n);
struct journal_job {
	const char *key;
	int64_t job_id;
	int64_t boot_s;  /* as in journal_entry */
	int64_t since_s; /* it has not come before; 0: an sbatch has just given its id */
};
/*
 * Slurm has given each an id, which is known from now on even with an error; only a
 * restart forgets it.
 */
struct err journal_accepted(struct journal *j, const struct journal_job *jobs, size_t n);
/* The same, and Slurm will not lose the job any more. */
struct err journal_done(struct journal *j, const char *key, int64_t job_id);
/*
 * slurmctld says that it was started at boot_s: what this very process accepted
 * SUBMISSION_SAVED_MS ago or longer is done. Gives the number of those that are too young
 * for that. What cannot be written is done all the same, until a restart.
 */
size_t journal_settle(struct journal *j, int64_t boot_s);
/* sbatch has ended, or was given up, and nobody knows what came of it. */
void journal_unheard(struct journal *j, const char *key);
/*
 * Slurm refused it: the key is as if it had never come. void_id: the number of a job that
 * Slurm had lost before, which clients may still have for the key and which counts no
 * more; 0: none.
 */
struct err journal_refused(struct journal *j, const char *key, int64_t void_id);

#endif
