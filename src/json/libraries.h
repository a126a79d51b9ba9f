/* SPDX-License-Identifier: Apache-2.0 */
/* The libraries of this folder, with their versions at run time. */
#ifndef JSON_LIBRARIES_H
#define JSON_LIBRARIES_H

#include "base/str.h"

/* Adds a line "name version" for each library. */
void json_libraries(struct str *out);

#endif
