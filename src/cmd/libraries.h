/* SPDX-License-Identifier: Apache-2.0 */
/* The command "libraries": the versions of all libraries, to look up known flaws. */
#ifndef CMD_LIBRARIES_H
#define CMD_LIBRARIES_H

#include "base/str.h"

struct options;

/* Prints a line "name version" for each library, as it reports itself. Returns 0. */
int libraries_command(const struct options *o, struct str *print);

#endif
