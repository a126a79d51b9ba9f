/* SPDX-License-Identifier: Apache-2.0 */
/* The libraries of this folder, in the versions that the program runs with. */
#ifndef WLM_LIBRARIES_H
#define WLM_LIBRARIES_H

#include "base/str.h"

/* Adds a line "name version" for each. */
void wlm_libraries(struct str *out);

#endif
