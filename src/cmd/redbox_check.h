/* SPDX-License-Identifier: Apache-2.0 */
/*
 * "red-box check": whether what red-box would use is well. It changes nothing but its own
 * user: as root it becomes the account of the red-box that answers.
 */
#ifndef CMD_REDBOX_CHECK_H
#define CMD_REDBOX_CHECK_H

#include "cmd/redbox_options.h"

/*
 * Prints the report. The process's exit status: 0 when all is well, else 1. It does not
 * return where a file system hangs: the process ends with that status.
 */
int redbox_check(const struct redbox_options *o);

#endif
