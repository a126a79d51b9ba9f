/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics of ended jobs, from slurmdbd: --job-efficiency. */
#include "plan/exporter/rows_parts.h"

#define OF(scope, name, measure, help) \
	{ name, help, scope, EXPORTER_COUNTER, EXPORTER_NOW, measure, 1, NULL }
#define MEMORY_MAX \
	"Sum of the peak memory of these jobs: for each job, the resident memory of all tasks of the step that used most."
#define MEMORY_REQUESTED \
	"Sum of the memory that these jobs requested. A job whose memory Slurm did not measure counts in neither sum."
/* of: " of the account" */
#define ENDED(scope, name, of)                                                                  \
	OF(scope, name "_total", ENDED_JOBS,                                                    \
		"Jobs" of " that ran and ended after the exporter started."),                   \
		OF(scope, name "_cpu_seconds_total", ENDED_CPU,                                 \
			"CPU time that these jobs used, user and system, in all their steps."), \
		OF(scope, name "_cpu_allocated_seconds_total", ENDED_CPU_ALLOCATED,             \
			"CPU time allocated to these jobs: their CPUs times their run time."),  \
		OF(scope, name "_memory_max_bytes_total", ENDED_MEMORY_MAX, MEMORY_MAX),        \
		OF(scope, name "_memory_requested_bytes_total", ENDED_MEMORY_REQUESTED,         \
			MEMORY_REQUESTED)

static const struct exporter_row ended[] = {
	ENDED(OF_PARTITION_ENDED, "slurm_partition_ended_jobs", " of the partition"),
	ENDED(OF_ACCOUNT_ENDED, "slurm_account_ended_jobs", " of the account"),
	ENDED(OF_USER_ENDED, "slurm_user_ended_jobs", " of users of this name"),
	{ "slurm_exporter_ended_left_out",
		"Ended jobs that are not counted because slurmrestd's response about them was too large, and accounts and users with ended jobs but without series because of --max-accounts and --max-users.",
		OF_ENDED_LEFT_OUT, EXPORTER_GAUGE, EXPORTER_NOW, 0, 1, NULL },
};

const struct exporter_table exporter_ended_table = { "Jobs that have ended (--job-efficiency)",
	ended, LENGTH(ended) };
