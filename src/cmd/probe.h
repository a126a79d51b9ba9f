/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command "probe": asks servers whether they are well. The image has no shell and no
 * other program that could, and "helm test" is to need no other image.
 */
#ifndef CMD_PROBE_H
#define CMD_PROBE_H

#include <stdint.h>

#include "base/str.h"

struct options;

struct probe_config {
	char **urls;     /* NULL-terminated */
	int64_t seconds; /* how long each is asked again when it is not well; 0: 60 */
};

/*
 * Prints a line for each URL. Returns the process's exit status: 0 when each answered
 * with 200. Stops at the first URL that did not in time.
 */
int probe_command(const struct options *o, struct str *print);

#endif
