/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The collector of one job's results requests the list of results from the virtual node,
 * and copies each file into a folder. In the other direction, the collector of a job's
 * inputs requests the checksum of each file from the virtual node, and sends the files
 * that differ.
 *
 *     struct results *r;
 *     struct err e = results_new(&config, &r);
 *     ...
 *     results_free(r);
 *
 * A collector survives lost connections, and may be killed at any time: the next
 * collector resumes after the bytes that were copied. A file gets its name only when it
 * is complete and its SHA-256 equals that of the source. Memory use does not depend on
 * the size of a file or of the list.
 *
 *     transfer.c   start, end, and retries without an answer
 *     ask.c        its requests to the virtual node
 *     list.c       the list: stored in a nameless file, and read entry by entry
 *     copy.c       one file
 *     inputs.c     one input file; walk.c: the folder of the inputs
 *     tree.c       the folder of the results; part.c: a file that is not complete
 *
 * plan/results decides what to do with a file, and when to stop retrying.
 */
#ifndef TRANSFER_TRANSFER_H
#define TRANSFER_TRANSFER_H

#include "base/err.h"
#include "net/http.h"

struct results;

/* Texts live as long as the collector. */
struct results_config {
	struct loop *loop;
	struct http *http; /* of the virtual node; the caller owns it */
	const char *pod;   /* of the job: "NAMESPACE/NAME" */
	const char *token_file;
	const char *to;   /* folder for results; NULL when from is set */
	const char *from; /* folder of the inputs; NULL when to is set */
	void (*say)(void *ctx, const char *sentence); /* progress, for people */
	/*
	 * Called once, never from within a function of this header. status: one of
	 * plan/results/trouble.h. done may free the collector.
	 */
	void (*done)(void *ctx, int status, const char *sentence);
	void *ctx;
};

/*
 * Starts a collector. Fails when the folder is unusable; ERR_INVALID: a retry cannot
 * help.
 */
struct err results_new(const struct results_config *config, struct results **out);
/* Keeps the parts of files; accepts NULL. */
void results_free(struct results *r);

#endif
