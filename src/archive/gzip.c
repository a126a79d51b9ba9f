/* SPDX-License-Identifier: Apache-2.0 */
/* Compresses text with zlib, piece by piece. */
#include "archive/gzip.h"

#include <stdlib.h>
#define ZLIB_CONST
#include <zlib.h>

#include "base/own.h"

enum {
	/* The fastest level; it reduces a page of metrics to an eighth */
	LEVEL = 1,
	WINDOW_OF_GZIP = MAX_WBITS + 16,
	MEMORY_LEVEL = 8,
	PIECE_BYTES = 64 << 10,
};

static voidpf give(voidpf unused, uInt n, uInt bytes)
{
	(void)unused;
	return own_alloc((size_t)n * bytes);
}

static void take(voidpf unused, voidpf memory)
{
	(void)unused;
	free(memory);
}

void gzip_add(struct str *out, const char *text, size_t bytes)
{
	z_stream z = { .zalloc = give, .zfree = take };
	if (deflateInit2(&z, LEVEL, Z_DEFLATED, WINDOW_OF_GZIP, MEMORY_LEVEL, Z_DEFAULT_STRATEGY) !=
		Z_OK)
		abort(); /* the zlib version does not match its header */
	z.next_in = (const Bytef *)text;
	do {
		size_t n = bytes < PIECE_BYTES ? bytes : PIECE_BYTES;
		if (!z.avail_in) {
			z.avail_in = (uInt)n;
			bytes -= n;
		}
		str_reserve(out, PIECE_BYTES);
		z.next_out = (Bytef *)out->text + out->len;
		z.avail_out = PIECE_BYTES;
		deflate(&z, bytes ? Z_NO_FLUSH : Z_FINISH);
		out->len += PIECE_BYTES - z.avail_out;
	} while (bytes || z.avail_in || !z.avail_out);
	out->text[out->len] = '\0';
	deflateEnd(&z);
}
