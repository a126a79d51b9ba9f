/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command "probe": checks whether servers answer. The image has no shell and no other
 * program for it, and "helm test" must not need another image.
 */
#ifndef CMD_PROBE_H
#define CMD_PROBE_H

#include <stdint.h>

#include "base/str.h"

struct options;

struct probe_config {
	char **urls;     /* NULL-terminated */
	int64_t seconds; /* time for retries of each URL; 0: 60 */
};

/*
 * Prints a line for each URL. Returns the process's exit status: 0 if each answered with
 * 200. Stops at the first URL that does not answer with 200 in time.
 */
int probe_command(const struct options *o, struct str *print);

#endif
