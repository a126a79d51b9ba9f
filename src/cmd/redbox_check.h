/* SPDX-License-Identifier: Apache-2.0 */
/*
 * "red-box check": checks everything that red-box needs, and changes nothing. If it runs
 * as root, it first becomes the account of the red-box that answers.
 */
#ifndef CMD_REDBOX_CHECK_H
#define CMD_REDBOX_CHECK_H

#include "cmd/redbox_options.h"

/*
 * Prints the report. Returns the process's exit status: 0 if all checks pass, else 1. If
 * a file system hangs, it does not return but ends the process with this status.
 */
int redbox_check(const struct redbox_options *o);

#endif
