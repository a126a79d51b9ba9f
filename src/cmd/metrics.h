/* SPDX-License-Identifier: Apache-2.0 */
/* The command "metrics": the tables of docs/metrics.md, made of the metrics' rows. */
#ifndef CMD_METRICS_H
#define CMD_METRICS_H

#include "base/str.h"

struct options;

/* Metrics of manager, webhook and virtual node; red-box prints its own. Returns 0. */
int metrics_command(const struct options *o, struct str *print);

#endif
