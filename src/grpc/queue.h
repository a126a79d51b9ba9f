/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes of a call that wait: to be sent, or to be taken. */
#ifndef GRPC_QUEUE_H
#define GRPC_QUEUE_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

struct queue {
	struct str bytes; /* from taken on */
	size_t taken;
};

static inline size_t queue_left(const struct queue *q) { return q->bytes.len - q->taken; }
static inline const uint8_t *queue_next(const struct queue *q)
{
	return (const uint8_t *)str_text(&q->bytes) + q->taken;
}
/* Behind what is there. */
void queue_add(struct queue *q, const void *bytes, size_t n);
/* One message as gRPC sends it: its prefix, then its bytes. */
void queue_add_message(struct queue *q, const void *bytes, size_t n);
/* So many bytes are not needed any more. Large memory goes with the last of them. */
void queue_drop(struct queue *q, size_t n);
/* The next bytes, at most so many, are copied and dropped; how many there were. */
size_t queue_take(struct queue *q, void *to, size_t most);
void queue_free(struct queue *q); /* empties it */

#endif
