/* SPDX-License-Identifier: Apache-2.0 */
/* The head of an HTTP/1 answer, as it comes. Pure: bytes in, numbers out. */
#ifndef NET_HTTP_HEAD_H
#define NET_HTTP_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

struct http_head {
	struct str text; /* what has come of it; str_free is the caller's */
	bool whole;      /* the numbers below count */
	int status;
	int64_t body_bytes;     /* that follow; -1: until the connection ends */
	int64_t retry_after_ms; /* -1: not told */
};

/*
 * Takes the next bytes; *used of them belong to the head, all of them until it is whole.
 * ERR_INVALID: this is no HTTP, or a body that comes in chunks, which nobody asked for.
 */
struct err http_head_take(struct http_head *h, const char *bytes, size_t n, size_t *used);

#endif
