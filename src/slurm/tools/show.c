/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses jobs and partitions of scontrol. The rows have the order in which Slurm prints
 * them (17.11 to 26.05).
 */
#include "slurm/tools/show.h"

#include "base/own.h"
#include "base/str.h"
#include "slurm/job_state.h"
#include "slurm/tools/blocks.h"
#include "slurm/tools/output_path.h"

#define JOB(member) offsetof(struct slurm_job_shown, member)

static const struct key_row job_rows[] = {
	{ "JobId", KEY_ALWAYS, FORM_NUMBER, JOB(id) },
	{ "ArrayJobId", 0, FORM_TEXT, JOB(array_id) },
	{ "ArrayTaskId", 0, FORM_TEXT, JOB(task) },
	{ "HetJobId", 0, FORM_TEXT, JOB(het_id) },
	{ "JobName", KEY_FREE, FORM_TEXT, JOB(name) },
	{ "HetJobIdSet", 0, FORM_NONE, 0 },
	{ "PackJobIdSet", 0, FORM_NONE, 0 },
	{ "UserId", KEY_ALWAYS, FORM_TEXT, JOB(user) },
	{ "Priority", 0, FORM_NONE, 0 },
	{ "JobState", KEY_ALWAYS, FORM_TEXT, JOB(state) },
	{ "Reason", 0, FORM_TEXT, JOB(reason) },
	{ "Requeue", 0, FORM_NONE, 0 },
	{ "Restarts", 0, FORM_TEXT, JOB(restarts) },
	{ "ExitCode", KEY_ALWAYS, FORM_TEXT, JOB(exit_code) },
	{ "DerivedExitCode", 0, FORM_NONE, 0 },
	{ "RunTime", KEY_ALWAYS, FORM_DURATION, JOB(run_s) },
	{ "TimeLimit", KEY_ALWAYS, FORM_DURATION, JOB(limit_s) },
	{ "SubmitTime", KEY_ALWAYS, FORM_TIME, JOB(submit_s) },
	{ "AccrueTime", 0, FORM_NONE, 0 },
	{ "StartTime", KEY_ALWAYS, FORM_TIME, JOB(start_s) },
	{ "EndTime", 0, FORM_TIME, JOB(end_s) },
	{ "PreemptTime", 0, FORM_NONE, 0 },
	{ "PreemptEligibleTime", 0, FORM_NONE, 0 },
	{ "SuspendTime", 0, FORM_NONE, 0 },
	{ "LastSchedEval", 0, FORM_NONE, 0 },
	{ "Partition", KEY_ALWAYS, FORM_TEXT, JOB(partition) },
	{ "ReqNodeList", 0, FORM_NONE, 0 },
	{ "NodeList", KEY_ALWAYS, FORM_TEXT, JOB(nodes) },
	{ "SchedNodeList", 0, FORM_NONE, 0 },
	{ "BatchHost", 0, FORM_TEXT, JOB(batch_host) },
	{ "NumNodes", KEY_ALWAYS, FORM_TEXT, JOB(node_count) },
	{ "TRES", 0, FORM_NONE, 0 },
	{ "ReqTRES", 0, FORM_NONE, 0 },
	{ "AllocTRES", 0, FORM_NONE, 0 },
	{ "Socks/Node", 0, FORM_NONE, 0 },
	{ "MinCPUsNode", 0, FORM_NONE, 0 },
	{ "Features", 0, FORM_NONE, 0 },
	{ "Gres", 0, FORM_NONE, 0 },
	{ "Reservation", 0, FORM_NONE, 0 },
	{ "OverSubscribe", 0, FORM_NONE, 0 },
	{ "Command", KEY_FREE, FORM_NONE, 0 },
	{ "SubmitLine", KEY_FREE, FORM_NONE, 0 },
	{ "WorkDir", KEY_FREE | KEY_ALWAYS, FORM_TEXT, JOB(work_dir) },
	{ "AdminComment", KEY_FREE, FORM_NONE, 0 },
	{ "SystemComment", KEY_FREE, FORM_NONE, 0 },
	{ "Comment", KEY_FREE, FORM_TEXT, JOB(comment) },
	{ "Extra", KEY_FREE, FORM_NONE, 0 },
	{ "Container", KEY_FREE, FORM_NONE, 0 },
	{ "StdErr", KEY_FREE, FORM_TEXT, JOB(std_err) },
	{ "StdIn", KEY_FREE, FORM_NONE, 0 },
	{ "StdOut", KEY_FREE, FORM_TEXT, JOB(std_out) },
	{ "Switches", 0, FORM_NONE, 0 },
	{ "Power", 0, FORM_NONE, 0 },
	{ "CpusPerTres", 0, FORM_NONE, 0 },
	{ "MemPerTres", 0, FORM_NONE, 0 },
	{ "TresPerJob", 0, FORM_NONE, 0 },
	{ "TresPerNode", 0, FORM_NONE, 0 },
	{ "TresPerTask", 0, FORM_NONE, 0 },
	{ "MailUser", 0, FORM_NONE, 0 },
};

