/* SPDX-License-Identifier: Apache-2.0 */
/* Options of the health and metrics endpoints, for option_rows.c. */
#ifndef CMD_ENDPOINT_OPTIONS_H
#define CMD_ENDPOINT_OPTIONS_H

#include "cmd/options.h"

/* Each function sets the value of its row. */
struct err endpoint_set_probe(struct options *o, char *value);
struct err endpoint_set_metrics(struct options *o, char *value);
struct err endpoint_set_metrics_cert(struct options *o, char *value);
struct err endpoint_set_measured(struct options *o, char *value);

#endif
