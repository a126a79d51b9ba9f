/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts YAML to JSON. The only user of libyaml. Duplicate keys, recursive aliases,
 * alias bombs and nesting over JSON_MAX_DEPTH are refused with the line.
 */
#ifndef JSON_YAML_H
#define JSON_YAML_H

#include "json/json.h"

enum { YAML_MAX_VALUES = 100000 };

/*
 * Converts the first document of the text. Plain scalars are null, ~, true, false,
 * integers and floats as in YAML 1.2; everything else is a string.
 */
struct err yaml_to_json(const char *text, size_t n, struct json_doc **out);

/*
 * Returns the line, from 1, of the key at a path of keys ("partitions", "debug"; an item
 * of a list is "0", "1", ...), for error messages about a text that yaml_to_json
 * accepted. When a key of the path is missing, the line is that of the last key before
 * it.
 */
size_t yaml_line(const char *text, size_t n, const char *const *path, size_t keys);

#endif
