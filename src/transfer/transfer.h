/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The collector of one job's results: asks the virtual node for their list, and copies
 * each file into a folder. In the other direction, the collector of a job's inputs asks
 * for the checksum of each file that the virtual node has, and sends the files that
 * differ.
 *
 *     struct results *r;
 *     struct err e = results_new(&config, &r);
 *     ...
 *     results_free(r);
 *
 * It survives lost connections, and may be killed at any time: the next collector resumes
 * behind the bytes that were copied. A file has its name only when all its bytes are
 * there and their SHA-256 is that of the source. Little is kept in memory, however large
 * a file and however long the list.
 *
 *     transfer.c   start, end, and retries without an answer
 *     ask.c        its calls of the virtual node
 *     list.c       the list: kept in a file without a name, and read entry by entry
 *     copy.c       one file
 *     inputs.c     one file of the inputs; walk.c: their folder
 *     tree.c       the folder; part.c: a file that is not whole yet
 *
 * plan/results says what is to be done with a file, and when asking is of no use.
 */
#ifndef TRANSFER_TRANSFER_H
#define TRANSFER_TRANSFER_H

#include "base/err.h"
#include "net/http.h"

struct results;

/* Texts live as long as the collector. */
struct results_config {
	struct loop *loop;
	struct http *http; /* of the virtual node; stays the caller's */
	const char *pod;   /* of the job: "NAMESPACE/NAME" */
	const char *token_file;
	const char *to;   /* results come into this folder; NULL: from */
	const char *from; /* the inputs are what is in this one; NULL: to */
	void (*say)(void *ctx, const char *sentence); /* what becomes of it, for people */
	/*
	 * Called once, never from within a function of this header. status: as
	 * plan/results/trouble.h has them. done may free the collector.
	 */
	void (*done)(void *ctx, int status, const char *sentence);
	void *ctx;
};

/* Begins at once. An error: the folder cannot be used; ERR_INVALID: by no collector. */
struct err results_new(const struct results_config *config, struct results **out);
/* Parts stay; accepts NULL. */
void results_free(struct results *r);

#endif
