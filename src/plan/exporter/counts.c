/* SPDX-License-Identifier: Apache-2.0 */
/* Counts of nodes and jobs. */
#include "plan/exporter/counts.h"

#include <string.h>

#include "base/own.h"
#include "plan/exporter/members.h"
#include "slurm/job_state.h"
#include "slurm/state.h"

enum { YEAR_S = 365 * 86400 };
/* An unknown value, which gives no sample */
#define ABSENT __builtin_nan("")

struct word {
	uint32_t bit;
	int measure;
};

/* ---- nodes ---- */

/* The first match counts; Slurm itself reports only one base state. */
static const struct word node_bases[] = {
	{ NODE_ALLOCATED, NODES_ALLOCATED },
	{ NODE_DOWN, NODES_DOWN },
	{ NODE_ERROR, NODES_ERROR },
	{ NODE_FUTURE, NODES_FUTURE },
	{ NODE_IDLE, NODES_IDLE },
	{ NODE_MIXED, NODES_MIXED },
};

static const struct word node_flags[] = {
	{ NODE_COMPLETING, NODES_COMPLETING },
	{ NODE_DRAIN, NODES_DRAIN },
	{ NODE_FAIL, NODES_FAIL },
	{ NODE_MAINTENANCE, NODES_MAINTENANCE },
	{ NODE_NOT_RESPONDING, NODES_NOT_RESPONDING },
	{ NODE_PLANNED, NODES_PLANNED },
	{ NODE_REBOOT_REQUESTED, NODES_REBOOT_REQUESTED },
	{ NODE_RESERVED, NODES_RESERVED },
	{ NODE_REBOOT_ISSUED, NODES_REBOOT_ISSUED },
	{ NODE_INVALID_REG, NODES_INVALID_REG },
	{ NODE_POWERED_DOWN, NODES_POWERED_DOWN },
	{ NODE_POWERING_UP, NODES_POWERING_UP },
	{ NODE_POWERING_DOWN, NODES_POWERING_DOWN },
};

static int base_of(uint32_t state, const struct word *words, size_t n, int otherwise)
{
	for (size_t i = 0; i < n; i++)
		if (state & words[i].bit)
			return words[i].measure;
	return otherwise;
}

static void measure_node(const struct exporter_node *n, double *v)
{
	int64_t effective = n->memory - n->memory_special;
	bool drains = (n->state & NODE_DRAIN) && !(n->state & NODE_UNDRAIN);
	v[NODES_ANY] = 1;
	v[base_of(n->state, node_bases, LENGTH(node_bases), NODES_UNKNOWN)] = 1;
	for (size_t i = 0; i < LENGTH(node_flags); i++)
		v[node_flags[i].measure] = (n->state & node_flags[i].bit) ? 1 : 0;
	v[NODES_DRAINING] = drains && (n->state & NODE_BUSY_MASK);
	v[NODES_DRAINED] = drains && !(n->state & NODE_BUSY_MASK);
	v[NODES_CPUS] = (double)n->cpus;
	v[NODES_CPUS_EFFECTIVE] = (double)n->cpus_effective;
	v[NODES_CPUS_ALLOC] = (double)n->cpus_alloc;
	v[NODES_CPUS_IDLE] = (double)n->cpus_idle;
	v[NODES_MEMORY] = (double)n->memory;
	v[NODES_MEMORY_EFFECTIVE] = effective > 0 ? (double)effective : 0;
	v[NODES_MEMORY_ALLOC] = (double)n->memory_alloc;
	v[NODES_MEMORY_FREE] = n->memory_free > 0 ? (double)n->memory_free : 0;
	v[NODES_MEMORY_UNUSED] = n->memory_free >= 0 ? (double)n->memory_free : ABSENT;
}

/* The sum leaves out values that are not known (NaN). */
static void add_node(double *to, const double *v)
{
	for (int i = 0; i < NODE_MEASURES; i++)
		to[i] += v[i] == v[i] ? v[i] : 0;
}

/* ---- jobs ---- */

static const struct word job_bases[] = {
	{ JOB_BOOT_FAIL, JOBS_BOOT_FAIL },
	{ JOB_CANCELLED, JOBS_CANCELLED },
	{ JOB_COMPLETED, JOBS_COMPLETED },
	{ JOB_DEADLINE, JOBS_DEADLINE },
	{ JOB_FAILED, JOBS_FAILED },
	{ JOB_PENDING, JOBS_PENDING },
	{ JOB_PREEMPTED, JOBS_PREEMPTED },
	{ JOB_RUNNING, JOBS_RUNNING },
	{ JOB_SUSPENDED, JOBS_SUSPENDED },
	{ JOB_TIMEOUT, JOBS_TIMEOUT },
	{ JOB_NODE_FAIL, JOBS_NODE_FAIL },
	{ JOB_OUT_OF_MEMORY, JOBS_OUT_OF_MEMORY },
};

static const struct word job_flags[] = {
	{ JOB_COMPLETING, JOBS_COMPLETING },
	{ JOB_CONFIGURING, JOBS_CONFIGURING },
	{ JOB_POWER_UP_NODE, JOBS_POWER_UP_NODE },
	{ JOB_STAGE_OUT, JOBS_STAGE_OUT },
};

