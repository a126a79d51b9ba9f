/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers of nodes, jobs and partitions for metrics, as slurmrestd reports them. Pure:
 * JSON in, plain structures out. Texts point into the JSON. A number that is absent or
 * not set is 0, an infinite number is INT64_MAX. ERR_INVALID: the item has no name.
 */
#ifndef SLURM_REST_COUNTED_H
#define SLURM_REST_COUNTED_H

#include "json/json.h"
#include "slurm/job_state.h"
#include "slurm/state.h"

/* Memory is in MiB, as in Slurm. */
struct slurm_node_counted {
	const char *name;
	uint32_t state;                /* enum node_state bits */
	const struct json *partitions; /* a list of names; NULL: none */
	int64_t cpus, cpus_effective, cpus_alloc, cpus_idle;
	int64_t memory, memory_special, memory_alloc;
	int64_t memory_free;          /* -1: not reported */
	const char *gres, *gres_used; /* GRES lists (gres.h): of the node, and in use */
};
/* Reads an item of "nodes". */
struct err slurm_count_node(const struct json *node, struct slurm_node_counted *out);

struct slurm_job_counted {
	uint32_t state;             /* enum job_state bits */
	bool held;                  /* "hold" */
	const char *partition;      /* "a" or "a,b" */
	const char *user, *account; /* "" when absent */
	int64_t uid;                /* -1: not reported */
	int64_t id, nodes, eligible_s, start_s;
	int64_t cpus, memory;    /* allocated now, or when the job ended; MiB */
	const struct json *gres; /* a GRES list (gres.h) for each node; NULL: none */
};
/* Reads an item of "jobs". ERR_INVALID: it has no number. */
struct err slurm_count_job(const struct json *job, struct slurm_job_counted *out);

struct slurm_partition_counted {
	const char *name;
	int64_t nodes, cpus;
};
/* Reads an item of "partitions". */
struct err slurm_count_partition(const struct json *partition, struct slurm_partition_counted *out);

/*
 * Reads a number or boolean of the statistics (diag/) by its path, such as
 * "bf_exit.bf_max_time". False: this version does not report it.
 */
bool slurm_count_statistic(const struct json *statistics, const char *path, int64_t *out);

/*
 * Requests of one type or one user that slurmctld has answered since the reset of its
 * statistics. name is "" if the item has none.
 */
struct slurm_rpc_counted {
	const char *name;
	int64_t uid; /* -1: requests of a type */
	int64_t count, total_us;
};
/*
 * Reads an item of "rpcs_by_message_type" (named_by "message_type") or of "rpcs_by_user"
 * ("user").
 */
struct slurm_rpc_counted slurm_count_rpc(const struct json *item, const char *named_by);

#endif
