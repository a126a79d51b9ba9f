/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Submissions: one sbatch for each key. submission.h decides, the journal remembers, this
 * carries out.
 *
 * A submission that has begun goes on when no call waits for it any more: its client may
 * come again. decide_submission says what a second call with a key gets:
 *
 *   while the first is under way     the answer of the first, which it joins
 *   later                            the id of the key's job. sbatch runs again only if
 *                                    Slurm refused the job, never got it or has lost it
 *   at any time, with other content  ERR_EXISTS, and nothing is submitted
 *
 * A lookup that joins a submission gets the error that it would get alone. An id that the
 * journal could not write is answered all the same: Slurm has the job with its key.
 */
#ifndef REDBOX_SUBMIT_SUBMIT_H
#define REDBOX_SUBMIT_SUBMIT_H

#include "base/err.h"
#include "net/loop.h"
#include "redbox/submit/journal.h"
#include "slurm/tools/tools.h"

enum {
	/*
	 * Submissions at a time, of which a client has half of what the others leave; and
	 * likewise, as many questions
	 */
	SUBMIT_MOST = 2000,
	SUBMIT_SCRIPTS_BYTES = 64 << 20, /* shared likewise */
	SUBMIT_SCRIPT_BYTES = 4 << 20,   /* which a client has in any case */
};

struct submitter;
struct submit_wait;

/* Submissions that have not ended, by what they wait for. */
enum submit_waits {
	WAITS_TURN,   /* the loop */
	WAITS_DISK,   /* the journal */
	WAITS_SBATCH, /* sbatch, or its turn */
	WAITS_SLURM,  /* an answer about its key */
	SUBMIT_WAITS
};

struct submitter_counts {
	size_t waiting[SUBMIT_WAITS];
	uint64_t turned_away; /* refused since the start, because there were too many */
};

struct submit_told {
	int64_t job_id;
	/*
	 * The accounts alone have the job, and it has ended. Its number may be another
	 * job's, now or soon: use slurm_tools_account for it, and do not cancel it
	 */
	bool forgotten;
	struct slurm_job_found job; /* if forgotten; its key is NULL */
};

/*
 * ERR_RETRY: nothing was submitted, or its job will be found: the same call may be tried
 * again with the same key. ERR_LOST: it is unknown whether Slurm has the job; with a key
 * the next call finds out. ERR_EXISTS: the call made no job, and its repetition makes
 * none. The fate of the key's job can never be known any more, the key was closed and has
 * no job, or it stands for other content. ERR_TOO_LARGE: too much at a time. Others as of
 * slurm_tools_submit. told is never NULL.
 */
typedef void submit_done(void *ctx, struct err err, const struct submit_told *told);

/* Both stay the caller's and outlive it. */
struct submitter *submitter_new(struct loop *l, struct slurm_tools *tools, struct journal *journal);
/* No done is called any more; accepts NULL. */
void submitter_free(struct submitter *s);
/* Submissions that have not ended. */
size_t submitter_under_way(const struct submitter *s);
/* Counts submissions that have not ended; lookups and closings of keys are none. */
struct submitter_counts submitter_counts(const struct submitter *s);

/* A request of a client to submit a job. */
struct submit_ask {
	/* Copied. Its key has passed slurm_takes_key; NULL: none */
	struct slurm_submission submission;
	int64_t content; /* its digest (redbox/jobs/content.h); 0: unknown */
	/* The id that the client has, used if the journal lacks the key; 0: none */
	int64_t known_id;
	int64_t since_ms; /* when the client connected to us, as loop_now_ms */
};
/* done is called once, never from within the call; the handle is gone then. */
struct submit_wait *submitter_submit(struct submitter *s, const struct submit_ask *ask,
	submit_done *done, void *ctx);
/* The error for a job whose id counts for good, and whose end is unknown (unended) */
#define SUBMISSION_UNENDED "slurmctld does not know it, and the accounts have no end of it"
/*
 * Looks for the job of this key; submits nothing. ERR_NOT_FOUND: there is none, or Slurm
 * has lost it. ERR_RETRY: not known yet. ERR_EXISTS: it can never be known any more.
 * ERR_TOO_LARGE: too much at a time. doubt: DOUBT_DISPLACED if submitter_is_displaced,
 * DOUBT_UNENDED as unended of submission_facts.
 */
struct submit_wait *submitter_look(struct submitter *s, const char *key, int64_t known_id,
	enum submission_doubt doubt, submit_done *done, void *ctx);
/*
 * Call this before the end of the key's job is reported: it notes that the job has run,
 * whatever Slurm says later. Blocks on the disk if the number does not count for good
 * yet.
 */
void submitter_ended(struct submitter *s, const char *key);
/*
 * A client that connected at since_ms speaks. While the journal does not vouch, Slurm is
 * asked two minutes later which keys it has: those that come afterwards can be known to
 * be new, also while slurmdbd is away.
 */
void submitter_meets(struct submitter *s, int64_t since_ms);
/*
 * From now on nothing is submitted for this key, also by calls that have come: done gets
 * no job, and OK when the closing is on the disk. An sbatch that was begun before goes
 * on, and submitter_look finds its job. ERR_RETRY, ERR_DENIED: the disk; ERR_TOO_LARGE.
 */
struct submit_wait *submitter_close(struct submitter *s, const char *key, submit_done *done,
	void *ctx);
/* done is not called any more; the submission goes on. Accepts NULL. */
void submit_wait_stop(struct submit_wait *w);

/*
 * The journal's entry of the key. This counts as a call with the key, and renews its
 * week. SUBMISSION_ACCEPTED: a job of that id is the key's only if it also has the key;
 * then call submitter_saw.
 */
struct journal_entry submitter_known(struct submitter *s, const char *key);
/*
 * SUBMISSION_DONE: the job that Slurm shows under that id is another one by now, because
 * a slurmctld has lost the key's job and has given its id again.
 */
bool submitter_is_displaced(const struct submitter *s, const char *key, int64_t job_id,
	const struct slurm_tools_told *shown);
/* slurmctld has just shown the key's job. */
void submitter_saw(struct submitter *s, const char *key);

#endif
