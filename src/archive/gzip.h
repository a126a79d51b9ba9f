/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text as gzip (RFC 1952). The only user of zlib.
 *
 * Members that follow each other are one text for every reader of gzip: a long text can
 * be packed once, and a short one behind it again and again.
 */
#ifndef ARCHIVE_GZIP_H
#define ARCHIVE_GZIP_H

#include "base/str.h"

/* Adds a member with the text to out. Takes some 10 ms for each MB. */
void gzip_add(struct str *out, const char *text, size_t bytes);

#endif
