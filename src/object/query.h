/* SPDX-License-Identifier: Apache-2.0 */
/* Text as a part of a URL. */
#ifndef OBJECT_QUERY_H
#define OBJECT_QUERY_H

#include "base/own.h"
#include "base/str.h"

/*
 * Appends "/before/segment", or "/segment" when before is NULL. Escapes the segment, so
 * that it stays one segment.
 */
void query_segment(struct str *out, const char *before, const char *segment);
/* Appends "?name=value", or "&name=value" when there is a query already. */
void query_add(struct str *out, const char *name, const char *value);

#endif