static void measure_job(const struct exporter_job *j, int64_t now_s, double *v)
{
	bool waits = (j->state & JOB_PENDING) && !j->held;
	bool holds = job_state_holds(j->state);
	int base = base_of(j->state, job_bases, LENGTH(job_bases), -1);
	v[JOBS_ANY] = 1;
	if (base >= 0)
		v[base] = 1;
	for (size_t i = 0; i < LENGTH(job_flags); i++)
		v[job_flags[i].measure] = (j->state & job_flags[i].bit) ? 1 : 0;
	v[JOBS_HOLD] = j->held;
	v[JOBS_OPEN] = !(j->state & (JOB_COMPLETED | JOB_COMPLETING | JOB_CANCELLED));
	v[JOBS_PENDING_FREE] = waits;
	v[JOBS_CPUS_EVER] = (double)j->cpus;
	v[JOBS_MEMORY_EVER] = (double)j->memory;
	v[JOBS_CPUS] = holds ? (double)j->cpus : 0;
	v[JOBS_MEMORY] = holds ? (double)j->memory : 0;
	v[JOBS_MOST_NODES] = waits ? (double)j->nodes : 0;
	v[JOBS_MOST_NODES_ELIGIBLE] = waits && j->eligible_s > now_s - YEAR_S ? (double)j->nodes
									      : 0;
	/* A job without an eligible time waits for another job, not for resources */
	v[JOBS_WAITING_SINCE] = waits && j->eligible_s > 0 && j->eligible_s <= now_s
		? (double)j->eligible_s
		: ABSENT;
}

static void add_job(double *to, const double *v)
{
	for (int i = 0; i < JOBS_MOST_NODES; i++)
		to[i] += v[i];
	for (int i = JOBS_MOST_NODES; i < JOBS_WAITING_SINCE; i++)
		to[i] = v[i] > to[i] ? v[i] : to[i];
	if (!(v[JOBS_WAITING_SINCE] >= to[JOBS_WAITING_SINCE])) /* also if one is absent */
		to[JOBS_WAITING_SINCE] = v[JOBS_WAITING_SINCE] == v[JOBS_WAITING_SINCE]
			? v[JOBS_WAITING_SINCE]
			: to[JOBS_WAITING_SINCE];
}

/* ---- all of it ---- */

static void count_nodes(const struct exporter_facts *f, struct arena *a,
	struct exporter_counts *out)
{
	const struct exporter_nodes *nodes = f->nodes;
	const struct members *of = members_of_lists(&nodes->lists, f->partitions, a);
	out->nodes = arena_alloc(a, sizeof(node_counts));
	out->each_node = arena_alloc(a, (nodes->n + 1) * sizeof(node_counts));
	if (f->partitions)
		out->partition_nodes = arena_alloc(a, (f->partitions->n + 1) * sizeof(node_counts));
	for (size_t i = 0; i < nodes->n; i++) {
		const struct members *in = &of[nodes->v[i].list];
		measure_node(&nodes->v[i], out->each_node[i]);
		add_node(*out->nodes, out->each_node[i]);
		for (size_t k = 0; k < in->n; k++)
			add_node(out->partition_nodes[in->v[k]], out->each_node[i]);
	}
}

static job_counts *room_for(struct arena *a, size_t n)
{
	job_counts *room = arena_alloc(a, (n + 1) * sizeof(job_counts));
	for (size_t i = 0; i < n; i++)
		room[i][JOBS_WAITING_SINCE] = ABSENT;
	return room;
}

static void count_jobs(const struct exporter_facts *f, struct arena *a, struct exporter_counts *out)
{
	const struct exporter_jobs *jobs = f->jobs;
	const struct members *of = members_of_lists(&jobs->lists, f->partitions, a);
	out->jobs = room_for(a, 1);
	out->users = room_for(a, jobs->n_users);
	out->accounts = room_for(a, jobs->accounts.n);
	out->user_names = room_for(a, jobs->user_names.n);
	if (f->partitions) {
		out->partition_jobs = room_for(a, f->partitions->n);
		out->partition_jobs_01 = room_for(a, f->partitions->n);
	}
	for (size_t i = 0; i < jobs->n; i++) {
		const struct exporter_job *j = &jobs->v[i];
		const struct members *in = &of[j->list];
		job_counts v = { 0 };
		measure_job(j, f->now_s, v);
		add_job(*out->jobs, v);
		add_job(out->users[j->user], v);
		add_job(out->accounts[j->account], v);
		add_job(out->user_names[jobs->users[j->user].named], v);
		for (size_t k = 0; k < in->n; k++)
			add_job(out->partition_jobs[in->v[k]], v);
		if (in->n && !in->several)
			add_job(out->partition_jobs_01[in->v[0]], v);
	}
}

void exporter_count(const struct exporter_facts *f, struct arena *a, struct exporter_counts *out)
{
	*out = (struct exporter_counts){ 0 };
	if (f->nodes)
		count_nodes(f, a, out);
	if (f->jobs)
		count_jobs(f, a, out);
}
