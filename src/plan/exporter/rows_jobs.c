/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics of jobs: in total, and for each partition, user and account. */
#include "plan/exporter/rows_parts.h"

/* of: "" or " of the user". A job has at most one of the first twelve states. */
#define STATES(scope, name, of)                                                                    \
	ROWS_TOTAL(scope, name "_bootfail", JOBS_BOOT_FAIL,                                        \
		"Jobs" of " whose nodes did not boot."),                                           \
		ROWS_TOTAL(scope, name "_cancelled", JOBS_CANCELLED, "Cancelled jobs" of "."),     \
		ROWS_TOTAL(scope, name "_completed", JOBS_COMPLETED,                               \
			"Jobs" of " that ended with the exit status 0."),                          \
		ROWS_TOTAL(scope, name "_deadline", JOBS_DEADLINE,                                 \
			"Jobs" of " that ended at their deadline."),                               \
		ROWS_TOTAL(scope, name "_failed", JOBS_FAILED, "Failed jobs" of "."),              \
		ROWS_TOTAL(scope, name "_pending", JOBS_PENDING,                                   \
			"Pending jobs" of ", held or not."),                                       \
		ROWS_TOTAL(scope, name "_preempted", JOBS_PREEMPTED, "Preempted jobs" of "."),     \
		ROWS_TOTAL(scope, name "_running", JOBS_RUNNING, "Running jobs" of "."),           \
		ROWS_TOTAL(scope, name "_suspended", JOBS_SUSPENDED, "Suspended jobs" of "."),     \
		ROWS_TOTAL(scope, name "_timeout", JOBS_TIMEOUT,                                   \
			"Jobs" of " that ended at their time limit."),                             \
		ROWS_TOTAL(scope, name "_nodefail", JOBS_NODE_FAIL,                                \
			"Jobs" of " whose node failed."),                                          \
		ROWS_TOTAL(scope, name "_outofmemory", JOBS_OUT_OF_MEMORY,                         \
			"Jobs" of " that ran out of memory."),                                     \
		ROWS_TOTAL(scope, name "_completing", JOBS_COMPLETING,                             \
			"Jobs" of " with the flag COMPLETING."),                                   \
		ROWS_TOTAL(scope, name "_configuring", JOBS_CONFIGURING,                           \
			"Jobs" of " with the flag CONFIGURING."),                                  \
		ROWS_TOTAL(scope, name "_powerupnode", JOBS_POWER_UP_NODE,                         \
			"Jobs" of " with the flag POWER_UP_NODE."),                                \
		ROWS_TOTAL(scope, name "_stageout", JOBS_STAGE_OUT,                                \
			"Jobs" of " with the flag STAGE_OUT."),                                    \
		ROWS_TOTAL(scope, name "_hold", JOBS_HOLD,                                         \
			"Jobs" of " with priority 0, in any state."),                              \
		ROW_NOW(scope, name "_waiting", JOBS_PENDING_FREE,                                 \
			"Pending jobs" of " that are not held."),                                  \
		{ name "_cpus_alloc_total", "CPUs of all jobs" of ", including ended jobs.",       \
			scope, EXPORTER_GAUGE, EXPORTER_03, JOBS_CPUS_EVER, 1,                     \
			name "_cpus_alloc" },                                                      \
		ROW_NOW(scope, name "_cpus_alloc", JOBS_CPUS, "CPUs that jobs" of " have."),       \
		{ name "_memory_alloc_bytes",                                                      \
			"Memory of all jobs" of ", including ended jobs, in MiB.", scope,          \
			EXPORTER_GAUGE, EXPORTER_03, JOBS_MEMORY_EVER, 1,                          \
			name "_memory_allocated_bytes" },                                          \
		{ name "_memory_allocated_bytes", "Memory that jobs" of " have, in bytes.", scope, \
			EXPORTER_GAUGE, EXPORTER_NOW, JOBS_MEMORY, MIB, NULL },                    \
		ROW_NOW(scope, name "_waiting_since_timestamp_seconds", JOBS_WAITING_SINCE,        \
			"Eligible time of the longest waiting job" of ". Held jobs do not count.")

