/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Submissions: one sbatch for each key. submission.h says what is promised, the journal
 * remembers, this carries out.
 *
 * A submission that has begun goes on when nobody waits for it any more: its client may
 * come again. Calls with one key at the same time are one submission, and get one answer.
 */
#ifndef REDBOX_SUBMIT_SUBMIT_H
#define REDBOX_SUBMIT_SUBMIT_H

#include "base/err.h"
#include "redbox/submit/journal.h"
#include "net/loop.h"
#include "slurm/tools.h"

enum {
	SUBMIT_MOST = 1000, /* submissions, and questions, at a time */
	SUBMIT_SCRIPTS_BYTES = 64 << 20,
};

struct submitter;
struct submit_wait;

/* What submissions that have not ended wait for. */
enum submit_waits {
	WAITS_TURN,   /* the loop */
	WAITS_DISK,   /* the journal */
	WAITS_SBATCH, /* sbatch, or its turn */
	WAITS_SLURM,  /* an answer about its key */
	SUBMIT_WAITS
};

struct submitter_counts {
	size_t waiting[SUBMIT_WAITS];
	uint64_t turned_away; /* since the start: there were too many */
};

struct submit_told {
	int64_t job_id;
	/*
	 * The accounts alone have it, and it has ended. Its number may be another job's,
	 * now or soon: slurm_tools_account tells of it, and nothing is to be done to it
	 */
	bool forgotten;
	struct slurm_job_found job; /* then; its key is NULL */
};

/*
 * ERR_RETRY: nothing was submitted, or it is found again: the same call may be tried
 * again with the same key. ERR_LOST: nobody knows whether it was; with a key the next
 * call finds out. ERR_EXISTS: nobody can find out any more, the key is lost; or it was
 * closed.
 * ERR_TOO_LARGE: too much at a time. Others as of slurm_tools_submit. told is never NULL.
 */
typedef void submit_done(void *ctx, struct err err, const struct submit_told *told);

/* Both stay the caller's and outlive it. */
struct submitter *submitter_new(struct loop *l, struct slurm_tools *tools, struct journal *journal);
/* Nobody hears of anything any more; accepts NULL. */
void submitter_free(struct submitter *s);
/* Submissions that have not ended. */
size_t submitter_under_way(const struct submitter *s);
/* The same by what they wait for, without mere questions and closings of keys. */
struct submitter_counts submitter_counts(const struct submitter *s);

/*
 * done is called once, never from within the call; the handle is gone then. Of what
 * submission points to, copies are kept. Its key has been looked at
 * (journal_takes_key); NULL: none. known_id: the job that the client has been told for
 * the key; 0: none. It counts where the journal does not have the key. since_ms: when the
 * client came to us, as loop_now_ms.
 */
struct submit_wait *submitter_submit(struct submitter *s, const struct slurm_submission *submission,
	int64_t known_id, int64_t since_ms, submit_done *done, void *ctx);
/* Why nobody knows how a job ended that has a number for good */
#define SUBMISSION_UNENDED "slurmctld does not know it, and by the accounts it has not ended"
/*
 * The job of this key, without submitting anything. ERR_NOT_FOUND: there is none, or
 * Slurm has lost it. ERR_RETRY: nobody knows yet; ERR_EXISTS: nobody can find out any
 * more; ERR_TOO_LARGE: too much at a time. doubt: DOUBT_DISPLACED when
 * submitter_is_displaced says so, DOUBT_UNENDED as submission_facts says of unended.
 */
struct submit_wait *submitter_look(struct submitter *s, const char *key, int64_t known_id,
	enum submission_doubt doubt, submit_done *done, void *ctx);
/*
 * The end of the key's job is about to be told, which is noted first: whatever Slurm says
 * later, and however late a call comes, the job has run. Waits for the disk where the
 * number does not count for good yet.
 */
void submitter_ended(struct submitter *s, const char *key);
/*
 * From now on nothing is submitted for this key, also by calls that have come: done gets
 * no job, and OK when the journal has it on the disk. What was begun before goes on, and
 * submitter_look tells of it. ERR_RETRY, ERR_DENIED: the disk; ERR_TOO_LARGE.
 */
struct submit_wait *submitter_close(struct submitter *s, const char *key, submit_done *done,
	void *ctx);
/* done is not called any more; the submission goes on. Accepts NULL. */
void submit_wait_stop(struct submit_wait *w);

/*
 * What the journal knows of the key, which is a call with it. SUBMISSION_ACCEPTED: only a
 * job of that id that also has the key is the one that is meant; then submitter_saw may
 * be told.
 */
struct journal_entry submitter_known(struct submitter *s, const char *key);
/*
 * Of SUBMISSION_DONE: what Slurm has shown under that id is another job by now. So it is
 * when slurmctld has lost the job, and has given its id again.
 */
bool submitter_is_displaced(const struct submitter *s, const char *key, int64_t job_id,
	const struct slurm_tools_told *shown);
/* Slurm has told of the key's job just now. */
void submitter_saw(struct submitter *s, const char *key);

#endif
