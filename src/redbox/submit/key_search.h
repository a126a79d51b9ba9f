/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the jobs of new keys. All keys that wait share one search, since squeue and sacct
 * cost the same for a thousand keys. The search starts after the last of these keys has
 * come, and reads the accounting records of the last SUBMISSION_KEEP_S.
 *
 * Definition: the *survey* is the set of keys of all jobs that the last search saw. For a
 * key that comes after the search, the survey proves little: the sbatch of a killed
 * red-box may have reached Slurm after the search. submission_surveyed decides when the
 * survey counts for a key; then its age does not matter. A lookup never uses the survey.
 */
#ifndef REDBOX_SUBMIT_KEY_SEARCH_H
#define REDBOX_SUBMIT_KEY_SEARCH_H

#include "base/err.h"
#include "net/loop.h"
#include "slurm/tools/tools.h"

struct key_search;

/* A caller that waits for the jobs of a key. The caller owns the key. */
struct key_wait {
	const char *key;
	/* Called once, like the done of slurm_tools_find; accounts_behind is not set */
	slurm_tools_done *done;
	void *ctx;
	struct key_wait **list, *prev, *next; /* list NULL: it is not waiting */
};

/* The caller owns loop and tools, which must outlive the search. */
struct key_search *key_search_new(struct loop *l, struct slurm_tools *tools);
/* Frees it; no done is called after this. */
void key_search_free(struct key_search *s);

/* Adds w to the next search. */
void key_search_join(struct key_search *s, struct key_wait *w);
/* Removes w, which may not be waiting. */
void key_search_leave(struct key_wait *w);

/*
 * A client connected at client_ms. Two minutes later a search lists all keys of Slurm.
 * This survey counts for new keys of the client, also if accounting is away when they
 * come. A search that fails is repeated each minute. whole_ms: see submission_survey.
 */
void key_search_expect(struct key_search *s, int64_t whole_ms, int64_t client_ms);

/*
 * True if the survey counts for a new key, so that no search is needed. Starts a new
 * search if the survey gets old. whole_ms, client_ms: see submission_survey.
 */
bool key_search_covers(struct key_search *s, const char *key, int64_t whole_ms, int64_t client_ms);

#endif
