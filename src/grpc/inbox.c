/* SPDX-License-Identifier: Apache-2.0 */
/* The messages of a client: a prefix of five bytes, then as many as it says. */
#include <stdio.h>
#include <string.h>

#include "grpc/server_parts.h"

enum {
	PREFIX_BYTES = sizeof(((struct inbox *)0)->prefix),
	/* Shorter ones are not counted: all of a connection together are little. */
	SMALL_BYTES = 4096,
};

static uint32_t big_endian(const uint8_t bytes[static 4])
{
	return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 |
		bytes[3];
}

static void refuse(struct grpc_call *c, enum grpc_status status, const char *text)
{
	inbox_clear(c);
	grpc_finish(c, status, text);
}

/* The prefix is there. False: the call has been finished. */
static bool begin_message(struct grpc_call *c)
{
	struct inbox *in = &c->inbox;
	size_t most = c->connection->server->config.max_message_bytes;
	char text[128];
	in->length = big_endian(in->prefix + 1);
	snprintf(text, sizeof(text), "received message larger than max (%zu vs. %zu)", in->length,
		most);
	if (in->prefix[0] == 1)
		refuse(c, GRPC_UNIMPLEMENTED, "compressed messages are not supported");
	else if (in->prefix[0] != 0)
		refuse(c, GRPC_INTERNAL, "a message begins with a byte other than 0 and 1");
	else if (in->length > most)
		refuse(c, GRPC_RESOURCE_EXHAUSTED, text);
	else if (in->length <= SMALL_BYTES)
		return true;
	else if (failed(purse_take(c->connection->purse, in->length)))
		refuse(c, GRPC_RESOURCE_EXHAUSTED,
			"there is no room for a message of this size now");
	else
		in->taken = in->length;
	return in->taken > 0;
}

/* The next message may begin before the method has returned. */
static void deliver(struct grpc_call *c, const void *bytes)
{
	struct inbox whole = c->inbox;
	memset(&c->inbox, 0, sizeof(c->inbox));
	if (c->method && c->method->message)
		c->method->message(c->connection->server->config.ctx, c,
			bytes ? bytes : str_text(&whole.bytes), whole.length);
	str_free(&whole.bytes);
	purse_give(c->connection->purse, whole.taken);
}

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

size_t inbox_take(struct grpc_call *c, const uint8_t *bytes, size_t n)
{
	struct inbox *in = &c->inbox;
	size_t used = 0;
	if (in->prefix_bytes < PREFIX_BYTES) {
		used = least(PREFIX_BYTES - in->prefix_bytes, n);
		memcpy(in->prefix + in->prefix_bytes, bytes, used);
		in->prefix_bytes += used;
		if (in->prefix_bytes < PREFIX_BYTES || !begin_message(c))
			return used;
	}
	size_t more = least(in->length - in->bytes.len, n - used);
	if (more == in->length) { /* it lies there in one piece */
		deliver(c, bytes + used);
		return used + more;
	}
	str_add_bytes(&in->bytes, bytes + used, more);
	if (in->bytes.len == in->length)
		deliver(c, NULL);
	return used + more;
}

void inbox_clear(struct grpc_call *c)
{
	str_free(&c->inbox.bytes);
	purse_give(c->connection->purse, c->inbox.taken);
	memset(&c->inbox, 0, sizeof(c->inbox));
}
