/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides whether a collector that got nothing from the virtual node asks again or ends.
 * Pure.
 *
 *     cut, 5xx, 409, 429  asked again, with pauses that grow from 1 s to 30 s
 *     other 4xx           the same; for good, when the sentence stays for a minute
 *     401                 the same, but not for good: a new collector has a new token;
 *                         and 404, where a virtual node does not know the job yet to
 *                         which inputs are brought, or a file has gone since the list
 *     no answer           the same, for five minutes: a new collector is told where the
 *                         virtual node is by then
 *     another key         at once: the virtual node has started anew, or it is none
 */
#ifndef PLAN_RESULTS_TROUBLE_H
#define PLAN_RESULTS_TROUBLE_H

#include <stdbool.h>
#include <stdint.h>

enum {
	RESULTS_DONE = 0,     /* exit status: all is there */
	RESULTS_ANEW = 1,     /* a new collector may have more luck */
	RESULTS_FOR_GOOD = 2, /* none would: a person has to look at it */
};

enum {
	RESULTS_NOTHING_THERE = 204, /* of an input's checksum: there is no such file */
	RESULTS_IT_CHANGES = 409,    /* of a checksum: the file changed meanwhile */
};

/* Times are monotonic. */
struct results_trouble_view {
	int64_t now_ms;
	int status;          /* of the answer; 0: none came */
	bool other_key;      /* the server that answers has another key */
	int64_t same_ms;     /* since when the sentence is the same */
	int64_t answered_ms; /* when an answer came last; at first the beginning */
	int times;           /* in a row that nothing came, with this one */
	bool inputs;         /* false: results */
	bool listed;         /* of a file that the list had: the next list is another one */
};

struct results_trouble_plan {
	int exit;         /* -1: go on */
	int64_t pause_ms; /* until the next try */
};

/* Always a pause, also at the end. */
struct results_trouble_plan results_trouble_plan(const struct results_trouble_view *v);

#endif
