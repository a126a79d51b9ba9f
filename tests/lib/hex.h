/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes as a test writes them down. */
#ifndef TESTS_LIB_HEX_H
#define TESTS_LIB_HEX_H

#include "lib/test.h"

static inline size_t bytes_of(const char *hex, uint8_t out[512])
{
	size_t n = strlen(hex) / 2;
	unsigned byte;
	assert_true(n <= 512);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(sscanf(hex + 2 * i, "%2x", &byte), 1);
		out[i] = (uint8_t)byte;
	}
	return n;
}

static inline void is_hex(const void *bytes, size_t n, const char *hex)
{
	uint8_t wanted[512];
	assert_int_equal(n, bytes_of(hex, wanted));
	assert_memory_equal(bytes, wanted, n);
}

/* Asserts that call adds these bytes, in hex, to the struct str out. */
#define WRITTEN(hex, call)                            \
	do {                                          \
		struct str out = { 0 };               \
		call;                                 \
		is_hex(str_text(&out), out.len, hex); \
		str_free(&out);                       \
	} while (0)

#endif
