/* SPDX-License-Identifier: Apache-2.0 */
/* All tables of rows, and the metrics of the exporter itself. */
#include "plan/exporter/rows_parts.h"

const char *const exporter_source_names[EXPORTER_SOURCES] = { "nodes", "jobs", "partitions", "diag",
	"accounting" };

const struct exporter_scope_row exporter_scopes[EXPORTER_SCOPES] = {
	[OF_ALL_NODES] = { "", "nodes" },
	[OF_EACH_NODE] = { "node", "nodes" },
	[OF_PARTITION] = { "partition", "partitions" },
	[OF_PARTITION_NODES] = { "partition", "nodes, partitions" },
	[OF_ALL_JOBS] = { "", "jobs" },
	[OF_PARTITION_JOBS] = { "partition", "jobs, partitions" },
	[OF_PARTITION_JOBS_01] = { "partition", "jobs, partitions" },
	[OF_USER] = { "userid,username", "jobs" },
	[OF_ACCOUNT] = { "account", "jobs" },
	[OF_USER_NAME] = { "user", "jobs" },
	[OF_PARTITION_WAITS] = { "partition", "jobs, partitions" },
	[OF_ALL_NODES_GRES] = { "gres,type", "nodes" },
	[OF_EACH_NODE_GRES] = { "node,gres,type", "nodes" },
	[OF_PARTITION_NODES_GRES] = { "partition,gres,type", "nodes, partitions" },
	[OF_ALL_JOBS_GRES] = { "gres,type", "jobs" },
	[OF_PARTITION_JOBS_GRES] = { "partition,gres,type", "jobs, partitions" },
	[OF_USER_GRES] = { "userid,username,gres,type", "jobs" },
	[OF_ACCOUNT_GRES] = { "account,gres,type", "jobs" },
	[OF_STATISTICS] = { "", "diag" },
	[OF_PARTITION_ENDED] = { "partition", "accounting" },
	[OF_ACCOUNT_ENDED] = { "account", "accounting" },
	[OF_USER_ENDED] = { "user", "accounting" },
	[OF_ENDED_LEFT_OUT] = { "of", "accounting" },
	[OF_RPC_TYPE] = { "type", "diag" },
	[OF_RPC_USER] = { "userid,username", "diag" },
	[OF_LEFT_OUT] = { "of", "" },
	[OF_SOURCE] = { "source", "" },
	[OF_READS] = { "source,result", "" },
	[OF_PROCESS] = { "", "" },
	[OF_PROGRAM] = { "version", "" },
};

#define OF(scope, name, kind, measure, help) \
	{ name, help, scope, kind, EXPORTER_NOW, measure, 1, NULL }
/* Slurm counts the time of requests in microseconds. */
#define RPC(scope, name, measure, factor, help) \
	{ name, help, scope, EXPORTER_COUNTER, EXPORTER_NOW, measure, factor, NULL }

static const struct exporter_row rpcs[] = {
	RPC(OF_RPC_TYPE, "slurm_rpc_requests_total", RPC_COUNT, 1,
		"Requests of this type that slurmctld has answered since the reset."),
	RPC(OF_RPC_TYPE, "slurm_rpc_duration_seconds_total", RPC_TIME, 1e-6,
		"Time that slurmctld has spent on requests of this type since the reset."),
	RPC(OF_RPC_USER, "slurm_user_rpc_requests_total", RPC_COUNT, 1,
		"Requests of this user that slurmctld has answered since the reset, for the 100 users that have taken the most time."),
	RPC(OF_RPC_USER, "slurm_user_rpc_duration_seconds_total", RPC_TIME, 1e-6,
		"Time that slurmctld has spent on requests of this user since the reset, for the 100 users that have taken the most time."),
};
const struct exporter_table exporter_rpc_table = { "Requests to slurmctld", rpcs, LENGTH(rpcs) };

static const struct exporter_row self[] = {
	OF(OF_LEFT_OUT, "slurm_exporter_left_out", EXPORTER_GAUGE, 0,
		"Nodes, users, accounts and kinds of GRES without their own series, because of the limits --max-nodes, --max-users, --max-accounts and --max-gres."),
	OF(OF_SOURCE, "slurm_exporter_data_age_seconds", EXPORTER_GAUGE, SOURCE_AGE,
		"Time since the request for the shown data of this source. Absent before the first response."),
	OF(OF_SOURCE, "slurm_exporter_source_fresh", EXPORTER_GAUGE, SOURCE_FRESH,
		"1 while the metrics of this source are shown, 0 before its first response and when its last response is too old."),
	OF(OF_SOURCE, "slurm_exporter_read_duration_seconds", EXPORTER_GAUGE, SOURCE_TOOK,
		"Time that the last read of this source took."),
	OF(OF_READS, "slurm_exporter_reads_total", EXPORTER_COUNTER, 0,
		"Reads of this source by result: changed, unchanged, failed."),
	OF(OF_PROGRAM, "slurm_exporter_build_info", EXPORTER_GAUGE, 0,
		"1, with the version of the program."),
	OF(OF_PROCESS, "slurm_exporter_scrapes_total", EXPORTER_COUNTER, PROCESS_SCRAPES,
		"Scrapes that were answered."),
	OF(OF_PROCESS, "slurm_exporter_render_duration_seconds", EXPORTER_GAUGE, PROCESS_RENDERED,
		"Time to render the newest page. A page is rendered after a response of Slurm, not for a scrape."),
	OF(OF_PROCESS, "slurm_exporter_page_bytes", EXPORTER_GAUGE, PROCESS_BYTES,
		"Bytes of the newest page."),
	OF(OF_PROCESS, "process_resident_memory_bytes", EXPORTER_GAUGE, PROCESS_RESIDENT,
		"Resident memory size in bytes."),
	OF(OF_PROCESS, "process_cpu_seconds_total", EXPORTER_COUNTER, PROCESS_CPU,
		"Total user and system CPU time spent in seconds."),
	OF(OF_PROCESS, "process_start_time_seconds", EXPORTER_GAUGE, PROCESS_START,
		"Start time of the process since 1970 in seconds."),
	OF(OF_PROCESS, "process_open_fds", EXPORTER_GAUGE, PROCESS_OPEN_FDS,
		"Number of open file descriptors."),
	OF(OF_PROCESS, "process_max_fds", EXPORTER_GAUGE, PROCESS_MAX_FDS,
		"Maximum number of open file descriptors."),
};
const struct exporter_table exporter_self_table = { "The exporter itself", self, LENGTH(self) };

const struct exporter_table *const exporter_tables[] = { &exporter_node_table,
	&exporter_partition_table, &exporter_job_table, &exporter_user_table, &exporter_gres_table,
	&exporter_ended_table, &exporter_statistic_table, &exporter_rpc_table,
	&exporter_self_table };
const size_t n_exporter_tables = LENGTH(exporter_tables);
