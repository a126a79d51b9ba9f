/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of this folder say to each other; for the files of this folder only. */
#ifndef JSON_PARTS_H
#define JSON_PARTS_H

#include "json/json.h"

/* As json_parse, of any size, nested no deeper than that. */
struct err json_parse_to(const char *text, size_t n, size_t most_depth, struct json_doc **out);

#endif