static const struct exporter_row jobs[] = {
	ROWS_TOTAL(OF_ALL_JOBS, "slurm_jobs", JOBS_ANY,
		"Jobs in the memory of slurmctld, in any state."),
	STATES(OF_ALL_JOBS, "slurm_jobs", ""),
	ROW_01(OF_PARTITION_JOBS_01, "slurm_partition_jobs", JOBS_OPEN,
		"Jobs that name only this partition and are not COMPLETED, COMPLETING or CANCELLED."),
	ROW_01(OF_PARTITION_JOBS_01, "slurm_partition_pending_jobs", JOBS_PENDING_FREE,
		"Pending jobs that name only this partition and are not held."),
	ROW_01(OF_PARTITION_JOBS_01, "slurm_partition_running_jobs", JOBS_RUNNING,
		"Running jobs that name only this partition."),
	ROW_01(OF_PARTITION_JOBS_01, "slurm_partition_hold_jobs", JOBS_HOLD,
		"Held jobs that name only this partition."),
	ROW_01(OF_PARTITION_JOBS_01, "slurm_partition_max_pending_nodes", JOBS_MOST_NODES_ELIGIBLE,
		"Largest number of nodes of a pending job that names only this partition, is not held and has reached its eligible time."),
	ROW_TOTAL(OF_PARTITION_JOBS, "slurm_partition_jobs", JOBS_ANY,
		"Jobs of the partition in the memory of slurmctld, in any state.",
		"slurm_partition_jobs_known"),
	ROW_NOW(OF_PARTITION_JOBS, "slurm_partition_jobs_known", JOBS_ANY,
		"Jobs of the partition in the memory of slurmctld, in any state."),
	STATES(OF_PARTITION_JOBS, "slurm_partition_jobs", " of the partition"),
	ROW_TOTAL(OF_PARTITION_JOBS, "slurm_partition_jobs_pending_maxnodecount", JOBS_MOST_NODES,
		"Largest number of nodes of a pending job of the partition that is not held.",
		"slurm_partition_jobs_pending_max_nodes"),
	ROW_NOW(OF_PARTITION_JOBS, "slurm_partition_jobs_pending_max_nodes", JOBS_MOST_NODES,
		"Largest number of nodes of a pending job of the partition that is not held."),
	{ "slurm_partition_job_wait_seconds",
		"Waiting time of jobs of the partition, from their eligible time to their start, for jobs that started after the exporter.",
		OF_PARTITION_WAITS, EXPORTER_HISTOGRAM, EXPORTER_NOW, 0, 1, NULL },
};

static const struct exporter_row users[] = {
	ROWS_TOTAL(OF_USER, "slurm_user_jobs", JOBS_ANY,
		"Jobs of the user in the memory of slurmctld."),
	STATES(OF_USER, "slurm_user_jobs", " of the user"),
	ROWS_TOTAL(OF_ACCOUNT, "slurm_account_jobs", JOBS_ANY,
		"Jobs of the account in the memory of slurmctld."),
	STATES(OF_ACCOUNT, "slurm_account_jobs", " of the account"),
	{ "slurm_job_total",
		"Jobs of users of this name that are not COMPLETED, COMPLETING or CANCELLED.",
		OF_USER_NAME, EXPORTER_GAUGE, EXPORTER_01, JOBS_OPEN, 1, "slurm_user_jobs" },
	ROW_01(OF_USER_NAME, "slurm_user_pending_jobs", JOBS_PENDING_FREE,
		"Pending jobs of users of this name that are not held."),
	ROW_01(OF_USER_NAME, "slurm_user_running_jobs", JOBS_RUNNING,
		"Running jobs of users of this name."),
	ROW_01(OF_USER_NAME, "slurm_user_hold_jobs", JOBS_HOLD, "Held jobs of users of this name."),
};

const struct exporter_table exporter_job_table = { "Jobs", jobs, LENGTH(jobs) };
const struct exporter_table exporter_user_table = { "Users and accounts", users, LENGTH(users) };
