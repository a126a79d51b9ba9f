/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Submissions: one sbatch for each key. submission.h decides, the journal stores the
 * state, and submit.c carries out the decisions.
 *
 * A submission that has begun goes on when no call waits for it any more, because its
 * client may call again. decide_submission decides what a second call with a key gets:
 *
 *   while the first is running       the answer of the first, which it joins
 *   later                            the id of the key's job. sbatch runs again only if
 *                                    Slurm refused the job, never got it or has lost it
 *   at any time, with other content  ERR_EXISTS, and nothing is submitted
 *
 * A lookup that joins a submission gets the error that it would get alone. If the journal
 * cannot write an id, the call gets the id anyway, because Slurm has the job with its
 * key.
 */
#ifndef REDBOX_SUBMIT_SUBMIT_H
#define REDBOX_SUBMIT_SUBMIT_H

#include "base/err.h"
#include "net/loop.h"
#include "redbox/submit/journal.h"
#include "slurm/tools/tools.h"

enum {
	/*
	 * Submissions at a time; a client may have half of those that the others leave.
	 * Also lookups and closings at a time, which are not divided among clients
	 */
	SUBMIT_MOST = 2000,
	SUBMIT_SCRIPTS_BYTES = 64 << 20, /* divided among clients in the same way */
	SUBMIT_SCRIPT_BYTES = 4 << 20,   /* guaranteed to each client */
};

struct submitter;
struct submit_wait;

/* Submissions that have not ended, by what they wait for. */
enum submit_waits {
	WAITS_TURN,   /* their turn of the loop */
	WAITS_DISK,   /* the journal */
	WAITS_SBATCH, /* sbatch, or a free place to run it */
	WAITS_SLURM,  /* Slurm's answer about the key */
	SUBMIT_WAITS
};

struct submitter_counts {
	size_t waiting[SUBMIT_WAITS];
	uint64_t turned_away; /* refused since the start, because there were too many */
};

struct submit_told {
	int64_t job_id;
	/*
	 * Only accounting has the job, and it has ended. Another job may have its id now
	 * or soon: use slurm_tools_account for the job, and do not cancel it
	 */
	bool forgotten;
	struct slurm_job_found job; /* set if forgotten; its key is NULL */
};

/*
 * ERR_RETRY: nothing was submitted, or its job will be found. The caller may repeat the
 * call with the same key. ERR_LOST: it is unknown whether Slurm has the job. With a key,
 * the next call finds out. ERR_EXISTS: the call submitted no job, and its repetition will
 * submit none: the fate of the key's job can never be known, the key was closed and has
 * no job, or it stands for other content. ERR_TOO_LARGE: too much at a time. Other errors
 * are those of slurm_tools_submit. told is never NULL.
 */
typedef void submit_done(void *ctx, struct err err, const struct submit_told *told);

/* The caller owns the arguments, which must outlive the submitter. */
struct submitter *submitter_new(struct loop *l, struct slurm_tools *tools, struct journal *journal);
/* No done is called after this; accepts NULL. */
void submitter_free(struct submitter *s);
/* Submissions that have not ended. */
size_t submitter_under_way(const struct submitter *s);
/* Counts submissions that have not ended, without lookups and closings of keys. */
struct submitter_counts submitter_counts(const struct submitter *s);

/* A request of a client to submit a job. */
struct submit_ask {
	/* Copied. slurm_takes_key accepts its key; key NULL: none */
	struct slurm_submission submission;
	int64_t content; /* digest of the request (redbox/jobs/content.h); 0: unknown */
	/* The job id that the client sends, used if the journal lacks the key; 0: none */
	int64_t known_id;
	int64_t since_ms; /* when the client connected to us, by loop_now_ms */
};
/* done is called once, never from within the call, and the handle is freed then. */
struct submit_wait *submitter_submit(struct submitter *s, const struct submit_ask *ask,
	submit_done *done, void *ctx);
/* The error for a job whose id is final, and whose end is unknown (unended) */
#define SUBMISSION_UNENDED "slurmctld does not know it, and accounting shows no end of it"
/*
 * Looks for the job of this key, and submits nothing. ERR_NOT_FOUND: there is none, or
 * Slurm has lost it. ERR_RETRY: not known yet. ERR_EXISTS: it can never be known.
 * ERR_TOO_LARGE: too much at a time. doubt: DOUBT_DISPLACED if submitter_is_displaced is
 * true; DOUBT_UNENDED if unended of submission_facts is.
 */
struct submit_wait *submitter_look(struct submitter *s, const char *key, int64_t known_id,
	enum submission_doubt doubt, submit_done *done, void *ctx);
/*
 * Call this before the end of the key's job is reported. It notes that the job has run,
 * whatever Slurm reports later. Blocks on the disk if the id is not final yet.
 */
void submitter_ended(struct submitter *s, const char *key);
/*
 * Call this when a client that connected at since_ms sends a call. While the journal does
 * not vouch, Slurm is asked two minutes later for all keys that it has. Keys that come
 * after that can be recognized as new, also while slurmdbd is away.
 */
void submitter_meets(struct submitter *s, int64_t since_ms);
/*
 * From now on nothing is submitted for this key, not even by calls that have come before.
 * done gets no job; OK means that the closing is on the disk. An sbatch that was begun
 * before goes on, and submitter_look finds its job. ERR_RETRY, ERR_DENIED: the disk
 * failed; ERR_TOO_LARGE.
 */
struct submit_wait *submitter_close(struct submitter *s, const char *key, submit_done *done,
	void *ctx);
/* done is not called after this; the submission goes on. Accepts NULL. */
void submit_wait_stop(struct submit_wait *w);

/*
 * Returns the journal's entry of the key. This counts as a call with the key, and renews
 * its week. SUBMISSION_ACCEPTED: the job of that id is the key's only if the job also has
 * the key; then call submitter_saw.
 */
struct journal_entry submitter_known(struct submitter *s, const char *key);
/*
 * SUBMISSION_DONE: true if the job that Slurm shows under that id is now another job,
 * because a slurmctld has lost the key's job and given its id again.
 */
bool submitter_is_displaced(const struct submitter *s, const char *key, int64_t job_id,
	const struct slurm_tools_told *shown);
/* Call this when slurmctld has just shown the key's job. */
void submitter_saw(struct submitter *s, const char *key);

#endif
