/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of this folder say to each other; for the files of this folder only. */
#ifndef JSON_PARTS_H
#define JSON_PARTS_H

#include "json/json.h"

/* What the bytes of a text mean, outside of its strings. */
static inline bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
static inline bool opens(char c) { return c == '{' || c == '['; }
static inline bool closes(char c) { return c == '}' || c == ']'; }
/* Behind it a value may begin: there are no more values than these, and the first. */
static inline bool precedes_value(char c) { return c == ',' || c == ':' || opens(c); }
static inline bool ends_value(char c) { return c == ',' || c == ':' || closes(c) || is_space(c); }

/* As json_parse, of any size, nested no deeper than that. */
struct err json_parse_to(const char *text, size_t n, size_t most_depth, struct json_doc **out);

#endif
