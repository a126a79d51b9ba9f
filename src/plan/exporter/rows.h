/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every metric of the exporter, a row each. The output for Prometheus and the page
 * docs/metrics-exporter.md are made from these rows.
 */
#ifndef PLAN_EXPORTER_ROWS_H
#define PLAN_EXPORTER_ROWS_H

#include "plan/exporter/facts.h"

enum exporter_kind { EXPORTER_GAUGE, EXPORTER_COUNTER, EXPORTER_HISTOGRAM };

/* The first exporter that had the name. */
enum exporter_since {
	EXPORTER_01, /* exporter 0.1 and 0.2 */
	EXPORTER_03, /* exporter 0.3 */
	EXPORTER_NOW,
};

/* The objects that have one series each. */
enum exporter_scope {
	OF_ALL_NODES,
	OF_EACH_NODE,
	OF_PARTITION, /* from the list of partitions */
	OF_PARTITION_NODES,
	OF_ALL_JOBS,
	OF_PARTITION_JOBS,
	OF_PARTITION_JOBS_01, /* without jobs of several partitions */
	OF_USER,
	OF_ACCOUNT,
	OF_USER_NAME,       /* --per-user-metrics */
	OF_PARTITION_WAITS, /* a histogram: buckets of waits.h, then the sum */
	/* A node or job without GRES of a kind has no series of that kind */
	OF_ALL_NODES_GRES,
	OF_EACH_NODE_GRES,
	OF_PARTITION_NODES_GRES,
	OF_ALL_JOBS_GRES,
	OF_PARTITION_JOBS_GRES,
	OF_USER_GRES,
	OF_ACCOUNT_GRES,
	OF_STATISTICS,
	/* --job-efficiency: counters of ended.h */
	OF_PARTITION_ENDED,
	OF_ACCOUNT_ENDED,
	OF_USER_ENDED,
	OF_ENDED_LEFT_OUT,
	OF_RPC_TYPE,
	OF_RPC_USER,
	OF_LEFT_OUT,
	OF_SOURCE,
	OF_READS,
	OF_PROCESS,
	OF_PROGRAM,
	EXPORTER_SCOPES,
};

/* Measures of OF_PARTITION. */
enum partition_measure { PARTITION_NODES, PARTITION_CPUS };
/* Measures of the scopes of GRES; jobs have GRES_ALLOC alone. */
enum gres_measure {
	GRES_TOTAL,
	GRES_ALLOC,
	GRES_IDLE,
	GRES_UNAVAILABLE,
	GRES_DOWN,
	GRES_DRAIN,
	GRES_MEASURES,
};
/* Measures of OF_RPC_TYPE and OF_RPC_USER. */
enum rpc_measure { RPC_COUNT, RPC_TIME, RPC_MEASURES };
/* Measures of the scopes of ended jobs. */
enum ended_measure {
	ENDED_JOBS,
	ENDED_CPU,
	ENDED_CPU_ALLOCATED,
	ENDED_MEMORY_MAX,
	ENDED_MEMORY_REQUESTED,
	ENDED_MEASURES,
};
/* Measures of OF_SOURCE; OF_READS counts reads by their results. */
enum source_measure { SOURCE_AGE, SOURCE_FRESH, SOURCE_TOOK };
/* Measures of OF_PROCESS; OF_LEFT_OUT is one number each. */
enum process_measure {
	PROCESS_SCRAPES,
	PROCESS_RENDERED,
	PROCESS_BYTES,
	PROCESS_RESIDENT,
	PROCESS_CPU,
	PROCESS_START,
	PROCESS_OPEN_FDS,
	PROCESS_MAX_FDS,
	PROCESS_MEASURES,
};

struct exporter_row {
	const char *name, *help;
	enum exporter_scope scope;
	enum exporter_kind kind;
	enum exporter_since since;
	int measure;   /* index in the enum of the scope */
	double factor; /* from Slurm's unit to that of the metric */
	/*
	 * The metric has a wrong name or unit, and stays for compatibility: this name is
	 * right
	 */
	const char *right;
	bool never; /* a time of 0 means never, and gives no sample */
};

struct exporter_table {
	const char *title; /* on the page */
	const struct exporter_row *rows;
	size_t n;
};
extern const struct exporter_table *const exporter_tables[];
extern const size_t n_exporter_tables;

/* Labels of a scope: "", "node", "userid,username". */
struct exporter_scope_row {
	const char *labels;
	const char *source; /* for the page: the source of the numbers */
};
extern const struct exporter_scope_row exporter_scopes[EXPORTER_SCOPES];

/* Path of a member in the statistics of diag/. */
struct exporter_statistic {
	const char *path;
};
extern const struct exporter_statistic exporter_statistics[];
extern const size_t n_exporter_statistics;

/* For labels, logs and pages: "nodes", "jobs", "partitions", "diag", "accounting". */
extern const char *const exporter_source_names[EXPORTER_SOURCES];

#endif
