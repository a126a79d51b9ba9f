/* SPDX-License-Identifier: Apache-2.0 */
/* Queued bytes of a call, to be sent or received. */
#ifndef GRPC_QUEUE_H
#define GRPC_QUEUE_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

struct queue {
	struct str bytes; /* the queued bytes begin at taken */
	size_t taken;
};

static inline size_t queue_left(const struct queue *q) { return q->bytes.len - q->taken; }
static inline const uint8_t *queue_next(const struct queue *q)
{
	return (const uint8_t *)str_text(&q->bytes) + q->taken;
}
/* Appends bytes. */
void queue_add(struct queue *q, const void *bytes, size_t n);
/* Appends a message as gRPC sends it: its prefix, then its bytes. */
void queue_add_message(struct queue *q, const void *bytes, size_t n);
/* Drops the first n bytes. A large buffer is freed with its last byte. */
void queue_drop(struct queue *q, size_t n);
/* Copies and drops the next bytes, at most "most"; returns how many. */
size_t queue_take(struct queue *q, void *to, size_t most);
void queue_free(struct queue *q); /* empties the queue */

#endif
