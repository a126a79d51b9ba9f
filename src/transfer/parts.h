/* SPDX-License-Identifier: Apache-2.0 */
/* Private to this folder: a collector, and what its files say to each other. */
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
	struct tree *tree; /* NULL: it brings inputs */
	/* The inputs */
	struct walk *walk; /* NULL: it copies results */
	struct walk_file input;
	struct sha256 *sum;        /* of the input under way */
	struct inputs_piece piece; /* that is sent next; its offset: so much is sent */
	struct http_call *call;
	struct timer *timer;    /* to go on */
	struct timer *progress; /* to say how far it is */
	/* The list */
	FILE *list; /* NULL: it is not there yet */
	struct lines lines;
	int64_t entries; /* of it that came */
	int64_t read;    /* of them, from the file */
	bool whole;
	int64_t left_out;
	/* The file under way */
	struct arena arena; /* of the entry */
	struct results_entry entry;
	struct part *part; /* NULL: none is open */
	struct err broken; /* why a stream was ended here */
	bool overran;      /* so did one of a file that has more bytes by now */
	int anew;          /* so often the file was begun anew */
	/* Received so far */
	int64_t files, bytes, kept; /* kept: files that were there already */
	/* Trouble */
	int64_t answered_ms, same_ms;
	int times; /* in a row that nothing came */
	char *why; /* the last sentence; NULL: all is well */
	void (*again)(struct results *r);
	void (*next)(struct results *r); /* when the file under way is there */
};

/* ---- outcome.c ---- */

__attribute__((format(printf, 2, 3))) void results_say(struct results *r, const char *format, ...);
/* The end; r may be gone afterwards. */
void results_end(struct results *r, int status, const char *sentence);
/* Ends the collector with an error of the folder. */
void results_fail(struct results *r, struct err e);
/* Something came: what was wrong before is over. */
void results_well(struct results *r);
/*
 * Nothing came: again is called after a pause, or it ends. status 0: no answer, and e
 * says why; otherwise text is what the answer says.
 */
void results_trouble(struct results *r, struct err e, int status, const char *text,
	void (*again)(struct results *r));
/* Calls again after ms. */
void results_later(struct results *r, int64_t ms, void (*again)(struct results *r));
/* All files are there. */
void results_complete(struct results *r);
/*
 * Notes the fault of the file under way, and calls how later; each time a little later.
 */
void results_again(struct results *r, const char *what, void (*how)(struct results *r));

/* ---- ask.c ---- */

/*
 * GET /results/NAMESPACE/POD, then what, of the entry's path if it is not NULL. bytes:
 * called with what comes of a 200 answer; NULL: the answer is short.
 */
void results_ask(struct results *r, const char *what, int64_t offset,
	bool (*bytes)(void *r, const char *bytes, size_t n), http_done *done);

/* PUT /prepare/NAMESPACE/POD/file: the piece, with these bytes. */
void results_put(struct results *r, const char *bytes, http_done *done);

/* ---- list.c ---- */

/* Asks for it, and begins with its first entry. */
void list_get(struct results *r);
/* Takes up the next entry, or ends. */
void list_next(struct results *r);

/* ---- copy.c ---- */

/* The entry is a file. Goes on with next. */
void copy_file(struct results *r);

/* ---- inputs.c ---- */

/* Takes up the next file of the inputs, or ends. */
void inputs_next(struct results *r);
/* Closes the file that it has open. */
void inputs_close(struct results *r);

#endif
