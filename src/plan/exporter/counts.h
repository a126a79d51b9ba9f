/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts nodes and jobs for all metrics: in total, and for each partition, user and
 * account. Pure: facts in, numbers out.
 */
#ifndef PLAN_EXPORTER_COUNTS_H
#define PLAN_EXPORTER_COUNTS_H

#include "base/arena.h"
#include "plan/exporter/facts.h"

/* Measures of nodes. Each node is in exactly one of the base states. */
enum node_measure {
	NODES_ANY,
	NODES_ALLOCATED,
	NODES_DOWN,
	NODES_ERROR,
	NODES_FUTURE,
	NODES_IDLE,
	NODES_MIXED,
	NODES_UNKNOWN,
	/* Flags, and states that follow from flags: a node may have several */
	NODES_COMPLETING,
	NODES_DRAIN,
	NODES_FAIL,
	NODES_MAINTENANCE,
	NODES_NOT_RESPONDING,
	NODES_PLANNED,
	NODES_REBOOT_REQUESTED,
	NODES_RESERVED,
	NODES_REBOOT_ISSUED,
	NODES_INVALID_REG,
	NODES_POWERED_DOWN,
	NODES_POWERING_UP,
	NODES_POWERING_DOWN,
	NODES_DRAINED,
	NODES_DRAINING,
	/* Sums */
	NODES_CPUS,
	NODES_CPUS_EFFECTIVE,
	NODES_CPUS_ALLOC,
	NODES_CPUS_IDLE,
	NODES_MEMORY,
	NODES_MEMORY_EFFECTIVE,
	NODES_MEMORY_ALLOC,
	NODES_MEMORY_FREE,   /* 0 if not reported */
	NODES_MEMORY_UNUSED, /* absent if not reported */
	NODE_MEASURES,
};

/* Measures of jobs. A job is in at most one of the base states. */
enum job_measure {
	JOBS_ANY,
	JOBS_BOOT_FAIL,
	JOBS_CANCELLED,
	JOBS_COMPLETED,
	JOBS_DEADLINE,
	JOBS_FAILED,
	JOBS_PENDING,
	JOBS_PREEMPTED,
	JOBS_RUNNING,
	JOBS_SUSPENDED,
	JOBS_TIMEOUT,
	JOBS_NODE_FAIL,
	JOBS_OUT_OF_MEMORY,
	/* Flags */
	JOBS_COMPLETING,
	JOBS_CONFIGURING,
	JOBS_POWER_UP_NODE,
	JOBS_STAGE_OUT,
	JOBS_HOLD,
	/* Exporter 0.1: not COMPLETED, COMPLETING or CANCELLED; PENDING and not held */
	JOBS_OPEN,
	JOBS_PENDING_FREE,
	/* Sums: of jobs that hold nodes, and of all jobs that Slurm remembers */
	JOBS_CPUS,
	JOBS_MEMORY,
	JOBS_CPUS_EVER,
	JOBS_MEMORY_EVER,
	/*
	 * The largest number of nodes of a pending job that is not held; the second one
	 * omits jobs whose eligible time is not set
	 */
	JOBS_MOST_NODES,
	JOBS_MOST_NODES_ELIGIBLE,
	/*
	 * The earliest eligible time of a pending job that is not held; absent if no job
	 * waits
	 */
	JOBS_WAITING_SINCE,
	JOB_MEASURES,
};

typedef double node_counts[NODE_MEASURES];
typedef double job_counts[JOB_MEASURES];

/* An array has one element for each object of its kind in the facts. NULL: unknown. */
struct exporter_counts {
	node_counts *nodes;            /* one element: all nodes */
	node_counts *each_node;        /* each node */
	node_counts *partition_nodes;  /* needs nodes and partitions */
	job_counts *jobs;              /* one element: all jobs */
	job_counts *partition_jobs;    /* a job counts in each of its partitions */
	job_counts *partition_jobs_01; /* without jobs of several partitions */
	job_counts *users, *accounts, *user_names;
};
void exporter_count(const struct exporter_facts *f, struct arena *a, struct exporter_counts *out);

#endif
