/* SPDX-License-Identifier: Apache-2.0 */
/* The command "libraries": what the program runs with, for those who look for flaws. */
#ifndef CMD_LIBRARIES_H
#define CMD_LIBRARIES_H

#include "base/str.h"

struct options;

/* A line "name version" for each library, as it says itself. The exit status: 0. */
int libraries_command(const struct options *o, struct str *print);

#endif
