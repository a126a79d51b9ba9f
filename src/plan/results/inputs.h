/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file of a job's inputs, as it comes to a virtual node: piece by piece, each one a
 * request that says what the whole is. Pure.
 *
 *     path=a/b.txt&offset=0&size=5&mode=416&sha256=HEX        and the bytes
 *
 * The bytes of a file that came are forgotten when red-box, the virtual node or the
 * sender dies: then the file is sent from its beginning.
 */
#ifndef PLAN_RESULTS_INPUTS_H
#define PLAN_RESULTS_INPUTS_H

#include "plan/results/list.h"

enum {
	INPUTS_PIECE_BYTES = 262144,    /* 256 KiB, at most */
	INPUTS_FILE_BYTES = 1073741824, /* 1 GiB, of a file: red-box takes no more */
};

struct inputs_piece {
	int64_t offset, bytes;             /* of this piece */
	int64_t size;                      /* of the file */
	int mode;                          /* rwxrwxrwx */
	uint8_t sha256[RESULTS_SUM_BYTES]; /* of the file */
};

/*
 * get gives the value of a name of the query, NULL when it is absent; bytes: the number
 * that came. ERR_INVALID says what is wrong.
 */
struct err inputs_piece_read(const char *(*get)(const void *ctx, const char *name), const void *ctx,
	size_t bytes, struct inputs_piece *out);
/* Adds "&offset=...". */
void inputs_piece_add(struct str *query, const struct inputs_piece *p);

/*
 * Timeout until a piece is accepted. After the last piece the whole file is read again,
 * compared and written to the disk, which many files at a time may share.
 */
int64_t inputs_piece_ms(const struct inputs_piece *p);

/* State of a file of the same job that is on its way. */
struct inputs_file_view {
	bool there;    /* a file is on its way */
	bool same;     /* it is this one: its path, size and sum */
	bool busy;     /* a piece of it is being taken */
	int64_t taken; /* bytes of it */
};

enum inputs_step {
	INPUTS_BEGIN, /* the first piece: a file that was on its way is dropped */
	INPUTS_TAKE,
	INPUTS_HAD,  /* it came before: the answer was lost */
	INPUTS_ANEW, /* the file is to be sent from its beginning */
};

enum inputs_step inputs_plan(const struct inputs_file_view *v, const struct inputs_piece *p);

#endif
