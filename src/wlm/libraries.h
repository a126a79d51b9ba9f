/* SPDX-License-Identifier: Apache-2.0 */
/* Which libraries of this folder the program runs with. */
#ifndef WLM_LIBRARIES_H
#define WLM_LIBRARIES_H

#include "base/str.h"

/* Adds a line "name version" for each. */
void wlm_libraries(struct str *out);

#endif
