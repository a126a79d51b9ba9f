/* SPDX-License-Identifier: Apache-2.0 */
/* The libraries of this folder, in the versions that the program runs with. */
#ifndef JSON_LIBRARIES_H
#define JSON_LIBRARIES_H

#include "base/str.h"

/* Adds a line "name version" for each. */
void json_libraries(struct str *out);

#endif
