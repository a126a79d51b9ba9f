/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the jobs of new keys: one search for all keys that wait, since squeue and sacct
 * cost the same for a thousand. The search starts after the last of them has come, and
 * reads the accounts of the last SUBMISSION_KEEP_S.
 *
 * Definition: the *survey* is the keys of all jobs that the last search saw. It is older
 * than a key that comes now, and does not count for that key in general: the sbatch of a
 * red-box that was killed before us may reach Slurm in between. submission_surveyed says
 * when it counts; then it counts at any age. A lookup never uses it.
 */
#ifndef REDBOX_SUBMIT_KEY_SEARCH_H
#define REDBOX_SUBMIT_KEY_SEARCH_H

#include "base/err.h"
#include "net/loop.h"
#include "slurm/tools/tools.h"

struct key_search;

/* A caller that waits for the jobs of a key; the key stays the caller's. */
struct key_wait {
	const char *key;
	/* Called once, as of slurm_tools_find, but accounts_behind is not set */
	slurm_tools_done *done;
	void *ctx;
	struct key_wait **list, *prev, *next; /* list NULL: it does not wait */
};

/* Both stay the caller's and outlive it. */
struct key_search *key_search_new(struct loop *l, struct slurm_tools *tools);
/* No done is called any more. */
void key_search_free(struct key_search *s);

/* w waits for the next search. */
void key_search_join(struct key_search *s, struct key_wait *w);
/* w waits no more; it may not have waited. */
void key_search_leave(struct key_wait *w);

/*
 * A client connected at client_ms. Two minutes later a search lists all keys of Slurm
 * (the survey), which then counts for new keys of this client: the accounts may be away
 * when these keys come. A search that fails is repeated each minute. whole_ms as of
 * submission_survey.
 */
void key_search_expect(struct key_search *s, int64_t whole_ms, int64_t client_ms);

/*
 * A new key need not be searched for: the last search counts for it. whole_ms and
 * client_ms as of submission_survey. Starts a new search if the last one gets old.
 */
bool key_search_covers(struct key_search *s, const char *key, int64_t whole_ms, int64_t client_ms);

#endif
