/* SPDX-License-Identifier: Apache-2.0 */
/* The messages of the other side: a prefix of five bytes, then as many as it says. */
#ifndef GRPC_INBOX_H
#define GRPC_INBOX_H

#include <stddef.h>
#include <stdint.h>

#include "base/budget.h"
#include "base/str.h"

/* The message that is coming. */
struct inbox {
	uint8_t prefix[5];
	size_t prefix_bytes;  /* that are there */
	size_t length, taken; /* of the message; from the purse */
	struct str bytes;
};

enum inbox_fault {
	INBOX_COMPRESSED,
	INBOX_MALFORMED,
	INBOX_TOO_LARGE, /* larger than a message may be */
	INBOX_NO_ROOM,   /* too large for now */
	INBOX_FAULTS
};

struct inbox_reader {
	size_t most_bytes; /* of a message */
	struct purse *purse;
	void *call;
	/* The bytes are there until it returns. */
	void (*message)(void *call, const void *bytes, size_t n);
	/* The inbox is empty, and nothing more is to be given to it. */
	void (*refuse)(void *call, enum inbox_fault fault, const char *text);
};

/* Takes what belongs to one message; the bytes used, at least one of n. */
size_t inbox_take(struct inbox *in, const struct inbox_reader *r, const uint8_t *bytes, size_t n);
/* No message is to come any more. */
void inbox_clear(struct inbox *in, struct purse *purse);

#endif
