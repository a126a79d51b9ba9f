/* SPDX-License-Identifier: Apache-2.0 */
/* The libraries that this folder uses, in the versions that are loaded. */
#ifndef WLM_LIBRARIES_H
#define WLM_LIBRARIES_H

#include "base/str.h"

/* Appends a line "name version" for each library. */
void wlm_libraries(struct str *out);

#endif
