/* SPDX-License-Identifier: Apache-2.0 */
/* The command "metrics": prints the tables of docs/metrics.md from the metrics' rows. */
#ifndef CMD_METRICS_H
#define CMD_METRICS_H

#include "base/str.h"

struct options;

/* Prints metrics of manager, webhook and virtual node; red-box has its own. Returns 0. */
int metrics_command(const struct options *o, struct str *print);

#endif
