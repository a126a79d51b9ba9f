/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file of a job's inputs, as a virtual node receives it: in pieces. Each piece is a
 * request that also describes the whole file. Pure.
 *
 *     path=a/b.txt&offset=0&size=5&mode=416&sha256=HEX        and the bytes
 *
 * The received bytes of a file are lost when red-box, the virtual node or the sender
 * dies. Then the file is sent from its beginning.
 */
#ifndef PLAN_RESULTS_INPUTS_H
#define PLAN_RESULTS_INPUTS_H

#include "plan/results/list.h"

enum {
	INPUTS_PIECE_BYTES = 262144,    /* 256 KiB, at most */
	INPUTS_FILE_BYTES = 1073741824, /* 1 GiB: the limit of red-box for a file */
};

struct inputs_piece {
	int64_t offset, bytes;             /* of this piece */
	int64_t size;                      /* of the file */
	int mode;                          /* rwxrwxrwx */
	uint8_t sha256[RESULTS_SUM_BYTES]; /* of the file */
};

/*
 * get returns the value of a name in the query, NULL if it is absent. bytes: number of
 * bytes that were received. ERR_INVALID says what is wrong.
 */
struct err inputs_piece_read(const char *(*get)(const void *ctx, const char *name), const void *ctx,
	size_t bytes, struct inputs_piece *out);
/* Adds "&offset=...". */
void inputs_piece_add(struct str *query, const struct inputs_piece *p);

/*
 * Timeout for a piece. After the last piece the whole file is read again, compared and
 * written to the disk, which many files may share.
 */
int64_t inputs_piece_ms(const struct inputs_piece *p);

/* State of a file of the same job that is being received. */
struct inputs_file_view {
	bool there;    /* a file is being received */
	bool same;     /* it is this file: its path, size and sum */
	bool busy;     /* one of its pieces is being written */
	int64_t taken; /* number of its bytes so far */
};

enum inputs_step {
	INPUTS_BEGIN, /* the first piece: a file that is being received is dropped */
	INPUTS_TAKE,
	INPUTS_HAD,  /* the piece was received before, and the answer was lost */
	INPUTS_ANEW, /* the file is to be sent from its beginning */
};

enum inputs_step inputs_plan(const struct inputs_file_view *v, const struct inputs_piece *p);

#endif
