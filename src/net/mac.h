/* SPDX-License-Identifier: Apache-2.0 */
/* A message authentication code: HMAC with SHA-256 (RFC 2104), by GnuTLS. */
#ifndef NET_MAC_H
#define NET_MAC_H

#include <stddef.h>

#include "base/err.h"

enum { MAC_SHA256_BYTES = 32 };

/* ERR_INTERNAL with the library's message when it refuses, for instance in FIPS mode. */
struct err mac_sha256(const void *key, size_t key_bytes, const void *text, size_t text_bytes,
	unsigned char out[static MAC_SHA256_BYTES]);

#endif
