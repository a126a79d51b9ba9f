/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The messages of the peer: a prefix of five bytes, then as many bytes as the prefix
 * states.
 */
#ifndef GRPC_INBOX_H
#define GRPC_INBOX_H

#include <stddef.h>
#include <stdint.h>

#include "base/budget.h"
#include "base/str.h"

/* The message that is being received. */
struct inbox {
	uint8_t prefix[5];
	size_t prefix_bytes;  /* of the prefix received so far */
	size_t length, taken; /* of the message; allocated from the quota */
	struct str bytes;
};

enum inbox_fault {
	INBOX_COMPRESSED,
	INBOX_MALFORMED,
	INBOX_TOO_LARGE, /* over the limit of a message */
	INBOX_NO_ROOM,   /* no memory for it now */
	INBOX_FAULTS
};

struct inbox_reader {
	size_t most_bytes; /* of a message */
	struct quota *quota;
	void *call;
	/* Receives a message; the bytes are valid until it returns. */
	void (*message)(void *call, const void *bytes, size_t n);
	/* Called when a message is refused. The inbox is empty; pass it no more bytes. */
	void (*refuse)(void *call, enum inbox_fault fault, const char *text);
};

/* Takes the bytes of one message; returns how many it used, at least one of n. */
size_t inbox_take(struct inbox *in, const struct inbox_reader *r, const uint8_t *bytes, size_t n);
/* Clears the inbox: no more messages are expected. */
void inbox_clear(struct inbox *in, struct quota *quota);

#endif
