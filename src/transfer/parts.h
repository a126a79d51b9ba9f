/* SPDX-License-Identifier: Apache-2.0 */
/* Private to this folder: a collector, and the interfaces between its files. */
#ifndef TRANSFER_PARTS_H
#define TRANSFER_PARTS_H

#include "transfer/transfer.h"
#include "transfer/tree.h"
#include "transfer/walk.h"
#include "kube/lines.h"
#include "plan/results/inputs.h"
#include "plan/results/trouble.h"

struct results {
	struct results_config config;
	struct tree *tree; /* NULL when it sends inputs */
	/* The inputs */
	struct walk *walk; /* NULL when it copies results */
	struct walk_file input;
	struct sha256 *sum; /* of the current input */
	/* the next piece to send; its offset is the number of bytes sent */
	struct inputs_piece piece;
	struct http_call *call;
	struct timer *timer;    /* starts the next step */
	struct timer *progress; /* reports progress */
	/* The list */
	FILE *list; /* NULL until it is requested */
	struct lines lines;
	int64_t entries; /* number received */
	int64_t read;    /* number read back from the file */
	bool whole;
	int64_t left_out;
	/* The current file */
	struct arena arena; /* of the entry */
	struct results_entry entry;
	struct part *part; /* NULL when no part is open */
	struct err broken; /* why this side ended a stream */
	bool overran;      /* this side ended a stream because the file has more bytes now */
	int anew;          /* number of attempts at this file after the first */
	/* Received so far */
	int64_t files, bytes, kept; /* kept: files that existed before */
	/* Failures */
	int64_t answered_ms, same_ms;
	int times; /* failed requests in a row */
	char *why; /* the last error; NULL after a success */
	void (*again)(struct results *r);
	void (*next)(struct results *r); /* called when the current file is complete */
};

/* ---- outcome.c ---- */

__attribute__((format(printf, 2, 3))) void results_say(struct results *r, const char *format, ...);
/* Ends the collector. The callback may free r. */
void results_end(struct results *r, int status, const char *sentence);
/* Ends the collector because of an error of the folder. */
void results_fail(struct results *r, struct err e);
/* Records a success: resets the record of failures. */
void results_well(struct results *r);
/*
 * Records a failure. Then calls again() after a pause, or ends the collector. status 0:
 * there is no response, and e is the reason. Otherwise text is the body of the response.
 */
void results_trouble(struct results *r, struct err e, int status, const char *text,
	void (*again)(struct results *r));
/* Calls again() after ms. */
void results_later(struct results *r, int64_t ms, void (*again)(struct results *r));
/* Ends the collector successfully: all files are complete. */
void results_complete(struct results *r);
/*
 * Reports a problem with the current file, and calls how() after a pause, which doubles
 * with each attempt.
 */
void results_again(struct results *r, const char *what, void (*how)(struct results *r));

/* ---- ask.c ---- */

/*
 * Sends GET /results/NAMESPACE/POD, or /prepare/... for inputs, followed by what. Unless
 * what is "", the query names the entry's path. bytes: receives the body of a 200
 * response; NULL: the response is short.
 */
void results_ask(struct results *r, const char *what, int64_t offset,
	bool (*bytes)(void *r, const char *bytes, size_t n), http_done *done);

/* Sends PUT /prepare/NAMESPACE/POD/file with the piece and its bytes. */
void results_put(struct results *r, const char *bytes, http_done *done);

/* ---- list.c ---- */

/* Requests the list, and then processes its first entry. */
void list_get(struct results *r);
/* Processes the next entry, or ends. */
void list_next(struct results *r);

/* ---- copy.c ---- */

/* Copies the entry, which is a file. Then calls next. */
void copy_file(struct results *r);

/* ---- inputs.c ---- */

/* Processes the next input file, or ends. */
void inputs_next(struct results *r);
/* Closes the current input file. */
void inputs_close(struct results *r);

#endif
