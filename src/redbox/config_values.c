/* SPDX-License-Identifier: Apache-2.0 */
/* Durations in the configuration, and the resources from Slurm's limits and the file. */
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "redbox/config_parts.h"

static const struct {
	const char *unit;
	double seconds;
} units[] = { { "h", 3600 }, { "ms", 1e-3 }, { "m", 60 }, { "s", 1 }, { "us", 1e-6 },
	{ "ns", 1e-9 } };

/* Reads the next part of *at, such as "12.5h", in seconds; below 0: there is none. */
static double one(const char **at)
{
	size_t digits = strspn(*at, "0123456789."), i;
	if (digits == 0 || digits > 15 || strchr("0123456789", **at) == NULL)
		return -1;
	AUTO(own_free) char *number = own_strndup(*at, digits);
	char *end;
	double value = strtod(number, &end);
	if (*end)
		return -1;
	*at += digits;
	for (i = 0; i < LENGTH(units) && !str_has_prefix(*at, units[i].unit); i++)
		;
	if (i == LENGTH(units))
		return -1;
	*at += strlen(units[i].unit);
	return value * units[i].seconds;
}

bool config_duration(const char *text, int64_t *seconds)
{
	double sum = 0;
	if (!*text)
		return false;
	while (*text) {
		double d = one(&text);
		if (d < 0)
			return false;
		sum += d;
	}
	/* Adds half a microsecond before truncation: 0.1 h is 360 s. */
	if (sum > 1e12)
		return false;
	*seconds = (int64_t)(sum + 5e-7);
	return true;
}

static const struct redbox_partition *row_of(const struct redbox_config *c, const char *name)
{
	for (size_t i = 0; i < c->n_partitions; i++)
		if (str_eq(c->partitions[i].name, name))
			return &c->partitions[i];
	return NULL;
}

static int64_t either(bool automatic, int64_t manual, int64_t slurm)
{
	return automatic || manual == 0 ? slurm : manual;
}

struct wlm_resources redbox_config_resources(const struct redbox_config *c,
	const struct slurm_partition_shown *shown)
{
	static const struct redbox_partition none = { 0 };
	const struct redbox_partition *p = row_of(c, shown->name);
	int64_t wall_s = shown->wall_s == SLURM_ABSENT ? 0 : shown->wall_s;
	p = p ? p : &none;
	return (struct wlm_resources){
		.nodes = either(p->auto_nodes, p->nodes, shown->nodes),
		.cpu_per_node = either(p->auto_cpu_per_node, p->cpu_per_node, shown->cpus_per_node),
		.mem_per_node_mb = either(p->auto_mem_per_node, p->mem_per_node_mb,
			shown->memory_per_node_mb),
		.wall_time_s = either(p->auto_wall_time, p->wall_time_s, wall_s),
		.features = p->features,
		.n_features = p->n_features,
	};
}
