/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compresses text with gzip (RFC 1952). The only user of zlib.
 *
 * A gzip reader treats consecutive members as one text. So a long text can be compressed
 * once, and followed by a short text that is compressed for each request.
 */
#ifndef ARCHIVE_GZIP_H
#define ARCHIVE_GZIP_H

#include "base/str.h"

/* Adds a member with the text to out. Takes some 10 ms for each MB. */
void gzip_add(struct str *out, const char *text, size_t bytes);

#endif
