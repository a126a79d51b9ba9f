/* SPDX-License-Identifier: Apache-2.0 */
/* The libraries of this folder, in the versions that the program runs with. */
#ifndef NET_LIBRARIES_H
#define NET_LIBRARIES_H

#include "base/str.h"

/* Adds a line "name version" for each, also for libcurl's own libraries. */
void net_libraries(struct str *out);

#endif
