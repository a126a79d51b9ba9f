/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queued bytes of a call. The memory of taken bytes is freed at KEPT_BYTES, and when the
 * queue is empty.
 */
#include "grpc/queue.h"

#include <string.h>

enum { KEPT_BYTES = 64 << 10 };

void queue_add(struct queue *q, const void *bytes, size_t n)
{
	if (q->taken >= KEPT_BYTES) {
		memmove(q->bytes.text, q->bytes.text + q->taken, queue_left(q));
		q->bytes.len -= q->taken;
		q->taken = 0;
	}
	if (n)
		str_add_bytes(&q->bytes, bytes, n);
}

void queue_add_message(struct queue *q, const void *bytes, size_t n)
{
	const uint8_t prefix[] = { 0, (uint8_t)(n >> 24), (uint8_t)(n >> 16), (uint8_t)(n >> 8),
		(uint8_t)n };
	queue_add(q, prefix, sizeof(prefix));
	queue_add(q, bytes, n);
}

void queue_drop(struct queue *q, size_t n)
{
	q->taken += n;
	if (queue_left(q))
		return;
	q->taken = 0;
	str_clear(&q->bytes);
	if (q->bytes.cap > KEPT_BYTES)
		str_free(&q->bytes);
}

size_t queue_take(struct queue *q, void *to, size_t most)
{
	size_t n = queue_left(q) < most ? queue_left(q) : most;
	if (n)
		memcpy(to, queue_next(q), n);
	queue_drop(q, n);
	return n;
}

void queue_free(struct queue *q)
{
	str_free(&q->bytes);
	q->taken = 0;
}
