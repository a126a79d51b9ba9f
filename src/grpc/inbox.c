/* SPDX-License-Identifier: Apache-2.0 */
/* Assembles messages from bytes that were split anywhere. */
#include "grpc/inbox.h"

#include <stdio.h>
#include <string.h>

enum {
	PREFIX_BYTES = sizeof(((struct inbox *)0)->prefix),
	/*
	 * Shorter messages do not count, because all of a connection together are small.
	 */
	SMALL_BYTES = 4096,
};

static uint32_t big_endian(const uint8_t bytes[static 4])
{
	return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 |
		bytes[3];
}

static void refuse(struct inbox *in, const struct inbox_reader *r, enum inbox_fault fault,
	const char *text)
{
	inbox_clear(in, r->quota);
	r->refuse(r->call, fault, text);
}

/* Begins the message whose prefix is complete. False: the message was refused. */
static bool begin_message(struct inbox *in, const struct inbox_reader *r)
{
	char text[128];
	in->length = big_endian(in->prefix + 1);
	snprintf(text, sizeof(text), "received message larger than max (%zu vs. %zu)", in->length,
		r->most_bytes);
	if (in->prefix[0] == 1)
		refuse(in, r, INBOX_COMPRESSED, "compressed messages are not supported");
	else if (in->prefix[0] != 0)
		refuse(in, r, INBOX_MALFORMED, "a message begins with a byte other than 0 and 1");
	else if (in->length > r->most_bytes)
		refuse(in, r, INBOX_TOO_LARGE, text);
	else if (in->length <= SMALL_BYTES)
		return true;
	else if (failed(quota_take(r->quota, in->length)))
		refuse(in, r, INBOX_NO_ROOM, "there is no memory for a message of this size now");
	else
		in->taken = in->length;
	return in->taken > 0;
}

/* Passes a message to the callback; the next message may begin before it returns. */
static void deliver(struct inbox *in, const struct inbox_reader *r, const void *bytes)
{
	struct inbox whole = *in;
	memset(in, 0, sizeof(*in));
	r->message(r->call, bytes ? bytes : str_text(&whole.bytes), whole.length);
	str_free(&whole.bytes);
	quota_give(r->quota, whole.taken);
}

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

size_t inbox_take(struct inbox *in, const struct inbox_reader *r, const uint8_t *bytes, size_t n)
{
	size_t used = 0;
	if (in->prefix_bytes < PREFIX_BYTES) {
		used = least(PREFIX_BYTES - in->prefix_bytes, n);
		memcpy(in->prefix + in->prefix_bytes, bytes, used);
		in->prefix_bytes += used;
		if (in->prefix_bytes < PREFIX_BYTES || !begin_message(in, r))
			return used;
	}
	size_t more = least(in->length - in->bytes.len, n - used);
	if (more == in->length) { /* the message is in one piece */
		deliver(in, r, bytes + used);
		return used + more;
	}
	str_add_bytes(&in->bytes, bytes + used, more);
	if (in->bytes.len == in->length)
		deliver(in, r, NULL);
	return used + more;
}

void inbox_clear(struct inbox *in, struct quota *quota)
{
	str_free(&in->bytes);
	quota_give(quota, in->taken);
	memset(in, 0, sizeof(*in));
}
