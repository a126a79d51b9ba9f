/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics of the scheduler, as sdiag shows them. */
#include "plan/exporter/rows_parts.h"

/* In the order of exporter_diag. */
const struct exporter_statistic exporter_statistics[] = {
	{ "schedule_cycle_depth" },
	{ "schedule_cycle_last" },
	{ "schedule_cycle_max" },
	{ "schedule_cycle_mean" },
	{ "schedule_cycle_sum" },
	{ "schedule_cycle_mean_depth" },
	{ "schedule_cycle_per_minute" },
	{ "schedule_cycle_total" },
	{ "schedule_queue_length" },
	{ "schedule_exit.default_queue_depth" },
	{ "schedule_exit.end_job_queue" },
	{ "schedule_exit.licenses" },
	{ "schedule_exit.max_job_start" },
	{ "schedule_exit.max_rpc_cnt" },
	{ "schedule_exit.max_sched_time" },
	{ "bf_active" },
	{ "bf_backfilled_het_jobs" },
	{ "bf_backfilled_jobs" },
	{ "bf_last_backfilled_jobs" },
	{ "bf_cycle_counter" },
	{ "bf_cycle_last" },
	{ "bf_cycle_max" },
	{ "bf_cycle_mean" },
	{ "bf_cycle_sum" },
	{ "bf_depth_mean" },
	{ "bf_depth_mean_try" },
	{ "bf_depth_sum" },
	{ "bf_depth_try_sum" },
	{ "bf_last_depth" },
	{ "bf_last_depth_try" },
	{ "bf_queue_len" },
	{ "bf_queue_len_mean" },
	{ "bf_queue_len_sum" },
	{ "bf_table_size" },
	{ "bf_table_size_mean" },
	{ "bf_table_size_sum" },
	{ "bf_when_last_cycle" },
	{ "bf_exit.bf_max_job_start" },
	{ "bf_exit.bf_max_job_test" },
	{ "bf_exit.bf_max_time" },
	{ "bf_exit.bf_node_space_size" },
	{ "bf_exit.end_job_queue" },
	{ "bf_exit.state_changed" },
	{ "job_states_ts" },
	{ "jobs_canceled" },
	{ "jobs_completed" },
	{ "jobs_failed" },
	{ "jobs_pending" },
	{ "jobs_running" },
	{ "jobs_started" },
	{ "jobs_submitted" },
	{ "agent_count" },
	{ "agent_queue_size" },
	{ "agent_thread_count" },
	{ "server_thread_count" },
	{ "dbd_agent_queue_size" },
};
const size_t n_exporter_statistics = LENGTH(exporter_statistics);

/* place: index in exporter_statistics. */
#define STATISTIC(name, help, kind, since, place, factor, right) \
	{ name, help, OF_STATISTICS, kind, since, place, factor, right }

/* A time, in seconds since 1970. */
#define WHEN(name, help, place) \
	{ name, help, OF_STATISTICS, EXPORTER_GAUGE, EXPORTER_NOW, place, 1, NULL, true }

