/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SHA-256 of bytes that arrive in pieces, by OpenSSL. Needs no loop: usable in any
 * thread, but only in one at a time.
 *
 *     sha256_new(&s);
 *     sha256_add(s, "hello", 5);
 *     sha256_end(s, sum);
 *     sha256_free(s);
 */
#ifndef NET_SHA256_H
#define NET_SHA256_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum { SHA256_BYTES = 32 };

struct sha256;

/* ERR_INTERNAL: OpenSSL refuses. */
struct err sha256_new(struct sha256 **out);
/* Adds a piece. sha256_end reports errors of this function. */
void sha256_add(struct sha256 *s, const void *bytes, size_t n);
/* Returns the sum; call it once, after all pieces. ERR_INTERNAL: OpenSSL failed. */
struct err sha256_end(struct sha256 *s, uint8_t out[static SHA256_BYTES]);
void sha256_free(struct sha256 *s); /* accepts NULL */

#endif
