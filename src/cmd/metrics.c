/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the rows of all metrics that this program has. */
#include "cmd/metrics.h"

#include "base/metric.h"

int metrics_command(const struct options *o, struct str *print)
{
	(void)o;
	metric_describe(print, METRIC_OF_EACH, METRIC_OF_VIRTUAL_NODE);
	return 0;
}
