/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the jobs of new keys: one question for all keys that wait, since squeue and sacct
 * cost the same for a thousand. It is asked after the last of them came. What an earlier
 * search saw mostly does not count for a key, although this process has submitted nothing
 * for it: the sbatch of a red-box that was killed before us may come to Slurm in between.
 * submission_surveyed says when it counts.
 */
#ifndef REDBOX_SUBMIT_KEY_SEARCH_H
#define REDBOX_SUBMIT_KEY_SEARCH_H

#include "base/err.h"
#include "net/loop.h"
#include "slurm/tools.h"

struct key_search;

/* One that waits for the jobs of a key; the key stays the caller's. */
struct key_wait {
	const char *key;
	/* Called once, as of slurm_tools_find, but that accounts_behind is not known */
	slurm_tools_done *done;
	void *ctx;
	struct key_wait **list, *prev, *next; /* list NULL: it does not wait */
};

/* Both stay the caller's and outlive it. */
struct key_search *key_search_new(struct loop *l, struct slurm_tools *tools);
/* Nobody waits any more. */
void key_search_free(struct key_search *s);

/* w waits for the next search. */
void key_search_join(struct key_search *s, struct key_wait *w);
/* w waits no more; it may not have waited. */
void key_search_leave(struct key_wait *w);

/*
 * A new key need not be searched for: the last search counts for it. whole_ms and
 * client_ms as of submission_survey. A search that gets old is made anew.
 */
bool key_search_covers(struct key_search *s, const char *key, int64_t whole_ms, int64_t client_ms);

#endif