static const struct exporter_row rows[] = {
	/* schedule_cycle_depth */
	STATISTIC("slurm_scheduler_cycle_depth_total",
		"Jobs that scheduling cycles looked at since the statistics were reset.",
		EXPORTER_COUNTER, EXPORTER_03, 0, 1, NULL),
	/* schedule_cycle_last */
	STATISTIC("slurm_scheduler_cycle_last_seconds",
		"Time of the last scheduling cycle, in microseconds.", EXPORTER_GAUGE, EXPORTER_03,
		1, 1, "slurm_scheduler_cycle_last_duration_seconds"),
	STATISTIC("slurm_scheduler_cycle_last_duration_seconds",
		"Time of the last scheduling cycle.", EXPORTER_GAUGE, EXPORTER_NOW, 1, 1e-6, NULL),
	/* schedule_cycle_max */
	STATISTIC("slurm_scheduler_cycle_max_seconds",
		"Time of the longest scheduling cycle since the reset, in microseconds.",
		EXPORTER_GAUGE, EXPORTER_03, 2, 1, "slurm_scheduler_cycle_max_duration_seconds"),
	STATISTIC("slurm_scheduler_cycle_max_duration_seconds",
		"Time of the longest scheduling cycle since the reset.", EXPORTER_GAUGE,
		EXPORTER_NOW, 2, 1e-6, NULL),
	/* schedule_cycle_mean */
	STATISTIC("slurm_scheduler_cycle_mean_seconds",
		"Mean time of scheduling cycles since the reset, in microseconds.", EXPORTER_GAUGE,
		EXPORTER_03, 3, 1, "slurm_scheduler_cycle_mean_duration_seconds"),
	STATISTIC("slurm_scheduler_cycle_mean_duration_seconds",
		"Mean time of scheduling cycles since the reset.", EXPORTER_GAUGE, EXPORTER_NOW, 3,
		1e-6, NULL),
	/* schedule_cycle_sum */
	STATISTIC("slurm_scheduler_cycle_sum_seconds_total",
		"Time of all scheduling cycles since the reset, in microseconds.", EXPORTER_COUNTER,
		EXPORTER_03, 4, 1, "slurm_scheduler_cycle_duration_seconds_total"),
	STATISTIC("slurm_scheduler_cycle_duration_seconds_total",
		"Time of all scheduling cycles since the reset.", EXPORTER_COUNTER, EXPORTER_NOW, 4,
		1e-6, NULL),
	/* schedule_cycle_mean_depth */
	STATISTIC("slurm_scheduler_cycle_depth_mean_total",
		"Mean number of jobs that a scheduling cycle looked at.", EXPORTER_GAUGE,
		EXPORTER_03, 5, 1, "slurm_scheduler_cycle_depth_mean"),
	STATISTIC("slurm_scheduler_cycle_depth_mean",
		"Mean number of jobs that a scheduling cycle looked at.", EXPORTER_GAUGE,
		EXPORTER_NOW, 5, 1, NULL),
	/* schedule_cycle_per_minute */
	STATISTIC("slurm_scheduler_cycle_perminute_total", "Scheduling cycles a minute.",
		EXPORTER_GAUGE, EXPORTER_03, 6, 1, "slurm_scheduler_cycle_perminute"),
	STATISTIC("slurm_scheduler_cycle_perminute", "Scheduling cycles a minute.", EXPORTER_GAUGE,
		EXPORTER_NOW, 6, 1, NULL),
	/* schedule_cycle_total */
	STATISTIC("slurm_scheduler_cycle_total", "Scheduling cycles since the reset.",
		EXPORTER_COUNTER, EXPORTER_03, 7, 1, NULL),
	/* schedule_queue_length */
	STATISTIC("slurm_scheduler_queue_total", "Jobs that wait in the queue of the scheduler.",
		EXPORTER_GAUGE, EXPORTER_03, 8, 1, "slurm_scheduler_queue"),
	STATISTIC("slurm_scheduler_queue", "Jobs that wait in the queue of the scheduler.",
		EXPORTER_GAUGE, EXPORTER_NOW, 8, 1, NULL),
	/* schedule_exit.default_queue_depth */
	STATISTIC("slurm_scheduler_defaultqueuedepth_total",
		"Scheduling cycles that ended because default_queue_depth was reached.",
		EXPORTER_COUNTER, EXPORTER_03, 9, 1, NULL),
	/* schedule_exit.end_job_queue */
	STATISTIC("slurm_scheduler_endjobqueue_total",
		"Scheduling cycles that ended at the end of the queue.", EXPORTER_COUNTER,
		EXPORTER_03, 10, 1, NULL),
	/* schedule_exit.licenses */
	STATISTIC("slurm_scheduler_licenses_total",
		"Scheduling cycles that ended because of missing licenses.", EXPORTER_COUNTER,
		EXPORTER_03, 11, 1, NULL),
	/* schedule_exit.max_job_start */
	STATISTIC("slurm_scheduler_maxjobstart_total",
		"Scheduling cycles that ended because max_job_start was reached.", EXPORTER_COUNTER,
		EXPORTER_03, 12, 1, NULL),
	/* schedule_exit.max_rpc_cnt */
	STATISTIC("slurm_scheduler_maxrpc_total",
		"Scheduling cycles that ended because max_rpc_cnt was reached.", EXPORTER_COUNTER,
		EXPORTER_03, 13, 1, NULL),
	/* schedule_exit.max_sched_time */
	STATISTIC("slurm_scheduler_maxschedtime_total",
		"Scheduling cycles that ended because max_sched_time was reached.",
		EXPORTER_COUNTER, EXPORTER_03, 14, 1, NULL),
	/* bf_active */
	STATISTIC("slurm_bfscheduler_active_bool", "1 while the backfill scheduler works.",
		EXPORTER_GAUGE, EXPORTER_03, 15, 1, NULL),
	/* bf_backfilled_het_jobs */
	STATISTIC("slurm_bfscheduler_backfilledhetjobs_total",
		"Components of heterogeneous jobs that backfill started since slurmctld started.",
		EXPORTER_COUNTER, EXPORTER_03, 16, 1, NULL),
	/* bf_backfilled_jobs */
	STATISTIC("slurm_bfscheduler_backfilledjobs_total",
		"Jobs that backfill started since slurmctld started.", EXPORTER_COUNTER,
		EXPORTER_03, 17, 1, NULL),
	/* bf_last_backfilled_jobs */
	STATISTIC("slurm_bfscheduler_lastbackfilledjobs_total",
		"Jobs that backfill started since the reset.", EXPORTER_COUNTER, EXPORTER_03, 18, 1,
		NULL),
	/* bf_cycle_counter */
	STATISTIC("slurm_bfscheduler_cycle_total", "Backfill cycles since the reset.",
		EXPORTER_COUNTER, EXPORTER_03, 19, 1, NULL),
	/* bf_cycle_last */
	STATISTIC("slurm_bfscheduler_cycle_seconds",
		"Time of the last backfill cycle, in microseconds.", EXPORTER_GAUGE, EXPORTER_03,
		20, 1, "slurm_bfscheduler_cycle_last_duration_seconds"),
	STATISTIC("slurm_bfscheduler_cycle_last_duration_seconds",
		"Time of the last backfill cycle.", EXPORTER_GAUGE, EXPORTER_NOW, 20, 1e-6, NULL),
	/* bf_cycle_max */
	STATISTIC("slurm_bfscheduler_cycle_max_seconds",
		"Time of the longest backfill cycle since the reset, in microseconds.",
		EXPORTER_GAUGE, EXPORTER_03, 21, 1, "slurm_bfscheduler_cycle_max_duration_seconds"),
	STATISTIC("slurm_bfscheduler_cycle_max_duration_seconds",
		"Time of the longest backfill cycle since the reset.", EXPORTER_GAUGE, EXPORTER_NOW,
		21, 1e-6, NULL),
	/* bf_cycle_mean */
	STATISTIC("slurm_bfscheduler_cycle_mean_seconds",
		"Mean time of backfill cycles since the reset, in microseconds.", EXPORTER_GAUGE,
		EXPORTER_03, 22, 1, "slurm_bfscheduler_cycle_mean_duration_seconds"),
	STATISTIC("slurm_bfscheduler_cycle_mean_duration_seconds",
		"Mean time of backfill cycles since the reset.", EXPORTER_GAUGE, EXPORTER_NOW, 22,
		1e-6, NULL),
	/* bf_cycle_sum */
	STATISTIC("slurm_bfscheduler_cycle_sum_seconds",
		"Time of all backfill cycles since the reset, in microseconds.", EXPORTER_GAUGE,
		EXPORTER_03, 23, 1, "slurm_bfscheduler_cycle_duration_seconds_total"),
	STATISTIC("slurm_bfscheduler_cycle_duration_seconds_total",
		"Time of all backfill cycles since the reset.", EXPORTER_COUNTER, EXPORTER_NOW, 23,
		1e-6, NULL),
	/* bf_depth_mean */
	STATISTIC("slurm_bfscheduler_depth_mean_total",
		"Mean number of jobs that a backfill cycle looked at.", EXPORTER_GAUGE, EXPORTER_03,
		24, 1, "slurm_bfscheduler_depth_mean"),
	STATISTIC("slurm_bfscheduler_depth_mean",
		"Mean number of jobs that a backfill cycle looked at.", EXPORTER_GAUGE,
		EXPORTER_NOW, 24, 1, NULL),
	/* bf_depth_mean_try */
	STATISTIC("slurm_bfscheduler_depth_try_total",
		"Mean number of jobs that a backfill cycle tried to start.", EXPORTER_GAUGE,
		EXPORTER_03, 25, 1, "slurm_bfscheduler_depth_try"),
	STATISTIC("slurm_bfscheduler_depth_try",
		"Mean number of jobs that a backfill cycle tried to start.", EXPORTER_GAUGE,
		EXPORTER_NOW, 25, 1, NULL),
	/* bf_depth_sum */
	STATISTIC("slurm_bfscheduler_depth_sum_total",
		"Jobs that backfill cycles looked at since the reset.", EXPORTER_COUNTER,
		EXPORTER_03, 26, 1, NULL),
	/* bf_depth_try_sum */
	STATISTIC("slurm_bfscheduler_depth_trysum_total",
		"Jobs that backfill cycles tried to start since the reset.", EXPORTER_COUNTER,
		EXPORTER_03, 27, 1, NULL),
	/* bf_last_depth */
	STATISTIC("slurm_bfscheduler_lastdepth_total",
		"Jobs that the last backfill cycle looked at.", EXPORTER_GAUGE, EXPORTER_03, 28, 1,
		"slurm_bfscheduler_lastdepth"),
	STATISTIC("slurm_bfscheduler_lastdepth", "Jobs that the last backfill cycle looked at.",
		EXPORTER_GAUGE, EXPORTER_NOW, 28, 1, NULL),
	/* bf_last_depth_try */
	STATISTIC("slurm_bfscheduler_lastdepthtry_total",
		"Jobs that the last backfill cycle tried to start.", EXPORTER_GAUGE, EXPORTER_03,
		29, 1, "slurm_bfscheduler_lastdepthtry"),
	STATISTIC("slurm_bfscheduler_lastdepthtry",
		"Jobs that the last backfill cycle tried to start.", EXPORTER_GAUGE, EXPORTER_NOW,
		29, 1, NULL),
	/* bf_queue_len */
	STATISTIC("slurm_bfscheduler_queue_total", "Jobs that wait for backfill.", EXPORTER_GAUGE,
		EXPORTER_03, 30, 1, "slurm_bfscheduler_queue"),
	STATISTIC("slurm_bfscheduler_queue", "Jobs that wait for backfill.", EXPORTER_GAUGE,
		EXPORTER_NOW, 30, 1, NULL),
	/* bf_queue_len_mean */
	STATISTIC("slurm_bfscheduler_queue_mean_total",
		"Mean number of jobs that wait for backfill.", EXPORTER_GAUGE, EXPORTER_03, 31, 1,
		"slurm_bfscheduler_queue_mean"),
	STATISTIC("slurm_bfscheduler_queue_mean", "Mean number of jobs that wait for backfill.",
		EXPORTER_GAUGE, EXPORTER_NOW, 31, 1, NULL),
	/* bf_queue_len_sum */
	STATISTIC("slurm_bfscheduler_queue_sum_total",
		"Jobs that waited for backfill, summed over its cycles since the reset.",
		EXPORTER_COUNTER, EXPORTER_03, 32, 1, NULL),
	/* bf_table_size */
	STATISTIC("slurm_bfscheduler_table_total",
		"Time slots that the last backfill cycle looked at.", EXPORTER_GAUGE, EXPORTER_03,
		33, 1, "slurm_bfscheduler_table"),
	STATISTIC("slurm_bfscheduler_table", "Time slots that the last backfill cycle looked at.",
		EXPORTER_GAUGE, EXPORTER_NOW, 33, 1, NULL),
	/* bf_table_size_mean */
	STATISTIC("slurm_bfscheduler_tablemean_total",
		"Mean number of time slots of a backfill cycle.", EXPORTER_GAUGE, EXPORTER_03, 34,
		1, "slurm_bfscheduler_tablemean"),
	STATISTIC("slurm_bfscheduler_tablemean", "Mean number of time slots of a backfill cycle.",
		EXPORTER_GAUGE, EXPORTER_NOW, 34, 1, NULL),
	/* bf_table_size_sum */
	STATISTIC("slurm_bfscheduler_tablesum_total",
		"Time slots of backfill cycles since the reset.", EXPORTER_COUNTER, EXPORTER_03, 35,
		1, NULL),
	/* bf_when_last_cycle */
	STATISTIC("slurm_bfscheduler_lastcycle_timestamp",
		"When the last backfill cycle began, in seconds since 1970.", EXPORTER_GAUGE,
		EXPORTER_03, 36, 1, "slurm_bfscheduler_lastcycle_timestamp_seconds"),
	WHEN("slurm_bfscheduler_lastcycle_timestamp_seconds",
		"When the last backfill cycle began. Absent before the first cycle.", 36),
	/* bf_exit.bf_max_job_start */
	STATISTIC("slurm_bfscheduler_maxjobstart_total",
		"Backfill cycles that ended because bf_max_job_start was reached.",
		EXPORTER_COUNTER, EXPORTER_03, 37, 1, NULL),
	/* bf_exit.bf_max_job_test */
	STATISTIC("slurm_bfscheduler_maxjobtest_total",
		"Backfill cycles that ended because bf_max_job_test was reached.", EXPORTER_COUNTER,
		EXPORTER_03, 38, 1, NULL),
	/* bf_exit.bf_max_time */
	STATISTIC("slurm_bfscheduler_maxtime_total",
		"Backfill cycles that ended because bf_max_time was reached.", EXPORTER_COUNTER,
		EXPORTER_03, 39, 1, NULL),
	/* bf_exit.bf_node_space_size */
	STATISTIC("slurm_bfscheduler_nodespace_total",
		"Backfill cycles that ended because the table of time slots was full.",
		EXPORTER_COUNTER, EXPORTER_03, 40, 1, NULL),
	/* bf_exit.end_job_queue */
	STATISTIC("slurm_bfscheduler_endjobqueue_total",
		"Backfill cycles that ended at the end of the queue.", EXPORTER_COUNTER,
		EXPORTER_03, 41, 1, NULL),
	/* bf_exit.state_changed */
	STATISTIC("slurm_bfscheduler_statechanged_total",
		"Backfill cycles that ended because the state of the system changed.",
		EXPORTER_COUNTER, EXPORTER_03, 42, 1, NULL),
	/* job_states_ts */
	STATISTIC("slurm_scheduler_jobs_stats_timestamp",
		"When Slurm counted pending and running jobs, in seconds since 1970.",
		EXPORTER_GAUGE, EXPORTER_03, 43, 1, "slurm_scheduler_jobs_stats_timestamp_seconds"),
	WHEN("slurm_scheduler_jobs_stats_timestamp_seconds",
		"When Slurm counted pending and running jobs. Absent before the first count.", 43),
	/* jobs_canceled */
	STATISTIC("slurm_scheduler_jobs_canceled_total", "Jobs canceled since the reset.",
		EXPORTER_COUNTER, EXPORTER_03, 44, 1, NULL),
	/* jobs_completed */
	STATISTIC("slurm_scheduler_jobs_completed_total", "Jobs completed since the reset.",
		EXPORTER_COUNTER, EXPORTER_03, 45, 1, NULL),
	/* jobs_failed */
	STATISTIC("slurm_scheduler_jobs_failed_total", "Jobs failed since the reset.",
		EXPORTER_COUNTER, EXPORTER_03, 46, 1, NULL),
	/* jobs_pending */
	STATISTIC("slurm_scheduler_jobs_pending_total", "Pending jobs, as of jobs_stats_timestamp.",
		EXPORTER_GAUGE, EXPORTER_03, 47, 1, "slurm_scheduler_jobs_pending"),
	STATISTIC("slurm_scheduler_jobs_pending", "Pending jobs, as of jobs_stats_timestamp.",
		EXPORTER_GAUGE, EXPORTER_NOW, 47, 1, NULL),
	/* jobs_running */
	STATISTIC("slurm_scheduler_jobs_running_total", "Running jobs, as of jobs_stats_timestamp.",
		EXPORTER_GAUGE, EXPORTER_03, 48, 1, "slurm_scheduler_jobs_running"),
	STATISTIC("slurm_scheduler_jobs_running", "Running jobs, as of jobs_stats_timestamp.",
		EXPORTER_GAUGE, EXPORTER_NOW, 48, 1, NULL),
	/* jobs_started */
	STATISTIC("slurm_scheduler_jobs_started_total", "Jobs started since the reset.",
		EXPORTER_COUNTER, EXPORTER_03, 49, 1, NULL),
	/* jobs_submitted */
	STATISTIC("slurm_scheduler_jobs_submitted_total", "Jobs submitted since the reset.",
		EXPORTER_COUNTER, EXPORTER_03, 50, 1, NULL),
	/* agent_count */
	STATISTIC("slurm_scheduler_agent_total",
		"Agents of slurmctld, which send messages to nodes.", EXPORTER_GAUGE, EXPORTER_03,
		51, 1, "slurm_scheduler_agent"),
	STATISTIC("slurm_scheduler_agent", "Agents of slurmctld, which send messages to nodes.",
		EXPORTER_GAUGE, EXPORTER_NOW, 51, 1, NULL),
	/* agent_queue_size */
	STATISTIC("slurm_scheduler_agent_queue_total", "Messages that wait for an agent.",
		EXPORTER_GAUGE, EXPORTER_03, 52, 1, "slurm_scheduler_agent_queue"),
	STATISTIC("slurm_scheduler_agent_queue", "Messages that wait for an agent.", EXPORTER_GAUGE,
		EXPORTER_NOW, 52, 1, NULL),
	/* agent_thread_count */
	STATISTIC("slurm_scheduler_agent_thread_total", "Threads of agents.", EXPORTER_GAUGE,
		EXPORTER_03, 53, 1, "slurm_scheduler_agent_thread"),
	STATISTIC("slurm_scheduler_agent_thread", "Threads of agents.", EXPORTER_GAUGE,
		EXPORTER_NOW, 53, 1, NULL),
	/* server_thread_count */
	STATISTIC("slurm_scheduler_thread_total", "Threads of slurmctld that answer requests.",
		EXPORTER_GAUGE, EXPORTER_03, 54, 1, "slurm_scheduler_thread"),
	STATISTIC("slurm_scheduler_thread", "Threads of slurmctld that answer requests.",
		EXPORTER_GAUGE, EXPORTER_NOW, 54, 1, NULL),
	/* dbd_agent_queue_size */
	STATISTIC("slurm_scheduler_dbdagentqueue_total", "Messages that wait for slurmdbd.",
		EXPORTER_GAUGE, EXPORTER_03, 55, 1, "slurm_scheduler_dbdagentqueue"),
	STATISTIC("slurm_scheduler_dbdagentqueue", "Messages that wait for slurmdbd.",
		EXPORTER_GAUGE, EXPORTER_NOW, 55, 1, NULL),
};

const struct exporter_table exporter_statistic_table = { "Scheduler", rows, LENGTH(rows) };
