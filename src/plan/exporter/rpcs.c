/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks requests to slurmctld by the time that they took. */
#include "plan/exporter/rpcs.h"

#include <stdlib.h>
#include <string.h>

static int by_time(const void *x, const void *y)
{
	const struct exporter_rpc *a = x, *b = y;
	if (a->total_us != b->total_us)
		return a->total_us < b->total_us ? 1 : -1;
	int names = strcmp(a->name, b->name);
	return names ? names : (a->uid > b->uid) - (a->uid < b->uid);
}

size_t exporter_rank_rpcs(struct exporter_rpc *v, size_t n)
{
	if (n <= EXPORTER_RPCS_SHOWN)
		return n;
	qsort(v, n, sizeof(*v), by_time);
	return EXPORTER_RPCS_SHOWN;
}
