/* SPDX-License-Identifier: Apache-2.0 */
/* Which libraries of this folder the program runs with. */
#ifndef JSON_LIBRARIES_H
#define JSON_LIBRARIES_H

#include "base/str.h"

/* Adds a line "name version" for each. */
void json_libraries(struct str *out);

#endif
