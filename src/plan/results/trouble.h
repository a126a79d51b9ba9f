/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides whether a collector repeats a request that failed, or ends. Pure.
 *
 *   cut, 5xx,      repeated, with pauses that grow from 1 s to 30 s
 *   408, 409, 429
 *   other 4xx      repeated likewise; ends for good if the sentence is the same for a
 *                  minute
 *   401            as other 4xx, but then a new collector starts, with a new token
 *   404            as 401 for inputs, because the virtual node may not know the job yet,
 *                  and for a listed file, which may be gone
 *   no answer      repeated for five minutes; then a new collector starts, which gets the
 *                  present address of the virtual node
 *   another key    ends at once: the virtual node was restarted, or it is another server
 */
#ifndef PLAN_RESULTS_TROUBLE_H
#define PLAN_RESULTS_TROUBLE_H

#include <stdbool.h>
#include <stdint.h>

enum {
	RESULTS_DONE = 0,     /* exit status: everything is copied */
	RESULTS_ANEW = 1,     /* a new collector may succeed */
	RESULTS_FOR_GOOD = 2, /* a new collector would fail, too: a user has to act */
};

enum {
	RESULTS_NOTHING_THERE = 204, /* for the checksum of an input: there is no such file */
	RESULTS_IT_CHANGES = 409,    /* for a checksum: the file changed meanwhile */
};

/* Times are monotonic. */
struct results_trouble_view {
	int64_t now_ms;
	int status;          /* of the answer; 0: no answer */
	bool other_key;      /* the server that answers has another key */
	int64_t same_ms;     /* time since which the sentence is the same */
	int64_t answered_ms; /* time of the last answer; at first, of the start */
	int times;           /* number of failures in a row, with this one */
	bool inputs;         /* false: results */
	bool listed;         /* the request is for a listed file: a new list may not have it */
};

struct results_trouble_plan {
	int exit;         /* exit status; -1: try again */
	int64_t pause_ms; /* until the next attempt */
};

/* pause_ms is set in any case, also with an exit status. */
struct results_trouble_plan results_trouble_plan(const struct results_trouble_view *v);

#endif
