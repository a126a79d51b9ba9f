/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations shared by the files of this folder; private to it. */
#ifndef JSON_PARTS_H
#define JSON_PARTS_H

#include "json/json.h"

/* Classes of bytes outside of strings. */
static inline bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
static inline bool opens(char c) { return c == '{' || c == '['; }
static inline bool closes(char c) { return c == '}' || c == ']'; }
/*
 * Whether a value may follow this byte. A text has at most one value more than such
 * bytes.
 */
static inline bool precedes_value(char c) { return c == ',' || c == ':' || opens(c); }
static inline bool ends_value(char c) { return c == ',' || c == ':' || closes(c) || is_space(c); }

/* json_parse without a size limit, nested no deeper than most_depth. */
struct err json_parse_to(const char *text, size_t n, size_t most_depth, struct json_doc **out);

#endif