_Static_assert(LENGTH(job_rows) <= BLOCK_MAX_KEYS, "a block has room for each key");

static const struct block_kind jobs = {
	job_rows,
	LENGTH(job_rows),
	" JobName=",
	true,
	sizeof(struct slurm_job_shown),
};

/* The partition as Slurm prints it; its meaning is in shown. */
struct partition_read {
	struct slurm_partition_shown shown;
	int64_t memory_per_cpu_mb;
};

#define PARTITION(member) offsetof(struct partition_read, member)

static const struct key_row partition_rows[] = {
	{ "PartitionName", 0, FORM_TEXT, PARTITION(shown.name) },
	{ "AllowGroups", 0, FORM_TEXT, PARTITION(shown.allow_groups) },
	{ "AllowAccounts", 0, FORM_TEXT, PARTITION(shown.allow_accounts) },
	{ "DenyAccounts", 0, FORM_TEXT, PARTITION(shown.deny_accounts) },
	{ "AllowQos", 0, FORM_TEXT, PARTITION(shown.allow_qos) },
	{ "DenyQos", 0, FORM_TEXT, PARTITION(shown.deny_qos) },
	{ "MaxNodes", 0, FORM_LIMIT, PARTITION(shown.nodes) },
	{ "MaxTime", 0, FORM_DURATION, PARTITION(shown.wall_s) },
	{ "MaxCPUsPerNode", 0, FORM_LIMIT, PARTITION(shown.cpus_per_node) },
	{ "RootOnly", 0, FORM_TEXT, PARTITION(shown.root_only) },
	{ "ReqResv", 0, FORM_TEXT, PARTITION(shown.needs_reservation) },
	{ "State", 0, FORM_TEXT, PARTITION(shown.state) },
	{ "TotalCPUs", 0, FORM_LIMIT, PARTITION(shown.all_cpus) },
	{ "TotalNodes", 0, FORM_LIMIT, PARTITION(shown.all_nodes) },
	{ "MaxMemPerNode", 0, FORM_LIMIT, PARTITION(shown.memory_per_node_mb) },
	{ "MaxMemPerCPU", 0, FORM_LIMIT, PARTITION(memory_per_cpu_mb) },
};

static const struct block_kind partitions = {
	partition_rows,
	LENGTH(partition_rows),
	NULL,
	false,
	sizeof(struct partition_read),
};

static void complete(struct arena *a, struct slurm_job_shown *j)
{
	/* Since 26.05 it is empty for a job with one file for both. */
	if (str_empty(j->std_err))
		j->std_err = j->std_out;
	j->std_out = slurm_output_path(a, j->std_out, j);
	j->std_err = slurm_output_path(a, j->std_err, j);
}

struct err slurm_show_jobs(const char *text, struct arena *a, struct slurm_job_shown **out,
	size_t *n)
{
	void *read;
	struct err e = blocks_read(&jobs, text, a, &read, n);
	*out = read;
	if (failed(e))
		return err_wrap(e, "reading a job of scontrol");
	for (size_t i = 0; i < *n; i++)
		complete(a, &(*out)[i]);
	return OK;
}

bool slurm_jobs_ended(const struct slurm_job_shown *shown, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!(job_state_bit(shown[i].state) & JOB_ENDS_MASK))
			return false;
	return true;
}

struct err slurm_show_partitions(const char *text, struct arena *a,
	struct slurm_partition_shown **out, size_t *n)
{
	void *read;
	size_t all;
	struct err e = blocks_read(&partitions, text, a, &read, &all);
	*n = 0;
	if (failed(e))
		return err_wrap(e, "reading a partition of scontrol");
	*out = arena_array(a, struct slurm_partition_shown, all ? all : 1);
	for (const struct partition_read *p = read; all; all--, p++) {
		struct slurm_partition_shown shown = p->shown;
		if (str_empty(shown.name))
			continue;
		if (shown.nodes < 0)
			shown.nodes = shown.all_nodes;
		if (shown.cpus_per_node < 0)
			shown.cpus_per_node = shown.all_cpus;
		if (p->memory_per_cpu_mb >= 0)
			shown.memory_per_node_mb = 0;
		shown.usable_nodes = SLURM_ABSENT;
		(*out)[(*n)++] = shown;
	}
	return OK;
}
