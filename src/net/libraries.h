/* SPDX-License-Identifier: Apache-2.0 */
/* Which libraries of this folder the program runs with. */
#ifndef NET_LIBRARIES_H
#define NET_LIBRARIES_H

#include "base/str.h"

/* Adds a line "name version" for each, those of libcurl's own libraries too. */
void net_libraries(struct str *out);

#endif
