/* SPDX-License-Identifier: Apache-2.0 */
/* Reads numbers in the lists of slurmrestd (24.11.5 and 26.05.5). */
#include "slurm/rest/counted.h"

#include <string.h>

#include "base/own.h"
#include "base/str.h"
#include "slurm/rest/parts.h"

static const char *text_of(const struct json *v, const char *key)
{
	return json_str(json_get(v, key), "");
}

static int64_t count_at(const struct json *v, const char *key)
{
	return answer_count(json_get(v, key));
}

/* The sum; INT64_MAX on overflow. */
static int64_t sum(int64_t a, int64_t b)
{
	int64_t all;
	return __builtin_add_overflow(a, b, &all) ? INT64_MAX : all;
}

/* ---- nodes ---- */

struct err slurm_count_node(const struct json *node, struct slurm_node_counted *out)
{
	const struct json *partitions = json_get(node, "partitions");
	*out = (struct slurm_node_counted){
		.name = text_of(node, "name"),
		.state = answer_bits(json_get(node, "state"), node_state_bit),
		.partitions = json_is_arr(partitions) ? partitions : NULL,
		.cpus = count_at(node, "cpus"),
		.cpus_effective = count_at(node, "effective_cpus"),
		.cpus_alloc = count_at(node, "alloc_cpus"),
		.cpus_idle = count_at(node, "alloc_idle_cpus"),
		.memory = count_at(node, "real_memory"),
		.memory_special = count_at(node, "specialized_memory"),
		.memory_alloc = count_at(node, "alloc_memory"),
		.memory_free = answer_number(json_get(node, "free_mem")),
		.gres = text_of(node, "gres"),
		.gres_used = text_of(node, "gres_used"),
	};
	return *out->name ? OK : err_new(ERR_INVALID, "a node of Slurm's list has no name");
}

/* ---- jobs ---- */

/* job_resources of v0.0.41 and newer: the job's resources on each node. */
static void add_allocation(const struct json *list, struct slurm_job_counted *out)
{
	for (struct json_iter it = json_iter(json_is_arr(list) ? list : NULL); json_next(&it);) {
		out->cpus = sum(out->cpus, answer_count(json_at(it.value, "cpus", "count")));
		out->memory = sum(out->memory,
			answer_count(json_at(it.value, "memory", "allocated")));
	}
}

/*
 * The allocation in v0.0.40, which reports no CPUs for each node: use those of the job.
 */
static void add_allocated_nodes(const struct json *job, const struct json *list,
	struct slurm_job_counted *out)
{
	if (json_count(list))
		out->cpus = count_at(job, "cpus");
	for (struct json_iter it = json_iter(json_is_arr(list) ? list : NULL); json_next(&it);)
		out->memory = sum(out->memory, count_at(it.value, "memory_allocated"));
}

struct err slurm_count_job(const struct json *job, struct slurm_job_counted *out)
{
	const struct json *resources = json_get(job, "job_resources");
	const struct json *gres = json_get(job, "gres_detail");
	*out = (struct slurm_job_counted){
		.state = answer_bits(json_get(job, "job_state"), job_state_bit),
		.held = json_bool(json_get(job, "hold"), false),
		.partition = text_of(job, "partition"),
		.user = text_of(job, "user_name"),
		.account = text_of(job, "account"),
		.uid = json_i64(json_get(job, "user_id"), -1),
		.nodes = count_at(job, "node_count"),
		.id = json_i64(json_get(job, "job_id"), 0),
		.eligible_s = count_at(job, "eligible_time"),
		.start_s = count_at(job, "start_time"),
		.gres = json_is_arr(gres) ? gres : NULL,
	};
	add_allocation(json_at(resources, "nodes", "allocation"), out);
	add_allocated_nodes(job, json_get(resources, "allocated_nodes"), out);
	return out->id > 0 ? OK : err_new(ERR_INVALID, "a job of Slurm's list has no number");
}

/* ---- partitions and statistics ---- */

struct err slurm_count_partition(const struct json *partition, struct slurm_partition_counted *out)
{
	*out = (struct slurm_partition_counted){
		.name = text_of(partition, "name"),
		.nodes = answer_count(json_at(partition, "nodes", "total")),
		.cpus = answer_count(json_at(partition, "cpus", "total")),
	};
	return *out->name ? OK : err_new(ERR_INVALID, "a partition of Slurm's list has no name");
}

bool slurm_count_statistic(const struct json *statistics, const char *path, int64_t *out)
{
	const char *dot = strchr(path, '.');
	AUTO(own_free) char *outer = own_strndup(path, dot ? (size_t)(dot - path) : 0);
	const struct json *v = dot ? json_at(statistics, outer, dot + 1)
				   : json_get(statistics, path);
	if (json_is_null(v))
		return false;
	*out = json_bool(v, false) ? 1 : answer_count(v);
	return true;
}

struct slurm_rpc_counted slurm_count_rpc(const struct json *item, const char *named_by)
{
	return (struct slurm_rpc_counted){
		.name = text_of(item, named_by),
		.uid = json_i64(json_get(item, "user_id"), -1),
		.count = count_at(item, "count"),
		.total_us = count_at(item, "total_time"),
	};
}
