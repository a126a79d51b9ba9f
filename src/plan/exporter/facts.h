/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Facts of the exporter about a Slurm, from five sources that are read independently. A
 * source that is unknown (not yet, or not any more) is NULL, and gives no numbers. Texts
 * and arrays belong to the code that makes the facts. Memory is in MiB, as in Slurm.
 */
#ifndef PLAN_EXPORTER_FACTS_H
#define PLAN_EXPORTER_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum exporter_source {
	EXPORTER_NODES,
	EXPORTER_JOBS,
	EXPORTER_PARTITIONS,
	EXPORTER_DIAG,
	EXPORTER_ACCOUNTING, /* --job-efficiency; the last one */
	EXPORTER_SOURCES,
};

struct exporter_names {
	const char *const *v;
	size_t n;
};

/* GRES of a name and a type; "" without a type. */
struct exporter_gres_kind {
	const char *name, *type;
};
/* The GRES of one kind that a node or a job has. */
struct exporter_gres {
	uint32_t of, kind;    /* index of the node or job in v; index in kinds */
	int64_t total, alloc; /* a job has alloc alone */
};
/* Sorted by node or job; each has a kind at most once. */
struct exporter_gres_list {
	const struct exporter_gres_kind *kinds;
	const struct exporter_gres *v;
	size_t n_kinds, n;
};

struct exporter_node {
	const char *name;
	uint32_t state; /* enum node_state bits */
	size_t list;    /* its partitions: an index into lists */
	int64_t cpus, cpus_effective, cpus_alloc, cpus_idle;
	int64_t memory, memory_special, memory_alloc;
	int64_t memory_free; /* -1: not reported */
};
struct exporter_nodes {
	const struct exporter_node *v;
	size_t n;
	struct exporter_names lists; /* "a" or "a,b"; without duplicates */
	struct exporter_gres_list gres;
};

struct exporter_user {
	const char *name;
	int64_t uid;
	size_t named; /* index of its name in user_names, which has no duplicates */
};
struct exporter_job {
	uint32_t state;             /* enum job_state bits */
	bool held;                  /* its priority is 0 */
	size_t list, user, account; /* indexes into lists, users, accounts */
	int64_t nodes, eligible_s;
	int64_t cpus, memory; /* allocated, or allocated when it ended */
	int64_t id, start_s;  /* start_s 0: unknown; for a pending job it is a guess */
};
struct exporter_jobs {
	const struct exporter_job *v;
	size_t n;
	struct exporter_names lists, accounts, user_names;
	const struct exporter_user *users;
	size_t n_users;
	struct exporter_gres_list gres;
};

struct exporter_partition {
	const char *name;
	int64_t nodes, cpus;
};
/* Sorted by name, without duplicates. */
struct exporter_partitions {
	const struct exporter_partition *v;
	size_t n;
};

/* Requests to slurmctld since the reset of its statistics, of one type or of one user. */
struct exporter_rpc {
	const char *name;
	int64_t uid; /* -1: requests of a type */
	int64_t count, total_us;
};
/* Without duplicates. */
struct exporter_rpcs {
	const struct exporter_rpc *v;
	size_t n;
};

/* Statistics, in the order of exporter_statistics (rows.h). */
enum { EXPORTER_STATISTICS_MOST = 64 };
struct exporter_diag {
	struct exporter_rpcs types, users;
	int64_t v[EXPORTER_STATISTICS_MOST];
	bool told[EXPORTER_STATISTICS_MOST]; /* reported by this version of slurmrestd */
};

/*
 * The number of nodes, users, accounts and kinds of GRES that have series of their own.
 */
struct exporter_limits {
	size_t nodes, users, accounts, gres;
};

struct exporter_waits; /* waits.h */

struct exporter_facts {
	const struct exporter_nodes *nodes;
	const struct exporter_jobs *jobs;
	const struct exporter_partitions *partitions;
	const struct exporter_waits *waits; /* NULL: waits are not counted */
	int64_t now_s;                      /* since 1970 */
	bool per_user_names;                /* the series of users that exporter 0.1 had */
	struct exporter_limits limits;
};

#endif
