/* SPDX-License-Identifier: Apache-2.0 */
/*
 * "red-box check": checks everything that red-box would use. The command changes nothing
 * but its own user: as root it becomes the account of the red-box that answers.
 */
#ifndef CMD_REDBOX_CHECK_H
#define CMD_REDBOX_CHECK_H

#include "cmd/redbox_options.h"

/*
 * Prints the report. Returns the process's exit status: 0 when all is well, else 1. Where
 * a file system hangs it does not return: the process ends with that status.
 */
int redbox_check(const struct redbox_options *o);

#endif
